// Out-of-order draw calls (`setProcessingOrder`), some of which wait for pages. The others proceed, and results that do
// not depend on the order are bit-identical to those with resident textures.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TextureStream } from '../../src/index';
import type { CreateOptions } from '../support/options';
import {
  SHARED_TILES,
  counted,
  delayedSource,
  open,
  pageOf,
  pages,
  picture,
  streamed,
  streaming,
  turn,
  whole,
  type Open,
  type Texels,
} from './kit';
import { GPUBufferUsage } from '../support/flags';
import { rounds } from '../support/rounds';

type Order = 'received' | 'independent';
type OrderPass = GPURenderPassEncoder & { setProcessingOrder(type: string, order: Order): void };

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 256, height: 256, layers: 1, levels: 1 };
const PAGE = 16;
const SIZE = 128;
const MATERIALS = 3;

const CODE = `
  @group(0) @binding(0) var map: texture_2d<f32>;
  @group(0) @binding(1) var linear: sampler;
  struct Sprite { @location(0) rect: vec4f, @location(1) image: vec2f, @location(2) depth: f32 }
  struct Out { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(1) at: vec2f }
  @vertex fn vertex(@builtin(vertex_index) i: u32, s: Sprite) -> Out {
    let corner = vec2f(f32(i & 1), f32(i >> 1));
    let at = (s.rect.xy + corner * s.rect.zw) * ${2 / SIZE} - 1;
    return Out(vec4f(at, s.depth, 1), s.image + corner * 0.05, corner);
  }
  override material = 0u;
  @fragment fn plain(in: Out) -> @location(0) vec4f {
    return textureSampleLevel(map, linear, in.uv, 0) * (1 - f32(material) / 8);
  }
  @fragment fn holes(in: Out) -> @location(0) vec4f {
    let color = textureSampleLevel(map, linear, in.uv, 0);
    if (distance(in.at, vec2f(0.5)) < 0.2 + f32(material) * 0.05 || color.x < 0.1) { discard; }
    return color;
  }`;

interface Sprite {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly image: readonly [number, number];
  readonly depth: number;
  readonly material: number;
}
interface Kind {
  readonly entry: 'plain' | 'holes';
  readonly blend?: GPUBlendState;
  readonly depth?: GPUCompareFunction;
  readonly processingOrder?: Order;
}
const OVER: GPUBlendState = {
  color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};
const most: GPUBlendComponent = { operation: 'max', srcFactor: 'one', dstFactor: 'one' };
const MAX: GPUBlendState = { color: most, alpha: most };

const made = new WeakMap<GPUDevice, Map<string, GPURenderPipeline>>();

function pipelineOf(device: GPUDevice, kind: Kind, material: number): GPURenderPipeline {
  const all = made.get(device) ?? new Map<string, GPURenderPipeline>();
  const key = JSON.stringify([kind, material]);
  made.set(device, all);
  const module = device.createShaderModule({ code: CODE });
  const { entry, blend, depth, processingOrder } = kind;
  const pipeline =
    all.get(key)
    ?? device.createRenderPipeline({
      layout: 'auto',
      ...(processingOrder ? { processingOrder } : {}),
      primitive: { topology: 'triangle-strip' },
      vertex: {
        module,
        buffers: [
          {
            arrayStride: 28,
            stepMode: 'instance',
            attributes: [
              { shaderLocation: 0, offset: 0, format: 'float32x4' },
              { shaderLocation: 1, offset: 16, format: 'float32x2' },
              { shaderLocation: 2, offset: 24, format: 'float32' },
            ],
          },
        ],
      },
      fragment: {
        module,
        entryPoint: entry,
        constants: { material },
        targets: [{ format: 'rgba8unorm', ...(blend ? { blend } : {}) }],
      },
      depthStencil: { format: 'depth24plus', depthCompare: depth ?? 'always', depthWriteEnabled: depth !== undefined },
    } as GPURenderPipelineDescriptor);
  all.set(key, pipeline);
  return pipeline;
}

/** Encodes one draw call of the given kind and order. */
function draw(
  device: GPUDevice,
  map: GPUTexture,
  sprites: readonly Sprite[],
  kindOf: (i: number) => Kind,
  orderOf: (i: number) => Order
): Promise<Uint8Array> {
  const vertices = device.createBuffer({
    size: sprites.length * 28,
    usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(
    vertices,
    0,
    new Float32Array(sprites.flatMap(({ x, y, size, image, depth }) => [x, y, size, size, ...image, depth]))
  );
  const sampler = device.createSampler({
    magFilter: 'linear',
    minFilter: 'linear',
    addressModeU: 'repeat',
    addressModeV: 'repeat',
  });
  return picture(device, SIZE, (encoder) => {
    const pass = encoder as OrderPass;
    pass.setVertexBuffer(0, vertices);
    sprites.forEach(({ material }, i) => {
      const pipeline = pipelineOf(device, kindOf(i), material);
      pass.setProcessingOrder('pixel', orderOf(i));
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            { binding: 0, resource: map.createView() },
            { binding: 1, resource: sampler },
          ],
        })
      );
      pass.draw(4, 1, 0, i);
    });
  });
}

