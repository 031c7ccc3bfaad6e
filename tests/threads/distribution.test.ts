// Tile sharing (`create({ distribution: 'any' })`): `alwaysShareTiles` forces it for every tile from its first
// triangle. In order, every picture has the bits of one thread. Out of order, only coincident surfaces and blends
// depend on timing. Also: which tiles are shared without that option, and which never are.
// RASTERLOOM_FUZZ=count draws more frames, RASTERLOOM_SEED=number others.
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { allCounts, render, scenes, type Scene } from '../images/scenes';
import { difference, FrameDrawer } from '../render/oracle/immediate.draw';
import { frame } from '../render/oracle/immediate.frames';
import { open, openReady } from './open';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';
import { inTurn } from '../support/combinations';
import { rounds } from '../support/rounds';

const FRAMES = rounds(8);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 23);
const ANY = { distribution: 'any', alwaysShareTiles: true } as const satisfies CreateOptions;
const variants = {
  'of two workers, compiled': { ...ANY, threads: 2, engine: 'jit' },
  'of three, interpreted, a chunk after every draw': {
    ...ANY,
    threads: 3,
    engine: 'interpreter',
    chunkEveryDraw: true,
  },
  'of four, with a texel for every sample': { ...ANY, threads: 4, surfaceEncoding: false },
  'of three, by the scalar kernel': { ...ANY, threads: 3, simd: false },
  'of three, with two tiles in work': { ...ANY, threads: 3, tileContexts: 2 },
  'of two, every third warp overtaken': { ...ANY, threads: 2, forcedParking: { every: 3, during: 5, warps: 4 } },
} as const;

const hash = (pixels: Uint8Array): string => createHash('sha256').update(pixels).digest('hex');
/** Every variant draws every scene at one of these counts, and the next ones at the other. */
const countsOf = (scene: Scene, turn: number): readonly number[] =>
  inTurn(
    allCounts(scene).filter((count) => count === 1 || count === 4),
    turn
  );

let alone: StatisticsDevice;
beforeAll(async () => {
  alone = await open({ threads: 0 });
});
afterAll(() => alone.destroy());

const pictures = new Map<string, Promise<string>>();
function pictureOf(name: string, scene: Scene, samples: number): Promise<string> {
  const key = `${name} ${samples}`;
  const picture = pictures.get(key) ?? render(alone, scene, samples).then(hash);
  pictures.set(key, picture);
  return picture;
}

describe.each(Object.entries(variants).map(([name, options], v) => [name, options, v] as const))(
  'shared tiles %s',
  (_name, options, v) => {
    let device: StatisticsDevice;
    beforeAll(async () => {
      device = await openReady(options);
    });
    afterAll(() => device.destroy());

    for (const [i, [name, scene]] of Object.entries(scenes).entries()) {
      test(`have the same bits: ${name}`, async () => {
        for (const samples of countsOf(scene, i + v))
          expect(hash(await render(device, scene, samples)), `at ${samples}`).toBe(
            await pictureOf(name, scene, samples)
          );
      });
    }

    test(
      'have the same bits in random frames',
      async () => {
        const drawer = new FrameDrawer(device);
        const expected = new FrameDrawer(alone);
        await fc.assert(
          fc.asyncProperty(frame, async (drawn) => {
            const found = difference(await drawer.draw(drawn), await expected.draw(drawn));
            if (found !== undefined) throw new Error(found);
          }),
          { numRuns: FRAMES, seed: SEED, interruptAfterTimeLimit: 60_000 + FRAMES * 1000, markInterruptAsFailure: true }
        );
      },
      90_000 + FRAMES * 1000
    );

    test('and other workers joined them', () => {
      const { tilesShared, tilesJoined, tilesRun } = device.statistics().counters;
      expect(tilesShared).toBeGreaterThan(tilesRun! / 2);
      expect(tilesJoined).toBeGreaterThan(tilesShared! / 10);
    });
  }
);

