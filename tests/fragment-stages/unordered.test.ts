// Framebuffer fetch out of order: results that do not depend on the order have the same bits, and results that do are
// complete.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { open } from './kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const SIZE = 64;
const LAYERS = 300;
const engines = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
  'four workers': { threads: 4 },
} as const;

/** Small triangles, two at each position. `next`: computes the next value of the two words of a pixel. */
const code = (next: string): string => `enable fragment_stages;
  struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat) id: u32 }
  @vertex fn vs(@builtin(vertex_index) v: u32) -> V {
    let id = v / 3;
    let place = id / 2;
    let at = vec2f(f32(place * 7 % 50), f32(place * 13 % 50)) / 32 - 1;
    let corner = array(vec2f(0), vec2f(0.2, 0.05), vec2f(0.1, 0.2))[v % 3];
    return V(vec4f(at + corner, 0.5, 1), id);
  }
  @fragment fn fs(v: V, @color(0) held: vec2u) -> @location(0) vec2u { ${next} }`;

describe.each(Object.entries(engines))('%s', (_, options) => {
  let device: StatisticsDevice;
  beforeAll(async () => {
    device = await open(options);
    device.addEventListener('uncapturederror', ({ error }) => {
      throw new Error(error.message);
    });
  });
  afterAll(() => device.destroy());

  async function draw(
    next: string,
    interlock: string,
    sampleCount: number
  ): Promise<{ words: Uint32Array; warps: number; hazards: number }> {
    const size = [SIZE, SIZE];
    const target = device.createTexture({
      size,
      format: 'rg32uint',
      sampleCount,
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
    });
    const module = device.createShaderModule({ code: code(next) });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      multisample: { count: sampleCount },
      fragment: { module, targets: [{ format: 'rg32uint' }], interlock } as GPUFragmentState,
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.draw(3 * LAYERS);
    pass.end();
    const before = device.statistics().counters;
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const now = device.statistics().counters;
    const words = await read(target, sampleCount);
    target.destroy();
    return {
      words,
      warps: now.fragmentWarps! - before.fragmentWarps!,
      hazards: now.positionHazards! - before.positionHazards!,
    };
  }

  async function read(texture: GPUTexture, samples: number): Promise<Uint32Array> {
    const bytesPerRow = SIZE * samples * 8;
    const module = device.createShaderModule({
      code: `
      @group(0) @binding(0) var a: texture_${samples > 1 ? 'multisampled_' : ''}2d<u32>;
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
      }
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec2u {
        let at = vec2u(p.xy);
        return textureLoad(a, vec2u(at.x % ${SIZE}, at.y), at.x / ${SIZE}).xy;
      }`,
    });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rg32uint' }] },
    });
    const size = [SIZE * samples, SIZE];
    const picture = device.createTexture({
      size,
      format: 'rg32uint',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const buffer = device.createBuffer({
      size: bytesPerRow * SIZE,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: picture, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: texture.createView() }],
      })
    );
    pass.draw(3);
    pass.end();
    encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow }, size);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(buffer.getMappedRange()).slice();
    for (const resource of [picture, buffer]) resource.destroy();
    return words;
  }

  test.each([1, 4])('%i samples: sums are the same, in fewer warps', async (samples) => {
    const sum = 'return held + vec2u(v.id * 3 + 1, 1);';
    const ordered = await draw(sum, 'ordered', samples);
    const unordered = await draw(sum, 'unordered', samples);
    expect(unordered.words).toEqual(ordered.words);
    expect(ordered.hazards).toBeGreaterThan(0);
    expect(unordered.hazards).toBeLessThan(ordered.hazards / 2);
    expect(unordered.warps).toBeLessThan(ordered.warps);
  });

  test.each([1, 4, 8])('%i samples: if the last fragment counts, each result is complete', async (samples) => {
    const last = 'return vec2u(v.id, held.y + 1);';
    const ordered = await draw(last, 'ordered', samples);
    const unordered = await draw(last, 'unordered', samples);
    const wrong: number[] = [];
    for (let i = 0; i < ordered.words.length; i += 2) {
      // The number of fragments is the same, whatever their order.
      const isSameCount = unordered.words[i + 1] === ordered.words[i + 1];
      const isSameCover = unordered.words[i]! > 0 === ordered.words[i]! > 0;
      if (!isSameCount || !isSameCover || unordered.words[i]! >= LAYERS) wrong.push(i);
    }
    expect(wrong).toEqual([]);
  });
});
