// Sample masks and depth. @builtin(sample_mask) is what a triangle covers, whatever the depth test says. With
// @early_depth_test it is what passed, and programmable blending with it writes exactly the samples that fixed function
// writes. If depth is tested after the shader, the shader stores whether or not the test fails.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { mulberry32 } from '../support/floats';
import { open, samplesOf, SIZE, surface, USAGE } from './kit';
import { GPUBufferUsage } from '../support/flags';

const TRIANGLES = 60;
const ADD = `
    var left = mask;
    while (left != 0) {
      let known = textureLoadSamples(surface, at, left);
      textureStoreSamples(surface, at, known.mask & left, min(known.value + vec4f(1.0 / 255), vec4f(1)));
      left &= ~known.mask;
    }`;
const CODE = `
  enable multisample_storage_textures;
  @group(0) @binding(0) var surface: texture_storage_multisampled_2d<rgba8unorm, read_write>;
  @vertex fn vs(@location(0) at: vec3f) -> @builtin(position) vec4f { return vec4f(at, 1); }
  @fragment fn fixed() -> @location(0) vec4f { return vec4f(1.0 / 255); }
  @fragment fn covered(@builtin(position) p: vec4f, @builtin(sample_mask) mask: u32) { let at = vec2u(p.xy); ${ADD} }
  @early_depth_test @fragment fn tested(@builtin(position) p: vec4f, @builtin(sample_mask) mask: u32) {
    let at = vec2u(p.xy); ${ADD}
  }
  // Each pixel of every second column is discarded after it has been tested.
  @early_depth_test @fragment fn discards(@builtin(position) p: vec4f, @builtin(sample_mask) mask: u32) {
    let at = vec2u(p.xy);
    if ((at.x & 1) == 1) { discard; }
    ${ADD}
  }
  @early_depth_test @fragment fn perSample(@builtin(position) p: vec4f, @builtin(sample_mask) mask: u32,
    @builtin(sample_index) i: u32) {
    let at = vec2u(p.xy);
    if (mask == (1u << i)) { ${ADD} }
  }
  // Depth is tested after these.
  @fragment fn discardsSome(@builtin(position) p: vec4f, @builtin(sample_mask) mask: u32) {
    let at = vec2u(p.xy);
    if ((at.x & 1) == 1) { discard; }
    ${ADD}
  }
  @fragment fn discardsAtTheEnd(@builtin(position) p: vec4f, @builtin(sample_mask) mask: u32) {
    let at = vec2u(p.xy); ${ADD}
    if ((at.x & 1) == 1) { discard; }
  }
  @fragment fn writesMask(@builtin(position) p: vec4f, @builtin(sample_mask) mask: u32) -> @builtin(sample_mask) u32 {
    let at = vec2u(p.xy); ${ADD}
    return mask & 5;
  }
  @fragment fn writesDepth(@builtin(position) p: vec4f, @builtin(sample_mask) mask: u32) -> @builtin(frag_depth) f32 {
    let at = vec2u(p.xy); ${ADD}
    return p.z;
  }`;
const LATE = ['discardsSome', 'discardsAtTheEnd', 'writesMask', 'writesDepth'] as const;
type EntryPoint = 'fixed' | 'covered' | 'tested' | 'discards' | 'perSample' | (typeof LATE)[number];
interface DepthTest {
  readonly clearValue: number;
  readonly compare: 'less' | 'always';
}

/** Large ones that intersect each other, and small ones. */
function randomTriangles(seed: number): Float32Array {
  const random = mulberry32(seed);
  const unit = (): number => (random() % 4096) / 2048 - 1;
  return Float32Array.from(
    Array.from({ length: TRIANGLES }, (_, i) => {
      const size = i % 4 === 3 ? 0.06 : 1.2;
      const x = unit();
      const y = unit();
      return [0, 1, 2].flatMap(() => [x + unit() * size, y + unit() * size, (unit() + 1) / 2]);
    }).flat()
  );
}

