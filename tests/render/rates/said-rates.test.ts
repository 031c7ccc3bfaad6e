// Shading rates written by vertices and primitive stages. The picture is the same as without them where rates can make
// no difference: colors are constant per primitive, or the shader runs once per pixel whatever is requested.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  ModularPipelineDevice,
  ModularStage,
  ModularPipelineCommands,
  Viewport,
  ViewportCommands,
} from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { open } from '../../threads/open';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';
import { firstDifference } from '../../support/first-difference';

const SIZE = 192;
const FORMAT = 'rgba8unorm';
const VERTICES = 1800;
const USAGE = { MAP_READ: 1, COPY_DST: 8, VERTEX: 32 } as const;
type Device = GPUDevice & ModularPipelineDevice;
type Pass = GPURenderPassEncoder & ModularPipelineCommands & ViewportCommands;

const CODE = `enable modular_pipelines; enable shading_rate;
  struct V { @location(0) p: vec4f, @location(1) c: vec3f }
  struct W {
    @builtin(position) p: vec4f, @location(0) smoothed: vec3f, @location(1) @interpolate(flat) c: vec3f,
    @location(2) @interpolate(linear) x: f32, @location(3) @interpolate(flat) n: u32
  }
  struct Rated {
    @builtin(shading_rate) rate: u32, @builtin(position) p: vec4f, @location(0) smoothed: vec3f,
    @location(1) @interpolate(flat) c: vec3f, @location(2) @interpolate(linear) x: f32,
    @location(3) @interpolate(flat) n: u32
  }
  struct Early { @builtin(shading_rate) rate: u32, @location(0) p: vec4f, @location(1) c: vec3f }
  /** All codes, some of which are no rates, and bits that do not count. */
  fn code(c: vec3f) -> u32 { return u32(c.x * 64) + select(0u, 0xfff0u, c.y > 0.5); }
  @vertex fn load(v: V) -> V { return v; }
  @vertex fn early(v: V) -> Early { return Early(code(v.c), v.p, v.c); }
  @vertex fn without(v: V, @builtin(vertex_index) i: u32) -> W { return W(v.p, v.c, v.c, v.p.x, i); }
  @vertex fn rated(v: V, @builtin(vertex_index) i: u32) -> Rated {
    return Rated(code(v.c), v.p, v.c, v.c, v.p.x, i);
  }
  @geometry fn again(v: array<V, 3>) {
    for (var k = 0; k < 3; k++) { emitVertex(W(v[k].p, v[k].c, v[k].c, v[k].p.x, 0)); }
  }
  @geometry fn againRated(v: array<V, 3>) {
    for (var k = 0; k < 3; k++) { emitVertex(Rated(code(v[k].c), v[k].p, v[k].c, v[k].c, v[k].p.x, 0)); }
  }
  override views: u32 = 1;
  struct Said { @builtin(shading_rate) rate: u32, @builtin(viewport_index) view: u32 }
  @primitive fn rates(v: array<V, 3>) -> @builtin(shading_rate) u32 { return code(v[1].c); }
  @primitive fn lineRates(v: array<V, 2>) -> @builtin(shading_rate) u32 { return code(v[1].c); }
  @primitive fn chooses(v: array<V, 3>, @builtin(primitive_index) i: u32) -> @builtin(viewport_index) u32 {
    return i / 3 % views;
  }
  @primitive fn both(v: array<V, 3>, @builtin(primitive_index) i: u32) -> Said {
    return Said(code(v[1].c), i / 3 % views);
  }
  @primitive fn passes(v: array<V, 3>) -> @builtin(cull_primitive) bool { return v[0].c.z < 0; }
  @fragment fn flat(@location(1) @interpolate(flat) c: vec3f, @location(3) @interpolate(flat) n: u32)
    -> @location(0) vec4f { return vec4f(c.xy, f32(n % 16) / 16, 0.75); }
  @fragment fn none() -> @location(0) vec4f { return vec4f(0.5, 0.25, 1, 0.5); }
  @fragment fn smoothed(
    @location(0) c: vec3f, @location(1) @interpolate(flat) f: vec3f, @location(2) @interpolate(linear) x: f32,
    @builtin(sample_mask) mask: u32
  ) -> @location(0) vec4f { return vec4f(c.xy, f.z * (1 - abs(x)), f32(mask) / 16); }
  @fragment fn reads(@builtin(shading_rate) rate: u32, @location(0) c: vec3f, @builtin(sample_mask) mask: u32)
    -> @location(0) vec4f { return vec4f(c.xy, f32(rate), f32(mask) / 16); }
  @fragment fn readsNone(@location(0) c: vec3f, @builtin(sample_mask) mask: u32)
    -> @location(0) vec4f { return vec4f(c.xy, 0, f32(mask) / 16); }`;

