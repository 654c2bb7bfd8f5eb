// What a button does to the cells, as a change that is taken back, or made again, without touching any other cell.

import type { Change, Source } from "./types";

/** Return what makes the next cells out of these. */
export function changeTo(next: Source[], cells: Source[]): Change {
  const before = placed(cells, next);
  const after = placed(next, cells);
  const gone = cells.filter(({ id }) => !next.some((cell) => cell.id === id));
  const set = next.map((cell, at) => ({ id: cell.id, cell: structuredClone(cell), after: next[at - 1]?.id ?? "" }));
  return [
    ...gone.map(({ id }) => ({ id, cell: null, after: "" })),
    ...set.filter(({ id }) => !before.has(id) || before.get(id) !== after.get(id)),
  ];
}

/** Each cell's text and the one before it of those that the others have too, by id. */
function placed(cells: Source[], others: Source[]): Map<string, string> {
  const shared = cells.filter(({ id }) => others.some((cell) => cell.id === id));
  return new Map(shared.map((cell, at) => [cell.id, JSON.stringify([cell, shared[at - 1]?.id])]));
}

/** Return the cells after a change, and the change that takes it back: it holds what these cells hold now. */
export function applied(change: Change, cells: Source[]): [Source[], Change] {
  let result = [...cells];
  const placeOf = (id: string): number => result.findIndex((one) => one.id === id);
  for (const { id, cell, after } of change) {
    const [at, before] = [placeOf(id), placeOf(after)];
    if (at >= 0 && cell !== null && (before === at - 1 || (before < 0 && after !== ""))) result[at] = cell;
    else {
      result = result.filter((one) => one.id !== id);
      if (cell !== null) result.splice(placeOf(after) + 1, 0, cell);
    }
  }
  return [result, changeTo(cells, result)];
}
