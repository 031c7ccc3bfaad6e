// Out-of-order stream output (setProcessingOrder of vertices and primitives): buffers receive the same primitives, each
// of them complete. In order, they are bit-identical to a single thread's. The `shuffle` option randomizes the schedule
// by a seed, so that a violated order is visible.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  ModularPipeline,
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularStage,
  ProcessingOrderCommands,
  SampleOrder,
  StatisticsDevice,
  ModularPipelineCommands,
} from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { validationError } from '../../api/fake';
import { openBuiltWith } from '../../images/open';
import { open as openStreaming, pageOf, streamed, whole, type Texels } from '../../streamed-textures/kit';
import { open, openReady } from '../../threads/open';
import { rounds } from '../../support/rounds';
import { cornersAtEnd, emittingTables, listedOn } from './modular.geometry';
import { GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../../support/flags';

const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 18);
const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, STORAGE: 128, INDIRECT: 256 } as const;
const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 200, height: 150, layers: 1, levels: 8 };
const CODE = `enable modular_pipelines;
  struct V { @location(0) @interpolate(flat) n: u32, @location(1) @interpolate(flat) k: u32 }
  struct Levels { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f }
  struct Seen { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @group(0) @binding(0) var map: texture_2d<f32>;
  @vertex fn load(@builtin(vertex_index) i: u32, @builtin(instance_index) draw: u32) -> V { return V(i, draw * 64); }
  @vertex fn read(@builtin(vertex_index) i: u32, @builtin(instance_index) draw: u32) -> V {
    return V(u32(textureLoad(map, vec2u(i % 200, i / 200 % 150), 0).x * 255) * 3, i);
  }
  @vertex fn more(v: V) -> V { return V(v.n, v.k + 32); }
  @geometry fn some(v: array<V, 3>) {
    let many = v[0].n / 3 * 7 % 4;
    for (var k = 0u; k < many; k++) {
      for (var c = 0u; c < 3; c++) { emitVertex(V(v[c].n, v[c].k + k)); }
      endStrip();
    }
  }
  @primitive fn odd(v: array<V, 3>) -> @builtin(cull_primitive) bool { return v[0].n / 3 % 2 == 1; }
  @tess_control fn cut(v: array<V, 3>) -> Levels {
    let level = f32(v[0].n / 3 % 4);
    return Levels(vec4f(level), vec2f(level));
  }
  @tess_evaluation fn place(v: array<V, 3>, @builtin(tess_coord) at: vec3f) -> V {
    return V(v[0].n, v[0].k + u32(at.x * 4) * 8 + u32(at.y * 4));
  }
  @vertex fn look(v: V) -> Seen {
    let at = vec2f(f32(v.n * 37 % 101), f32(v.n * 53 % 103)) / 51 - 1;
    return Seen(vec4f(at, f32(v.n % 97) / 97, 1), vec3f(f32(v.n % 7), f32(v.n % 5), f32(v.k)) / 7);
  }
  @fragment fn fill(@location(0) color: vec3f) -> @location(0) vec4f { return vec4f(color, 1); }`;
/** Vertices per draw call: several tasks, whatever the stages emit. */
const VERTICES = 9_000;
const STRIDE = 8;
const RESTART = 0xffff_ffff;

type Device = StatisticsDevice & ModularPipelineDevice;
type Pass = GPURenderPassEncoder & ModularPipelineCommands & ProcessingOrderCommands;
type Type = Parameters<ProcessingOrderCommands['setProcessingOrder']>[0];
/** `most`: maximum number of primitives per input primitive. */
interface Kind {
  readonly type: Type;
  readonly most: number;
  readonly slots: readonly (readonly [ModularStage['kind'], string])[];
  readonly isStrip?: true;
  readonly isPatch?: true;
  readonly joins?: true;
}
const KINDS = {
  emitted: {
    type: 'primitive',
    most: 7,
    slots: [
      ['vertex', 'load'],
      ['geometry', 'some'],
    ],
  },
  dropped: {
    type: 'primitive',
    most: 1,
    slots: [
      ['vertex', 'load'],
      ['primitive', 'odd'],
    ],
  },
  tessellated: {
    type: 'primitive',
    most: 32,
    isPatch: true,
    slots: [
      ['vertex', 'load'],
      ['tess_control', 'cut'],
      ['tess_evaluation', 'place'],
    ],
  },
  'of two paths': {
    type: 'vertex',
    most: 2,
    joins: true,
    slots: [
      ['vertex', 'load'],
      ['vertex', 'more'],
    ],
  },
  'of strips with restarts': { type: 'vertex', most: 1, isStrip: true, slots: [['vertex', 'load']] },
  'of a list': { type: 'vertex', most: 1, slots: [['vertex', 'load']] },
} as const satisfies Record<string, Kind>;

