// The bench's scenes of user frames (bench/scenes/), at a small size. Their first frames are compared with those of
// other WebGPU implementations (tests/images/frames), and with themselves on other paths. The rule is the bench's: a
// share of the pixels within a bound of one reference.
// The references differ from each other:
// - SwiftShader snaps vertices to a sixteenth of a pixel, which is visible in all edges of small triangles (voxels,
//   draws, crowd, interface).
// - llvmpipe at 4 samples shifts a scissor rectangle by half a pixel (interface).
// - Each implementation chooses which samples an alpha covers (foliage).
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { frames, readback } from '../../bench/scenes/index.mjs';
import { compare, keepFailed, references } from './compare';
import { SAMPLES, sizeOf } from './frame-size.mjs';
import { openBuilt } from './open';
import { inTurn } from '../support/combinations';

const FOLDER = new URL('./frames/', import.meta.url);
const WITHIN = 8;
const SHARE = 0.99;
/** Implementations choose which samples an alpha covers: the peers agree in 88.9 % of the pixels. */
const SHARES: Record<string, number> = { 'foliage-4x': 0.95 };

interface Size {
  readonly width: number;
  readonly height: number;
}
const halfSizeOf = (name: string): Size => {
  const { width, height } = sizeOf(name);
  return { width: width / 2, height: height / 2 };
};

async function draw(device: GPUDevice, name: string, samples: number, size: Size = sizeOf(name)): Promise<Uint8Array> {
  const { render, color } = await frames[name]!(device, { ...size, samples });
  render();
  return readback(device, color);
}

/** In how many pixels the references are close to each other, as a string. */
function agreement(name: string, samples: number): string {
  const [one, other] = references(`${name}-${samples}x`, FOLDER);
  if (!one || !other) return 'one implementation alone draws it';
  return `others agree in ${(compare(one.pixels, other.pixels, WITHIN).share * 100).toFixed(1)} %`;
}

/** Describes what is wrong with a picture; undefined if it is close enough to one of its references. */
function describeMismatch(name: string, samples: number, actual: Uint8Array): string | undefined {
  const full = `${name}-${samples}x`;
  const share = SHARES[full] ?? SHARE;
  const { width } = sizeOf(name);
  const [best] = references(full, FOLDER)
    .map(({ by, pixels }) => compare(actual, pixels, WITHIN, by, width))
    .sort((a, b) => b.share - a.share);
  if (!best) return `${full}: there is no reference picture; tests/images/make-frames.mjs makes one`;
  if (best.share >= share) return undefined;
  return (
    `${full}: ${(best.share * 100).toFixed(2)} % of the pixels are within ${WITHIN} of ${best.by}, not `
    + `${share * 100} %; the largest difference is ${best.largest} at ${best.at.join(', ')}\n`
    + keepFailed(full, actual, best.difference, width)
  );
}

/** Drawn once, for the references and for the other paths. */
const pictures = new Map<string, Promise<Uint8Array>>();
let byDefault: GPUDevice;
beforeAll(async () => {
  byDefault = await openBuilt();
});
afterAll(() => byDefault.destroy());
function pictureOf(name: string, samples: number): Promise<Uint8Array> {
  const key = `${name}-${samples}x`;
  const picture = pictures.get(key) ?? draw(byDefault, name, samples);
  pictures.set(key, picture);
  return picture;
}
const hash = (pixels: Uint8Array): string => createHash('sha256').update(pixels).digest('hex');
const all = Object.keys(frames).flatMap((name) => SAMPLES.map((samples) => [name, samples] as const));
/** Every frame at one sample count, the next frame and the next path at the next one. */
const inTurns = (path: number): typeof all =>
  Object.keys(frames).flatMap((name, i) => inTurn(SAMPLES, i + path).map((samples) => [name, samples] as const));

describe('user frames compared with other implementations', () => {
  for (const [name, samples] of all)
    test(`${name} at ${samples}: ${agreement(name, samples)}`, async () => {
      expect(describeMismatch(name, samples, await pictureOf(name, samples))).toBeUndefined();
    });

  test('a gray picture matches none of them', () => {
    for (const [name, samples] of all)
      for (const { pixels } of references(`${name}-${samples}x`, FOLDER))
        expect(
          compare(
            pixels.map(() => 77),
            pixels,
            WITHIN
          ).share,
          name
        ).toBeLessThan(0.9);
  });
});

const paths = {
  'the interpreter': { engine: 'interpreter' },
  'compiled programs': { engine: 'jit' },
  'no workers': { threads: 0 },
  'two workers': { threads: 2 },
  'the scalar kernel': { simd: false },
} as const;
describe.each(Object.entries(paths).map(([name, options], path) => [name, options, path] as const))(
  'the same bits with %s',
  (_, options, path) => {
    let device: GPUDevice;
    beforeAll(async () => {
      device = await openBuilt(options);
    });
    afterAll(() => device.destroy());
    test.each(inTurns(path))('%s at %i', async (name, samples) => {
      expect(hash(await draw(device, name, samples))).toBe(hash(await pictureOf(name, samples)));
    });
  }
);

// The oracle takes long, in proportion to the pixels.
describe('the same bits with the oracle, at half the size', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await openBuilt({ immediate: true });
  });
  afterAll(() => device.destroy());
  test.each(inTurns(0))('%s at %i', async (name, samples) => {
    const size = halfSizeOf(name);
    expect(hash(await draw(device, name, samples, size))).toBe(hash(await draw(byDefault, name, samples, size)));
  });
});
