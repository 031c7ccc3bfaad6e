// Decoders of compressed formats, compared with blocks decoded by another implementation and with simple second
// implementations of the formulas. vectors.json is from SwiftShader through Dawn: its colors of BC1 to BC3 are
// truncated where ours are nearest, and its ASTC has eight bits where ours rounds sixteen.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BLOCK_SCRATCH } from '../../assembly/layout/texture/block-codes';
import { formatInfo, halfToFloat } from '../../src/surface';
import { TestKernel } from '../support/kernel';

const vectors = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8')) as Record<
  string,
  readonly (readonly [string, string])[]
>;
const kernel = new TestKernel({ pages: 64 });
const from = kernel.alloc(4096);
const to = kernel.alloc(65536);
const scratch = kernel.alloc(BLOCK_SCRATCH);

/** Decodes adjacent blocks to texels in rows of `rowBytes`, with nothing beyond `width` and `height`. */
function decode(
  name: string,
  blocks: Uint8Array,
  width?: number,
  height?: number
): { bytes: Uint8Array; rowBytes: number; texelBytes: number } {
  const { block, bytes: texelBytes } = formatInfo(name)!;
  const count = blocks.length / block!.bytes;
  const columns = width ?? count * block!.width;
  const rows = height ?? block!.height;
  const rowBytes = (columns + 3) * texelBytes;
  kernel.u8(from, blocks.length).set(blocks);
  kernel.u8(to, rowBytes * (rows + 2)).fill(0xee);
  kernel.call.decodeBlocks!(block!.code, from, to, rowBytes, columns | (rows << 16), scratch);
  const bytes = kernel.u8(to, rowBytes * (rows + 2)).slice();
  for (let y = 0; y < rows + 2; y++)
    for (let x = y < rows ? columns * texelBytes : 0; x < rowBytes; x++)
      if (bytes[y * rowBytes + x] !== 0xee) throw new Error(`${name}: byte ${x} of row ${y} was written`);
  return { bytes, rowBytes, texelBytes };
}

describe('blocks decoded by another implementation', () => {
  test.each(Object.keys(vectors))('%s', (name) => {
    // Permitted difference in steps of 255.
    const most = /^bc[123]|^astc/.test(name) ? 1 : 0;
    const { block } = formatInfo(name)!;
    for (const [hex, expected] of vectors[name]!) {
      const { bytes, rowBytes } = decode(name, Buffer.from(hex, 'hex'));
      for (let y = 0; y < block!.height; y++)
        for (let x = 0; x < block!.width; x++) {
          const i = y * block!.width + x;
          if (name.startsWith('bc6h')) {
            const halves = new DataView(bytes.buffer, y * rowBytes + x * 8, 8);
            const found = [0, 2, 4].map((at) => halves.getUint16(at, true).toString(16).padStart(4, '0')).join('');
            expect(found, `${hex} at ${x}, ${y}`).toBe(expected.slice(i * 12, i * 12 + 12));
            expect(halves.getUint16(6, true)).toBe(0x3c00);
          } else {
            const want = Buffer.from(expected.slice(i * 8, i * 8 + 8), 'hex');
            for (let c = 0; c < 4; c++)
              expect(
                Math.abs(bytes[y * rowBytes + x * 4 + c]! - want[c]!),
                `${hex} at ${x}, ${y}, ${c}`
              ).toBeLessThanOrEqual(most);
          }
        }
    }
  });
});

/** Bits of a block, starting with the lowest bit of the first byte. */
const bit = (block: Uint8Array, i: number): number => (block[i >> 3]! >> (i & 7)) & 1;
const bits = (block: Uint8Array, at: number, count: number): number =>
  Array.from({ length: count }, (_, i) => bit(block, at + i) * 2 ** i).reduce((a, b) => a + b, 0);
/** The same for a block that is one big-endian number. */
const big = (block: Uint8Array, high: number, count: number): number =>
  bits(Uint8Array.from(block.subarray(0, 8)).reverse(), high - count + 1, count);

/** Values of the formats whose channels interpolate two numbers. */
function bcChannel(block: Uint8Array, i: number, unit: number): number {
  const number = (byte: number): number => (unit === 127 ? (byte << 24) >> 24 : byte);
  const raw = [number(block[0]!), number(block[1]!)] as const;
  const [a, b] = raw.map((v) => Math.max(v, -127) / unit);
  const index = bits(block, 16 + 3 * i, 3);
  if (index < 2) return [a!, b!][index]!;
  if (raw[0] > raw[1]) return ((8 - index) * a! + (index - 1) * b!) / 7;
  if (index < 6) return ((6 - index) * a! + (index - 1) * b!) / 5;
  return index === 6 ? (unit === 127 ? -1 : 0) : 1;
}

