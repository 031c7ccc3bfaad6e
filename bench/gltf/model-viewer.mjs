// Draws a model with <model-viewer> in headless Chromium, on SwiftShader, as programs do that make thumbnails:
//
//   node bench/gltf/model-viewer.mjs model.glb picture.png SIZE
//
// RASTERLOOM_MODEL_VIEWER names a folder with node_modules/@google/model-viewer and three, whose decoders of Draco and
// KTX2 files it uses. No address outside this machine is opened.
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const [model, picture, size] = process.argv.slice(2);
const FOLDER = process.env.RASTERLOOM_MODEL_VIEWER ?? '/tmp/model-viewer';
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const TIME_LIMIT_MS = 100_000;
const MESHOPT = fileURLToPath(new URL('../../node_modules/meshoptimizer/', import.meta.url));

const PAGE = `<!doctype html>
<style>body { margin: 0 } model-viewer { width: ${size}px; height: ${size}px; background: #cfd2d7 }
  model-viewer::part(default-progress-bar) { display: none }</style>
<script>
  self.ModelViewerElement = {
    dracoDecoderLocation: '/package/three/examples/jsm/libs/draco/gltf/',
    ktx2TranscoderLocation: '/package/three/examples/jsm/libs/basis/',
    meshoptDecoderLocation: '/meshopt/meshopt_decoder.cjs',
  };
</script>
<script type="module" src="/package/@google/model-viewer/dist/model-viewer.min.js"></script>
<model-viewer src="/model/${encodeURIComponent(basename(model))}" loading="eager" interaction-prompt="none"
  shadow-intensity="0"></model-viewer>`;
/** Runs in the page, and ends when the model has been drawn. */
const WAIT = `new Promise((resolve, reject) => {
  const viewer = document.querySelector('model-viewer');
  viewer.addEventListener('error', ({ detail }) => reject(new Error(detail.sourceError ?? detail.type)));
  setTimeout(() => reject(new Error('The model was not loaded in time.')), ${TIME_LIMIT_MS});
  // The poster fades out when the first frame has been drawn.
  const look = () => (viewer.modelIsVisible ? resolve() : requestAnimationFrame(look));
  look();
})`;
const TYPES = { js: 'text/javascript', cjs: 'text/javascript', wasm: 'application/wasm' };

const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
  if (path === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  const [, root, ...rest] = path.split('/');
  const folders = { package: join(FOLDER, 'node_modules'), meshopt: MESHOPT, model: dirname(model) };
  const file = join(folders[root] ?? '/nowhere', ...rest);
  if (!existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[file.split('.').at(-1)] ?? 'application/octet-stream' });
  return createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
try {
  const page = await browser.newPage({ viewport: { width: Number(size), height: Number(size) } });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.evaluate(WAIT);
  await page.locator('model-viewer').screenshot({ path: picture });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await browser.close();
  server.close();
}
