// SECTIONS.md of the two specifications: every section lists existing tests, or a reason why it has none, and no
// chapter is missing.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

describe.each([
  ['wgsl', 18],
  ['api', 26],
] as const)('%s', (room, chapters) => {
  const rows = readFileSync(new URL(`../${room}/SECTIONS.md`, import.meta.url), 'utf8')
    .split('\n')
    .map((line) => /^\| (\d+)(.*?) \| (.*) \|$/.exec(line))
    .filter((row) => row !== null)
    .map(([, chapter, title, tests]) => ({ chapter: Number(chapter), title: `${chapter}${title}`, tests: tests! }));

  test('lists every chapter of the specification in order', () => {
    expect([...new Set(rows.map(({ chapter }) => chapter))]).toEqual(Array.from({ length: chapters }, (_, k) => k + 1));
    const numbers = rows.map(({ chapter }) => chapter);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  test.each(rows)('$title', ({ tests }) => {
    const files = [...tests.matchAll(/`([^` ]*[./][^` ]*)`/g)].map(([, file]) => file!);
    for (const file of files) expect(existsSync(new URL(`../${file}`, import.meta.url)), file).toBe(true);
    // Without a test file there is a sentence.
    if (files.length === 0) expect(tests.split(' ').length).toBeGreaterThan(3);
  });
});
