// KTX2 textures, made here with Basis Universal's encoder, compared with the pictures that they were made of.
import { encodeToKTX2 } from 'ktx2-encoder';
import { beforeAll, describe, expect, it } from 'vitest';
import { ModelError } from '../../src/gltf/errors';
import { decodeKtx2, isKtx2, readKtx2Header } from '../../src/gltf/images/ktx2';

/** A smooth picture, transparent towards the right if it has alpha. */
function picture(width: number, height: number, hasAlpha: boolean): Uint8Array {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [u, v] = [x / width, y / height];
      data.set(
        [
          128 + 100 * Math.sin(6 * u),
          128 + 100 * Math.sin(5 * v + 1),
          60 + 60 * (u + v),
          hasAlpha ? Math.round(255 * (1 - u)) : 255,
        ],
        4 * (y * width + x)
      );
    }
  }
  return data;
}

interface Kind {
  width: number;
  height: number;
  uastc: boolean;
  zstd?: boolean;
  mips?: boolean;
  alpha?: boolean;
}

const encode = ({ width, height, uastc, zstd = false, mips = false, alpha = false }: Kind): Promise<Uint8Array> =>
  encodeToKTX2(new Uint8Array(1), {
    isUASTC: uastc,
    generateMipmap: mips,
    needSupercompression: zstd,
    isSetKTX2SRGBTransferFunc: true,
    imageDecoder: () => Promise.resolve({ width, height, data: picture(width, height, alpha) }),
  });

/** Peak signal-to-noise ratio in decibels over the given channels. */
function psnr(a: Uint8Array, b: Uint8Array, channels: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 4) for (const c of channels) sum += (a[i + c] - b[i + c]) ** 2;
  return 10 * Math.log10(255 ** 2 / (sum / ((a.length / 4) * channels.length)));
}

const KINDS: [string, Kind, number][] = [
  ['ETC1S', { width: 64, height: 64, uastc: false }, 30],
  ['ETC1S with alpha', { width: 64, height: 32, uastc: false, alpha: true }, 28],
  ['ETC1S of an odd size, with mips', { width: 37, height: 19, uastc: false, mips: true }, 25],
  ['UASTC', { width: 64, height: 64, uastc: true }, 40],
  ['UASTC with Zstandard and mips', { width: 64, height: 64, uastc: true, zstd: true, mips: true }, 40],
  ['UASTC of an odd size with alpha', { width: 21, height: 50, uastc: true, alpha: true, zstd: true }, 38],
  ['UASTC of one pixel', { width: 1, height: 1, uastc: true }, 30],
];

describe('decodeKtx2', () => {
  it.each(KINDS)('decodes %s', async (_, kind, least) => {
    const { width, height, alpha = false, mips = false } = kind;
    const bytes = await encode(kind);
    expect(isKtx2(bytes)).toBe(true);
    const levels = await decodeKtx2(bytes, 'The image');
    expect(levels[0]).toMatchObject({ width, height });
    const count = 32 - Math.clz32(Math.max(width, height));
    expect(levels.map((level) => [level.width, level.height])).toEqual(
      Array.from({ length: mips ? count : 1 }, (__, i) => [Math.max(1, width >> i), Math.max(1, height >> i)])
    );
    const source = picture(width, height, alpha);
    expect(psnr(levels[0].data, source, [0, 1, 2])).toBeGreaterThan(least);
    if (alpha) expect(psnr(levels[0].data, source, [3])).toBeGreaterThan(least);
    else expect(levels[0].data.every((x, i) => i % 4 !== 3 || x === 255)).toBe(true);
    const mean = (data: Uint8Array, channel: number) =>
      data.reduce((sum, x, i) => (i % 4 === channel ? sum + x : sum), 0) / (data.length / 4);
    for (const level of levels.slice(1, 3))
      for (const c of [0, 1, 2]) expect(Math.abs(mean(level.data, c) - mean(source, c))).toBeLessThan(12);
  });
});

describe('damaged textures', () => {
  let etc1s: Uint8Array;
  let uastc: Uint8Array;
  beforeAll(async () => {
    etc1s = await encode({ width: 32, height: 32, uastc: false, mips: true });
    uastc = await encode({ width: 32, height: 32, uastc: true, zstd: true });
  });

  async function refusal(bytes: Uint8Array): Promise<string> {
    const error: unknown = await decodeKtx2(bytes, 'The image').then(
      () => undefined,
      (thrown: unknown) => thrown
    );
    if (error !== undefined) expect(error).toBeInstanceOf(ModelError);
    return error === undefined ? '' : (error as ModelError).message;
  }

  /** Changes a 32-bit number of the header. */
  const changed = (bytes: Uint8Array, at: number, value: number): Uint8Array => {
    const copy = bytes.slice();
    new DataView(copy.buffer).setUint32(at, value, true);
    return copy;
  };

  it.each([
    ['a format of its own', 12, 37, /without Basis Universal data/],
    ['no width', 20, 0, /./],
    ['a huge width', 20, 1e6, /./],
    ['depth', 28, 4, /several layers or faces/],
    ['layers', 32, 3, /several layers or faces/],
    ['six faces', 36, 6, /several layers or faces/],
    ['too many levels', 40, 20, /20 levels are too many/],
    ['an unknown supercompression', 44, 99, /./],
  ] as const)('%s', async (_, at, value, message) => {
    for (const bytes of [etc1s, uastc]) expect(await refusal(changed(bytes, at, value))).toMatch(message);
    expect(await refusal(etc1s)).toBe('');
    expect(await refusal(uastc)).toBe('');
  });

  it('are refused if they are cut off', async () => {
    for (const bytes of [etc1s, uastc])
      for (const length of [12, 40, 79, 80, 100, 200, bytes.length >> 1, bytes.length - 1])
        expect(await refusal(bytes.slice(0, length)), `${length}`).not.toBe('');
  });

  it('are refused or decoded if any byte is changed', async () => {
    for (const bytes of [etc1s, uastc]) {
      for (let at = 12; at < bytes.length; at += at < 200 ? 3 : 41) {
        const broken = bytes.slice();
        broken[at] ^= 0xff;
        await refusal(broken);
      }
      expect(await refusal(bytes)).toBe('');
    }
  });

  it('have a header that is read before they are decoded', () => {
    expect(readKtx2Header(etc1s, 'The image')).toEqual({ width: 32, height: 32, levels: 6 });
    expect(() => readKtx2Header(changed(etc1s, 24, 1e5), 'The image')).toThrow(ModelError);
  });
});