const BUFFER = {
  arrayStride: STRIDE,
  attributes: [
    { shaderLocation: 0, offset: 0, format: 'uint32' },
    { shaderLocation: 1, offset: 4, format: 'uint32' },
  ],
} as const;
const modules = new WeakMap<GPUDevice, GPUShaderModule>();

function moduleOf(device: GPUDevice): GPUShaderModule {
  const module = modules.get(device) ?? device.createShaderModule({ code: CODE });
  modules.set(device, module);
  return module;
}

function tableOf(
  device: Device,
  { slots, isStrip, isPatch, joins }: Kind,
  given: Partial<ModularPipelineDescriptor> = {}
): ModularPipeline {
  const module = moduleOf(device);
  return device.createModularPipeline({
    label: 'storing',
    layout: 'auto',
    input: {
      topology: isPatch ? 'patch-list' : isStrip ? 'triangle-strip' : 'triangle-list',
      ...(isPatch ? { patchVertices: 3 } : {}),
      ...(isStrip ? { stripIndexFormat: 'uint32' } : {}),
    },
    stages: slots.map(([kind, entryPoint]) => ({
      kind,
      module,
      entryPoint,
      ...(kind === 'geometry' ? { maxVertices: 9 } : {}),
      ...(kind === 'tess_evaluation' ? { maxLevel: 4 } : {}),
    })),
    ...(joins ? { edges: [[0, 1]] } : {}),
    sinks: [{ ...(joins ? { from: [0, 1] } : {}), buffer: BUFFER }],
    ...given,
  });
}

interface Way {
  readonly table?: ModularPipeline;
  /** The sample type whose order is set. */
  readonly type?: Type;
  readonly bundled?: boolean;
  /** One indirect draw call into a sink of this many bytes, in place of direct ones. */
  readonly bytes?: number;
}

const empty = { colorAttachments: [], size: [1, 1], sampleCount: 1 } as unknown as GPURenderPassDescriptor;
const drawingTo = (texture: GPUTexture): GPURenderPassDescriptor => ({
  colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
});

/** Sets the sink buffer of draw calls in a pass or in a bundle. */
type SetSink = (to: Pick<Pass, 'setSinkBuffer'>) => void;

