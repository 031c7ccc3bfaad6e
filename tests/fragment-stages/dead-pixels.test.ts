// Sample stages after pixel stages that discard or write a sample mask. They run for the remaining samples only,
// whatever they write, and other samples are not counted.
// RASTERLOOM_FUZZ=count runs more scenes, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { open } from './kit';
import { GPUMapMode, GPUTextureUsage } from '../support/flags';
import { rounds } from '../support/rounds';

const SCENES = rounds(25);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 6);
const SIZE = 16;
const PIXELS = SIZE * SIZE;
const BUFFER = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, STORAGE: 128 } as const;
const engines = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
  'two workers': { threads: 2 },
} as const;

interface Scene {
  readonly samples: number;
  readonly ends: 'discard' | 'mask' | 'both';
  /** What a sample stage reads that distinguishes samples. */
  readonly reads: 'nothing' | 'target' | 'index';
  readonly derives: boolean;
  /** Whether it writes a count. Otherwise, unless each sample runs, it loops forever where its pixel is discarded. */
  readonly writes: boolean;
  readonly salt: number;
}

const hashOf = (x: number, y: number, salt: number): number => (x * 5 + y * 3 + (x >> 1) * salt) & 31;
const isKilled = ({ ends }: Scene, hash: number): boolean => ends !== 'mask' && (hash & 3) === 1;
/** The samples of a pixel that pixel stages keep. */
function leftOf(scene: Scene, hash: number): number {
  const all = 2 ** scene.samples - 1;
  const mask = (hash & 4) !== 0 ? 0 : (hash * 0x0911) & 0xffff;
  return isKilled(scene, hash) ? 0 : scene.ends === 'discard' ? all : mask & all;
}
const countOf = (mask: number): number => mask.toString(2).replaceAll('0', '').length;

const OF_SET = { nothing: '1', target: 'below', index: 'index' } as const;
const codeOf = ({ ends, reads, derives, writes, salt }: Scene): string =>
  `enable fragment_stages;
  @group(0) @binding(0) var<storage, read_write> runs: array<atomic<u32>>;
  @vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }
  struct Links { @link(0) hash: u32, ${ends === 'discard' ? '' : '@builtin(sample_mask) mask: u32,'} }
  @fragment fn pixel(@builtin(position) position: vec4f) -> Links {
    let at = vec2u(position.xy);
    let hash = (at.x * 5 + at.y * 3 + (at.x >> 1) * ${salt}) & 31;
    ${ends === 'mask' ? '' : 'if ((hash & 3) == 1) { discard; }'}
    return Links(hash ${ends === 'discard' ? '' : ', select((hash * 0x0911) & 0xffff, 0u, (hash & 4) != 0)'});
  }
  @fragment fn sample(
    @builtin(position) position: vec4f, @link(0) hash: u32,
    ${reads === 'target' ? '@color(0) below: u32,' : reads === 'index' ? '@builtin(sample_index) index: u32,' : ''}
  ) -> @location(0) u32 {
    var value = hash + 1;
    ${derives ? 'value += u32(abs(dpdx(f32(hash)))) * 0;' : ''}
    ${writes ? `atomicAdd(&runs[u32(position.y) * ${SIZE} + u32(position.x)], 1u);` : ''}
    ${
      writes || derives || ends !== 'discard' || reads === 'index'
        ? ''
        : `while ((hash & 3) == 1 && ${OF_SET[reads]} < 99) { value = value ^ 1; }`
    }
    return value + ${reads === 'target' ? 'below * 64' : reads === 'index' ? 'index * 64' : '64'};
  }`.replaceAll('fn sample(', 'fn samples(');

