/** Expressions, forward and backward passes, and what each step of a walk did, in numbers and in words. */

import type { Num, State, Step, Trace, TraceInput, TraceNode } from "./types";

/** A parsed expression: nodes with the children first. `leaves` are the indices of the nodes whose number can be edited. */
export interface Graph {
  text: string;
  nodes: TraceNode[];
  leaves: number[];
}

/** What one input of a node got when the node's `_backward` was called. */
export interface Contribution {
  node: number;
  input: number;
  to: number;
  upstream: number;
  local: number;
  amount: number;
}

/** So many changes of one step are said in words. */
const MOST = 6;

const FUNCTIONS = ["tanh", "relu", "exp"];
const TOKEN = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|([A-Za-z_]\w*)|(\*\*|[-+*/()=;\n]))/y;

// ---------------------------------------------------------------- numbers

/** The number behind a value of a trace; NaN for a text that is no number. A gradient of None counts as 0. */
export function numeric(value: Num | null | undefined): number {
  if (value === "None") return 0;
  if (typeof value === "number") return value;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return NaN;
}

/** A value as the page shows it: up to 6 significant digits, a text as it is, nothing for null. */
export function show(value: Num | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return String(Number(value.toPrecision(6)) + 0);
}

/** Whether two values are the same number, but for rounding, or the same text. None counts as 0. */
export function same(one: Num | null | undefined, other: Num | null | undefined): boolean {
  if (one === "None" || other === "None") return numeric(one) === numeric(other);
  if (typeof one !== "number" || typeof other !== "number") return one === other;
  if (one === other || (Number.isNaN(one) && Number.isNaN(other))) return true;
  return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));
}

// ---------------------------------------------------------------- parsing

type Operand = { node: number } | { value: number };

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
      if (!("node" in operand)) throw new Error("A statement needs a leaf: this one is only a number.");
      if (name) this.bind(name, operand);
      if (this.at < this.tokens.length && !this.skip(";")) {
        throw new Error(`Unexpected "${this.tokens[this.at]}". Separate two statements by ";".`);
      }
    }
    if (!this.nodes.some((node) => node.op)) throw new Error("There is no operation in this expression.");
  }

  private name(): string {
    const name = this.tokens[this.at];
    if (!/^[A-Za-z_]/.test(name)) throw new Error(`"${name}" is no name. Write a name to the left of "=".`);
    if (this.names.has(name)) throw new Error(`${name} is there already. Choose another name.`);
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
    for (let op = this.skip("+", "-"); op; op = this.skip("+", "-")) left = this.binary(op, left, this.product());
    return left;
  }

  private product(): Operand {
    let left = this.signed();
    for (let op = this.skip("*", "/"); op; op = this.skip("*", "/")) left = this.binary(op, left, this.signed());
    return left;
  }

  private signed(): Operand {
    if (!this.skip("-")) return this.power();
    const operand = this.signed();
    if ("value" in operand) return { value: -operand.value };
    return this.operation("neg", [operand]);
  }

  private power(): Operand {
    const base = this.atom();
    return this.skip("**") ? this.binary("**", base, this.signed()) : base;
  }

  private atom(): Operand {
    const token = this.tokens[this.at++];
    if (token === undefined) throw new Error("The expression stops too early.");
    if (/^[\d.]/.test(token)) return { value: Number(token) };
    if (token === "(") return this.closed();
    if (FUNCTIONS.includes(token) && this.skip("(")) {
      const operand = this.closed();
      if ("value" in operand) return { value: compute(token, [operand.value]) };
      return this.operation(token, [operand]);
    }
    const known = this.names.get(token);
    if (!known) throw new Error(`${token} is not known. Give it a number, or define it before it is used.`);
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

  private operation(op: string, operands: Operand[]): { node: number } {
    const inputs: TraceInput[] = operands.map((operand) =>
      "node" in operand ? { node: operand.node, value: 0, local: 0 } : { node: null, value: operand.value, local: 0 },
    );
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
  const source = text.trim().replace(/[·×]/g, "*").replace(/−/g, "-").replace(/\n+/g, ";");
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (!match) throw new Error(`"${source.slice(start).trim().charAt(0)}" cannot be read here.`);
    found.push((match[1] ?? match[2] ?? match[3]) as string);
  }
  return found;
}

