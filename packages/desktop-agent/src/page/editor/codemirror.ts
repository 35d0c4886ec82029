import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The longest line that is coloured, in characters. Parsing a line of 100,000 characters blocks the page. */
const longestColoured = 20_000;

/** The colours of the cards. They are custom properties, so they follow the light or dark theme. */
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], color: 'var(--_keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--_success)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--_info)' },
  { tag: tags.comment, color: 'var(--_muted)' },
  { tag: [tags.typeName, tags.tagName], color: 'var(--_accent-strong)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--_text)', backgroundColor: 'var(--_surface)', fontSize: '12px' },
  '&.cm-focused': { outline: '2px solid var(--_accent-strong)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--_mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--_text)' },
  '.cm-cursor': { borderLeftColor: 'var(--_text)' },
  '.cm-gutters': { color: 'var(--_muted)', backgroundColor: 'var(--_sunken)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--_hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--_accent-soft)',
  },
  '.cm-specialChar': { color: 'var(--_error)' },
});

interface EditorOptions {
  text: string;
  path: string;
  label: string;
  onText: (text: string) => void;
  onSave: () => void;
}

/**
 * An editor in a shadow root. CodeMirror adds its rules to its root. In a document they are a style element, which the page's
 * policy refuses. In a shadow root they are a sheet, which the policy allows.
 */
export function createEditor(parent: HTMLElement, options: EditorOptions): EditorView {
  const { text, path, label, onText, onSave } = options;
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  return new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        // This shows control characters and those that change the direction of writing.
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        syntaxHighlighting(colours),
        languageOf(path, text),
        look,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: () => (onSave(), true) },
          // Tab indents; Escape first gives it back to the page.
          indentWithTab,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onText(state.sliceDoc());
        }),
        // If both kinds of line ends occur, the `\r` is part of its line, so that nothing is changed unseen.
        EditorState.lineSeparator.of(/(?<!\r)\n/.test(text) || !text.includes('\n') ? '\n' : '\r\n'),
      ],
    }),
  });
}

function languageOf(path: string, text: string): Extension {
  const [, ending = ''] = /\.([cm]?[jt]sx?|json)$/i.exec(path) ?? [];
  if (ending === '' || text.split('\n').some((line) => line.length > longestColoured)) return [];
  return javascript({ typescript: /ts/i.test(ending), jsx: /x$/i.test(ending) });
}

/** Puts the cursor at the beginning of the line, and scrolls the line into the middle. */
export function goToLine(view: EditorView, line: number): void {
  const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
  view.focus();
}
