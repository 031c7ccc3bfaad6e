// The playground in Debian's Chromium, as `npm run playground:build` makes it: one page, in which every switch changes
// the picture or a counter. Skipped without Chromium. Pictures of the page are written to build/playground-shots/.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seriousViolations } from './axe';
import { address, buildPlayground, servePlayground } from './kit';

const CHROMIUM = '/usr/bin/chromium';
const ROOT = new URL('../../', import.meta.url);
const SHOTS = fileURLToPath(new URL('build/playground-shots/', ROOT));
describe.skipIf(!existsSync(CHROMIUM))(`the playground (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  let server: Server;
  let page: Page;
  const complaints: string[] = [];
  const requested: string[] = [];

  const watch = (tab: Page): void => {
    tab.on('pageerror', ({ message }) => complaints.push(message));
    tab.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    tab.on('request', (request) => requested.push(request.url()));
  };
  /** A checksum of the picture. */
  const picture = (): Promise<number> =>
    page.evaluate(`(() => {
      const canvas = document.querySelector('#canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.reduce((sum, byte) => (sum * 31 + byte) >>> 0, 0);
    })()`);
  const counter = (name: string): Promise<string> =>
    page.evaluate(`[...document.querySelectorAll('#counters div')]
      .find(({ firstElementChild }) => firstElementChild.textContent === ${JSON.stringify(name)})
      ?.lastElementChild.textContent ?? ''`);
  /** Waits for the picture of what was changed. */
  const drawn = async (change: () => Promise<unknown>): Promise<void> => {
    const order = "document.querySelector('#canvas').dataset.order";
    const before = (await page.evaluate(order)) as string;
    await change();
    await page.waitForFunction(`${order} !== ${JSON.stringify(before)}`, undefined, { timeout: 8000 });
  };
  const choose = (name: string, value: string): Promise<void> =>
    drawn(() => page.selectOption(`select[name=${name}]`, value));
  const scene = (id: string): Promise<void> => drawn(() => page.click(`[data-item=${id}]`));
  const setCode = (code: string): Promise<void> => page.locator('.cm-content').fill(code);
  /** The text of the editor, if it is short enough to be shown completely. */
  const code = (): Promise<string> =>
    page.evaluate("[...document.querySelectorAll('.cm-line')].map(({ textContent }) => textContent).join('\\n')");

  beforeAll(async () => {
    buildPlayground();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-quic'] });
    server = await servePlayground(true);
    mkdirSync(SHOTS, { recursive: true });
    // Nothing moves by itself, so that pictures can be compared.
    page = await browser.newPage({ viewport: { width: 1440, height: 1000 }, reducedMotion: 'reduce' });
    watch(page);
    await page.goto(`${address(server)}#scene=modular&width=320`);
    await page.waitForFunction("document.querySelector('#fps').textContent !== ''", undefined, { timeout: 60_000 });
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  test('draws every scene and template', async () => {
    const ids = await page
      .locator('#gallery button:not([data-item=file])')
      .evaluateAll((items) => items.map((item) => item.getAttribute('data-item')!));
    expect(ids.length).toBeGreaterThanOrEqual(13);
    const pictures = new Set<number>();
    for (const id of ids) {
      await scene(id);
      expect(await page.textContent('#notice'), id).toBe('');
      pictures.add(await picture());
    }
    expect(pictures.size).toBe(ids.length);
    expect(complaints).toEqual([]);
  });

  test('switches change the picture or a counter', async () => {
    await scene('modular');
    const first = await picture();
    await choose('samples', '1');
    const single = await picture();
    expect(single).not.toBe(first);
    await choose('samples', '16');
    expect(await counter('Bytes of samples')).toMatch(/ of /);
    await choose('samples', '4');
    expect(await picture()).toBe(first);

    expect(await counter('Coarse invocations')).toBe('0');
    await choose('rate', '4x4');
    expect(await picture()).not.toBe(first);
    expect(await counter('Coarse invocations')).not.toBe('0');
    await choose('rate', '1x1');

    expect(await counter('Pipelines')).toMatch(/^[1-9]\d* compiled, 0 interpreted/);
    await choose('engine', 'interpreted');
    expect(await counter('Pipelines')).toMatch(/^0 compiled, [1-9]/);
    expect(await picture()).toBe(first);
    await choose('engine', 'compiled');

    const kernels = (): number => requested.filter((url) => /kernel\.scalar.*\.bin/.test(url)).length;
    expect(kernels()).toBe(0);
    await choose('kernel', 'scalar');
    expect(kernels()).toBe(1);
    expect(await picture()).toBe(first);
    await choose('kernel', 'simd');

    await choose('threads', '0');
    expect(await counter('Worker threads')).toBe('0');
    expect(await picture()).toBe(first);
    await choose('threads', '1');
    await expect.poll(() => counter('Worker threads')).toBe('1');
    expect(await picture()).toBe(first);

    await choose('width', '480');
    expect(await page.getAttribute('#canvas', 'width')).toBe('480');
    await choose('width', '320');
  });

  test('the order of draws changes the number of warps, not the picture', async () => {
    await scene('sprites');
    const [before, warps] = [await picture(), await counter('Warps')];
    await choose('order', 'independent');
    expect(await counter('Independent draws')).toBe('1,200');
    const number = (text: string): number => Number(text.replaceAll(',', ''));
    expect(number(await counter('Warps'))).toBeLessThan(number(warps));
    expect(await picture()).toBe(before);
    await choose('order', 'received');
  });

  test.each([
    ['solids', 'overdraw', /^0,1,2,/],
    ['rates', 'rates', /1×1,2×2,4×4/],
    ['modular', 'encoding', /one value: \d/],
    ['modular', 'tiles', /(renderer|worker \d): \d+ tiles/],
  ])('scene %s has the overlay %s', async (id, overlay, legend) => {
    await scene(id);
    const before = await picture();
    await choose('overlay', overlay);
    expect(await picture()).not.toBe(before);
    const entries = await page.locator('#legend li').allTextContents();
    expect(entries.join()).toMatch(legend);
    await choose('overlay', 'none');
    expect(await picture()).toBe(before);
  });

  test('shaders that ignore shading rates are shown at 1×1, with the reason', async () => {
    await scene('fetch');
    await choose('overlay', 'rates');
    await choose('rate', '2x2');
    expect(await page.locator('#legend li').allTextContents()).toEqual(['1×1', '2×2']);
    expect(await counter('Not coarse because of')).toBe('target-reads');
    await choose('rate', '1x1');
    await choose('overlay', 'none');
  });

  test('shows the samples of a pixel, by click and by keys', async () => {
    await scene('modular');
    const box = (await page.locator('#canvas').boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + 5);
    await expect.poll(() => page.locator('#probe tbody tr').count()).toBe(4);
    expect(await page.textContent('#probe h2')).toMatch(
      /^Pixel 160, \d: 0 fragment invocations, held as the clear value$/
    );
    await page.focus('#stage');
    for (let k = 0; k < 6; k++) await page.keyboard.press('ArrowDown');
    for (let k = 0; k < 4; k++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.textContent('#probe h2'))
      .toMatch(/^Pixel 192, \d\d: 1 fragment invocation, held as one value$/);
  });

  test('marks errors while a shader is typed, and draws it when it has none', async () => {
    await scene('new-fragment');
    const before = await picture();
    const original = await code();
    await setCode(original.replace('return vec4f(color, 1);', 'return vec4f(colour, 1);'));
    await expect.poll(() => page.textContent('#verdict')).toBe('1 error');
    expect(await page.locator('#problems li').allTextContents()).toEqual([expect.stringMatching(/^13:16.*colour/)]);
    expect(await page.locator('.cm-lintRange-error').textContent()).toBe('colour');
    expect(await picture()).toBe(before);
    await page.click('#problems button');
    expect(await page.evaluate("document.activeElement.className.includes('cm-content')")).toBe(true);
    await drawn(() => setCode(original.replace('vec4f(color, 1)', 'vec4f(color.zxy, 1)')));
    expect(await page.textContent('#verdict')).toBe('No errors');
    expect(await picture()).not.toBe(before);
    await drawn(() => page.click('#reset'));
    expect([await code(), await picture()]).toEqual([original, before]);
  });

  test('a shader that does not end is stopped, and the next one is drawn', async () => {
    await scene('new-fragment');
    const original = await code();
    await setCode(
      original
        .replace('// 0 to 1', 'var n = 1u; while (n != 0) { n = n | 1; }\n  // 0 to 1')
        .replace('at.xyx', 'at.xyx * f32(n)')
    );
    const notice = (): Promise<string | null> => page.textContent('#notice');
    await expect.poll(notice, { timeout: 20_000 }).toMatch(/^The GPU device was lost again: .*timeoutMs/);
    await drawn(() => setCode(original));
    expect(await notice()).toBe('');
  });

  test('a device that was lost is replaced, with a message', async () => {
    await scene('new-fragment');
    const original = await code();
    const box = (await page.locator('#canvas').boundingBox())!;
    const at = (x: number): Promise<void> => page.mouse.move(box.x + x, box.y + box.height / 2);
    await at(200);
    await drawn(() =>
      setCode(
        original
          .replace('// 0 to 1', 'var n = u32(frame.pointer.x < 9); while (n != 0) { n = n | 1; }\n  // 0 to 1')
          .replace('at.xyx', 'at.xyx * f32(n + 2)')
      )
    );
    const before = await picture();
    // The device is lost after two seconds. Its successor draws with the pointer where it is then.
    await at(3);
    await page.waitForTimeout(500);
    await at(200);
    await expect
      .poll(() => page.textContent('#notice'), { timeout: 20_000 })
      .toMatch(/^The GPU device was lost and replaced: .*timeoutMs/);
    await page.evaluate("document.querySelector('#canvas').getContext('2d').clearRect(0, 0, 320, 180)");
    await at(190);
    await expect.poll(picture).toBe(before);
    await drawn(() => setCode(original));
    expect(await page.textContent('#notice')).toBe('');
  });

  test('shows models: the bundled one, and one that is dropped', async () => {
    await scene('model');
    expect(await page.textContent('#model')).toMatch(/triangles in/);
    const first = await picture();
    await choose('pass', 'normal');
    const normals = await picture();
    expect(normals).not.toBe(first);
    await choose('pass', 'tiles');
    expect(await picture()).not.toBe(normals);
    const entries = await page.locator('#legend li').allTextContents();
    expect(entries.join()).toMatch(/(renderer|worker \d): \d+ tiles/);
    await choose('pass', 'normal');
    expect(await picture()).toBe(normals);
    await page.focus('#stage');
    await page.keyboard.press('ArrowRight');
    await expect.poll(picture).not.toBe(normals);
    await choose('pass', 'color');
    const bytes = readFileSync(new URL('examples/sample.glb', ROOT)).toString('base64');
    await drawn(() =>
      page.evaluate(`(() => {
        const bytes = Uint8Array.from(atob(${JSON.stringify(bytes)}), (character) => character.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], '<img src=x onerror=alert(1)>.glb'));
        for (const type of ['dragover', 'drop'])
          dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      })()`)
    );
    expect(await page.textContent('#title')).toBe('<img src=x onerror=alert(1)>.glb');
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['no model'], 'broken.glb'));
      dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    })()`);
    await expect.poll(() => page.textContent('#notice')).toMatch(/The file is neither a \.glb/);
    await scene('modular');
    expect(complaints).toEqual([]);
  });

  test('the address holds the state; its shader runs after a click', async () => {
    await scene('new-fragment');
    const original = await picture();
    await choose('samples', '8');
    await drawn(async () => setCode((await code()).replace('vec3f(0, 2, 4)', 'vec3f(3, 1, 0)')));
    const [changed, text] = [await picture(), await code()];
    expect(changed).not.toBe(original);
    await expect.poll(() => page.url()).toMatch(/scene=new-fragment&.*samples=8&width=320&code=/);
    const url = page.url();
    const tab = page;
    page = await browser.newPage({ reducedMotion: 'reduce' });
    watch(page);
    await page.goto(url);
    await page.locator('#guard').waitFor();
    expect([await code(), await page.inputValue('select[name=samples]')]).toEqual([text, '8']);
    expect(await page.textContent('#fps')).toBe('');
    await drawn(() => page.click('#run'));
    expect(await picture()).toBe(changed);
    await page.goto(`${address(server)}#scene=none&samples=3&threads=99&code=broken`);
    await expect.poll(() => page.textContent('#notice')).toMatch(/link cannot be read/);
    await page.close();
    page = tab;
    await choose('samples', '4');
  });

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [768, 'light'],
    [768, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('fits a width of %i pixels, %s, without serious violations', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 1000 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await scene('modular');
    await page.screenshot({ path: `${SHOTS}${width}-${colorScheme}.png`, fullPage: true });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);
  });

  test('without the headers, a service worker isolates the page', async () => {
    const plain = await servePlayground(false);
    const tab = await browser.newPage({ reducedMotion: 'reduce' });
    await tab.goto(`${address(plain)}#scene=new-fragment`);
    await tab.waitForFunction("crossOriginIsolated && document.querySelector('#fps').textContent !== ''");
    expect(await tab.inputValue('select[name=threads]')).not.toBe('0');
    await tab.close();
    plain.close();
  });

  test('the benchmark draws bars for this package and says what is absent', async () => {
    const tab = await browser.newPage({ colorScheme: 'light' });
    watch(tab);
    await tab.goto(`${address(server)}#tab=benchmark`);
    await tab.click('#measure');
    await tab.waitForFunction("document.querySelectorAll('#results .fill').length >= 3", undefined, {
      timeout: 60_000,
    });
    await tab.screenshot({ path: `${SHOTS}benchmark.png` });
    expect(await seriousViolations(tab)).toEqual([]);
    await tab.close();
    expect(complaints).toEqual([]);
  });
});
