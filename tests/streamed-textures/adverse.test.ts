// Streamed textures under adverse conditions: sources that answer in the worst order, budgets that evict pages again
// and again, and work that never has enough pages. Passes finish, and their pictures equal those of fully resident
// textures.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice, TextureStream } from '../../src/index';
import type { CreateOptions } from '../support/options';
import {
  SHARED_TILES,
  budgetOf,
  delayedSource,
  open,
  pageOf,
  picture,
  streamed,
  whole,
  type Open,
  type Texels,
  failWhenDivided,
} from './kit';
import { GPUShaderStage } from '../support/flags';
import { rounds } from '../support/rounds';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 200, height: 150, layers: 1, levels: 8 };
const PAGE = 16;
const SIZE = 150;
const SIDE = 40;

/**
 * Heights displace the vertices of a grid. It draws opaque and coincident surfaces, and transparent ones that
 * intersect.
 */
const CODE = `
  @group(0) @binding(0) var heights: texture_2d<f32>;
  @group(0) @binding(1) var colors: texture_2d<f32>;
  @group(0) @binding(2) var linear: sampler;
  struct Corner {
    @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) @interpolate(flat) which: u32
  }
  @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) which: u32) -> Corner {
    let square = i / 6u;
    let corner = array(0u, 1u, 2u, 2u, 1u, 3u)[i % 6u];
    let at = vec2f(f32(square % ${SIDE}u + (corner & 1u)), f32(square / ${SIDE}u + (corner >> 1u))) / ${SIDE};
    let height = textureLoad(heights, vec2i(at * vec2f(199, 149)), 0);
    // The first two are coincident, the third cuts them.
    let depth = select(0.3 + height.z * 0.3, 0.6 - height.z * 0.3, which == 2u);
    return Corner(vec4f(at * 1.9 - 0.95 + (height.xy - 0.5) * 0.05, depth, 1), at, which);
  }
  @fragment fn fs(corner: Corner) -> @location(0) vec4f {
    let first = textureSampleLevel(colors, linear, corner.uv, 0);
    return vec4f(textureSample(colors, linear, first.xy + corner.uv + 0.3 * f32(corner.which)).xyz,
      0.25 + 0.5 * first.w);
  }`;

function draw(device: StatisticsDevice, heights: GPUTexture, colors: GPUTexture): Promise<Uint8Array> {
  const module = device.createShaderModule({ code: CODE });
  const format = 'rgba8unorm';
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.VERTEX, texture: {} },
      { binding: 1, visibility: GPUShaderStage.FRAGMENT, texture: {} },
      { binding: 2, visibility: GPUShaderStage.FRAGMENT, sampler: {} },
    ],
  });
  const blends: GPUBlendState = { color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' }, alpha: {} };
  const pipelines = [false, true].map((isClear) =>
    device.createRenderPipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      vertex: { module },
      fragment: { module, targets: [{ format, ...(isClear ? { blend: blends } : {}) }] },
      depthStencil: { format: 'depth24plus', depthWriteEnabled: !isClear, depthCompare: 'less-equal' },
    })
  );
  const group = device.createBindGroup({
    layout,
    entries: [
      { binding: 0, resource: heights.createView() },
      { binding: 1, resource: colors.createView() },
      {
        binding: 2,
        resource: device.createSampler({ minFilter: 'linear', magFilter: 'linear', mipmapFilter: 'linear' }),
      },
    ],
  });
  return picture(device, SIZE, (pass) => {
    pass.setBindGroup(0, group);
    for (const pipeline of pipelines) {
      pass.setPipeline(pipeline);
      pass.draw(6 * SIDE * SIDE, 3);
    }
  });
}

type Order = 'reverse' | 'random' | 'once all wait';

interface Adversity {
  readonly order: Order;
  readonly seed: number;
  readonly maxConcurrentLoads: number;
  /** Pages of each map in addition to those that are always resident. */
  readonly heights: number;
  readonly colors: number;
}
/** Evicts pages again and again. */
const EVICTS: Adversity = { order: 'reverse', seed: 1, maxConcurrentLoads: 4, heights: 8, colors: 8 };

/**
 * Answers up to three requests for pages at a time in its own order, some turns of the event loop after the last
 * request. Where all requests wait for each other, it answers a millisecond after the last one.
 */
class Source {
  readonly calls = new Map<string, number>();
  private waiting: (() => void)[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The number of the next answer; older ones have been put off. */
  private next = 0;

  constructor(
    private readonly order: Order,
    private seed: number
  ) {}

  readonly loadPage: TextureStream['loadPage'] = async (level, x, y, layer) => {
    const name = `${level} ${x} ${y}`;
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      this.answerLater(2);
    });
    return pageOf(TEXELS, PAGE, level, x, y, layer);
  };

  private answerLater(turns: number): void {
    if (this.order === 'once all wait') {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.answer(), 1);
      return;
    }
    const number = ++this.next;
    const turn = (left: number): void => {
      if (number !== this.next) return;
      if (left > 0) setImmediate(turn, left - 1);
      else this.answer();
    };
    turn(turns);
  }

  private answer(): void {
    const count = this.order === 'once all wait' ? Infinity : 1 + (this.random() % 3);
    for (let answered = 0; answered < count && this.waiting.length > 0; answered++) {
      const at = this.order === 'random' ? this.random() % this.waiting.length : this.waiting.length - 1;
      this.waiting.splice(at, 1)[0]!();
    }
    if (this.waiting.length > 0) this.answerLater(1 + (this.random() % 3));
  }

  private random(): number {
    this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0;
    return this.seed >>> 8;
  }
}

