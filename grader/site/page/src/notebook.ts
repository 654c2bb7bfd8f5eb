// Between the notebook's file and the cells of a page.

import type { Change, Notebook, NotebookCell, Source, Work } from "./types";

export class NotANotebook extends Error {}

const LARGEST = 5_000_000; // characters of a file that is opened

/** Read the cells of a notebook. */
export function cellsOf(notebook: Notebook): Source[] {
  return notebook.cells.map((cell, index) => ({
    id: idOf(cell) ?? `cell-${index + 1}`,
    kind: cell.cell_type,
    source: textOf(cell),
    metadata: cell.metadata ?? {},
  }));
}

/** Read a file that somebody opens. Throws NotANotebook, with a sentence. */
export function parsed(text: string, day: string): Notebook {
  if (text.length > LARGEST) throw new NotANotebook("This file is larger than any notebook of this course.");
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw new NotANotebook("This file is not a notebook, because it is not JSON.");
  }
  const notebook = found as Partial<Notebook> | null;
  const cells = notebook?.cells;
  if (!Array.isArray(cells) || !cells.every(isCell)) {
    throw new NotANotebook("This file is not a notebook, because it has no cells.");
  }
  const own = (notebook?.metadata?.["backgrade"] as { assignment?: unknown } | undefined)?.assignment;
  if (typeof own === "string" && own !== day) {
    throw new NotANotebook(`This notebook is of ${own}, and this page is of ${day}.`);
  }
  return { nbformat: 4, nbformat_minor: 5, ...notebook, cells, metadata: notebook?.metadata ?? {} };
}

function isCell(cell: unknown): cell is NotebookCell {
  const known = cell as Partial<NotebookCell> | null;
  const source = known?.source;
  return (
    ["code", "markdown", "raw"].includes(known?.cell_type ?? "") &&
    (typeof source === "string" || (Array.isArray(source) && source.every((line) => typeof line === "string")))
  );
}

/** Put the cells of an opened notebook into the untouched one's places. */
export function placed(opened: Notebook, untouched: Notebook): Source[] {
  const ours = cellsOf(untouched);
  return put(cellsOf(opened), ours, known(cellsOf(opened), ours)).cells;
}

/** Which cell of ours each of theirs is: by the ids, unless these are of another release, which counted other cells. */
function known(theirs: Source[], ours: Source[]): Map<number, string> {
  const own = new Map(ours.map((cell) => [cell.id, cell]));
  const isMoved = (cell: Source): boolean => {
    const one = own.get(cell.id)!;
    return one.kind !== cell.kind || (one.source !== cell.source && ours.some((other) => isEqual(other, cell)));
  };
  const counted = theirs.filter(({ id }) => own.has(id));
  if (counted.length === 0) return byPlace(theirs, ours);
  const places = counted.some(isMoved) ? byPlace(counted, ours) : new Map(counted.map(({ id }, at) => [at, id]));
  return new Map([...places].map(([at, id]) => [theirs.indexOf(counted[at]!), id]));
}

/**
 * Put cells into the places of ours that are known. What is known in no place is somebody's own cell, and stays after
 * the cell that stood before it. `ids` has the new id of each.
 */
function put(theirs: Source[], ours: Source[], known: Map<number, string>): { cells: Source[]; ids: Map<string, string> } {
  const extras = new Map<string, Source[]>(); // own cells, by the id of ours that they follow
  let last = "";
  const taken = new Map<string, Source>();
  const used = new Set(ours.map(({ id }) => id));
  const ids = new Map<string, string>();
  theirs.forEach((cell, index) => {
    let id = known.get(index);
    if (id !== undefined && !taken.has(id)) {
      taken.set(id, cell);
      last = id;
    } else {
      id = cell.id;
      for (let number = used.size; used.has(id); number++) id = `own-${number}`;
      used.add(id);
      extras.set(last, [...(extras.get(last) ?? []), { ...cell, id }]);
    }
    ids.set(cell.id, id);
  });
  const cells = ours.flatMap((cell) => {
    const source = (cell.kind === "code" ? taken.get(cell.id) : undefined)?.source ?? cell.source;
    return [{ ...cell, source }, ...(extras.get(cell.id) ?? [])];
  });
  return { cells: [...(extras.get("") ?? []), ...cells], ids };
}

/**
 * Bring kept work to this release of its day. What the student wrote stays; a cell that is as an earlier release gave it
 * gets its text of today, or goes with it. Ids are counted, so the same id may be another cell.
 */
