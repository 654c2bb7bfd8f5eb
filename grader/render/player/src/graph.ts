/** The picture of a graph: one box for each node, one line for each edge. A step changes only what it touched. */

import { el, freshId, setAttribute, setText, svg } from "./dom";
import { linesOf } from "./arrays";
import { brief, clip, edgeName, labelOf } from "./edges";
import type { Handed } from "./edges";
import { edgesOf, place } from "./layout";
import type { Direction, Edge, Layout, Size } from "./layout";
import { gradWord, isLeaf, nameOf } from "./names";
import { same, shapeOf, show } from "./numbers";
import type { Num, State, TraceNode } from "./types";

/** What the picture shows. `wrong` is the node of the first wrong step; `right` are the right gradients, where known;
 * gradients that differ by at most `rounding` are equal but for rounding. */
export interface View {
  state: State;
  handed: (Handed | null)[];
  wrong: number | null;
  right: (Num | null)[] | null;
  rounding?: number;
}

/** The longest texts that a graph will show, so that all of them fit into one layout; two views of a graph share it. */
export interface Room {
  values: string[];
  /** How many lines data and gradient of each node take. */
  lines: Record<"data" | "grad", number>[];
  labels: string[];
  /** How many lines each label takes. */
  rows: number[];
  layouts: Map<Direction, Layout>;
}

const CHARACTER = 7.3; // width in px of a character of the 12 px monospace text
const ROW = 19;
const LONGEST = 18; // characters of a name
const SMALL = 0.85; // the scale below which a graph goes from top to bottom, if that helps
const SMALLEST = 0.74; // the scale below which a graph scrolls instead
const LARGEST = 1.25; // the scale above which a graph does not grow
const MANY = 40; // nodes; a larger graph is laid out in one direction only
const PHONE = 560; // px
const PAPER = 640; // px, for a graph that is folded until paper shows it: nobody is told then how wide it is

interface Box {
  group: SVGGElement;
  name: string;
  title: SVGTitleElement;
  size: Size;
  values: Record<"data" | "grad", SVGTextElement>;
  mark: SVGTextElement;
  wrong: SVGTextElement;
}

interface Line {
  group: SVGGElement;
  path: SVGPathElement;
  hit: SVGPathElement;
  arrow: SVGPathElement;
  label: SVGGElement;
  rows: SVGTSpanElement[];
  size: Size;
}

export class GraphView {
  readonly element: HTMLElement;
  readonly edges: Edge[];
  private readonly picture: SVGSVGElement;
  private readonly boxes: Box[];
  private readonly lines: Line[];
  private direction: Direction | null = null;
  private scale = 1;
  private current: number | null = null;

  /** `choose` is called with the index of an edge that was clicked. */
  constructor(
    private readonly nodes: TraceNode[],
    title: string,
    private readonly room: Room,
    private readonly choose: (edge: number) => void,
  ) {
    this.edges = edgesOf(nodes);
    this.boxes = nodes.map((node, index) => makeBox(nodes, node, index, room.values[index] ?? "", room.lines[index]));
    this.lines = this.edges.map((edge, index) => this.makeLine(edge, index, room.labels[index] ?? "", room.rows[index]));
    this.picture = svg(
      "svg",
      { role: "group", "aria-label": title, class: "picture" },
      svg("g", {}, ...this.lines.map((line) => line.group)),
      svg("g", {}, ...this.boxes.map((box) => box.group)),
    );
    this.element = el(
      "div",
      { class: "graph", tabindex: 0, role: "group", "aria-label": `${title}, scrolls` },
      this.picture,
    );
    this.picture.addEventListener("keydown", (event) => this.move(event));
    if (this.lines.length) setAttribute(this.lines[0].group, "tabindex", 0);
    new ResizeObserver(() => this.fit()).observe(this.element);
    this.element.addEventListener("beforeprint", () => this.fit(PAPER));
  }

  /** Show a state. Elements are kept; only attributes and texts that differ are written. */
  update(view: View): void {
    const step = view.state.step;
    const changed = new Set(step?.changes.map(([node]) => node));
    const kind = step?.kind === "forward" ? "data" : "grad";
    this.current = step ? step.node : null;
    this.boxes.forEach((box, index) => this.updateBox(box, index, view, changed.has(index) ? kind : null));
    this.lines.forEach((line, index) =>
      this.updateLine(line, index, view.handed[index], step?.kind === "call" ? step.node : null),
    );
    this.reveal();
  }

