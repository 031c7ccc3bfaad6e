// Draws the small pictures of the gallery again, with Chromium: `node docs/playground/thumbnails.mjs`, after
// `npm run playground:build`.
import { writeFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { preview } from 'vite';

/** Milliseconds until a scene looks like itself. */
const SETTLE_MS = 2500;
const server = await preview({ configFile: new URL('vite.config.ts', import.meta.url).pathname });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.goto(server.resolvedUrls.local[0]);
const items = await page.locator('#gallery button:not([data-item="file"])').all();
for (const item of items) {
  await item.click();
  await page.waitForFunction("document.querySelector('#fps').textContent !== ''");
  await page.waitForTimeout(SETTLE_MS);
  const bytes = await page.evaluate(`(async () => {
    const small = new OffscreenCanvas(128, 72);
    const context = small.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(document.querySelector('#canvas'), 0, 0, 128, 72);
    const blob = await small.convertToBlob({ type: 'image/webp', quality: 0.8 });
    return [...new Uint8Array(await blob.arrayBuffer())];
  })()`);
  const id = await item.getAttribute('data-item');
  writeFileSync(new URL(`thumbnails/${id}.webp`, import.meta.url), Uint8Array.from(bytes));
}
await browser.close();
await server.close();