/** Returns the words that a pass stores in a sink of at most `bytes` bytes. */
async function wordsOf(
  device: Device,
  bytes: number,
  record: (pass: Pass, setSink: SetSink) => void,
  descriptor = empty
): Promise<Uint32Array> {
  const size = bytes + 64;
  const usage = USAGE.STORAGE | USAGE.COPY_SRC;
  const target = device.createBuffer({ size, usage });
  const counts = device.createBuffer({ size: 16, usage });
  const copy = device.createBuffer({ size: size + 16, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass(descriptor) as Pass;
  record(pass, (to) => to.setSinkBuffer(target, 0, bytes, counts));
  pass.end();
  encoder.copyBufferToBuffer(target, 0, copy, 0, size);
  encoder.copyBufferToBuffer(counts, 0, copy, size, 16);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(copy.getMappedRange().slice(0));
  const told = words[size / 4]!;
  for (const used of [target, counts, copy]) used.destroy();
  expect([...words.subarray(size / 4 + 1)]).toEqual([1, 0, 0]);
  // The space after the sink's end.
  expect(words.subarray(bytes / 4, size / 4).every((word) => word === 0)).toBe(true);
  return words.subarray(0, told * 2);
}

/** Returns a string per primitive. */
async function stored(
  device: Device,
  kind: Kind,
  orders: readonly SampleOrder[],
  { table = tableOf(device, kind), type = kind.type, bundled = false, bytes }: Way = {}
): Promise<string[]> {
  const list = Uint32Array.from({ length: VERTICES }, (_, i) => (i % 11 === 7 || i % 100 < 2 ? RESTART : i));
  const indices = device.createBuffer({ size: list.byteLength, usage: USAGE.INDEX | USAGE.COPY_DST });
  device.queue.writeBuffer(indices, 0, list);
  const indirect = device.createBuffer({ size: 16, usage: USAGE.INDIRECT | USAGE.COPY_DST });
  device.queue.writeBuffer(indirect, 0, Uint32Array.of(VERTICES, 1, 0, 0));
  const texture = device.createTexture({ size: [1, 1], format: 'r8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT });
  // Draw call `i` has instance `i`.
  const draw = (to: Pass, i: number): void => {
    to.setPipeline(table);
    to.setIndexBuffer(indices, 'uint32');
    if (bytes !== undefined) to.drawIndirect(indirect, 0);
    else if (kind.isStrip) to.drawIndexed(VERTICES, 1, 0, 0, i);
    else to.draw(VERTICES, 1, 0, i);
  };
  const most = (kind.isStrip ? VERTICES : VERTICES / 3) * kind.most * 3 * STRIDE;
  const words = await wordsOf(
    device,
    bytes ?? orders.length * most,
    (pass, setSink) => {
      if (!bundled) {
        setSink(pass);
        orders.forEach((order, i) => {
          pass.setProcessingOrder(type, order);
          draw(pass, i);
        });
        return;
      }
      const bundle = device.createRenderBundleEncoder({ colorFormats: ['r8unorm'] }) as unknown as Pass;
      setSink(bundle);
      orders.forEach((_, i) => draw(bundle, i));
      pass.setProcessingOrder(type, orders[0]!);
      pass.executeBundles([(bundle as unknown as GPURenderBundleEncoder).finish()]);
    },
    bundled ? drawingTo(texture) : empty
  );
  for (const used of [indices, indirect, texture]) used.destroy();
  return primitivesOf(words, 3);
}

const primitivesOf = (words: ArrayLike<number>, corners: number): string[] =>
  Array.from({ length: words.length / (2 * corners) }, (_, i) =>
    Array.from({ length: 2 * corners }, (__, at) => words[i * 2 * corners + at]).join()
  );
const sorted = (primitives: readonly string[]): string[] => [...primitives].sort();
/** The draw call of `stored` that a primitive belongs to. */
const drawOf = (primitive: string): number => Math.floor(Number(primitive.split(',')[1]) / 64);
const all = (order: SampleOrder, count: number): SampleOrder[] => Array.from({ length: count }, () => order);

const engines: Readonly<Record<string, CreateOptions & { readonly threads: number }>> = {
  compiled: { engine: 'jit', threads: 0 },
  'interpreted by one worker': { engine: 'interpreter', threads: 1 },
  'by two': { threads: 2 },
  'by three, a chunk after every draw': { threads: 3, chunkEveryDraw: true },
  'by four, a small arena': { threads: 4, arenaBytes: 1024 },
  'the scalar kernel': { simd: false, threads: 0 },
  'the oracle': { immediate: true, threads: 0 },
  shuffled: { threads: 0, shuffle: 7 },
  'shuffled, by two': { threads: 2, shuffle: 12345 },
};

describe.each(Object.entries(engines))('out-of-order stream output: %s', (name, options) => {
  let device: Device;
  let alone: Device;
  beforeAll(async () => {
    [device, alone] = (await Promise.all([openReady(options), open({ threads: 0 })])) as [Device, Device];
  });
  afterAll(() => {
    device.destroy();
    alone.destroy();
  });

  test.each(Object.entries(KINDS))('store the same primitives when they are %s', async (_, kind) => {
    const wanted = await stored(alone, kind, all('received', 3));
    const table = tableOf(device, kind);
    expect(wanted.length).toBeGreaterThan(VERTICES / 3);
    expect(await stored(device, kind, all('received', 3))).toEqual(wanted);
    const found = await stored(device, kind, all('independent', 3), { table });
    expect(sorted(found)).toEqual(sorted(wanted));
    expect(table.statistics().bytesCompacted).toBe(0);
    if (options.shuffle) expect(found).not.toEqual(wanted);
  });

  test('the order can be switched within a pass', async () => {
    for (const kind of [KINDS.emitted, KINDS['of two paths']]) {
      const wanted = await stored(alone, kind, all('received', 4));
      const found = await stored(device, kind, ['received', 'independent', 'independent', 'received']);
      const [second, last] = [1, 3].map((draw) => wanted.findIndex((primitive) => drawOf(primitive) === draw));
      expect(found.slice(0, second)).toEqual(wanted.slice(0, second));
      expect(sorted(found.slice(second, last))).toEqual(sorted(wanted.slice(second, last)));
      expect(found.slice(last)).toEqual(wanted.slice(last));
      if (options.shuffle) expect(found.slice(second, last)).not.toEqual(wanted.slice(second, last));
    }
  });

  test('random modular pipelines', async () => {
    await fc.assert(
      fc.asyncProperty(emittingTables, fc.constantFrom('first', 'last', null), async (table, forks) => {
        const emitting = table.stages.flatMap((stage) => (stage.kind === 'vertex' ? [] : [stage.most]));
        // The buffer has room for the maximum output.
        fc.pre(emitting.reduce((product, most) => product * most, table.vertices) < 20_000);
        const wanted = await listedOn(alone, table, forks);
        const found = await listedOn(device, table, forks, 'independent');
        const corners = cornersAtEnd(table);
        expect(found.counts).toEqual(wanted.counts);
        expect(sorted(primitivesOf(found.vertices, corners))).toEqual(sorted(primitivesOf(wanted.vertices, corners)));
      }),
      {
        numRuns: rounds(6),
        seed: SEED + Object.keys(engines).indexOf(name),
        interruptAfterTimeLimit: 60_000,
        markInterruptAsFailure: true,
      }
    );
  }, 90_000);

  test('indirect draws drop whole primitives that do not fit', async () => {
    const room = 100 * 3 * STRIDE + 2 * STRIDE;
    const wanted = await stored(alone, KINDS.emitted, ['received']);
    const found = await stored(device, KINDS.emitted, ['independent'], { bytes: room });
    expect(found).toHaveLength(100);
    expect(new Set(found).size).toBe(100);
    const there = new Set(wanted);
    expect(found.filter((primitive) => !there.has(primitive))).toEqual([]);
  });

  test('a pass that draws as well has the same picture', async () => {
    /** The picture of three draw calls, and what they store in between. */
    const both = async (on: Device, order: SampleOrder): Promise<{ pixels: Uint8Array; primitives: string[] }> => {
      const module = moduleOf(on);
      const table = tableOf(on, KINDS.emitted);
      const drawing = on.createModularPipeline({
        layout: 'auto',
        input: {},
        sinks: [{ raster: { fragment: { module, targets: [{ format: 'rgba8unorm' }] } } }],
        stages: [
          { kind: 'vertex', module, entryPoint: 'load' },
          { kind: 'vertex', module, entryPoint: 'look' },
        ],
      });
      const texture = on.createTexture({
        size: [64, 64],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
      });
      const words = await wordsOf(
        on,
        2 * VERTICES * 7 * STRIDE,
        (pass, setSink) => {
          pass.setProcessingOrder('primitive', order);
          setSink(pass);
          for (let i = 0; i < 5; i++) {
            pass.setPipeline(i % 2 ? table : drawing);
            pass.draw(i % 2 ? VERTICES : 3000, 1, i * 9, i);
          }
        },
        drawingTo(texture)
      );
      const copy = on.createBuffer({ size: 64 * 256, usage: USAGE.MAP_READ | USAGE.COPY_DST });
      const encoder = on.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: 256 }, [64, 64]);
      on.queue.submit([encoder.finish()]);
      await copy.mapAsync(GPUMapMode.READ);
      const pixels = new Uint8Array(copy.getMappedRange()).slice();
      for (const used of [texture, copy]) used.destroy();
      return { pixels, primitives: primitivesOf(words, 3) };
    };
    const wanted = await both(alone, 'received');
    const found = await both(device, 'independent');
    expect(found.pixels).toEqual(wanted.pixels);
    expect(new Set(wanted.pixels).size).toBeGreaterThan(9);
    expect(sorted(found.primitives)).toEqual(sorted(wanted.primitives));
    expect((await both(device, 'received')).primitives).toEqual(wanted.primitives);
  });
});

describe('processing order of stream output', () => {
  let device: Device;
  let wanted: readonly string[];
  beforeAll(async () => {
    device = (await open({ threads: 0, shuffle: 99 })) as Device;
    wanted = await stored(device, KINDS.emitted, all('received', 2));
  });
  afterAll(() => device.destroy());

  const isInOrder = async (orders: readonly SampleOrder[], way: Way): Promise<boolean> => {
    const primitives = await stored(device, KINDS.emitted, orders, way);
    expect(sorted(primitives)).toEqual(sorted(wanted));
    return primitives.every((primitive, i) => primitive === wanted[i]);
  };

  test('is set by the pass for the streamed sample type, also for bundles', async () => {
    const orders = all('independent', 2);
    expect(await isInOrder(orders, {})).toBe(false);
    expect(await isInOrder(orders, { type: 'vertex' })).toBe(true);
    expect(await isInOrder(orders, { type: 'pixel' })).toBe(true);
    expect(await isInOrder(orders, { bundled: true })).toBe(false);
    expect(await isInOrder(all('received', 2), { bundled: true })).toBe(true);
    expect(device.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] })).not.toHaveProperty('setProcessingOrder');
  });

  test('is set by the pipeline, whatever the pass says', async () => {
    const saying = (order: SampleOrder | 'auto'): Way => ({
      table: tableOf(device, KINDS.emitted, { processingOrder: { primitive: order } }),
    });
    expect(await isInOrder(all('received', 2), saying('independent'))).toBe(false);
    expect(await isInOrder(all('independent', 2), saying('received'))).toBe(true);
    expect(await isInOrder(all('independent', 2), saying('auto'))).toBe(false);
    expect(await isInOrder(all('received', 2), saying('auto'))).toBe(true);
    const replaced = tableOf(device, KINDS.emitted, { processingOrder: { primitive: 'independent' } });
    replaced.replaceStage(0, { kind: 'vertex', module: moduleOf(device), entryPoint: 'load' });
    expect(await isInOrder(all('received', 2), { table: replaced })).toBe(false);
  });

  test('is ignored by a pipeline that draws as well', async () => {
    const texture = device.createTexture({ size: [1, 1], format: 'r8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT });
    const fragment = { module: moduleOf(device), targets: [{ format: 'r8unorm' as const, writeMask: 0 }] };
    const slots = [...KINDS.emitted.slots, ['vertex', 'look']] as const;
    const table = tableOf(
      device,
      { ...KINDS.emitted, slots },
      {
        edges: [
          [0, 1],
          [1, 2],
        ],
        sinks: [
          { from: 1, buffer: BUFFER },
          { from: 2, raster: { fragment } },
        ],
      }
    );
    const words = await wordsOf(
      device,
      VERTICES * 7 * STRIDE,
      (pass, setSink) => {
        pass.setProcessingOrder('primitive', 'independent');
        pass.setPipeline(table);
        setSink(pass);
        pass.draw(VERTICES);
      },
      drawingTo(texture)
    );
    expect(primitivesOf(words, 3)).toEqual(wanted.filter((primitive) => drawOf(primitive) === 0));
  });

  test('such draw calls are counted', async () => {
    const before = device.statistics().counters['independentDraws']!;
    await stored(device, KINDS.emitted, ['independent', 'received', 'independent']);
    expect(device.statistics().counters['independentDraws']! - before).toBe(2);
  });
});

test('vertices may read pages that arrive late', async () => {
  const PAGE = 16;
  const kind: Kind = {
    type: 'primitive',
    most: 7,
    slots: [
      ['vertex', 'read'],
      ['geometry', 'some'],
    ],
  };
  for (const options of [{ threads: 0 }, { threads: 3 }, { threads: 0, shuffle: 5 }]) {
    const { device: opened, errors } = await openStreaming(options);
    const device = opened as Device;
    const layout = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, texture: {} }],
    });
    const table = tableOf(device, kind, { layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }) });
    const listed = async (map: GPUTexture, order: SampleOrder, counts = [VERTICES, VERTICES]): Promise<string[]> =>
      primitivesOf(
        await wordsOf(device, 2 * VERTICES * 7 * STRIDE, (pass, setSink) => {
          pass.setPipeline(table);
          pass.setBindGroup(
            0,
            device.createBindGroup({ layout, entries: [{ binding: 0, resource: map.createView() }] })
          );
          setSink(pass);
          pass.setProcessingOrder('primitive', order);
          counts.forEach((count, i) => pass.draw(count, 1, i * 7000));
        }),
        3
      );
    const wanted = await listed(whole(device, TEXELS), 'received');
    expect(wanted.length).toBeGreaterThan(1000);
    for (const order of ['received', 'independent'] as const) {
      let loads = 0;
      const map = streamed(device, TEXELS, {
        pageSize: PAGE,
        maxConcurrentLoads: 5,
        loadPage: async (level, x, y, layer) => {
          if (loads++ % 3 === 0) await new Promise((turn) => setTimeout(turn, 1));
          return pageOf(TEXELS, PAGE, level, x, y, layer);
        },
      });
      // Some pages are resident: vertices that have read them are stored before others miss theirs.
      await listed(map, order, [VERTICES / 6]);
      const found = await listed(map, order);
      expect(loads).toBeGreaterThan(50);
      expect(sorted(found)).toEqual(sorted(wanted));
      if (order === 'received') expect(found).toEqual(wanted);
    }
    expect(errors).toEqual([]);
    device.destroy();
  }
}, 60_000);

