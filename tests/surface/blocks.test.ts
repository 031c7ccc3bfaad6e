// Pixels with one texel and pixels with a texel per sample, for texels of every size: spreading to samples, gathering
// from them, and resolving.
import { describe, expect, it } from 'vitest';
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_R16FLOAT,
  FORMAT_R32FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RG16FLOAT,
  FORMAT_RG32FLOAT,
  FORMAT_RG8UNORM,
  FORMAT_RGB10A2UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import { COLOR_CLEAR, COLOR_STORED } from '../../assembly/layout/tile/tile-codes';
import { TILE_PIXELS } from '../../assembly/layout/surface/tile-order';
import { Attachment, Plane, Tile } from '../../build/layout';
import { pixelIndex, PixelKernel, random } from '../raster/kit';

const FORMATS = [
  ['r8unorm', FORMAT_R8UNORM],
  ['rg8unorm', FORMAT_RG8UNORM],
  ['rgba8unorm', FORMAT_RGBA8UNORM],
  ['rgba8unorm-srgb', FORMAT_RGBA8UNORM_SRGB],
  ['bgra8unorm-srgb', FORMAT_BGRA8UNORM_SRGB],
  ['rgb10a2unorm', FORMAT_RGB10A2UNORM],
  ['r16float', FORMAT_R16FLOAT],
  ['rg16float', FORMAT_RG16FLOAT],
  ['rgba16float', FORMAT_RGBA16FLOAT],
  ['r32float', FORMAT_R32FLOAT],
  ['rg32float', FORMAT_RG32FLOAT],
  ['rgba32float', FORMAT_RGBA32FLOAT],
] as const;
const ROW = 24 * 16;
const COUNTS = [2, 4, 8, 16] as const;
type Count = (typeof COUNTS)[number];
const LAYER = TILE_PIXELS * 4;

/**
 * A context whose first three blocks hold random texels, the third one cleared; and an attachment that resolves to rows
 * of `ROW` bytes.
 */
class Target {
  readonly k = new PixelKernel('testing');
  readonly context = this.k.alloc(Tile.bytes);
  readonly plane = this.k.alloc(4 * LAYER * 16);
  readonly pixels = this.k.alloc(TILE_PIXELS * 16);
  readonly further = this.k.alloc(TILE_PIXELS * 16);
  readonly masks = this.k.alloc(TILE_PIXELS * 2);
  readonly rows = this.k.alloc(ROW * 64);
  readonly attachment = this.k.alloc(Attachment.bytes);
  readonly bytes: number;
  /** Samples of the pixels of block 0 that have two texels. */
  readonly pairs = new Map<number, string[]>();

  /** `mixed`: for blocks 0 and 1, which pixels are in the sample planes. */
  constructor(
    readonly format: number,
    readonly count: Count,
    mixed: readonly bigint[],
    encodes = 1,
    paired = 0n
  ) {
    const { k } = this;
    this.bytes = k.call.texelBytes(format);
    k.i32(this.context + Tile.layerSamples, 4);
    k.i32(this.context + Tile.samples, count);
    k.i32(this.context + Tile.layers, Math.max(1, count >> 2));
    k.i32(this.context + Tile.encodes, encodes);
    const record = this.context + Tile.planes;
    k.i32(record + Plane.samples, this.plane);
    k.i32(record + Plane.pixels, this.pixels);
    k.i32(record + Plane.states, this.context + Tile.colorBlocks);
    k.i32(record + Plane.perSample, this.context + Tile.perSample);
    k.i32(record + Plane.paired, this.context + Tile.paired);
    k.i32(record + Plane.listed, this.context + Tile.listed);
    k.i32(record + Plane.secondTexels, paired ? this.further : 0);
    k.i32(record + Plane.masks, this.masks);
    k.i32(record + Plane.clear, this.context + Tile.clearTexels);
    k.i32(record + Plane.texelBytes, this.bytes);
    k.i32(record + Plane.layers, Math.max(1, count >> 2));
    k.i32(this.attachment + Attachment.format, format);
    k.i32(this.attachment + Attachment.resolveAddress, this.rows);
    k.i32(this.attachment + Attachment.resolveRowBytes, ROW);
    k.bytes(this.context + Tile.colorBlocks, 64)
      .fill(COLOR_CLEAR)
      .set([COLOR_STORED, COLOR_STORED]);
    new BigUint64Array(k.memory.buffer, this.context + Tile.perSample, 64).fill(0n).set(mixed);
    const next = random(format);
    const words = k.alloc(16);
    const texel = (at: number): void => {
      for (let c = 0; c < 4; c++)
        k.f32(
          words + 4 * c,
          next() < 0.05 ? [NaN, Infinity, 1e30, -1, 1e-42][Math.floor(next() * 5)] : next() * 2 - 0.3
        );
      k.call.storeTexel(format, at, words);
    };
    for (let pixel = 0; pixel < 128; pixel++) {
      texel(this.pixels + pixel * this.bytes);
      for (let s = 0; s < Math.max(4, count); s++) {
        // Every third pixel has equal samples; of the others, some samples are equal.
        if (s > 0 && (pixel % 3 === 0 || next() < 0.3)) this.copy(pixel, s, s - 1);
        else texel(this.sample(pixel, s));
        if (count === 2 && s > 1) this.copy(pixel, s, s - 2);
      }
    }
    new BigUint64Array(k.memory.buffer, this.context + Tile.paired, 64).fill(0n)[0] = paired;
    new BigUint64Array(k.memory.buffer, this.context + Tile.listed, 64).fill(0n);
    for (let pixel = 0; pixel < 64; pixel++) {
      if (!isMixed(paired, pixel)) continue;
      const mask = 2 + 2 * Math.floor(next() * (2 ** (count - 1) - 1));
      texel(this.further + pixel * this.bytes);
      k.bytes(this.masks + 2 * pixel, 2).set([mask & 255, mask >> 8]);
      const spoilt = Buffer.alloc(this.bytes, 0xa5).toString('hex');
      const held = Array.from({ length: count }, (_, s) =>
        this.hex(((mask >> s) & 1 ? this.further : this.pixels) + pixel * this.bytes)
      );
      this.pairs.set(pixel, held);
      for (let s = 0; s < count; s++) k.bytes(this.sample(pixel, s), this.bytes).set(Buffer.from(spoilt, 'hex'));
    }
    for (let i = 0; i < 16; i++) k.bytes(this.context + Tile.clearTexels, 16)[i] = 17 + (i % this.bytes);
  }

