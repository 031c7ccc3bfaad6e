// The page of options in pictures: it shows every option that changes the picture, and its pictures are small.
import { readdirSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RENDER_OPTIONS } from '../../src/cli/options/options';
import { read, ROOT, userPages } from './kit';

const FOLDER = 'examples/options/';
const MOST_BYTES = 20_000;

/** Options that say what is read and written, how fast, and what is reported. */
const WITHOUT_PICTURE = new Set([
  ...[
    'help',
    'sample',
    'output',
    'jobs',
    'resume',
    'parallel',
    'timeout',
    'memory',
    'allow-empty',
    'size',
    'depth',
    'loop',
    'frame-range',
  ],
  ...['sheet', 'sheet-columns', 'sheet-cell', 'sheet-background', 'sheet-labels'],
  ...['threads', 'engine', 'no-shader-cache', 'stream', 'model-memory', 'stats', 'json', 'quiet', 'trace', 'version'],
  ...['allow-external', 'allow-network'],
]);
/** Options of docs/guides/gltf-animations.md. */
const ANIMATED = new Set(['frames', 'fps', 'turntable']);

const pictures = readdirSync(new URL(FOLDER, ROOT)).filter((name) => /\.(webp|png)$/.test(name));

test('every option that changes the picture has a section with pictures', () => {
  const sections = new Map(
    read('docs/guides/gltf-options.md')
      .split(/^### /m)
      .slice(1)
      .map((text) => [/^`--([\w-]+)`/.exec(text)![1]!, text] as const)
  );
  const expected = Object.keys(RENDER_OPTIONS).filter((name) => !WITHOUT_PICTURE.has(name) && !ANIMATED.has(name));
  expect([...sections.keys()].sort()).toEqual(expected.sort());
  for (const [name, text] of sections)
    if (name !== 'scene') expect(text.match(/!\[[^\]]+\]\([^)]+\)/g)?.length ?? 0, name).toBeGreaterThan(1);
});

test('options of animations are shown on their page', () => {
  const page = read('docs/guides/gltf-animations.md');
  for (const name of ANIMATED) expect(page).toContain(`--${name}`);
});

test('pictures are small, and each is on a page', () => {
  const pages = userPages().map(read).join('\n');
  for (const name of pictures) {
    expect(statSync(new URL(FOLDER + name, ROOT)).size, name).toBeLessThanOrEqual(MOST_BYTES);
    expect(pages, name).toContain(`${FOLDER}${name}`);
  }
});
