// Long lines of code go on below their own beginning, so that Python's indentation is seen on a phone, too.

import { countColumn, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

const FURTHER = 2; // columns to the right of the line's own indentation
const TAB = 4;

function hanging(view: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const columns = countColumn(line.text, TAB, line.text.search(/\S|$/)) + FURTHER;
      found.add(line.from, line.from, Decoration.line({ attributes: { style: `--hang: ${columns}ch` } }));
      at = line.to + 1;
    }
  }
  return found.finish();
}

/** The extension of an editor. The style sheet of the page makes an indent of `--hang`. */
export const hangingIndent = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = hanging(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = hanging(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
