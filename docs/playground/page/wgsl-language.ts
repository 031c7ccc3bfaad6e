// Colours of WGSL in the editor: words, numbers, attributes and comments.
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';

const KEYWORDS = new Set(
  (
    'alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if '
    + 'let loop override requires return struct switch true var while'
  ).split(' ')
);
const TYPE =
  /^(bool|[iuf]32|f16|vec[234][iufh]?|mat[234]x[234][fh]?|array|atomic|ptr|sampler(_comparison)?|texture_\w+)$/;

interface State {
  /** Depth of nested block comments. */
  depth: number;
}

const wgsl = StreamLanguage.define<State>({
  name: 'wgsl',
  startState: () => ({ depth: 0 }),
  token(stream, state) {
    if (state.depth > 0 || stream.match('/*')) {
      if (state.depth === 0) state.depth = 1;
      while (state.depth > 0 && !stream.eol()) {
        if (stream.match('*/')) state.depth--;
        else if (stream.match('/*')) state.depth++;
        else stream.next();
      }
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (stream.match('//')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^@\s*[A-Za-z_]\w*/)) return 'meta';
    if (stream.match(/^(0[xX][\da-fA-F.]+([pP][+-]?\d+)?|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)[iufh]?/)) return 'number';
    const word = stream.match(/^[\p{XID_Start}_]\p{XID_Continue}*/u) as RegExpMatchArray | null;
    if (word) {
      if (KEYWORDS.has(word[0])) return 'keyword';
      if (TYPE.test(word[0])) return 'typeName';
      return stream.match(/^\s*\(/, false) ? 'function' : 'variableName';
    }
    stream.next();
    return null;
  },
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{'] },
  },
  tokenTable: { function: tags.function(tags.variableName) },
});

const colors = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--keyword)' },
  { tag: tags.typeName, color: 'var(--type)' },
  { tag: tags.number, color: 'var(--number)' },
  { tag: tags.comment, color: 'var(--comment)', fontStyle: 'italic' },
  { tag: tags.meta, color: 'var(--attribute)' },
  { tag: tags.function(tags.variableName), color: 'var(--function)' },
]);

export const wgslSupport = [wgsl, syntaxHighlighting(colors)];
