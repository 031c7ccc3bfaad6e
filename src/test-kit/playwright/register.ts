// Registers Rasterloom in a page before its own scripts. The module is turned into a script, because a script of
// Playwright runs before those of the page, and a module after them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { VirtualTime, VirtualTimeOptions } from '../../virtual-time';

/** Options of the fixture `rasterloom`, and of `registerInPage`. */
export interface PageOptions {
  /**
   * Virtual time and seeded random numbers from the start of the page, as of `rasterloom/virtual-time`. Frames are then
   * only drawn by `advanceFrames`. Default: none.
   */
  readonly time?: VirtualTimeOptions;
}

/** Address of the package's files in pages. No request to it leaves the machine. */
const FOLDER = 'https://rasterloom.invalid/build/';
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', wasm: 'application/wasm' };
/** Name of the page's virtual time. */
export const TIME = '__rasterloomTime';

/** Makes a script of a module: `body` can use what it exports. */
function scriptOf(file: string, body: string): string {
  const module = readFileSync(file, 'utf8');
  const found = /export\{([^}]*)\};?\s*$/.exec(module);
  if (found === null) throw new Error(`rasterloom/playwright: ${file} is not a module of this version`);
  const members = found[1]!.split(',').map((each) => {
    const [local, name = local] = each.trim().split(' as ');
    return `${name}: ${local}`;
  });
  const code = module
    .slice(0, found.index)
    .replaceAll('import.meta.url', `'${FOLDER}index.browser.js'`)
    .replaceAll("import('./engine.js')", `import('${FOLDER}engine.js')`);
  return `(() => {${code};const module = {${members.join()}};${body}})();`;
}

/**
 * Registers Rasterloom in a page of Playwright, before the page is opened. Its scripts get Rasterloom's `navigator.gpu`
 * even if the browser has WebGPU, so that pictures have the same bits on every machine.
 *
 * @param folder the package's folder `build`
 */
export async function registerPage(page: Page, folder: string, { time }: PageOptions): Promise<void> {
  await page.route(`${FOLDER}**`, async (route) => {
    const name = new URL(route.request().url()).pathname.slice('/build/'.length);
    const contentType = TYPES[name.split('.').at(-1)!];
    if (!/^[\w.-]+$/.test(name) || contentType === undefined) return route.abort();
    return route.fulfill({
      body: readFileSync(join(folder, name)),
      headers: {
        'Content-Type': contentType,
        'Access-Control-Allow-Origin': '*',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      },
    });
  });
  await page.addInitScript(
    scriptOf(
      join(folder, 'index.browser.js'),
      // The browser's own GPU, if there is one.
      'delete Navigator.prototype.gpu;'
        + `module.register({ kernelUrl: '${FOLDER}', workerUrl: '${FOLDER}worker.browser.js' });`
    )
  );
  // After it, so that the clock stands while the GPU works.
  if (time !== undefined)
    await page.addInitScript(
      scriptOf(join(folder, 'virtual-time.js'), `globalThis.${TIME} = module.virtualTime(${JSON.stringify(time)});`)
    );
}

/** Lets frames of a page's virtual time pass. @throws Error if the page has none */
export async function advancePage(page: Page, count: number): Promise<void> {
  await page.evaluate(
    async ([name, frames]) => {
      const pages = globalThis as unknown as Record<string, Pick<VirtualTime, 'advanceFrames'> | undefined>;
      const time = pages[name];
      if (time === undefined)
        throw new Error('advanceFrames: the page has no virtual time; set it: test.use({ rasterloom: { time: {} } })');
      await time.advanceFrames(frames);
    },
    [TIME, count] as const
  );
}
