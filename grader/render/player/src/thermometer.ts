/** The gradients as bars around 0: the sign says which way the output moves, the size says how much leverage there is. */

import { el, freshId, setText } from "./dom";
import { gradName, nameOf, numeric, show } from "./engine";
import type { Num, State, TraceNode } from "./types";

export interface Thermometer {
  update(nodes: TraceNode[], state: State): void;
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
      el("p", { class: "note" }, "Let a node grow by a little. The sign of its gradient says which way the output moves, the size how much."),
      el("div", { class: "choices" }, el("label", {}, bySize, " Largest first"), el("label", {}, inner, " Inner nodes too")),
      list,
      words,
    ),
  );
  let nodes: TraceNode[] = [];
  let grad: (Num | null)[] = [];
  let rows: Row[] = [];
  let order = "";

  function draw(): void {
    const shown = nodes.flatMap((node, index) => (inner.checked || !node.op ? [index] : []));
    const sorted = bySize.checked ? [...shown].sort((one, other) => size(grad[other]) - size(grad[one])) : shown;
    const largest = Math.max(...sorted.map((index) => size(grad[index])), 0);
    for (const index of sorted) fill(rows[index], grad[index], largest);
    if (order !== sorted.join()) list.replaceChildren(...sorted.map((index) => rows[index].item));
    order = sorted.join();
    setText(words, leverage(nodes, shown, grad));
  }

  bySize.addEventListener("change", draw);
  inner.addEventListener("change", draw);
  return {
    update(given, state) {
      if (given !== nodes) {
        rows = given.map((_, index) => row(gradName(given, index)));
        order = "none";
      }
      nodes = given;
      grad = state.grad;
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
  return { item: el("li", {}, el("span", { class: "name" }, name), " ", value, " ", track, " ", words), value, bar, words };
}

function fill({ item, value, bar, words }: Row, grad: Num | null, largest: number): void {
  const number = numeric(grad);
  setText(value, grad === null ? "not computed" : show(grad));
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

/** Compare the node with the most leverage with the one that has the least of those that move the output. */
function leverage(nodes: TraceNode[], shown: number[], grad: (Num | null)[]): string {
  const moving = shown.filter((index) => size(grad[index]) > 0).sort((one, other) => size(grad[other]) - size(grad[one]));
  const [most, least] = [moving[0], moving[moving.length - 1]];
  if (shown.every((index) => grad[index] === null)) return "No gradient is computed yet.";
  if (most === undefined) return "No node moves the output.";
  const times = show(Number((size(grad[most]) / size(grad[least])).toPrecision(3)));
  if (times === "1") return moving.length > 1 ? "These nodes have the same leverage." : `Only ${nameOf(nodes, most)} moves the output.`;
  return `${nameOf(nodes, most)} has the most leverage: ${times} times that of ${nameOf(nodes, least)}.`;
}
