// Output of the SIMD kernels compared with the scalar twin, bit by bit, with and without single-texel pixels: handmade
// warps with every renderable format.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_R8UNORM,
  FORMAT_RG8UNORM,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import {
  COLOR_CLEAR,
  COLOR_STORED,
  PACKER_BLOCK,
  PACKER_PIXELS,
  PACKER_QUADS,
  PACKER_UNIFORM_BLOCK,
} from '../../assembly/layout/tile/tile-codes';
import { Entry, Packer, Target, Tile } from '../../build/layout';
import { rounds } from '../support/rounds';
import {
  type Blend,
  type Case,
  FORMATS,
  INTEGERS,
  WAYS,
  compare,
  compareWarps,
  context,
  k,
  packer,
  plane,
  registers,
  setSamples,
  target,
} from './twins.kit';

const BLENDABLE = FORMATS.filter((format) => !INTEGERS.includes(format));
const KINDS = [
  ['quads', PACKER_QUADS],
  ['blocks', PACKER_BLOCK],
  ['blocks of one result', PACKER_UNIFORM_BLOCK],
  ['pixels', PACKER_PIXELS],
] as const;
const EIGHT_BIT = [
  FORMAT_RGBA8UNORM,
  FORMAT_BGRA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_R8UNORM,
  FORMAT_RG8UNORM,
];

const STATES: Blend[] = [
  [0, 1, 5, 0, 1, 5],
  [0, 4, 5, 0, 1, 5],
  [0, 4, 1, 0, 4, 1],
  [0, 1, 1, 0, 1, 1],
  [0, 6, 0, 0, 6, 0],
  [0, 7, 1, 0, 7, 1],
  [0, 0, 2, 0, 0, 4],
  [2, 4, 1, 2, 0, 1],
];

