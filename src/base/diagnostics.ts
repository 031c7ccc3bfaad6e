// Diagnostics: messages to shader authors, and their rendering as text.

import { inColumns } from './printable';

/** A half-open range of UTF-16 offsets into a source text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type Severity = 'error' | 'warning' | 'info';

/** An additional remark of a diagnostic: a suggestion, or the location of the other half of a conflict. */
export interface Note {
  readonly message: string;
  readonly span?: Span;
}

export interface Diagnostic {
  /** Stable identifier of the mistake, for tests and for searching: `unknown-identifier`. */
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  readonly notes?: readonly Note[];
}

/** A position in a text. Line and column start at 1; columns count UTF-16 code units. */
interface Location {
  readonly line: number;
  readonly column: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Tests for WGSL's line breaks (specification §3.2): LF, VT, FF, CR, CR LF, NEL, LS, PS. */
function isLineBreak(code: number): boolean {
  return (code >= LINE_FEED && code <= CARRIAGE_RETURN) || code === 0x85 || code === 0x2028 || code === 0x2029;
}

/** Returns the line and column of an offset. Offsets past the end count as the end. */
export function locate(source: string, offset: number): Location {
  const end = Math.min(offset, source.length);
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < end; i++) {
    const code = source.charCodeAt(i);
    if (!isLineBreak(code)) continue;
    // CR LF is one break; it is counted at the LF.
    if (code === CARRIAGE_RETURN && source.charCodeAt(i + 1) === LINE_FEED) continue;
    line++;
    lineStart = i + 1;
  }
  return { line, column: end - lineStart + 1 };
}

function lineAround(source: string, offset: number): Span {
  let start = Math.min(offset, source.length);
  while (start > 0 && !isLineBreak(source.charCodeAt(start - 1))) start--;
  let end = Math.min(offset, source.length);
  while (end < source.length && !isLineBreak(source.charCodeAt(end))) end++;
  return { start, end };
}

/** Most UTF-16 code units of a line that are shown. Generated code can be one line of a megabyte. */
const LINE_LIMIT = 200;
/** UTF-16 code units that are shown before the caret in a long line. */
const LINE_LEAD = 80;

function excerpt(source: string, around: Span, start: number, width: number): { line: string; carets: string } {
  const long = around.end - around.start > LINE_LIMIT;
  const from = long ? Math.max(around.start, start - LINE_LEAD) : around.start;
  const to = long ? Math.min(around.end, from + LINE_LIMIT) : around.end;
  const before = from > around.start ? '…' : '';
  const after = to < around.end ? '…' : '';
  const indent = (before + source.slice(from, start)).replace(/[^\t]/g, ' ');
  return {
    line: before + inColumns(source.slice(from, to)) + after,
    carets: indent + '^'.repeat(Math.min(width, Math.max(1, to - start))),
  };
}

/**
 * Renders a diagnostic as text:
 *
 *     error[unknown-identifier]: unknown identifier 'colour'
 *      --> 3:10
 *     3 |   return colour;
 *       |          ^^^^^^
 *       = did you mean 'color'?
 *
 * Tabs before the caret are kept, so that the caret lines up at any tab width. A span over more than one line is marked
 * to the end of its first line. An empty span gets one caret. Of a very long line, only the part around the caret is
 * shown.
 */
export function renderDiagnostic(source: string, diagnostic: Diagnostic): string {
  const { code, severity, message, span, notes } = diagnostic;
  const { line, column } = locate(source, span.start);
  const around = lineAround(source, span.start);
  const start = Math.min(span.start, source.length);
  const width = Math.max(1, Math.min(span.end, around.end) - start);
  const number = String(line);
  const gutter = ' '.repeat(number.length);
  const shown = excerpt(source, around, start, width);
  let text = `${severity}[${code}]: ${message}\n${gutter}--> ${line}:${column}\n`;
  text += `${number} | ${shown.line}\n${gutter} | ${shown.carets}`;
  for (const note of notes ?? []) {
    text += `\n${gutter} = ${note.message}`;
    if (note.span !== undefined) {
      const at = locate(source, note.span.start);
      text += ` (${at.line}:${at.column})`;
    }
  }
  return text;
}

/** Renders diagnostics in the order of the source text, separated by blank lines. */
export function renderDiagnostics(source: string, diagnostics: readonly Diagnostic[]): string {
  return [...diagnostics]
    .sort((a, b) => a.span.start - b.span.start)
    .map((diagnostic) => renderDiagnostic(source, diagnostic))
    .join('\n\n');
}
