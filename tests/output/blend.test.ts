// Blending compared with a model in double precision: every operation and factor, in formats with and without
// specialized kernels.
import { describe, expect, it } from 'vitest';
import {
  BLEND_ADD,
  BLEND_MAX,
  BLEND_MIN,
  BLEND_REVERSE_SUBTRACT,
  BLEND_SUBTRACT,
  FACTOR_CONSTANT,
  FACTOR_DST,
  FACTOR_DST_ALPHA,
  FACTOR_ONE,
  FACTOR_ONE_MINUS_DST,
  FACTOR_ONE_MINUS_DST_ALPHA,
  FACTOR_ONE_MINUS_SRC,
  FACTOR_ONE_MINUS_SRC_ALPHA,
  FACTOR_SRC,
  FACTOR_SRC_ALPHA,
  FACTOR_SRC_ALPHA_SATURATED,
  FACTOR_ZERO,
} from '../../assembly/layout/pass/draw-codes';
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_R16FLOAT,
  FORMAT_R16SNORM,
  FORMAT_R16UNORM,
  FORMAT_R8SNORM,
  FORMAT_R8UNORM,
  FORMAT_RG11B10UFLOAT,
  FORMAT_RG16FLOAT,
  FORMAT_RG16SNORM,
  FORMAT_RG16UNORM,
  FORMAT_RG8SNORM,
  FORMAT_RG8UNORM,
  FORMAT_RGB10A2UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA16SNORM,
  FORMAT_RGBA16UNORM,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import { Pass } from '../../build/layout';
import { makeDraw, makeTriangle, PixelKernel, random, type Blend } from '../raster/kit';
import { TestPass } from '../raster/pass';

const WHOLE = [
  { x: -100, y: -100 },
  { x: 300, y: -100 },
  { x: -100, y: 300 },
] as const;
const LEFT = [
  { x: -10, y: -300 },
  { x: 4.4, y: -20 },
  { x: -10, y: 300 },
] as const;
type Color = [number, number, number, number];

const clamp = (x: number): number => Math.min(Math.max(x, 0), 1);
const clampSigned = (x: number): number => Math.min(Math.max(x, -1), 1);
const toSrgb = (c: number): number => (c <= 0.0031308 ? c * 12.92 : 1.055 * c ** (1 / 2.4) - 0.055);

function factor(f: number, s: Color, d: Color, k: Color, i: number): number {
  switch (f) {
    case FACTOR_ZERO:
      return 0;
    case FACTOR_ONE:
      return 1;
    case FACTOR_SRC:
      return s[i];
    case FACTOR_ONE_MINUS_SRC:
      return 1 - s[i];
    case FACTOR_SRC_ALPHA:
      return s[3];
    case FACTOR_ONE_MINUS_SRC_ALPHA:
      return 1 - s[3];
    case FACTOR_DST:
      return d[i];
    case FACTOR_ONE_MINUS_DST:
      return 1 - d[i];
    case FACTOR_DST_ALPHA:
      return d[3];
    case FACTOR_ONE_MINUS_DST_ALPHA:
      return 1 - d[3];
    case FACTOR_SRC_ALPHA_SATURATED:
      return i === 3 ? 1 : Math.min(s[3], 1 - d[3]);
    case FACTOR_CONSTANT:
      return k[i];
    default:
      return 1 - k[i];
  }
}

function blendModel(b: Blend, s: Color, d: Color, k: Color): Color {
  return [0, 1, 2, 3].map((i) => {
    const op = i < 3 ? b.op : b.alphaOp;
    const source = s[i] * factor(i < 3 ? b.src : b.alphaSrc, s, d, k, i);
    const destination = d[i] * factor(i < 3 ? b.dst : b.alphaDst, s, d, k, i);
    switch (op) {
      case BLEND_SUBTRACT:
        return source - destination;
      case BLEND_REVERSE_SUBTRACT:
        return destination - source;
      case BLEND_MIN:
        return Math.min(s[i], d[i]);
      case BLEND_MAX:
        return Math.max(s[i], d[i]);
      default:
        return source + destination;
    }
  }) as Color;
}

