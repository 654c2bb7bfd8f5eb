// An editor for one cell. Tab indents, as in a notebook; Escape and then Tab leaves, which its description says.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import { classHighlighter } from "@lezer/highlight";
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { hangingIndent } from "./wrap";

export type Editor = { text: () => string; set: (text: string) => void; lock: (locked: boolean) => void; show: (line: number) => void };

const mark = StateEffect.define<number>(); // the line that starts here
/** The line that feedback speaks of, until the text changes. */
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, { docChanged, effects }) => {
    const [found] = effects.filter((effect) => effect.is(mark));
    if (found !== undefined) return Decoration.set(Decoration.line({ class: "spoken-of" }).range(found.value as number));
    return docChanged ? Decoration.none : before;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Make an editor. `run` is told whether the reader goes on to the next cell. */
export function editor(
  parent: HTMLElement,
  text: string,
  label: string,
  changed: (text: string) => void,
  run: (goOn: boolean) => void,
): Editor {
  const locking = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          { key: "Ctrl-Enter", mac: "Cmd-Enter", run: () => (run(false), true) },
          { key: "Shift-Enter", run: () => (run(true), true) },
          indentWithTab,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        lineNumbers(),
        history(),
        drawSelection(),
        python(),
        indentUnit.of("    "),
        indentOnInput(),
        bracketMatching(),
        syntaxHighlighting(classHighlighter),
        EditorView.lineWrapping,
        hangingIndent,
        marked,
        EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": "keys" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
        locking.of([]),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    set: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    lock: (locked) =>
      view.dispatch({ effects: locking.reconfigure(locked ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : []) }),
    show: (number) => {
      const line = view.state.doc.line(Math.min(number, view.state.doc.lines));
      view.dispatch({ selection: { anchor: line.from }, effects: [mark.of(line.from), EditorView.scrollIntoView(line.from, { y: "center" })] });
      view.focus();
    },
  };
}
