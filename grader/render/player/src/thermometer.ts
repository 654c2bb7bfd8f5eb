/** The gradients as bars around 0: the sign says which way the output moves, the size says how much leverage there is. */

import { el, freshId, setText } from "./dom";
import { gradName, isLeaf, nameOf } from "./names";
import { numeric, show } from "./numbers";
import type { Num, State, TraceNode } from "./types";

export interface Thermometer {
  /** `ended` says whether the walk is at its end: gradients may still grow before that. */
  update(nodes: TraceNode[], state: State, ended: boolean): void;
}

interface Row {
  item: HTMLElement;
  value: HTMLElement;
  bar: HTMLElement;
  words: HTMLElement;
}

/** Show the gradients of the leaves, or of all nodes. */
export function mountThermometer(parent: HTMLElement): Thermometer {
  const id = freshId("thermometer");
  const bySize = el("input", { type: "checkbox", checked: true });
  const inner = el("input", { type: "checkbox" });
  const list = el("ul", { class: "bars", "aria-labelledby": id });
  const words = el("p", { class: "leverage" });
  parent.append(
    el(
      "section",
      { class: "thermometer", "aria-labelledby": id },
      el("h3", { id }, "Gradient thermometer"),
      list,
      words,
      el(
        "div",
        { class: "choices" },
        el("label", {}, bySize, " Largest first"),
        el("label", {}, inner, " Inner nodes too"),
      ),
      el(
        "p",
        { class: "note" },
        "Let a node grow by a little. The sign of its gradient says which way the output moves, and the size says how much.",
      ),
    ),
  );
  let nodes: TraceNode[] = [];
  let grad: (Num | null)[] = [];
  let rows: Row[] = [];
  let order = "";
  let whole = false;

  function draw(): void {
    const shown = nodes.flatMap((node, index) => (inner.checked || isLeaf(node) ? [index] : []));
    const sorted = bySize.checked
      ? [...shown].sort((one, other) => size(grad[other]) - size(grad[one]))
      : shown;
    const largest = Math.max(...sorted.map((index) => size(grad[index])), 0);
    for (const index of sorted) fill(rows[index], grad[index], largest);
    if (order !== sorted.join()) list.replaceChildren(...sorted.map((index) => rows[index].item));
    order = sorted.join();
    setText(
      words,
      whole
        ? leverage(nodes, shown, grad)
        : "The backward pass is not over, so gradients may still change.",
    );
  }

  bySize.addEventListener("change", draw);
  inner.addEventListener("change", draw);
  return {
    update(given, state, ended) {
      if (given !== nodes) {
        rows = given.map((_, index) => row(gradName(given, index)));
        order = "none";
      }
      nodes = given;
      grad = state.grad;
      whole = ended;
      draw();
    },
  };
}

/** The size of a gradient; -1 for one that is no finite number, so that it sorts last. */
function size(value: Num | null): number {
  const number = Math.abs(numeric(value));
  return Number.isFinite(number) ? number : -1;
}

function row(name: string): Row {
  const value = el("span", { class: "value" });
  const bar = el("span", { class: "bar" });
  const words = el("span", { class: "way" });
  const track = el("span", { class: "track", "aria-hidden": "true" }, bar);
  return {
    item: el("li", {}, el("span", { class: "name" }, name), " ", value, " ", track, " ", words),
    value,
    bar,
    words,
  };
}

function fill({ item, value, bar, words }: Row, grad: Num | null, largest: number): void {
  const number = numeric(grad);
  setText(value, grad === null ? "not yet" : show(grad));
  setText(words, way(grad));
  item.className = number > 0 ? "raises" : number < 0 ? "lowers" : "still";
  const share = largest > 0 && Number.isFinite(number) ? (Math.abs(number) / largest) * 50 : 0;
  bar.style.width = `${share}%`;
  bar.style.left = `${number < 0 ? 50 - share : 50}%`;
}

function way(grad: Num | null): string {
  const number = numeric(grad);
  if (grad === null) return "";
  if (Number.isNaN(number)) return "is no number";
  return number === 0 ? "does not move the output" : number > 0 ? "raises the output" : "lowers the output";
}

/** Compare the nodes with the most leverage with one that has the least of those that move the output. */
function leverage(nodes: TraceNode[], shown: number[], grad: (Num | null)[]): string {
  const moving = shown
    .filter((index) => size(grad[index]) > 0)
    .sort((one, other) => size(grad[other]) - size(grad[one]));
  if (!moving.length) return "No node moves the output.";
  const [largest, least] = [size(grad[moving[0]]), moving[moving.length - 1]];
  const most = moving.filter((index) => show(size(grad[index])) === show(largest));
  if (most.length === moving.length && shown.length > 1) {
    return most.length > 1
      ? "All that move the output have the same leverage."
      : `Only ${nameOf(nodes, most[0])} moves the output.`;
  }
  if (shown.length === 1) return "";
  const names = most.map((index) => nameOf(nodes, index)).join(" and ");
  const times = show(Number((largest / size(grad[least])).toPrecision(3)));
  const have = most.length > 1 ? "have" : "has";
  return `${names} ${have} the most leverage: ${times} times that of ${nameOf(nodes, least)}.`;
}