interface Format {
  name: string;
  format: number;
  srgb?: boolean;
  float?: boolean;
  half?: boolean;
  /** −1 … 1. */
  signed?: boolean;
  /** Non-negative, with this many bits of mantissa. */
  mantissa?: number;
  channels?: number;
  steps?: readonly number[];
}
const FORMATS: Format[] = [
  { name: 'rgba8unorm', format: FORMAT_RGBA8UNORM },
  { name: 'bgra8unorm', format: FORMAT_BGRA8UNORM },
  { name: 'rgba8unorm-srgb', format: FORMAT_RGBA8UNORM_SRGB, srgb: true },
  { name: 'bgra8unorm-srgb', format: FORMAT_BGRA8UNORM_SRGB, srgb: true },
  { name: 'r8unorm', format: FORMAT_R8UNORM, channels: 1 },
  { name: 'rg8unorm', format: FORMAT_RG8UNORM, channels: 2 },
  { name: 'rgb10a2unorm', format: FORMAT_RGB10A2UNORM, steps: [1023, 1023, 1023, 3] },
  { name: 'rgba32float', format: FORMAT_RGBA32FLOAT, float: true },
  { name: 'rgba16float', format: FORMAT_RGBA16FLOAT, float: true, half: true },
  { name: 'rg16float', format: FORMAT_RG16FLOAT, float: true, half: true, channels: 2 },
  { name: 'r16float', format: FORMAT_R16FLOAT, float: true, half: true, channels: 1 },
  { name: 'r16unorm', format: FORMAT_R16UNORM, channels: 1, steps: [65535] },
  { name: 'rg16unorm', format: FORMAT_RG16UNORM, channels: 2, steps: [65535, 65535] },
  { name: 'rgba16unorm', format: FORMAT_RGBA16UNORM, steps: [65535, 65535, 65535, 65535] },
  { name: 'r16snorm', format: FORMAT_R16SNORM, signed: true, channels: 1, steps: [32767] },
  { name: 'rg16snorm', format: FORMAT_RG16SNORM, signed: true, channels: 2, steps: [32767, 32767] },
  { name: 'rgba16snorm', format: FORMAT_RGBA16SNORM, signed: true, steps: [32767, 32767, 32767, 32767] },
  { name: 'r8snorm', format: FORMAT_R8SNORM, signed: true, channels: 1, steps: [127] },
  { name: 'rg8snorm', format: FORMAT_RG8SNORM, signed: true, channels: 2, steps: [127, 127] },
  { name: 'rgba8snorm', format: FORMAT_RGBA8SNORM, signed: true, steps: [127, 127, 127, 127] },
  { name: 'rg11b10ufloat', format: FORMAT_RG11B10UFLOAT, float: true, mantissa: 5, channels: 3 },
];

/** The stored color, in linear light. */
function read(k: PixelKernel, at: number, format: Format): Color {
  const words = k.alloc(16);
  k.call.loadTexel(format.format, at, words);
  return [0, 4, 8, 12].map((o) => k.readF32(words + o)) as Color;
}

function check(samples: 1 | 4, format: Format, blends: readonly Blend[], writeMask = 15): void {
  const next = random(samples * 100 + format.format);
  const k = new PixelKernel('testing');
  for (const blend of blends) {
    k.reset();
    const range = format.float ? 2 : 1;
    const color = (): Color => [0, 0, 0, 0].map(() => Math.fround((next() * 1.3 - 0.15) * range)) as Color;
    const clear: Color = [next(), next(), next(), next()].map(Math.fround) as Color;
    const constant = color();
    const pass = new TestPass(k, { width: 8, height: 8, samples, colors: [{ format: format.format, clear }] });
    const draws = [color(), color()].map((source, i) => ({
      source,
      triangle: makeTriangle(
        k,
        makeDraw(k, {
          groups: [0, 0, 0, 0, 0, 0, 4],
          blendConstant: constant,
          targets: [{ format: format.format, blend, writeMask, registers: [0, 1, 2, 3] }],
        }),
        {
          // The second draw call partly covers pixels, so that samples differ.
          vertices: i === 0 ? [...WHOLE] : [...LEFT],
          planes: source.map((v) => ({ bits: new Int32Array(new Float32Array([v]).buffer)[0] })),
          box: [0, 0, 8, 8],
        }
      ),
    }));
    const fit = (c: Color): Color => (format.float ? c : (c.map(format.signed ? clampSigned : clamp) as Color));
    // Only the clear, so that the model starts from the stored values.
    expect(pass.run()).toBe(0);
    for (const [step, { source, triangle }] of draws.entries()) {
      const stored = read(k, pass.texel(Pass.colors, 1, 3), format);
      pass.bin([triangle]);
      expect(pass.run()).toBe(0);
      const blended = fit(blendModel(blend, fit(source), stored, fit(constant)));
      const kept = format.mantissa === undefined ? blended : blended.map((v) => Math.max(v, 0));
      const want = kept.map((v, i) => ((writeMask >> i) & 1 ? v : stored[i])) as Color;
      const got = read(k, pass.texel(Pass.colors, 1, 3), format);
      for (let i = 0; i < (format.channels ?? 4); i++) {
        const encode = format.srgb && i < 3 ? toSrgb : (v: number): number => v;
        const tolerance = format.mantissa
          ? Math.max(want[i] * 2 ** -(format.mantissa + 1), 1e-5)
          : format.half
            ? Math.max(Math.abs(want[i]) * 2 ** -11, 1e-5)
            : format.float
              ? 1e-5
              : 0.53 / (format.steps?.[i] ?? 255);
        expect(
          Math.abs(encode(got[i]) - encode(want[i])),
          `${format.name} ${JSON.stringify(blend)} channel ${i}, draw ${step}`
        ).toBeLessThan(tolerance);
      }
    }
  }
}

