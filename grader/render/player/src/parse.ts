/** Reads expressions. */

import { compute, forward, withLocals } from "./engine";
import type { Graph } from "./engine";
import { expression, isLeaf, isName } from "./names";
import { shapeOf } from "./numbers";
import type { Num, TraceInput, TraceNode } from "./types";

const OF_ARRAYS = ["sum", "mean", "@"];
const FUNCTIONS = ["tanh", "relu", "exp", "log", "sum", "mean"];
const TOKEN = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|(\.?[A-Za-z_][\w·]*)|(\*\*|[-+*/@()=;]))/y;

type Operand = { node: number } | { value: number };
type Option = { value: string };

/** Reads one expression; a method for each level of precedence. */
class Parser {
  readonly nodes: TraceNode[] = [];
  private readonly names = new Map<string, Operand>();
  private readonly tokens: string[];
  private at = 0;

  constructor(text: string, leaves: Iterable<string>) {
    this.tokens = tokens(text);
    for (const leaf of leaves) this.names.set(leaf, this.add(leaf, "", []));
  }

  /** Reads all statements. The last one is the root. */
  statements(): void {
    while (this.at < this.tokens.length) {
      if (this.skip(";")) continue;
      const name = this.tokens[this.at + 1] === "=" ? this.name() : "";
      const operand = this.sum();
      if (!("node" in operand)) throw new Error("A statement needs a leaf, and this one is only a number.");
      if (name) this.bind(name, operand);
      if (this.at < this.tokens.length && !this.skip(";")) {
        throw new Error(`Unexpected "${this.tokens[this.at]}". Separate two statements by ";".`);
      }
    }
    if (!this.nodes.some((node) => node.op)) throw new Error("There is no operation in this expression.");
  }

  private name(): string {
    const name = this.tokens[this.at];
    if (!/^[A-Za-z_]/.test(name)) throw new Error(`"${name}" is not a name. Write a name to the left of "=".`);
    if (this.names.has(name)) throw new Error(`The name ${name} is already used. Choose another name.`);
    this.at += 2;
    return name;
  }

  private bind(name: string, operand: { node: number }): void {
    const node = this.nodes[operand.node] as TraceNode;
    if (node.op && !isName(node.name)) node.name = name;
    this.names.set(name, operand);
  }

  private sum(): Operand {
    let left = this.product();
    for (let op = this.skip("+", "-"); op; op = this.skip("+", "-"))
      left = this.binary(op, left, this.product());
    return left;
  }

  private product(): Operand {
    let left = this.signed();
    for (let op = this.skip("*", "/", "@"); op; op = this.skip("*", "/", "@"))
      left = this.binary(op, left, this.signed());
    return left;
  }

  private signed(): Operand {
    if (!this.skip("-")) return this.power();
    const operand = this.signed();
    if ("value" in operand) return { value: -operand.value };
    return this.operation("neg", [operand]);
  }

  private power(): Operand {
    const base = this.methods(this.atom());
    return this.skip("**") ? this.binary("**", base, this.signed()) : base;
  }

  /** Reads ".tanh()" behind an operand. */
  private methods(operand: Operand): Operand {
    for (let name = this.tokens[this.at]; name?.startsWith("."); name = this.tokens[this.at]) {
      if (!FUNCTIONS.includes(name.slice(1))) throw new Error(`${name} cannot be played. Methods are ${FUNCTIONS.join(", ")}.`);
      this.at += 1;
      if (!this.skip("(")) throw new Error(`Write "()" after ${name}.`);
      const axis = OF_ARRAYS.includes(name.slice(1)) ? this.axis() : "";
      if (!this.skip(")")) throw new Error('A ")" is missing.');
      operand = this.applied(name.slice(1), operand, axis);
    }
    return operand;
  }

  /** Reads "axis=0", or "0". */
  private axis(): string {
    if (this.skip("axis") && !this.skip("=")) throw new Error('Write "=" after axis.');
    const sign = this.skip("-");
    const number = this.tokens[this.at] ?? "";
    if (!/^\d+$/.test(number)) return "";
    this.at += 1;
    return `axis=${sign}${number}`;
  }

