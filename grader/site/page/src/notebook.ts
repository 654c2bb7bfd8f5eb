// Between the notebook's file and the cells of a page.

import type { Notebook, NotebookCell, Source } from "./types";

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
    throw new NotANotebook("This file is not a notebook: it is no JSON.");
  }
  const notebook = found as Partial<Notebook> | null;
  const cells = notebook?.cells;
  if (!Array.isArray(cells) || !cells.every(isCell)) {
    throw new NotANotebook("This file is not a notebook: it has no cells.");
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

/**
 * Put the cells of an opened notebook into the untouched one's places.
 *
 * A cell is known by its id, else as the next one between two cells that nobody changed. What is in neither way known is
 * somebody's own cell, and stays after the cell that stood before it.
 */
export function placed(opened: Notebook, untouched: Notebook): Source[] {
  const theirs = cellsOf(opened);
  const ours = cellsOf(untouched);
  const ids = new Set(ours.map((cell) => cell.id));
  const known = opened.cells.some((cell) => ids.has(idOf(cell) ?? ""))
    ? byId(theirs, ids)
    : byPlace(theirs, ours);
  const result: Source[] = [];
  const extras = new Map<string, Source[]>(); // own cells, by the id of ours that they follow
  let last = "";
  const taken = new Map<string, Source>();
  const used = new Set(ids);
  theirs.forEach((cell, index) => {
    const id = known.get(index);
    if (id !== undefined && !taken.has(id)) {
      taken.set(id, cell);
      last = id;
    } else {
      const id = used.has(cell.id) ? `own-${used.size}` : cell.id;
      used.add(id);
      extras.set(last, [...(extras.get(last) ?? []), { ...cell, id }]);
    }
  });
  result.push(...(extras.get("") ?? []));
  for (const cell of ours) {
    const theirsOfIt = taken.get(cell.id);
    const source = cell.kind === "code" && theirsOfIt ? theirsOfIt.source : cell.source;
    result.push({ ...cell, source }, ...(extras.get(cell.id) ?? []));
  }
  return result;
}

function byId(theirs: Source[], ids: Set<string>): Map<number, string> {
  return new Map(theirs.flatMap((cell, index) => (ids.has(cell.id) ? [[index, cell.id] as const] : [])));
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

function isSame(own: Source, cell: Source): boolean {
  if (own.kind === cell.kind && own.source === cell.source) return true;
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
