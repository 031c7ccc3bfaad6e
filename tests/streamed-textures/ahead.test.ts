// Geometry prefetch: the geometry of a chunk runs while tiles of the previous chunk wait for pages. Pictures and
// counters equal those of a resident texture, regardless of scheduling, and work that never gets enough pages blocks
// nothing.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TraceDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { builtPackage } from '../images/open';
import {
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
import { draw, kinds, type Scene } from './scenes.kit';
import { GPUShaderStage } from '../support/flags';
import { rounds } from '../support/rounds';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 300, height: 300, layers: 2, levels: 3 };
const PAGE = 16;

const WORKERS: Readonly<Record<string, CreateOptions>> = {
  'the calling thread': { threads: 0, engine: 'jit' },
  'the calling thread, vertices first': { threads: 0, engine: 'interpreter', scheduler: { priority: 'vertex' } },
  'one worker': { threads: 1, scheduler: { slots: 2 } },
  'two workers': { threads: 2, engine: 'jit' },
  'two workers, one of each': { threads: 2, scheduler: { budgets: { vertex: 1, pixel: 1 } } },
  'three workers, vertices first': { threads: 3, scheduler: { priority: 'vertex', timeoutMs: 1, slots: 9 } },
  'workers of a kind': { workerKinds: ['vertices', 'pixels', 'any'] },
  'four workers, few vertices': { threads: 4, engine: 'interpreter', scheduler: { budgets: { vertex: 1 } } },
};

const look = fc.record({
  scale: fc.double({ min: 0.05, max: 1, noNaN: true }),
  angle: fc.double({ min: 0, max: 6, noNaN: true }),
  offset: fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true })),
});
const scenes = fc.record({
  width: fc.integer({ min: 60, max: 200 }),
  height: fc.integer({ min: 60, max: 150 }),
  samples: fc.constantFrom(1, 4),
  kind: fc.constantFrom(...kinds),
  sampler: fc.constant<GPUSamplerDescriptor>({ addressModeU: 'repeat', magFilter: 'linear', minFilter: 'linear' }),
  draws: fc.array(fc.record({ look, blends: fc.boolean(), discards: fc.boolean() }), { minLength: 2, maxLength: 5 }),
});

describe.each(Object.entries(WORKERS))('with %s', (_, options) => {
  let opened: Open;
  beforeAll(async () => {
    opened = await open({ ...options, chunkEveryDraw: true });
  });
  afterAll(() => opened.device.destroy());

  test('pictures of passes with many chunks do not depend on residency', async () => {
    const { device } = opened;
    const before = device.statistics().counters['chunksPrefetched']!;
    await fc.assert(
      fc.asyncProperty(scenes, pages(40), async (scene, from) => {
        const all = whole(device, TEXELS);
        const expected = await draw(device, all, scene as Scene, TEXELS.layers);
        const found = await streaming(opened, TEXELS, PAGE, from, (map) =>
          draw(device, map, scene as Scene, TEXELS.layers)
        );
        expect(Buffer.compare(found, expected)).toBe(0);
        all.destroy();
      }),
      { numRuns: rounds(4) }
    );
    expect(device.statistics().counters['chunksPrefetched']! - before).toBeGreaterThan(0);
  }, 120_000);
});

const FLAT: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 256, height: 256, layers: 1, levels: 1 };
const SIZE = 256;
const FLAT_PAGE = 32;
const ABOUT_WAITING = [
  'warpsParked',
  'warpsOvertaken',
  'warpsReplayed',
  'tilesParked',
  'tilesOverdue',
  'tilesReplayed',
  'chunksPrefetched',
];

/**
 * Draws stacked sheets, one per draw call, with the given number of squares per side. Each vertex runs `turns`
 * iterations.
 */
function sheets(
  device: GPUDevice,
  [heights, colors]: readonly [GPUTexture, GPUTexture],
  { side = 20, turns = 1, count = 3, endless = false } = {}
): Promise<Uint8Array> {
  const module = device.createShaderModule({
    code: `
    @group(0) @binding(0) var heights: texture_2d<f32>;
    @group(0) @binding(1) var colors: texture_2d<f32>;
    struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f }
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) which: u32) -> Corner {
      let square = i / 6u;
      let corner = array(0u, 1u, 2u, 2u, 1u, 3u)[i % 6u];
      let at = vec2f(f32(square % ${side}u + (corner & 1u)), f32(square / ${side}u + (corner >> 1u))) / ${side};
      // Each has a part of its own.
      var height = textureLoad(heights, vec2i(at * vec2f(80, 255)) + vec2i(i32(which) * 85, 0), 0).x;
      for (var k = 0; k < ${turns}; k++) { height = fract(height * 1.37 + at.x); }
      ${endless ? 'while (which == 1u) { height = fract(height + 0.1); if (height > 2) { break; } }' : ''}
      return Corner(vec4f(at * 2 - 1, 0.9 - 0.1 * f32(which) - 0.05 * height, 1), at);
    }
    @fragment fn fs(corner: Corner) -> @location(0) vec4f {
      return vec4f(textureLoad(colors, vec2i(fract(corner.uv) * 255), 0).xyz, 0.5);
    }`,
  });
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.VERTEX, texture: {} },
      { binding: 1, visibility: GPUShaderStage.FRAGMENT, texture: {} },
    ],
  });
  const pipeline = device.createRenderPipeline({
    label: 'sheets',
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    vertex: { module },
    fragment: {
      module,
      targets: [
        {
          format: 'rgba8unorm',
          blend: { color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' }, alpha: {} },
        },
      ],
    },
    depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
  });
  const group = device.createBindGroup({
    layout,
    entries: [
      { binding: 0, resource: heights.createView() },
      { binding: 1, resource: colors.createView() },
    ],
  });
  return picture(device, SIZE, (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let which = 0; which < count; which++) pass.draw(6 * side * side, 1, 0, which);
  });
}

