// The trace API: everything that workers have done is recorded, with correctly nested intervals.
import { expect, test } from 'vitest';
import type { StatisticsDevice, TraceDevice, TraceEvent } from '../../src/index';
import { SPAN_TILE, TraceRing } from '../../src/schedule';
import { builtPackage } from '../images/open';
import { GPUBufferUsage, GPUTextureUsage } from '../support/flags';

const PATIENCE_MS = 20_000;

async function open(threads: number, ...more: string[]): Promise<StatisticsDevice & TraceDevice> {
  const { create } = await builtPackage();
  const adapter = await create({ threads }).requestAdapter();
  const requiredFeatures = ['trace', 'statistics', 'streamed-textures', ...more] as unknown as GPUFeatureName[];
  const device = (await adapter!.requestDevice({ requiredFeatures })) as StatisticsDevice & TraceDevice;
  const until = performance.now() + PATIENCE_MS;
  while (device.statistics().workers < threads) {
    if (performance.now() > until) throw new Error(`workers are not up after ${PATIENCE_MS / 1000} s`);
    await new Promise((turn) => setTimeout(turn, 1));
  }
  return device;
}

const WIDTH = 500;
const HEIGHT = 300;
const TRIANGLES = 3000;
const CODE = `
  @group(0) @binding(0) var pages: texture_2d<f32>;
  struct Out { @builtin(position) p: vec4f, @location(0) c: vec4f }
  @vertex fn vertex(@builtin(vertex_index) i: u32) -> Out {
    let t = f32(i / 3) / ${TRIANGLES}.0;
    let a = f32(i % 3) * 2.1 + t * 90.0;
    return Out(vec4f(sin(t * 70.0) * 0.8 + cos(a) * 0.2, cos(t * 50.0) * 0.8 + sin(a) * 0.2, t, 1),
      vec4f(t, 1 - t, 1, 1));
  }
  @fragment fn fragment(in: Out) -> @location(0) vec4f {
    return in.c * textureLoad(pages, vec2u(in.p.xy) % 64, 0);
  }
  @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
  @compute @workgroup_size(64) fn compute(@builtin(global_invocation_id) id: vec3u) {
    var n = id.x;
    for (var i = 0u; i < 200; i++) { n = n * 1664525 + 1013904223; }
    numbers[id.x] = n;
  }`;
const GROUPS = 3000;

/** Draws, computes, waits for pages. */
async function work(device: StatisticsDevice & TraceDevice): Promise<void> {
  const module = device.createShaderModule({ code: CODE });
  const pages = device.createTexture({
    label: 'pages',
    size: [64, 64],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING,
    stream: {
      pageSize: 32,
      budget: 1 << 20,
      loadPage: async () => {
        await new Promise((turn) => setTimeout(turn, 400));
        return new Uint8Array(32 * 32 * 4).fill(255);
      },
    },
  } as GPUTextureDescriptor);
  const render = await device.createRenderPipelineAsync({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true },
    multisample: { count: 4 },
  });
  const compute = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  const size = [WIDTH, HEIGHT];
  const target = device.createTexture({
    size,
    format: 'rgba8unorm',
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
    sampleCount: 4,
  });
  const resolved = device.createTexture({
    size,
    format: 'rgba8unorm',
    usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const depth = device.createTexture({
    size,
    format: 'depth32float',
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
    sampleCount: 4,
  });
  const numbers = device.createBuffer({
    size: GROUPS * 64 * 4,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(numbers, 0, new Uint32Array(16));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    label: 'stars',
    colorAttachments: [
      { view: target.createView(), resolveTarget: resolved.createView(), loadOp: 'clear', storeOp: 'discard' },
    ],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'discard',
      depthClearValue: 1,
    },
  });
  pass.setPipeline(render);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: render.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: pages.createView() }],
    })
  );
  pass.draw(TRIANGLES * 3);
  pass.end();
  const computing = encoder.beginComputePass({ label: 'numbers' });
  computing.setPipeline(compute);
  computing.setBindGroup(
    0,
    device.createBindGroup({
      layout: compute.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: { buffer: numbers } }],
    })
  );
  computing.dispatchWorkgroups(GROUPS);
  computing.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
}

const end = ({ ts, dur }: TraceEvent): number => ts + dur!;
/** Permitted rounding error of summed times, in microseconds. */
const ROUNDING = 1e-3;

