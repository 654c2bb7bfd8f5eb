/**
 * The waterfall: time goes to the right, and each node has a row. The forward pass falls from the leaves to the root, and
 * the backward pass climbs back. A check's two walks stand above each other, and step by step in a table.
 */

import { el, freshId, setAttribute, setText, svg } from "./dom";
import { brief, clip } from "./edges";
import { stateAt } from "./engine";
import { formula, gradName, isName, nameOf } from "./names";
import { same, show } from "./numbers";
import type { Num, Step, Trace, TraceNode } from "./types";

export interface Waterfall {
  update(trace: Trace, index: number): void;
}

type Draw = (index: number) => void;

/** Show the waterfall of a trace at a step. It is made anew only for another trace. `title` names it on a page of many. */
export function mountWaterfall(parent: HTMLElement, title = ""): Waterfall {
  const id = freshId("waterfall");
  const box = el("div");
  const name = title ? { "aria-label": `Waterfall: ${title}` } : { "aria-labelledby": id };
  const note = el("p", { class: "note" }, NOTE);
  parent.append(el("section", { class: "waterfall", ...name }, el("h3", { id }, "Waterfall"), note, box));
  let shown: Trace | null = null;
  let draws: Draw[] = [];
  return {
    update(trace, index) {
      if (trace !== shown) {
        const made = hasTwo(trace) ? twoWalks(trace) : oneWalk(trace);
        box.replaceChildren(...made.map(([element]) => element));
        shown = trace;
        draws = made.map(([, draw]) => draw);
      }
      for (const draw of draws) draw(index);
    },
  };
}

const NOTE = "Time goes to the right. The forward pass falls from the leaves to the root, and the backward pass climbs back.";

/** Whether a trace has two walks that differ. */
export function hasTwo(trace: Trace): boolean {
  return trace.right.length > 0 && trace.wrong !== null;
}

// ---------------------------------------------------------------- the picture

const ROW = 34; // px
const TOP = 26; // of the first row; the numbers of the steps stand above it
const LETTER = 7.3; // width in px of a character of the 12 px monospace text
const LARGEST = 150; // steps of a walk that is drawn

/** One walk as a picture that scrolls, named for a screen reader; its steps in words stand elsewhere. */
function picture({ nodes, wrong }: Trace, steps: Step[], heading: string): [HTMLElement, Draw] {
  if (steps.length > LARGEST) return [el("p", { class: "note" }, `${heading}: too long to be drawn.`), () => undefined];
  const names = nodes.map((_, node) => clip(nameOf(nodes, node), 16));
  const left = Math.max(...names.map((name) => name.length)) * LETTER + 16;
  const y = (node: number): number => TOP + node * ROW + ROW / 2;
  let x = 4;
  const ends: number[] = [];
  const columns = steps.map((step, at) => {
    const texts = marksOf(nodes, steps, step, at);
    const width = Math.max(46, ...texts.map(([, text]) => text.length * LETTER + 14));
    const middle = x + width / 2;
    ends.push((x += width));
    const marks = texts.flatMap(([node, text]) => [
      svg("rect", { x: middle - width / 2 + 3, y: y(node) - 11, width: width - 6, height: 22, rx: 4 }),
      svg("text", { x: middle, y: y(node) + 4, "text-anchor": "middle" }, text),
    ]);
    const across = step.kind === "forward" ? inputsOf(nodes, step.node) : texts.slice(1).map(([node]) => node);
    const lines = across.map((node) => arrow(middle, y(node), y(step.node), step.kind === "forward"));
    const number = svg("text", { x: middle, y: 14, "text-anchor": "middle", class: "number" }, `${at + 1}${at === wrong ? " ✗" : ""}`);
    const back = svg("rect", { x: middle - width / 2, y: 0, width, height: TOP + nodes.length * ROW, class: "now" });
    return svg("g", { class: "later" }, back, number, ...lines, ...marks);
  });
  const [width, height] = [x + 8, TOP + nodes.length * ROW + 4];
  const rows = names.map((_, node) => svg("path", { class: "row", d: `M0 ${y(node)}H${width}` }));
  const heads = names.map((name, node) => svg("text", { x: left - 8, y: y(node) + 4, "text-anchor": "end" }, name));
  const label = `${heading}: ${steps.length} steps, drawn; in words below`;
  const drawing = svg("svg", { width, height, role: "img", "aria-label": label, class: "falls" }, ...rows, ...columns);
  const box = el("div", { class: "scroll", role: "group", tabindex: 0, "aria-label": `${heading}, scrolls` }, drawing);
  const beside = svg("svg", { width: left, height, "aria-hidden": "true", class: "falls" }, ...heads); // stays in view
  const draw: Draw = (index) => {
    columns.forEach((column, at) => {
      const when = at < index ? (at === index - 1 ? " current" : "") : " later";
      setAttribute(column, "class", `${steps[at].kind === "forward" ? "falling" : "rising"}${at === wrong ? " wrong" : ""}${when}`);
    });
    const end = ends[index - 1] ?? 0;
    if (end <= box.scrollLeft || end > box.scrollLeft + box.clientWidth) box.scrollLeft = end - box.clientWidth / 2;
  };
  return [el("div", { class: "drawn" }, beside, box), draw];
}

