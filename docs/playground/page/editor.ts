// The WGSL editor: CodeMirror, with marks where the front end finds problems.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { CheckMessage } from '../worker/check';
import { wgslSupport } from './wgsl-language';

const LOOK = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: 'var(--card)', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--card)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent) !important',
  },
  '.cm-tooltip': { backgroundColor: 'var(--card)', color: 'var(--text)', borderColor: 'var(--line)' },
});

export class Editor {
  readonly #view: EditorView;
  #isSetting = false;

  /** @param onEdit called after a person has changed the text */
  constructor(parent: HTMLElement, onEdit: (code: string) => void) {
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          highlightActiveLineGutter(),
          highlightActiveLine(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          lintGutter(),
          wgslSupport,
          LOOK,
          // Tab leaves the editor, as people who use the keyboard expect; Ctrl-] indents.
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          EditorView.contentAttributes.of({ 'aria-label': 'WGSL shader', spellcheck: 'false', tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !this.#isSetting) onEdit(update.state.doc.toString());
          }),
        ],
      }),
    });
  }

  get code(): string {
    return this.#view.state.doc.toString();
  }

  /** Shows another text, without calling `onEdit`. */
  set code(code: string) {
    this.#isSetting = true;
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: code } });
    this.#view.dispatch(setDiagnostics(this.#view.state, []));
    this.#view.scrollDOM.scrollTop = 0;
    this.#isSetting = false;
  }

  mark(messages: readonly CheckMessage[]): void {
    const { length } = this.#view.state.doc;
    const marks = messages.map(({ type, message, offset, length: size, line, column }) => {
      const from = Math.min(offset, length);
      return {
        from,
        to: Math.min(Math.max(from + size, from), length),
        severity: type,
        message: `${line}:${column}: ${message}`,
      };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, marks));
  }

  /** Puts the cursor to a place. */
  goTo(offset: number): void {
    const anchor = Math.min(offset, this.#view.state.doc.length);
    this.#view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    this.#view.focus();
  }
}
