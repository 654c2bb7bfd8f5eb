// The lesson's player for a day; its graphs run in the student's own engine, too, which is what is kept of the day.

import { mountLesson } from "../../../render/player/src/lesson";
import type { Engine, Played } from "../../../render/player/src/watch";
import { data, find } from "./dom";
import { cellsOf, notebookOf, renewed } from "./notebook";
import { Ended, Python } from "./python";
import { keyOf, Store } from "./store";
import type { Day } from "./types";

const day = data<Day & { needs: string[]; arrays: boolean }>("day");
const store = new Store(keyOf(day.name));
let say: (words: string) => void = () => undefined;
let python: Python | null = null;

/** Start Python when it is first needed. */
function started(): Python {
  if (python !== null) return python;
  python = new Python(
    day,
    (progress, failure) => {
      if (failure !== null) say(`Python did not start: ${failure}.`);
      else if (progress !== null) say(`Loading Python: ${(progress.loaded / 1e6).toFixed(1)} of ${(progress.total / 1e6).toFixed(1)} MB`);
      else say("Your engine runs …");
    },
    () => undefined,
  );
  python.start();
  return python;
}

const engine: Engine = async (leaves, steps, told) => {
  say = told;
  await store.open();
  const work = await store.read();
  if (work === undefined) {
    return { trace: null, words: `This browser keeps no work of ${day.name}. Write your engine on the day's page first.` };
  }
  const notebook = notebookOf(renewed(work, cellsOf(day.notebook)).cells, day.notebook); // as a check of the day's page takes it
  try {
    const { trace, error } = await started().ask<{ trace: Played["trace"]; error: string }>("play", JSON.stringify(notebook), { leaves, steps });
    return { trace, words: error && `Your engine stopped: ${error}` };
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    const line = error.place === "" ? "" : ` It stood in ${error.place}`;
    return { trace: null, words: `Python was stopped.${error.message && ` ${error.message}.`}${line}` };
  }
};

mountLesson(find("#player"), [], { arrays: day.arrays, engine: day.needs.length > 0 ? null : engine });
document.documentElement.dataset.player = "ready";
