// Measures `import` of the package, the time from the start of a process to the first 256×256 triangle read back, and
// to a picture file of the helmet at 1280×720 with 4 samples. If ../shared/peers is installed, the triangle is also
// drawn by Dawn with SwiftShader, in turn.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { missingPeersReason, peerModules, peersFolder } from '../support/peer-files.mjs';
import { median, roundTo } from '../support/machine.mjs';
import { say } from '../support/progress.mjs';

const path = (url) => fileURLToPath(new URL(url, import.meta.url));
const round = roundTo(1);
const TRIANGLES = 11;
const PICTURES = 5;
const MAX_MS_TO_HELMET = 1500;

function node(...args) {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(stderr.slice(-500));
  return stdout;
}
const figures = (all) => ({ median: round(median(all)), min: round(Math.min(...all)) });

/** Returns the milliseconds until the command reports that the picture is written, and until its process ends. */
function picture(args) {
  return new Promise((done, fail) => {
    const began = performance.now();
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let written;
    child.stderr.on('data', (text) => {
      if (String(text).includes('Wrote')) written = performance.now() - began;
    });
    child
      .on('error', fail)
      .on('close', (status) =>
        status === 0 && written
          ? done({ written, ended: performance.now() - began })
          : fail(new Error(`the command ended with ${status}`))
      );
  });
}

async function helmet(model) {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  try {
    const args = [
      path('../../build/cli.js'),
      'render',
      model,
      '-o',
      join(folder, 'helmet.png'),
      '--size',
      '1280x720',
      '--samples',
      '4',
    ];
    const all = [];
    for (let k = 0; k < PICTURES; k++) all.push(await picture(args));
    const whole = figures(all.map(({ written }) => written));
    const { times } = JSON.parse(node(...args, '--json'));
    return {
      ...whole,
      ended: figures(all.map(({ ended }) => ended)),
      limit: MAX_MS_TO_HELMET,
      reached: whole.median < MAX_MS_TO_HELMET,
      parts: Object.fromEntries(Object.entries(times).map(([part, ms]) => [part, round(ms)])),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Draws the triangle in a process of Dawn with SwiftShader. */
function swiftshader() {
  const module = pathToFileURL(createRequire(`${peerModules}/`).resolve('webgpu')).href;
  const { stdout, stderr, status } = spawnSync(
    'bash',
    ['-c', '. "$0/env.sh" && exec node "$@"', peersFolder, path('./start.mjs'), module, '["backend=vulkan"]'],
    { encoding: 'utf8' }
  );
  if (status !== 0) throw new Error(stderr.slice(-500));
  return stdout;
}

/** Draws the triangle without and with a shader cache, and on the peer, in turn: `count` times each. */
export function triangles(count = TRIANGLES) {
  const cache = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  const build = new URL('../../build/index.js', import.meta.url).href;
  const missing = missingPeersReason();
  if (missing) say(`SwiftShader is left out: ${missing}`);
  const ways = {
    cold: () => node(path('./start.mjs'), build),
    cached: () => node(path('./start.mjs'), build, JSON.stringify({ shaderCache: cache })),
    ...(missing ? {} : { swiftshader }),
  };
  try {
    ways.cached();
    const runs = Array.from({ length: count }, () =>
      Object.fromEntries(Object.entries(ways).map(([way, draw]) => [way, JSON.parse(draw())]))
    );
    const of = (way, figure) => figures(runs.map((run) => run[way][figure]));
    return {
      import: of('cold', 'import'),
      triangle: of('cold', 'triangle'),
      cachedTriangle: of('cached', 'triangle'),
      ...(missing ? {} : { swiftshaderTriangle: of('swiftshader', 'triangle') }),
    };
  } finally {
    rmSync(cache, { recursive: true });
  }
}

const NAMES = {
  import: 'import of the package',
  triangle: 'start of a process → 256×256 triangle read back',
  cachedTriangle: 'the same with a shader cache',
  swiftshaderTriangle: 'the same on SwiftShader',
};

export async function measureStart() {
  const start = triangles();
  for (const [key, { median: ms, min }] of Object.entries(start)) say(`${NAMES[key]}: ${ms} ms (fastest ${min})`);
  const model = path('../../../shared/assets/DamagedHelmet.glb');
  if (!existsSync(model)) {
    say(
      'start of a process → picture of the helmet: left out, ../shared/assets/DamagedHelmet.glb '
        + 'is not there beside the checkout'
    );
    return { unit: 'ms', ...start };
  }
  const file = await helmet(model);
  say(
    `start of a process → picture of the helmet with 4 samples: ${file.median} ms < ${file.limit} `
      + `(and the process is gone after ${file.ended.median}): ${file.reached ? 'reached' : 'NOT REACHED'}`
  );
  return { unit: 'ms', ...start, helmet: file };
}
