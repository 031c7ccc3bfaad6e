// Output by the SIMD kernels against the scalar twin, bit for bit: hand-made warps on every format that can be drawn to.
import { describe, expect, it } from 'vitest';
import * as C from '../../assembly/layout/context';
import * as D from '../../assembly/layout/draw';
import * as F from '../../assembly/layout/formats';
import { PixelKernel, random } from '../raster/kit';

const k = new PixelKernel('testing');
const context = k.alloc(C.CTX_PLANES);
const registers = k.alloc(4 * 256);
const draw = k.alloc(D.DRAW_BYTES);
const target = draw + D.DRAW_TARGETS;
const packer = k.alloc(C.PACKER_BYTES);
/** Two blocks of four samples of sixteen bytes. */
const PLANE = 2 * 256 * 16;
const plane = k.alloc(PLANE);
k.i32(context + C.CTX_REGISTERS, registers);
k.i32(context + C.CTX_COLORS, plane);
k.i32(packer + C.PACKER_DRAW, draw);

const FORMATS: number[] = [];
for (let format = F.FORMAT_R8UNORM; format < F.FORMAT_RG11B10UFLOAT; format++) {
  if (format !== F.FORMAT_R8SNORM && format !== F.FORMAT_RG8SNORM && format !== F.FORMAT_RGBA8SNORM) FORMATS.push(format);
}
const INTEGERS = Object.entries(F).filter(([name]) => /INT$/.test(name)).map(([, id]) => id as number);
const BLENDABLE = FORMATS.filter(format => !INTEGERS.includes(format));
const EIGHT_BIT = [F.FORMAT_RGBA8UNORM, F.FORMAT_BGRA8UNORM, F.FORMAT_RGBA8UNORM_SRGB, F.FORMAT_BGRA8UNORM_SRGB, F.FORMAT_R8UNORM, F.FORMAT_RG8UNORM];

const SPECIAL = [NaN, Infinity, -Infinity, 0, -0, 1, -1, 2, 65504, 65519.996, 65520, 1e-7, 5.96e-8, 2.98e-8, 6.1e-5, 6.097e-5, 1e-40, -1e-42, 1e38, 3.4e38, 0.5 / 255, 1.5 / 255, 254.5 / 255, 0.25];

function value(next: () => number): number {
  const kind = next();
  return kind < 0.25 ? SPECIAL[Math.floor(next() * SPECIAL.length)] : kind < 0.8 ? next() : (next() - 0.5) * 4;
}

type Blend = readonly [op: number, src: number, dst: number, alphaOp: number, alphaSrc: number, alphaDst: number];
interface Case { format: number; samples: 1 | 4; kind: number; blend?: Blend; writeMask?: number; seed: number }

