// npm run bench page
// Measures the first picture of a page: from the start of the page's script to a picture of three.js that is drawn, in
// a new tab of Debian's Chromium. `cold` has an empty shader cache, `warm` one that an earlier load has filled, and
// `without` none. The three take turns.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { chromium } from 'playwright-core';
import { keep, medianInterval, roundTo } from '../support/machine.mjs';
import { progress, say } from '../support/progress.mjs';

const CHROMIUM = '/usr/bin/chromium';
const ROUNDS = 11;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const FOLDERS = [new URL('../../build/', import.meta.url), new URL('../../node_modules/three/build/', import.meta.url)];
const PAGE = `<!doctype html><link rel="icon" href="data:,"><canvas id="canvas" width="640" height="360"></canvas>
<script type="importmap">{ "imports": { "three": "/three.webgpu.js" } }</script>
<script type="module">
import * as T from 'three';
import { register } from '/index.browser.js';
// Chromium's own WebGPU, if it has one, is not measured.
Object.defineProperty(navigator, 'gpu', { value: undefined, configurable: true });
window.draw = async (cached) => {
  const began = performance.now();
  const shaderCache = cached ? caches : undefined;
  register({ shaderCache });
  const renderer = new T.WebGPURenderer({ canvas: document.getElementById('canvas'), antialias: true });
  await renderer.init();
  const scene = new T.Scene();
  const camera = new T.PerspectiveCamera(50, 16 / 9, 0.1, 20);
  camera.position.z = 5;
  scene.add(new T.HemisphereLight(0xffffff, 0x223344, 1), new T.DirectionalLight(0xffffff, 2));
  scene.add(new T.Mesh(new T.TorusKnotGeometry(1, 0.35, 200, 32), new T.MeshStandardMaterial({ roughness: 0.4 })));
  const basic = new T.Mesh(new T.BoxGeometry(), new T.MeshPhongMaterial({ color: 0xcc3322 }));
  basic.position.x = 2;
  scene.add(basic);
  renderer.render(scene, camera);
  await renderer.backend.device.queue.onSubmittedWorkDone();
  return performance.now() - began;
};
</script>`;

const server = createServer(({ url }, response) => {
  response
    .setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    .setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
    .setHeader('Cache-Control', 'max-age=3600');
  const file = FOLDERS.map((folder) => new URL(`.${url}`, folder)).find((each) => url !== '/' && existsSync(each));
  if (!file) response.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE);
  else
    response
      .writeHead(200, { 'Content-Type': TYPES[extname(url)] ?? 'application/octet-stream' })
      .end(readFileSync(file));
});
await new Promise((done) => {
  server.listen(0, '127.0.0.1', done);
});
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-quic'] });

/** Loads the page in a tab, and returns the milliseconds of its first picture. */
async function load(context, cached) {
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction('window.draw');
  const ms = await page.evaluate(`window.draw(${cached})`);
  if (cached) await page.waitForTimeout(3000);
  await page.close();
  return ms;
}

const times = { without: [], cold: [], warm: [] };
for (let round = 0; round < ROUNDS; round++) {
  progress(round, ROUNDS, 'pages');
  const context = await browser.newContext();
  // The browser has the scripts, but not their compiled code.
  await load(context, false);
  times.without.push(await load(context, false));
  times.cold.push(await load(context, true));
  times.warm.push(await load(context, true));
  await context.close();
}
await browser.close();
server.close();
const rounded = roundTo(1);
const results = {};
for (const [name, ms] of Object.entries(times)) {
  const [median, low, high] = medianInterval(ms).map(rounded);
  results[name] = { median, low, high };
  say(`${name}: ${median} ms (${low} to ${high})`);
}
keep('page', { rounds: ROUNDS, results });