describe.each([1, 4] as const)('blending at %i sample(s)', (samples) => {
  it.each(FORMATS)('$name: every operation and factor', (format) => {
    const blends: Blend[] = [];
    for (let op = 0; op < 5; op++) blends.push({ op, src: 1, dst: 1, alphaOp: (op + 2) % 5, alphaSrc: 1, alphaDst: 1 });
    for (let f = 0; f < 13; f++) {
      blends.push({
        op: BLEND_ADD,
        src: f,
        dst: (f * 5 + 3) % 13,
        alphaOp: BLEND_ADD,
        alphaSrc: (f * 3 + 1) % 13,
        alphaDst: f,
      });
      blends.push({
        op: f % 3,
        src: (f + 4) % 13,
        dst: f,
        alphaOp: (f + 1) % 3,
        alphaSrc: f,
        alphaDst: (f * 7 + 2) % 13,
      });
    }
    check(samples, format, blends);
  });

  it.each(FORMATS)('$name: channels that are not written keep their value', (format) => {
    const over: Blend = {
      op: 0,
      src: FACTOR_SRC_ALPHA,
      dst: FACTOR_ONE_MINUS_SRC_ALPHA,
      alphaOp: 0,
      alphaSrc: 1,
      alphaDst: FACTOR_ONE_MINUS_SRC_ALPHA,
    };
    for (const mask of [1, 6, 8, 13]) check(samples, format, [over], mask);
  });

  it('two quads at one pixel in the same warp blend in order', () => {
    const k = new PixelKernel('testing');
    const pass = new TestPass(k, {
      width: 8,
      height: 8,
      samples,
      colors: [{ format: FORMAT_RGBA8UNORM, clear: [0, 0, 0, 1] }],
    });
    const bits = (v: number): { bits: number } => ({ bits: new Int32Array(new Float32Array([v]).buffer)[0] });
    const draw = makeDraw(k, {
      groups: [0, 0, 0, 0, 0, 0, 4],
      targets: [
        {
          format: FORMAT_RGBA8UNORM,
          registers: [0, 1, 2, 3],
          blend: {
            op: 0,
            src: FACTOR_SRC_ALPHA,
            dst: FACTOR_ONE_MINUS_SRC_ALPHA,
            alphaOp: 0,
            alphaSrc: 1,
            alphaDst: 0,
          },
        },
      ],
    });
    // Quads of 2×2 pixels, all in the same warp: red at 50 %, then green at 50 %.
    const triangle = (r: number, g: number): number =>
      makeTriangle(k, draw, {
        vertices: [...WHOLE],
        planes: [bits(r), bits(g), bits(0), bits(0.5)],
        box: [2, 2, 4, 4],
      });
    pass.bin([triangle(1, 0), triangle(0, 1)]);
    expect(pass.run()).toBe(0);
    expect([...k.bytes(pass.texel(Pass.colors, 3, 3), 2)]).toEqual([64, 128]);
    expect([...k.bytes(pass.texel(Pass.colors, 4, 3), 2)]).toEqual([0, 0]);
  });
});
