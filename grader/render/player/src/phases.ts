/** The three parts of a walk, with the one that the player is in marked. */

import { el, setAttribute } from "./dom";
import type { Step } from "./types";

const NAMES = ["Forward pass", "Seed", "Backward pass"];
const KINDS: Record<Step["kind"], number> = { forward: 0, seed: 1, call: 2, set: 2 };

export class Phases {
  private readonly items = NAMES.map((name) => el("li", {}, name));
  readonly element = el("ol", { class: "phases", "aria-label": "Where the walk is" }, ...this.items);

  /** Mark the phase of a step, none before the first one; return its name. */
  update(step: Step | null): string {
    const at = step ? KINDS[step.kind] : -1;
    this.items.forEach((item, index) => setAttribute(item, "aria-current", index === at ? "step" : null));
    return NAMES[at] ?? "";
  }
}