const SETTINGS: readonly (readonly [string, CreateOptions])[] = [
  // More or fewer tiles are retained while they wait.
  ...[0, 1, 2, 3, 4].map(
    (threads) => [`${threads} workers`, { threads, scheduler: { slots: 2 + 3 * threads } }] as const
  ),
  ['three workers at every tile', SHARED_TILES],
];

describe.each(SETTINGS)('with %s', (_, options) => {
  let opened: Open;
  beforeAll(async () => {
    opened = await open(options);
  });
  afterAll(() => opened.device.destroy());

  test('pages arrive in any order under a budget that evicts them soon', async () => {
    const { device, errors } = opened;
    const all = whole(device, TEXELS);
    const expected = await draw(device, all, all);
    let most = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record<Adversity>({
          order: fc.constantFrom<Order>('reverse', 'random', 'once all wait'),
          seed: fc.nat(),
          maxConcurrentLoads: fc.integer({ min: 2, max: 30 }),
          heights: fc.integer({ min: 4, max: 60 }),
          colors: fc.integer({ min: 8, max: 60 }),
        }),
        async ({ order, seed, maxConcurrentLoads, heights, colors }) => {
          for (let more = 1; ; more *= 1.5) {
            const sources = [new Source(order, seed), new Source(order, seed + 1)] as const;
            const maps = [heights, colors].map((pages, i) =>
              streamed(
                device,
                TEXELS,
                {
                  pageSize: PAGE,
                  maxConcurrentLoads,
                  budget: budgetOf(TEXELS, PAGE, pages * more),
                  loadPage: failWhenDivided(device, sources[i]!.loadPage),
                },
                `map ${i}`
              )
            ) as [GPUTexture, GPUTexture];
            errors.length = 0;
            const found = [await draw(device, ...maps), await draw(device, ...maps)];
            for (const map of maps) map.destroy();
            if (errors.some((message) => message.includes('stream.budget'))) continue;
            expect(errors).toEqual([]);
            for (const one of found) expect(Buffer.compare(one, expected)).toBe(0);
            for (const { calls } of sources) most = Math.max(most, ...calls.values());
            break;
          }
        }
      ),
      { numRuns: rounds(2), examples: [[EVICTS]] }
    );
    // Some page has been loaded and evicted, twice, and loaded again.
    expect(most).toBeGreaterThan(2);
    all.destroy();
  }, 120_000);

  test('many waiting vertices next to pixels that always wait', async () => {
    const { device, errors } = opened;
    const all = whole(device, TEXELS);
    const expected = await draw(device, all, all);
    // One page at a time, each of them late.
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      maxConcurrentLoads: 1,
      loadPage: delayedSource(TEXELS, PAGE, [2]),
    });
    const before = device.statistics().counters['verticesShaded']!;
    const slow = draw(device, all, map);
    const flood = Array.from({ length: 8 }, () => draw(device, all, all));
    expect(Buffer.compare(await slow, expected)).toBe(0);
    for (const one of await Promise.all(flood)) expect(Buffer.compare(one, expected)).toBe(0);
    // Pages that pixels wait for do not make vertices run again either.
    expect(device.statistics().counters['verticesShaded']! - before).toBe(9 * 2 * 3 * 6 * SIDE * SIDE);
    expect(errors).toEqual([]);
    map.destroy();
    all.destroy();
  }, 60_000);

  test('a source that never answers fails by its timeout, and later work continues', async () => {
    const { device, errors } = opened;
    const all = whole(device, TEXELS);
    const expected = await draw(device, all, all);
    const aborted: string[] = [];
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      timeoutMs: 60,
      loadPage: (level, x, y, layer, signal) =>
        level > 0 || x !== 5
          ? pageOf(TEXELS, PAGE, level, x, y, layer)
          : new Promise((resolve) => {
              signal.addEventListener('abort', () => aborted.push(`${level} ${x} ${y}`));
              void resolve;
            }),
    });
    const failing = draw(device, map, all);
    const behind = draw(device, all, all);
    await failing;
    expect(Buffer.compare(await behind, expected)).toBe(0);
    expect(errors.splice(0)).toEqual([
      expect.stringMatching(/page \(5, \d\) of level 0 could not be loaded: no answer in 60 ms/),
    ]);
    expect(aborted.length).toBeGreaterThan(0);
    map.destroy();
    all.destroy();
  }, 60_000);
});
