/** The player of one check's trace, as a report or a notebook shows it, with its waterfall folded below. */

import { button, el, freshId, setAttribute, unmarked } from "./dom";
import { callGradients } from "./names";
import { Player } from "./player";
import type { Moment } from "./player";
import type { Shown } from "./types";
import { mountWaterfall } from "./waterfall";
import type { Waterfall } from "./waterfall";

/** Mount the two walks of a check; opens at the first wrong step. */
export function mountFailed(parent: HTMLElement, shown: Shown): void {
  const { trace } = shown;
  if (trace.field) callGradients(trace.field);
  let now: Moment | null = null;
  let table: Waterfall | null = null;
  const place = el("div", { class: "stage" });
  const folded = el("div", { class: "folded", id: freshId("table"), hidden: true });
  const draw = (): void => {
    table ??= mountWaterfall(folded, shown.check);
    if (now) table.update(now.trace, now.index);
  };
  const toggle = button("Step table", () => {
    folded.hidden = !folded.hidden;
    setAttribute(toggle, "aria-expanded", String(!folded.hidden));
    draw();
  });
  setAttribute(toggle, "aria-expanded", "false");
  setAttribute(toggle, "aria-controls", folded.id);
  setAttribute(toggle, "class", "fold");
  window.addEventListener("beforeprint", () => {
    draw();
    place.querySelectorAll(".graph").forEach((graph) => graph.dispatchEvent(new Event("beforeprint")));
  });
  const given = el("p", { class: "given" }, el("code", { class: "expression" }, unmarked(trace.given)));
  parent.append(el("div", { class: "screen" }, given, place, toggle), folded);
  new Player(place, trace, {
    title: unmarked(shown.title) || shown.check,
    compare: true,
    step: (moment) => {
      now = moment;
      if (table) table.update(moment.trace, moment.index);
    },
  });
}
