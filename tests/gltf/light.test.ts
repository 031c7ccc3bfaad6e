// Tables and polynomials compared with the exact functions, in double precision.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LINEAR16, SRGB8, srgbToLinear, unpremultiply } from '../../src/gltf/images/colour';
import { halfBits, sinCosDegrees } from '../../src/gltf/math';
import { halve, mipChain, mipCount } from '../../src/gltf/images/mips';
import { readStudio } from '../../src/gltf/light/studio';
import { cubeDirection } from '../../src/gltf/light/cube-faces';
import { studioHarmonics, studioLevel, studioRadiance, writeStudio } from '../../src/gltf/light/studio-light';

describe('sines', () => {
  it('are accurate to the last digits, and exact at quarter turns', () => {
    for (let degrees = -800; degrees <= 800; degrees += 0.37) {
      const { sin, cos } = sinCosDegrees(degrees);
      expect(Math.abs(sin - Math.sin((degrees * Math.PI) / 180))).toBeLessThan(5e-15);
      expect(Math.abs(cos - Math.cos((degrees * Math.PI) / 180))).toBeLessThan(5e-15);
    }
    expect(sinCosDegrees(90)).toEqual({ sin: 1, cos: -0 });
    expect(sinCosDegrees(180).cos).toBe(-1);
    expect(sinCosDegrees(-90).sin).toBe(-1);
  });
});

describe('half-precision numbers', () => {
  it.each([
    [0, 0],
    [1, 0x3c00],
    [-2, 0xc000],
    [65504, 0x7bff],
    [65520, 0x7c00],
    [2 ** -14, 0x0400],
    [2 ** -24, 1],
    [2 ** -25, 0],
    [3 * 2 ** -25, 2],
    [Infinity, 0x7c00],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
  ])('%d', (value, bits) => {
    expect(halfBits(value)).toBe(bits);
  });
});

describe('sRGB', () => {
  it('follows the standard', () => {
    for (let i = 0; i < 256; i++) {
      const c = i / 255;
      expect(srgbToLinear(c)).toBeCloseTo(c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4, 13);
      expect(SRGB8[LINEAR16[i]]).toBe(i);
    }
  });

  it('unpremultiplies alpha', () => {
    const half = SRGB8[Math.round(LINEAR16[200] * (128 / 255))];
    const pixels = Uint8Array.of(half, 0, half, 128, 9, 9, 9, 255, 0, 0, 0, 0);
    unpremultiply(pixels);
    expect(Math.abs(pixels[0] - 200)).toBeLessThanOrEqual(1);
    expect([...pixels.subarray(4)]).toEqual([9, 9, 9, 255, 0, 0, 0, 0]);
  });
});