let opened: Open | null = null;
afterEach(() => {
  opened?.device.destroy();
  opened = null;
});

type LoadPage = Parameters<typeof streamed>[2]['loadPage'];

/** Pages that arrive once `isTime` returns true, polled every millisecond. */
const when =
  (isTime: () => boolean): LoadPage =>
  async (level, x, y, layer) => {
    while (!isTime()) await turn(1);
    return pageOf(FLAT, FLAT_PAGE, level, x, y, layer);
  };

describe.each([0, 2])('with %i workers', (threads) => {
  test('counters equal those of a resident texture, also when vertices wait', async () => {
    opened = await open({ threads, chunkEveryDraw: true });
    const { device, errors } = opened;
    const all = whole(device, FLAT);
    let expected = new Uint8Array();
    let found = expected;
    const there = await counted(device, async () => {
      expected = (await sheets(device, [all, all])) as typeof expected;
    });
    for (const isHigh of [false, true]) {
      const stream = { pageSize: FLAT_PAGE, loadPage: delayedSource(FLAT, FLAT_PAGE, [3]) };
      const map = streamed(device, FLAT, stream);
      const heights = isHigh ? streamed(device, FLAT, stream) : all;
      const late = await counted(device, async () => {
        found = (await sheets(device, [heights, map])) as typeof found;
      });
      expect(Buffer.compare(found, expected)).toBe(0);
      expect(late['chunksPrefetched']).toBeGreaterThan(0);
      const others = Object.entries(there).filter(([name]) => !ABOUT_WAITING.includes(name));
      expect(late).toMatchObject(Object.fromEntries(others));
      map.destroy();
    }
    expect(errors).toEqual([]);
  }, 60_000);

  test.each([
    ['vertex', 1],
    ['vertex', 1 << 30],
    ['pixel', 1 << 30],
  ] as const)(
    'many waiting vertices before waiting pixels, in reverse: "%s" first, %i ms',
    async (priority, timeoutMs) => {
      opened = await open({ threads, chunkEveryDraw: true, scheduler: { priority, timeoutMs, slots: 20 } });
      const { device, errors } = opened;
      const all = whole(device, FLAT);
      const flood = { side: 250, turns: 200, count: 2 };
      const expected = await sheets(device, [all, all], flood);
      const waiting: (() => void)[] = [];
      let timer: ReturnType<typeof setTimeout> | null = null;
      const answer = (): void => {
        for (let i = 0; i < 4; i++) waiting.pop()?.();
        timer = waiting.length > 0 ? setTimeout(answer, 1) : null;
      };
      const loadPage: LoadPage = async (level, x, y, layer) => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          timer ??= setTimeout(answer, 10);
        });
        return pageOf(FLAT, FLAT_PAGE, level, x, y, layer);
      };
      const map = streamed(device, FLAT, { pageSize: FLAT_PAGE, maxConcurrentLoads: 70, loadPage });
      let found = expected;
      const { chunksPrefetched, tilesOverdue } = await counted(device, async () => {
        found = await sheets(device, [all, map], flood);
      });
      expect(Buffer.compare(found, expected)).toBe(0);
      expect(chunksPrefetched).toBe(1);
      if (timeoutMs === 1) expect(tilesOverdue).toBeGreaterThan(0);
      else expect(tilesOverdue).toBe(0);
      expect(errors).toEqual([]);
    },
    60_000
  );

  test('a failing page or a destroyed device leaves nothing of the prefetched geometry', async () => {
    opened = await open({ threads, chunkEveryDraw: true });
    const { device, errors } = opened;
    const all = whole(device, FLAT);
    const expected = await sheets(device, [all, all]);
    const goes = (): boolean => device.statistics().counters['chunksPrefetched']! > 0;
    const load = when(goes);
    const map = streamed(device, FLAT, {
      pageSize: FLAT_PAGE,
      loadPage: async (...page) => {
        const texels = await load(...page);
        if (page[1] === 3) throw new Error('torn');
        return texels;
      },
    });
    await sheets(device, [all, map]);
    expect(errors.splice(0)).toEqual([expect.stringMatching(/render pass "flight" failed: .*torn/)]);
    expect(Buffer.compare(await sheets(device, [all, all]), expected)).toBe(0);
    const next = streamed(device, FLAT, { pageSize: FLAT_PAGE, loadPage: delayedSource(FLAT, FLAT_PAGE, [1]) });
    expect(Buffer.compare(await sheets(device, [all, next]), expected)).toBe(0);
    const before = device.statistics().counters['chunksPrefetched']!;
    const never = streamed(device, FLAT, { pageSize: FLAT_PAGE, loadPage: () => new Promise(() => undefined) });
    const lost = sheets(device, [all, never], { side: 250, turns: 60 }).catch(() => null);
    while (device.statistics().counters['chunksPrefetched'] === before) await turn(1);
    device.destroy();
    expect(await lost).toBeNull();
    expect((await device.lost).reason).toBe('destroyed');
  }, 60_000);

  test('vertices that never finish lose the device with a message while tiles wait', async () => {
    opened = await open({ threads, chunkEveryDraw: true, timeoutMs: 300 });
    const { device } = opened;
    const all = whole(device, FLAT);
    const never = streamed(device, FLAT, { pageSize: FLAT_PAGE, loadPage: () => new Promise(() => undefined) });
    void sheets(device, [all, never], { endless: true }).catch(() => null);
    expect((await device.lost).message).toMatch(/the vertex shader "vs" .* ran for more than 300 ms/);
  }, 60_000);
});

