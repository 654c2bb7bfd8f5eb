/** The buttons and the slider that move a player through its steps. */

import { button, el, freshId, setAttribute, setText } from "./dom";

/** What the controls ask of their player; `go` takes a number of steps. */
export interface Moves {
  go: (index: number) => void;
  by: (steps: number) => void;
  last: () => void;
  wrong: () => void;
  toggle: () => void;
}

export class Controls {
  readonly element: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly count = el("span", { class: "count", "aria-hidden": "true" });
  private readonly tick = el("span", { class: "tick", "aria-hidden": "true" }, "✗");
  private readonly back: HTMLButtonElement[];
  private readonly play: HTMLButtonElement;
  private readonly forward: HTMLButtonElement[];
  private readonly wrong: HTMLButtonElement;

  constructor(title: string, moves: Moves) {
    this.back = [button("First", () => moves.go(0)), button("Back", () => moves.by(-1))];
    this.play = button("Play", moves.toggle, { class: "play" });
    this.forward = [button("Forward", () => moves.by(1)), button("Last", moves.last)];
    this.wrong = button("First wrong step", moves.wrong);
    const id = freshId("step");
    this.slider = el("input", {
      type: "range",
      id,
      "aria-label": `Step of ${title}`,
      min: 0,
      max: 0,
      step: 1,
    });
    this.slider.addEventListener("input", () => moves.go(this.slider.valueAsNumber));
    this.element = el(
      "div",
      { class: "controls", role: "group", "aria-label": "Steps" },
      el("span", { class: "buttons" }, ...this.back, this.play, ...this.forward, this.wrong),
      el("span", { class: "slide" }, el("span", { class: "slot" }, this.slider, this.tick), this.count),
    );
  }

  /** Set the number of steps; `wrong` is where the first wrong step is marked, null nowhere. */
  reach(length: number, wrong: number | null): void {
    setAttribute(this.slider, "max", length);
    this.wrong.hidden = wrong === null;
    this.tick.hidden = wrong === null;
    // The middle of the slider's thumb, which is 16 px wide, stays inside the slider.
    if (wrong !== null) this.tick.style.left = `calc(8px + (100% - 16px) * ${wrong / Math.max(1, length)})`;
  }

  /** Show where the player is; `words` say what the step did. */
  update(index: number, length: number, words: string): void {
    const place = `Step ${index} of ${length}`;
    this.slider.value = String(index);
    setAttribute(this.slider, "aria-valuetext", `${place}: ${words}`);
    setText(this.count, place);
    // A disabled button would lose the focus: these stay in the order and say that they have nothing to do.
    for (const each of this.back) setAttribute(each, "aria-disabled", index === 0 ? "true" : null);
    for (const each of this.forward) setAttribute(each, "aria-disabled", index === length ? "true" : null);
  }

  /** Say whether the player plays. */
  playing(plays: boolean): void {
    setText(this.play, plays ? "Pause" : "Play");
  }
}
