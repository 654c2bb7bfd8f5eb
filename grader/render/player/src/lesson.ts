/** The whole lesson: progress, a graph to watch, the order game, and the reader's own graphs. */

import { el, freshId, marked } from "./dom";
import { mountFailed } from "./failed";
import { mountGame } from "./game";
import type { Stage } from "./game";
import { mountNudge } from "./nudge";
import { Player } from "./player";
import { ARRAY_PRESETS, PRESETS } from "./presets";
import { mountProgress } from "./progress";
import type { Progress } from "./progress";
import { Questions } from "./questions";
import { mountThermometer } from "./thermometer";
import type { Shown } from "./types";
import { mountWaterfall } from "./waterfall";
import { Watch } from "./watch";
import type { Engine } from "./watch";
import type { Preset } from "./presets";

/** What a lesson is about, and the reader's own engine. */
export interface LessonOptions {
  arrays?: boolean;
  engine?: Engine | null;
}

/** Build the lesson into an empty element. "Your graphs" is there only if there are traces. */
export function mountLesson(main: HTMLElement, traces: Shown[], { arrays = false, engine = null }: LessonOptions = {}): void {
  main.classList.add("player", "lesson");
  const area = (id: string): HTMLElement => el("div", { id, class: "area" });
  const [progress, watch, game, graphs] = ["progress", "watch", "order-game", "your-graphs"].map(area);
  const parts = [...(traces.length ? [graphs] : []), progress, watch, ...(arrays ? [] : [game])];
  main.append(header(parts), arrays ? ruleOfShapes() : rule(), ...parts);
  const presets = arrays ? ARRAY_PRESETS : PRESETS;
  const { done } = mountProgress(progress, presets, arrays);
  mountWatch(watch, presets, done, { arrays, engine });
  if (!arrays) mountGame(game, { stage, done });
  if (traces.length) mountGraphs(graphs, traces, done);
}

const NAMES: Record<string, string> = { "your-graphs": "Your graphs", watch: "Watch", "order-game": "Order game" };

function header(parts: HTMLElement[]): HTMLElement {
  const named = parts.filter(({ id }) => id in NAMES);
  const links = named.map(({ id }) => el("li", {}, el("a", { href: `#${id}` }, NAMES[id])));
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

/** The rule that arrays add to it. */
function ruleOfShapes(): HTMLElement {
  const words = " has the shape of `this.data`. Sum over the axes along which broadcasting repeated `this.data`.";
  return el("p", { class: "rule" }, el("strong", {}, "The rule: "), el("code", {}, "this.grad"), ...marked(words));
}

function mountWatch(area: HTMLElement, presets: Preset[], done: Progress["done"], options: LessonOptions): void {
  const section = titled("Watch");
  area.append(section);
  const watch = new Watch(section, presets, {
    played: (preset) => done(`preset:${preset.id}`),
    edge: () => done("edge"),
    leaf: () => done("leaf"),
  }, options.engine ?? null);
  const heading = `${options.arrays ? "Questions" : "Two questions"}, before you play it to the end`;
  const questions = new Questions(heading, () => done("questions"));
  const parts = el("div", { class: "parts" });
  section.append(questions.element, parts);
  const thermometer = options.arrays ? null : mountThermometer(watch.side);
  const nudge = options.arrays ? null : mountNudge(parts, () => done("nudge"));
  const waterfall = mountWaterfall(parts);
  watch.add({
    update(moment, graph, values) {
      thermometer?.update(moment.trace.nodes, moment.state, moment.index === moment.length);
      nudge?.update(graph, values as Record<string, number>, moment.index === moment.length);
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
    const questions = new Questions("Questions about this graph", () => done("questions"));
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
