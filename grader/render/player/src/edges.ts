/** What each edge of a graph handed on during a walk, and why its local derivative is what it is. */

import { difference, linesOf } from "./arrays";
import type { Edge } from "./layout";
import { formula, gradName, nameOf } from "./names";
import { numeric, same, shapeOf, show } from "./numbers";
import type { Num, Step, TraceNode } from "./types";

/**
 * What an edge handed on in one call: `upstream` · `local` = `amount`, if `kept`; else the engine did something else. With
 * `array` the numbers mean nothing; its `amount` is what was added, null where two edges of one node did that.
 */
export interface Handed {
  upstream: number;
  local: number;
  amount: number;
  before: Num | null;
  after: Num | null;
  kept: boolean;
  array?: { upstream: Num; amount: Num | null };
}

/** Every hand-on of a walk in order: `index` steps are done after it. */
export type History = { index: number; edge: number; handed: Handed }[];

/** Replay a walk and note what each call handed on along each edge of the called node. */
export function historyOf(nodes: TraceNode[], edges: Edge[], steps: Step[]): History {
  const history: History = [];
  const into = byNode(nodes, edges);
  const grad: (Num | null)[] = nodes.map(() => null);
  steps.forEach((step, at) => {
    if (step.kind === "forward") return;
    const touched = step.kind === "call" ? into[step.node] : [];
    const before = new Map(touched.map((edge) => [edge, grad[edges[edge].from]]));
    const whole = grad[step.node] ?? 0;
    const upstream = numeric(whole);
    const local = (edge: number): number => numeric(nodes[step.node].inputs[edges[edge].input].local);
    for (const [node, value] of step.changes) grad[node] = value;
    for (const edge of touched) {
      const { from } = edges[edge];
      const mine = touched.filter((other) => edges[other].from === from);
      const due = mine.reduce((sum, other) => sum + upstream * local(other), numeric(before.get(edge) ?? 0));
      grad[from] ??= 0;
      const amount = upstream * local(edge);
      const old = before.get(edge) ?? 0;
      const added = same(old, 0) ? grad[from] : difference(grad[from], old); // also of a large array, where it is the first
      const array =
        nodes[step.node].inputs[edges[edge].input].local === ""
          ? { upstream: whole, amount: mine.length > 1 ? null : added }
          : undefined;
      const handed = {
        array,
        upstream,
        local: local(edge),
        amount,
        before: before.get(edge) ?? null,
        after: grad[from],
      };
      history.push({ index: at + 1, edge, handed: { ...handed, kept: !!array || same(due, grad[from]) } });
    }
  });
  return history;
}

/** What each edge handed on last during the first `index` steps; null if its node has not been called. */
export function handedAt(edges: Edge[], history: History, index: number): (Handed | null)[] {
  const found: (Handed | null)[] = edges.map(() => null);
  for (const event of history) if (event.index <= index) found[event.edge] = event.handed;
  return found;
}

function byNode(nodes: TraceNode[], edges: Edge[]): number[][] {
  const into: number[][] = nodes.map(() => []);
  edges.forEach((edge, at) => into[edge.to].push(at));
  return into;
}

/** The lines of an edge's label: "1 · -3" and "= -3"; or how the gradient changed instead; of an array what was added. */
export function labelOf(handed: Handed): string[] {
  if (handed.array) {
    const [from, rows] = [shapeOf(handed.array.upstream), linesOf(handed.array.amount ?? "")];
    if (!rows.length) return [show(handed.array.amount) || `${brief(handed.before ?? 0)} → ${brief(handed.after ?? 0)}`];
    return [from && from !== rows[0] ? `${from} → ${rows[0]}` : rows[0], ...rows.slice(1)];
  }
  if (handed.kept) return [`${show(handed.upstream)} · ${show(handed.local)}`, `= ${show(handed.amount)}`];
  return [`${brief(handed.before ?? 0)} →`, brief(handed.after ?? 0)];
}

/** A number, the shape of an array, or the beginning of a text that has no room in the picture. */
export function brief(value: Num | null | undefined): string {
  return shapeOf(value) ?? (typeof value === "string" ? clip(value, 12) : show(value));
}

