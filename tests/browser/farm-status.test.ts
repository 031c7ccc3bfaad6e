// The status page of a farm in Debian's Chromium, with a queue that a test fills. Skipped without Chromium. Pictures of
// the page are written to build/farm-status/.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode } from 'fast-png';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveStatus, type Listening, type StatusSource } from '../../src/farm';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync'];
const SHOTS = fileURLToPath(new URL('../../build/farm-status/', import.meta.url));
const HOSTILE = '<script>document.title = "owned"</script><img src=x onerror=alert(1)>';

const folder = mkdtempSync(join(tmpdir(), 'rasterloom-page-'));
const outputs: string[] = [];
const source: StatusSource = {
  status: () =>
    Promise.resolve({
      queue: 'thumbnails',
      isPaused: false,
      counts: { waiting: 3, delayed: 1, active: 2, completed: outputs.length, failed: 1 },
      ageMs: 65_000,
      workers: [{ id: 'machine-1', host: 'machine', version: '1.0.0', concurrency: 2, busy: 2, done: 5, failed: 1 }],
      flows: [{ identity: 'i', name: HOSTILE, output: 'film.png', chunks: 8, drawn: 3 }],
    }),
  async *failed() {
    const message = `The module failed: ${'a long word '.repeat(20)}`;
    yield await Promise.resolve({ identity: 'f', name: HOSTILE, code: 'module', message, attempts: 3, failedAt: 1e12 });
  },
  finishedOutputs: () => Promise.resolve([...outputs].reverse()),
};

/** Finishes a job whose picture has one colour. */
function finish(name: string, color: readonly number[]): void {
  const data = new Uint8Array(64 * 64 * 4);
  for (let i = 0; i < data.length; i++) data[i] = color[i % 4]!;
  writeFileSync(join(folder, name), encode({ width: 64, height: 64, data, channels: 4 }));
  outputs.push(name);
}

let browser: Browser;
let server: Listening;
let page: Page;
const problems: string[] = [];

describe.skipIf(!existsSync(CHROMIUM))('the status page in a browser', () => {
  beforeAll(async () => {
    server = await serveStatus(source, { pictures: folder });
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('dialog', (dialog) => problems.push(dialog.message()));
    mkdirSync(SHOTS, { recursive: true });
    finish('red.png', [200, 30, 30, 255]);
    await page.goto(server.url);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('shows pictures as their jobs end, and escapes all text', async () => {
    await page.waitForFunction(() => document.querySelectorAll('#pictures img').length === 1);
    finish('a & b<i>.png', [30, 120, 200, 255]);
    await page.waitForFunction(() => document.querySelectorAll('#pictures img').length === 2);
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('#pictures img')].every((image) => image.naturalWidth === 64)
    );
    expect(await page.locator('#pictures li').allTextContents()).toEqual(['a & b<i>.png', 'red.png']);
    expect(await page.locator('#failed th').textContent()).toBe(HOSTILE);
    expect(await page.locator('#flows tr').allTextContents()).toEqual([`${HOSTILE}3 of 8`]);
    expect(await page.locator('#failed script, #failed img, #pictures i').count()).toBe(0);
    expect(await page.title()).toBe('5 open – thumbnails');
    expect(await page.locator('#age').textContent()).toBe('1 min 5 s');
    await page.screenshot({ path: `${SHOTS}wide.png` });
    expect(problems).toEqual([]);
  }, 30_000);

  test('is used by keyboard: pictures and tables get a visible focus, which updates do not take away', async () => {
    const focused: string[] = [];
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('Tab');
      focused.push(
        await page.evaluate(() => {
          const { activeElement: at } = document;
          const isVisible = getComputedStyle(at!).outlineStyle === 'solid';
          return `${at!.getAttribute('aria-label') ?? at!.textContent} ${isVisible}`;
        })
      );
    }
    expect(focused).toEqual([
      'Animations in chunks true',
      'a & b<i>.png true',
      'red.png true',
      'Failed jobs true',
      'Workers true',
    ]);
    await page.waitForTimeout(1500);
    expect(await page.evaluate(() => document.activeElement!.getAttribute('aria-label'))).toBe('Workers');
  }, 30_000);

  test('fits a window of 390 pixels', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    await page.screenshot({ path: `${SHOTS}narrow.png`, fullPage: true });
    expect(widths[0]).toBeLessThanOrEqual(390);
    const small = await page.evaluate(
      () =>
        [...document.querySelectorAll('#pictures a')].filter((link) => link.getBoundingClientRect().height < 24).length
    );
    expect(small).toBe(0);
  }, 30_000);
});