const SIZE = 64;
const CODE = `
  struct Out { @builtin(position) p: vec4f, @location(0) @interpolate(flat) layer: u32 }
  @vertex fn vertex(@builtin(vertex_index) i: u32, @builtin(instance_index) layer: u32) -> Out {
    return Out(vec4f(vec2f(f32(i & 1), f32(i >> 1)) * 2 - 1, 0.5, 1), layer);
  }
  @fragment fn opaque(in: Out) -> @location(0) vec4f {
    return vec4f(f32(in.layer & 255) / 255, f32(in.layer >> 8) / 255, 1, 1);
  }
  @fragment fn clear(in: Out) -> @location(0) vec4f {
    var shade = f32(in.layer & 255) / 255;
    for (var i = 0; i < 40; i++) { shade = fract(shade * 1.37 + in.p.x * 0.01); }
    return vec4f(shade, in.p.y / 64, 0.5, 0.25);
  }
  @group(0) @binding(0) var before: texture_2d<f32>;
  @fragment fn reading(in: Out) -> @location(0) vec4f {
    let at = vec2u(in.p.xy);
    return vec4f(textureLoad(before, vec2u(63 - at.x, at.y), 0).rgb, 0.3);
  }
  @group(0) @binding(1) var<storage, read_write> counted: atomic<u32>;
  @fragment fn counting(in: Out) -> @location(0) vec4f { atomicAdd(&counted, in.layer + 1); return vec4f(1); }
  @fragment fn numbered(in: Out) -> @location(0) vec4f { return vec4f(f32(atomicAdd(&counted, 1) & 255) / 255); }
  @group(0) @binding(2) var chain: texture_storage_2d<r32uint, read_write>;
  @fragment fn chained(in: Out) -> @location(0) vec4f {
    let at = vec2u(in.p.xy);
    let next = (textureLoad(chain, at).x ^ in.layer) * 0x9e3779b1u + 1;
    textureStore(chain, at, vec4u(next));
    return unpack4x8unorm(next);
  }`;
const OVER: GPUBlendState = {
  color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};
const MAX: GPUBlendState = {
  color: { operation: 'max', srcFactor: 'one', dstFactor: 'one' },
  alpha: { operation: 'max', srcFactor: 'one', dstFactor: 'one' },
};

interface Layers {
  readonly entryPoint: 'opaque' | 'clear' | 'reading' | 'counting' | 'numbered' | 'chained';
  readonly blend?: GPUBlendState;
  readonly order?: 'received' | 'independent';
  readonly count: number;
  readonly compare?: GPUCompareFunction;
  readonly before?: GPUTexture;
}
type OrderPass = GPURenderPassEncoder & { setProcessingOrder(type: string, order: string): void };

/** A frame of many layers, all over one tile at one depth, in one draw call. Then reads the result. */
class Hot {
  readonly target: GPUTexture;
  readonly depth: GPUTexture;
  private readonly module: GPUShaderModule;
  readonly counted: GPUBuffer;
  readonly chain: GPUTexture;
  private readonly pipelines = new Map<string, GPURenderPipeline>();

