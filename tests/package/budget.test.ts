// What pages download, as servers compress it. A budget is raised only for something that is worth its bytes.
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';

const TRIANGLE = ['index.browser.js', 'engine.js', 'kernel.wasm', 'worker.browser.js'];
const VIEW = [...TRIANGLE, 'view.js', 'gltf.browser.js', 'gltf-core.js', 'gltf-library.js', 'studio.bin'];
/** Bytes of the files with brotli. */
const compressed = Object.fromEntries(
  VIEW.map((name) => [name, brotliCompressSync(readFileSync(new URL(`../../build/${name}`, import.meta.url))).length])
);

test.each([
  ['the first triangle', TRIANGLE, 475_000],
  ['the first picture of <rasterloom-view>', VIEW, 583_000],
])('%s downloads no more than its budget', (_, names, budget) => {
  const total = names.reduce((sum, name) => sum + compressed[name]!, 0);
  expect(total, JSON.stringify(compressed)).toBeLessThanOrEqual(budget);
});
