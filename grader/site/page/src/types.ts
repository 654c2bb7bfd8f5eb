// What a page gets with it, what it keeps, and what it asks Python for.

export type Source = { id: string; kind: "code" | "markdown" | "raw"; source: string; metadata: Metadata };
export type Metadata = { tags?: string[]; [key: string]: unknown };

/** The data of a day's page. `notebook` is the untouched one; the site's addresses are relative to the page. */
export type Day = {
  name: string;
  title: string;
  submission: string;
  seconds: number; // that a cell may run
  notebook: Notebook;
  checks: Record<string, { title: string; points: number; hints: string[]; manual: boolean }>;
  asks: Record<string, string>; // the check that a cell asks for, by the cell's id
  hand_in: string; // the address of the page that takes the file; empty if there is none
  runtime: { script: string; packages: string; course: string; numpy: string; bytes: number };
  worker: string;
};

export type Notebook = {
  cells: NotebookCell[];
  metadata: Record<string, unknown>;
  nbformat: number;
  nbformat_minor: number;
};
export type NotebookCell = {
  cell_type: "code" | "markdown" | "raw";
  id?: string;
  metadata?: Metadata;
  source: string | string[];
  [key: string]: unknown;
};

/** What is kept of a day in the browser. */
export type Work = {
  cells: Source[];
  given?: Source[]; // as the day's release had them that the work is on; not in works of earlier versions
  hints: Record<string, string[] | number>; // given so far, by check; how many in works of earlier versions
  results: Record<string, Result>; // of the last time that each was checked
  undo: Change[]; // what takes back each of the last changes that a button made, the newest last
  redo: Change[]; // what makes each again that was taken back
  unsaved?: number; // when the first edit was made that no saved file has, in milliseconds since 1970
  reminded?: boolean; // of that file
};

/** Cells that get another text, or that come or go (`null`); one that comes stands after the cell `after`. */
export type Change = { id: string; cell: Source | null; after: string }[];

export type Output = { kind: "text" | "error" | "memory" | "picture"; text: string };
export type Result = { outcome: string; score: number; hints?: string[] };
export type Checked = { html: string; checks: ({ id: string } & Result)[] };
