// The documentation site as VitePress builds it: no link is dead, and its search finds what newcomers ask for.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from './kit';

/** A site that has been built already (.ci/run builds one). */
const BUILT = process.env['RASTERLOOM_SITE'];
const SITE = fileURLToPath(new URL(`${BUILT ?? 'build/testing/site'}/`, ROOT));

/** Questions, and the pages that answer them. */
const QUESTIONS: readonly (readonly [string, readonly string[]])[] = [
  ['can it draw Draco models', ['/reference/gltf']],
  ['how do I run three.js in Node', ['/guides/threejs']],
  ['why is my page single-threaded', ['/guides/troubleshooting', '/guides/bundlers']],
  ['what is the default memory budget', ['/reference/options', '/reference/limits']],
  ['how do I make image tests', ['/guides/image-tests']],
  ['what does deterministic cost', ['/reference/options', '/features/compute']],
  ['how do I add a texture format', ['/internals/adding-things']],
  ['where is depth testing done', ['/internals/from-draw-to-pixel']],
  ['how do warps wait for pages', ['/internals/late-data', '/features/streamed-textures']],
  ['how do I report a vulnerability', ['/guides/untrusted-input']],
];

let index: MiniSearch;

/** Builds the site. VitePress names each dead link and fails. */
function build(): void {
  rmSync(SITE, { recursive: true, force: true });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL('node_modules/vitepress/bin/vitepress.js', ROOT)), 'build', 'docs', '--outDir', SITE],
    { cwd: fileURLToPath(ROOT), encoding: 'utf8' }
  );
  if (status !== 0) throw new Error(`The site was not built:\n${stdout}\n${stderr}`);
}

beforeAll(async () => {
  if (BUILT === undefined) build();
  const chunks = `${SITE}assets/chunks/`;
  const file = readdirSync(chunks).find((name) => name.includes('localSearchIndex'))!;
  const { default: json } = (await import(pathToFileURL(chunks + file).href)) as { default: string };
  // The options are those of the site's own search box.
  index = MiniSearch.loadJSON(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
  });
}, 120_000);

test.each(QUESTIONS)('the search finds "%s" among its first three pages', (question, answers) => {
  const pages = new Set(index.search(question).map(({ id }) => String(id).replace(/(\.html)?(#.*)?$/, '')));
  const first = [...pages].slice(0, 3);
  expect(
    first.some((page) => answers.includes(page)),
    first.join(', ')
  ).toBe(true);
});