/** From 0 (inclusive) to 1 (exclusive). */
const scattered = (n: number): number => (((n * 2654435761) >>> 8) & 0xffff) / 65536;
/** Small overlapping triangles, some of which leave the clip volume. */
const data = Float32Array.from({ length: VERTICES * 7 }, (_, i) => {
  const vertex = Math.floor(i / 7);
  const primitive = Math.floor(vertex / 6);
  const w = 0.5 + scattered(vertex * 7 + 4);
  switch (i % 7) {
    case 0:
      return (scattered(primitive * 5) * 2.2 - 1.1 + scattered(vertex) * 0.3) * w;
    case 1:
      return (scattered(primitive * 5 + 1) * 2.2 - 1.1 + scattered(vertex + 9) * 0.3) * w;
    case 2:
      return (scattered(vertex + 5) * 1.1 - 0.05) * w;
    case 3:
      return w;
    default:
      return scattered(i);
  }
});
const buffers: GPUVertexBufferLayout[] = [
  {
    arrayStride: 28,
    attributes: [
      { shaderLocation: 0, offset: 0, format: 'float32x4' },
      { shaderLocation: 1, offset: 16, format: 'float32x3' },
    ],
  },
];
const outputs = {
  depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always' },
  multisample: { count: 4 },
} as const;
const targets: GPUColorTargetState[] = [
  {
    format: FORMAT,
    blend: {
      color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
      alpha: { srcFactor: 'one', dstFactor: 'zero' },
    },
  },
];
const VIEWS: Readonly<Record<string, readonly Viewport[]>> = {
  one: [{ x: 0, y: 0, width: SIZE, height: SIZE }],
  apart: [
    { x: 0, y: 0, width: 80, height: 150 },
    { x: 80, y: 10.5, width: 70.25, height: 130 },
  ],
  'that overlap': [
    { x: 0, y: 0, width: 120, height: 150 },
    { x: 40.25, y: 30, width: 110, height: 120, minDepth: 0.25 },
    { x: -20, y: 60, width: 120, height: 100, maxDepth: 0.5 },
  ],
};

const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  'interpreted by two': { engine: 'interpreter', threads: 2 },
  'compiled, four workers, a small arena': { engine: 'jit', threads: 4, arenaBytes: 1024 },
  'the scalar kernel, chunks': { simd: false, threads: 0, chunkEveryDraw: true },
  'the oracle': { immediate: true, threads: 0 },
};

