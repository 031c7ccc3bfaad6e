// The order in which fragments append to a list: tile by tile, and within a tile triangle by triangle. A pass with
// several chunks visits its tiles once per chunk.
import { describe, expect, test } from 'vitest';
import { TILE_SIZE } from '../../assembly/layout/limits';
import { engines, HEIGHT, open, run, WIDTH, type Run } from './kit';

const COLUMNS = Math.ceil(WIDTH / TILE_SIZE);
const PROGRAM: Run = {
  wgsl: `
    struct List { count: atomic<u32>, entries: array<u32> };
    @group(0) @binding(0) var<storage, read_write> list: List;
    @fragment fn main(corner: Corner) -> @location(0) vec4f {
      let at = vec2u(corner.position.xy);
      list.entries[atomicAdd(&list.count, 1)] = (at.y << 16) | (at.x << 8) | corner.id;
      return vec4f(0.5);
    }`,
  words: 1 + 3 * WIDTH * HEIGHT,
  triangles: [
    [0, 0, 90, 5, 20, 70],
    [0, 0, 2 * WIDTH, 0, 0, 2 * HEIGHT],
    [50, 20, 99, 60, 10, 69],
  ],
};
interface Entry {
  readonly tile: number;
  readonly triangle: number;
}

const isSorted = (keys: readonly number[]): boolean => keys.every((key, i) => i === 0 || key >= keys[i - 1]!);

describe.each(Object.entries(engines))('the order of fragments in a list, %s', (_, options) => {
  async function appended(chunkEveryDraw: boolean): Promise<Entry[]> {
    const device = await open({ ...options, chunkEveryDraw });
    const words = await run(device, PROGRAM);
    device.destroy();
    return [...words.subarray(1, 1 + words[0]!)].map((word) => ({
      tile: Math.floor((word >> 16) / TILE_SIZE) * COLUMNS + Math.floor(((word >> 8) & 255) / TILE_SIZE),
      triangle: word & 255,
    }));
  }

  test('is tile by tile, and within a tile triangle by triangle', async () => {
    const entries = await appended(false);
    expect(new Set(entries.map(({ tile }) => tile)).size).toBe(4);
    expect(isSorted(entries.map(({ tile, triangle }) => tile * 3 + triangle))).toBe(true);
  });

  test('is chunk by chunk if a pass has several', async () => {
    const entries = await appended(true);
    expect(isSorted(entries.map(({ tile, triangle }) => triangle * 4 + tile))).toBe(true);
  });
});
