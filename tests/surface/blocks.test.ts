// Blocks of one texel a pixel, for texels of every size: spread to samples, and resolved as a copy; and the resolve of blocks whose samples differ.
import { describe, expect, it } from 'vitest';
import * as C from '../../assembly/layout/context';
import * as F from '../../assembly/layout/formats';
import * as P from '../../assembly/layout/pass';
import { pixelIndex, PixelKernel, random } from '../raster/kit';

const FORMATS = [
  ['r8unorm', F.FORMAT_R8UNORM], ['rg8unorm', F.FORMAT_RG8UNORM], ['rgba8unorm', F.FORMAT_RGBA8UNORM], ['rgba8unorm-srgb', F.FORMAT_RGBA8UNORM_SRGB],
  ['bgra8unorm-srgb', F.FORMAT_BGRA8UNORM_SRGB], ['rgb10a2unorm', F.FORMAT_RGB10A2UNORM], ['r16float', F.FORMAT_R16FLOAT], ['rg16float', F.FORMAT_RG16FLOAT],
  ['rgba16float', F.FORMAT_RGBA16FLOAT], ['r32float', F.FORMAT_R32FLOAT], ['rg32float', F.FORMAT_RG32FLOAT], ['rgba32float', F.FORMAT_RGBA32FLOAT],
] as const;
const ROW = 24 * 16;

/** A context of four samples whose first two blocks hold random texels, and an attachment that resolves to rows of `ROW` bytes. */
class Target {
  readonly k = new PixelKernel('testing');
  readonly context = this.k.alloc(C.CTX_PLANES);
  readonly plane = this.k.alloc(64 * 256 * 16);
  readonly rows = this.k.alloc(ROW * 64);
  readonly attachment = this.k.alloc(P.ATTACHMENT_BYTES);
  readonly bytes: number;

  constructor(readonly format: number, states: readonly number[]) {
    const { k } = this;
    this.bytes = k.call.texelBytes(format);
    k.i32(this.context + C.CTX_SAMPLES, 4);
    k.i32(this.context + C.CTX_COLORS, this.plane);
    k.i32(this.attachment + P.ATTACHMENT_FORMAT, format);
    k.i32(this.attachment + P.ATTACHMENT_RESOLVE_ADDRESS, this.rows);
    k.i32(this.attachment + P.ATTACHMENT_RESOLVE_ROW_BYTES, ROW);
    k.bytes(this.context + C.CTX_COLOR_BLOCKS, 64).fill(C.COLOR_SAMPLES).set(states);
    const next = random(format);
    const words = k.alloc(16);
    for (let i = 0; i < 512; i++) {
      for (let c = 0; c < 4; c++) k.f32(words + 4 * c, next() < 0.05 ? [NaN, Infinity, 1e30, -1][i % 4] : next() * 2 - 0.3);
      k.call.storeTexel(format, this.plane + i * this.bytes, words);
    }
    for (let i = 0; i < 16; i++) k.bytes(this.context + C.CTX_CLEAR_TEXELS, 16)[i] = 17 + (i % this.bytes);
  }

  texel(index: number): string { return this.hex(this.plane + index * this.bytes); }
  resolved(x: number, y: number): string { return this.hex(this.rows + y * ROW + x * this.bytes); }
  private hex(at: number): string { return Buffer.from(this.k.bytes(at, this.bytes)).toString('hex'); }
  resolve(width: number, height: number): void { this.k.call.resolvePlane(this.context, this.attachment, 0, 0, 0, width, height); }
}

describe.each(FORMATS)('%s', (_, format) => {
  it('spreads a block of one texel a pixel to all samples, and a clear one to the clear value', () => {
    const t = new Target(format, [C.COLOR_PIXELS, C.COLOR_CLEAR]);
    const pixels = Array.from({ length: 64 }, (_, i) => t.texel(i));
    t.k.call.spreadColors(t.context, 0, t.bytes);
    const clear = Array.from({ length: t.bytes }, (_, i) => (17 + i).toString(16)).join('');
    for (let i = 0; i < 512; i++) expect(t.texel(i), `sample ${i}`).toBe(i < 256 ? pixels[i >> 2] : clear);
    expect([...t.k.bytes(t.context + C.CTX_COLOR_BLOCKS, 2)]).toEqual([C.COLOR_SAMPLES, C.COLOR_SAMPLES]);
  });

  it('resolves a block of one texel a pixel to copies, whole and cut by the edge', () => {
    for (const height of [8, 5]) {
      const t = new Target(format, [C.COLOR_PIXELS, C.COLOR_CLEAR]);
      const pixels = Array.from({ length: 64 }, (_, i) => t.texel(i));
      t.resolve(16, height);
      const clear = Array.from({ length: t.bytes }, (_, i) => (17 + i).toString(16)).join('');
      for (let y = 0; y < 8; y++) for (let x = 0; x < 17; x++) {
        const want = y >= height || x === 16 ? '00'.repeat(t.bytes) : x < 8 ? pixels[pixelIndex(x, y)] : clear;
        expect(t.resolved(x, y), `(${x}, ${y}) of ${height} rows`).toBe(want);
      }
    }
  });

  it('a block whose samples differ resolves to the bits of the scalar twin, equal samples to themselves', () => {
    const t = new Target(format, []);
    // Every third pixel has equal samples.
    for (let pixel = 0; pixel < 64; pixel += 3) {
      for (let s = 1; s < 4; s++) t.k.bytes(t.plane, 65536).copyWithin((pixel * 4 + s) * t.bytes, pixel * 4 * t.bytes, (pixel * 4 + 1) * t.bytes);
    }
    t.resolve(8, 8);
    const whole = Array.from({ length: 64 }, (_, i) => t.resolved(i & 7, i >> 3));
    // Seven columns are not a whole block: the rest is one pixel at a time.
    t.resolve(7, 8);
    for (let y = 0; y < 8; y++) for (let x = 0; x < 7; x++) {
      expect(whole[y * 8 + x], `(${x}, ${y})`).toBe(t.resolved(x, y));
      if (pixelIndex(x, y) % 3 === 0) expect(whole[y * 8 + x]).toBe(t.texel(pixelIndex(x, y) * 4));
    }
    expect(new Set(whole).size).toBeGreaterThan(20);
  });
});
