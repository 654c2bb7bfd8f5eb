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

/** Tell the page around this one, if it listens, how high the content is on a phone; 0 where it fits itself in. */
function tellHeight(content: HTMLElement): void {
  const phone = matchMedia("(max-width: 36rem)");
  const height = (): number => (phone.matches ? Math.ceil(content.getBoundingClientRect().height) : 0);
  const tell = (): void => window.parent.postMessage({ height: height() }, "*");
  tell(); // at once, for a browser observes nothing in a frame that is out of sight
  new ResizeObserver(tell).observe(content);
}

const text = document.getElementById("backgrade-player")?.textContent;
if (text) {
  const { mode, traces, arrays } = JSON.parse(text) as PageData;
  const main = document.getElementById("player");
  if (mode === "play" && main) mountLesson(main, traces, { arrays });
  else mountReport(traces);
  const inline = document.querySelector<HTMLElement>("main.inline");
  if (inline && window.parent !== window) tellHeight(inline);
  document.documentElement.dataset.player = "ready";
}
