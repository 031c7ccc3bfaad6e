// Renders models with the command, F3D and <model-viewer> in Chromium, in turn, one process per picture and tool:
//
//   node bench/gltf/viewers.mjs [a.glb b.gltf …]     (default: models of packages.json, see viewer-models.json)
//
// It measures the time from the start of the process to its end, by when the picture is a file; the processor time of
// all its processes, which other work on the machine changes less; and the largest memory of all its processes together
// (their proportional set sizes, so that shared pages count once). A picture is drawn
// if at least 0.1 % of its pixels differ from the most frequent colour. Writes a table and a contact sheet with a row
// per model to build/viewers.
//
// It needs Debian's packages f3d, xvfb and chromium, and `npm install @google/model-viewer three` in a folder that
// RASTERLOOM_MODEL_VIEWER names. The X server for F3D is started once; its time and memory are not counted.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { decode, encode } from 'fast-png';
import { median } from '../support/machine.mjs';
import { contactSheet } from './sheet.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CACHE = process.env.RASTERLOOM_MODELS ?? join(tmpdir(), 'rasterloom-models');
const OUT = join(ROOT, 'build/viewers');
const SIDE = 512;
const DISPLAY = ':79';
const TIME_LIMIT_MS = 120_000;
const LEAST_SHARE = 0.001;

/** Arguments of each tool for a model and a picture. */
const TOOLS = {
  rasterloom: (model, picture) => [
    process.execPath,
    [join(ROOT, 'build/cli.js'), 'render', model, '-o', picture, '-s', `${SIDE}x${SIDE}`, '--allow-external', '-q'],
  ],
  f3d: (model, picture) => ['f3d', [model, `--output=${picture}`, `--resolution=${SIDE},${SIDE}`, '--dry-run']],
  'model-viewer': (model, picture) => [
    process.execPath,
    [fileURLToPath(new URL('model-viewer.mjs', import.meta.url)), model, picture, String(SIDE)],
  ],
};

/** Units of the times in /proc/PID/stat per second. */
const TICKS = 100;

/**
 * Looks at a process and all below it. Processes that have ended count nothing.
 * @param times gets the processor time of each process so far, in seconds
 * @returns the sum of their proportional set sizes in bytes
 */
function look(pid, times) {
  let sum = 0;
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ').slice(11, 13);
    times.set(pid, (Number(user) + Number(system)) / TICKS);
    sum += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))[1]) * 1024;
    for (const task of readdirSync(`/proc/${pid}/task`))
      for (const child of readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').split(' ').filter(Boolean))
        sum += look(Number(child), times);
  } catch {
    // The process has ended.
  }
  return sum;
}

function run([command, args]) {
  return new Promise((resolve) => {
    const start = performance.now();
    const child = spawn(command, args, { env: { ...process.env, DISPLAY }, stdio: ['ignore', 'ignore', 'pipe'] });
    const times = new Map();
    let message = '';
    let memory = 0;
    child.stderr.on('data', (text) => (message += text));
    const poll = setInterval(() => (memory = Math.max(memory, look(child.pid, times))), 50);
    const limit = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS);
    const end = (code) => {
      clearInterval(poll);
      clearTimeout(limit);
      const seconds = (performance.now() - start) / 1000;
      const processor = [...times.values()].reduce((sum, time) => sum + time, 0);
      resolve({ code, seconds, processor, memory, message: message.trim().slice(0, 300) });
    };
    child.on('error', (error) => end(String(error)));
    child.on('close', end);
  });
}

/** Pixels as RGBA, and the share of those that differ from the most frequent colour. */
function readPicture(file) {
  const { data, channels, width, height } = decode(readFileSync(file));
  const pixels = new Uint8Array(width * height * 4).fill(255);
  const counts = new Map();
  for (let i = 0; i < width * height; i++) {
    const from = data.subarray(i * channels, (i + 1) * channels);
    pixels.set(from, i * 4);
    const key = from.join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return { pixels, share: 1 - Math.max(...counts.values()) / (width * height) };
}

async function measure(tool, model, name) {
  const picture = join(OUT, `${name}.${tool}.png`);
  const result = await run(TOOLS[tool](model, picture));
  const isThere = result.code === 0 && existsSync(picture);
  const { pixels, share } = isThere ? readPicture(picture) : { share: 0 };
  return { ...result, pixels, share, isDrawn: isThere && share >= LEAST_SHARE };
}

const listed = JSON.parse(readFileSync(new URL('viewer-models.json', import.meta.url), 'utf8'));
const given = process.argv.slice(2);
const models = given.length > 0 ? given : listed.map((path) => join(CACHE, path));
const missing = models.filter((path) => !existsSync(path));
if (missing.length > 0) {
  console.error(`Missing models; run "npm run bench models" first:\n${missing.join('\n')}`);
  process.exit(1);
}
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const server = spawn('Xvfb', [DISPLAY, '-screen', '0', `${SIDE}x${SIDE}x24`, '-nolisten', 'tcp'], { stdio: 'ignore' });
await new Promise((resolve) => setTimeout(resolve, 1000));

const rows = [];
try {
  // Programs and libraries are read from the disk once before anything is measured.
  for (const tool of Object.keys(TOOLS)) await measure(tool, models[0], 'warm-up');
  for (const [i, model] of models.entries()) {
    const row = { model: basename(model), path: model.replace(`${CACHE}/`, '') };
    for (const tool of Object.keys(TOOLS)) row[tool] = await measure(tool, model, String(i));
    rows.push(row);
    const text = Object.keys(TOOLS).map((tool) => {
      const { isDrawn, seconds, processor, memory, message } = row[tool];
      const what = isDrawn ? '' : ` NOT DRAWN ${message.replaceAll('\n', ' ').slice(0, 120)}`;
      const time = `${seconds.toFixed(2)} s (processor ${processor.toFixed(2)} s)`;
      return `${tool} ${time} ${(memory / 1e6).toFixed(0)} MB${what}`;
    });
    console.error(`${i + 1}/${models.length} ${row.model}: ${text.join(', ')}`);
  }
} finally {
  server.kill();
}

const tools = Object.keys(TOOLS);
const cells = rows.flatMap((row) =>
  tools.map((tool) => ({ pixels: row[tool].pixels, text: `${tool.slice(0, 12)} ${row.model}` }))
);
const sheet = contactSheet(cells, SIDE, tools.length);
writeFileSync(
  join(OUT, 'sheet.png'),
  encode({ width: sheet.width, height: sheet.height, data: sheet.pixels, channels: 4, depth: 8 })
);
const figures = tools.map((tool) => {
  const results = rows.map((row) => row[tool]);
  const seconds = results.map((result) => result.seconds);
  const processor = results.map((result) => result.processor);
  const megabytes = results.map(({ memory }) => memory / 1e6);
  return {
    tool,
    drawn: results.filter(({ isDrawn }) => isDrawn).length,
    medianSeconds: median(seconds),
    mostSeconds: Math.max(...seconds),
    medianProcessor: median(processor),
    mostProcessor: Math.max(...processor),
    medianMegabytes: median(megabytes),
    mostMegabytes: Math.max(...megabytes),
  };
});
const summary = { models: models.length, figures };
const plain = rows.map((row) => ({
  ...row,
  ...Object.fromEntries(tools.map((tool) => [tool, { ...row[tool], pixels: undefined }])),
}));
writeFileSync(join(OUT, 'viewers.json'), JSON.stringify({ summary, rows: plain }, null, 2));
console.table(figures);
