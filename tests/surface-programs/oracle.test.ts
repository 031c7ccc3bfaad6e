// Random scenes, drawn by fixed function and by a shader that loads, blends and stores, with and without encoded
// surfaces. Every sample equals oracle.ts.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { open, samplesOf, USAGE } from './kit';
import { COMPARES, COUNTS, HEIGHT, OPERATIONS, paint, WIDTH, type Count, type Scene, type Triangle } from './oracle';
import { GPUBufferUsage } from '../support/flags';
import { rounds } from '../support/rounds';

const RUNS = rounds(10);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 11);

// A triangle's words: x, y, z of a vertex; its color; its operation and threshold.
const CODE = `
  enable multisample_storage_textures;
  @group(0) @binding(0) var surface: texture_storage_multisampled_2d<rgba8unorm, read_write>;
  struct Corner {
    @builtin(position) position: vec4f, @location(0) @interpolate(flat) color: vec4f,
    @location(1) @interpolate(flat) how: vec2u,
  }
  @vertex fn vs(@location(0) at: vec3f, @location(1) color: vec4f, @location(2) how: vec2u) -> Corner {
    return Corner(vec4f(at, 1), color, how);
  }
  fn isDiscarded(corner: Corner) -> bool {
    let p = vec2u(corner.position.xy);
    return ((p.x * 5 + p.y * 3) & 7) < corner.how.y;
  }
  @fragment fn fixed(corner: Corner) -> @location(0) vec4f {
    if (isDiscarded(corner)) { discard; }
    return corner.color;
  }
  @early_depth_test @fragment fn programmed(corner: Corner, @builtin(sample_mask) mask: u32) {
    if (isDiscarded(corner)) { discard; }
    let at = vec2u(corner.position.xy);
    let source = corner.color;
    var left = mask;
    while (left != 0) {
      let known = textureLoadSamples(surface, at, left);
      let before = known.value;
      var result = source;
      switch (corner.how.x) {
        case 1: { result = min(before + source, vec4f(1)); }
        case 2: { result = max(before - source, vec4f()); }
        case 3: { result = min(before, source); }
        case 4: { result = max(before, source); }
        default: { }
      }
      textureStoreSamples(surface, at, known.mask & left, result);
      left &= ~known.mask;
    }
  }`;
const WORDS = 9;
const BUFFER: GPUVertexBufferLayout = {
  arrayStride: WORDS * 4,
  attributes: [
    { shaderLocation: 0, offset: 0, format: 'float32x3' },
    { shaderLocation: 1, offset: 12, format: 'float32x4' },
    { shaderLocation: 2, offset: 28, format: 'uint32x2' },
  ],
};
const BLENDS: Readonly<Record<Triangle['operation'], GPUBlendOperation | null>> = {
  paint: null,
  add: 'add',
  subtract: 'reverse-subtract',
  min: 'min',
  max: 'max',
};

class Painter {
  private readonly module: GPUShaderModule;
  private readonly pipelines = new Map<string, GPURenderPipeline>();

  constructor(readonly device: StatisticsDevice) {
    this.module = device.createShaderModule({ code: CODE });
  }

  private pipeline({ operation, compare, writesDepth }: Triangle, byProgram: boolean, count: Count): GPURenderPipeline {
    const blend = byProgram ? null : BLENDS[operation];
    const key = [byProgram, blend, compare, writesDepth, count].join();
    let pipeline = this.pipelines.get(key);
    if (pipeline === undefined) {
      const component = { operation: blend ?? 'add', srcFactor: 'one', dstFactor: 'one' } as const;
      const target = { format: 'rgba8unorm', ...(blend && { blend: { color: component, alpha: component } }) } as const;
      pipeline = this.device.createRenderPipeline({
        layout: 'auto',
        vertex: { module: this.module, buffers: [BUFFER] },
        fragment: {
          module: this.module,
          entryPoint: byProgram ? 'programmed' : 'fixed',
          targets: byProgram ? [] : [target],
        },
        multisample: { count },
        depthStencil: { format: 'depth32float', depthCompare: compare, depthWriteEnabled: writesDepth },
      });
      this.pipelines.set(key, pipeline);
    }
    return pipeline;
  }

  private vertices(scene: Scene): GPUBuffer {
    const all = scene.flat();
    const words = new ArrayBuffer(Math.max(1, all.length) * 3 * WORDS * 4);
    const floats = new Float32Array(words);
    const integers = new Uint32Array(words);
    all.forEach(({ corners, depth, color, operation, threshold }, i) => {
      for (let k = 0; k < 3; k++) {
        const at = (i * 3 + k) * WORDS;
        const x = corners[2 * k]! / (WIDTH / 2) - 1;
        const y = 1 - corners[2 * k + 1]! / (HEIGHT / 2);
        floats.set([x, y, depth / 64, ...color.map((byte) => byte / 255)], at);
        integers.set([OPERATIONS.indexOf(operation), threshold], at + 7);
      }
    });
    const buffer = this.device.createBuffer({
      size: words.byteLength,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.VERTEX,
    });
    this.device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  }

