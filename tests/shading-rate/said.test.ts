// Effects of shading rates written by stages. Rates of vertices and primitive stages are combined with the draw call's
// rate by each combiner, and with a depth table per viewport. The picture and the invocations equal those of the same
// primitives drawn one at a time, with setShadingRate and their own viewport and table.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  DepthShadingRates,
  ModularPipelineDevice,
  ModularStage,
  ShadingRateCommands,
  ShadingRatePassMembers,
  StatisticsDevice,
  Viewport,
  ViewportCommands,
} from '../../src/index';
import { openReady } from '../threads/open';
import { countsOf, engines, runsOnce } from './kit';
import { combine, COMBINERS, rateOfCode, RATES, type Combiner, type Rate } from './rates';
import type { ByRate } from './reference';
import { GPUMapMode, GPUTextureUsage } from '../support/flags';
import {
  BUFFERS,
  CODE,
  ENGINES,
  HEIGHT,
  PARTS,
  TABLES,
  VIEWS,
  type Vertex,
  WIDTH,
  row,
  triangles,
  whole,
} from './said.kit';
import { inTurn } from '../support/combinations';
import { firstDifference } from '../support/first-difference';

const FORMAT = 'rgba8unorm';
const USAGE = { MAP_READ: 1, COPY_DST: 8, VERTEX: 32 } as const;
type Device = ModularPipelineDevice & StatisticsDevice;
type Pass = GPURenderPassEncoder & ShadingRateCommands & ViewportCommands;

interface Drawn {
  readonly bytes: Uint8Array;
  readonly threads: ByRate;
}
interface Draw {
  readonly primitives: readonly (readonly Vertex[])[];
  readonly rate: Rate;
  readonly combiners: Partial<Record<'primitive' | 'depth', Combiner>>;
  readonly views: readonly Viewport[];
  readonly tables: readonly DepthShadingRates[];
}

const DEPTH_COMBINERS = ['replace', 'finest', 'product'] as const;

