/** Mounts the players of a page. */

import { el } from "./dom";
import type { PageData } from "./types";

function read(): PageData | null {
  const text = document.getElementById("backgrade-player")?.textContent;
  return text ? (JSON.parse(text) as PageData) : null;
}

const page = read();
if (page) {
  document.getElementById("player")?.append(el("h1", {}, "See the gradients flow"));
  document.documentElement.dataset.player = "ready";
}