const engines = {
  'the interpreter': { engine: 'interpreter', threads: 0 },
  'compiled programs': { engine: 'jit', threads: 0 },
  'compiled programs on two threads': { engine: 'jit', threads: 2 },
  'the scalar kernel': { simd: false, threads: 0 },
} as const;
for (const [engine, options] of Object.entries(engines)) {
  describe(`sample masks and depth, with ${engine}`, () => {
    let device: StatisticsDevice;
    beforeAll(async () => {
      device = await open(options);
    });
    afterAll(() => device.destroy());

    /** Counts how often each sample was written. */
    async function written(
      entryPoint: EntryPoint,
      samples: number,
      seed: number,
      { clearValue, compare }: DepthTest = { clearValue: 1, compare: 'less' }
    ): Promise<Uint8Array> {
      const module = device.createShaderModule({ code: CODE });
      const isFixed = entryPoint === 'fixed';
      const component = { srcFactor: 'one', dstFactor: 'one', operation: 'add' } as const;
      const target = { format: 'rgba8unorm', blend: { color: component, alpha: component } } as const;
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        multisample: { count: samples },
        vertex: {
          module,
          buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }],
        },
        fragment: { module, entryPoint, targets: isFixed ? [target] : [] },
        depthStencil: { format: 'depth32float', depthCompare: compare, depthWriteEnabled: true },
      });
      const texture = surface(
        device,
        'rgba8unorm',
        USAGE.SAMPLED | (isFixed ? USAGE.ATTACHMENT : USAGE.STORAGE),
        samples
      );
      const depth = device.createTexture({
        size: [SIZE, SIZE],
        sampleCount: samples,
        format: 'depth32float',
        usage: USAGE.ATTACHMENT,
      });
      const data = randomTriangles(seed);
      const buffer = device.createBuffer({
        size: data.byteLength,
        usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.VERTEX,
      });
      device.queue.writeBuffer(buffer, 0, data);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: isFixed
          ? [{ view: texture, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 0] }]
          : [],
        depthStencilAttachment: {
          view: depth,
          depthClearValue: clearValue,
          depthLoadOp: 'clear',
          depthStoreOp: 'discard',
        },
      });
      pass.setPipeline(pipeline);
      if (!isFixed)
        pass.setBindGroup(
          0,
          device.createBindGroup({
            layout: pipeline.getBindGroupLayout(0),
            entries: [{ binding: 0, resource: texture }],
          })
        );
      pass.setVertexBuffer(0, buffer);
      pass.draw(3 * TRIANGLES);
      pass.end();
      device.queue.submit([encoder.finish()]);
      return samplesOf(device, texture);
    }

    test.each([4, 8])(
      'with an early test, a shader writes what fixed function does, at %i samples',
      async (samples) => {
        for (const seed of [1, 2]) {
          const fixed = await written('fixed', samples, seed);
          expect(new Set(fixed).size).toBeGreaterThan(4);
          expect((await written('tested', samples, seed)).findIndex((byte, i) => byte !== fixed[i])).toBe(-1);
          expect((await written('perSample', samples, seed)).findIndex((byte, i) => byte !== fixed[i])).toBe(-1);
          // Discarded fragments have written depth.
          const discards = await written('discards', samples, seed);
          const wrong = discards.findIndex((byte, i) => byte !== (((i >> 2) % SIZE) % 2 === 1 ? 0 : fixed[i]));
          expect(wrong).toBe(-1);
        }
      }
    );

    test('otherwise it is what the triangles cover: more samples where some passed', async () => {
      const fixed = await written('fixed', 4, 1);
      const covered = await written('covered', 4, 1);
      expect(covered.filter((byte, i) => byte < fixed[i]!).length).toBe(0);
      expect(covered.filter((byte, i) => byte > fixed[i]!).length).toBeGreaterThan(20);
    });

    test.each(LATE)('%s stores before its depth test, also if a whole block fails it', async (entryPoint) => {
      const all = await written(entryPoint, 4, 1, { clearValue: 1, compare: 'always' });
      expect(all.filter((byte) => byte > 1).length).toBeGreaterThan(1000);
      const some = await written(entryPoint, 4, 1);
      expect(some.findIndex((byte, i) => byte !== all[i])).toBe(-1);
      // The depth clear value occludes everything.
      const none = await written(entryPoint, 4, 1, { clearValue: 0, compare: 'less' });
      expect(none.findIndex((byte, i) => byte !== all[i])).toBe(-1);
    });

    test('an early-tested shader stores nothing if all of it is occluded', async () => {
      for (const entryPoint of ['covered', 'discards'] as const) {
        const none = await written(entryPoint, 4, 1, { clearValue: 0, compare: 'less' });
        expect(none.findIndex((byte) => byte !== 0)).toBe(-1);
      }
    });
  });
}
