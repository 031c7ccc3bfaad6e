// Geometry in tasks: draw calls are divided in every way (parts of long lists, groups of instances, strips, shared
// vertices, reused vertex pools), and arenas end chunks anywhere in them. On any number of workers, the bits equal the
// oracle of the testing build, which divides only lists, and all counters are independent of the number of workers.
import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create, type StatisticsDevice } from '../../../src/index';
import { forCreate, type CreateOptions } from '../../support/options';
import { BUFFER, readPixels, TEXTURE } from '../../images/scenes/kit';

const KERNELS = pathToFileURL('build/');

const SIZE = 160;
/**
 * A picture that shows order: translucent triangles of many colors, some of which cross the near plane and the guard
 * band.
 */
const CODE = `
  struct V { @builtin(position) p: vec4f, @location(0) c: vec4f };
  @vertex fn vs(@location(0) p: vec4f, @builtin(vertex_index) v: u32, @builtin(instance_index) n: u32) -> V {
    let t = f32(n) * 0.7;
    let q = mat2x2f(cos(t), sin(t), -sin(t), cos(t)) * p.xy;
    return V(vec4f(q * (1 - 0.01 * f32(n)), p.z, p.w),
      vec4f(f32(v & 7u) / 7, f32((v >> 3u) & 7u) / 7, f32(n & 3u) / 3, 1) * 0.5);
  }
  @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }`;

/** A grid of side × side vertices. `wild`: every how many vertices one is far outside or behind the eye. */
function grid(side: number, wild: number): Float32Array<ArrayBuffer> {
  const points = new Float32Array(side * side * 4);
  for (let i = 0; i < side * side; i++) {
    const x = ((i % side) / (side - 1)) * 2 - 1;
    const y = (Math.floor(i / side) / (side - 1)) * 2 - 1;
    const out = wild !== 0 && i % wild === wild - 1;
    points.set(out ? [x * 3000, y * 2, i % 2 ? -0.5 : 0.5, i % 3 ? 1 : -0.2] : [x, y, 0.5, 1], i * 4);
  }
  return points;
}
function cells(side: number): Uint32Array<ArrayBuffer> {
  const indices = new Uint32Array((side - 1) ** 2 * 6);
  for (let y = 0, at = 0; y < side - 1; y++)
    for (let x = 0; x < side - 1; x++, at += 6) {
      const k = y * side + x;
      indices.set([k, k + 1, k + side, k + 1, k + side + 1, k + side], at);
    }
  return indices;
}
/** Rows of cells as strips between restarts. */
function strips(side: number): Uint32Array<ArrayBuffer> {
  const indices: number[] = [];
  for (let y = 0; y < side - 1; y++) {
    for (let x = 0; x < side; x++) indices.push(y * side + x, (y + 1) * side + x);
    indices.push(0xffffffff);
  }
  return Uint32Array.from(indices);
}

interface Work {
  readonly side: number;
  readonly wild: number;
  readonly topology: GPUPrimitiveTopology;
  readonly indexed: boolean;
  readonly instances: number;
  readonly repeat?: number;
}
/** The purpose of each workload. */
const works: Readonly<Record<string, Work>> = {
  'a range of one worker, and instances of it': {
    side: 40,
    wild: 0,
    topology: 'triangle-list',
    indexed: true,
    instances: 9,
  },
  'a range that workers share': { side: 90, wild: 0, topology: 'triangle-list', indexed: true, instances: 3 },
  'a shared range with clipped triangles': {
    side: 80,
    wild: 7,
    topology: 'triangle-list',
    indexed: true,
    instances: 2,
  },
  'a long list': { side: 150, wild: 11, topology: 'triangle-list', indexed: false, instances: 1 },
  'many short instances': { side: 3, wild: 5, topology: 'triangle-list', indexed: true, instances: 700 },
  'strips with restarts': { side: 60, wild: 9, topology: 'triangle-strip', indexed: true, instances: 4 },
  lines: { side: 70, wild: 13, topology: 'line-list', indexed: true, instances: 2 },
  'a strip of lines': { side: 50, wild: 17, topology: 'line-strip', indexed: false, instances: 3 },
  points: { side: 80, wild: 6, topology: 'point-list', indexed: false, instances: 2 },
  'many draws': { side: 6, wild: 0, topology: 'triangle-list', indexed: true, instances: 1, repeat: 150 },
};