/** Reads statements such as "e = a + b; f = e * c". Raises an Error whose message is a sentence for the reader. */
export function parse(text: string, leaves: Record<string, number>): Graph {
  const parser = new Parser(text, Object.keys(leaves));
  parser.statements();
  const nodes = parser.nodes;
  const indices = nodes.flatMap((node, index) => (isLeaf(node) ? [index] : []));
  const graph = { text, nodes, leaves: indices };
  return { ...graph, nodes: withLocals(nodes, forward(graph, leaves)) };
}

// ---------------------------------------------------------------- the engine

function compute(op: string, given: number[]): number {
  const [x = NaN, y = NaN] = given;
  switch (op) {
    case "+":
      return x + y;
    case "-":
      return x - y;
    case "*":
      return x * y;
    case "/":
      return x / y;
    case "**":
      return x ** y;
    case "neg":
      return -x;
    case "exp":
      return Math.exp(x);
    case "tanh":
      return Math.tanh(x);
    case "relu":
      return Math.max(0, x);
    default:
      return NaN;
  }
}

/** The derivatives of one operation for each of its inputs. At 0 relu's slope is 0. */
function derivatives(op: string, given: number[], out: number): number[] {
  const [x = NaN, y = NaN] = given;
  switch (op) {
    case "+":
      return [1, 1];
    case "-":
      return [1, -1];
    case "*":
      return [y, x];
    case "/":
      return [1 / y, -x / (y * y)];
    case "**":
      return [y * x ** (y - 1), out * Math.log(x)];
    case "neg":
      return [-1];
    case "exp":
      return [out];
    case "tanh":
      return [1 - out * out];
    case "relu":
      return [x > 0 ? 1 : 0];
    default:
      return given.map(() => NaN);
  }
}

function given(node: TraceNode, data: number[]): number[] {
  return node.inputs.map((input) => (input.node === null ? numeric(input.value) : (data[input.node] ?? NaN)));
}

/** The data of every node. `values` has the number of each leaf by its name. */
export function forward(graph: Graph, values: Record<string, number>): number[] {
  const data: number[] = [];
  for (const node of graph.nodes) data.push(isLeaf(node) ? (values[node.name] ?? NaN) : compute(node.op, given(node, data)));
  return data;
}

/** The local derivative of every input of every node at these data. */
export function locals(nodes: TraceNode[], data: number[]): number[][] {
  return nodes.map((node, index) => derivatives(node.op, given(node, data), data[index] ?? NaN));
}

function withLocals(nodes: TraceNode[], data: number[]): TraceNode[] {
  const slopes = locals(nodes, data);
  return nodes.map((node, index) => ({
    ...node,
    inputs: node.inputs.map((input, position) => ({
      ...input,
      value: input.node === null ? input.value : (data[input.node] ?? NaN),
      local: slopes[index]?.[position] ?? NaN,
    })),
  }));
}

/** Reverse topological order: the root first, every node before its inputs. Leaves are left out: they do nothing. */
export function reverseOrder(nodes: TraceNode[]): number[] {
  return nodes.flatMap((node, index) => (isLeaf(node) ? [] : [index])).reverse();
}

/**
 * The steps of a whole walk: the forward pass, the seed, and a `_backward` call for each node of `order`. A node that
 * is called hands on the gradient that it holds at that moment. Calling a leaf does nothing.
 */
export function walk(graph: Graph, values: Record<string, number>, order: number[] = reverseOrder(graph.nodes)): Step[] {
  const { nodes } = graph;
  const data = forward(graph, values);
  const slopes = locals(nodes, data);
  const root = nodes.length - 1;
  const steps: Step[] = data.map((value, node) => ({ kind: "forward", node, changes: [[node, value]] }));
  const grads: number[] = nodes.map((_, index) => (index === root ? 1 : 0));
  steps.push({ kind: "seed", node: root, changes: [[root, 1]] });
  for (const node of order) {
    const upstream = grads[node] ?? 0;
    const changed = new Set<number>();
    nodes[node]?.inputs.forEach((input, position) => {
      if (input.node === null) return;
      grads[input.node] = (grads[input.node] ?? 0) + upstream * (slopes[node]?.[position] ?? NaN);
      changed.add(input.node);
    });
    steps.push({ kind: "call", node, changes: [...changed].map((index) => [index, grads[index] ?? 0]) });
  }
  return steps;
}