test('without memory for two chunks or a worker for geometry, chunks run one after the other', async () => {
  const arenaBytes = 1 << 20;
  for (const [options, isAhead] of [
    [{ budgets: { arenaBytes } }, false],
    [{ budgets: { arenaBytes: 2 * arenaBytes } }, false],
    [{ arenaBytes: 1 << 18, budgets: { arenaBytes: 8 << 20 } }, true],
    [{ scheduler: { budgets: { vertex: 0 } } }, false],
    [{ scheduler: { runToCompletion: true } }, false],
    [{}, true],
  ] as const satisfies readonly (readonly [CreateOptions, boolean])[]) {
    opened = await open({ threads: 2, chunkEveryDraw: true, ...options });
    const { device } = opened;
    const all = whole(device, FLAT);
    const expected = await sheets(device, [all, all]);
    const held = (): number => device.statistics().memory.passes.arenaBytes;
    const before = held();
    const map = streamed(device, FLAT, { pageSize: FLAT_PAGE, loadPage: delayedSource(FLAT, FLAT_PAGE, [2]) });
    expect(Buffer.compare(await sheets(device, [all, map]), expected)).toBe(0);
    expect(device.statistics().counters['chunksPrefetched']! > 0).toBe(isAhead);
    // The memory is allocated once tiles wait, and not before.
    expect(held()).toBe(isAhead ? 2 * before : before);
    if ('budgets' in options) expect(held()).toBeLessThanOrEqual(options.budgets.arenaBytes);
    device.destroy();
  }
}, 60_000);

test('the trace shows tiles of one chunk and vertices of the next at the same time', async () => {
  const { create } = await builtPackage();
  const adapter = await create({
    alwaysUseWorkers: true,
    threads: 2,
    chunkEveryDraw: true,
    scheduler: { budgets: { vertex: 1 } },
  }).requestAdapter();
  const device = (await adapter!.requestDevice({
    requiredFeatures: ['statistics', 'streamed-textures', 'trace'] as unknown as GPUFeatureName[],
  })) as Open['device'] & TraceDevice;
  opened = { device, errors: [] };
  while (device.statistics().workers < 2) await turn(1);
  const all = whole(device, FLAT);
  const flood = { side: 300, turns: 100, count: 2 };
  await sheets(device, [all, all], flood);
  device.takeTrace();
  const before = device.statistics().counters['chunksPrefetched']!;
  const loadPage = when(() => device.statistics().counters['chunksPrefetched']! > before);
  const map = streamed(device, FLAT, { pageSize: FLAT_PAGE, maxConcurrentLoads: 70, loadPage });
  await sheets(device, [all, map], flood);
  const spans = device.takeTrace().traceEvents.filter(({ ph }) => ph === 'X');
  const named = (name: string): typeof spans => spans.filter((span) => span.name === name);
  const ahead = named('geometry of the next chunk');
  expect(ahead.length).toBeGreaterThan(4);
  const meanwhile = named('tile').filter((tile) =>
    ahead.some((other) => other.tid !== tile.tid && other.ts < tile.ts + tile.dur! && tile.ts < other.ts + other.dur!)
  );
  expect(meanwhile.length).toBeGreaterThan(0);
  // Only one worker at a time processes vertices.
  for (const [i, one] of ahead.entries())
    for (const other of ahead.slice(i + 1))
      if (other.tid !== one.tid)
        expect(other.ts + 50 >= one.ts + one.dur! || one.ts + 50 >= other.ts + other.dur!).toBe(true);
}, 60_000);