describe('errors of stream output order', () => {
  test('for a pipeline that draws', async () => {
    const device = (await openBuiltWith(['modular-pipelines', 'processing-order', 'fragment-stages'])) as Device;
    const module = moduleOf(device);
    const reading = device.createShaderModule({
      code: `enable fragment_stages;
      @fragment fn fs(@color(0) there: vec4f) -> @location(0) vec4f { return there + 0.1; }`,
    });
    const stages = (['load', 'look'] as const).map((entryPoint): ModularStage => ({
      kind: 'vertex',
      module,
      entryPoint,
    }));
    const makes = (
      processingOrder: ModularPipelineDescriptor['processingOrder'],
      fragment: object = { module },
      sinks: ModularPipelineDescriptor['sinks'] = []
    ): Promise<string | null> =>
      validationError(device, () =>
        device.createModularPipeline({
          layout: 'auto',
          input: {},
          stages,
          processingOrder,
          sinks: [...sinks, { raster: { fragment: { ...fragment, targets: [{ format: 'rgba8unorm' }] } as never } }],
        })
      );
    for (const type of ['vertex', 'primitive'] as const)
      expect(await makes({ [type]: 'independent' })).toContain(
        `processingOrder.${type} is "independent", but sinks[0] is a raster sink, `
          + 'and a modular pipeline that draws writes its buffers in order'
      );
    expect(await makes({ vertex: 'independent' }, undefined, [{ from: 0, buffer: BUFFER }])).toContain(
      'but sinks[1] is a raster sink'
    );
    expect(await makes({ vertex: 'received', primitive: 'auto', pixel: 'independent' })).toBeNull();
    expect(await makes({ pixel: 'independent' }, { module: reading })).toContain(
      'processingOrder.pixel is "independent", but the shader reads stored values in order'
    );
    expect(await makes({ pixel: 'independent' }, { module: reading, interlock: 'unordered' })).toBeNull();
    device.destroy();
  });

  test('without the feature, and for unknown names', async () => {
    const device = (await openBuiltWith(['modular-pipelines'])) as Device;
    expect(
      await validationError(device, () =>
        tableOf(device, KINDS.emitted, { processingOrder: { primitive: 'received' } })
      )
    ).toContain('processingOrder needs the feature "processing-order"');
    expect(
      await validationError(device, () => {
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginRenderPass(empty) as Pass;
        pass.setProcessingOrder('vertex', 'independent');
        pass.end();
        encoder.finish();
      })
    ).toContain('setProcessingOrder: it needs the feature "processing-order"');
    const pass = device.createCommandEncoder().beginRenderPass(empty) as Pass;
    expect(() => pass.setProcessingOrder('geometry' as Type, 'received')).toThrow(TypeError);
    expect(() => pass.setProcessingOrder('primitive', 'auto' as SampleOrder)).toThrow(TypeError);
    expect(() => tableOf(device, KINDS.emitted, { processingOrder: { vertex: 'any' as 'auto' } })).toThrow(TypeError);
    device.destroy();
  });
});