const EAC = [
  [-3, -6, -9, -15, 2, 5, 8, 14],
  [-3, -7, -10, -13, 2, 6, 9, 12],
  [-2, -5, -8, -13, 1, 4, 7, 12],
  [-2, -4, -6, -13, 1, 3, 5, 12],
  [-3, -6, -8, -12, 2, 5, 7, 11],
  [-3, -7, -9, -11, 2, 6, 8, 10],
  [-4, -7, -8, -11, 3, 6, 7, 10],
  [-3, -5, -8, -11, 2, 4, 7, 10],
  [-2, -6, -8, -10, 1, 5, 7, 9],
  [-2, -5, -8, -10, 1, 4, 7, 9],
  [-2, -4, -8, -10, 1, 3, 7, 9],
  [-2, -5, -7, -10, 1, 4, 6, 9],
  [-3, -4, -7, -10, 2, 3, 6, 9],
  [-1, -2, -3, -10, 0, 1, 2, 9],
  [-4, -6, -8, -9, 3, 5, 7, 8],
  [-3, -5, -7, -9, 2, 4, 6, 8],
] as const;

function eacChannel(block: Uint8Array, x: number, y: number, signed: boolean): number {
  const base = big(block, 63, 8);
  const multiplier = big(block, 55, 4);
  const table = EAC[big(block, 51, 4)]!;
  const step = table[big(block, 47 - 3 * (x * 4 + y), 3)]! * (multiplier === 0 ? 1 : multiplier * 8);
  if (!signed) return Math.min(Math.max(base * 8 + 4 + step, 0), 2047) / 2047;
  return Math.min(Math.max(Math.max((base << 24) >> 24, -127) * 8 + step, -1023), 1023) / 1023;
}

/** Colors of BC1, as floats; null: transparent black. */
function bcColour(block: Uint8Array, i: number, isBc1: boolean): readonly number[] | null {
  const word = (at: number): number => block[at]! | (block[at + 1]! << 8);
  const colour = (c: number): number[] => [(c >> 11) / 31, ((c >> 5) & 63) / 63, (c & 31) / 31];
  const c0 = word(0);
  const c1 = word(2);
  const a = colour(c0);
  const b = colour(c1);
  const index = bits(block, 32 + 2 * i, 2);
  const mix = (p: number): number[] => a.map((v, c) => v * (1 - p) + b[c]! * p);
  if (index < 2) return [a, b][index]!;
  if (isBc1 && c0 <= c1) return index === 2 ? mix(1 / 2) : null;
  return mix(index === 2 ? 1 / 3 : 2 / 3);
}