  async draw(scene: Scene, byProgram: boolean, count: Count): Promise<Uint8Array> {
    const { device } = this;
    const common = { size: [WIDTH, HEIGHT], sampleCount: count };
    const depth = device.createTexture({ ...common, format: 'depth32float', usage: USAGE.ATTACHMENT });
    const texture = device.createTexture({
      ...common,
      format: 'rgba8unorm',
      usage: USAGE.SAMPLED | (byProgram ? USAGE.STORAGE : USAGE.ATTACHMENT),
    });
    const buffer = this.vertices(scene);
    const encoder = device.createCommandEncoder();
    let first = 0;
    scene.forEach((triangles, index) => {
      const loadOp = index === 0 ? 'clear' : 'load';
      const storeOp = 'store';
      const pass = encoder.beginRenderPass({
        colorAttachments: byProgram ? [] : [{ view: texture, loadOp, storeOp, clearValue: [0, 0, 0, 0] }],
        depthStencilAttachment: { view: depth, depthClearValue: 0.5, depthLoadOp: loadOp, depthStoreOp: storeOp },
      });
      pass.setVertexBuffer(0, buffer);
      for (const triangle of triangles) {
        const pipeline = this.pipeline(triangle, byProgram, count);
        pass.setPipeline(pipeline);
        if (byProgram)
          pass.setBindGroup(
            0,
            device.createBindGroup({
              layout: pipeline.getBindGroupLayout(0),
              entries: [{ binding: 0, resource: texture.createView() }],
            })
          );
        pass.draw(3, 1, first++ * 3);
      }
      pass.end();
    });
    device.queue.submit([encoder.finish()]);
    const bytes = await samplesOf(device, texture);
    for (const resource of [depth, texture, buffer]) resource.destroy();
    return bytes;
  }
}

const six = (min: number, max: number, unit: number): fc.Arbitrary<number[]> =>
  fc
    .array(fc.integer({ min: min * unit, max: max * unit }), { minLength: 6, maxLength: 6 })
    .map((values) => values.map((value) => value / unit));
/** About the picture's size, with edges that touch samples; small; far larger, with steep edges. */
const corners = fc.oneof(
  { weight: 3, arbitrary: six(-8, 136, 16) },
  six(-8, 136, 256),
  six(-3000, 3000, 256),
  fc
    .tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 60 }), six(0, 4, 16))
    .map(([x, y, offsets]) => offsets.map((offset, k) => offset + (k % 2 ? y : x)))
);
const byte = fc.integer({ min: 0, max: 255 });
const triangle: fc.Arbitrary<Triangle> = fc.record({
  corners,
  depth: fc.integer({ min: 0, max: 64 }),
  color: fc.tuple(byte, byte, byte, byte),
  operation: fc.constantFrom(...OPERATIONS),
  compare: fc.constantFrom(...COMPARES),
  writesDepth: fc.boolean(),
  threshold: fc.constantFrom(0, 0, 0, 2, 5),
});
const scene: fc.Arbitrary<Scene> = fc.array(fc.array(triangle, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 3,
});

const variants: readonly CreateOptions[] = [
  { engine: 'jit', threads: 0 },
  { engine: 'interpreter', threads: 0, surfaceEncoding: false },
];

describe('samples', () => {
  let painters: Painter[];
  beforeAll(async () => {
    painters = await Promise.all(variants.map(async (options) => new Painter(await open(options))));
  });
  afterAll(() => painters.forEach(({ device }) => device.destroy()));

  test.each(COUNTS)(
    'equal the simple oracle, at %i',
    async (count) => {
      await fc.assert(
        fc.asyncProperty(scene, async (drawn) => {
          for (const byProgram of [false, true]) {
            const wanted = paint(drawn, count, byProgram);
            for (const painter of painters) {
              const found = await painter.draw(drawn, byProgram, count);
              const at = found.findIndex((value, i) => value !== wanted[i]);
              const texel = at >> 2;
              const row = Math.floor(texel / WIDTH);
              expect({
                at,
                byProgram,
                x: texel % WIDTH,
                y: Math.floor(row / count),
                sample: row % count,
              }).toMatchObject({ at: -1 });
            }
          }
        }),
        { numRuns: RUNS, seed: SEED }
      );
    },
    60_000
  );
});
