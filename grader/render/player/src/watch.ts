/** The part of the lesson to watch: a preset, its leaves, its player and the parts that show the same walk. */

import { button, el, freshId, setAttribute, setText } from "./dom";
import { trace } from "./engine";
import type { Graph } from "./engine";
import { nameOf } from "./names";
import { show } from "./numbers";
import { parse } from "./parse";
import { Player } from "./player";
import type { Moment } from "./player";
import { PRESETS } from "./presets";
import type { Preset } from "./presets";

/** A part that shows the same walk as the player. */
export interface Companion {
  update(moment: Moment, graph: Graph, values: Record<string, number>): void;
}

/** What the reader did: played a preset to its end, chose an edge, edited a leaf. */
export interface Deeds {
  played: (preset: Preset) => void;
  edge: () => void;
  leaf: () => void;
}

export class Watch {
  private preset: Preset = PRESETS[0];
  private graph!: Graph;
  private values: Record<string, number> = {};
  private player: Player | null = null;
  private companions: Companion[] = [];
  private readonly note = el("p", { class: "note" });
  private readonly text = el("code", { class: "expression" });
  private readonly leaves = el("div", { class: "leaves" });
  private readonly stage = el("div", { class: "stage" });

  constructor(
    parent: HTMLElement,
    private readonly deeds: Deeds,
  ) {
    const fields = el(
      "fieldset",
      { class: "values" },
      el("legend", {}, "Leaves"),
      this.leaves,
      this.resetButton(),
    );
    parent.append(this.chooser(), el("p", { class: "given" }, this.text), this.note, fields, this.stage);
    this.open(this.preset);
  }

  /** Add a part below the player; it shows the present state at once. */
  add(companion: Companion): void {
    this.companions.push(companion);
    this.player?.go(this.player.position);
  }

  private chooser(): HTMLElement {
    const group = freshId("preset");
    const choices = PRESETS.map((preset) => {
      const input = el("input", {
        type: "radio",
        name: group,
        value: preset.id,
        checked: preset === this.preset,
      });
      input.addEventListener("change", () => this.open(preset));
      return el("label", { class: "choice" }, input, el("span", {}, preset.name));
    });
    return el("fieldset", { class: "presets" }, el("legend", {}, "Graph"), ...choices);
  }

  private open(preset: Preset): void {
    this.preset = preset;
    this.values = { ...preset.leaves };
    this.graph = parse(preset.text, this.values);
    setText(this.text, preset.text);
    setText(this.note, preset.watch);
    this.leaves.replaceChildren(
      ...this.graph.leaves.map((leaf) => this.field(nameOf(this.graph.nodes, leaf))),
    );
    this.player?.pause();
    this.player = null;
    this.stage.replaceChildren();
    let opened = false;
    this.player = new Player(this.stage, trace(this.graph, this.values), {
      title: preset.name,
      edge: this.deeds.edge,
      step: (moment) => {
        for (const companion of this.companions) companion.update(moment, this.graph, this.values);
        if (opened && moment.index === moment.length) this.deeds.played(preset);
        opened = true;
      },
    });
  }

  private field(name: string): HTMLElement {
    const id = freshId("leaf");
    const input = el("input", { type: "number", step: "any", id, value: String(this.values[name]) });
    const trouble = el("span", { class: "trouble", role: "alert", id: `${id}-trouble` });
    input.addEventListener("input", () => {
      const value = input.valueAsNumber;
      const good = Number.isFinite(value);
      setText(trouble, good ? "" : `This is no number. ${name} stays ${show(this.values[name])}.`);
      setAttribute(input, "aria-invalid", good ? null : "true");
      setAttribute(input, "aria-describedby", good ? null : trouble.id);
      if (good) this.edit({ ...this.values, [name]: value });
    });
    return el("span", { class: "leaf" }, el("label", { for: id }, name), input, trouble);
  }

  private edit(values: Record<string, number>): void {
    this.values = values;
    this.player?.replace(trace(this.graph, values));
    this.deeds.leaf();
  }

  private resetButton(): HTMLElement {
    return button("Reset numbers", () => {
      const { graph } = this;
      this.values = { ...this.preset.leaves };
      this.leaves.replaceChildren(...graph.leaves.map((leaf) => this.field(nameOf(graph.nodes, leaf))));
      this.player?.replace(trace(graph, this.values));
    });
  }
}