/** The trace of a right walk: both sides are the same. */
export function trace(graph: Graph, values: Record<string, number>): Trace {
  const steps = walk(graph, values);
  const numbers = graph.leaves.map((leaf) => nameOf(graph.nodes, leaf)).map((name) => `${name} = ${show(values[name])}`);
  return {
    given: `${numbers.join(", ")} in ${graph.text}`,
    nodes: withLocals(graph.nodes, forward(graph, values)),
    student: steps,
    right: steps,
    wrong: null,
    words: "",
  };
}

// ---------------------------------------------------------------- reading a walk

/** Data and gradients after the first `index` steps. null is a number that is not computed yet. */
export function stateAt(nodes: TraceNode[], steps: Step[], index: number): State {
  const data: (Num | null)[] = nodes.map(() => null);
  const grad: (Num | null)[] = nodes.map(() => null);
  const count = Math.max(0, Math.min(index, steps.length));
  for (let at = 0; at < count; at += 1) {
    const step = steps[at];
    const into = step.kind === "forward" ? data : grad;
    for (const [node, value] of step.changes) into[node] = value;
    // A trace names only what changed, so a contribution of 0 is not in it. The gradient is there all the same.
    if (step.kind !== "call") continue;
    for (const { node } of nodes[step.node]?.inputs ?? []) if (node !== null) grad[node] ??= 0;
  }
  return { data, grad, step: steps[count - 1] ?? null, index: count };
}

/** The contributions that a call of a node should make: upstream · local, one for each edge. */
function edgesOf(nodes: TraceNode[], node: number, upstream: number): Contribution[] {
  return (nodes[node]?.inputs ?? []).flatMap((input, position) => {
    if (input.node === null) return [];
    const local = numeric(input.local);
    return [{ node, input: position, to: input.node, upstream, local, amount: upstream * local }];
  });
}

// ---------------------------------------------------------------- words

/** Whether a node's name is a plain name, not an expression. */
export function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}

/** Whether a node is made from no others. A plain node has inputs and no operation: it is no leaf. */
export function isLeaf(node: TraceNode): boolean {
  return node.inputs.length === 0;
}

export function nameOf(nodes: TraceNode[], node: number): string {
  return nodes[node]?.name || `node ${node + 1}`;
}

/** The name of a node's gradient: "a.grad", or "(a * b).grad". */
export function gradName(nodes: TraceNode[], node: number): string {
  const name = nameOf(nodes, node);
  return /^-| /.test(name) ? `(${name}).grad` : `${name}.grad`;
}

/** The operation of a node with the names of its inputs: "a * b". Empty for a leaf. */
export function formula(nodes: TraceNode[], node: number): string {
  const { op, inputs } = nodes[node] ?? { op: "", inputs: [] };
  return op && expression(nodes, op, inputs);
}

const PRECEDENCE: Record<string, number> = { "+": 1, "-": 1, "*": 2, "/": 2, neg: 3, "**": 4 };

function expression(nodes: TraceNode[], op: string, inputs: TraceInput[]): string {
  const names = inputs.map((input) => (input.node === null ? show(input.value) : nameOf(nodes, input.node)));
  const level = PRECEDENCE[op];
  if (level === undefined) return `${op}(${names.join(", ")})`;
  const inside = inputs.map((input, position) => {
    const below = levelOf(nodes, input);
    const loose = below < level || (below === level && (position === 1 || op === "**"));
    return loose ? `(${names[position]})` : names[position];
  });
  return op === "neg" ? `-${inside[0] ?? ""}` : inside.join(` ${op} `);
}

/** How tightly the name of an input holds together: an expression as its operation does, all others tightest. */
function levelOf(nodes: TraceNode[], input: TraceInput): number {
  if (input.node === null) return numeric(input.value) < 0 ? 3 : 9;
  const node = nodes[input.node];
  return node && !isName(node.name) ? (PRECEDENCE[node.op] ?? 9) : 9;
}

