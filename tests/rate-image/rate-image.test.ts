// Rate images equal those of plain TypeScript, and pictures drawn with them stay within the tolerance. The scene shows
// a random texture with bilinear filtering, one texel per pixel, so the value at any point of a coarse pixel lies
// between those of its pixels. The texture moves by whole pixels.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ShadingRatePassMembers, StatisticsDevice } from '../../src/index';
import { createRateImage, type ImageRate, type RateImageOptions } from '../../src/rate-image/index';
import { engines, open } from '../shading-rate/kit';
import { GPUMapMode } from '../support/flags';

const ROUNDS = 40;
const ROW_BYTES = 512;
const TEXTURE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 };
/** Greatest rounding of two values to bytes, in steps. */
const ROUNDING = 1;
const CODES: Record<ImageRate, number> = { '1x1': 0, '1x2': 1, '2x1': 4, '2x2': 5, '2x4': 6, '4x2': 9, '4x4': 10 };
/** The order in which rates are tried. */
const ORDER: ImageRate[] = ['4x4', '4x2', '2x4', '2x2', '2x1', '1x2'];

interface Scene extends Required<RateImageOptions> {
  readonly move: readonly [number, number];
  readonly moves: boolean;
  readonly seed: number;
  /** Greatest difference of texels, in steps, in the left and in the right half. */
  readonly contrast: readonly [number, number];
}
const scenes: fc.Arbitrary<Scene> = fc.record({
  width: fc.integer({ min: 1, max: 90 }),
  height: fc.integer({ min: 1, max: 60 }),
  blockSize: fc.constantFrom(8 as const, 16 as const),
  // Between two differences, so that rounding does not decide.
  tolerance: fc.integer({ min: 0, max: 40 }).map((steps) => (steps + 0.5) / 255),
  coarsest: fc.constantFrom(...(Object.keys(CODES) as ImageRate[])),
  move: fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })),
  moves: fc.boolean(),
  seed: fc.nat(),
  contrast: fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 255 })),
});

const CODE = `
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var filtered: sampler;
@group(0) @binding(2) var<uniform> moved: vec2f;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}
@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
  return textureSampleLevel(image, filtered, (p.xy - moved) / vec2f(textureDimensions(image)), 0);
}`;

/** Texels of four bytes, from a linear congruential generator. */
function texelsOf({ width, height, seed, contrast }: Scene): Uint8Array {
  let state = seed >>> 0;
  return Uint8Array.from({ length: width * height * 4 }, (_, i) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const most = contrast[(i >> 2) % width < width / 2 ? 0 : 1];
    return 100 + Math.floor((state / 2 ** 32) * (most + 1) * 0.6);
  });
}

/** The code of a block, from the pixels of the frame before. */
function codeOf(scene: Scene, bytes: Uint8Array, left: number, top: number): number {
  const { width, height, blockSize, tolerance, coarsest, moves, move } = scene;
  const before = (x: number, y: number): number[] | undefined => {
    const at = [x - (moves ? move[0] : 0), y - (moves ? move[1] : 0)];
    if (at[0] < 0 || at[1] < 0 || at[0] >= width || at[1] >= height) return undefined;
    const from = at[1] * ROW_BYTES + at[0] * 4;
    return [...bytes.subarray(from, from + 4)];
  };
  const within = (rate: string): boolean => rate[0] <= coarsest[0] && rate[2] <= coarsest[2];
  // A block some of whose content was outside the frame before is fine.
  for (let y = top; y < Math.min(top + blockSize, height); y++)
    for (let x = left; x < Math.min(left + blockSize, width); x++) if (!before(x, y)) return 0;
  return CODES[
    ORDER.filter(within).find((rate) => {
      const [w, h] = [Number(rate[0]), Number(rate[2])];
      for (let y = top; y < Math.min(top + blockSize, height); y += h)
        for (let x = left; x < Math.min(left + blockSize, width); x += w) {
          // A coarse pixel that begins inside the picture must also end there.
          if (x + w > width || y + h > height) return false;
          const pixels = Array.from({ length: w * h }, (_, i) => before(x + (i % w), y + Math.floor(i / w)));
          for (let c = 0; c < 4; c++) {
            const values = pixels.map((pixel) => pixel![c]);
            if (Math.max(...values) - Math.min(...values) > tolerance * 255) return false;
          }
        }
      return true;
    }) ?? '1x1'
  ];
}

class Painter {
  readonly #pipeline: GPURenderPipeline;
  constructor(readonly device: StatisticsDevice) {
    const module = device.createShaderModule({ code: CODE });
    this.#pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    });
  }

