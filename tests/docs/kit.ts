// The Markdown files of the repository, and the parts of them that tests look at.
import { readFileSync, readdirSync } from 'node:fs';

export const ROOT = new URL('../../', import.meta.url);
export const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/** TypeDoc makes these pages; they are not in the repository. */
export const GENERATED = 'docs/reference/api/';

const inFolder = (folder: string): readonly string[] =>
  readdirSync(new URL(folder, ROOT), { recursive: true })
    .map((path) => `${folder}${String(path).replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.md') && !file.startsWith(GENERATED));

/** Paths of all Markdown files of the repository, from its root. */
export const markdownFiles = (): readonly string[] =>
  [...readdirSync(ROOT).filter((file) => file.endsWith('.md')), ...inFolder('docs/'), ...inFolder('tests/')].sort();

/** Files that users read: the README and the pages of the site. */
export const userPages = (): readonly string[] =>
  markdownFiles().filter((file) => file === 'README.md' || file.startsWith('docs/'));

export interface CodeBlock {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/** All fenced code blocks of a file. */
export function codeBlocks(file: string): readonly CodeBlock[] {
  const text = read(file);
  return [...text.matchAll(/^( *)```(\w*)[^\n]*\n([^]*?)^\1```/gm)].map(
    ({ index, 1: indent, 2: language, 3: code }) => ({
      file,
      line: text.slice(0, index).split('\n').length + 1,
      language: language!,
      code: indent ? code!.replaceAll(new RegExp(`^${indent}`, 'gm'), '') : code!,
    })
  );
}

export const withoutCode = (text: string): string =>
  text.replace(/^( *)```[^]*?^\1```/gm, '').replace(/^ {4}.*$/gm, '');

/** Anchors of a file's headings, without the `#`, as GitHub, npm and VitePress make them from plain headings. */
export function anchorsOf(text: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => {
    const plain = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\- _]/gu, '').replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}
