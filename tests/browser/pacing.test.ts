// Pages in Debian's Chromium that another tab covers, and views whose device is lost. Chromium is started without a
// driver, which would keep its tabs visible. Skipped without Chromium.
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, LoneBrowsers, SENDS } from './alone';
import { buildPlayground, serve, servePlayground } from './kit';

const VIEW = `<script type="module" src="/view.js"></script>
<rasterloom-view src="/sample.glb" renderer="rasterloom" auto-rotate style="width: 160px"></rasterloom-view>`;
/** Opens another tab over this one for a while, and counts the pictures that are put on canvases meanwhile. */
const COVER = `<script type="module">${SENDS}
  let puts = 0;
  const { putImageData } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.putImageData = function (...image) {
    puts++;
    putImageData.apply(this, image);
  };
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const until = async (is) => { while (!is()) await wait(50); };
  await until(() => puts > 5);
  const other = open('about:blank', '_blank');
  await until(() => document.visibilityState === 'hidden');
  // What had begun may end.
  await wait(1000);
  const before = puts;
  await wait(2500);
  const whileHidden = puts - before;
  other.close();
  await until(() => document.visibilityState === 'visible' && puts > before + 5);
  await send({ whileHidden });
</script>`;

/** Destroys the device of a view: when its picture is shown, and then each device as soon as it is used. */
const LOSE = `<script type="module">${SENDS}
  import { globals } from '/index.browser.js';
  const { prototype } = globals.GPUDevice;
  const { createCommandEncoder } = prototype;
  let device = null;
  let isFragile = false;
  prototype.createCommandEncoder = function (...options) {
    device = this;
    if (isFragile) this.destroy();
    return createCommandEncoder.apply(this, options);
  };
  const view = document.querySelector('rasterloom-view');
  view.removeAttribute('auto-rotate');
  const loaded = () => new Promise((done) => view.addEventListener('load', done, { once: true }));
  const failed = new Promise((done) => view.addEventListener('error', ({ message }) => done(message)));
  const text = view.shadowRoot.querySelector('p');
  const said = [];
  new MutationObserver(() => said.push(text.textContent)).observe(text, { childList: true });
  await view.ready;
  for (const fragile of [false, true]) {
    isFragile = fragile;
    device.destroy();
    const end = Promise.race([loaded(), failed]);
    view.orbit = { azimuth: view.orbit.azimuth + 40 };
    await end;
  }
  await send({ said: said.filter((line) => line !== ''), failure: await failed });
</script>`;

describe.skipIf(!existsSync(CHROMIUM))(`in a page (needs ${CHROMIUM})`, () => {
  const browsers = new LoneBrowsers();
  beforeAll(buildPlayground);
  afterAll(() => browsers.end());

  test.each<[string, (onPost: (body: string) => void) => Promise<Server>]>([
    ['a view that turns', (onPost) => serve(true, `${VIEW}${COVER}`, onPost)],
    ['the playground', (onPost) => servePlayground(true, COVER, onPost)],
  ])('%s stops in a hidden tab, and goes on afterwards', { timeout: 60_000 }, async (_, open) => {
    expect(await browsers.report(CHROMIUM, open)).toEqual({ whileHidden: 0 });
  });

  test('a view replaces a device that was lost, once, and says so', { timeout: 60_000 }, async () => {
    const restoring = 'The graphics device was lost. The model is loaded again …';
    const failure = expect.stringMatching(/device was lost|destroyed/) as string;
    expect(await browsers.report(CHROMIUM, (onPost) => serve(true, `${VIEW}${LOSE}`, onPost))).toEqual({
      said: [restoring, restoring, failure],
      failure,
    });
  });
});
