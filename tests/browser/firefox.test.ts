// The same bits in Debian's Firefox ESR as in Node, in an isolated page with workers and in another page, and the
// playground there. Firefox is started without a driver: its page draws every image scene, and sends the hashes to the
// server of the test. Skipped without Firefox; `.ci/run` installs it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBuilt } from '../images/open';
import { render, scenes } from '../images/scenes';
import { CHROMIUM, FIREFOX, LoneBrowsers, SENDS } from './alone';
import { buildPlayground, serve, servePlayground, WORKERS } from './kit';

const runs = Object.entries(scenes).flatMap(([name, { samples }]) => samples.map((count) => [name, count] as const));
/** Draws every scene when the page's device is there, and waits until all workers have started. */
const SCRIPT = `<script type="module">${SENDS}
  while (!window.hash) await new Promise((done) => setTimeout(done, 50));
  const hashes = [];
  for (const [name, samples] of ${JSON.stringify(runs)}) hashes.push(await window.hash(name, samples));
  for (let turn = 0; crossOriginIsolated && turn < 200 && window.workers() < ${WORKERS}; turn++)
    await window.hash(...${JSON.stringify(runs[0])});
  await send({ hashes, isolated: crossOriginIsolated, workers: window.workers() });
</script>`;

type Report = { hashes: string[]; isolated: boolean; workers: number } | { error: string };

/** Scenes of the playground that are drawn: a shader, modular pipelines, and a model. */
const SHOWN = ['new-fragment', 'modular', 'model'] as const;
/** Shows scenes of the playground one after the other, and sends checksums of their pictures and what it says. */
const VISIT = `<script type="module">${SENDS}
  const one = (selector) => document.querySelector(selector);
  const until = async (is) => { while (!is()) await new Promise((done) => setTimeout(done, 50)); };
  await until(() => one('#fps').textContent !== '');
  const pictures = {};
  for (const scene of ${JSON.stringify(SHOWN)}) {
    const { order } = one('#canvas').dataset;
    one('[data-item=' + scene + ']').click();
    await until(() => one('#canvas').dataset.order !== order || one('#notice').textContent !== '');
    const { width, height } = one('#canvas');
    const { data } = one('#canvas').getContext('2d').getImageData(0, 0, width, height);
    pictures[scene] = data.reduce((sum, byte) => (sum * 31 + byte) >>> 0, 0);
  }
  await send({ pictures, notice: one('#notice').textContent, isolated: crossOriginIsolated });
</script>`;

describe.skipIf(!existsSync(FIREFOX))(`in a page (needs ${FIREFOX})`, () => {
  const browsers = new LoneBrowsers();
  afterAll(() => browsers.end());

  test.each([
    [false, 0],
    [true, WORKERS],
  ])('every scene has the same bits (isolated: %s)', { timeout: 180_000 }, async (isolated, workers) => {
    const device = await openBuilt();
    const hashes: string[] = [];
    const report = await browsers.report<Report>(FIREFOX, (onPost) => serve(isolated, SCRIPT, onPost));
    for (const [name, samples] of runs)
      hashes.push(
        createHash('sha256')
          .update(await render(device, scenes[name]!, samples))
          .digest('hex')
      );
    device.destroy();
    expect(report).toEqual({ hashes, isolated, workers });
  });

  describe.skipIf(!existsSync(CHROMIUM))(`compared with ${CHROMIUM}`, () => {
    beforeAll(buildPlayground);

    test('the playground shows the same pictures', { timeout: 180_000 }, async () => {
      const visit = (browser: string): Promise<unknown> =>
        browsers.report(browser, (onPost) => servePlayground(true, VISIT, onPost), {
          fragment: '#scene=solids&width=320',
          isCalm: true,
        });
      const expected = await visit(CHROMIUM);
      expect(expected).toEqual({
        pictures: Object.fromEntries(SHOWN.map((scene) => [scene, expect.any(Number)])),
        notice: '',
        isolated: true,
      });
      expect(await visit(FIREFOX)).toEqual(expected);
    });
  });
});