  private applied(name: string, operand: Operand, option = ""): Operand {
    if ("value" in operand) return { value: compute(name, [operand.value]) };
    return this.operation(name, option ? [operand, { value: option }] : [operand]);
  }

  private atom(): Operand {
    const token = this.tokens[this.at++];
    if (token === undefined) throw new Error("The expression ends too early.");
    if (/^[\d.]/.test(token)) return { value: Number(token) };
    if (token === "(") return this.closed();
    if (FUNCTIONS.includes(token) && this.skip("(")) return this.applied(token, this.closed());
    if (this.tokens[this.at] === "(") throw new Error(`${token}() cannot be played. Functions are ${FUNCTIONS.join(", ")}.`);
    const known = this.names.get(token);
    if (!known) throw new Error(`${token} is not defined. Give ${token} a number, or define it before this place.`);
    return known;
  }

  private closed(): Operand {
    const operand = this.sum();
    if (!this.skip(")")) throw new Error('A ")" is missing.');
    return operand;
  }

  private binary(op: string, left: Operand, right: Operand): Operand {
    if ("value" in left && "value" in right) return { value: compute(op, [left.value, right.value]) };
    return this.operation(op, [left, right]);
  }

  private operation(op: string, operands: (Operand | Option)[]): { node: number } {
    const infinite = (one: Operand | Option): boolean => "value" in one && /NaN|Infinity/.test(String(one.value));
    if (operands.some(infinite)) throw new Error("Numbers such as 1 / 0 and 1e999 cannot be played.");
    const read = (one: Operand | Option): TraceInput => ("node" in one ? { ...one, value: 0, local: 0 } : { node: null, ...one, local: 0 });
    const inputs = operands.map(read);
    return this.add(expression(this.nodes, op, inputs), op, inputs);
  }

  private add(name: string, op: string, inputs: TraceInput[]): { node: number } {
    return { node: this.nodes.push({ name, op, inputs }) - 1 };
  }

  private skip(...wanted: string[]): string {
    const token = this.tokens[this.at];
    if (token === undefined || !wanted.includes(token)) return "";
    this.at += 1;
    return token;
  }
}

function tokens(text: string): string[] {
  const found: string[] = [];
  const source = text.trim().replace(/\n+/g, ";");
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (!match) throw new Error(`"${source.slice(start).trim().charAt(0)}" cannot be read here.`);
    found.push((match[1] ?? match[2] ?? match[3]) as string);
  }
  return found;
}

/** The names in a text that no statement before defines: its leaves. */
export function leavesOf(text: string): string[] {
  const found = new Set<string>();
  const made = new Set<string>();
  tokens(text).forEach((token, at, all) => {
    if (!/^[A-Za-z_]/.test(token) || (FUNCTIONS.includes(token) && all[at + 1] === "(")) return;
    if (all[at + 1] === "=") made.add(token);
    else if (!made.has(token)) found.add(token);
  });
  return [...found];
}

/** Reads statements such as "e = a + b; f = e * c". Raises an Error whose message is a sentence for the reader. */
export function parse(text: string, leaves: Record<string, Num>): Graph {
  const parser = new Parser(text, Object.keys(leaves));
  parser.statements();
  const nodes = parser.nodes;
  const indices = nodes.flatMap((node, index) => (isLeaf(node) ? [index] : []));
  const graph = { text, nodes, leaves: indices };
  if (Object.values(leaves).some(shapeOf)) {
    const unknown = (input: TraceInput): TraceInput => ({ ...input, local: "" }); // it is no number
    return { ...graph, nodes: nodes.map((node) => ({ ...node, inputs: node.inputs.map(unknown) })) };
  }
  const other = nodes.find(({ op }) => OF_ARRAYS.includes(op));
  if (other) throw new Error(`${other.op} is for arrays, and the leaves are numbers.`);
  return { ...graph, nodes: withLocals(nodes, forward(graph, leaves)) };
}