  private copy(pixel: number, to: number, from: number): void {
    this.k.bytes(this.sample(pixel, to), this.bytes).set(this.k.bytes(this.sample(pixel, from), this.bytes));
  }
  sample(pixel: number, s: number): number {
    return this.plane + ((s >> 2) * LAYER + pixel * 4 + (s & 3)) * this.bytes;
  }
  /** All samples of a pixel. */
  samples(pixel: number): string[] {
    return Array.from({ length: Math.max(4, this.count) }, (_, s) => this.hex(this.sample(pixel, s)));
  }
  pixel(index: number): string {
    return this.hex(this.pixels + index * this.bytes);
  }
  mixed(block: number): bigint {
    return new BigUint64Array(this.k.memory.buffer, this.context + Tile.perSample, 64)[block];
  }
  resolved(x: number, y: number): string {
    return this.hex(this.rows + y * ROW + x * this.bytes);
  }
  get clear(): string {
    return Array.from({ length: this.bytes }, (_, i) => (17 + i).toString(16)).join('');
  }
  hex(at: number): string {
    return Buffer.from(this.k.bytes(at, this.bytes)).toString('hex');
  }
  resolve(width: number, height: number): void {
    this.k.i32(this.context + Tile.width, width);
    this.k.i32(this.context + Tile.height, height);
    this.k.call.resolvePlane(this.context, this.attachment, 0);
  }
  /**
   * The scalar mean of a pixel in the sample planes, or of one with two texels, computed through another pixel's
   * samples.
   */
  mean(pixel: number): string {
    const held = this.pairs.get(pixel);
    if (held) {
      held.forEach((texel, s) => this.k.bytes(this.sample(200, s), this.bytes).set(Buffer.from(texel, 'hex')));
      return this.mean(200);
    }
    const to = this.k.alloc(16);
    this.k.call.resolvePixel(
      this.format,
      this.bytes,
      this.sample(pixel, 0),
      to,
      this.context + Tile.texels,
      this.count
    );
    return this.hex(to);
  }
}

const ALL = (1n << 64n) - 1n;
const SOME = 0x0123456789abcdefn;
const isMixed = (bits: bigint, pixel: number): boolean => ((bits >> BigInt(pixel)) & 1n) === 1n;