const always =
  <T>(one: T) =>
  (): T =>
    one;
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const scenes = fc
  .array(
    fc.record({
      x: fc.integer({ min: -10, max: 120 }),
      y: fc.integer({ min: -10, max: 120 }),
      size: fc.integer({ min: 4, max: 50 }),
      image: fc.tuple(unit, unit),
      material: fc.nat(MATERIALS - 1),
    }),
    { minLength: 1, maxLength: 40 }
  )
  .map((all) =>
    all.map(
      // No two have the same depth.
      (sprite, i): Sprite => ({ ...sprite, depth: (((i * 17) % 41) + 0.5) / 41 })
    )
  );

const roomy = { slots: 16, warps: 512 };
const SETTINGS: Readonly<Record<string, CreateOptions>> = {
  compiled: { threads: 0, engine: 'jit', scheduler: roomy },
  'interpreted, few warps': { threads: 0, engine: 'interpreter', scheduler: { slots: 3, warps: 4 } },
  'the scalar kernel': { threads: 0, simd: false, scheduler: roomy },
  'two workers': { threads: 2, scheduler: roomy },
  'shuffled, compiled': { threads: 0, engine: 'jit', shuffle: 7, scheduler: roomy },
  'shuffled, of two workers': { threads: 2, engine: 'interpreter', shuffle: 99, scheduler: { slots: 3, warps: 100 } },
  'three at every tile': { ...SHARED_TILES, scheduler: roomy },
  'three at every tile, shuffled, interpreted': {
    ...SHARED_TILES,
    engine: 'interpreter',
    shuffle: 5,
    scheduler: roomy,
  },
};

describe.each(Object.entries(SETTINGS))(
  'out-of-order draws that wait for pages, %s',
  (_, options) => {
    let opened: Open;
    beforeAll(async () => {
      opened = await open(options);
    });
    afterAll(() => opened.device.destroy());

    /** Pages may arrive at any time: pictures equal those of resident textures drawn in order. */
    const check = (kindOf: (i: number) => Kind, orderOf: (i: number) => Order, all = scenes): Promise<void> =>
      fc.assert(
        fc.asyncProperty(all, pages(40), async (scene, from) => {
          const { device } = opened;
          const there = whole(device, TEXELS);
          const expected = await draw(device, there, scene, kindOf, always('received'));
          const found = await streaming(opened, TEXELS, PAGE, from, async (map) => [
            await draw(device, map, scene, kindOf, orderOf),
            await draw(device, map, scene, kindOf, orderOf),
          ]);
          for (const one of found) expect(Buffer.compare(one, expected)).toBe(0);
          there.destroy();
        }),
        { numRuns: rounds(3) }
      );
    const independent = always<Order>('independent');

    test('with discards and a depth test', () => check(always({ entry: 'holes', depth: 'less' }), independent));
    test('with discards in some draws, and a depth test', () =>
      check((i) => ({ entry: i % 5 < 3 ? 'holes' : 'plain', depth: 'less' }), independent));
    test('with commutative blending', () => check(always({ entry: 'plain', blend: MAX }), independent));
    test('blended with discards', () => check((i) => ({ entry: i % 3 ? 'holes' : 'plain', blend: MAX }), independent));
    test('between in-order draws, which see all earlier draws finished', async () => {
      // A single such draw between in-order draws that cover the whole picture has no other draw to overtake.
      // With few sprites, pages seldom arrive while a draw call of each kind waits.
      const between = scenes.map((scene) =>
        Array.from({ length: Math.max(16, scene.length) }, (_, i) => {
          const sprite = scene[i % scene.length]!;
          return i % 2 ? { ...sprite, size: 50 } : { ...sprite, x: 0, y: 0, size: SIZE };
        })
      );
      const orderOf = (i: number): Order => (i % 2 ? 'independent' : 'received');
      await check(always({ entry: 'plain', blend: OVER }), orderOf, between);
      await check(always({ entry: 'holes', depth: 'less-equal' }), orderOf, between);
      await check(always({ entry: 'holes', blend: OVER, processingOrder: 'received' }), independent);
    });
    test('the order shows only where they blend', async () => {
      const { device, errors } = opened;
      const all = whole(device, TEXELS);
      const layers = (x: number, count: number): Sprite[] =>
        Array.from({ length: count }, (_, i) => ({
          x,
          y: 8 * (i % 4),
          size: 40,
          image: [((x + i * 37) % 97) / 97, ((i * 11) % 89) / 89],
          depth: 0.5,
          material: i % 2,
        }));
      const scene = [...layers(0, 24), ...layers(72, 1)];
      const over = always<Kind>({ entry: 'plain', blend: OVER });
      const loadPage = delayedSource(TEXELS, PAGE, [0, 2, -1]);
      const map = streamed(device, TEXELS, { pageSize: PAGE, maxConcurrentLoads: 3, loadPage });
      const expected = await draw(device, all, scene, over, always('received'));
      const found = await draw(device, map, scene, over, independent);
      expect(errors).toEqual([]);
      // When several workers share a tile, the order depends on timing.
      if (!options.alwaysShareTiles) expect(Buffer.compare(found, expected)).not.toBe(0);
      for (let row = 0; row < SIZE; row++) {
        const right = [(row * SIZE + 40) * 4, (row + 1) * SIZE * 4] as const;
        expect(Buffer.compare(found.subarray(...right), expected.subarray(...right))).toBe(0);
      }
      map.destroy();
      all.destroy();
    });
  },
  120_000
);

