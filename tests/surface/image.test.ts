// Images converted to texels of every supported format, compared with a plain computation per pixel.
import { describe, expect, test } from 'vitest';
import {
  formatInfo,
  halfToFloat,
  imageFormats,
  imageTexels,
  type ImagePixels,
  type ImageTexels,
} from '../../src/surface';

type Four = [number, number, number, number];
const WIDTH = 37;
const HEIGHT = 11;
const power = (x: number, y: number): number => x ** y;

/** Various colors and alphas; premultiplied colors do not exceed their alpha. */
function image(premultiplied: boolean, colorSpace: 'srgb' | 'display-p3' = 'srgb', opaque = false): ImagePixels {
  const random = (i: number): number => Math.imul(i + 1, 2654435761) >>> 24;
  const data = Uint8Array.from({ length: WIDTH * HEIGHT * 4 }, (_, i) => random(i));
  for (let i = 0; i < data.length; i += 4) {
    if (opaque || i % 12 === 0) data[i + 3] = 255;
    if (i % 20 === 0) data[i + 3] = opaque ? 255 : 0;
    if (premultiplied) for (let c = 0; c < 3; c++) data[i + c] = Math.min(data[i + c]!, data[i + 3]!);
  }
  return { data, width: WIDTH, height: HEIGHT, colorSpace, premultiplied };
}

const toLinear = (v: number): number => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const toCurve = (v: number): number => (v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055);
const clamp = (value: number): number => Math.min(1, Math.max(0, value));
/** The matrices of CSS Color 4's sample code, from either space to XYZ and back. */
const TO_XYZ = {
  srgb: [
    [506752 / 1228815, 87881 / 245763, 12673 / 70218],
    [87098 / 409605, 175762 / 245763, 12673 / 175545],
    [7918 / 409605, 87881 / 737289, 1001167 / 1053270],
  ],
  'display-p3': [
    [608311 / 1250200, 189793 / 714400, 198249 / 1000160],
    [35783 / 156275, 247089 / 357200, 198249 / 2500400],
    [0, 32229 / 714400, 5220557 / 5000800],
  ],
};
const FROM_XYZ = {
  srgb: [
    [12831 / 3959, -329 / 214, -1974 / 3959],
    [-851781 / 878810, 1648619 / 878810, 36519 / 878810],
    [705 / 12673, -2585 / 12673, 705 / 667],
  ],
  'display-p3': [
    [446124 / 178915, -333277 / 357830, -72051 / 178915],
    [-14852 / 17905, 63121 / 35810, 423 / 17905],
    [11844 / 330415, -50337 / 660830, 316169 / 330415],
  ],
};
const times = (m: number[][], v: number[]): number[] => m.map((row) => row.reduce((sum, x, i) => sum + x * v[i]!, 0));

/** The numbers that the texture should hold for a pixel. */
function expected(source: ImagePixels, part: ImageTexels, x: number, y: number): Four {
  const row = part.flipY ? part.top + part.height - 1 - y : part.top + y;
  const at = (row * source.width + part.left + x) * 4;
  let [r = 0, g = 0, b = 0, a = 0] = [...source.data.slice(at, at + 4)].map((byte) => byte / 255);
  if (source.premultiplied && (!part.premultiplied || source.colorSpace !== part.colorSpace))
    [r, g, b] = a === 0 ? [0, 0, 0] : [clamp(r / a), clamp(g / a), clamp(b / a)];
  if (source.colorSpace !== part.colorSpace)
    [r, g, b] = times(FROM_XYZ[part.colorSpace], times(TO_XYZ[source.colorSpace], [r, g, b].map(toLinear))).map(
      (light) => toCurve(clamp(light))
    ) as [number, number, number];
  if (part.premultiplied && (!source.premultiplied || source.colorSpace !== part.colorSpace))
    [r, g, b] = [r * a, g * a, b * a];
  return [r, g, b, a];
}

