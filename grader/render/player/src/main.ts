/** Mounts what a page asks for: the whole lesson, the graphs inside a report, or one graph below a notebook's cell. */

import { el, freshId } from "./dom";
import { mountFailed } from "./failed";
import { mountGame } from "./game";
import { mountNudge } from "./nudge";
import { PRESETS } from "./presets";
import { mountProgress } from "./progress";
import { mountThermometer } from "./thermometer";
import type { PageData, Shown } from "./types";
import { mountWaterfall } from "./waterfall";
import { Watch } from "./watch";

function play(main: HTMLElement, traces: Shown[]): void {
  main.classList.add("player", "lesson");
  const progressArea = el("div", { class: "area" });
  const [watch, game, graphs] = [section("Watch"), section("Order game"), section("Your graphs")];
  const shown = traces.length ? [watch, game, graphs] : [watch, game];
  const links = shown.map(({ id, name }) => el("li", {}, el("a", { href: `#${id}` }, name)));
  main.append(
    el("header", {}, el("h1", {}, "See the gradients flow"), el("nav", { "aria-label": "Sections" }, el("ul", {}, ...links))),
    progressArea,
    ...shown.map(({ element }) => element),
  );
  const progress = mountProgress(progressArea, PRESETS.map(({ id, name }) => ({ id, title: name })));
  const lesson = new Watch(watch.element, {
    played: (preset) => progress.done(`preset:${preset.id}`),
    edge: () => progress.done("edge"),
    leaf: () => progress.done("leaf"),
  });
  const parts = el("div", { class: "parts" });
  watch.element.append(parts);
  const thermometer = mountThermometer(parts);
  const nudge = mountNudge(parts, () => progress.done("nudge"));
  const waterfall = mountWaterfall(watch.element);
  lesson.add({
    update(moment, graph, values) {
      thermometer.update(moment.trace.nodes, moment.state);
      nudge.update(graph, values);
      waterfall.update(moment.trace, moment.index);
    },
  });
  mountGame(game.element, progress.done);
  traces.forEach((trace, index) => graphs.element.append(folded(trace, index === 0)));
}

interface Section {
  id: string;
  name: string;
  element: HTMLElement;
}

function section(name: string): Section {
  const id = name.toLowerCase().replace(" ", "-");
  const heading = freshId("heading");
  return { id, name, element: el("section", { id, class: "area", "aria-labelledby": heading }, el("h2", { id: heading }, name)) };
}

/** A check's graph under its title; it is built when it is unfolded for the first time. */
function folded(shown: Shown, open: boolean): HTMLElement {
  const place = el("div", { class: "stage" });
  const words = shown.title ? `${shown.check}: ${shown.title}` : shown.check;
  const element = el("details", { class: "shown", open }, el("summary", {}, words), place);
  const build = (): void => {
    if (element.open && !place.childNodes.length) mountFailed(place, shown);
  };
  element.addEventListener("toggle", build);
  build();
  return element;
}

/** Put a player into each place of a report; the place has a plain text for readers without scripts until then. */
function report(traces: Shown[]): void {
  for (const place of document.querySelectorAll<HTMLElement>("div.player[data-trace]")) {
    const shown = traces[Number(place.dataset.trace)];
    if (!shown) continue;
    place.replaceChildren();
    mountFailed(place, shown);
  }
}

const text = document.getElementById("backgrade-player")?.textContent;
if (text) {
  const { mode, traces } = JSON.parse(text) as PageData;
  const main = document.getElementById("player");
  if (mode === "play" && main) play(main, traces);
  else report(traces);
  document.documentElement.dataset.player = "ready";
}
