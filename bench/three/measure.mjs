// Measures a scene of three.js on several sides in turn, each in processes of its own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { median, roundTo } from '../support/machine.mjs';
import { peersFolder } from '../support/peer-files.mjs';
import { say } from '../support/progress.mjs';

/** Windows of frames, whose median is taken. The first frame includes building the scene. */
export const WINDOWS = { 1: [0, 1], 10: [8, 12], '30 to 60': [29, 60], '240 to 300': [239, 300] };
const WITHIN = 8;
const BACKGROUND = [0x1c, 0x22, 0x30];
const script = fileURLToPath(new URL('./run.mjs', import.meta.url));
const two = roundTo(2);

/** Draws a scene on a side. Returns the figures of each window, or the error of a peer that cannot draw it. */
function run(side, name, { samples, frames, size, folder }) {
  const command = [process.execPath, script, side, folder, name];
  const { stdout, stderr } = spawnSync(
    'bash',
    side === 'ours'
      ? ['-c', 'exec "$@"', '-', ...command]
      : ['-c', '. "$0/env.sh" && exec "$@"', peersFolder, ...command],
    {
      env: { ...process.env, MESA_SHADER_CACHE_DISABLE: 'true', FRAMES: frames, SIZE: size, SAMPLES: samples },
      encoding: 'utf8',
    }
  );
  const line = stdout.trim().split('\n').at(-1);
  if (!line.startsWith('{')) throw new Error(`${name} by ${side}: ${stderr.slice(-500)}`);
  const { first, firstCpu, times, cpu, refusal } = JSON.parse(line);
  if (refusal !== undefined) return { refusal };
  const picture = decode(readFileSync(join(folder, `${name}.png`))).data;
  const all = [first, ...times];
  const spent = [firstCpu, ...cpu];
  const figures = Object.entries(WINDOWS)
    .filter(([, [, to]]) => to <= all.length)
    .map(([window, [from, to]]) => [window, { ms: median(all.slice(from, to)), cpu: median(spent.slice(from, to)) }]);
  return { picture, figures: Object.fromEntries(figures) };
}

/** Returns the share of pixels that are close to each other, except for pixels that are background in both pictures. */
function likeness(a, b) {
  let seen = 0;
  let near = 0;
  for (let i = 0; i < a.length; i += 4) {
    const isBackground = [a, b].every((data) => BACKGROUND.every((value, c) => Math.abs(data[i + c] - value) <= 1));
    if (isBackground) continue;
    seen++;
    if ([0, 1, 2].every((c) => Math.abs(a[i + c] - b[i + c]) <= WITHIN)) near++;
  }
  return near / seen;
}

/**
 * Measures a scene in rounds. Every second round runs in reverse order. Returns the figures of each window by side;
 * those of peers have their ratios to ours.
 */
export function measureScene(name, { samples, frames, size, peers, rounds: count }) {
  const folder = mkdtempSync(join(tmpdir(), 'three-'));
  const sides = ['ours', ...peers.filter((peer) => samples === '1' || peer !== 'llvmpipe')];
  const rounds = Array.from({ length: count }, (_, round) => {
    const order = round % 2 ? sides.toReversed() : sides;
    return Object.fromEntries(order.map((side) => [side, run(side, name, { samples, frames, size, folder })]));
  });
  rmSync(folder, { recursive: true });
  const windows = Object.keys(rounds[0].ours.figures);
  for (const side of sides.slice(1)) {
    const { refusal } = rounds.find((round) => round[side].refusal !== undefined)?.[side] ?? {};
    if (refusal === undefined) continue;
    say(`${name} is left out on ${side}, which refuses it: ${refusal}`);
    sides.splice(sides.indexOf(side), 1);
  }
  const result = {};
  for (const window of windows) {
    const of = (side, figure) => median(rounds.map((round) => round[side].figures[window][figure]));
    result[window] = Object.fromEntries(
      sides.map((side) => [
        side,
        {
          ms: two(of(side, 'ms')),
          cpu: two(of(side, 'cpu')),
          ...(side === 'ours'
            ? {}
            : {
                ratio: two(median(rounds.map(({ [side]: peer, ours }) => ratioOf(peer, ours, window, 'ms')))),
                cpuRatio: two(median(rounds.map(({ [side]: peer, ours }) => ratioOf(peer, ours, window, 'cpu')))),
                likeness: likeness(rounds[0].ours.picture, rounds[0][side].picture),
              }),
        },
      ])
    );
  }
  return result;
}

const ratioOf = (peer, ours, window, figure) => peer.figures[window][figure] / ours.figures[window][figure];
