// Workers that a modular pipeline names (`createModularPipeline({ workers })`): statistics show that no other worker
// ran its stages, pictures have the bits of one thread, and workers that do not exist are refused.
// RASTERLOOM_FUZZ=count draws more passes, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipeline, ModularPipelineDescriptor, ModularPipelineDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { GPUMapMode, GPUTextureUsage } from '../support/flags';
import { rounds } from '../support/rounds';
import { open, openReady } from './open';

type Device = GPUDevice & ModularPipelineDevice;
const PASSES = rounds(12);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 62);
const USAGE = { MAP_READ: 1, COPY_DST: 8 } as const;
const WIDTH = 256;
const HEIGHT = 192;
/** Triangles of a draw call, enough for a dozen tasks. */
const TRIANGLES = 20_000;
const CODE = `enable modular_pipelines; enable fragment_stages;
  override k: f32 = 0;
  struct V { @builtin(position) p: vec4f, @location(0) c: vec4f }
  fn placed(i: u32, id: u32) -> V {
    let at = vec2f(f32((i / 3) % 200), f32(i / 600)) / vec2f(100, 50) - 1;
    let corner = vec2f(f32(i % 3 == 1), f32(i % 3 == 2)) * 0.05;
    return V(vec4f(at + corner, f32((i * 7 + id * 5) % 97) / 97, 1), vec4f(f32(i % 11) / 11, f32(id) / 7, k, 1));
  }
  @vertex fn load(@builtin(vertex_index) i: u32, @builtin(instance_index) id: u32) -> V { return placed(i, id); }
  struct C { @location(1) q: vec4f, @location(0) c: vec4f }
  @vertex fn spread(@builtin(vertex_index) i: u32, @builtin(instance_index) id: u32) -> C {
    let v = placed(i, id);
    return C(v.p, v.c);
  }
  @geometry fn pass_on(corners: array<C, 3>) {
    for (var i = 0; i < 3; i++) { emitVertex(V(corners[i].q, corners[i].c)); }
  }
  @fragment fn tint(@location(0) c: vec4f) -> @link(0) vec4f { return c * 0.75; }
  @fragment fn show(@link(0) c: vec4f) -> @location(0) vec4f { return c + vec4f(0, 0, 0.2, 0); }`;

type Kind = 'plain' | 'geometry';
const KINDS: readonly Kind[] = ['plain', 'geometry'];

function descriptorOf(module: GPUShaderModule, kind: Kind, workers?: readonly number[]): ModularPipelineDescriptor {
  const vertex = (entryPoint: string) => ({ kind: 'vertex', module, entryPoint, constants: { k: 0.25 } }) as const;
  const emitting = { kind: 'geometry', module, maxVertices: 3, topology: 'triangle-list' } as const;
  const pixel = (entryPoint: string) => ({ kind: 'pixel', module, entryPoint }) as const;
  return {
    label: kind,
    layout: 'auto',
    input: {},
    stages: [...(kind === 'plain' ? [vertex('load')] : [vertex('spread'), emitting]), pixel('tint'), pixel('show')],
    sinks: [
      {
        raster: {
          depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true },
          fragment: { targets: [{ format: 'rgba8unorm' }] },
        },
      },
    ],
    workers,
  };
}

/** Draws with the pipelines in order, and returns the picture. */
async function drawn(device: Device, pipelines: readonly ModularPipeline[]): Promise<Buffer> {
  const size = [WIDTH, HEIGHT];
  const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
  const picture = device.createTexture({ size, format: 'rgba8unorm', usage });
  const depth = device.createTexture({ size, format: 'depth32float', usage });
  const read = device.createBuffer({ size: WIDTH * HEIGHT * 4, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: picture.createView(), loadOp: 'clear', storeOp: 'store' }],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthClearValue: 1,
      depthStoreOp: 'store',
    },
  });
  pipelines.forEach((pipeline, id) => {
    pass.setPipeline(pipeline);
    pass.draw(3 * TRIANGLES, 1, 0, id);
  });
  pass.end();
  encoder.copyTextureToBuffer({ texture: picture }, { buffer: read, bytesPerRow: WIDTH * 4 }, size);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  const bytes = Buffer.from(read.getMappedRange().slice(0));
  for (const resource of [read, picture, depth]) resource.destroy();
  return bytes;
}

