// Conversion of texels to pictures for canvases, compared with plain arithmetic.
import { describe, expect, test } from 'vitest';
import { floatToHalf, formatInfo, halfToFloat, writePicture } from '../../src/surface';

const clamp = (value: number): number => Math.min(1, Math.max(0, value));
/** Every pair of a channel's value and an alpha, as bytes; and the order of channels. */
const PAIRS = Array.from({ length: 256 * 256 }, (_, i) => [i & 255, i >>> 8] as const);

function shown(name: GPUTextureFormat, opaque: boolean, texels: Uint8Array): Uint8ClampedArray {
  const format = formatInfo(name)!;
  const target = new Uint8ClampedArray((texels.length / format.bytes) * 4);
  writePicture(texels, { format, opaque }, target);
  return target;
}

describe('writePicture', () => {
  for (const name of ['rgba8unorm', 'bgra8unorm'] as const) {
    const texels = Uint8Array.from(PAIRS.flatMap(([value, alpha]) => [value, value >> 1, 255 - value, alpha]));
    const order = name === 'rgba8unorm' ? [0, 1, 2] : [2, 1, 0];

    test(`${name}: opaque pictures keep their colors and have no alpha`, () => {
      const out = shown(name, true, texels);
      PAIRS.forEach((_, i) => {
        const right = [...order.map((c) => texels[i * 4 + c]!), 255];
        if (right.some((value, c) => out[i * 4 + c] !== value)) expect([...out.slice(i * 4, i * 4 + 4)]).toEqual(right);
      });
    });

    test(`${name}: other pictures are unpremultiplied and rounded`, () => {
      const out = shown(name, false, texels);
      PAIRS.forEach(([, alpha], i) => {
        const right = [
          ...order.map((c) => (alpha === 0 ? 0 : Math.min(255, Math.floor((texels[i * 4 + c]! * 255) / alpha + 0.5)))),
          alpha,
        ];
        if (right.some((value, c) => out[i * 4 + c] !== value)) expect([...out.slice(i * 4, i * 4 + 4)]).toEqual(right);
      });
    });
  }

  test('rgba16float: clamped and rounded', () => {
    const values = [0, 0.25, 0.5, 1, 2, -1, 1 / 255, 0.999, NaN, Infinity, 65504, 1e-6];
    const pixels = values.flatMap((value) => [0, 0.1, 0.5, 1, 3].map((alpha) => [value, value / 2, 1 - value, alpha]));
    const halfs = Uint16Array.from(pixels.flat(), floatToHalf);
    const texels = new Uint8Array(halfs.buffer);
    for (const opaque of [true, false]) {
      const out = shown('rgba16float', opaque, texels);
      pixels.forEach((_, i) => {
        const [r, g, b, a] = [...halfs.slice(i * 4, i * 4 + 4)].map(halfToFloat) as [number, number, number, number];
        const alpha = opaque ? 1 : clamp(a);
        const right = [...[r, g, b].map((value) => (alpha === 0 ? 0 : clamp(value / alpha) * 255)), alpha * 255];
        // NaN may become any value that is not larger than the others.
        right.forEach((value, c) => expect(Math.abs(out[i * 4 + c]! - (value || 0))).toBeLessThanOrEqual(0.5001));
      });
    }
  });
});
