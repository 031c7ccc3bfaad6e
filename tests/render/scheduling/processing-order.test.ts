// Out-of-order draw calls (`shuffle` randomizes their schedule with a seed). Results that depend on the order change,
// and nothing else does: results that do not depend on it have the same bits.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { validationError } from '../../api/fake';
import { openBuiltWith } from '../../images/open';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../../support/flags';

type Order = 'received' | 'independent';
const SIZE = 128;
const MATERIALS = 3;
const CODE = `
  enable fragment_stages;
  enable multisample_storage_textures;
  struct Sprite { @location(0) rect: vec4f, @location(1) color: vec4f, @location(2) depth: f32 }
  struct Out { @builtin(position) p: vec4f, @location(0) color: vec4f, @location(1) at: vec2f }
  @vertex fn vertex(@builtin(vertex_index) i: u32, s: Sprite) -> Out {
    let corner = vec2f(f32(i & 1), f32(i >> 1));
    return Out(vec4f(s.rect.xy + corner * s.rect.zw, s.depth, 1), s.color, corner);
  }
  override material = 0u;
  @fragment fn plain(in: Out) -> @location(0) vec4f { return in.color * (1 - f32(material) / 8); }
  @fragment fn holes(in: Out) -> @location(0) vec4f {
    if (distance(in.at, vec2f(0.5)) < 0.3 + f32(material) * 0.05) { discard; }
    return in.color;
  }
  @early_depth_test @fragment fn early(in: Out) -> @location(0) vec4f {
    if (distance(in.at, vec2f(0.5)) < 0.3) { discard; }
    return in.color * (1 - f32(material) / 8);
  }
  @fragment fn reading(in: Out, @color(0) there: vec4f) -> @location(0) vec4f {
    return mix(there, in.color, in.color.a);
  }`;

interface Sprite {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly color: readonly number[];
  readonly depth: number;
  readonly material: number;
}
interface Kind {
  readonly entry: 'plain' | 'holes' | 'early' | 'reading';
  readonly blend?: GPUBlendState;
  readonly depth?: GPUCompareFunction;
  readonly processingOrder?: string;
  readonly interlock?: string;
  readonly samples?: number;
}
const OVER: GPUBlendState = {
  color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};
const MAX: GPUBlendState = {
  color: { operation: 'max', srcFactor: 'one', dstFactor: 'one' },
  alpha: { operation: 'max', srcFactor: 'one', dstFactor: 'one' },
};

const FEATURES = ['statistics', 'processing-order', 'fragment-stages', 'multisample-storage-textures'];
const pipelines = new WeakMap<GPUDevice, Map<string, GPURenderPipeline>>();

function pipelineOf(device: GPUDevice, kind: Kind, material: number): GPURenderPipeline {
  const all = pipelines.get(device) ?? new Map<string, GPURenderPipeline>();
  const key = JSON.stringify([kind, material]);
  pipelines.set(device, all);
  const module = device.createShaderModule({ code: CODE });
  const made =
    all.get(key)
    ?? device.createRenderPipeline({
      label: `material ${material}`,
      layout: 'auto',
      multisample: { count: kind.samples ?? 1 },
      ...(kind.processingOrder ? { processingOrder: kind.processingOrder } : {}),
      primitive: { topology: 'triangle-strip' },
      vertex: {
        module,
        buffers: [
          {
            arrayStride: 36,
            stepMode: 'instance',
            attributes: [
              { shaderLocation: 0, offset: 0, format: 'float32x4' },
              { shaderLocation: 1, offset: 16, format: 'float32x4' },
              { shaderLocation: 2, offset: 32, format: 'float32' },
            ],
          },
        ],
      },
      fragment: {
        module,
        entryPoint: kind.entry,
        ...(kind.interlock ? { interlock: kind.interlock } : {}),
        ...(kind.entry === 'reading' ? {} : { constants: { material } }),
        targets: [{ format: 'rgba8unorm', ...(kind.blend ? { blend: kind.blend } : {}) }],
      },
      depthStencil: {
        format: 'depth32float',
        depthCompare: kind.depth ?? 'always',
        depthWriteEnabled: kind.depth !== undefined,
      },
    } as GPURenderPipelineDescriptor);
  all.set(key, made);
  return made;
}

type OrderPass = GPURenderPassEncoder & { setProcessingOrder(type: string, order: Order): void };