describe.each(ENGINES)('shading rates written by stages: %s', (name) => {
  const options = engines[name]!;
  let device: Device;
  let module: GPUShaderModule;
  beforeAll(async () => {
    device = (await openReady({ ...options, threads: options.threads ?? 0 })) as unknown as Device;
    module = device.createShaderModule({ code: CODE });
  });
  afterAll(() => device.destroy());

  const outputs = (
    isOpaque: boolean,
    entryPoint = 'fs'
  ): Pick<GPURenderPipelineDescriptor, 'multisample' | 'depthStencil'> & { readonly fragment: GPUFragmentState } => {
    const component = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' } as const;
    return {
      fragment: {
        module,
        entryPoint,
        targets: [{ format: FORMAT, ...(!isOpaque && { blend: { color: component, alpha: component } }) }],
      },
      multisample: { count: 4 },
      depthStencil: { format: 'depth32float', depthWriteEnabled: isOpaque, depthCompare: isOpaque ? 'less' : 'always' },
    };
  };
  const pipeline = (
    entryPoint: string,
    isOpaque: boolean,
    topology: GPUPrimitiveTopology = 'triangle-list',
    shades = 'fs'
  ): GPURenderPipeline =>
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint, buffers: BUFFERS },
      primitive: { topology },
      ...outputs(isOpaque, shades),
    });
  const table = (isOpaque: boolean, ...stages: readonly ModularStage[]): GPURenderPipeline =>
    device.createModularPipeline({
      layout: 'auto',
      input: { buffers: BUFFERS },
      stages,
      sinks: [{ raster: outputs(isOpaque) }],
    });
  const stage = (kind: ModularStage['kind'], entryPoint: string, rest: Partial<ModularStage> = {}): ModularStage => ({
    kind,
    module,
    entryPoint,
    ...rest,
  });

  function upload(vertices: readonly Vertex[]): GPUBuffer {
    const words = new Uint32Array(vertices.length * 6);
    const floats = new Float32Array(words.buffer);
    vertices.forEach(({ place, code, view }, i) => {
      floats.set(place, i * 6);
      words.set([code, view], i * 6 + 4);
    });
    const buffer = device.createBuffer({ size: words.byteLength, usage: USAGE.VERTEX | USAGE.COPY_DST });
    device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  }

  /** Draws consecutive passes, each with its own tables. */
  async function drawn(
    passes: readonly { readonly tables: readonly DepthShadingRates[]; readonly record: (pass: Pass) => void }[]
  ): Promise<Drawn> {
    device.pushErrorScope('validation');
    const size = [WIDTH, HEIGHT];
    const color = device.createTexture({
      size,
      format: FORMAT,
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const samples = device.createTexture({
      size,
      format: FORMAT,
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
      sampleCount: 4,
    });
    const depth = device.createTexture({
      size,
      format: 'depth32float',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
      sampleCount: 4,
    });
    const bytesPerRow = Math.ceil((WIDTH * 4) / 256) * 256;
    const before = countsOf(device).threads;
    const copy = device.createBuffer({ size: HEIGHT * bytesPerRow, usage: USAGE.MAP_READ | USAGE.COPY_DST });
    const encoder = device.createCommandEncoder();
    passes.forEach(({ tables, record }, i) => {
      const loadOp = i === 0 ? 'clear' : 'load';
      const descriptor: GPURenderPassDescriptor & ShadingRatePassMembers = {
        colorAttachments: [{ view: samples, resolveTarget: color, loadOp, storeOp: 'store' }],
        depthStencilAttachment: { view: depth, depthLoadOp: loadOp, depthStoreOp: 'store', depthClearValue: 1 },
        ...(tables.length > 0 && { shadingRates: { depth: tables } }),
      };
      const pass = encoder.beginRenderPass(descriptor) as Pass;
      record(pass);
      pass.end();
    });
    encoder.copyTextureToBuffer({ texture: color }, { buffer: copy, bytesPerRow }, size);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    await copy.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(copy.getMappedRange().slice(0));
    const after = countsOf(device).threads;
    for (const each of [copy, color, samples, depth]) each.destroy();
    const threads = Object.fromEntries(RATES.map((rate) => [rate, after[rate] - before[rate]])) as ByRate;
    return { bytes, threads };
  }

  /** All in one draw call. */
  const atOnce = (
    used: GPURenderPipeline,
    { rate, combiners, views, tables }: Draw,
    vertices: readonly Vertex[]
  ): Promise<Drawn> =>
    drawn([
      {
        tables,
        record: (pass) => {
          pass.setPipeline(used);
          pass.setVertexBuffer(0, upload(vertices));
          pass.setViewports(views);
          pass.setShadingRate(rate, combiners);
          pass.draw(vertices.length);
        },
      },
    ]);

  /** Draws each primitive separately, alternating between the pipelines; with tables, each in its own pass. */
  function oneByOne(
    used: GPURenderPipeline | readonly GPURenderPipeline[],
    { primitives, rate, combiners, views, tables }: Draw
  ): Promise<Drawn> {
    const buffer = upload(primitives.flat());
    const corners = primitives[0]!.length;
    const records = [used].flat().flatMap((pipeline) =>
      primitives.map(([{ code, view }], i) => (pass: Pass): void => {
        pass.setPipeline(pipeline);
        pass.setVertexBuffer(0, buffer);
        // A primitive without a choice uses viewport 0.
        pass.setViewports([views[view] ?? views[0]!]);
        pass.setShadingRate(combine(combiners.primitive ?? 'coarsest', rate, rateOfCode(code)), {
          ...(combiners.depth && { depth: combiners.depth }),
        });
        pass.draw(corners, 1, i * corners);
      })
    );
    if (tables.length === 0)
      return drawn([
        {
          tables,
          record: (pass) => {
            for (const record of records) record(pass);
          },
        },
      ]);
    return drawn(
      records.map((record, i) => {
        const [{ view }] = primitives[i]!;
        return { tables: [tables[view] ?? tables[0]!], record };
      })
    );
  }

  /** `counts`: whether the invocations must be equal, too. */
  async function expectSame(found: Promise<Drawn>, wanted: Promise<Drawn>, counts: boolean): Promise<void> {
    const [one, other] = [await found, await wanted];
    expect(other.bytes.some((byte) => byte !== 0)).toBe(true);
    expect(firstDifference(one.bytes, other.bytes)).toBe(-1);
    if (counts) expect(one.threads).toEqual(other.threads);
  }

  const draw = (rest: Partial<Draw>): Draw => ({
    primitives: triangles,
    rate: '1x1',
    combiners: {},
    views: [whole],
    tables: [],
    ...rest,
  });
  const kinds = [false, true] as const;

  test.each(COMBINERS)('by vertices, combined by "%s"', async (combiner) => {
    for (const rate of ['1x1', '1x2', '4x2'] as const) {
      const each = draw({ rate, combiners: { primitive: combiner } });
      for (const isOpaque of kinds)
        await expectSame(
          atOnce(pipeline('rated', isOpaque), each, triangles.flat()),
          oneByOne(pipeline('without', isOpaque), each),
          !isOpaque || runsOnce(options)
        );
    }
  });

  test.each(['triangle-strip', 'line-list', 'line-strip', 'point-list'] as const)(
    'by vertices, %s',
    async (topology) => {
      const each = draw({ primitives: PARTS[topology]! });
      const list = topology.replace('strip', 'list') as 'line-list';
      for (const isOpaque of kinds)
        await expectSame(
          atOnce(pipeline('rated', isOpaque, topology), each, row),
          oneByOne(pipeline('without', isOpaque, list), each),
          !isOpaque || runsOnce(options)
        );
    }
  );

  test('by emitted vertices', async () => {
    const emits = stage('geometry', 'again', { maxVertices: 3 });
    const each = draw({});
    for (const isOpaque of kinds)
      await expectSame(
        atOnce(table(isOpaque, stage('vertex', 'load'), emits), each, triangles.flat()),
        oneByOne(pipeline('without', isOpaque), each),
        !isOpaque || runsOnce(options)
      );
  });

  test('by stages of pipelines that fork', async () => {
    const edges = [
      [0, 1],
      [1, 2],
      [0, 3],
    ] as const;
    const each = draw({ primitives: triangles.slice(0, 12), rate: '1x2' });
    const stages = [
      stage('vertex', 'load'),
      stage('primitive', 'rates'),
      stage('vertex', 'otherwise'),
      stage('vertex', 'rated'),
    ];
    for (const isOpaque of kinds) {
      const sinks = [
        ['fs', 2],
        ['other', 3],
        ['sampled', 3],
      ].map(([shades, from]) => ({ raster: outputs(isOpaque, shades as string), from: from as number }));
      const ends = ['fs', 'other', 'sampled'].map((shades) => pipeline('without', isOpaque, 'triangle-list', shades));
      const forked = device.createModularPipeline({
        layout: 'auto',
        input: { buffers: BUFFERS },
        stages,
        edges,
        sinks,
      });
      await expectSame(
        atOnce(forked, each, each.primitives.flat()),
        oneByOne(ends, each),
        !isOpaque || runsOnce(options)
      );
    }
  });

  // Blended and opaque draws take turns with the pipelines.
  describe.each(Object.entries(VIEWS).map(([name, views], turn) => [name, views, turn] as const))(
    'by primitive stages, with viewports: %s',
    (_, views, v) => {
      const of = (isOpaque: boolean): readonly GPURenderPipeline[] => {
        const end = stage('vertex', 'without');
        const rates = stage('primitive', 'rates');
        const chooses = stage('primitive', 'views');
        return [
          table(isOpaque, stage('primitive', 'both'), end),
          // A primitive stage's rate replaces the one of its vertex.
          table(isOpaque, rates, stage('vertex', 'load'), chooses, stage('vertex', 'otherwise')),
          table(isOpaque, stage('vertex', 'load'), chooses, stage('primitive', 'passes'), rates, end),
        ];
      };

      test.each(COMBINERS)('combined by "%s"', async (primitive) => {
        const each = draw({ views, rate: '2x1', combiners: { primitive } });
        for (const [k, isOpaque] of kinds.entries())
          for (const used of inTurn(of(isOpaque), v + k + COMBINERS.indexOf(primitive)))
            await expectSame(
              atOnce(used, each, triangles.flat()),
              oneByOne(pipeline('without', isOpaque), each),
              !isOpaque || runsOnce(options)
            );
      });

      test.each(DEPTH_COMBINERS)('and a depth table for each, combined by "%s"', async (depth) => {
        for (const [t, tables] of [TABLES.slice(0, views.length), TABLES.slice(1, 2)].entries()) {
          const each = draw({ views, rate: '1x2', combiners: { depth }, tables });
          for (const [k, isOpaque] of kinds.entries())
            for (const used of inTurn(of(isOpaque), v + k + t + DEPTH_COMBINERS.indexOf(depth)))
              // In separate passes, fragments that are occluded later have run.
              await expectSame(
                atOnce(used, each, triangles.flat()),
                oneByOne(pipeline('without', isOpaque), each),
                !isOpaque
              );
        }
      });
    }
  );

  test('every rate has run', () => {
    const { threads } = countsOf(device);
    for (const rate of RATES) expect(threads[rate], rate).toBeGreaterThan(0);
  });
});
