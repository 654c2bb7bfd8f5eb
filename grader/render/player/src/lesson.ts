/** The whole lesson: progress, a graph to watch, the order game, and the reader's own graphs. */

import { el, freshId, marked } from "./dom";
import { mountFailed } from "./failed";
import { mountGame } from "./game";
import type { Stage } from "./game";
import { mountNudge } from "./nudge";
import { Player } from "./player";
import { PRESETS } from "./presets";
import { mountProgress } from "./progress";
import type { Progress } from "./progress";
import { Questions } from "./questions";
import { mountThermometer } from "./thermometer";
import type { Shown } from "./types";
import { mountWaterfall } from "./waterfall";
import { Watch } from "./watch";
import type { Engine } from "./watch";

/** Build the lesson into an empty element. "Your graphs" is there only if there are traces; `engine` is the reader's own. */
export function mountLesson(main: HTMLElement, traces: Shown[], engine: Engine | null = null): void {
  main.classList.add("player", "lesson");
  const area = (id: string): HTMLElement => el("div", { id, class: "area" });
  const [progress, watch, game, graphs] = ["progress", "watch", "order-game", "your-graphs"].map(area);
  main.append(header(traces.length > 0), rule(), ...(traces.length ? [graphs] : []), progress, watch, game);
  const { done } = mountProgress(progress, PRESETS);
  mountWatch(watch, done, engine);
  mountGame(game, { stage, done });
  if (traces.length) mountGraphs(graphs, traces, done);
}

function header(own: boolean): HTMLElement {
  const links = [
    ...(own ? [["#your-graphs", "Your graphs"]] : []),
    ["#watch", "Watch"],
    ["#order-game", "Order game"],
  ].map(([href, words]) => el("li", {}, el("a", { href }, words)));
  const nav = el("nav", { "aria-label": "Sections" }, el("ul", {}, ...links));
  return el("header", {}, el("h1", {}, "See the gradients flow"), nav);
}

/** The one rule that every call of `_backward` follows. */
function rule(): HTMLElement {
  return el(
    "p",
    { class: "rule" },
    el("strong", {}, "The rule: "),
    el("code", {}, "parent.grad += this.grad · local"),
    ...marked(
      " for each `parent` that `this` node was made from. `local` is how fast `this.data` changes when only that parent does.",
    ),
  );
}

function mountWatch(area: HTMLElement, done: Progress["done"], engine: Engine | null): void {
  const section = titled("Watch");
  area.append(section);
  const watch = new Watch(section, {
    played: (preset) => done(`preset:${preset.id}`),
    edge: () => done("edge"),
    leaf: () => done("leaf"),
  }, engine);
  const questions = new Questions("Two questions, before you play it to the end", () => done("questions"));
  const parts = el("div", { class: "parts" });
  section.append(questions.element, parts);
  const thermometer = mountThermometer(watch.side);
  const nudge = mountNudge(parts, () => done("nudge"));
  const waterfall = mountWaterfall(parts);
  watch.add({
    update(moment, graph, values) {
      thermometer.update(moment.trace.nodes, moment.state, moment.index === moment.length);
      nudge.update(graph, values, moment.index === moment.length);
      questions.update(moment.trace);
      waterfall.update(moment.trace, moment.index);
    },
  });
}

/** The order game's player; it is made for the first order that is run. */
function stage(parent: HTMLElement): Stage {
  let player: Player | null = null;
  const options = { title: "order game", compare: true, headings: { own: "Your order", right: "" } };
  return {
    update(trace, index) {
      player ??= new Player(parent, trace, options);
      player.show(trace, index);
    },
  };
}

function mountGraphs(area: HTMLElement, traces: Shown[], done: Progress["done"]): void {
  const section = titled("Your graphs");
  section.append(...traces.map((shown, index) => folded(shown, index === 0, done)));
  area.append(section);
}

/** A check's graph under its title; it is built when it is unfolded for the first time. */
function folded(shown: Shown, open: boolean, done: Progress["done"]): HTMLElement {
  const place = el("div", { class: "own" });
  const words = shown.title ? `${shown.check}: ${shown.title}` : shown.check;
  const summary = el("summary", {}, ...marked(words));
  const element = el("details", { class: "shown", open }, summary, place);
  const build = (): void => {
    if (place.childNodes.length) return;
    mountFailed(place, shown);
    const questions = new Questions("Two questions about this graph", () => done("questions"));
    questions.update(shown.trace);
    place.append(questions.element);
  };
  summary.addEventListener("click", build);
  element.addEventListener("toggle", build); // a search in the page unfolds it without a click
  if (open) build();
  return element;
}

function titled(name: string): HTMLElement {
  const id = freshId("heading");
  return el("section", { "aria-labelledby": id }, el("h2", { id }, name));
}