describe.each(Object.entries(engines))('shading rates written by stages: %s', (_, options) => {
  let device: Device;
  let module: GPUShaderModule;
  let vertices: GPUBuffer;
  beforeAll(async () => {
    device = (await open(options)) as unknown as Device;
    module = device.createShaderModule({ code: CODE });
    vertices = device.createBuffer({ size: data.byteLength, usage: USAGE.VERTEX | USAGE.COPY_DST });
    device.queue.writeBuffer(vertices, 0, data);
  });
  afterAll(() => device.destroy());

  const fragment = (entryPoint: string): GPUFragmentState => ({ module, entryPoint, targets });
  const pipeline = (
    entryPoint: string,
    shades: string,
    topology: GPUPrimitiveTopology = 'triangle-list'
  ): GPURenderPipeline =>
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint, buffers },
      fragment: fragment(shades),
      primitive: { topology },
      ...outputs,
    });
  const table = (
    stages: readonly ModularStage[],
    shades: string,
    topology: 'triangle-list' | 'line-list' = 'triangle-list'
  ): GPURenderPipeline =>
    device.createModularPipeline({
      label: 'rates',
      layout: 'auto',
      input: { buffers, topology },
      stages,
      sinks: [{ raster: { fragment: fragment(shades), ...outputs } }],
    });

  async function picture(used: GPURenderPipeline, views = VIEWS['one']!): Promise<Uint8Array> {
    device.pushErrorScope('validation');
    const size = [SIZE, SIZE];
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
    const copy = device.createBuffer({ size: SIZE * SIZE * 4, usage: USAGE.MAP_READ | USAGE.COPY_DST });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        { view: samples.createView(), resolveTarget: color.createView(), loadOp: 'clear', storeOp: 'discard' },
      ],
      depthStencilAttachment: {
        view: depth.createView(),
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
        depthClearValue: 1,
      },
    }) as Pass;
    pass.setVertexBuffer(0, vertices);
    pass.setViewports(views);
    pass.setPipeline(used);
    pass.draw(VERTICES);
    pass.end();
    encoder.copyTextureToBuffer({ texture: color }, { buffer: copy, bytesPerRow: SIZE * 4 }, size);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    await copy.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(copy.getMappedRange().slice(0));
    for (const each of [copy, color, samples, depth]) each.destroy();
    expect(bytes.some((byte) => byte !== 0)).toBe(true);
    return bytes;
  }

  async function expectSame(found: GPURenderPipeline, wanted: GPURenderPipeline, views = VIEWS['one']!): Promise<void> {
    const [one, other] = [await picture(found, views), await picture(wanted, views)];
    expect(firstDifference(one, other)).toBe(-1);
  }

  const stage = (kind: ModularStage['kind'], entryPoint: string, rest: Partial<ModularStage> = {}): ModularStage => ({
    kind,
    module,
    entryPoint,
    ...rest,
  });

  test.each([
    ['flat', 'triangle-list'],
    ['flat', 'triangle-strip'],
    ['flat', 'line-list'],
    ['flat', 'point-list'],
    ['none', 'triangle-list'],
    ['smoothed', 'triangle-list'],
    ['smoothed', 'line-strip'],
  ] as const)('by vertices, for the fragment shader "%s", %s', async (shades, topology) => {
    await expectSame(pipeline('rated', shades, topology), pipeline('without', shades, topology));
  });

  test('by vertices of modular pipelines, after other stages and emitted', async () => {
    const load = stage('vertex', 'load');
    const end = stage('vertex', 'rated');
    const early = stage('vertex', 'early');
    await expectSame(table([early, end], 'flat'), pipeline('without', 'flat'));
    // Only the last stage's rate counts.
    await expectSame(table([early, stage('vertex', 'without')], 'flat'), pipeline('without', 'flat'));
    await expectSame(table([load, stage('primitive', 'passes'), end], 'smoothed'), pipeline('without', 'smoothed'));
    const emits = (entryPoint: string): ModularStage => stage('geometry', entryPoint, { maxVertices: 3 });
    await expectSame(table([load, emits('againRated')], 'smoothed'), table([load, emits('again')], 'smoothed'));
  });

  test('a shader that runs once per pixel reads 0', async () => {
    for (const vertex of ['without', 'rated'])
      await expectSame(pipeline(vertex, 'reads'), pipeline(vertex, 'readsNone'));
  });

  test.each(Object.entries(VIEWS))('by primitive stages, with viewports: %s', async (__, views) => {
    const load = stage('vertex', 'load');
    const end = stage('vertex', 'without');
    const rated = stage('vertex', 'rated');
    const constants = { views: views.length + 1 };
    const wanted = table([load, stage('primitive', 'chooses', { constants }), end], 'flat');
    for (const stages of [
      [load, stage('primitive', 'both', { constants }), end],
      [stage('primitive', 'both', { constants }), rated],
      [load, stage('primitive', 'chooses', { constants }), stage('primitive', 'rates'), end],
      [
        load,
        stage('primitive', 'rates'),
        stage('primitive', 'chooses', { constants }),
        stage('primitive', 'passes'),
        end,
      ],
      [load, stage('primitive', 'both', { constants }), stage('primitive', 'passes'), load, rated],
    ])
      await expectSame(table(stages, 'flat'), wanted, views);
    await expectSame(
      table([load, stage('primitive', 'both', { constants }), end], 'smoothed'),
      table([load, stage('primitive', 'chooses', { constants }), end], 'smoothed'),
      views
    );
  });

  test('by primitive stages, of lines', async () => {
    const stages = [stage('primitive', 'lineRates'), stage('vertex', 'without')];
    await expectSame(table(stages, 'flat', 'line-list'), pipeline('without', 'flat', 'line-list'));
  });
});