export function renewed(work: Work, ours: Source[]): Work {
  const { given } = work;
  if (JSON.stringify(given) === JSON.stringify(ours)) return work;
  const next = sameCells(given ?? [], ours);
  const isLeft = (cell: Source): boolean => given?.some((one) => one.id === cell.id && isEqual(one, cell)) ?? false;
  const theirs = work.cells.filter((cell) => !isLeft(cell) || next.has(cell.id));
  const noted = theirs.flatMap(({ id }, at) => (next.has(id) ? [[at, next.get(id)!] as const] : []));
  const { cells, ids } = put(theirs, ours, given === undefined ? known(theirs, ours) : new Map(noted));
  for (const cell of theirs.filter(isLeft)) {
    const own = cells.findIndex(({ id }) => id === ids.get(cell.id));
    cells[own] = ours.find(({ id }) => id === ids.get(cell.id)) ?? cells[own]!;
  }
  const isGone = (id: string): boolean => !ids.has(id) && [...work.cells, ...(given ?? [])].some((one) => one.id === id);
  const idOf = (id: string): string => ids.get(id) ?? id;
  const moved = (change: Change): Change =>
    change
      .filter(({ id }) => !isGone(id))
      .map(({ id, cell, after }) => ({ id: idOf(id), cell: cell && { ...cell, id: idOf(id) }, after: idOf(after) }));
  return { ...work, cells, given: ours, undo: work.undo.map(moved), redo: work.redo.map(moved) };
}

/** Which cell of this release each of another release is, by id: the one with the same text, else with the same names. */
function sameCells(given: Source[], ours: Source[]): Map<string, string> {
  const found = new Map<string, string>();
  const free = [...ours];
  for (const isOne of [isEqual, isSame]) {
    for (const cell of given.filter(({ id }) => !found.has(id))) {
      const at = free.findIndex((own) => isOne(own, cell));
      if (at >= 0) found.set(cell.id, free.splice(at, 1)[0]!.id);
    }
  }
  return found;
}

/**
 * Match cells in order: those with the same text, or graded cells that define the same name. Between two of these the
 * cells of the same kind are matched one by one.
 */
function byPlace(theirs: Source[], ours: Source[]): Map<number, string> {
  const found = new Map<number, string>();
  let mine = 0;
  let start = 0;
  const between = (untilTheirs: number, untilMine: number): void => {
    let next = mine;
    for (let index = start; index < untilTheirs; index++) {
      const at = ours.slice(next, untilMine).findIndex((cell) => isAlike(cell, theirs[index]!));
      if (at < 0) continue;
      found.set(index, ours[next + at]!.id);
      next += at + 1;
    }
  };
  theirs.forEach((cell, index) => {
    const at = ours.findIndex((own, place) => place >= mine && isSame(own, cell));
    if (at < 0) return;
    between(index, at);
    found.set(index, ours[at]!.id);
    mine = at + 1;
    start = index + 1;
  });
  between(theirs.length, ours.length);
  return found;
}

const isGraded = (cell: Source): boolean => cell.kind === "code" && (cell.metadata.tags ?? []).length === 0;
const isAlike = (one: Source, other: Source): boolean =>
  one.kind === other.kind && isGraded(one) === isGraded(other);

const isEqual = (one: Source, other: Source): boolean => one.kind === other.kind && one.source === other.source;

function isSame(own: Source, cell: Source): boolean {
  if (isEqual(own, cell)) return true;
  const names = isGraded(own) && isGraded(cell) ? namesIn(own.source) : [];
  const theirs = namesIn(cell.source);
  return names.some((name) => theirs.includes(name));
}

/** The names that a cell defines at its top level. */
function namesIn(source: string): string[] {
  const found = source.matchAll(/^(?:class|def)\s+(\w+)|^(\w+)\s*=(?!=)/gm);
  return [...found].map((match) => match[1] ?? match[2] ?? "");
}

/** Write the cells as a notebook. Outputs are left out: they are made again by running it. */
export function notebookOf(cells: Source[], untouched: Notebook): Notebook {
  return {
    ...untouched,
    cells: cells.map(({ id, kind, source, metadata }) => ({
      cell_type: kind,
      id,
      metadata,
      source: lines(source),
      ...(kind === "code" ? { execution_count: null, outputs: [] } : {}),
    })),
  };
}

/** Split a text as a notebook's file has it: each line with its end. */
function lines(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function textOf(cell: NotebookCell): string {
  return Array.isArray(cell.source) ? cell.source.join("") : cell.source;
}

function idOf(cell: NotebookCell): string | undefined {
  return typeof cell.id === "string" && /^[\w-]{1,64}$/.test(cell.id) ? cell.id : undefined;
}