describe('mips', () => {
  it('count down to one texel', () => {
    expect([mipCount(1, 1), mipCount(2, 1), mipCount(255, 3), mipCount(256, 256)]).toEqual([1, 2, 8, 9]);
  });

  it('average data as numbers and colors as light', () => {
    const data = Uint8Array.of(0, 0, 0, 0, 255, 255, 255, 255, 255, 1, 2, 3, 0, 2, 3, 254);
    expect([...halve({ width: 2, height: 2, data }, false).data]).toEqual([128, 65, 65, 128]);
    expect([...halve({ width: 2, height: 2, data }, true).data]).toEqual([188, 137, 137, 128]);
  });

  it('support odd and thin sizes', () => {
    const data = Uint8Array.of(10, 0, 0, 255, 20, 0, 0, 255, 90, 0, 0, 255);
    expect(halve({ width: 3, height: 1, data }, false)).toEqual({
      width: 1,
      height: 1,
      data: Uint8Array.of(15, 0, 0, 255),
    });
    expect(halve({ width: 1, height: 3, data }, false)).toEqual({
      width: 1,
      height: 1,
      data: Uint8Array.of(15, 0, 0, 255),
    });
  });

  it('are the rounded means of every texel, channel by channel', () => {
    let seed = 1;
    const noise = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) | 0) >>> 24;
    for (const [width, height] of [
      [16, 16],
      [17, 5],
      [2, 9],
      [1, 6],
      [7, 1],
      [33, 34],
    ]) {
      // Half of the texels are white: whole blocks of one color are common in real images.
      const data = Uint8Array.from({ length: width * height * 4 }, () => Math.min(255, noise() * 2));
      for (const srgb of [false, true]) {
        const half = halve({ width, height, data }, srgb);
        expect([half.width, half.height]).toEqual([Math.max(1, width >> 1), Math.max(1, height >> 1)]);
        const expected = Array.from({ length: half.width * half.height * 4 }, (_, i) => {
          const [x, y, c] = [(i >> 2) % half.width, Math.floor((i >> 2) / half.width), i & 3];
          const texels = [0, 1, 2, 3].map(
            (k) => data[(Math.min(height - 1, 2 * y + (k >> 1)) * width + Math.min(width - 1, 2 * x + (k & 1))) * 4 + c]
          );
          if (!srgb || c === 3) return (texels.reduce((a, b) => a + b) + 2) >> 2;
          return SRGB8[(texels.reduce((sum, code) => sum + LINEAR16[code], 0) + 2) >> 2];
        });
        expect([...half.data], `${width}×${height}, sRGB ${srgb}`).toEqual(expected);
      }
    }
  });

  it('form a chain', () => {
    const image = { width: 5, height: 2, data: Uint8Array.from({ length: 40 }, (_, i) => i * 6) };
    const { srgb, levels } = mipChain(image, true);
    expect([srgb, levels.map(({ width, height }) => [width, height])]).toEqual([
      true,
      [
        [5, 2],
        [2, 1],
        [1, 1],
      ],
    ]);
    expect(levels[0]).toBe(image);
    expect(levels[2]).toEqual(halve(halve(image, true), true));
  });

  it('read images that are not word-aligned', () => {
    const bytes = Uint8Array.of(9, 40, 50, 60, 70);
    expect([...halve({ width: 1, height: 1, data: bytes.subarray(1) }, false).data]).toEqual([40, 50, 60, 70]);
  });
});

describe('the studio lighting', () => {
  it('has harmonics that match its light, summed over the sphere', () => {
    const [one, x, y, z, xy, yz, zx, zz, xxyy] = studioHarmonics();
    for (const n of [
      [0, 1, 0],
      [0, -1, 0],
      [1, 0, 0],
      [-0.6, 0, 0.8],
      [0.48, 0.6, 0.64],
    ] as const) {
      let sum = 0;
      for (let face = 0; face < 6; face++) {
        for (let i = 0; i < 24 * 24; i++) {
          const [u, v] = [(2 * ((i % 24) + 0.5)) / 24 - 1, (2 * (Math.floor(i / 24) + 0.5)) / 24 - 1];
          const d = cubeDirection(face, i % 24, Math.floor(i / 24), 24);
          const cosine = Math.max(0, d[0] * n[0] + d[1] * n[1] + d[2] * n[2]);
          sum +=
            (studioRadiance(d[0], d[1], d[2], 0.08) * cosine * 4) / (24 * 24 * (1 + u * u + v * v) ** 1.5 * Math.PI);
        }
      }
      const fitted =
        one
        + x * n[0]
        + y * n[1]
        + z * n[2]
        + xy * n[0] * n[1]
        + yz * n[1] * n[2]
        + zx * n[2] * n[0]
        + zz * n[2] * n[2]
        + xxyy * (n[0] * n[0] - n[1] * n[1]);
      expect(Math.abs(fitted - sum) / sum).toBeLessThan(0.15);
    }
  });

  it('has the same bits everywhere', () => {
    const hash = createHash('sha256');
    const { levels, harmonics } = readStudio(writeStudio());
    expect(levels.map(({ size }) => size)).toEqual([64, 32, 16, 8, 4, 2]);
    for (const { faces } of levels) for (const face of faces) hash.update(face);
    hash.update(new Float32Array(harmonics));
    expect(hash.digest('hex').slice(0, 16)).toBe('eb107bdceade4904');
  });

  it('equals what the build has written', () => {
    const file = readFileSync(new URL('../../build/studio.bin', import.meta.url));
    expect(Buffer.compare(file, writeStudio())).toBe(0);
  });

  it('gets softer with roughness', () => {
    const spread = [0, 2, 4].map((level) => {
      const values = studioLevel(level);
      return Math.max(...values) - Math.min(...values);
    });
    expect(spread[0]).toBeGreaterThan(spread[1]);
    expect(spread[1]).toBeGreaterThan(spread[2]);
  });
});