  /** Mark one edge as chosen. */
  mark(edge: number | null): void {
    this.lines.forEach((line, index) => setAttribute(line.group, "aria-pressed", String(index === edge)));
  }

  private updateBox(box: Box, index: number, view: View, changed: "data" | "grad" | null): void {
    const { data, grad, step } = view.state;
    const due = view.right?.[index];
    const differs =
      view.right !== null && !same(grad[index] ?? null, due ?? null, view.rounding) && !bothNothing(grad[index], due);
    const now = step?.node === index;
    const wrong = view.wrong === index;
    setText(box.title, [box.name, ...entries("data", data[index]), ...entries(gradWord(), grad[index])].join("\n"));
    setLines(box.values.data, valueLines(data[index]), changed === "data");
    setLines(box.values.grad, gradLines(grad[index], differs ? (due ?? 0) : undefined), changed === "grad");
    setAttribute(box.values.data, "class", changed === "data" ? "value data changed" : "value data");
    setAttribute(
      box.values.grad,
      "class",
      `value grad${changed === "grad" ? " changed" : ""}${differs ? " differs" : ""}`,
    );
    setText(box.mark, now ? "▶" : "");
    setText(box.wrong, wrong ? "✗" : "");
    setAttribute(
      box.group,
      "class",
      `node${isLeaf(this.nodes[index]) ? " leaf" : ""}${now ? " current" : ""}${wrong ? " wrong" : ""}`,
    );
    setAttribute(box.group, "data-data", show(data[index]));
    setAttribute(box.group, "data-grad", show(grad[index]));
    const words = [
      nameOf(this.nodes, index),
      this.nodes[index].op || (isLeaf(this.nodes[index]) ? "leaf" : "node"),
      `data ${show(data[index]) || "not computed yet"}`,
      `${gradWord()} ${show(grad[index]) || "not computed yet"}`,
    ];
    if (differs) words.push(`should be ${show(due ?? 0)}`);
    if (now) words.push("current node");
    if (wrong) words.push("first wrong step");
    setAttribute(box.group, "aria-label", words.join(", "));
  }

  private updateLine(line: Line, index: number, handed: Handed | null, called: number | null): void {
    const rows = handed ? labelOf(handed) : [];
    line.rows.forEach((row, at) => setText(row, rows[at] ?? ""));
    const now = called === this.edges[index].to;
    setAttribute(
      line.group,
      "class",
      `edge${handed ? (handed.kept ? " used" : " used odd") : ""}${now ? " current" : ""}`,
    );
    const text = handed ? rows.join(" ") : "nothing handed on yet";
    setAttribute(line.group, "aria-label", `Edge ${edgeName(this.nodes, this.edges[index])}: ${text}`);
  }

  private makeLine(edge: Edge, index: number, longest: string, count: number): Line {
    const path = svg("path", { class: "line" });
    const hit = svg("path", { class: "hit" });
    const arrow = svg("path", { class: "arrow", d: "M0,0 L-9,-4.5 L-9,4.5 Z" });
    const width = Math.max(24, longest.length * CHARACTER + 6);
    const height = 2 + 14 * Math.max(2, count);
    const back = svg("rect", { class: "back", x: -width / 2, y: -height / 2, width, height, rx: 4 });
    const rows = Array.from({ length: Math.max(2, count) }, (_, at) => svg("tspan", { x: 0, y: 12 - height / 2 + 14 * at }));
    const label = svg("g", { class: "label" }, back, svg("text", { "text-anchor": "middle" }, ...rows));
    const group = svg(
      "g",
      {
        role: "button",
        tabindex: -1,
        "aria-pressed": "false",
        "data-edge": index,
        "data-from": edge.from,
        "data-to": edge.to,
      },
      path,
      arrow,
      hit,
      label,
    );
    group.addEventListener("click", () => this.choose(index));
    return { group, path, hit, arrow, label, rows, size: { width, height } };
  }

