/** Moves one leaf by h and compares the slope of the output over this nudge with the gradient. */

import { button, el, freshId, setText } from "./dom";
import { forward, stateAt, walk } from "./engine";
import type { Graph } from "./engine";
import { isLeaf, nameOf } from "./names";
import { numeric, same, show } from "./numbers";

export interface Nudge {
  /** `over` is true once the backward pass is: only then the gradient is shown. */
  update(graph: Graph, values: Record<string, number>, over: boolean): void;
}

const LATER = "Play the graph to its end, and compare this slope with the gradient.";

/** Show the slider; `done` is called when a leaf was nudged. */
export function mountNudge(parent: HTMLElement, done: () => void): Nudge {
  const tool = new NudgeTool(done);
  parent.append(tool.element);
  return tool;
}

class NudgeTool implements Nudge {
  readonly element: HTMLElement;
  private graph: Graph | null = null;
  private values: Record<string, number> = {};
  private h = 0;
  private over = false;
  private readonly id = freshId("nudge");
  private readonly leaf = el("select", { id: `${this.id}-leaf` });
  private readonly slider = el("input", {
    id: `${this.id}-slider`,
    type: "range",
    min: -1,
    max: 1,
    step: 0.01,
    value: 0,
  });
  private readonly field = el("input", { id: `${this.id}-h`, type: "number", step: "any", value: 0 });
  private readonly facts = factList();
  private readonly result = el("p", { class: "result", role: "status" });

  constructor(private readonly done: () => void) {
    const { id, leaf, slider, field } = this;
    slider.addEventListener("input", () => this.nudge(slider.valueAsNumber, slider));
    field.addEventListener("input", () => this.nudge(field.valueAsNumber, field));
    leaf.addEventListener("change", () => this.draw());
    const tools = el(
      "div",
      { class: "choices" },
      el("span", { class: "pair" }, el("label", { for: leaf.id }, "Leaf"), leaf),
      el("span", { class: "pair wide" }, el("label", { for: slider.id }, "Nudge"), slider),
      el("span", { class: "pair" }, el("label", { for: field.id }, "h"), field),
      button("No nudge", () => this.nudge(0, null)),
    );
    const heading = el("h3", { id }, "Nudge a leaf");
    this.element = el(
      "section",
      { class: "nudge", "aria-labelledby": id },
      heading,
      tools,
      this.facts.list,
      this.result,
    );
  }

  update(graph: Graph, values: Record<string, number>, over: boolean): void {
    const names = graph.leaves.map((index) => nameOf(graph.nodes, index));
    const other = this.graph?.text !== graph.text;
    this.graph = graph;
    this.values = values;
    this.over = over;
    if (!other) return this.draw();
    this.leaf.replaceChildren(...names.map((name) => el("option", { value: name }, name)));
    this.nudge(0, null);
  }

  /** Nudge by h. A number that is half written keeps the last nudge; `source` is the input that the reader moves. */
  private nudge(h: number, source: HTMLInputElement | null): void {
    if (!Number.isFinite(h)) return;
    this.h = h;
    for (const input of [this.slider, this.field]) if (input !== source) input.value = show(h);
    this.draw();
    if (h !== 0) this.done();
  }

  private draw(): void {
    const { graph, values, h, facts } = this;
    const leaf = this.leaf.value;
    if (!graph || !leaf) return;
    const found = measure(graph, values, leaf, h);
    const root = nameOf(graph.nodes, graph.nodes.length - 1);
    setText(facts.leaf, `${leaf} = ${show(found.from)} ${signed(h)} = ${show(found.from + h)}`);
    setText(
      facts.output,
      `${root} goes from ${show(found.before)} to ${show(found.after)}: Δ${root} = ${show(found.change)}`,
    );
    setText(
      facts.slope,
      h === 0 ? "needs a nudge" : `Δ${root} / h = ${show(found.change)} / ${show(h)} = ${show(found.slope)}`,
    );
    setText(facts.gradient, this.over ? `${leaf}.grad = ${show(found.gradient)}` : "not yet");
    setText(this.result, this.over || h === 0 ? verdict(leaf, root, h, found) : LATER);
  }
}

type Facts = Record<"leaf" | "output" | "slope" | "gradient", HTMLElement>;

function factList(): Facts & { list: HTMLElement } {
  const facts: Facts = { leaf: el("dd"), output: el("dd"), slope: el("dd"), gradient: el("dd") };
  const list = el(
    "dl",
    {},
    ...pair("The leaf", facts.leaf),
    ...pair("The output", facts.output),
    ...pair("Slope over this nudge", facts.slope),
    ...pair("Gradient", facts.gradient),
  );
  return { ...facts, list };
}

function pair(term: string, fact: HTMLElement): HTMLElement[] {
  return [el("dt", {}, term), fact];
}

function signed(value: number): string {
  return value < 0 ? `- ${show(-value)}` : `+ ${show(value)}`;
}

interface Measured {
  from: number;
  before: number;
  after: number;
  change: number;
  slope: number;
  gradient: number;
}

/** Compute the output at the leaf's number and at this number plus h. */
export function measure(graph: Graph, values: Record<string, number>, leaf: string, h: number): Measured {
  const root = graph.nodes.length - 1;
  const from = values[leaf] ?? NaN;
  const before = forward(graph, values)[root];
  const after = forward(graph, { ...values, [leaf]: from + h })[root];
  const steps = walk(graph, values);
  const index = graph.nodes.findIndex((node) => isLeaf(node) && node.name === leaf);
  const gradient = numeric(stateAt(graph.nodes, steps, steps.length).grad[index] ?? 0);
  return { from, before, after, change: after - before, slope: (after - before) / h, gradient };
}

function verdict(leaf: string, root: string, h: number, { change, slope, gradient }: Measured): string {
  if (h === 0) return "Nothing is nudged: move the slider, or write a number for h.";
  if (!Number.isFinite(slope)) return "The output is not a finite number here.";
  if (Math.abs(h) < 1e-7)
    return `The nudge is so small that rounding hides the slope; the gradient is ${show(gradient)}.`;
  if (same(slope, gradient) || show(slope) === show(gradient)) {
    if (change === 0)
      return `${root} does not move: the slope over this nudge is 0, and the gradient of ${leaf} is 0.`;
    return `The slope over this nudge is ${show(slope)}, and so is the gradient, the slope at the point.`;
  }
  const nearer = Math.abs(h) > 0.01 ? " A smaller nudge comes closer." : "";
  return `The slope over this nudge is ${show(slope)}; the gradient, the slope at the point, is ${show(gradient)}.${nearer}`;
}