/** The beginning of a text that is too long. */
export function clip(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** "a → d"; with "(first input)" where a node is used twice by the same one. */
export function edgeName(nodes: TraceNode[], edge: Edge): string {
  const twice = nodes[edge.to].inputs.filter((input) => input.node === edge.from).length > 1;
  const which = ["first", "second", "third"][edge.input] ?? `${edge.input + 1}th`;
  return `${nameOf(nodes, edge.from)} → ${nameOf(nodes, edge.to)}${twice ? ` (${which} input)` : ""}`;
}

/** Why the local derivative of an edge is what it is, as a sentence. `data` are the nodes' numbers. */
export function reason(nodes: TraceNode[], edge: Edge, data: (Num | null)[]): string {
  const { op, inputs } = nodes[edge.to];
  const named = (index: number): string => {
    const input = inputs[index];
    if (!input) return "";
    if (input.node === null) return show(input.value);
    const value = data[input.node];
    return value === null ? nameOf(nodes, input.node) : `${nameOf(nodes, input.node)} = ${show(value)}`;
  };
  const out =
    data[edge.to] === null ? nameOf(nodes, edge.to) : `${nameOf(nodes, edge.to)} = ${show(data[edge.to])}`;
  const mine = nameOf(nodes, edge.from);
  const first = edge.input === 0;
  switch (op) {
    case "+":
      return `+: the local derivative is 1 for each input.`;
    case "-":
      return first
        ? `-: the local derivative for ${mine} is 1.`
        : `-: the local derivative for ${mine} is -1, because it is subtracted.`;
    case "*":
      return `*: the local derivative for ${mine} is the other factor, ${named(first ? 1 : 0)}.`;
    case "/":
      return first
        ? `/: the local derivative for ${mine} is 1 divided by the other input, ${named(1)}.`
        : `/: the local derivative for ${mine} is minus the first input, ${named(0)}, divided by the square of ${named(1)}.`;
    case "**":
      return first
        ? `**: the local derivative for ${mine} is the exponent, ${named(1)}, times ${mine} to the power of the exponent minus 1.`
        : `**: the local derivative for the exponent is the output, ${out}, times the logarithm of the base.`;
    case "neg":
      return `neg: the local derivative is -1.`;
    case "exp":
      return `exp: the local derivative is the output itself, ${out}.`;
    case "log":
      return `log: the local derivative is 1 divided by the input; here ${named(edge.input)}.`;
    case "tanh":
      return `tanh: the local derivative is 1 minus the square of the output, ${out}.`;
    case "relu":
      return `relu: the local derivative is 1 where the input is positive and 0 elsewhere; here ${named(edge.input)}.`;
    default:
      return `The local derivative of ${formula(nodes, edge.to)} for ${mine}.`;
  }
}

/** What an edge handed on, in words: the product behind its label. */
export function account(nodes: TraceNode[], edge: Edge, handed: Handed | null, mine: boolean): string[] {
  const name = nameOf(nodes, edge.to);
  if (!handed) return [`${name} has not been called yet: this edge has handed on nothing.`];
  const { upstream, local, amount } = handed;
  const product = `upstream · local = ${show(upstream)} · ${show(local)} = ${show(amount)}`;
  const grad = gradName(nodes, edge.from);
  if (nodes[edge.to].inputs[edge.input].local === "") {
    const [before, after] = [handed.before ?? 0, handed.after ?? 0].map(show);
    const added = handed.array?.amount ?? null;
    if (added !== null) return [`Upstream gradient: ${show(handed.array?.upstream)}.`, `Added to ${grad}: ${show(added)}.`];
    return [before === after ? `This call left ${grad} at ${after}.` : `This call changed ${grad} from ${before} to ${after}.`];
  }
  if (handed.kept) return [`${product}: this contribution was added to ${grad}.`];
  const whose = mine ? "Your engine changed" : "This call changed";
  return [
    `${product}: this contribution belongs to ${grad}.`,
    `${whose} ${grad} from ${show(handed.before ?? 0)} to ${show(handed.after ?? 0)}.`,
  ];
}
