// Links of all Markdown files lead to files and headings that exist. The README is also shown by registries, where no
// other file stands beside it: its links are addresses of the repository.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { anchorsOf, GENERATED, markdownFiles, read, ROOT, userPages, withoutCode } from './kit';

const { repository, homepage, bugs, files } = JSON.parse(read('package.json')) as {
  repository: { url: string };
  homepage: string;
  bugs: string;
  files: string[];
};
const REPOSITORY = repository.url.replace(/^git\+|\.git$/g, '');
const PLACES = [
  `${REPOSITORY}/blob/main/`,
  `${REPOSITORY}/tree/main/`,
  `${REPOSITORY.replace('//github.com/', '//raw.githubusercontent.com/')}/main/`,
];
/** Pages of the repository that are no files. */
const PAGES = [`${REPOSITORY}/issues`, `${REPOSITORY}/security`];

const linksOf = (text: string): readonly string[] =>
  [
    ...withoutCode(text)
      .replace(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, url]) => url!);

/** What is wrong with a link of a file, or undefined. */
function complaint(from: string, link: string): string | undefined {
  const place = PLACES.find((each) => link.startsWith(each));
  if (/^(https?|mailto):/.test(link) && place === undefined)
    return link.startsWith(REPOSITORY) && !PAGES.includes(link)
      ? `${from}: ${link} is at no known place of the repository`
      : undefined;
  const [path = '', anchor] = (place === undefined ? link : link.slice(place.length)).split('#');
  const base = place === undefined ? new URL(from, ROOT) : ROOT;
  const url = path === '' ? new URL(from, ROOT) : new URL(path, base);
  const file = url.href.slice(ROOT.href.length);
  if (file.startsWith(GENERATED)) return undefined;
  if (!existsSync(fileURLToPath(url))) return `${from}: ${link} leads to ${file}, which does not exist`;
  return anchor === undefined || anchorsOf(read(file)).includes(anchor)
    ? undefined
    : `${from}: ${link}: ${file} has no such heading`;
}

test.each(markdownFiles())('%s has no dead link', (file) => {
  expect(
    linksOf(read(file))
      .map((link) => complaint(file, link))
      .filter(Boolean)
  ).toEqual([]);
});

test('pages of the site link to each other by relative paths', () => {
  const pages = userPages().filter((file) => file !== 'README.md');
  expect(pages.length).toBeGreaterThan(0);
  const absolute = pages.flatMap((file) => linksOf(read(file)).filter((link) => link.startsWith(`${PLACES[0]}docs/`)));
  expect(absolute).toEqual([]);
});

describe('README.md', () => {
  test('has at most 200 lines and 12 KB', () => {
    const text = read('README.md');
    expect(text.split('\n').length).toBeLessThanOrEqual(200);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(12 * 1024);
  });

  test('links by whole addresses, since registries show it without the other files', () => {
    expect(linksOf(read('README.md')).length).toBeGreaterThan(20);
    expect(linksOf(read('README.md')).filter((link) => !/^(https:|#)/.test(link))).toEqual([]);
    expect([homepage, bugs].map((url) => url.startsWith(REPOSITORY))).toEqual([true, true]);
    expect(files).toContain('CHANGELOG.md');
  });

  test('begins with the installation and a picture, and has the two commands for a checkout', () => {
    const text = read('README.md');
    expect(text).toMatch(/^# Rasterloom\n\n {4}npm install rasterloom\n\n!\[/);
    for (const needed of ['npm ci && npm run sample', 'npm test', 'src/render/types.ts', 'assembly/loop/tile.ts'])
      expect(text).toContain(needed);
  });
});

test('CONTRIBUTING.md has at most 6 KB', () => {
  expect(Buffer.byteLength(read('CONTRIBUTING.md'))).toBeLessThanOrEqual(6 * 1024);
});

test('links that are wrong are found', () => {
  expect(complaint('README.md', '#nowhere')).toBe('README.md: #nowhere: README.md has no such heading');
  expect(complaint('README.md', `${PLACES[0]}gone.md`)).toContain('leads to gone.md, which does not exist');
  expect(complaint('docs/glossary.md', 'gone.md')).toContain('leads to docs/gone.md, which does not exist');
  expect(complaint('README.md', `${REPOSITORY}/wiki`)).toContain('is at no known place of the repository');
  expect(complaint('README.md', 'https://www.w3.org/')).toBeUndefined();
});

test.each(userPages())('%s names only files that exist', (page) => {
  const paths = [...read(page).matchAll(/`((?:src|assembly|tests|bench|examples|docs)\/[\w./-]*[\w/])`/g)].map(
    ([, path]) => path!
  );
  expect(paths.filter((path) => !existsSync(fileURLToPath(new URL(path, ROOT))))).toEqual([]);
});