const block8 = fc.uint8Array({ minLength: 8, maxLength: 8 });
const block16 = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('formulas of the formats', () => {
  const texel = (found: ReturnType<typeof decode>, x: number, y: number): DataView =>
    new DataView(found.bytes.buffer, y * found.rowBytes + x * found.texelBytes);
  test.each([
    ['bc4-r-unorm', 255, 65535],
    ['bc4-r-snorm', 127, 32767],
    ['bc5-rg-unorm', 255, 65535],
    ['bc5-rg-snorm', 127, 32767],
  ] as const)('%s', (name, unit, steps) =>
    fc.assert(
      fc.property(name.startsWith('bc4') ? block8 : block16, (block) => {
        const found = decode(name, block);
        for (let i = 0; i < 16; i++)
          for (let c = 0; c < block.length / 8; c++) {
            const view = texel(found, i & 3, i >> 2);
            const value = unit === 255 ? view.getUint16(c * 2, true) : view.getInt16(c * 2, true);
            expect(Math.abs(value - bcChannel(block.subarray(c * 8), i, unit) * steps)).toBeLessThanOrEqual(0.5000001);
          }
      })
    )
  );
  test.each(['eac-r11unorm', 'eac-r11snorm', 'eac-rg11unorm', 'eac-rg11snorm'])('%s', (name) =>
    fc.assert(
      fc.property(name.startsWith('eac-r1') ? block8 : block16, (block) => {
        const found = decode(name, block);
        const signed = name.endsWith('snorm');
        const steps = signed ? 32767 : 65535;
        for (let i = 0; i < 16; i++)
          for (let c = 0; c < block.length / 8; c++) {
            const view = texel(found, i & 3, i >> 2);
            const value = signed ? view.getInt16(c * 2, true) : view.getUint16(c * 2, true);
            const want = eacChannel(block.subarray(c * 8), i & 3, i >> 2, signed) * steps;
            expect(Math.abs(value - want)).toBeLessThanOrEqual(0.5000001);
          }
      })
    )
  );
  test.each(['bc1-rgba-unorm', 'bc2-rgba-unorm', 'bc3-rgba-unorm'])('%s', (name) =>
    fc.assert(
      fc.property(name.startsWith('bc1') ? block8 : block16, (block) => {
        const found = decode(name, block);
        const isBc1 = block.length === 8;
        for (let i = 0; i < 16; i++) {
          const view = texel(found, i & 3, i >> 2);
          const colour = bcColour(isBc1 ? block : block.subarray(8), i, isBc1);
          const alpha = isBc1
            ? colour
              ? 1
              : 0
            : name.startsWith('bc2')
              ? bits(block, 4 * i, 4) / 15
              : bcChannel(block, i, 255);
          [...(colour ?? [0, 0, 0]), alpha].forEach((value, c) =>
            expect(Math.abs(view.getUint8(c) - value * 255)).toBeLessThanOrEqual(0.5000001)
          );
        }
      })
    )
  );

  test.each(['astc-4x4-unorm', 'astc-4x4-unorm-srgb'])('%s: high dynamic range modes in some partitions', (name) => {
    const MAGENTA = 0xff00ffff;
    const LOW = [0, 1, 4, 5, 6];
    const HIGH: Readonly<Record<number, number>> = { 0: 2, 1: 3, 4: 7, 5: 7, 6: 7 };
    /** A block of two partitions, whose endpoints have these modes; 4×4 weights of two bits. */
    const blockOf = (random: Uint8Array, modes: readonly [number, number]): Uint8Array => {
      const block = random.slice();
      const [first, second] = modes;
      const put = (at: number, count: number, value: number): void => {
        for (let i = at; i < at + count; i++)
          block[i >> 3] = (block[i >> 3]! & ~(1 << (i & 7))) | (((value >> (i - at)) & 1) << (i & 7));
      };
      put(0, 11, 0x42);
      put(11, 2, 1);
      put(23, 6, 1 | ((first >> 2) << 2) | ((second >> 2) << 3) | ((first & 3) << 4));
      put(94, 2, second & 3);
      return block;
    };
    const texels = (block: Uint8Array): number[] => {
      const found = decode(name, block);
      return Array.from({ length: 16 }, (_, i) => texel(found, i & 3, i >> 2).getUint32(0));
    };
    fc.assert(
      fc.property(block16, fc.constantFrom(...LOW), fc.constantFrom(...LOW), (random, a, b) => {
        const low = texels(blockOf(random, [a, b]));
        const first = texels(blockOf(random, [HIGH[a]!, b]));
        const second = texels(blockOf(random, [a, HIGH[b]!]));
        for (let i = 0; i < 16; i++) {
          // A texel belongs to one partition or the other. Where a partition shows magenta anyway, they cannot be
          // distinguished.
          expect([MAGENTA, low[i]]).toContain(first[i]);
          if (low[i] !== MAGENTA) expect(second[i]).toBe(first[i] === MAGENTA ? low[i] : MAGENTA);
        }
        expect(texels(blockOf(random, [HIGH[a]!, HIGH[b]!]))).toEqual(new Array(16).fill(MAGENTA));
      })
    );
  });

  test('ASTC: void-extent blocks, linear and sRGB', () =>
    fc.assert(
      fc.property(fc.array(fc.nat(65535), { minLength: 4, maxLength: 4 }), (channels) => {
        // A void extent without coordinates.
        const block = Uint8Array.of(
          0xfc,
          0xfd,
          255,
          255,
          255,
          255,
          255,
          255,
          ...channels.flatMap((v) => [v & 255, v >> 8])
        );
        const linear = decode('astc-6x6-unorm', block);
        const srgb = decode('astc-6x6-unorm-srgb', block);
        for (const [x, y] of [
          [0, 0],
          [5, 5],
        ] as const)
          channels.forEach((v, c) => {
            expect(texel(linear, x, y).getUint8(c)).toBe(Math.round(v / 257));
            expect(texel(srgb, x, y).getUint8(c)).toBe(v >> 8);
          });
      })
    ));
});

describe('arbitrary bytes', () => {
  const names = [
    'bc1-rgba-unorm',
    'bc2-rgba-unorm',
    'bc3-rgba-unorm',
    'bc4-r-snorm',
    'bc5-rg-unorm',
    'bc6h-rgb-ufloat',
    'bc6h-rgb-float',
    'bc7-rgba-unorm',
    'etc2-rgb8unorm',
    'etc2-rgb8a1unorm',
    'etc2-rgba8unorm',
    'eac-rg11snorm',
    'astc-4x4-unorm',
    'astc-5x4-unorm',
    'astc-8x6-unorm-srgb',
    'astc-12x12-unorm',
  ];
  test.each(names)('%s: a level that ends within a block has the same texels, and nothing else is written', (name) => {
    const { block, bytes } = formatInfo(name)!;
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: block!.bytes * 3, maxLength: block!.bytes * 3 }),
        fc.integer({ min: 1, max: 3 * block!.width }),
        fc.integer({ min: 1, max: block!.height }),
        (blocks, width, height) => {
          const whole = decode(name, blocks);
          const part = decode(name, blocks, width, height);
          for (let y = 0; y < height; y++)
            expect(
              Buffer.compare(
                part.bytes.subarray(y * part.rowBytes, y * part.rowBytes + width * bytes),
                whole.bytes.subarray(y * whole.rowBytes, y * whole.rowBytes + width * bytes)
              )
            ).toBe(0);
        }
      )
    );
  });

  test('half floats of BC6H are finite', () =>
    fc.assert(
      fc.property(block16, (block) => {
        for (const name of ['bc6h-rgb-ufloat', 'bc6h-rgb-float']) {
          const found = decode(name, block);
          const words = new Uint16Array(found.bytes.buffer, 0, 16);
          expect([...words].every((word) => Number.isFinite(halfToFloat(word)))).toBe(true);
        }
      })
    ));
});