  /** Up and down move between the edges, Enter and space press one. */
  private move(event: KeyboardEvent): void {
    const at = this.lines.findIndex((line) => line.group === event.target);
    if (at < 0) return;
    if (event.key === "Enter" || event.key === " ") this.choose(at);
    else if (event.key === "ArrowDown") this.focus(at, Math.min(at + 1, this.lines.length - 1));
    else if (event.key === "ArrowUp") this.focus(at, Math.max(at - 1, 0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private focus(from: number, to: number): void {
    setAttribute(this.lines[from].group, "tabindex", -1);
    setAttribute(this.lines[to].group, "tabindex", 0);
    this.lines[to].group.focus();
  }

  /** Choose the direction and the scale for the width that there is, or for that of a folded graph. */
  private fit(folded = 0): void {
    const width = this.element.clientWidth || folded;
    if (!width || !this.nodes.length) return;
    const height = this.element.closest(".inline") ? this.element.clientHeight : Infinity;
    const direction = height < Infinity ? this.largest(width, height) : this.directionFor(width);
    const layout = this.layoutOf(direction);
    if (direction !== this.direction) this.apply(layout, direction === "TB");
    this.direction = direction;
    this.scale = Math.min(LARGEST, Math.max(SMALLEST, scaleFor(layout, width, height)));
    setAttribute(this.picture, "width", Math.floor(layout.width * this.scale));
    setAttribute(this.picture, "height", Math.floor(layout.height * this.scale));
    this.reveal();
  }

  /** The direction in which the graph can be drawn larger, where the height is given too. */
  private largest(width: number, height: number): Direction {
    if (this.nodes.length > MANY) return this.directionFor(width);
    const [across, down] = (["LR", "TB"] as const).map((each) => scaleFor(this.layoutOf(each), width, height));
    return across >= Math.min(down, 1) ? "LR" : "TB";
  }

  private directionFor(width: number): Direction {
    if (this.nodes.length > MANY) return width < PHONE ? "TB" : "LR"; // one layout is enough to wait for
    const across = this.layoutOf("LR").width;
    if (across * SMALL <= width) return "LR";
    return this.layoutOf("TB").width < across ? "TB" : "LR";
  }

  private layoutOf(direction: Direction): Layout {
    let layout = this.room.layouts.get(direction);
    if (!layout) {
      const boxes = this.boxes.map((box) => box.size);
      layout = place(
        this.nodes,
        this.edges,
        boxes,
        this.lines.map((line) => line.size),
        direction,
      );
      this.room.layouts.set(direction, layout);
    }
    return layout;
  }

  /** Place boxes and lines. Where edges come from above, the signs of a box stand to the left of it. */
  private apply(layout: Layout, beside: boolean): void {
    setAttribute(this.picture, "viewBox", `0 0 ${round(layout.width)} ${round(layout.height)}`);
    this.boxes.forEach((box, index) => {
      const { x, y } = layout.boxes[index];
      setAttribute(
        box.group,
        "transform",
        `translate(${round(x - box.size.width / 2)} ${round(y - box.size.height / 2)})`,
      );
      setAttribute(box.mark, "transform", beside ? "translate(-16 22)" : "translate(0 0)");
      setAttribute(box.wrong, "transform", beside ? `translate(${2 - box.size.width} 45)` : "translate(0 0)");
    });
    this.lines.forEach((line, index) => {
      const { points, label } = layout.lines[index];
      const d = curve(points);
      setAttribute(line.path, "d", d);
      setAttribute(line.hit, "d", d);
      const [end, before] = [points[points.length - 1], points[points.length - 2]];
      const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
      setAttribute(
        line.arrow,
        "transform",
        `translate(${round(end.x)} ${round(end.y)}) rotate(${round(angle)})`,
      );
      setAttribute(line.label, "transform", `translate(${round(label.x)} ${round(label.y)})`);
    });
  }

  /** Scroll the box, never the page, so that the current node can be seen. */
  private reveal(): void {
    if (this.current === null || !this.direction) return;
    const { element } = this;
    const layout = this.layoutOf(this.direction);
    const { x, y } = layout.boxes[this.current];
    const { width, height } = this.boxes[this.current].size;
    const left = inside(element.scrollLeft, element.clientWidth, x * this.scale, width * this.scale);
    const top = inside(element.scrollTop, element.clientHeight, y * this.scale, height * this.scale);
    if (left !== element.scrollLeft || top !== element.scrollTop) element.scrollTo(left, top);
  }
}

/** The entries of an array, for the tooltip of a box; none for a number. */
function entries(name: string, value: Num | null | undefined): string[] {
  return shapeOf(value) ? [`${name} ${show(value)}`] : [];
}

function bothNothing(one: Num | null | undefined, other: Num | null | undefined): boolean {
  return (one ?? 0) === 0 && (other ?? 0) === 0;
}

/** The lines of a value in a box: a number, or the shape of an array and the rows of a small one. */
export function valueLines(value: Num | null | undefined): string[] {
  const lines = linesOf(value ?? "");
  return lines.length ? lines : [brief(value)];
}

/** The lines of a gradient, with the right one where it differs. */
export function gradLines(grad: Num | null | undefined, due: Num | undefined): string[] {
  const mine = valueLines(grad);
  if (due === undefined) return mine;
  const right = valueLines(due);
  if (mine.length === 1 && right.length === 1) return [`${mine[0]} ≠ ${right[0]}`.trim()];
  return [...mine, `≠ ${right[0]}`, ...right.slice(1)];
}

/** Write lines below each other, the last ones empty; a sign says that they have changed. */
function setLines(element: SVGTextElement, lines: string[], changed: boolean): void {
  [...element.children].forEach((row, at) => setText(row, (lines[at] ?? "") + (changed && at === 0 ? " ◂" : "")));
}

/** Where to scroll one axis to: as it is if the box at `centre` is visible, else with the box in the middle. */
function inside(scroll: number, room: number, centre: number, size: number): number {
  const hidden = centre - size / 2 < scroll || centre + size / 2 > scroll + room;
  return hidden ? Math.max(0, Math.round(centre - room / 2)) : scroll;
}

/** The scale at which a layout fills the width or the height, whichever is less; some room is left for the padding. */
function scaleFor(layout: Layout, width: number, height: number): number {
  return Math.min((width - 2) / layout.width, (height - 10) / layout.height);
}

function makeBox(
  nodes: TraceNode[],
  node: TraceNode,
  index: number,
  longest: string,
  count: Record<"data" | "grad", number>,
): Box {
  const full = nameOf(nodes, index);
  const name = clip(full, LONGEST);
  const op = operation(node);
  const width = Math.max(name.length + op.length + 2, longest.length + 6, 10) * CHARACTER + 12;
  const second = 2 + count.data; // the row at which the gradient begins
  const height = ROW * (second - 1 + count.grad) + 8;
  const value = (row: number, lines: number): SVGTextElement =>
    svg(
      "text",
      { "text-anchor": "end" },
      ...Array.from({ length: lines }, (_, at) => svg("tspan", { x: width - 8, y: ROW * (row + at) - 4 })),
    );
  const caption = (row: number, words: string): SVGTextElement =>
    svg("text", { x: 8, y: ROW * row - 4, class: "caption" }, words);
  const values = { data: value(2, count.data), grad: value(second, count.grad) };
  const mark = svg("text", { x: 3, y: -4, class: "mark" });
  const wrong = svg("text", { x: width - 4, y: -3, class: "cross", "text-anchor": "end" });
  const title = svg("title", { id: freshId("name") }, full);
  const group = svg(
    "g",
    { role: "img", "data-node": full },
    title,
    svg("rect", { width, height, rx: 7, class: "box" }),
    svg("text", { x: 8, y: ROW - 3, class: "name" }, name),
    svg("text", { x: width - 8, y: ROW - 3, class: "op", "text-anchor": "end" }, op),
    caption(2, "data"),
    caption(second, gradWord()),
    values.data,
    values.grad,
    mark,
    wrong,
  );
  return { group, name: full, title, size: { width, height }, values, mark, wrong };
}

/** The operation as a box shows it, with an input that is a plain number: "* 3", "1 -". */
function operation(node: TraceNode): string {
  const { op, inputs } = node;
  if (isLeaf(node)) return "leaf";
  const name = clip(op, 12);
  const number = inputs.findIndex((input) => input.node === null);
  if (number < 0) return name;
  const text = show(inputs[number].value);
  return number === 0 ? `${clip(text, 8)} ${name}` : `${name} ${clip(text, 8)}`;
}

/** A smooth line through dagre's points that ends straight, so that the arrow fits. */
function curve(points: { x: number; y: number }[]): string {
  const at = ({ x, y }: { x: number; y: number }): string => `${round(x)},${round(y)}`;
  const middle = (one: number): string =>
    at({ x: (points[one].x + points[one + 1].x) / 2, y: (points[one].y + points[one + 1].y) / 2 });
  let d = `M${at(points[0])} L${middle(0)}`;
  for (let index = 1; index < points.length - 1; index += 1) d += ` Q${at(points[index])} ${middle(index)}`;
  return `${d} L${at(points[points.length - 1])}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