async function draw(
  device: GPUDevice,
  { side, wild, topology, indexed, instances, repeat = 1 }: Work
): Promise<string> {
  const upload = (data: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>, usage: number): GPUBuffer => {
    const buffer = device.createBuffer({ size: data.byteLength, usage: usage | BUFFER.COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const indices = topology === 'triangle-strip' ? strips(side) : cells(side);
  const vertices = upload(grid(side, wild), BUFFER.VERTEX);
  const index = upload(indices, BUFFER.INDEX);
  const module = device.createShaderModule({ code: CODE });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: {
      module,
      buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' }] }],
    },
    primitive: topology.endsWith('strip')
      ? { topology, ...(indexed ? { stripIndexFormat: 'uint32' as const } : {}) }
      : { topology },
    fragment: {
      module,
      targets: [
        {
          format: 'rgba8unorm',
          blend: {
            color: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
            alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
          },
        },
      ],
    },
  });
  const texture = device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba8unorm',
    usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC,
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setVertexBuffer(0, vertices);
  pass.setIndexBuffer(index, 'uint32');
  for (let i = 0; i < repeat; i++) {
    if (indexed) pass.drawIndexed(indices.length, instances);
    else pass.draw(side * side, instances);
  }
  pass.end();
  device.queue.submit([encoder.finish()]);
  return createHash('sha256')
    .update(await readPixels(device, texture))
    .digest('hex');
}

async function open(options: CreateOptions): Promise<StatisticsDevice> {
  const adapter = await create(forCreate({ alwaysUseWorkers: true, ...options, kernelUrl: KERNELS })).requestAdapter();
  const device = (await adapter!.requestDevice({
    requiredFeatures: ['statistics' as GPUFeatureName],
  })) as StatisticsDevice;
  while (options.threads && device.statistics().workers === 0) await new Promise((turn) => setTimeout(turn, 5));
  return device;
}
type Counters = Readonly<Record<string, number>>;
const grown = (now: Counters, before: Counters): Counters =>
  Object.fromEntries(Object.entries(now).map(([name, value]) => [name, value - before[name]!]));

describe('geometry tasks', () => {
  const pictures: Record<string, string> = {};
  beforeAll(async () => {
    const oracle = await open({ immediate: true, threads: 0 });
    for (const [name, work] of Object.entries(works)) pictures[name] = await draw(oracle, work);
    oracle.destroy();
  });
  test('no two pictures are the same', () => {
    expect(new Set(Object.values(pictures)).size).toBe(Object.keys(works).length);
  });

  describe.each([48 << 20, 60_000, 5000])('with %i bytes of triangles per chunk', (arenaBytes) => {
    let devices: StatisticsDevice[] = [];
    beforeAll(async () => {
      devices = await Promise.all([0, 1, 2, 5].map((threads) => open({ arenaBytes, threads })));
    });
    afterAll(() => {
      for (const device of devices) device.destroy();
    });
    test.each(Object.keys(works))('%s', async (name) => {
      const counted = await Promise.all(
        devices.map(async (device) => {
          const before = device.statistics().counters;
          expect(await draw(device, works[name]!)).toBe(pictures[name]);
          return grown(device.statistics().counters, before);
        })
      );
      expect(counted[0]!['chunks']).toBeGreaterThan(arenaBytes > 1 << 20 ? 0 : 1);
      for (const counters of counted) expect(counters).toEqual(counted[0]);
    });
  });

  // Some workloads have tiles that take several calls. tests/schedule/executor.test.ts tests their order.
  test.each<CreateOptions>([
    { tileContexts: 2, threads: 0 },
    { tileContexts: 3, threads: 0 },
    { tileContexts: 2, threads: 2 },
    { tileContexts: 3, threads: 0, arenaBytes: 60_000 },
    { tileContexts: 3, threads: 0, forcedParking: { every: 3, during: 4, warps: 4 } },
  ])('with tiles that yield, %o', async (options) => {
    const device = await open(options);
    for (const [name, work] of Object.entries(works)) expect(await draw(device, work), name).toBe(pictures[name]);
    device.destroy();
  });

  test('vertices need more tasks than a small arena has room for lists', async () => {
    // Three vertex tasks come before the first triangle; lists for all nine tiles take 80 bytes.
    const work: Work = { side: 100, wild: 0, topology: 'triangle-list', indexed: true, instances: 1 };
    const [small, large] = (await Promise.all(
      [150, 48 << 20].map((arenaBytes) => open({ threads: 0, arenaBytes }))
    )) as [StatisticsDevice, StatisticsDevice];
    const picture = await draw(large, work);
    const drawn = draw(small, work);
    expect(await Promise.race([drawn, new Promise((late) => setTimeout(late, 8000, 'no end'))])).toBe(picture);
    expect(small.statistics().counters).toMatchObject({ verticesUsed: large.statistics().counters['verticesUsed'] });
    small.destroy();
    large.destroy();
  });

  test('shared vertices take turns in a pool that is too small for all', async () => {
    const work: Work = { side: 70, wild: 0, topology: 'triangle-list', indexed: true, instances: 90 };
    const [one, many] = (await Promise.all([0, 3].map((threads) => open({ threads, arenaBytes: 256 << 20 })))) as [
      StatisticsDevice,
      StatisticsDevice,
    ];
    // The arena is allocated afterwards.
    await draw(many, works['points']!);
    const before = many.statistics().memory.bytesUsed;
    const picture = await draw(many, work);
    expect(await draw(one, work)).toBe(picture);
    // 16 MiB of the pool's 24.
    expect(many.statistics().memory.bytesUsed - before).toBeLessThan(20 << 20);
    expect(many.statistics().counters['chunks']).toBe(2);
    one.destroy();
    many.destroy();
  });
});
