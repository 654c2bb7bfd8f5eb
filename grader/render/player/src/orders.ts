/** What the order of the `_backward` calls does to a graph: which contributions are lost, and why. */

import { forward, locals, stateAt, trace as rightTrace, walk } from "./engine";
import type { Graph } from "./engine";
import { gradName, isLeaf, nameOf } from "./names";
import { same, show } from "./numbers";
import type { Trace, TraceNode } from "./types";

/** A node that was called with less than its whole gradient, and what its inputs miss for that. */
export interface Loss {
  node: number;
  held: number;
  whole: number;
  /** The nodes that were called after it and would have added to its gradient. */
  late: number[];
  lost: { to: number; amount: number }[];
}

/** Every node that handed on too little because of the order. */
export function losses(graph: Graph, values: Record<string, number>, order: number[]): Loss[] {
  const { nodes } = graph;
  const slopes = locals(nodes, forward(graph, values));
  const steps = walk(graph, values, order);
  const right = walk(graph, values);
  const whole = stateAt(nodes, right, right.length).grad;
  const start = nodes.length + 1;
  return order.flatMap((node, position) => {
    const late = order
      .slice(position + 1)
      .filter((other) => nodes[other].inputs.some((input) => input.node === node));
    const held = Number(stateAt(nodes, steps, start + position).grad[node] ?? 0);
    const missing = Number(whole[node] ?? 0) - held;
    const lost = nodes[node].inputs.flatMap((input, index) =>
      input.node === null ? [] : [{ to: input.node, amount: missing * slopes[node][index] }],
    );
    const tooLittle = !isLeaf(nodes[node]) && (late.length > 0 || !same(missing, 0));
    return tooLittle ? [{ node, held, whole: Number(whole[node] ?? 0), late, lost: merged(lost) }] : [];
  });
}

function merged(lost: Loss["lost"]): Loss["lost"] {
  const sums = new Map<number, number>();
  for (const { to, amount } of lost) sums.set(to, (sums.get(to) ?? 0) + amount);
  return [...sums].map(([to, amount]) => ({ to, amount }));
}

/** What an order did, in sentences: the leaf's gradient, and each lost contribution with its reason. */
export function verdict(graph: Graph, values: Record<string, number>, order: number[]): string[] {
  const { nodes } = graph;
  const leaf = graph.leaves[0];
  const name = gradName(nodes, leaf);
  const steps = walk(graph, values, order);
  const right = walk(graph, values);
  const got = stateAt(nodes, steps, steps.length).grad[leaf] ?? 0;
  const want = stateAt(nodes, right, right.length).grad[leaf] ?? 0;
  const found = losses(graph, values, order);
  if (!found.length) return [`${name} is ${show(got)}, as it should be. Nothing is lost.`];
  const reasons = found.map((loss) => reason(nodes, loss));
  if (same(got, want))
    return [`${name} is ${show(got)}, as it should be, but only with these numbers.`, ...reasons];
  return [`${name} is ${show(got)}, but should be ${show(want)}.`, ...reasons];
}

function reason(nodes: TraceNode[], { node, held, whole, late, lost }: Loss): string {
  const name = nameOf(nodes, node);
  const gradient = gradName(nodes, node);
  const what = same(held, 0) ? "still 0" : `only ${show(held)} and not yet ${show(whole)}`;
  const part = (amount: string): string =>
    same(held, 0) ? `${name}'s contribution of ${amount}` : `${amount} of ${name}'s contribution`;
  const ends = lost.map(({ to, amount }) => `${part(show(amount))} to ${nameOf(nodes, to)} is lost`).join(" and ");
  if (late.length)
    return `${name} was called before ${join(late.map((other) => nameOf(nodes, other)))}, when ${gradient} was ${what}, so ${ends}.`;
  return `${name} was called with ${gradient} = ${show(held)} in place of ${show(whole)}, because of what was lost before, so ${ends}.`;
}

function join(names: string[]): string {
  return names.length < 2
    ? names.join("")
    : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/** Every order of these nodes. */
export function orders(nodes: number[]): number[][] {
  if (nodes.length < 2) return [nodes];
  return nodes.flatMap((node) =>
    orders(nodes.filter((other) => other !== node)).map((rest) => [node, ...rest]),
  );
}

/** The trace of a walk in this order, marked at the first call that hands on too little. */
export function traceOf(graph: Graph, values: Record<string, number>, order: number[]): Trace {
  const student = walk(graph, values, order);
  const first = losses(graph, values, order)[0];
  const wrong = first ? student.findIndex((step) => step.kind === "call" && step.node === first.node) : null;
  const words = first ? reason(graph.nodes, first) : "";
  return { ...rightTrace(graph, values), student, right: [], wrong, words };
}

/** An order that was run, the first sentence about it, and whether it loses nothing. */
export interface Run {
  order: number[];
  words: string;
  right: boolean;
}

/** Whether two orders differ only in where the leaf stands. */
function differInLeaf(one: number[], other: number[], leaf: number): boolean {
  const rest = (order: number[]): string => order.filter((node) => node !== leaf).join();
  return rest(one) === rest(other) && one.join() !== other.join();
}

/** What the student has found so far. That the leaf may stand anywhere is said only when they have seen it. */
export function findings(graph: Graph, values: Record<string, number>, runs: Run[]): string[] {
  const leaf = graph.leaves[0];
  const all = orders(graph.nodes.map((_, index) => index));
  const right = runs.filter((run) => run.right).length;
  const said = [`Orders run: ${runs.length} of ${all.length}. Orders that lose nothing: ${right} found.`];
  if (right > 0 && right === all.filter((order) => !losses(graph, values, order).length).length) {
    said.push("There are no others that lose nothing.");
  }
  if (runs.some((one) => runs.some((other) => differInLeaf(one.order, other.order, leaf)))) {
    const name = nameOf(graph.nodes, leaf);
    said.push(`${name} may stand anywhere: it is a leaf, and a leaf's _backward does nothing.`);
  }
  return said;
}