/** What a step shows, and in the rows of which nodes; the step's own node first. */
function marksOf(nodes: TraceNode[], steps: Step[], step: Step, at: number): [number, string][] {
  const { data, grad } = stateAt(nodes, steps, at + 1);
  const own = step.kind === "forward" ? data[step.node] : grad[step.node];
  const others = step.kind === "forward" ? [] : step.changes.filter(([node]) => node !== step.node);
  return [[step.node, brief(own) || "·"], ...others.map(([node, value]): [number, string] => [node, brief(value)])];
}

function inputsOf(nodes: TraceNode[], node: number): number[] {
  return nodes[node].inputs.flatMap((input) => (input.node === null ? [] : [input.node]));
}

/** An arrow between two rows: down to the node that is computed, or up to the node that gets a contribution. */
function arrow(x: number, from: number, to: number, down: boolean): SVGElement {
  const [start, end] = down ? [from, to - 12] : [to, from + 12];
  const head = down ? `M${x - 4} ${end - 6}L${x} ${end}L${x + 4} ${end - 6}` : `M${x - 4} ${end + 6}L${x} ${end}L${x + 4} ${end + 6}`;
  return svg("path", { d: `M${x} ${start}V${end}${head}`, class: "flow" });
}

// ---------------------------------------------------------------- one walk

/** The picture, and each step in words: "not yet" before it is done. */
function oneWalk(trace: Trace): [HTMLElement, Draw][] {
  const { nodes, student, wrong } = trace;
  const words = told(nodes, student);
  const items = words.map(() => el("li"));
  const list = el("details", {}, el("summary", {}, "The steps in words"), el("ol", { class: "words" }, ...items));
  const draw: Draw = (index) =>
    items.forEach((item, at) => {
      setText(item, at < index ? `${words[at]}${at === wrong ? "✗ first wrong step" : ""}` : "not yet");
      setAttribute(item, "aria-current", at === index - 1 && "step");
    });
  return [picture(trace, student, "The walk"), [list, draw]];
}

function title(nodes: TraceNode[], node: number): string {
  const name = nameOf(nodes, node);
  const text = formula(nodes, node);
  return text && isName(name) ? `${name} = ${text}` : name;
}

// ---------------------------------------------------------------- two walks

function twoWalks(trace: Trace): [HTMLElement, Draw][] {
  const { nodes, student, right, wrong } = trace;
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
  const drawn = [picture(trace, student, "Your engine"), picture(trace, right, "A right walk")];
  const named = drawn.map(([element, follow], at): [HTMLElement, Draw] => [
    el("div", {}, el("p", { class: "walk-name" }, ["Your engine", "A right walk"][at]), element),
    follow,
  ]);
  return [...named, [el("div", { class: "scroll", role: "group", tabindex: 0, "aria-label": "Steps of both walks" }, table), draw]];
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
