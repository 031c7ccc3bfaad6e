// Execution masks and the number of covered pixels of a warp of quads: both twins compared with the masks themselves.
import { describe, expect, it } from 'vitest';
import { Entry, Packer, Tile, Warp } from '../../build/layout';
import { TestKernel } from '../support/kernel';

const k = new TestKernel();

describe.each(['startLanesSimd', 'startLanesScalar'])('%s', (name) => {
  it.each([
    [1, 0],
    [1, 1],
    [4, 0],
    [4, 1],
  ])('at %i sample(s), helpers %i', (samples, helpers) => {
    k.reset();
    const context = k.alloc(Tile.bytes);
    const warp = k.alloc(Warp.bytes);
    const packer = k.alloc(Packer.bytes);
    k.i32(context + Tile.warp, 1)[0] = warp;
    k.i32(context + Tile.layerSamples, 1)[0] = samples;
    const masks = Array.from({ length: 16 }, (_, i) =>
      samples === 1 ? i : [0x0001, 0x8000, 0x0f00, 0xffff, 0x2010, 0x0480, 0xf00f, 0][i & 7]
    );
    masks.forEach((mask, i) => {
      k.i32(packer + Packer.entries + i * 16 + Entry.mask, 1)[0] = mask;
    });
    const covered = masks.map((mask) =>
      [0, 1, 2, 3].map((pixel) => ((mask >> (pixel * samples)) & (samples === 1 ? 1 : 15) ? -1 : 0))
    );
    for (const count of [1, 7, 16]) {
      expect(k.call[name](context, packer, count, helpers)).toBe(
        covered
          .slice(0, count)
          .flat()
          .filter((lane) => lane).length
      );
      expect([...k.i32(warp + Warp.exec, 4 * count)]).toEqual(
        covered
          .slice(0, count)
          .flat()
          .map((lane) => (helpers ? -1 : lane))
      );
    }
  });
});