describe.each(
  Object.entries({
    compiled: { engine: 'jit' },
    interpreted: { engine: 'interpreter' },
    // The tile is retained as it is and belongs to its worker alone.
    'of which all can wait': { engine: 'jit', scheduler: { slots: 16, warps: 4096 } },
  } satisfies Record<string, CreateOptions>)
)('a tile shared by several workers, %s', (_, options: CreateOptions) => {
  let opened: Open;
  beforeAll(async () => {
    opened = await open({ threads: 3, distribution: 'any', ...options });
  });
  afterAll(() => opened.device.destroy());

  test('gives the same bits in order while out-of-order draws are added', async () => {
    const { device } = opened;
    const over = always<Kind>({ entry: 'plain', blend: OVER });
    const there = whole(device, TEXELS);
    const images = fc.array(fc.tuple(unit, unit), { minLength: 200, maxLength: 250 });
    const check = async (all: [number, number][], from: Parameters<typeof streaming>[3]): Promise<void> => {
      const scene = all.map((image, i): Sprite => ({ x: 0, y: 0, size: 64, image, depth: 0.5, material: i % 2 }));
      const expected = await draw(device, there, scene, over, always('received'));
      const found = await streaming(opened, TEXELS, PAGE, from, (map) =>
        draw(device, map, scene, over, always('received'))
      );
      expect(Buffer.compare(found, expected)).toBe(0);
    };
    await fc.assert(fc.asyncProperty(images, pages(200), check), { numRuns: rounds(4) });
    const counts = (): Record<string, number> => {
      const { tilesReplayed, tilesShared, tilesJoined, tilesParked } = device.statistics().counters;
      return options.scheduler ? { tilesParked } : { tilesReplayed, tilesShared, tilesJoined };
    };
    // On a busy machine, pages may always arrive before a worker waits for them.
    for (const [all, from] of fc.sample(fc.tuple(images, pages(200)), 20)) {
      if (Object.values(counts()).every(Boolean)) break;
      await check(all, from);
    }
    for (const [counter, count] of Object.entries(counts())) expect(count, counter).toBeGreaterThan(0);
  }, 120_000);
});

let opened: Open | null = null;
afterEach(() => {
  opened?.device.destroy();
  opened = null;
});

/**
 * A stack of sprites; the page of the first one is late. Returns the counters of the frame before and after it arrives.
 */
async function pile(kind: Kind, order: Order): Promise<Readonly<Record<string, number>>> {
  opened = await open({ threads: 0, scheduler: roomy });
  const { device, errors } = opened;
  const scene = Array.from({ length: 40 }, (_, i): Sprite => ({
    x: 8,
    y: 8,
    size: 4,
    image: [i === 0 ? 0.82 : 0.02, 0.02],
    depth: 1 - (i + 1) / 50,
    material: i % 2,
  }));
  let isLate = false;
  const loadPage: TextureStream['loadPage'] = async (level, x, y, layer) => {
    if (isLate) await turn(5);
    return pageOf(TEXELS, PAGE, level, x, y, layer);
  };
  const map = streamed(device, TEXELS, { pageSize: PAGE, loadPage });
  await draw(device, map, scene.slice(1), always(kind), always(order));
  isLate = true;
  const counts = await counted(device, () => draw(device, map, scene, always(kind), always(order)));
  expect(errors).toEqual([]);
  return counts;
}

test('out-of-order warps do not wait for earlier warps', async () => {
  const kind: Kind = { entry: 'plain', blend: OVER };
  const { warpsParked, fragmentWarps, tilesParked, tilesReplayed } = await pile(kind, 'independent');
  expect({ warpsParked, tilesParked, tilesReplayed }).toEqual({ warpsParked: 1, tilesParked: 1, tilesReplayed: 0 });
  expect(fragmentWarps).toBeGreaterThan(10);
  opened!.device.destroy();
  // In order, all of them wait.
  expect(await pile(kind, 'received')).toMatchObject({ warpsParked: 40, tilesParked: 1, tilesReplayed: 0 });
});

test('their tile is not replayed if they discard', async () => {
  const kind: Kind = { entry: 'holes', depth: 'less' };
  expect(await pile(kind, 'independent')).toMatchObject({ warpsParked: 1, tilesParked: 1, tilesReplayed: 0 });
  opened!.device.destroy();
  expect(await pile(kind, 'received')).toMatchObject({ warpsParked: 0, tilesParked: 0, tilesReplayed: 1 });
  opened!.device.destroy();
  // Without a depth test, in-order draws wait as well.
  expect(await pile({ entry: 'holes', blend: OVER }, 'received')).toMatchObject({ warpsParked: 40, tilesReplayed: 0 });
});