describe.each(Object.entries(engines))('%s', (_, options) => {
  let device: StatisticsDevice;
  beforeAll(async () => {
    device = await open(options);
  });
  afterAll(() => device.destroy());

  async function draw(scene: Scene): Promise<{ texels: Uint32Array; runs: Uint32Array; counted: number }> {
    const { samples, writes } = scene;
    const module = device.createShaderModule({ code: codeOf(scene) });
    device.pushErrorScope('validation');
    const target = device.createTexture({
      size: [SIZE, SIZE],
      format: 'r32uint',
      sampleCount: samples,
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const buffer = (words: number): GPUBuffer =>
      device.createBuffer({ size: words * 4, usage: BUFFER.STORAGE | BUFFER.COPY_SRC });
    const runs = buffer(PIXELS);
    const texels = buffer(PIXELS * samples);
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      multisample: { count: samples },
      fragment: {
        module,
        targets: [{ format: 'r32uint' }],
        stages: [
          { entryPoint: 'pixel', rate: 'pixel' },
          { entryPoint: 'samples', rate: 'sample' },
        ],
      } as object as GPUFragmentState,
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store', clearValue: [1, 0, 0, 0] }],
    });
    pass.setPipeline(pipeline);
    if (writes)
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: { buffer: runs } }],
        })
      );
    pass.draw(3);
    pass.end();
    const before = device.statistics().counters.sampleRuns!;
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const counted = device.statistics().counters.sampleRuns! - before;
    const reading = device.createCommandEncoder();
    readSamples(reading, target, texels);
    const copies = [runs, texels].map((from) => {
      const copy = device.createBuffer({ size: from.size, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
      reading.copyBufferToBuffer(from, 0, copy, 0, from.size);
      return copy;
    });
    device.queue.submit([reading.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    const [counts, values] = await Promise.all(
      copies.map(async (copy) => {
        await copy.mapAsync(GPUMapMode.READ);
        return new Uint32Array(copy.getMappedRange().slice(0));
      })
    );
    for (const made of [target, runs, texels, ...copies]) made.destroy();
    return { runs: counts!, texels: values!, counted };
  }

  function readSamples(encoder: GPUCommandEncoder, texture: GPUTexture, words: GPUBuffer): void {
    const samples = texture.sampleCount;
    const type = samples > 1 ? 'texture_multisampled_2d' : 'texture_2d';
    const module = device.createShaderModule({
      code: `
      @group(0) @binding(0) var source: ${type}<u32>;
      @group(0) @binding(1) var<storage, read_write> words: array<u32>;
      @compute @workgroup_size(${SIZE}) fn main(@builtin(global_invocation_id) id: vec3u) {
        for (var s = 0u; s < ${samples}; s++) {
          words[(id.y * ${SIZE} + id.x) * ${samples} + s] = textureLoad(source, id.xy, s).x;
        }
      }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: texture.createView() },
          { binding: 1, resource: { buffer: words } },
        ],
      })
    );
    pass.dispatchWorkgroups(1, SIZE);
    pass.end();
  }

  async function expectLiving(scene: Scene): Promise<void> {
    const { samples, reads, salt, writes } = scene;
    const { texels, runs, counted } = await draw(scene);
    const wanted = { texels: new Uint32Array(PIXELS * samples), runs: new Uint32Array(PIXELS) };
    for (let pixel = 0; pixel < PIXELS; pixel++) {
      const hash = hashOf(pixel % SIZE, Math.floor(pixel / SIZE), salt);
      const left = leftOf(scene, hash);
      wanted.runs[pixel] = reads === 'index' && samples > 1 ? countOf(left) : left ? 1 : 0;
      for (let s = 0; s < samples; s++)
        wanted.texels[pixel * samples + s] = ((left >> s) & 1) === 0 ? 1 : hash + 1 + (reads === 'index' ? s * 64 : 64);
    }
    const total = wanted.runs.reduce((sum, count) => sum + count, 0);
    expect(texels).toEqual(wanted.texels);
    if (writes) expect(runs).toEqual(wanted.runs);
    expect(counted).toBe(total);
  }

  const base = { samples: 4, ends: 'discard', reads: 'nothing', derives: false, writes: false, salt: 0 } as const;
  test.each(['nothing', 'target'] as const)('discarded pixels take no time: %s', async (reads) => {
    for (const samples of [1, 4]) await expectLiving({ ...base, samples, reads });
  });

  test.each(['nothing', 'target', 'index'] as const)('nothing runs where no sample remains: %s', async (reads) => {
    for (const samples of [1, 4])
      for (const derives of [false, true])
        await expectLiving({ ...base, ends: 'mask', samples, reads, derives, writes: true });
  });

  const scenes: fc.Arbitrary<Scene> = fc.record({
    samples: fc.constantFrom(1, 2, 4, 8, 16),
    ends: fc.constantFrom('discard' as const, 'mask' as const, 'both' as const),
    reads: fc.constantFrom('nothing' as const, 'target' as const, 'index' as const),
    derives: fc.boolean(),
    writes: fc.boolean(),
    salt: fc.nat(7),
  });
  test('random scenes', { timeout: 60_000 + SCENES * 1000 }, async () => {
    await fc.assert(fc.asyncProperty(scenes, expectLiving), { numRuns: SCENES, seed: SEED });
  });
});
