/** Forward and backward passes of a graph, and the state after each step of a walk. */

import { arrayWalk, BINARY, FUNCTIONS } from "./arrays";
import { isLeaf, nameOf } from "./names";
import { numeric, shapeOf, show } from "./numbers";
import type { Num, State, Step, Trace, TraceNode } from "./types";

/** A parsed expression: nodes with the children first. `leaves` are the indices of the nodes whose number can be edited. */
export interface Graph {
  text: string;
  nodes: TraceNode[];
  leaves: number[];
}

/** The result of one operation; NaN for one that is not known here. */
export function compute(op: string, [x = NaN, y = NaN]: number[]): number {
  return BINARY[op]?.[0](x, y) ?? FUNCTIONS[op]?.[0](x) ?? NaN;
}

/** The derivatives of one operation for each of its inputs. At 0 relu's slope is 0. */
function derivatives(op: string, given: number[], out: number): number[] {
  const [x = NaN, y = NaN] = given;
  const [, ...slopes] = BINARY[op] ?? [];
  return given.map((_, at) => slopes[at]?.(x, y) ?? FUNCTIONS[op]?.[1](x, out) ?? NaN);
}

function given(node: TraceNode, data: number[]): number[] {
  return node.inputs.map((input) => (input.node === null ? numeric(input.value) : (data[input.node] ?? NaN)));
}

/** The data of every node. `values` has the number of each leaf by its name. */
export function forward(graph: Graph, values: Record<string, Num>): number[] {
  const data: number[] = [];
  for (const node of graph.nodes)
    data.push(isLeaf(node) ? numeric(values[node.name]) : compute(node.op, given(node, data)));
  return data;
}

/** The local derivative of every input of every node at these data. */
export function locals(nodes: TraceNode[], data: number[]): number[][] {
  return nodes.map((node, index) => derivatives(node.op, given(node, data), data[index] ?? NaN));
}

/** The nodes with their inputs' data and local derivatives. */
export function withLocals(nodes: TraceNode[], data: number[]): TraceNode[] {
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
export function walk(
  graph: Graph,
  values: Record<string, Num>,
  order: number[] = reverseOrder(graph.nodes),
): Step[] {
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

/** The trace of a right walk: both sides are the same. Raises an Error with a sentence for arrays that do not fit. */
export function trace(graph: Graph, values: Record<string, Num>): Trace {
  const arrays = Object.values(values).some(shapeOf);
  const steps = arrays ? arrayWalk(graph.nodes, values) : walk(graph, values);
  const numbers = graph.leaves
    .map((leaf) => nameOf(graph.nodes, leaf))
    .map((name) => `${name} = ${show(values[name])}`);
  return {
    given: `${numbers.join(", ")} in ${graph.text}`,
    nodes: arrays ? graph.nodes : withLocals(graph.nodes, forward(graph, values)),
    student: steps,
    right: steps,
    wrong: null,
    words: "",
  };
}

/** Data and gradients after the first `index` steps. null is a number that is not computed yet. */
export function stateAt(nodes: TraceNode[], steps: Step[], index: number): State {
  const data: (Num | null)[] = nodes.map(() => null);
  const grad: (Num | null)[] = nodes.map(() => null);
  const count = Math.max(0, Math.min(index, steps.length));
  for (let at = 0; at < count; at += 1) {
    const step = steps[at];
    const into = step.kind === "forward" ? data : grad;
    for (const [node, value] of step.changes) into[node] = value;
    // A trace names only what changed, so a gradient that is still 0 is not in it. A call reads and writes it all the same.
    if (step.kind !== "call") continue;
    grad[step.node] ??= 0;
    for (const { node } of nodes[step.node]?.inputs ?? []) if (node !== null) grad[node] ??= 0;
  }
  return { data, grad, step: steps[count - 1] ?? null, index: count };
}