  constructor(readonly device: StatisticsDevice) {
    this.target = this.texture();
    this.depth = device.createTexture({
      size: [SIZE, SIZE],
      format: 'depth32float',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    this.counted = device.createBuffer({
      size: 4,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    this.chain = device.createTexture({
      size: [SIZE, SIZE],
      format: 'r32uint',
      usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
    });
    this.module = device.createShaderModule({ code: CODE });
  }

  texture(): GPUTexture {
    return this.device.createTexture({
      size: [SIZE, SIZE],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_SRC,
    });
  }

  private pipeline({ entryPoint, blend, compare }: Layers): GPURenderPipeline {
    const key = JSON.stringify([entryPoint, blend, compare]);
    const { module } = this;
    const made =
      this.pipelines.get(key)
      ?? this.device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        primitive: { topology: 'triangle-strip' },
        fragment: { module, entryPoint, targets: [{ format: 'rgba8unorm', ...(blend ? { blend } : {}) }] },
        depthStencil: {
          format: 'depth32float',
          depthCompare: compare ?? 'always',
          depthWriteEnabled: compare !== undefined,
        },
      });
    this.pipelines.set(key, made);
    return made;
  }

  add(encoder: GPUCommandEncoder, layers: Layers, target = this.target): void {
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        { view: target.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0.25, 0.5, 0.75, 1] },
      ],
      depthStencilAttachment: {
        view: this.depth.createView(),
        depthLoadOp: 'clear',
        depthStoreOp: 'store',
        depthClearValue: 1,
      },
    }) as OrderPass;
    const pipeline = this.pipeline(layers);
    pass.setPipeline(pipeline);
    pass.setProcessingOrder('pixel', layers.order ?? 'received');
    const entries: GPUBindGroupEntry[] = layers.before
      ? [{ binding: 0, resource: layers.before.createView() }]
      : layers.entryPoint === 'counting' || layers.entryPoint === 'numbered'
        ? [{ binding: 1, resource: { buffer: this.counted } }]
        : layers.entryPoint === 'chained'
          ? [{ binding: 2, resource: this.chain.createView() }]
          : [];
    if (entries.length > 0)
      pass.setBindGroup(0, this.device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.draw(4, layers.count);
    pass.end();
  }

  async read(encoder: GPUCommandEncoder, texture = this.target): Promise<Uint8Array> {
    const read = this.device.createBuffer({
      size: SIZE * SIZE * 4,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    encoder.copyTextureToBuffer({ texture }, { buffer: read, bytesPerRow: SIZE * 4 }, [SIZE, SIZE]);
    this.device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(read.getMappedRange()).slice();
    read.destroy();
    return bytes;
  }

  async draw(layers: Layers): Promise<Uint8Array> {
    const encoder = this.device.createCommandEncoder();
    this.add(encoder, layers);
    return this.read(encoder);
  }
}

/** Returns the counts of shared tiles since the last call. */
function counts(device: StatisticsDevice): () => Record<'tilesShared' | 'tilesJoined', number> {
  let before = device.statistics().counters;
  return () => {
    const { counters } = device.statistics();
    const since = (name: string): number => counters[name]! - before[name]!;
    const found = { tilesShared: since('tilesShared'), tilesJoined: since('tilesJoined') };
    before = counters;
    return found;
  };
}

describe('one shared tile out of order', () => {
  let hot: Hot;
  let expected: Hot;
  beforeAll(async () => {
    hot = new Hot(await openReady({ ...ANY, threads: 4 }));
    expected = new Hot(alone);
  });
  afterAll(() => hot.device.destroy());

  test('shows any of its coincident opaque surfaces, by blocks, and their depth', async () => {
    const COUNT = 200;
    let speckles = 0;
    for (let round = 0; round < 20; round++) {
      const pixels = await hot.draw({
        entryPoint: 'opaque',
        order: 'independent',
        compare: 'less-equal',
        count: COUNT,
      });
      const words = new Uint32Array(pixels.buffer);
      const winners = new Set(words);
      for (const word of winners) {
        expect((word & 255) + ((word >> 8) & 255) * 256).toBeLessThan(COUNT);
        expect(word >>> 16).toBe(0xffff);
      }
      // A block belongs entirely to one surface, or to the two triangles of one.
      const first = (y: number, x: number): number => words[(y & ~7) * SIZE + (x & ~7) + 7]!;
      const mixed = words.filter((word, i) => {
        const x = i & 63;
        const y = i >> 6;
        const onDiagonal = x >> 3 === y >> 3;
        return !onDiagonal && word !== first(y, x);
      });
      expect(mixed.length).toBe(0);
      if (winners.size > 1) speckles++;
      const depths = new Float32Array((await hot.read(hot.device.createCommandEncoder(), hot.depth)).buffer);
      expect(new Set(depths)).toEqual(new Set([0.5]));
    }
    expect(speckles).toBeGreaterThan(0);
  });

  test('and in order the last of them, or the first', async () => {
    const of = (layer: number): number => (0xffff0000 | ((layer >> 8) << 8) | (layer & 255)) >>> 0;
    for (const [compare, layer] of [
      ['less-equal', 299],
      ['less', 0],
    ] as const) {
      // Fragments whose visibility is decided early keep their order.
      const pixels = await hot.draw({ entryPoint: 'opaque', compare, count: 300 });
      expect(new Set(new Uint32Array(pixels.buffer))).toEqual(new Set([of(layer)]));
    }
  });

  test('has the same bits with commutative blending', async () => {
    const layers: Layers = { entryPoint: 'clear', blend: MAX, order: 'independent', count: 60 };
    for (let round = 0; round < 5; round++) expect(await hot.draw(layers)).toEqual(await expected.draw(layers));
  });

  test('and other bits without, each made from these layers', async () => {
    const layers: Layers = { entryPoint: 'clear', blend: OVER, count: 60 };
    const inOrder = await expected.draw(layers);
    expect(await hot.draw(layers)).toEqual(inOrder);
    let others = 0;
    for (let round = 0; round < 20; round++) {
      const pixels = await hot.draw({ ...layers, order: 'independent' });
      if (Buffer.compare(pixels, inOrder) !== 0) others++;
      // Whatever the order, all layers contribute, as the target's alpha shows, up to rounding.
      expect(pixels.every((value, i) => i % 4 !== 3 || value === 255)).toBe(true);
      // Green is a mean of the previous value and a layer's, which is the same for all layers.
      expect(pixels.every((value, i) => i % 4 !== 1 || Math.abs(value - inOrder[i]!) <= 1)).toBe(true);
    }
    expect(others).toBeGreaterThan(0);
  });
});

describe('tiles are shared', () => {
  test('when other workers are idle, and layers that blend remain', async () => {
    const hot = new Hot(await openReady({ distribution: 'any', threads: 3 }));
    const since = counts(hot.device);
    const layers: Layers = { entryPoint: 'clear', blend: OVER, count: 300 };
    expect(await hot.draw(layers)).toEqual(await new Hot(alone).draw(layers));
    const { tilesShared, tilesJoined } = since();
    expect(tilesShared).toBe(1);
    expect(tilesJoined).toBeGreaterThan(0);
    hot.device.destroy();
  });

  test('not if only visible fragments are shaded', async () => {
    const hot = new Hot(await openReady({ distribution: 'any', threads: 3 }));
    const since = counts(hot.device);
    await hot.draw({ entryPoint: 'opaque', compare: 'less-equal', count: 4000 });
    expect(since()).toEqual({ tilesShared: 0, tilesJoined: 0 });
    hot.device.destroy();
  });

  test.each([
    ['by position', { threads: 3 }],
    ['of one worker', { ...ANY, threads: 1 }],
    ['by the calling thread', { ...ANY, threads: 0 }],
  ] as const)('not %s', async (_name, options) => {
    const hot = new Hot(await openReady(options));
    const since = counts(hot.device);
    const layers: Layers = { entryPoint: 'clear', blend: OVER, count: 100 };
    expect(await hot.draw(layers)).toEqual(await new Hot(alone).draw(layers));
    expect(since()).toEqual({ tilesShared: 0, tilesJoined: 0 });
    hot.device.destroy();
  });

  test('not if shaders read what others have stored', async () => {
    const hot = new Hot(await openReady({ ...ANY, threads: 3 }));
    const since = counts(hot.device);
    await hot.draw({ entryPoint: 'numbered', count: 100 });
    expect(since()).toEqual({ tilesShared: 0, tilesJoined: 0 });
    hot.device.destroy();
  });
});

describe.each(['jit', 'interpreter'] as const)('shaders with writes in a shared tile, %s', (engine) => {
  let hot: Hot;
  let since: ReturnType<typeof counts>;
  beforeAll(async () => {
    hot = new Hot(await openReady({ ...ANY, threads: 4, engine }));
    since = counts(hot.device);
  });
  afterAll(() => hot.device.destroy());
  const cameToIt = (): void => {
    const { tilesShared, tilesJoined } = since();
    expect(tilesShared).toBeGreaterThan(0);
    expect(tilesJoined).toBeGreaterThan(0);
  };

  test.each(['received', 'independent'] as const)('sums include each fragment once, %s', async (order) => {
    for (let round = 0; round < 5; round++) {
      hot.device.queue.writeBuffer(hot.counted, 0, new Uint32Array(1));
      await hot.draw({ entryPoint: 'counting', blend: OVER, order, count: 100 });
      const read = hot.device.createBuffer({ size: 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
      const encoder = hot.device.createCommandEncoder();
      encoder.copyBufferToBuffer(hot.counted, 0, read, 0, 4);
      hot.device.queue.submit([encoder.finish()]);
      await read.mapAsync(GPUMapMode.READ);
      expect(new Uint32Array(read.getMappedRange())[0]).toBe(SIZE * SIZE * ((100 * 101) / 2));
    }
    cameToIt();
  });

  test('each fragment reads what the previous one has stored at its pixel, in order', async () => {
    const one = new Hot(alone);
    const layers: Layers = { entryPoint: 'chained', blend: OVER, count: 150 };
    for (let round = 0; round < 5; round++) {
      expect(await hot.draw(layers)).toEqual(await one.draw(layers));
      const found = [hot, one].map((each) => each.read(each.device.createCommandEncoder(), each.chain));
      expect(await found[0]).toEqual(await found[1]);
    }
    cameToIt();
  });
});

test("passes that read each other's results keep their order", async () => {
  const hot = new Hot(await openReady({ ...ANY, threads: 3 }));
  const expected = new Hot(alone);
  const draw = async (each: Hot): Promise<Uint8Array> => {
    const encoder = each.device.createCommandEncoder();
    const others = [each.texture(), each.texture()] as const;
    each.add(encoder, { entryPoint: 'clear', blend: OVER, count: 30 }, others[0]);
    // Back and forth through the same pipeline, at texels of another side of the tile.
    for (let i = 0; i < 6; i++)
      each.add(
        encoder,
        { entryPoint: 'reading', blend: OVER, count: 20, before: others[i % 2]! },
        others[1 - (i % 2)]!
      );
    return each.read(encoder, others[0]);
  };
  for (let round = 0; round < 5; round++) expect(await draw(hot)).toEqual(await draw(expected));
  hot.device.destroy();
});

test('an unknown distribution is rejected', async () => {
  const message = 'create: distribution must be "position", "any", not "all"';
  await expect(open({ distribution: 'all' as 'any' })).rejects.toThrow(new TypeError(message));
});