/** The plane's texels, a sample each, and those of clear blocks too. */
function outcome(write: 'writeTarget' | 'writeGeneral', { format, samples, kind, blend, writeMask = 15, seed }: Case): Uint8Array {
  const next = random(seed);
  next();
  const bytes = k.call.texelBytes(format);
  const integer = INTEGERS.includes(format);
  const texel = (at: number): void => {
    const words = context + C.CTX_TEXELS;
    for (let c = 0; c < 4; c++) {
      if (integer) k.i32(words + 4 * c, Math.floor(next() * 300) - 20);
      else k.f32(words + 4 * c, next() < 0.1 ? value(next) : next());
    }
    k.call.storeTexel(format, at, words);
  };
  k.i32(context + C.CTX_SAMPLES, samples);
  for (let i = 0; i < 16; i += bytes) texel(context + C.CTX_CLEAR_TEXELS + i);
  k.bytes(context + C.CTX_CLEAR_TEXELS, 16).copyWithin(bytes, 0, 16 - bytes);
  for (let i = bytes; i < 16; i += bytes) k.bytes(context + C.CTX_CLEAR_TEXELS, 16).copyWithin(i, 0, bytes);
  const states = k.bytes(context + C.CTX_COLOR_BLOCKS, 64).fill(C.COLOR_SAMPLES);
  for (const block of [0, 1]) states[block] = samples === 1 ? [C.COLOR_SAMPLES, C.COLOR_CLEAR][Math.floor(next() * 2)] : Math.floor(next() * 3);
  // Samples of a pixel are equal, all but some.
  const distinct = next() < 0.5 ? 1 : 0.05;
  for (let i = 0; i < 512; i++) {
    const at = plane + i * bytes;
    if (i % 4 && next() > distinct) k.bytes(plane, PLANE).copyWithin(i * bytes, (i - 1) * bytes, i * bytes);
    else texel(at);
  }
  for (let i = 0; i < 256; i++) {
    if (integer) k.i32(registers + 4 * i, next() < 0.7 ? Math.floor(next() * 300) - 20 : Math.floor((next() - 0.5) * 2 ** 32));
    else k.f32(registers + 4 * i, next() < 0.05 ? 0 : value(next));
  }
  k.i32(target + D.TARGET_FORMAT, format);
  k.i32(target + D.TARGET_WRITE_MASK, writeMask);
  // What pipelines know beforehand of the commonest state: every other time, so that both ways are taken.
  const over = blend?.join() === '0,1,5,0,1,5' && writeMask === 15 && (format === F.FORMAT_RGBA8UNORM || format === F.FORMAT_BGRA8UNORM);
  k.i32(target + D.TARGET_BLEND, !blend ? 0 : over && seed % 2 === 0 ? D.BLENDS_OVER : D.BLENDS);
  blend?.forEach((x, i) => k.i32(target + D.TARGET_COLOR_OP + 4 * i, x));
  for (let c = 0; c < 4; c++) {
    k.i32(target + D.TARGET_REGISTERS + 4 * c, next() < 0.08 ? -1 : Math.floor(next() * 4));
    k.f32(draw + D.DRAW_BLEND_CONSTANT + 4 * c, value(next));
  }
  const count = kind === C.PACKER_BLOCK ? 16 : 1 + Math.floor(next() * 16);
  k.i32(packer + C.PACKER_KIND, kind);
  k.i32(packer + C.PACKER_COUNT, count);
  const whole = samples === 1 ? 15 : 0xffff;
  for (let i = 0; i < count; i++) {
    const entry = packer + C.PACKER_ENTRIES + (i << C.ENTRY_SHIFT);
    const pixels = kind === C.PACKER_PIXELS;
    k.i32(entry + C.ENTRY_QUAD, kind === C.PACKER_BLOCK ? 16 + i : Math.floor(next() * (pixels ? 128 : 32)));
    const all = pixels ? (samples === 1 ? 1 : 15) : whole;
    // Whole pixels of a quad, any samples, or everything.
    const some = Math.floor(next() * (all + 1));
    const mask = next() < 0.5 || kind === C.PACKER_BLOCK ? all : next() < 0.3 && samples === 4 && !pixels ? (some & 0x1111) * 15 : some;
    k.i32(entry + C.ENTRY_MASK, mask);
  }
  k.call[write](context, packer, target, plane, 0);
  k.call.spreadColors(context, 0, bytes);
  return k.bytes(plane, 2 * 64 * samples * bytes).slice();
}

function compare(test: Case): Uint8Array {
  const simd = outcome('writeTarget', test);
  const scalar = outcome('writeGeneral', test);
  const at = simd.findIndex((b, i) => b !== scalar[i]);
  if (at >= 0) expect.fail(`${JSON.stringify(test)}: byte ${at} is ${simd[at]}, scalar ${scalar[at]}`);
  return simd;
}

