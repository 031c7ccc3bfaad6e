// Opaque triangles at all rates into several targets at once, whose texels have four bytes or not. Results are the same
// on all engines, whichever way each of them writes coarse results.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ShadingRate, ShadingRateCommands, StatisticsDevice } from '../../src/index';
import { GPUMapMode } from '../support/flags';
import { engines, open } from './kit';
import { RATES } from './rates';

const WIDTH = 101;
const HEIGHT = 71;
const ROW_BYTES = 1024;
const ROUNDS = 40;
/** Pipelines by name: the formats of their targets. */
const FORMATS = {
  'four bytes': ['rgba8unorm', 'bgra8unorm', 'r32float', 'rgb10a2unorm', 'rg16float'],
  'one target': ['rgba8unorm-srgb'],
  'other sizes': ['rgba8unorm', 'rgba16float', 'r8unorm'],
} as const satisfies Record<string, readonly GPUTextureFormat[]>;
const ATTACHMENT_COPY_SRC = 16 | 1;
const MAP_READ_COPY_DST = 1 | 8;

const codeOf = (targets: number, derivatives: boolean): string => `
struct V { @builtin(position) p: vec4f, @location(0) color: vec4f }
@vertex fn vs(@builtin(vertex_index) i: u32, @location(0) p: vec3f, @location(1) color: vec4f) -> V {
  return V(vec4f(p, 1), color);
}
struct Out { ${Array.from({ length: targets }, (_, i) => `@location(${i}) t${i}: vec4f`).join(', ')} }
@fragment fn fs(v: V) -> Out {
  let c = v.color * v.color${derivatives ? ' + abs(dpdx(v.color)) * 4' : ''};
  return Out(${Array.from({ length: targets }, (_, i) => `fract(c * ${i + 1})`).join(', ')});
}`;

interface Batch {
  readonly rate: ShadingRate;
  readonly derivatives: boolean;
  readonly size: number;
  readonly at: readonly (readonly number[])[];
}
const unit = fc.integer({ min: 0, max: 255 }).map((n) => n / 255);
const batches: fc.Arbitrary<Batch[]> = fc.array(
  fc.record({
    rate: fc.constantFrom(...RATES),
    derivatives: fc.boolean(),
    size: fc.constantFrom(0.1, 0.3, 3),
    // A centre, two corners relative to it, a depth and a colour.
    at: fc.array(fc.array(unit, { minLength: 10, maxLength: 10 }), { minLength: 1, maxLength: 12 }),
  }),
  { minLength: 1, maxLength: 6 }
);

/** Three vertices of three coordinates and four channels. */
function verticesOf({ at, size }: Batch): Float32Array {
  return Float32Array.from(
    at.flatMap(([x, y, a, b, c, d, z, ...color]) =>
      [
        [0, 0],
        [a, b],
        [c, d],
      ].flatMap(([right, down], i) => [
        x * 2 - 1 + (right - 0.3) * size,
        y * 2 - 1 + (down - 0.3) * size,
        z,
        ...color.map((channel) => (channel * (i + 1)) / 3),
        1,
      ])
    )
  );
}

class Painter {
  readonly #pipelines = new Map<string, GPURenderPipeline>();
  constructor(
    readonly device: StatisticsDevice,
    private readonly formats: readonly GPUTextureFormat[]
  ) {}

  #pipeline(derivatives: boolean): GPURenderPipeline {
    const key = String(derivatives);
    const found = this.#pipelines.get(key);
    if (found) return found;
    const module = this.device.createShaderModule({ code: codeOf(this.formats.length, derivatives) });
    const pipeline = this.device.createRenderPipeline({
      layout: 'auto',
      vertex: {
        module,
        buffers: [
          {
            arrayStride: 28,
            attributes: [
              { shaderLocation: 0, offset: 0, format: 'float32x3' },
              { shaderLocation: 1, offset: 12, format: 'float32x4' },
            ],
          },
        ],
      },
      fragment: { module, targets: this.formats.map((format) => ({ format })) },
      depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true },
    });
    this.#pipelines.set(key, pipeline);
    return pipeline;
  }

  /** Draws in two passes, the second of which loads what the first one stored. Returns the bytes of all targets. */
  async draw(scene: readonly Batch[]): Promise<Uint8Array[]> {
    const { device, formats } = this;
    const size = [WIDTH, HEIGHT];
    const textures = formats.map((format) => device.createTexture({ size, format, usage: ATTACHMENT_COPY_SRC }));
    const depth = device.createTexture({ size, format: 'depth32float', usage: ATTACHMENT_COPY_SRC });
    const encoder = device.createCommandEncoder();
    for (const [loadOp, part] of [
      ['clear', scene.slice(0, scene.length >> 1)],
      ['load', scene.slice(scene.length >> 1)],
    ] as const) {
      const pass = encoder.beginRenderPass({
        colorAttachments: textures.map((view) => ({ view, loadOp, storeOp: 'store', clearValue: [0.2, 0.4, 0.6, 1] })),
        depthStencilAttachment: { view: depth, depthLoadOp: loadOp, depthStoreOp: 'store', depthClearValue: 1 },
      }) as GPURenderPassEncoder & ShadingRateCommands;
      for (const batch of part) {
        const data = verticesOf(batch);
        const buffer = device.createBuffer({ size: data.byteLength, usage: 32 | 8 });
        device.queue.writeBuffer(buffer, 0, data);
        pass.setShadingRate(batch.rate);
        pass.setPipeline(this.#pipeline(batch.derivatives));
        pass.setVertexBuffer(0, buffer);
        pass.draw(batch.at.length * 3);
      }
      pass.end();
    }
    const buffers = textures.map((texture) => {
      const buffer = device.createBuffer({ size: ROW_BYTES * HEIGHT, usage: MAP_READ_COPY_DST });
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: ROW_BYTES }, size);
      return buffer;
    });
    device.queue.submit([encoder.finish()]);
    return Promise.all(
      buffers.map(async (buffer) => {
        await buffer.mapAsync(GPUMapMode.READ);
        return new Uint8Array(buffer.getMappedRange()).slice();
      })
    );
  }
}

describe.each(Object.entries(FORMATS))('coarse results in targets: %s', (_, formats) => {
  const painters: Painter[] = [];
  beforeAll(async () => {
    for (const name of ['the scalar kernel', 'compiled', 'interpreted', 'compiled, two workers'])
      painters.push(new Painter(await open(engines[name]), formats));
  });
  afterAll(() => painters.forEach(({ device }) => device.destroy()));

  test('all engines write the same bits', async () => {
    let visible = 0;
    await fc.assert(
      fc.asyncProperty(batches, async (scene) => {
        const [wanted, ...others] = await Promise.all(painters.map((painter) => painter.draw(scene)));
        if (wanted.every((bytes) => new Set(bytes).size > 8)) visible++;
        for (const drawn of others)
          drawn.forEach((bytes, i) => expect(Buffer.compare(bytes, wanted[i]), formats[i]).toBe(0));
      }),
      { numRuns: ROUNDS, seed: 62 }
    );
    expect(visible).toBeGreaterThan(ROUNDS / 2);
  }, 60_000);
});