/** One draw call per sprite. `order`: the processing order of the pass from each sprite on. */
async function picture(
  device: GPUDevice,
  sprites: readonly Sprite[],
  kind: Kind,
  order: (i: number) => Order
): Promise<Uint8Array> {
  const size = [SIZE, SIZE];
  const sampleCount = kind.samples ?? 1;
  const target = device.createTexture({
    size,
    format: 'rgba8unorm',
    usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const many =
    sampleCount > 1
      ? device.createTexture({ size, format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT, sampleCount })
      : null;
  const depth = device.createTexture({
    size,
    format: 'depth32float',
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
    sampleCount,
  });
  const vertices = device.createBuffer({
    size: Math.max(36, sprites.length * 36),
    usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(
    vertices,
    0,
    new Float32Array(sprites.flatMap(({ x, y, w, h, color, depth: z }) => [x, y, w, h, ...color, z]))
  );
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      {
        view: (many ?? target).createView(),
        ...(many ? { resolveTarget: target.createView() } : {}),
        loadOp: 'clear',
        storeOp: 'store',
        clearValue: [0.25, 0.5, 0.75, 1],
      },
    ],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'discard',
      depthClearValue: 1,
    },
  }) as OrderPass;
  pass.setVertexBuffer(0, vertices);
  sprites.forEach(({ material }, i) => {
    pass.setProcessingOrder('pixel', order(i));
    pass.setPipeline(pipelineOf(device, kind, material));
    pass.draw(4, 1, 0, i);
  });
  pass.end();
  const read = device.createBuffer({ size: SIZE * SIZE * 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  encoder.copyTextureToBuffer({ texture: target }, { buffer: read, bytesPerRow: SIZE * 4 }, size);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  const pixels = new Uint8Array(read.getMappedRange()).slice();
  for (const used of [target, depth, vertices, read, ...(many ? [many] : [])]) used.destroy();
  return pixels;
}

const always = (order: Order) => (): Order => order;
const open = async (options: CreateOptions): Promise<StatisticsDevice> =>
  (await openBuiltWith(FEATURES, options)) as StatisticsDevice;

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const sprites = (depths: 'any' | 'different'): fc.Arbitrary<Sprite[]> =>
  fc
    .array(
      fc.record({
        x: unit.map((v) => v * 2 - 1.2),
        y: unit.map((v) => v * 2 - 1.2),
        w: unit.map((v) => 0.05 + v * 0.6),
        h: unit.map((v) => 0.05 + v * 0.6),
        color: fc.tuple(unit, unit, unit, unit),
        depth: fc.constant(0.5),
        material: fc.nat(MATERIALS - 1),
      }),
      { minLength: 1, maxLength: 40 }
    )
    .map((all) =>
      all.map((sprite, i) => ({ ...sprite, depth: depths === 'any' ? 0.5 : (((i * 17) % 41) + 0.5) / 41 }))
    );

/** Layers of two alternating materials that cover the whole picture. */
const layers = (count: number): Sprite[] =>
  Array.from({ length: count }, (_, i) => ({
    x: -1,
    y: -1,
    w: 0.3,
    h: 2,
    color: [i % 2, 1 - (i % 2), 0.5, 0.6],
    depth: 0.5,
    material: i % 2,
  }));

const variants: Readonly<Record<string, CreateOptions>> = {
  compiled: { threads: 0, engine: 'jit' },
  interpreted: { threads: 0, engine: 'interpreter' },
  'of two workers': { threads: 2 },
  'shuffled, compiled': { threads: 0, engine: 'jit', shuffle: 7 },
  'shuffled, interpreted, in chunks': { threads: 0, engine: 'interpreter', shuffle: 12345, chunkEveryDraw: true },
  'shuffled, of two workers': { threads: 2, shuffle: 99 },
  'with warps put aside': { threads: 0, engine: 'jit', forcedParking: { every: 2, during: 5, warps: 4 } },
};

describe.each(Object.entries(variants))('out-of-order draw calls, %s', (_name, options) => {
  let device: StatisticsDevice;
  let inOrder: StatisticsDevice;
  beforeAll(async () => {
    device = await open(options);
    inOrder = await open({ threads: 0 });
  });
  afterAll(() => {
    device.destroy();
    inOrder.destroy();
  });

  const check = async (kind: Kind, all: fc.Arbitrary<Sprite[]>): Promise<void> => {
    await fc.assert(
      fc.asyncProperty(all, async (scene) => {
        expect(await picture(device, scene, kind, always('independent'))).toEqual(
          await picture(inOrder, scene, kind, always('received'))
        );
      }),
      { numRuns: 12 }
    );
  };

  test.each([1, 4])('have the same bits if order has no effect: opaque, depth-tested, %i samples', async (samples) => {
    await check({ entry: 'plain', depth: 'less', samples }, sprites('different'));
  });
  test.each([1, 4])('also with discards, %i samples', async (samples) => {
    await check({ entry: 'holes', depth: 'less', samples }, sprites('different'));
  });
  test('also with depth written before the shader', async () => {
    await check({ entry: 'early', depth: 'less' }, sprites('different'));
    await check({ entry: 'early', depth: 'less' }, sprites('any'));
  });
  test('also for opaque surfaces of equal depth, whose visibility is decided in order', async () => {
    await check({ entry: 'plain', depth: 'less' }, sprites('any'));
    await check({ entry: 'plain', depth: 'less-equal' }, sprites('any'));
  });
  test.each([1, 4])('also with commutative blending, %i samples', async (samples) => {
    await check({ entry: 'plain', blend: MAX, samples }, sprites('any'));
  });
  test.each([1, 4])('also with in-order draw calls in between, %i samples', async (samples) => {
    await fc.assert(
      fc.asyncProperty(sprites('any'), async (scene) => {
        // In-order draw calls give the same result, and see all earlier ones finished.
        expect(
          await picture(
            device,
            scene,
            { entry: 'plain', blend: OVER, processingOrder: 'received', samples },
            always('independent')
          )
        ).toEqual(await picture(inOrder, scene, { entry: 'plain', blend: OVER, samples }, always('received')));
      }),
      { numRuns: 8 }
    );
  });
  test('last from one setProcessingOrder to the next', async () => {
    const scene = layers(12);
    const over: Kind = { entry: 'plain', blend: OVER };
    const expected = await picture(inOrder, scene, over, always('received'));
    // A single draw call between in-order draw calls has no other to overtake.
    expect(await picture(device, scene, over, (i) => (i % 2 ? 'independent' : 'received'))).toEqual(expected);
    expect(await picture(device, scene, over, always('received'))).toEqual(expected);
  });
  test('show their order where they blend', async () => {
    const scene = layers(12);
    const over: Kind = { entry: 'plain', blend: OVER };
    const [a, b] = [
      await picture(device, scene, over, always('independent')),
      await picture(inOrder, scene, over, always('received')),
    ];
    // With a chunk after every draw call, no other can be overtaken.
    if (options.chunkEveryDraw) return expect(a).toEqual(b);
    expect(a).not.toEqual(b);
    // And nowhere else: the draw calls do not touch the right part of the picture.
    for (let y = 0; y < SIZE; y++) {
      const right = [(y * SIZE + 32) * 4, (y + 1) * SIZE * 4] as const;
      expect(a.subarray(...right)).toEqual(b.subarray(...right));
    }
  });
});

test('fill warps of two alternating materials', async () => {
  const device = await open({ threads: 0 });
  const scene = Array.from({ length: 400 }, (_, i): Sprite => ({
    x: -1 + (i % 20) * 0.1,
    y: -1 + Math.floor(i / 20) * 0.1,
    w: 0.03,
    h: 0.03,
    color: [1, 0.5, 0, 0.5],
    depth: 0.5,
    material: i % 2,
  }));
  const warps = async (order: Order): Promise<number> => {
    const before = device.statistics().counters['fragmentWarps']!;
    await picture(device, scene, { entry: 'plain', blend: OVER }, always(order));
    return device.statistics().counters['fragmentWarps']! - before;
  };
  const inOrder = await warps('received');
  const { independentDraws } = device.statistics().counters;
  expect(independentDraws).toBe(0);
  expect(await warps('independent')).toBeLessThan(inOrder / 2);
  expect(device.statistics().counters).toMatchObject({ independentDraws: 400, foundIndependent: 0 });
  device.destroy();
});

test('are detected if order has no effect', async () => {
  const device = await open({ threads: 0 });
  const found = async (kind: Kind): Promise<number> => {
    const before = device.statistics().counters['foundIndependent']!;
    await picture(device, layers(10), kind, always('received'));
    return device.statistics().counters['foundIndependent']! - before;
  };
  expect(await found({ entry: 'plain', depth: 'less' })).toBe(10);
  expect(await found({ entry: 'plain', depth: 'greater' })).toBe(10);
  for (const kind of [
    { entry: 'plain', depth: 'less-equal' },
    { entry: 'plain' },
    { entry: 'plain', depth: 'less', blend: OVER },
    { entry: 'holes', depth: 'less' },
    { entry: 'plain', depth: 'less', processingOrder: 'received' },
    { entry: 'reading' },
  ] as const)
    expect(await found(kind)).toBe(0);
  device.destroy();
});

describe('processing order errors', () => {
  test('for shaders whose order is significant', async () => {
    const device = await open({ threads: 0 });
    expect(
      await validationError(device, () => pipelineOf(device, { entry: 'reading', processingOrder: 'independent' }, 0))
    ).toMatch(/processingOrder is "independent", but the shader reads stored values in order/);
    expect(
      await validationError(
        device,
        () => void picture(device, layers(2), { entry: 'reading' }, always('independent')).catch(() => undefined)
      )
    ).toMatch(/setProcessingOrder\('pixel', 'independent'\) applies to a draw with pipeline "material 0"/);
    expect(
      await validationError(device, () =>
        pipelineOf(device, { entry: 'reading', processingOrder: 'independent', interlock: 'unordered' }, 0)
      )
    ).toBeNull();
    expect(
      await validationError(
        device,
        () =>
          void picture(
            device,
            layers(2),
            { entry: 'reading', processingOrder: 'received' },
            always('independent')
          ).catch(() => undefined)
      )
    ).toBeNull();
    device.destroy();
  });
  test('without the feature, and for unknown names', async () => {
    const device = await openBuiltWith(FEATURES.filter((name) => name !== 'processing-order'));
    expect(
      await validationError(device, () => pipelineOf(device, { entry: 'plain', processingOrder: 'independent' }, 0))
    ).toMatch(/processingOrder needs the feature "processing-order"/);
    const encoder = device.createCommandEncoder();
    const texture = device.createTexture({
      size: [4, 4],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
    }) as OrderPass;
    expect(() => pass.setProcessingOrder('fragment', 'received')).toThrow(TypeError);
    expect(() => pass.setProcessingOrder('pixel', 'auto' as Order)).toThrow(TypeError);
    device.destroy();
  });
});