/** What the step before `index` did, in one or two sentences. */
export function sentence(nodes: TraceNode[], steps: Step[], index: number): string {
  const step = steps[index - 1];
  if (!step) return "Nothing is computed yet.";
  // A step that sets what was there already has no changes, so the state after it is read.
  if (step.kind === "forward") return forwardSentence(nodes, step.node, show(stateAt(nodes, steps, index).data[step.node]));
  if (step.kind === "seed") return seedSentence(nodes, step.node, show(stateAt(nodes, steps, index).grad[step.node]));
  if (step.kind === "set") return setSentence(nodes, step);
  return callSentence(nodes, step, stateAt(nodes, steps, index - 1).grad);
}

function forwardSentence(nodes: TraceNode[], node: number, data: string): string {
  const name = nameOf(nodes, node);
  const text = formula(nodes, node);
  if (!data) return `${name} gets no data.`;
  if (!text) return `${name} is a leaf: its data is ${data}.`;
  return isName(name) ? `${name} = ${text} is computed: ${data}.` : `${name} is computed: ${data}.`;
}

function seedSentence(nodes: TraceNode[], node: number, grad: string): string {
  const seeded = grad ? `is seeded with ${grad}.` : "is not there after the seed.";
  // A test may walk from another node than the last one.
  if (node !== nodes.length - 1) return `${gradName(nodes, node)} ${seeded}`;
  return `${nameOf(nodes, node)} is the root: its gradient ${seeded}`;
}

/** "a.grad is 0 now, b.grad is 0 now"; the number of those that are too many to say. */
function setSentence(nodes: TraceNode[], { node, changes }: Step): string {
  if (!changes.length) return `Nothing changes at ${nameOf(nodes, node)}.`;
  const said = changes.slice(0, MOST).map(([to, value]) => `${gradName(nodes, to)} is ${show(value)} now`);
  const more = changes.length - said.length;
  return `${said.join(", ")}${more > 0 ? `, and ${more} more change` : ""}.`;
}

function callSentence(nodes: TraceNode[], { node, changes }: Step, before: (Num | null)[]): string {
  const name = nameOf(nodes, node);
  if (isLeaf(nodes[node]) && !changes.length) return `${name} is a leaf: its _backward does nothing.`;
  const upstream = before[node] ?? 0;
  const edges = edgesOf(nodes, node, numeric(upstream));
  if (same(upstream, 0) && changes.every(([to, value]) => same(value, before[to] ?? 0))) {
    return `${name} is called, and ${gradName(nodes, node)} is 0: it hands on nothing.`;
  }
  const parts = changes.map(([to, value]) => changeWords(nodes, to, before[to] ?? 0, value, edges));
  for (const to of new Set(edges.map((edge) => edge.to))) {
    if (!changes.some(([changed]) => changed === to)) parts.push(changeWords(nodes, to, before[to] ?? 0, before[to] ?? 0, edges));
  }
  if (!parts.length) return `${name} is called, and no gradient changes.`;
  const still = changes.every(([to, value]) => same(value, before[to] ?? 0)) && edges.some((edge) => !same(edge.amount, 0));
  return `${name} ${still ? "is called" : "hands on"}: ${parts.join("; ")}.`;
}

/** "a.grad += 6 · 1 = 6, and is 15 now" where the rule says so; else only what the gradient became. */
function changeWords(nodes: TraceNode[], to: number, before: Num, after: Num, edges: Contribution[]): string {
  const name = gradName(nodes, to);
  const mine = edges.filter((edge) => edge.to === to);
  const total = mine.reduce((sum, edge) => sum + edge.amount, numeric(before));
  if (!mine.length || !same(total, after)) {
    return same(before, after) ? `${name} stays ${show(after)}` : `${name} becomes ${show(after)}`;
  }
  const adds = mine.map((edge) => `${name} += ${show(edge.upstream)} · ${show(edge.local)} = ${show(edge.amount)}`);
  const ends = mine.length > 1 || !same(before, 0) ? `, and is ${show(after)} now` : "";
  return adds.join(", ") + ends;
}
