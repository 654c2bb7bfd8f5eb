/** The part of the lesson to watch: a preset, its leaves, its player and the parts that show the same walk. */

import { arrayOf, nested, readArray } from "./arrays";
import { button, el, freshId, marked, setAttribute, setText } from "./dom";
import { trace } from "./engine";
import { mountFailed } from "./failed";
import type { Graph } from "./engine";
import { isLeaf, isName, nameOf } from "./names";
import { shapeOf, show } from "./numbers";
import { leavesOf, parse } from "./parse";
import { Player } from "./player";
import type { Moment } from "./player";
import type { Preset } from "./presets";
import type { Num, Trace } from "./types";

/** A part that shows the same walk as the player. */
export interface Companion {
  update(moment: Moment, graph: Graph, values: Record<string, Num>): void;
}

/** What the reader did: played a preset to its end, chose an edge, edited a leaf. */
export interface Deeds {
  played: (preset: Preset) => void;
  edge: () => void;
  leaf: () => void;
}

/** A graph as an engine elsewhere builds it: a step has a name, an operation, and names of nodes or numbers. */
export type Recipe = [string, string, (string | Num)[]][];

/** What an engine elsewhere made of a graph, and a sentence about why there is no more. */
export interface Played {
  trace: Trace | null;
  words: string;
}

/** Runs a graph in the reader's own engine; `say` hears how far it is. */
export type Engine = (leaves: Record<string, unknown>, steps: Recipe, say: (words: string) => void) => Promise<Played>;

const FIRST = [2, -3, 10, 0.5, 4, -1]; // the numbers of leaves that get none
const MOST = 40; // nodes of a graph that is typed

