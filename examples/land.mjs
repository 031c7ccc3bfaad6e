// Generates a land of 65 536 × 65 536 texels page by page, for map.mjs and hills.mjs: its heights and its map.
import { setTimeout as wait } from 'node:timers/promises';

export const SIDE = 65536;
export const LEVELS = 17;
export const PAGE = 128;
/** The land's height as a fraction of its width, per unit of the values in height pages. */
export const STEEPNESS = 0.045;

/** A pseudo-random number from 0 to 1 at a grid point. */
function noiseAt(x, y, seed) {
  let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(seed, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 8) / 0x1000000;
}

/**
 * Value noise, interpolated between the points of a grid. `cell` is the grid's spacing in texels of level 0. The noise
 * repeats at the edge of the map.
 */
function smooth(x, y, cell) {
  const u = x / cell;
  const v = y / cell;
  const i = Math.floor(u);
  const j = Math.floor(v);
  const most = SIDE / cell;
  const fade = (t) => t * t * (3 - 2 * t);
  const s = fade(u - i);
  const t = fade(v - j);
  const i1 = (i + 1) % most;
  const j1 = (j + 1) % most;
  const upper = noiseAt(i, j, cell) * (1 - s) + noiseAt(i1, j, cell) * s;
  return upper * (1 - t) + (noiseAt(i, j1, cell) * (1 - s) + noiseAt(i1, j1, cell) * s) * t;
}

/** Height at a texel of a mip level, without detail finer than the level. */
function heightAt(x, y, level) {
  let height = 0;
  let weight = 0.5;
  for (let cell = SIDE / 8; cell >= Math.max(8, 2 << level); cell >>= 1, weight *= 0.55)
    height += (smooth(x, y, cell) - 0.5) * weight;
  return height;
}

const RAMP = [
  [-0.4, 18, 44, 92],
  [-0.03, 38, 104, 150],
  [0, 206, 190, 140],
  [0.02, 92, 138, 66],
  [0.14, 60, 104, 52],
  [0.22, 120, 108, 92],
  [0.3, 160, 152, 146],
  [0.36, 244, 246, 250],
  [1, 255, 255, 255],
];
function colorAt(height) {
  const next = RAMP.findIndex(([from]) => from > height);
  const [a, ...low] = RAMP[Math.max(0, next - 1)];
  const [b, ...high] = RAMP[Math.max(0, next)];
  const t = Math.min(1, Math.max(0, (height - a) / Math.max(1e-6, b - a)));
  return low.map((value, c) => value + (high[c] - value) * t);
}

/** Heights of a page, with one more column and row after it. */
function heightsOf(level, x, y) {
  const side = Math.min(PAGE, SIDE >> level);
  const heights = new Float32Array((side + 1) * (side + 1));
  const step = 1 << level;
  for (let row = 0; row <= side; row++)
    for (let column = 0; column <= side; column++)
      heights[row * (side + 1) + column] = heightAt(
        ((x * PAGE + column) * step) % SIDE,
        ((y * PAGE + row) * step) % SIDE,
        level
      );
  return { side, heights, step };
}

/** Returns a page of the map as rgba8unorm, lit from one side. */
export async function colorPage(level, x, y) {
  // Imitates the latency of a disk or network.
  await wait(2);
  const { side, heights, step } = heightsOf(level, x, y);
  const bytes = new Uint8Array(side * side * 4);
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) {
      const at = row * (side + 1) + column;
      const height = heights[at];
      const slope = ((height - heights[at + side + 2]) * 900) / step;
      const light = height < 0 ? 1 : Math.min(1.35, Math.max(0.45, 1 + slope));
      bytes.set([...colorAt(height).map((value) => Math.min(255, value * light)), 255], (row * side + column) * 4);
    }
  return bytes;
}

/** Returns a page of heights as r32float. The sea is flat. */
export async function heightPage(level, x, y) {
  await wait(2);
  const { side, heights } = heightsOf(level, x, y);
  const texels = new Float32Array(side * side);
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++)
      texels[row * side + column] = Math.max(0, heights[row * (side + 1) + column]);
  return texels;
}
