// Boxes of elements in pages: random trees of blocks, lines and positioned elements as Chromium lays them out, style
// sheets from files, and changes of the document.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as Pages from '../../src/page-runner';
import { rounds } from '../support/rounds';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CHROMIUM = '/usr/bin/chromium';
const [WIDTH, HEIGHT] = [600, 360];
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 20261201);
/** A page needs a picture: two pixels of a canvas without a box. */
const PICTURE = `<canvas width="2" height="1" style="display: none"></canvas><script>
  const context = document.querySelector('canvas').getContext('2d');
  context.putImageData(new ImageData(new Uint8ClampedArray(4).fill(255), 1), 0, 0);
</script>`;
let folder = '';
let runPage: typeof Pages.runPage;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rasterloom-layout-'));
  ({ runPage } = (await import(join(ROOT, 'build/page.js'))) as typeof Pages);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Evaluates an expression in a page of ours. */
async function evaluate(html: string, expression: string): Promise<unknown> {
  const path = join(folder, 'page.html');
  writeFileSync(path, `${html}${PICTURE}<script>throw JSON.stringify({ value: ${expression} })</script>`);
  const { errors } = await runPage(path, { width: WIDTH, height: HEIGHT });
  const text = errors.find((error) => error.includes('"value"'));
  expect(text, errors.join('\n')).toBeDefined();
  return (JSON.parse(text!.slice(text!.indexOf('{'))) as { value: unknown }).value;
}

const BOXES = `[...document.querySelectorAll('i')].map((element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  // Chromium rounds sides by where they lie.
  const isWhole = [left, top, width, height].every(Number.isInteger);
  const { clientWidth, clientHeight, offsetWidth, offsetHeight } = element;
  return [left, top, width, height, ...(isWhole ? [clientWidth, clientHeight, offsetWidth, offsetHeight] : [])];
})`;

const pixels = (max: number): fc.Arbitrary<string> => fc.integer({ min: 0, max }).map((value) => `${value}px`);
const side = fc.oneof(pixels(90), fc.constantFrom('50%', '4vw', '2rem', 'auto'));
const edge = fc.oneof(pixels(12), fc.constant('0px'));
const style = fc.record({
  display: fc.constantFrom('block', 'block', 'inline-block', 'none'),
  width: side,
  height: fc.oneof(pixels(60), fc.constant('auto')),
  'max-width': fc.option(pixels(200), { nil: 'none' }),
  'min-height': fc.option(pixels(30), { nil: '0px' }),
  margin: fc.tuple(edge, edge, edge, edge).map((edges) => edges.join(' ')),
  padding: fc.tuple(edge, edge, edge, edge).map((edges) => edges.join(' ')),
  border: fc.constantFrom('1px solid red', '3px solid red'),
  'box-sizing': fc.constantFrom('border-box', 'content-box'),
  place: fc.constantFrom(
    '',
    '',
    '',
    'position: relative',
    'position: absolute; left: 7px; top: 9px',
    'position: absolute; right: 11px; bottom: 5px; width: 20px; height: 12px',
    'position: fixed; left: 3px; top: 2px'
  ),
});
const open = ({ place, ...styles }: Record<string, string>): string =>
  `<i style="${Object.entries(styles)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ')}; ${place}">`;
const level = (children: fc.Arbitrary<string[]>): fc.Arbitrary<string> =>
  fc.tuple(style, children).map(([own, inside]) => `${open(own as Record<string, string>)}${inside.join('')}</i>`);
const leaf = level(fc.constant([]));
const tree = level(fc.array(level(fc.array(leaf, { maxLength: 3 })), { maxLength: 3 }));
/** What no font changes: no line has a height of its own. */
const documentOf = (elements: readonly string[]): string =>
  `<!doctype html><style>i { vertical-align: top } body { font-size: 16px; line-height: 0; border: 1px solid }</style>
  <body>${elements.join('')}`;

test.skipIf(!existsSync(CHROMIUM))(
  'random trees have the boxes that Chromium gives them',
  async () => {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-quic'] });
    try {
      const tab = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
      await fc.assert(
        fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 4 }), async (elements) => {
          const html = documentOf(elements);
          await tab.setContent(html);
          expect(await evaluate(html, BOXES)).toEqual(await tab.evaluate(BOXES));
        }),
        { numRuns: rounds(25), seed: SEED }
      );
    } finally {
      await browser.close();
    }
  },
  120_000
);

test('style sheets from files, inline styles and changes count', async () => {
  writeFileSync(join(folder, 'sheet.css'), '#box { width: 50%; padding: 4px; box-sizing: border-box }');
  const html = `<!doctype html><link rel="stylesheet" href="sheet.css"><link rel="stylesheet" href="none.css">
    <body style="margin: 0"><div id="box"><p style="height: 30px"></p></div><div id="next">one two</div>`;
  const [first, second, third] = (await evaluate(
    html,
    `(() => {
      const all = () => ['box', 'next'].map((id) => document.getElementById(id).getBoundingClientRect())
        .map(({ top, width, height }) => [top, width, Math.round(height)]);
      const before = all();
      document.querySelector('p').style.height = '50px';
      const grown = all();
      document.querySelector('p').remove();
      return [before, grown, all()];
    })()`
  )) as number[][][];
  const [line, margins] = [19, 2 * 16];
  const after = (height: number): number[][] => [
    [0, WIDTH / 2, height + 8],
    [height + 8, WIDTH, line],
  ];
  expect([first, second]).toEqual([after(30 + margins), after(50 + margins)]);
  expect(third).toEqual(after(0));
});

test('an element that is not in the document, or not shown, has no box', async () => {
  const boxes = await evaluate(
    '<!doctype html><p style="display: none">text</p>',
    `[document.querySelector('p'), document.createElement('p')].map((element) =>
      [element.clientWidth, element.offsetHeight, element.getBoundingClientRect().width])`
  );
  expect(boxes).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
});