export class Watch {
  private preset: Preset;
  private graph!: Graph;
  private values: Record<string, Num> = {};
  private player: Player | null = null;
  private companions: Companion[] = [];
  private readonly radios: HTMLInputElement[] = [];
  private readonly note = el("p", { class: "note" });
  private readonly text = el("code", { class: "expression" });
  private readonly leaves = el("div", { class: "leaves" });
  private readonly stage = el("div", { class: "stage" });
  /** The place beside the player, which stays in view while one steps. */
  readonly side = el("div", { class: "side" });
  private readonly said = el("p", { class: "said", role: "status" });
  private readonly own = el("div", { class: "own" });
  private readonly id = freshId("expression");
  private readonly typed = el("input", { id: this.id, type: "text", autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
  private readonly trouble = el("p", { class: "trouble", role: "alert", id: `${this.id}-trouble` });

  /** With an `engine` a graph can be played in it, too. */
  constructor(
    parent: HTMLElement,
    private readonly presets: Preset[],
    private readonly deeds: Deeds,
    engine: Engine | null = null,
  ) {
    this.preset = presets[0];
    this.typed.placeholder = presets[0].text;
    const fields = el(
      "fieldset",
      { class: "values" },
      el("legend", {}, "Leaves"),
      this.leaves,
      this.resetButton(),
    );
    parent.append(this.chooser(), this.typing(), el("p", { class: "given" }, this.text), this.note, fields);
    if (engine) parent.append(button("Run in my engine", () => void this.run(engine), { class: "engine" }), this.said, this.own);
    parent.append(el("div", { class: "beside" }, this.side, this.stage));
    this.open(this.preset);
  }

  /** Add a part below the player; it shows the present state at once. */
  add(companion: Companion): void {
    this.companions.push(companion);
    this.player?.go(this.player.position);
  }

  private chooser(): HTMLElement {
    const group = freshId("preset");
    const choices = this.presets.map((preset) => {
      const input = el("input", {
        type: "radio",
        name: group,
        value: preset.id,
        checked: preset === this.preset,
      });
      this.radios.push(input);
      input.addEventListener("change", () => this.open(preset));
      return el("label", { class: "choice" }, input, el("span", {}, preset.name));
    });
    return el("fieldset", { class: "presets" }, el("legend", {}, "Graph"), ...choices);
  }

  /** A field for an expression of the reader's. */
  private typing(): HTMLElement {
    const form = el(
      "form",
      { class: "typing" },
      el("label", { for: this.id }, "Your own expression"),
      el("span", { class: "pair" }, this.typed, el("button", {}, "Play it")),
      this.trouble,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const words = this.type(this.typed.value);
      setText(this.trouble, words);
      setAttribute(this.typed, "aria-invalid", words ? "true" : null);
      setAttribute(this.typed, "aria-describedby", words ? this.trouble.id : null);
    });
    return form;
  }

  /** Open a typed expression; return why it cannot be. Leaves keep the numbers that they have. */
  private type(text: string): string {
    try {
      const names = leavesOf(text);
      const leaves = Object.fromEntries(names.map((name, at) => [name, this.values[name] ?? this.firstOf(name, at)]));
      const graph = parse(text, leaves);
      const { nodes } = graph;
      trace(graph, leaves); // raises for arrays that do not fit
      if (nodes.length > MOST) return `This graph has ${nodes.length} nodes. Write one with at most ${MOST}.`;
      for (const radio of this.radios) radio.checked = false;
      this.open({ id: "own", name: "your expression", text, leaves, watch: "" });
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** The number, or the array, that a new leaf begins with: of arrays those fit each other. */
  private firstOf(name: string, at: number): Num {
    if (!Object.values(this.presets[0].leaves).some(shapeOf)) return FIRST[at % FIRST.length];
    return readArray(/^[A-Z]/.test(name) ? "[[1, 2], [3, 4]]" : "[0.5, -1]");
  }

  /** Play the graph in the reader's own engine, and show its walk beside a right one. */
  private async run(engine: Engine): Promise<void> {
    const { graph, values } = this;
    const { nodes } = graph;
    const names = nodes.map((node, index) => (isName(node.name) ? node.name : `${node.name} ${index}`));
    const steps = nodes.flatMap(({ op, inputs }, index): Recipe =>
      isLeaf(nodes[index])
        ? []
        : [[names[index], op, inputs.map(({ node, value }) => (node === null ? value : names[node]))]],
    );
    this.clear("Your engine runs …");
    try {
      const found = await engine(plain(values), steps, (words) => setText(this.said, words));
      if (graph !== this.graph || values !== this.values) return; // another one was chosen meanwhile
      this.clear(found.words);
      if (found.trace) mountFailed(this.own, { check: "your engine", title: "", trace: found.trace });
      else if (!found.words) setText(this.said, "Your engine made no graph that can be shown.");
    } catch (error) {
      if (graph === this.graph) this.clear(error instanceof Error ? error.message : String(error));
    }
  }

  private clear(words: string): void {
    this.said.replaceChildren(...marked(words));
    this.own.replaceChildren();
  }

  private open(preset: Preset): void {
    this.clear("");
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
    const array = shapeOf(this.values[name]);
    const text = String(this.values[name]).replace(/^.*\) /, "");
    const input = el("input", array ? { type: "text", class: "array", id, value: text } : { type: "number", step: "any", id, value: text });
    const trouble = el("span", { class: "trouble", role: "alert", id: `${id}-trouble` });
    input.addEventListener("input", () => {
      let words = "";
      try {
        const value = array ? readArray(input.value) : input.valueAsNumber;
        if (typeof value === "number" && !Number.isFinite(value)) throw new Error("This is not a number.");
        this.edit({ ...this.values, [name]: value });
      } catch (error) {
        words = `${error instanceof Error ? error.message : String(error)} ${name} stays ${show(this.values[name])}.`;
      }
      setText(trouble, words);
      setAttribute(input, "aria-invalid", words ? "true" : null);
      setAttribute(input, "aria-describedby", words ? trouble.id : null);
    });
    return el("span", { class: "leaf" }, el("label", { for: id }, name), input, trouble);
  }

  private edit(values: Record<string, Num>): void {
    const made = trace(this.graph, values); // raises for arrays that do not fit
    this.clear("");
    this.values = values;
    this.player?.replace(made);
    this.deeds.leaf();
  }

  private resetButton(): HTMLElement {
    return button("Reset numbers", () => {
      const { graph } = this;
      this.clear("");
      this.values = { ...this.preset.leaves };
      this.leaves.replaceChildren(...graph.leaves.map((leaf) => this.field(nameOf(graph.nodes, leaf))));
      this.player?.replace(trace(graph, this.values));
    });
  }
}

/** The numbers of leaves, arrays as nested lists. */
function plain(values: Record<string, Num>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "number" ? value : nested(arrayOf(value)!)]),
  );
}
