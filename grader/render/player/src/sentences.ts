/** What each step of a walk did, in words. */

import { stateAt } from "./engine";
import { formula, gradName, isLeaf, isName, nameOf } from "./names";
import { numeric, same, show } from "./numbers";
import type { Num, Step, TraceNode } from "./types";

/** So many changes of one step are said in words. */
const MOST = 6;

/** What an input of a node should get when the node's `_backward` was called. */
interface Contribution {
  to: number;
  upstream: number;
  local: number;
  amount: number;
}

/** What the step before `index` did, in one or two sentences. */
export function sentence(nodes: TraceNode[], steps: Step[], index: number): string {
  const step = steps[index - 1];
  if (!step) return "Nothing is computed yet.";
  // A step that sets what was there already has no changes, so the state after it is read.
  if (step.kind === "forward")
    return forwardSentence(nodes, step.node, show(stateAt(nodes, steps, index).data[step.node]));
  if (step.kind === "seed")
    return seedSentence(nodes, step.node, show(stateAt(nodes, steps, index).grad[step.node]));
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
  const seeded = grad ? `is seeded with ${grad}.` : "is missing after the seed.";
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
  const edges = contributions(nodes, node, numeric(upstream));
  if (same(upstream, 0) && changes.every(([to, value]) => same(value, before[to] ?? 0))) {
    return `${name} is called, but ${gradName(nodes, node)} is 0, so ${name} hands on nothing.`;
  }
  const parts = changes.map(([to, value]) => changeWords(nodes, to, before[to] ?? 0, value, edges));
  for (const to of new Set(edges.map((edge) => edge.to))) {
    if (!changes.some(([changed]) => changed === to))
      parts.push(changeWords(nodes, to, before[to] ?? 0, before[to] ?? 0, edges));
  }
  if (!parts.length) return `${name} is called, and no gradient changes.`;
  const still =
    changes.every(([to, value]) => same(value, before[to] ?? 0)) &&
    edges.some((edge) => !same(edge.amount, 0));
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
  const adds = mine.map(
    (edge) => `${name} += ${show(edge.upstream)} · ${show(edge.local)} = ${show(edge.amount)}`,
  );
  const ends = mine.length > 1 || !same(before, 0) ? `, and is ${show(after)} now` : "";
  return adds.join(", ") + ends;
}

/** The contributions that a call of a node should make: upstream · local, one for each edge. */
function contributions(nodes: TraceNode[], node: number, upstream: number): Contribution[] {
  return (nodes[node]?.inputs ?? []).flatMap((input) => {
    if (input.node === null) return [];
    const local = numeric(input.local);
    return [{ to: input.node, upstream, local, amount: upstream * local }];
  });
}