describe('warps of pixels', () => {
  it.each(['writeTarget', 'writeGeneral'] as const)('%s: entry i has lane i & 3 of group i >> 2, and goes to the samples of its mask', write => {
    k.i32(context + C.CTX_SAMPLES, 4);
    const states = k.bytes(context + C.CTX_COLOR_BLOCKS, 64).fill(C.COLOR_CLEAR);
    k.bytes(context + C.CTX_CLEAR_TEXELS, 16).fill(7);
    for (let i = 0; i < 16; i++) k.f32(registers + 4 * i, (100 + i) / 255);
    k.i32(target + D.TARGET_FORMAT, F.FORMAT_R8UNORM);
    k.i32(target + D.TARGET_WRITE_MASK, 15);
    k.i32(target + D.TARGET_BLEND, 0);
    for (let c = 0; c < 4; c++) k.i32(target + D.TARGET_REGISTERS + 4 * c, c);
    k.i32(packer + C.PACKER_KIND, C.PACKER_PIXELS);
    k.i32(packer + C.PACKER_COUNT, 15);
    // Whole pixels of block 1; then one pixel of block 0 by two entries, and the samples of another in part.
    const entries = Array.from({ length: 12 }, (_, i) => [64 + 5 * i, 15]).concat([[33, 5], [33, 10], [34, 6]]);
    entries.forEach(([pixel, mask], i) => {
      k.i32(packer + C.PACKER_ENTRIES + 16 * i + C.ENTRY_PIXEL, pixel);
      k.i32(packer + C.PACKER_ENTRIES + 16 * i + C.ENTRY_MASK, mask);
    });
    k.call[write](context, packer, target, plane, 0);
    if (write === 'writeTarget') expect([...states.subarray(0, 3)]).toEqual([C.COLOR_SAMPLES, C.COLOR_PIXELS, C.COLOR_CLEAR]);
    k.call.spreadColors(context, 0, 1);
    const want = new Uint8Array(512).fill(7);
    entries.forEach(([pixel, mask], i) => { for (let s = 0; s < 4; s++) if (mask & (1 << s)) want[pixel * 4 + s] = 100 + i; });
    expect([...k.bytes(plane, 512)]).toEqual([...want]);
  });
});

describe.each([1, 4] as const)('at %i sample(s), SIMD and scalar output', samples => {
  it.each([['quads', C.PACKER_QUADS], ['blocks', C.PACKER_BLOCK], ['pixels', C.PACKER_PIXELS]] as const)('%s: every format', (_, kind) => {
    for (const format of FORMATS) {
      const seen = new Set<number>();
      for (let seed = 0; seed < 10; seed++) compare({ format, samples, kind, seed }).forEach(b => seen.add(b));
      expect(seen.size, `format ${format}`).toBeGreaterThan(20);
      if (kind !== C.PACKER_PIXELS) for (let writeMask = 1; writeMask < 15; writeMask++) compare({ format, samples, kind, writeMask, seed: writeMask });
    }
  });

  it('every pair of factors and every operation, on formats of 8 bits and others', () => {
    for (const format of BLENDABLE) {
      let seed = format * 1000;
      for (let src = 0; src < 13; src++) for (let dst = 0; dst < 13; dst++) {
        const ops = EIGHT_BIT.includes(format) ? [seed % 3, (seed + 1) % 3] : dst % 3 === src % 3 ? [seed % 3] : [];
        seed++;
        for (const op of ops) {
          compare({ format, samples, kind: C.PACKER_QUADS, blend: [op, src, dst, (op + seed) % 3, (src + 4 * seed) % 13, (dst + 7 * seed) % 13], seed, writeMask: seed % 5 ? 15 : seed % 16 });
        }
      }
      for (let op = 0; op < 25; op++) compare({ format, samples, kind: C.PACKER_QUADS, blend: [op % 5, 1, 1, Math.floor(op / 5), 1, 1], seed: op });
    }
  });

  it('the commonest states', () => {
    const states: Blend[] = [[0, 1, 5, 0, 1, 5], [0, 4, 5, 0, 1, 5], [0, 4, 1, 0, 4, 1], [0, 1, 1, 0, 1, 1], [0, 6, 0, 0, 6, 0], [0, 7, 1, 0, 7, 1], [0, 0, 2, 0, 0, 4], [2, 4, 1, 2, 0, 1]];
    for (const blend of states) for (const format of BLENDABLE) {
      for (let seed = 0; seed < 5; seed++) compare({ format, samples, kind: C.PACKER_QUADS, blend, seed });
    }
  });
});
