/** The data of a page: what `grader/report.py` writes as JSON, and what the parts of the player hand each other. */

/** A number; a text if it is not finite ("nan") or no number at all ("a Value"). */
export type Num = number | string;

/** One input of a node: another node by its index, or the plain number `value`; `local` is the right local derivative. */
export interface TraceInput {
  node: number | null;
  value: Num;
  local: Num;
}

/** `op` is "", "+", "-", "*", "/", "**", "neg", "exp", "log", "tanh", "relu" or another method's name; "" is a leaf. */
export interface TraceNode {
  name: string;
  op: string;
  inputs: TraceInput[];
}

/** `changes` has each node that changed: its data after a forward step, else its gradient. */
export interface Step {
  kind: "forward" | "seed" | "call" | "set";
  node: number;
  changes: [number, Num][];
}

/** `right` may be empty; `wrong` is the index of the first wrong step of `student`, or null. `field` holds a gradient.
 * Numbers that differ by at most `rounding` are equal but for rounding. */
export interface Trace {
  given: string;
  nodes: TraceNode[];
  student: Step[];
  right: Step[];
  wrong: number | null;
  words: string;
  field?: string;
  rounding?: number;
}

/** A trace with the check that it belongs to. */
export interface Shown {
  check: string;
  title: string;
  trace: Trace;
}

/** What the page is for: the whole lesson, the graphs inside a report, or one graph below a notebook's cell. */
export interface PageData {
  mode: "play" | "report" | "inline";
  traces: Shown[];
  arrays?: boolean; // whether the lesson's graphs hold arrays
}

/** Data and gradients after `index` steps; null is not computed yet. `step` is the last of them, null before the first. */
export interface State {
  data: (Num | null)[];
  grad: (Num | null)[];
  step: Step | null;
  index: number;
}
