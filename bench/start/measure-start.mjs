// Measures the time from the start of a process to the first 64×64 triangle read back, and to a picture file of the
// helmet at 1280×720 with 4 samples.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

export async function measureStart() {
  const triangle = figures(Array.from({ length: TRIANGLES }, () => Number(node(path('./start.mjs')))));
  say(`start of a process → 64×64 triangle read back: ${triangle.median} ms (fastest ${triangle.min})`);
  const model = path('../../../shared/assets/DamagedHelmet.glb');
  if (!existsSync(model)) {
    say(
      'start of a process → picture of the helmet: left out, ../shared/assets/DamagedHelmet.glb '
        + 'is not there beside the checkout'
    );
    return { unit: 'ms', triangle };
  }
  const file = await helmet(model);
  say(
    `start of a process → picture of the helmet with 4 samples: ${file.median} ms < ${file.limit} `
      + `(and the process is gone after ${file.ended.median}): ${file.reached ? 'reached' : 'NOT REACHED'}`
  );
  return { unit: 'ms', triangle, helmet: file };
}
