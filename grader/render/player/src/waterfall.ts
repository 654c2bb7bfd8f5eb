/**
 * The waterfall: each forward step beside the backward steps that mirror it. A check's two walks stand side by side,
 * step by step, with the first difference marked.
 */

import { el, freshId, setAttribute, setText } from "./dom";
import { formula, gradName, handed, isName, nameOf, same, show, stateAt } from "./engine";
import type { Contribution } from "./engine";
import type { State, Step, Trace, TraceNode } from "./types";

export interface Waterfall {
  update(trace: Trace, index: number): void;
}

type Draw = (index: number) => void;

/** Show the table of a trace at a step. The table is made anew only for another trace. */
export function mountWaterfall(parent: HTMLElement): Waterfall {
  const id = freshId("waterfall");
  const note = el("p", { class: "note" });
  const box = el("div", { class: "scroll", role: "region", tabindex: 0, "aria-labelledby": id });
  parent.append(el("section", { class: "waterfall", "aria-labelledby": id }, el("h3", { id }, "Waterfall"), note, box));
  let shown: Trace | null = null;
  let draw: Draw = () => undefined;
  return {
    update(trace, index) {
      if (trace !== shown) {
        const two = hasTwo(trace);
        setText(note, two ? TWO : ONE);
        const [table, drawn] = two ? twoWalks(trace) : oneWalk(trace);
        box.replaceChildren(table);
        shown = trace;
        draw = drawn;
      }
      draw(index);
    },
  };
}

const ONE =
  "Read the forward pass from top to bottom and the backward pass from bottom to top: a row has a node's forward step and the call that mirrors it.";
const TWO = "A row has the same step of both walks. After the first difference the two need not do the same.";

/** Whether a trace has two walks that differ. */
export function hasTwo(trace: Trace): boolean {
  return trace.right.length > 0 && trace.wrong !== null;
}

// ---------------------------------------------------------------- one walk

function oneWalk({ nodes, student }: Trace): [HTMLElement, Draw] {
  const rows = nodes.map((_, node) => nodeRow(nodes, student, node));
  const heads: [string, string][] = [
    ["Forward step", "forward"],
    ["Node", "forward"],
    ["data", "forward"],
    ["grad", "backward"],
    ["Contributions", "backward"],
    ["Backward step", "backward"],
  ];
  const table = el(
    "table",
    {},
    el("caption", {}, "Forward steps beside the backward steps that mirror them"),
    el("thead", {}, el("tr", {}, ...heads.map(([head, side]) => el("th", { scope: "col", class: side }, head)))),
    el("tbody", {}, ...rows.map((row) => row.element)),
  );
  const draw: Draw = (index) => {
    const state = stateAt(nodes, student, index);
    const edges = handed(nodes, student, index);
    const into: Contribution[][] = nodes.map(() => []);
    for (const edge of edges) into[edge.to].push(edge);
    rows.forEach((row, node) => row.draw(state, into[node]));
  };
  return [table, draw];
}

interface NodeRow {
  element: HTMLElement;
  draw(state: State, into: Contribution[]): void;
}

function nodeRow(nodes: TraceNode[], steps: Step[], node: number): NodeRow {
  const mine = steps.flatMap((step, position) => (step.node === node ? [{ step, number: position + 1 }] : []));
  const before = mine.filter(({ step }) => step.kind === "forward");
  const after = mine.filter(({ step }) => step.kind !== "forward");
  const data = el("td", { class: "number" });
  const grad = el("td", { class: "number" });
  const from = el("td");
  const called = el("td");
  const name = el("th", { scope: "row" }, title(nodes, node));
  const first = el("td", { class: "number" }, before.map(({ number }) => number).join(", "));
  const element = el("tr", {}, first, name, data, grad, from, called);
  return {
    element,
    draw(state, into) {
      const now = state.step?.node === node;
      setText(data, show(state.data[node]));
      setText(grad, show(state.grad[node]));
      setText(from, into.map((edge) => part(nodes, edge)).join(" + "));
      setText(called, after.filter(({ number }) => number <= state.index).map(backward).join(", ") || rest(nodes, node, after.length));
      setAttribute(element, "class", now && "current");
      setAttribute(element, "aria-current", now && "step");
    },
  };
}

/** "6 · 1 = 6 (from b)". */
function part(nodes: TraceNode[], edge: Contribution): string {
  return `${show(edge.upstream)} · ${show(edge.local)} = ${show(edge.amount)} (from ${nameOf(nodes, edge.node)})`;
}

function backward({ step, number }: { step: Step; number: number }): string {
  return `${number}: ${step.kind === "seed" ? "seed" : step.kind === "call" ? "call" : "set"}`;
}

function rest(nodes: TraceNode[], node: number, steps: number): string {
  return steps || nodes[node].op ? "" : "a leaf: nothing to hand on";
}

function title(nodes: TraceNode[], node: number): string {
  const name = nameOf(nodes, node);
  const text = formula(nodes, node);
  return text && isName(name) ? `${name} = ${text}` : name;
}

// ---------------------------------------------------------------- two walks

function twoWalks({ nodes, student, right, wrong }: Trace): [HTMLElement, Draw] {
  const rows = Array.from({ length: Math.max(student.length, right.length) }, (_, position) => {
    const different = position === wrong;
    const mark = different ? "✗ first difference" : "";
    return el(
      "tr",
      {},
      el("th", { scope: "row", class: "number" }, String(position + 1)),
      el("td", { class: different && "wrong" }, did(nodes, student, position), el("strong", {}, mark)),
      el("td", { class: different && "expected" }, did(nodes, right, position)),
    );
  });
  const heads = ["Step", "Your engine", "A right walk"];
  const table = el(
    "table",
    {},
    el("caption", {}, "Your engine's walk beside a right one"),
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...rows),
  );
  let current = -1;
  const draw: Draw = (index) => {
    if (index - 1 === current) return;
    mark(rows[current], false);
    current = index - 1;
    mark(rows[current], true);
  };
  return [table, draw];
}

function mark(row: HTMLElement | undefined, now: boolean): void {
  if (!row) return;
  setAttribute(row, "class", now && "current");
  setAttribute(row, "aria-current", now && "step");
}

/** What a step did, short: "d = a * b: 6", "d.grad = 1 (seed)", "d hands on: a.grad 3 → 6". */
function did(nodes: TraceNode[], steps: Step[], position: number): string {
  const step = steps[position];
  if (!step) return "no step";
  const value = step.changes.find(([node]) => node === step.node)?.[1];
  if (step.kind === "forward") return `${title(nodes, step.node)}: ${show(value)} `;
  if (step.kind === "seed") return `${gradName(nodes, step.node)} = ${show(value)} (seed) `;
  const before = stateAt(nodes, steps, position).grad;
  const changes = step.changes.map(([node, grad]) => {
    const old = before[node] ?? 0;
    return `${gradName(nodes, node)} ${same(old, 0) ? "" : `${show(old)} → `}${show(grad)}`;
  });
  const verb = step.kind === "call" ? (changes.length ? "hands on: " : "is called: no gradient changes") : "is set: ";
  return `${nameOf(nodes, step.node)} ${verb}${changes.join(", ")} `;
}
