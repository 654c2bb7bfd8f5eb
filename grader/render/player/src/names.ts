/** How nodes, their gradients and their operations are called. */

import { numeric, show } from "./numbers";
import type { TraceInput, TraceNode } from "./types";

/** Whether a node's name is a plain name, not an expression; "x1·w1" is one, as in the lesson. */
export function isName(text: string): boolean {
  return /^[A-Za-z_][\w·]*$/.test(text);
}

/** Whether a node is made from no others. A plain node has inputs and no operation: it is no leaf. */
export function isLeaf(node: TraceNode): boolean {
  return node.inputs.length === 0;
}

export function nameOf(nodes: TraceNode[], node: number): string {
  return nodes[node]?.name || `node ${node + 1}`;
}

/** The attribute that holds a gradient. All traces of a page are of one assignment, so it has one engine. */
let gradient = "grad";

export function callGradients(attribute: string): void {
  gradient = attribute;
}

export function gradWord(): string {
  return gradient;
}

/** The name of a node's gradient: "a.grad", or "(a * b).grad". */
export function gradName(nodes: TraceNode[], node: number): string {
  const name = nameOf(nodes, node);
  return `${/^-| /.test(name) ? `(${name})` : name}.${gradient}`;
}

/** The operation of a node with the names of its inputs: "a * b". Empty for a leaf. */
export function formula(nodes: TraceNode[], node: number): string {
  const { op, inputs } = nodes[node] ?? { op: "", inputs: [] };
  return op && expression(nodes, op, inputs);
}

const PRECEDENCE: Record<string, number> = { "+": 1, "-": 1, "*": 2, "/": 2, neg: 3, "**": 4 };

/** An operation with the names of its inputs, and as few parentheses as its reading needs. */
export function expression(nodes: TraceNode[], op: string, inputs: TraceInput[]): string {
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