  #texture({ width, height }: Scene, format: GPUTextureFormat): GPUTexture {
    const usage = TEXTURE.COPY_SRC | TEXTURE.COPY_DST | TEXTURE.SAMPLED | TEXTURE.ATTACHMENT;
    return this.device.createTexture({ size: [width, height], format, usage });
  }

  #copy(encoder: GPUCommandEncoder, texture: GPUTexture): () => Promise<Uint8Array> {
    const buffer = this.device.createBuffer({ size: ROW_BYTES * texture.height, usage: 1 | 8 });
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: ROW_BYTES }, [texture.width, texture.height]);
    return async () => {
      await buffer.mapAsync(GPUMapMode.READ);
      return new Uint8Array(buffer.getMappedRange()).slice();
    };
  }

  /** Draws the frame before, then the next one at 1x1 and with rates, and reads everything back. */
  async draw(scene: Scene): Promise<{ before: Uint8Array; codes: Uint8Array; fine: Uint8Array; coarse: Uint8Array }> {
    const { device } = this;
    const { width, height, move } = scene;
    const image = this.#texture(scene, 'rgba8unorm');
    device.queue.writeTexture({ texture: image }, texelsOf(scene), { bytesPerRow: width * 4 }, [width, height]);
    const motion = this.#texture(scene, 'rg32float');
    const moved = Float32Array.from({ length: width * height * 2 }, (_, i) => move[i & 1]);
    device.queue.writeTexture({ texture: motion }, moved, { bytesPerRow: width * 8 }, [width, height]);
    const sampler = device.createSampler({ magFilter: 'linear', addressModeU: 'repeat', addressModeV: 'repeat' });
    const rates = createRateImage(device, scene);
    const encoder = device.createCommandEncoder();
    const frame = (by: readonly number[], more: ShadingRatePassMembers): GPUTexture => {
      const view = this.#texture(scene, 'rgba8unorm');
      const buffer = device.createBuffer({ size: 8, usage: 64 | 8 });
      device.queue.writeBuffer(buffer, 0, Float32Array.from(by));
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
        ...more,
      } as GPURenderPassDescriptor);
      pass.setPipeline(this.#pipeline);
      const entries = [image.createView(), sampler, { buffer }].map((resource, binding) => ({ binding, resource }));
      pass.setBindGroup(0, device.createBindGroup({ layout: this.#pipeline.getBindGroupLayout(0), entries }));
      pass.draw(3);
      pass.end();
      return view;
    };
    const before = frame([0, 0], {});
    rates.update(encoder, scene.moves ? { color: before, motion } : { color: before });
    const now = scene.moves ? move : [0, 0];
    const read = {
      before: this.#copy(encoder, before),
      codes: this.#copy(encoder, rates.texture),
      fine: this.#copy(encoder, frame(now, {})),
      coarse: this.#copy(encoder, frame(now, { shadingRates: { region: rates.region } })),
    };
    device.queue.submit([encoder.finish()]);
    const all = await Promise.all(Object.entries(read).map(async ([name, bytes]) => [name, await bytes()]));
    rates.destroy();
    return Object.fromEntries(all);
  }
}

describe.each(['compiled', 'interpreted', 'the scalar kernel', 'compiled, two workers'])('rate images: %s', (name) => {
  let painter: Painter;
  beforeAll(async () => {
    painter = new Painter(await open(engines[name]));
  });
  afterAll(() => painter.device.destroy());

  test('codes equal those of plain TypeScript, and no channel changes by more than the tolerance', async () => {
    let coarseScenes = 0;
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { width, height, blockSize, tolerance } = scene;
        const { before, codes, fine, coarse } = await painter.draw(scene);
        let isCoarse = false;
        for (let top = 0; top < height; top += blockSize)
          for (let left = 0; left < width; left += blockSize) {
            const code = codes[(top / blockSize) * ROW_BYTES + left / blockSize];
            expect(code, `block at ${left}, ${top}`).toBe(codeOf(scene, before, left, top));
            isCoarse ||= code > 0;
          }
        if (isCoarse) coarseScenes++;
        const most = Math.floor(tolerance * 255) + ROUNDING;
        for (let y = 0; y < height; y++)
          for (let at = y * ROW_BYTES; at < y * ROW_BYTES + width * 4; at++)
            expect(Math.abs(fine[at] - coarse[at])).toBeLessThanOrEqual(most);
      }),
      { numRuns: ROUNDS, seed: 62 }
    );
    expect(coarseScenes).toBeGreaterThan(ROUNDS / 3);
  }, 60_000);
});

describe('options of rate images', () => {
  const device = {} as GPUDevice;
  test.each([
    [{ width: 0, height: 1 }, 'width is 0, but must be a whole number of pixels of at least 1'],
    [{ width: 1, height: 1.5 }, 'height is 1.5, but must be a whole number of pixels of at least 1'],
    [{ width: 1, height: 1, blockSize: 4 }, 'blockSize is 4, but must be 8 or 16'],
    [{ width: 1, height: 1, tolerance: -1 }, 'tolerance is -1, but must be at least 0'],
    [{ width: 1, height: 1, coarsest: '1x4' }, 'coarsest is "1x4", but must be 1x1, 4x4'],
  ])('%o throws', (options, message) => {
    expect(() => createRateImage(device, options as RateImageOptions)).toThrow(message);
  });
});
