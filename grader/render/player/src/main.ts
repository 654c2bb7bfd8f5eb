/** Mounts what a page asks for: the whole lesson, the graphs inside a report, or one graph below a notebook's cell. */

import { mountFailed } from "./failed";
import { mountLesson } from "./lesson";
import type { PageData, Shown } from "./types";

/** Put a player into each place of a report; the place has a plain text for readers without scripts until then. */
function mountReport(traces: Shown[]): void {
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
  if (mode === "play" && main) mountLesson(main, traces);
  else mountReport(traces);
  document.documentElement.dataset.player = "ready";
}
