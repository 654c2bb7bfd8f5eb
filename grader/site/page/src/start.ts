// The start page: how far each day is in this browser.

import { data, make } from "./dom";
import { keyOf, Store } from "./store";

const days = data<Record<string, Record<string, number>>>("start"); // points of its checks, by day
const store = new Store(keyOf(""));

async function show(): Promise<void> {
  await store.open();
  const kept = await store.readAll(keyOf(""));
  for (const [day, checks] of Object.entries(days)) {
    const work = kept.get(keyOf(day));
    const place = document.querySelector(`[data-day="${CSS.escape(day)}"]`);
    if (work === undefined || place === null) continue;
    const points = Object.keys(checks).reduce((sum, name) => sum + (work.results[name]?.score ?? 0), 0);
    const total = Object.values(checks).reduce((sum, one) => sum + one, 0);
    place.replaceChildren(
      make("progress", { max: String(total), value: String(points), "aria-label": `${day}: points` }),
      ` ${Number(points.toFixed(2))} of ${Number(total.toFixed(2))} points at the last check`,
    );
  }
}

show().catch(() => undefined); // a browser that keeps nothing: the days' pages say so