/** A texel's channels as numbers, and their permitted error. */
function decode(name: string, texels: Uint8Array, index: number): { values: number[]; unit: number } {
  if (name === 'rgb10a2unorm') {
    const word = new Uint32Array(texels.buffer)[index]!;
    return { values: [0, 10, 20].map((shift) => ((word >>> shift) & 1023) / 1023), unit: 1 / 1023 };
  }
  if (name === 'rg11b10ufloat') {
    const word = new Uint32Array(texels.buffer)[index]!;
    // With a sign and a longer mantissa they are half floats.
    const values = [(word & 2047) << 4, ((word >>> 11) & 2047) << 4, (word >>> 22) << 5].map(halfToFloat);
    return { values, unit: 2 ** -6 };
  }
  const channels = /^r\d/.test(name) ? 1 : /^rg\d/.test(name) ? 2 : 4;
  const of = (all: ArrayLike<number>, scale: (value: number) => number): number[] =>
    Array.from({ length: channels }, (_, c) => scale(all[index * channels + c]!));
  if (name.includes('16float')) return { values: of(new Uint16Array(texels.buffer), halfToFloat), unit: 2 ** -11 };
  if (name.includes('16unorm'))
    return { values: of(new Uint16Array(texels.buffer), (value) => value / 65535), unit: 1 / 65535 };
  if (name.includes('32float')) return { values: of(new Float32Array(texels.buffer), (value) => value), unit: 1e-6 };
  const values = of(texels, (byte) => byte / 255);
  return { values: name.startsWith('bgra') ? [values[2]!, values[1]!, values[0]!, values[3]!] : values, unit: 1 / 255 };
}

const whole = { left: 0, top: 0, width: WIDTH, height: HEIGHT, flipY: false };
const inner = { left: 5, top: 2, width: 9, height: 6, flipY: true };

describe('imageTexels', () => {
  for (const name of imageFormats) {
    const format = formatInfo(name)!;
    test(name, () => {
      for (const box of [whole, inner])
        for (const source of [image(false), image(true), image(false, 'srgb', true), image(false, 'display-p3')])
          for (const premultiplied of [false, true])
            for (const colorSpace of ['srgb', 'display-p3'] as const) {
              const part = { format, colorSpace, premultiplied, ...box };
              const texels = imageTexels(source, part, power);
              expect(texels.length).toBe(box.width * box.height * format.bytes);
              // Conversions by tables are not exact.
              const converts = source.colorSpace !== colorSpace ? 4e-5 : 1e-7;
              for (let i = 0; i < box.width * box.height; i++) {
                const right = expected(source, part, i % box.width, Math.floor(i / box.width));
                const { values, unit } = decode(name, texels, i);
                values.forEach((value, c) => {
                  if (Math.abs(value - right[c]!) > unit * 0.5001 + converts) expect({ i, c, value }).toEqual(right);
                });
              }
            }
    });
  }

  test('rg11b10ufloat gets the nearest small float of each byte', () => {
    const part = { format: formatInfo('rg11b10ufloat')!, colorSpace: 'srgb' as const, premultiplied: false, ...whole };
    const data = Uint8Array.from({ length: 256 * 4 }, (_, i) => (i % 4 === 3 ? 255 : i >> 2));
    const source = { data, width: 256, height: 1, colorSpace: 'srgb', premultiplied: false } as const;
    const texels = new Uint32Array(imageTexels(source, { ...part, width: 256, height: 1 }, power).buffer);
    for (const [shift, mantissa] of [
      [0, 6],
      [11, 6],
      [22, 5],
    ] as const) {
      const all = Array.from({ length: 31 << mantissa }, (_, code) => halfToFloat(code << (10 - mantissa)));
      texels.forEach((word, byte) => {
        const code = (word >>> shift) & ((32 << mantissa) - 1);
        const away = Math.abs(all[code]! - byte / 255);
        expect(Math.min(...all.map((value) => Math.abs(value - byte / 255)))).toBe(away);
      });
    }
  });

  test('bytes are copied if no conversion is needed', () => {
    const source = image(false);
    const part = {
      format: formatInfo('rgba8unorm-srgb')!,
      colorSpace: 'srgb' as const,
      premultiplied: false,
      ...whole,
    };
    expect(imageTexels(source, part, power)).toEqual(new Uint8Array(source.data));
    const odd = new Uint8Array(source.data.length + 1);
    odd.set(source.data, 1);
    expect(imageTexels({ ...source, data: odd.subarray(1) }, part, power)).toEqual(new Uint8Array(source.data));
  });
});
