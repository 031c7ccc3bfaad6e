/**
 * Picture tests of pages, for Playwright Test:
 *
 *     import { expect, test } from 'rasterloom/playwright';
 *     test('draws', async ({ page }) => {
 *       await page.goto('http://localhost:5173/');
 *       await expect(page.locator('canvas')).toMatchPicture('scene');
 *     });
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  expect as baseExpect,
  test as baseTest,
  type Expect,
  type MatcherReturnType,
  type Page,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from '@playwright/test';
import { matchPicture, updateMode, usedBaselines, type PictureOptions } from '../core';
import { ANNOTATION, folderOf, updateOf } from './baselines';
import { pictureOf } from './picture';
import { advancePage, registerPage, type PageOptions } from './register';

export type { PageOptions } from './register';
export { UnusedBaselines as default } from './unused';
export type { PictureArea, PictureOptions } from '../core';

const BUILD = dirname(fileURLToPath(import.meta.url));

/** Playwright's `test`: its pages have Rasterloom's WebGPU. `test.use({ rasterloom: { time: {} } })` sets options. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & { rasterloom: PageOptions },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = baseTest.extend<{ rasterloom: PageOptions }>({
  rasterloom: [{}, { option: true }],
  page: async (
    { page, rasterloom }: { readonly page: Page; readonly rasterloom: PageOptions },
    use: (page: Page) => Promise<void>
  ) => {
    await registerPage(page, BUILD, rasterloom);
    await use(page);
  },
});

/** Playwright's `expect`, with `toMatchPicture` for canvases, other elements, pages and pictures. */
export const expect: Expect<{
  toMatchPicture(value: unknown, name?: string, options?: PictureOptions): Promise<MatcherReturnType>;
}> = baseExpect.extend({ toMatchPicture });

async function toMatchPicture(
  this: { readonly isNot?: boolean } | void,
  value: unknown,
  name?: string,
  options: PictureOptions = {}
): Promise<MatcherReturnType> {
  const { file, titlePath, config, attachments, annotations } = baseTest.info();
  const folder = folderOf(file);
  const { pass, message, files } = await matchPicture(await pictureOf(value), name, options, {
    testFile: file,
    title: titlePath.slice(1).join(' '),
    update: updateMode({ _updateSnapshot: updateOf(config.updateSnapshots) }),
    isNot: this?.isNot ?? false,
    folder,
  });
  for (const description of usedBaselines(folder))
    if (!annotations.some((each) => each.description === description))
      annotations.push({ type: ANNOTATION, description });
  // By these names, Playwright's own report shows them with a slider.
  for (const [kind, path] of Object.entries(files ?? {}))
    attachments.push({ name: `${name ?? 'picture'}-${kind}.png`, path, contentType: 'image/png' });
  return { name: 'toMatchPicture', pass, message };
}

/**
 * Registers Rasterloom in a page before it is opened, as `test` does: for pages of other contexts.
 *
 * @throws Error if the package's files are damaged
 */
export const registerInPage = (page: Page, options: PageOptions = {}): Promise<void> =>
  registerPage(page, BUILD, options);

/**
 * Draws frames in a page with virtual time. Each waits until nothing is loading, and until the canvases show it.
 *
 * @throws Error if the page has no virtual time
 */
export const advanceFrames = (page: Page, count = 1): Promise<void> => advancePage(page, count);