describe.each(FORMATS)('%s', (_, format) => {
  it.each([4, 8, 16] as const)(
    '%i samples: pixels of two texels are spread and resolved like their samples',
    (count) => {
      const PAIRS = SOME & 0xf0f0ff00ff00f0f1n;
      const spread = new Target(format, count, [SOME, 0n], 1, PAIRS);
      spread.k.call.expandColors(spread.context, 0);
      expect(spread.pairs.size).toBeGreaterThan(8);
      for (const [pixel, held] of spread.pairs) expect(spread.samples(pixel), `pixel ${pixel}`).toEqual(held);
      const t = new Target(format, count, [SOME, 0n], 1, PAIRS);
      const want = [...t.pairs].map(([pixel, held]) => (isBytes(format) ? byteMean(held) : t.mean(pixel)));
      t.resolve(8, 8);
      const resolved = new Map<number, string>();
      for (let y = 0; y < 8; y++) for (let x = 0; x < 8; x++) resolved.set(pixelIndex(x, y), t.resolved(x, y));
      expect([...t.pairs.keys()].map((pixel) => resolved.get(pixel))).toEqual(want);
    }
  );

  it.each(COUNTS)(
    '%i samples: spreads single texels to all samples, and cleared blocks to the clear value',
    (count) => {
      const t = new Target(format, count, [SOME, 0n]);
      const want = Array.from({ length: 128 }, (_, i) =>
        i < 64 && isMixed(SOME, i) ? t.samples(i) : Array.from({ length: Math.max(4, count) }, () => t.pixel(i))
      );
      t.k.call.expandColors(t.context, 0);
      for (let i = 0; i < 192; i++)
        expect(t.samples(i), `pixel ${i}`).toEqual(
          want[i] ?? Array.from({ length: Math.max(4, count) }, () => t.clear)
        );
      expect([...t.k.bytes(t.context + Tile.colorBlocks, 3)]).toEqual([COLOR_STORED, COLOR_STORED, COLOR_STORED]);
      expect([t.mixed(0), t.mixed(1), t.mixed(2)]).toEqual([ALL, ALL, ALL]);
    }
  );

  it.each(COUNTS)(
    '%i samples: copies single texels, and resolves others to the bits of the scalar twin, whole and cut by the edge',
    (count) => {
      for (const [width, height] of [
        [24, 8],
        [24, 5],
        [21, 8],
      ]) {
        const t = new Target(format, count, [SOME, 0n]);
        const want = Array.from({ length: 128 }, (_, i) =>
          i < 64 && isMixed(SOME, i) && !isBytes(format) ? t.mean(i) : t.pixel(i)
        );
        if (isBytes(format))
          for (let i = 0; i < 64; i++) if (isMixed(SOME, i)) want[i] = byteMean(t.samples(i).slice(0, count));
        t.resolve(width, height);
        for (let y = 0; y < 8; y++)
          for (let x = 0; x < 24; x++) {
            const color = x < 16 ? want[(x >> 3) * 64 + pixelIndex(x & 7, y)] : t.clear;
            expect(t.resolved(x, y), `(${x}, ${y}) of ${width} × ${height}`).toBe(
              y >= height || x >= width ? '00'.repeat(t.bytes) : color
            );
          }
      }
    }
  );

  it.each(COUNTS)('%i samples: a pixel resolves to the same bits, as one texel or as equal samples', (count) => {
    const one = new Target(format, count, [0n, 0n]);
    const mixed = new Target(format, count, [ALL, ALL]);
    for (let pixel = 0; pixel < 128; pixel += 3)
      one.k.bytes(one.pixels + pixel * one.bytes, one.bytes).set(mixed.k.bytes(mixed.sample(pixel, 0), one.bytes));
    one.resolve(16, 8);
    mixed.resolve(16, 8);
    for (let y = 0; y < 8; y++)
      for (let x = 0; x < 16; x++) {
        const pixel = (x >> 3) * 64 + pixelIndex(x & 7, y);
        if (pixel % 3 === 0) expect(mixed.resolved(x, y), `(${x}, ${y})`).toBe(one.resolved(x, y));
      }
  });
});

function isBytes(format: number): boolean {
  return format === FORMAT_RGBA8UNORM || format === FORMAT_BGRA8UNORM;
}

/** Means of the channels, rounded to nearest, from texels in hexadecimal. */
function byteMean(samples: readonly string[]): string {
  const texels = samples.map((s) => Buffer.from(s, 'hex'));
  return Buffer.from(
    [0, 1, 2, 3].map((c) => Math.floor(texels.reduce((sum, texel) => sum + texel[c], 0) / samples.length + 0.5))
  ).toString('hex');
}

it.each([1, 2, 4])('means of bytes over %i layer(s) are the same in both twins', (layers) => {
  const k = new PixelKernel('testing');
  const from = k.alloc(layers * LAYER * 4);
  const next = random(layers);
  const mixed = k.alloc(8);
  new BigUint64Array(k.memory.buffer, mixed, 1)[0] = 0xfedcba9876543210n;
  for (let layer = 0; layer < layers; layer++)
    k.bytes(from + layer * LAYER * 4, 1024).forEach((_, i, all) => {
      all[i] = Math.floor(next() * 256);
    });
  const [a, b] = [k.alloc(256), k.alloc(256)];
  for (const at of [a, b])
    k.bytes(at, 256).forEach((_, i, all) => {
      all[i] = i;
    });
  k.call.meansRgba8Simd(from, a, mixed, layers);
  k.call.meansRgba8Scalar(from, b, mixed, layers);
  expect([...k.bytes(a, 256)]).toEqual([...k.bytes(b, 256)]);
  // Pixels whose bit is not set keep their texel.
  expect([...k.bytes(a, 16)]).toEqual(Array.from({ length: 16 }, (_, i) => i));
});
