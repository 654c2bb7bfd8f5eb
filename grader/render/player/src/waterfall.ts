/**
 * The waterfall: each forward step beside the backward steps that mirror it. A check's two walks stand side by side,
 * step by step, with the first difference marked.
 */

import { el, freshId, setAttribute, setText } from "./dom";
import { historyOf } from "./edges";
import type { History } from "./edges";
import { stateAt } from "./engine";
import { edgesOf } from "./layout";
import type { Edge } from "./layout";
import { formula, gradName, gradWord, isLeaf, isName, nameOf } from "./names";
import { same, show } from "./numbers";
import type { Num, State, Step, Trace, TraceNode } from "./types";

export interface Waterfall {
  update(trace: Trace, index: number): void;
}

type Draw = (index: number) => void;

/** Show the table of a trace at a step. The table is made anew only for another trace. `title` names it on a page of many. */
export function mountWaterfall(parent: HTMLElement, title = ""): Waterfall {
  const id = freshId("waterfall");
  const note = el("p", { class: "note" });
  const box = el("div", { class: "scroll", role: "group", tabindex: 0, "aria-labelledby": id });
  const name = title ? { "aria-label": `Waterfall: ${title}` } : { "aria-labelledby": id };
  parent.append(el("section", { class: "waterfall", ...name }, el("h3", { id }, "Waterfall"), note, box));
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

function oneWalk({ nodes, student, wrong }: Trace): [HTMLElement, Draw] {
  const rows = nodes.map((_, node) => nodeRow(nodes, student, node, wrong));
  const heads: [string, string][] = [
    ["Forward step", "forward"],
    ["Node", "forward"],
    ["data", "forward"],
    [gradWord(), "backward"],
    ["Contributions", "backward"],
    ["Backward step", "backward"],
  ];
  const table = el(
    "table",
    {},
    el("caption", { class: "unseen" }, "Forward steps beside the backward steps that mirror them"),
    el(
      "thead",
      {},
      el("tr", {}, ...heads.map(([head, side]) => el("th", { scope: "col", class: side }, head))),
    ),
    el("tbody", {}, ...rows.map((row) => row.element)),
  );
  const edges = edgesOf(nodes);
  const history = historyOf(nodes, edges, student);
  const draw: Draw = (index) => {
    const state = stateAt(nodes, student, index);
    const into: string[][] = nodes.map(() => []);
    for (const event of history)
      if (event.index <= index) into[edges[event.edge].from].push(part(nodes, edges[event.edge], event));
    rows.forEach((row, node) => row.draw(state, into[node]));
  };
  return [table, draw];
}

interface NodeRow {
  element: HTMLElement;
  draw(state: State, into: string[]): void;
}

function nodeRow(nodes: TraceNode[], steps: Step[], node: number, wrong: number | null): NodeRow {
  const mine = steps.flatMap((step, position) => (step.node === node ? [{ step, position }] : []));
  const [before, after] = [true, false].map((forward) =>
    mine.filter(({ step }) => (step.kind === "forward") === forward),
  );
  const data = el("td", { class: "number" });
  const grad = el("td", { class: "number" });
  const from = el("td");
  const called = el("td");
  const name = el("th", { scope: "row" }, title(nodes, node));
  const first = el(
    "td",
    { class: "number" },
    before.map(({ position }) => numbered(position, "", wrong)).join(", "),
  );
  const element = el("tr", {}, first, name, data, grad, from, called);
  return {
    element,
    draw(state, into) {
      const now = state.step?.node === node;
      const done = after.filter(({ position }) => position < state.index);
      setText(data, show(state.data[node]));
      setText(grad, show(state.grad[node]));
      // The contributions of a step are those of the step before and more, so their number says whether they changed.
      if (from.childElementCount !== into.length)
        from.replaceChildren(...into.map((text) => el("div", {}, text)));
      const words = done.map(({ step, position }) => numbered(position, VERBS[step.kind], wrong)).join(", ");
      setText(called, after.length || !isLeaf(nodes[node]) ? words : "a leaf: nothing to hand on");
      setAttribute(element, "class", now && "current");
      setAttribute(element, "aria-current", now && "step");
    },
  };
}

const VERBS: Record<Step["kind"], string> = { forward: "", seed: "seed", call: "call", set: "set" };

/** "9: call", with a mark at the first wrong step. */
function numbered(position: number, verb: string, wrong: number | null): string {
  return `${position + 1}${verb && `: ${verb}`}${position === wrong ? " ✗ first wrong step" : ""}`;
}

/** "from b: 6 · 1 = 6"; or what the call did to the gradient in place of adding this. */
function part(nodes: TraceNode[], edge: Edge, { handed }: History[number]): string {
  const from = `from ${nameOf(nodes, edge.to)}: `;
  if (handed.kept) return `${from}${show(handed.upstream)} · ${show(handed.local)} = ${show(handed.amount)}`;
  return `${from}${show(handed.before ?? 0)} → ${show(handed.after)}`;
}

function title(nodes: TraceNode[], node: number): string {
  const name = nameOf(nodes, node);
  const text = formula(nodes, node);
  return text && isName(name) ? `${name} = ${text}` : name;
}

// ---------------------------------------------------------------- two walks

function twoWalks({ nodes, student, right, wrong }: Trace): [HTMLElement, Draw] {
  const [mine, theirs] = [told(nodes, student), told(nodes, right)];
  const rows = Array.from({ length: Math.max(mine.length, theirs.length) }, (_, position) => {
    const different = position === wrong;
    const mark = different ? "✗ first difference" : "";
    return el(
      "tr",
      {},
      el("th", { scope: "row", class: "number" }, String(position + 1)),
      el("td", { class: different && "wrong" }, mine[position] ?? "no step ", el("strong", {}, mark)),
      el("td", { class: different && "expected" }, theirs[position] ?? "no step"),
    );
  });
  const heads = ["Step", "Your engine", "A right walk"];
  const table = el(
    "table",
    {},
    el("caption", { class: "unseen" }, "Your engine's walk beside a right one"),
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

/** What each step did, short: "d = a * b: 6", "d.grad = 1 (seed)", "d hands on: a.grad 3 → 6". */
function told(nodes: TraceNode[], steps: Step[]): string[] {
  const grad: (Num | null)[] = nodes.map(() => null);
  return steps.map((step) => {
    const words = did(nodes, step, grad);
    if (step.kind !== "forward") for (const [node, value] of step.changes) grad[node] = value;
    return `${words} `;
  });
}

function did(nodes: TraceNode[], step: Step, before: (Num | null)[]): string {
  const value =
    step.changes.find(([node]) => node === step.node)?.[1] ??
    (step.kind === "seed" ? before[step.node] : null);
  if (step.kind === "forward") return `${title(nodes, step.node)}: ${show(value)}`;
  if (step.kind === "seed") return `${gradName(nodes, step.node)} = ${show(value)} (seed)`;
  const changes = step.changes.map(([node, grad]) => {
    const old = before[node] ?? 0;
    return `${gradName(nodes, node)} ${same(old, 0) ? "" : `${show(old)} → `}${show(grad)}`;
  });
  const verb =
    step.kind === "call" ? (changes.length ? "hands on: " : "is called: no gradient changes") : "is set: ";
  return `${nameOf(nodes, step.node)} ${verb}${changes.join(", ")}`;
}
