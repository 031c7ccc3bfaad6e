// Occlusion queries on every engine: 1 if a sample of the query's draw calls passed all tests, else 0. Also timestamps.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../../../src/index';
import { forCreate } from '../../support/options';
import { engines, KERNELS, open, oracle } from '../../storage-programs/kit';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../../support/flags';

const WGSL = `
  struct Draw { box: vec4f, z: f32, alpha: f32 };
  @group(0) @binding(0) var<uniform> u: Draw;
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(mix(u.box.xy, u.box.zw, vec2f(f32(i & 1), f32(i >> 1))), u.z, 1);
  }
  @fragment fn fs() -> @location(0) vec4f { return vec4f(0, 1, 0, u.alpha); }
  @fragment fn cut() -> @location(0) vec4f { if (u.alpha < 0.5) { discard; } return vec4f(1); }`;
const SIZE = 100;

interface Query {
  /** Left, top, right, bottom in clip space; depth; alpha. */
  readonly draws: readonly (readonly [number, number, number, number, number, number])[];
  readonly entry?: 'fs' | 'cut' | null;
  readonly compare?: GPUCompareFunction;
  readonly mask?: number;
  readonly writes?: boolean;
}

async function results(device: GPUDevice, samples: number, queries: readonly Query[]): Promise<number[]> {
  const module = device.createShaderModule({ code: WGSL });
  const layout = device.createPipelineLayout({
    bindGroupLayouts: [
      device.createBindGroupLayout({
        entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }],
      }),
    ],
  });
  const texture = (format: GPUTextureFormat): GPUTextureView =>
    device
      .createTexture({ size: [SIZE, SIZE], format, sampleCount: samples, usage: GPUTextureUsage.RENDER_ATTACHMENT })
      .createView();
  const set = device.createQuerySet({ type: 'occlusion', count: queries.length + 1 });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture('rgba8unorm'), loadOp: 'clear', storeOp: 'store' }],
    depthStencilAttachment: {
      view: texture('depth32float'),
      depthClearValue: 1,
      depthLoadOp: 'clear',
      depthStoreOp: 'store',
    },
    occlusionQuerySet: set,
  });
  queries.forEach(({ draws, entry = 'fs', compare = 'less', mask = 0xffffffff, writes = true }, i) => {
    const format = 'rgba8unorm';
    const multisample = { count: samples, mask };
    pass.setPipeline(
      device.createRenderPipeline({
        layout,
        vertex: { module },
        primitive: { topology: 'triangle-strip' },
        multisample,
        fragment:
          entry === null
            ? { module, entryPoint: 'fs', targets: [{ format, writeMask: 0 }] }
            : { module, entryPoint: entry, targets: [{ format }] },
        depthStencil: { format: 'depth32float', depthCompare: compare, depthWriteEnabled: writes },
      })
    );
    pass.beginOcclusionQuery(i);
    for (const [left, top, right, bottom, z, alpha] of draws) {
      const buffer = device.createBuffer({ size: 32, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
      device.queue.writeBuffer(buffer, 0, new Float32Array([left, top, right, bottom, z, alpha]));
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: device.createBindGroupLayout({
            entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }],
          }),
          entries: [{ binding: 0, resource: { buffer } }],
        })
      );
      pass.draw(4);
    }
    pass.endOcclusionQuery();
  });
  pass.end();
  const resolved = device.createBuffer({
    size: 8 * (queries.length + 1),
    usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
  });
  const copy = device.createBuffer({ size: resolved.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  encoder.resolveQuerySet(set, 0, queries.length + 1, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, copy, 0, copy.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  return [...new BigUint64Array(copy.getMappedRange())].map(Number);
}

describe('occlusion queries', () => {
  let devices: (readonly [string, GPUDevice])[];
  beforeAll(async () => {
    devices = await Promise.all(
      Object.entries({ ...engines, oracle }).map(async ([name, options]) => [name, await open(options)] as const)
    );
  });
  afterAll(() => devices.forEach(([, device]) => device.destroy()));

  const near = [-0.5, -0.5, 0.5, 0.5, 0.25, 1] as const;
  const behind = [-0.4, -0.4, 0.4, 0.4, 0.5, 1] as const;
  /** So thin that it misses the centers of its pixels, or all of their samples but one. */
  const thin = [-1, 0.0005, 1, 0.001, 0.1, 1] as const;
  const cases: Record<string, [Query, number]> = {
    'in front of nothing': [{ draws: [near] }, 1],
    'behind what is there': [{ draws: [behind] }, 0],
    'behind, but beyond its edge': [{ draws: [[-0.6, -0.4, 0.4, 0.4, 0.5, 1]] }, 1],
    'without a draw': [{ draws: [] }, 0],
    'of two draws, one seen': [{ draws: [behind, [-0.1, -0.1, 0, 0, 0.2, 1]] }, 1],
    'outside the target': [{ draws: [[2, 2, 3, 3, 0.1, 1]] }, 0],
    discarded: [{ draws: [[-1, -1, 1, 1, 0.01, 0]], entry: 'cut' }, 0],
    'not discarded': [{ draws: [[-1, -1, 1, 1, 0.01, 1]], entry: 'cut', writes: false }, 1],
    'writing no colour, hidden': [{ draws: [behind], entry: null, writes: false }, 0],
    'writing nothing, seen': [{ draws: [[-0.05, -0.05, 0, 0, 0.1, 1]], entry: null, writes: false }, 1],
    never: [{ draws: [near], compare: 'never' }, 0],
    'with no sample selected': [{ draws: [near], compare: 'always', mask: 0 }, 0],
    'on a second small box': [{ draws: [[0.9, 0.9, 0.92, 0.92, 0.5, 1]] }, 1],
    'missing all samples': [{ draws: [thin], compare: 'always', writes: false }, 0],
  };

  test.each([1, 4])('%i samples', async (samples) => {
    const names = Object.keys(cases);
    const found = await Promise.all(
      devices.map(
        async ([name, device]) =>
          [
            name,
            await results(
              device,
              samples,
              Object.values(cases).map(([query]) => query)
            ),
          ] as const
      )
    );
    for (const [name, given] of found)
      expect([name, Object.fromEntries(names.map((each, i) => [each, given[i]])), given.at(-1)]).toEqual([
        name,
        Object.fromEntries(names.map((each) => [each, cases[each]![1]])),
        0,
      ]);
  });

  test('only samples in the sample mask count', async () => {
    // The upper left quarter of one pixel, which contains one of its four samples.
    const box = [0, 0, 0.01, 0.01, 0.5, 1] as const;
    const queries = [1, 2, 4, 8].flatMap((mask): Query[] => [
      { draws: [box], mask, compare: 'always', writes: false },
      { draws: [box], mask, compare: 'always', writes: false, entry: null },
    ]);
    for (const [name, device] of devices) {
      const given = (await results(device, 4, queries)).slice(0, -1);
      expect([name, given.filter((_, i) => i % 2 === 0)]).toEqual([name, given.filter((_, i) => i % 2 === 1)]);
      expect([name, given.reduce((sum, one) => sum + one, 0)]).toEqual([name, 2]);
    }
  });
});

describe('timestamp queries of passes', () => {
  test('are increasing nanoseconds, written to the requested entries', async () => {
    const options = forCreate({ alwaysUseWorkers: true, threads: 2, kernelUrl: KERNELS });
    const adapter = (await create(options).requestAdapter())!;
    expect(adapter.features.has('timestamp-query')).toBe(true);
    const device = await adapter.requestDevice({ requiredFeatures: ['timestamp-query'] });
    const querySet = device.createQuerySet({ type: 'timestamp', count: 6 });
    const view = device
      .createTexture({ size: [8, 8], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
      .createView();
    const before = performance.now() * 1e6;
    const encoder = device.createCommandEncoder();
    for (const writes of [
      { beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
      { endOfPassWriteIndex: 5 },
      { beginningOfPassWriteIndex: 3 },
    ])
      encoder
        .beginRenderPass({
          colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
          timestampWrites: { querySet, ...writes },
        })
        .end();
    const resolved = device.createBuffer({ size: 48, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
    const copy = device.createBuffer({ size: 48, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    encoder.resolveQuerySet(querySet, 0, 6, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, copy, 0, 48);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const [begin, end, none, third, alsoNone, second] = [...new BigUint64Array(copy.getMappedRange())].map(Number);
    expect([none, alsoNone]).toEqual([0, 0]);
    const times = [before, begin!, end!, second!, third!, performance.now() * 1e6];
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const descriptor of [
      {},
      { beginningOfPassWriteIndex: 1, endOfPassWriteIndex: 1 },
      { endOfPassWriteIndex: 6 },
    ]) {
      device.pushErrorScope('validation');
      const other = device.createCommandEncoder();
      other
        .beginRenderPass({
          colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
          timestampWrites: { querySet, ...descriptor },
        })
        .end();
      other.finish();
      expect((await device.popErrorScope())?.message).toMatch(/timestampWrites/);
    }
    device.destroy();
  });

  test('require a feature', async () => {
    const device = await open({ threads: 0 });
    expect(() => device.createQuerySet({ type: 'timestamp', count: 1 })).toThrow(/needs the feature "timestamp-query"/);
    device.destroy();
  });
});