const THREADS = 4;
const masks = fc.uniqueArray(fc.nat({ max: THREADS - 1 }), { minLength: 1, maxLength: THREADS });
const passes = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), workers: fc.option(masks, { nil: undefined, freq: 4 }) }),
  { minLength: 1, maxLength: 4 }
);

const variants: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit' },
  'interpreted, tiles shared': { engine: 'interpreter', distribution: 'any' },
  'with memory for the inputs of one worker': { engine: 'jit', budgets: { stageInputBytes: 400_000 } },
};

describe.each(Object.entries(variants))('workers of modular pipelines: %s', (_name, options) => {
  let device: Device;
  let alone: Device;
  beforeAll(async () => {
    device = (await openReady({ ...options, threads: THREADS })) as unknown as Device;
    alone = (await open({ threads: 0, engine: 'jit' })) as unknown as Device;
  });
  afterAll(() => {
    device.destroy();
    alone.destroy();
  });

  test('no other worker runs the stages, and pictures are the same', async () => {
    const module = device.createShaderModule({ code: CODE });
    const reference = alone.createShaderModule({ code: CODE });
    const others = KINDS.map((kind) => alone.createModularPipeline(descriptorOf(reference, kind)));
    const pictureOf = (kinds: readonly Kind[]) =>
      drawn(
        alone,
        kinds.map((kind) => others[KINDS.indexOf(kind)]!)
      );
    await fc.assert(
      fc.asyncProperty(passes, async (draws) => {
        const made = draws.map(({ kind, workers }) =>
          device.createModularPipeline(descriptorOf(module, kind, workers))
        );
        const picture = await drawn(device, made);
        expect(picture.equals(await pictureOf(draws.map(({ kind }) => kind)))).toBe(true);
        made.forEach((pipeline, i) => {
          const { workers: named, kind } = draws[i]!;
          const { slots } = pipeline.statistics();
          expect(slots.length).toBeGreaterThan(2);
          for (const slot of slots) {
            if (named === undefined && kind === 'plain') continue;
            expect(slot!.runs).toBeGreaterThan(0);
            expect(slot!.workers.length).toBeGreaterThan(0);
            for (const worker of slot!.workers) expect(named ?? [0, 1, 2, 3]).toContain(worker);
          }
        });
      }),
      { numRuns: PASSES, seed: SEED, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true }
    );
  }, 120_000);
});

describe('workers of modular pipelines', () => {
  const messageOf = async (options: CreateOptions, workers: readonly number[]): Promise<string | undefined> => {
    const device = (await open(options)) as unknown as Device;
    const module = device.createShaderModule({ code: CODE });
    device.pushErrorScope('validation');
    device.createModularPipeline(descriptorOf(module, 'plain', workers));
    const error = await device.popErrorScope();
    device.destroy();
    return error?.message;
  };

  test('must exist, and the message says how many there are', async () => {
    expect(await messageOf({ threads: 2 }, [0, 2])).toMatch(/worker 2, but this device has 2 workers, numbers 0 to 1/);
    expect(await messageOf({ threads: 2 }, [])).toMatch(/workers is empty, but this device has 2 workers/);
    expect(await messageOf({ threads: 2 }, [0, 1])).toBeUndefined();
    expect(await messageOf({ threads: 0 }, [1])).toMatch(/worker 1, but this device has 1 worker, number 0/);
    expect(await messageOf({ threads: 0 }, [0])).toBeUndefined();
  });

  test('must run both vertices and pixels', async () => {
    const workerKinds = ['vertices', 'pixels', 'any'] as const;
    expect(await messageOf({ workerKinds }, [0])).toMatch(/only run vertices .* has pixels as well/);
    expect(await messageOf({ workerKinds }, [1])).toMatch(/only run pixels .* has vertices as well/);
    expect(await messageOf({ workerKinds }, [0, 1])).toBeUndefined();
    expect(await messageOf({ workerKinds }, [2])).toBeUndefined();
  });

  test('run a small first pass, which otherwise the calling thread would run', async () => {
    const device = (await open({ threads: 2 })) as unknown as Device;
    const pipeline = device.createModularPipeline(
      descriptorOf(device.createShaderModule({ code: CODE }), 'geometry', [1])
    );
    await drawn(device, [pipeline]);
    expect(pipeline.statistics().slots.map((slot) => slot!.workers)).toEqual([[1], [1], [1], [1]]);
    device.destroy();
  });
});
