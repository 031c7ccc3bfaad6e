// Where a shader's text is in the user's files, for messages of errors.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ShaderReport } from '../../index';

/** A file, and the position in it at which the text begins. */
interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const shownPath = (path: string): string => {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
};

const FRAME = /(?:\(|at )(?:async )?((?:file:\/\/)?\/?[^():\n]*[/\\][^():\n]+):\d+:\d+\)?$/;

/** Finds the text in the files of the callers, which contain it as a template literal. */
export function findSource(code: string, file: string | undefined): Place | undefined {
  if (file !== undefined) return { file: shownPath(pathOf(file)), line: 1, column: 1 };
  if (code.trim() === '') return undefined;
  const files = new Set<string>();
  for (const line of (new Error().stack ?? '').split('\n')) {
    const path = FRAME.exec(line.trim())?.[1];
    if (path !== undefined && !path.startsWith('node:')) files.add(pathOf(path));
  }
  for (const path of files) {
    if (path.includes('node_modules') || !existsSync(path)) continue;
    const text = readFileSync(path, 'utf8');
    const at = text.indexOf(code);
    if (at < 0) continue;
    const before = text.slice(0, at).split('\n');
    return { file: shownPath(path), line: before.length, column: before.at(-1)!.length + 1 };
  }
  return undefined;
}

const pathOf = (file: string): string => (file.startsWith('file:') ? fileURLToPath(file) : file.replace(/\?.*$/, ''));

/** Replaces the positions in a message by those in the user's file. @param shift characters before the first line */
export const placed = (text: string, place: Place | undefined, shift = 0): string =>
  text.replace(/ --> (\d+):(\d+)/g, (_, line: string, column: string) => {
    const own = Number(line) === 1 ? Number(column) - shift + (place?.column ?? 1) - 1 : Number(column);
    return ` --> ${place?.file ?? 'shader'}:${Number(line) + (place?.line ?? 1) - 1}:${own}`;
  });

/** The errors of a report, each with its position in the user's file. */
export const errorText = (report: ShaderReport, place: Place | undefined): string =>
  report.messages
    .filter(({ type }) => type === 'error')
    .map(({ text }) => placed(text, place))
    .join('\n');
