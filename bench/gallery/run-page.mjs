// node bench/gallery/run-page.mjs SIDE ORDER: runs a page in this process and prints one line of JSON. SIDE: `ours`,
// `swiftshader` or `llvmpipe`, whose environment must be that of ../shared/peers. ORDER, as JSON: `root` and `page`, a
// path in it; `out`, the file of the last picture; `timeout` in seconds; `frames`, `width`, `height`, `threads` and
// `network`.
//
//   seconds   from the start of the page's thread to the last picture, without conversions of images (dawn.mjs)
//   frame     seconds from the first to the last picture, per frame
//   frameCpu  seconds of processor time of all threads, per frame
//   cpu       seconds of processor time of all threads until then
//   hash      of the last picture's pixels
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { readPicture } from './texels.mjs';

const BACKENDS = { swiftshader: 'vulkan', llvmpipe: 'opengl' };
const MAX_ERRORS = 3;
const [side, text] = process.argv.slice(2);
const { root, page, out, timeout, ...settings } = JSON.parse(text);
const built = (name) => new URL(`../../build/${name}.js`, import.meta.url).href;
const order = {
  url: `http://page.localhost/${page}`,
  html: readFileSync(resolve(root, page), 'utf8'),
  folder: resolve(root),
  selector: null,
  actions: [],
  seed: 1,
  network: false,
  fonts: undefined,
  type: 'image/png',
  ...settings,
  modules: {
    rasterloom: side === 'ours' ? built('index') : new URL('./dawn.mjs', import.meta.url).href,
    time: built('virtual-time'),
    hooks: built('page-hooks'),
    dom: pathToFileURL(createRequire(import.meta.url).resolve('happy-dom')).href,
  },
};

const errors = [];
const gpuErrors = new Set();
const missing = [];
const pictures = [];
let note = '';
let state = 'before its scripts ran';
let conversions = 0;
const began = performance.now();
const now = () => (performance.now() - began - conversions) / 1000;

function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function finish() {
  const blank = pictures.at(-1)?.isBlank;
  const [first, last] = [pictures[0], pictures.at(-1)];
  const result =
    errors.length > 0 ? 'error' : missing.length > 0 ? 'missing file' : !last ? 'no canvas' : blank ? 'blank' : 'drawn';
  const figures = { result, seconds: now() };
  if (last) {
    writeFileSync(out, last.bytes);
    const { data } = readPicture(last.bytes);
    figures.hash = createHash('sha256').update(data).digest('hex').slice(0, 16);
    Object.assign(figures, { seconds: last.at, cpu: last.cpu });
    const frames = last.frame - first.frame;
    if (frames > 0)
      Object.assign(figures, { frame: (last.at - first.at) / frames, frameCpu: (last.cpu - first.cpu) / frames });
  }
  const cause = [...missing.map((url) => `missing: ${url}`), ...errors.slice(0, MAX_ERRORS), note].join('\n').trim();
  end({ ...figures, cause: cause.slice(0, 1500), gpuErrors: [...gpuErrors].slice(0, MAX_ERRORS) });
}

/** Ends the process at once: Dawn can abort while it is closed, and then nothing would be printed. */
function end(figures) {
  writeSync(1, `${JSON.stringify(figures)}\n`);
  process.kill(process.pid, 'SIGKILL');
}

const env = { ...process.env, BACKEND: BACKENDS[side] };
const worker = new Worker(new URL('../../build/page-worker.js', import.meta.url), {
  workerData: order,
  execArgv: [],
  stdout: true,
  env,
});
const actions = {
  error: ({ text }) => errors.push(text),
  missing: ({ url }) => missing.push(new URL(url).pathname),
  picture: ({ picture }) => pictures.push({ ...picture, at: now(), cpu: processorTime() }),
  conversion: ({ ms }) => (conversions += ms),
  'gpu-error': ({ text }) => gpuErrors.add(text.slice(0, 500)),
  'no-canvas': ({ text }) => (note = text),
  state: ({ text }) => (state = text),
  done: finish,
};
worker.on('message', (news) => actions[news.kind](news));
worker.on('error', (error) => errors.push(String(error.stack)));
worker.on('exit', finish);
setTimeout(
  () => end({ result: 'timeout', seconds: timeout, cause: `took more than ${timeout} s; stopped ${state}` }),
  timeout * 1000
);