describe('warps of pixels', () => {
  it.each(['prepareTarget', 'prepareTargetScalar'] as const)(
    '%s: entry i has lane i & 3 of group i >> 2, and goes to the samples of its mask',
    (prepare) => {
      setSamples(4, true, FORMAT_R8UNORM);
      const states = k.bytes(context + Tile.colorBlocks, 64).fill(COLOR_CLEAR);
      const mixed = k.bytes(context + Tile.perSample, 512).fill(0);
      k.bytes(context + Tile.clearTexels, 16).fill(7);
      for (let i = 0; i < 16; i++) k.f32(registers + 4 * i, (100 + i) / 255);
      k.i32(target + Target.format, FORMAT_R8UNORM);
      k.i32(target + Target.writeMask, 15);
      k.i32(target + Target.blend, 0);
      for (let c = 0; c < 4; c++) k.i32(target + Target.registers + 4 * c, c);
      k.call[prepare](target);
      k.i32(packer + Packer.kind, PACKER_PIXELS);
      k.i32(packer + Packer.count, 15);
      // Whole pixels of block 1; then one pixel of block 0 by two entries, and some samples of another.
      const entries = Array.from({ length: 12 }, (_, i) => [64 + 5 * i, 15]).concat([
        [33, 5],
        [33, 10],
        [34, 6],
      ]);
      entries.forEach(([pixel, mask], i) => {
        k.i32(packer + Packer.entries + 16 * i + Entry.index, pixel);
        k.i32(packer + Packer.entries + 16 * i + Entry.mask, mask);
      });
      k.call.writeTarget(context, packer, target, 0);
      expect([...states.subarray(0, 3)]).toEqual([COLOR_STORED, COLOR_STORED, COLOR_CLEAR]);
      // Pixels 33 and 34, and no other.
      expect([...mixed.subarray(0, 16)]).toEqual([0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      k.call.expandColors(context, 0);
      const want = new Uint8Array(512).fill(7);
      entries.forEach(([pixel, mask], i) => {
        for (let s = 0; s < 4; s++) if (mask & (1 << s)) want[pixel * 4 + s] = 100 + i;
      });
      expect([...k.bytes(plane, 512)]).toEqual([...want]);
    }
  );
});

describe.each([1, 4] as const)('at %i sample(s), SIMD and scalar output', (samples) => {
  it.each(KINDS)('%s: every format', (_, kind) => {
    for (const format of FORMATS) {
      const seen = new Set<number>();
      for (let seed = 0; seed < 10; seed++) compare({ format, samples, kind, seed }).forEach((b) => seen.add(b));
      expect(seen.size, `format ${format}`).toBeGreaterThan(20);
      if (kind !== PACKER_PIXELS)
        for (let writeMask = 1; writeMask < 15; writeMask++)
          compare({ format, samples, kind, writeMask, seed: writeMask });
    }
  });

  it('every pair of factors and every operation, on formats of 8 bits and others', () => {
    for (const format of BLENDABLE) {
      let seed = format * 1000;
      for (let src = 0; src < 13; src++)
        for (let dst = 0; dst < 13; dst++) {
          const ops = EIGHT_BIT.includes(format) ? [seed % 3, (seed + 1) % 3] : dst % 3 === src % 3 ? [seed % 3] : [];
          seed++;
          for (const op of ops) {
            compare({
              format,
              samples,
              kind: PACKER_QUADS,
              blend: [op, src, dst, (op + seed) % 3, (src + 4 * seed) % 13, (dst + 7 * seed) % 13],
              seed,
              writeMask: seed % 5 ? 15 : seed % 16,
            });
          }
        }
      for (let op = 0; op < 25; op++)
        compare({ format, samples, kind: PACKER_QUADS, blend: [op % 5, 1, 1, Math.floor(op / 5), 1, 1], seed: op });
    }
  });

  it('the most common states', () => {
    for (const blend of STATES)
      for (const format of BLENDABLE) {
        for (let seed = 0; seed < 5; seed++)
          for (const kind of [PACKER_QUADS, PACKER_BLOCK, PACKER_UNIFORM_BLOCK])
            compare({ format, samples, kind, blend, seed });
      }
  });
});

describe.each([2, 8, 16] as const)('at %i samples, SIMD and scalar output', (samples) => {
  it.each(KINDS)('%s: every format', (_, kind) => {
    for (const format of FORMATS) {
      for (let seed = 0; seed < 4; seed++) compare({ format, samples, kind, seed });
      for (let writeMask = 1; writeMask < 15; writeMask += 3)
        compare({ format, samples, kind, writeMask, seed: writeMask });
    }
  });

  it('the most common states, minima and maxima', () => {
    for (const blend of [...STATES, [3, 1, 1, 4, 1, 1] as const])
      for (const format of BLENDABLE) {
        for (let seed = 0; seed < 2; seed++)
          for (const kind of [PACKER_QUADS, PACKER_UNIFORM_BLOCK]) compare({ format, samples, kind, blend, seed });
      }
  });
});

describe('sequences of warps', () => {
  const states = fc.option(
    fc.oneof(
      fc.constantFrom(...STATES),
      fc.tuple(...[5, 13, 13, 5, 13, 13].map((n) => fc.nat(n - 1)))
    ) as fc.Arbitrary<Blend>,
    { nil: undefined, freq: 2 }
  );
  const warp = fc
    .record({
      kind: fc.constantFrom(PACKER_QUADS, PACKER_QUADS, PACKER_PIXELS, PACKER_BLOCK, PACKER_UNIFORM_BLOCK),
      blend: states,
      writeMask: fc.constantFrom(15, 15, 15, 7, 8, 2),
      seed: fc.nat(1e6),
    })
    // Blending is in order, by quads or blocks.
    .map((w) => (w.blend && w.kind === PACKER_PIXELS ? { ...w, kind: PACKER_QUADS } : w));

  it.each([1, 2, 4, 8, 16] as const)('at %i sample(s) give the same bits', (samples) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...BLENDABLE),
        fc.nat(1e6),
        fc.array(warp, { minLength: 1, maxLength: 10 }),
        (format, seed, warps) => {
          const test: Case = { format, samples, seed, warps };
          compareWarps(test, WAYS);
        }
      ),
      { numRuns: rounds(60), seed: 6 + samples }
    );
  });
});