/** Intervals of a thread that overlap another without nesting. */
function crossing(events: readonly TraceEvent[]): TraceEvent[] {
  const sorted = [...events].sort((a, b) => a.ts - b.ts || end(b) - end(a));
  const open: TraceEvent[] = [];
  return sorted.filter((event) => {
    while (open.length > 0 && end(open.at(-1)!) <= event.ts + ROUNDING) open.pop();
    const isWrong = open.length > 0 && end(event) > end(open.at(-1)!) + ROUNDING;
    open.push(event);
    return isWrong;
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

test.each([0, 1, 2])('contains everything that %i workers and the calling thread have done', async (threads) => {
  const device = await open(threads);
  const { work: before } = device.statistics();
  await work(device);
  const { traceEvents, displayTimeUnit, otherData } = JSON.parse(JSON.stringify(device.takeTrace())) as ReturnType<
    TraceDevice['takeTrace']
  >;
  expect([displayTimeUnit, otherData]).toEqual(['ms', { lost: 0 }]);
  const { counters, work: done, streams } = device.statistics();
  const rows = Array.from({ length: threads + 1 }, (_, tid) =>
    traceEvents.filter((event) => event.ph === 'X' && event.tid === tid)
  );
  for (const row of rows) expect(crossing(row)).toEqual([]);
  const named = (events: readonly TraceEvent[], name: string): TraceEvent[] => events.filter((e) => e.name === name);
  done.forEach(({ tasks, tiles }, index) => {
    const row = rows[index + 1]!;
    const { tasks: tasksBefore, tiles: tilesBefore } = before[index]!;
    expect(named(row, 'geometry').length).toBe(tasks - tasksBefore);
    expect(named(row, 'resolve and store').length).toBeGreaterThanOrEqual(tiles - tilesBefore);
    expect(row.some(({ name }) => name === 'take up modules')).toBe(true);
  });
  const all = traceEvents.filter(({ ph }) => ph === 'X');
  // Each tile was stored once, at its place.
  const places = named(all, 'tile')
    .filter(({ args }) => args!['outcome'] === 'done')
    .map(({ args }) => `${args!['x']},${args!['y']}`);
  const tiles: string[] = [];
  for (let y = 0; y < HEIGHT; y += 64) for (let x = 0; x < WIDTH; x += 64) tiles.push(`${x},${y}`);
  expect(new Set(places)).toEqual(new Set(tiles));
  expect(counters['tilesRun']).toBeGreaterThan(0);
  expect(sum(named(all, 'workgroups').map(({ args }) => args!['count'] as number))).toBe(GROUPS);
  expect(named(all, 'set up triangles').length).toBeGreaterThan(0);
  expect(named(rows[0]!, 'writeBuffer')[0]!.args).toEqual({ offset: 0, bytes: 64 });
  // Each of the three shaders, in one turn or several.
  expect(new Set(named(rows[0]!, 'emit').map(({ args }) => args!['program'])).size).toBe(3);
  // Intervals that belong to no thread begin before they end.
  const passing = traceEvents.filter(({ ph }) => ph === 'b');
  for (const { id, name, ts } of passing) {
    const ends = traceEvents.filter((event) => event.ph === 'e' && event.id === id);
    expect(ends.map((event) => event.name)).toEqual([name]);
    expect(ends[0]!.ts).toBeGreaterThanOrEqual(ts);
  }
  expect(named(passing, 'render pass "stars"').length).toBe(1);
  expect(named(passing, 'compute pass "numbers"').length).toBe(1);
  expect(named(passing, 'load page').length).toBe(streams.pagesRequested);
  expect(named(passing, 'wait for pages').length).toBeGreaterThan(0);
  // The trace can be taken once.
  expect(device.takeTrace().traceEvents.filter(({ ph }) => ph !== 'M')).toEqual([]);
  device.destroy();
});

test('a device that did not request it has none', async () => {
  const { create } = await builtPackage();
  const device = await (await create({ threads: 0 }).requestAdapter())!.requestDevice();
  expect('takeTrace' in device).toBe(false);
  device.destroy();
});

test('a ring keeps the last intervals, and reports how many are lost', () => {
  const ring = TraceRing.make(false);
  const reader = new TraceRing(ring.buffer);
  const seen: number[] = [];
  ring.begin();
  ring.add(SPAN_TILE, 1, 2, 7);
  let { next, lost } = reader.read(0, performance.timeOrigin, (entry) => seen.push(...entry));
  expect([seen, next, lost]).toEqual([[1, 2, SPAN_TILE, 7, 0, 0], 1, 0]);
  seen.length = 0;
  const count = 40_000;
  for (let i = 0; i < count; i++) ring.add(SPAN_TILE, i, i + 1, i);
  ({ next, lost } = reader.read(next, performance.timeOrigin, (entry) => seen.push(entry[3]!)));
  expect([next, lost + seen.length, seen.at(-1)]).toEqual([count + 1, count, count - 1]);
  expect(seen).toEqual(seen.map((_, i) => count - seen.length + i));
});
