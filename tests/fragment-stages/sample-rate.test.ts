// Sample-rate shading without explicit stages. Computations that do not depend on the sample run once per pixel if they
// take long, and the results are those of each sample.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { open } from './kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const SIZE = 16;
const PIXELS = SIZE * SIZE;
const engines = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
  'two workers': { threads: 2 },
} as const;

const unrolled = (rounds: number): string =>
  Array.from({ length: rounds }, (_, i) => `hash = (hash ^ (hash >> 5)) * 2654435769u + ${i}u;`).join('\n');
const looped = (rounds: number): string =>
  `for (var i = 0u; i < ${rounds}; i++) { hash = (hash ^ (hash >> 5)) * 2654435769u + i; }`;
const codeOf = (rounds: string): string => `
  struct V {
    @builtin(position) p: vec4f, @location(0) @interpolate(linear) c: vec2f,
      @location(1) @interpolate(linear, sample) s: f32
  }
  @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
    let at = vec2f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1);
    return V(vec4f(at, 0.5, 1), (at * vec2f(1, -1) + 1) * ${SIZE / 2}, (at.x + 1) * ${SIZE / 2});
  }
  @fragment fn fs(v: V, @builtin(sample_index) sample: u32) -> @location(0) vec2u {
    let at = vec2u(v.c);
    if (at.x == 3) { discard; }
    var hash = at.x + at.y * 31;
    ${rounds}
    return vec2u(hash + sample, u32(floor(v.s * 16)));
  }`;

/** In sixteenths of a pixel. */
const X = { 2: [12, 4], 4: [6, 14, 2, 10] } as const;

describe.each(Object.entries(engines))('%s', (_, options) => {
  let device: StatisticsDevice;
  beforeAll(async () => {
    device = await open(options);
    device.addEventListener('uncapturederror', ({ error }) => {
      throw new Error(error.message);
    });
  });
  afterAll(() => device.destroy());

  /** Returns the words of all samples, and the number of runs of pixels and of samples. */
  async function draw(rounds: string, samples: number): Promise<{ words: Uint32Array; runs: number[] }> {
    const target = device.createTexture({
      size: [SIZE, SIZE],
      format: 'rg32uint',
      sampleCount: samples,
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const encoder = device.createCommandEncoder();
    const module = device.createShaderModule({ code: codeOf(rounds) });
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        multisample: { count: samples },
        fragment: { module, targets: [{ format: 'rg32uint' }] },
      })
    );
    pass.draw(3);
    pass.end();
    const before = device.statistics().counters;
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const now = device.statistics().counters;
    const buffer = device.createBuffer({
      size: SIZE * SIZE * samples * 8,
      usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.STORAGE,
    });
    const reader = device.createShaderModule({
      code: `
      @group(0) @binding(0) var a: texture_multisampled_2d<u32>;
      @group(0) @binding(1) var<storage, read_write> words: array<vec2u>;
      @compute @workgroup_size(${SIZE}) fn main(@builtin(global_invocation_id) id: vec3u) {
        for (var s = 0u; s < ${samples}u; s++) {
          words[(id.y * ${SIZE} + id.x) * ${samples} + s] = textureLoad(a, id.xy, s).xy;
        }
      }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module: reader } });
    const read = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const reading = device.createCommandEncoder();
    const compute = reading.beginComputePass();
    compute.setPipeline(pipeline);
    compute.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: target.createView() },
          { binding: 1, resource: { buffer } },
        ],
      })
    );
    compute.dispatchWorkgroups(1, SIZE);
    compute.end();
    reading.copyBufferToBuffer(buffer, 0, read, 0, buffer.size);
    device.queue.submit([reading.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(read.getMappedRange()).slice();
    for (const resource of [target, buffer, read]) resource.destroy();
    return { words, runs: [now.pixelRuns! - before.pixelRuns!, now.sampleRuns! - before.sampleRuns!] };
  }

  test.each([
    [2, 99, 'unrolled'],
    [4, 99, 'unrolled'],
    [2, 2, 'unrolled'],
    [4, 2, 'unrolled'],
    [4, 600, 'looped'],
    [4, 2, 'looped'],
  ] as const)('%i samples, %i rounds, %s', async (samples, rounds, how) => {
    const { words, runs } = await draw((how === 'looped' ? looped : unrolled)(rounds), samples);
    const expected = new Uint32Array(words.length);
    for (let y = 0; y < SIZE; y++)
      for (let x = 0; x < SIZE; x++)
        for (let s = 0; s < samples; s++) {
          let hash = x + y * 31;
          for (let i = 0; i < rounds; i++) hash = (Math.imul(hash ^ (hash >>> 5), 0x9e3779b9) + i) >>> 0;
          const value = x === 3 ? [0, 0] : [(hash + s) >>> 0, x * 16 + X[samples][s]!];
          expected.set(value, ((y * SIZE + x) * samples + s) * 2);
        }
    expect(words).toEqual(expected);
    // If little can be saved, the whole shader runs for each sample.
    if (rounds > 2) expect(runs).toEqual([PIXELS, (PIXELS - SIZE) * samples]);
    else expect(runs).toEqual([0, 0]);
  });
});
