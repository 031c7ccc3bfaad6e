// Stages that choose viewports, compared with the same primitives drawn one at a time after setViewport. The bits are
// the same, whether viewports overlap or not.
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
const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, VERTEX: 32 } as const;
type Device = GPUDevice & ModularPipelineDevice;
type Pass = GPURenderPassEncoder & ModularPipelineCommands & ViewportCommands;

const CODE = `enable modular_pipelines;
  struct V { @location(0) p: vec4f, @location(1) c: vec3f }
  struct W { @builtin(position) p: vec4f, @location(1) c: vec3f, @location(2) @interpolate(flat) i: u32 }
  override count: u32 = 1;
  @vertex fn load(v: V) -> V { return v; }
  @vertex fn place(v: V, @builtin(vertex_index) i: u32) -> W { return W(v.p, v.c, i); }
  @vertex fn both(v: V) -> W { return W(v.p, v.c, 0); }
  @primitive fn triangle(v: array<V, 3>, @builtin(primitive_index) i: u32) -> @builtin(viewport_index) u32 {
    return select(i, u32(v[1].c.x * 64), i % 7 == 0) % count;
  }
  @primitive fn line(v: array<V, 2>, @builtin(primitive_index) i: u32) -> @builtin(viewport_index) u32 {
    return select(i, u32(v[1].c.x * 64), i % 7 == 0) % count;
  }
  @primitive fn passes(v: array<V, 3>) -> @builtin(cull_primitive) bool { return v[0].c.z < 0; }
  @geometry fn again(v: array<V, 3>) { for (var k = 0; k < 3; k++) { emitVertex(W(v[k].p, v[k].c, 0)); } }
  @fragment fn fs(@location(1) c: vec3f) -> @location(0) vec4f { return vec4f(c, 0.75); }`;

/** From 0 (inclusive) to 1 (exclusive). */
const scattered = (n: number): number => (((n * 2654435761) >>> 8) & 0xffff) / 65536;
const VERTICES = 3600;
/** Small triangles, some of which leave the clip volume. */
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
  depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' },
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

const SETS: Readonly<Record<string, readonly Viewport[]>> = {
  apart: [
    { x: 0, y: 0, width: 96, height: 96 },
    { x: 96, y: 10.5, width: 90.25, height: 80 },
    { x: 3, y: 100, width: 50, height: 90, minDepth: 0.5 },
    { x: 60, y: 97, width: 0, height: 20 },
  ],
  'that share a column of pixels': [
    { x: 0, y: 0, width: 96.5, height: 190, maxDepth: 0.75 },
    { x: 96.5, y: 0, width: 95, height: 190 },
  ],
  'that overlap': [
    { x: 0, y: 0, width: 150, height: 150 },
    { x: 40.25, y: 30, width: 150, height: 160, minDepth: 0.25 },
    { x: -20, y: 60, width: 120, height: 100, maxDepth: 0.5 },
  ],
  alone: [{ x: 10, y: 20, width: 100, height: 150 }],
};

const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  'interpreted by two': { engine: 'interpreter', threads: 2 },
  'compiled, four workers, a small arena': { engine: 'jit', threads: 4, arenaBytes: 1024 },
  'the scalar kernel, chunks': { simd: false, threads: 0, chunkEveryDraw: true },
  'the oracle': { immediate: true, threads: 0 },
};

describe.each(Object.entries(engines))('viewport selection: %s', (_, options) => {
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

  const fragment = (): GPUFragmentState => ({ module, targets });
  const plain = (topology: GPUPrimitiveTopology): GPURenderPipeline =>
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint: 'both', buffers },
      fragment: fragment(),
      primitive: { topology },
      ...outputs,
    });
  const table = (stages: readonly ModularStage[], topology: 'triangle-list' | 'line-list'): GPURenderPipeline =>
    device.createModularPipeline({
      label: 'views',
      layout: 'auto',
      input: { buffers, topology },
      stages,
      sinks: [{ raster: { fragment: fragment(), ...outputs } }],
    });

  async function picture(draw: (pass: Pass) => void): Promise<Uint8Array> {
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
    draw(pass);
    pass.end();
    encoder.copyTextureToBuffer({ texture: color }, { buffer: copy, bytesPerRow: SIZE * 4 }, size);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    await copy.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(copy.getMappedRange().slice(0));
    for (const each of [copy, color, samples, depth]) each.destroy();
    return bytes;
  }

  /** As arguments of setViewport. */
  const numbers = ({
    x,
    y,
    width,
    height,
    minDepth = 0,
    maxDepth = 1,
  }: Viewport): readonly [number, number, number, number, number, number] => [x, y, width, height, minDepth, maxDepth];
  /** Draws each primitive with its own viewport. */
  function oneByOne(pass: Pass, viewports: readonly Viewport[], corners: 2 | 3): void {
    pass.setPipeline(plain(corners === 3 ? 'triangle-list' : 'line-list'));
    for (let i = 0; i < VERTICES / corners; i++) {
      const red = data[(i * corners + 1) * 7 + 4]!;
      const index = i % 7 === 0 ? Math.floor(red * 64) : i;
      // A primitive without a choice uses viewport 0.
      pass.setViewport(...numbers(viewports[index % (viewports.length + 1)] ?? viewports[0]!));
      pass.draw(corners, 1, i * corners);
    }
  }
  const chooser = (entryPoint: 'triangle' | 'line', viewports: readonly Viewport[]): ModularStage => ({
    kind: 'primitive',
    module,
    entryPoint,
    constants: { count: viewports.length + 1 },
  });
  const vertex = (entryPoint: 'load' | 'place'): ModularStage => ({ kind: 'vertex', module, entryPoint });

  test.each(Object.entries(SETS))('triangles in viewports %s', async (__, viewports) => {
    const wanted = await picture((pass) => oneByOne(pass, viewports, 3));
    const chooses = chooser('triangle', viewports);
    expect(wanted.some((byte) => byte !== 0)).toBe(true);
    const passes: ModularStage = { kind: 'primitive', module, entryPoint: 'passes' };
    const load = vertex('load');
    const end = vertex('place');
    for (const stages of [
      [load, chooses, end],
      [chooses, end],
      [load, chooses, passes, load, end],
      [chooses, { kind: 'geometry', module, entryPoint: 'again', maxVertices: 3 } as ModularStage],
    ]) {
      const found = await picture((pass) => {
        pass.setViewports(viewports);
        pass.setPipeline(table(stages, 'triangle-list'));
        pass.draw(VERTICES);
      });
      expect(firstDifference(found, wanted)).toBe(-1);
    }
  });

  test('lines, also after the last vertex stage', async () => {
    const viewports = SETS['that overlap']!;
    const chooses = chooser('line', viewports);
    const wanted = await picture((pass) => oneByOne(pass, viewports, 2));
    const found = await picture((pass) => {
      pass.setViewports(viewports);
      pass.setPipeline(table([vertex('load'), chooses, vertex('place')], 'line-list'));
      pass.draw(VERTICES);
    });
    expect(firstDifference(found, wanted)).toBe(-1);
  });

  test('consecutive draw calls and bundles use the viewports of their pass', async () => {
    const [first, second] = [SETS['apart']!, SETS['that overlap']!];
    const chooses = chooser('triangle', second);
    const pipeline = table([vertex('load'), chooses, vertex('place')], 'triangle-list');
    const alone = table([vertex('load'), vertex('place')], 'triangle-list');
    const bundles = device.createRenderBundleEncoder({
      colorFormats: [FORMAT],
      depthStencilFormat: 'depth32float',
      sampleCount: 4,
    });
    bundles.setPipeline(pipeline);
    bundles.setVertexBuffer(0, vertices);
    bundles.draw(120);
    const bundle = bundles.finish();
    const found = await picture((pass) => {
      pass.setPipeline(pipeline);
      pass.setViewports(second);
      pass.draw(120);
      pass.draw(120, 1, 120);
      pass.setViewports(first);
      pass.executeBundles([bundle]);
      pass.setPipeline(alone);
      pass.setVertexBuffer(0, vertices);
      pass.draw(60, 1, 240);
      // A single viewport again.
      pass.setViewport(...numbers(second[1]!));
      pass.setPipeline(pipeline);
      pass.draw(60, 1, 300);
    });
    const wanted = await picture((pass) => {
      pass.setPipeline(plain('triangle-list'));
      const draw = (from: number, count: number, viewports: readonly Viewport[]): void => {
        for (let i = 0; i < count / 3; i++) {
          const red = data[(from + i * 3 + 1) * 7 + 4]!;
          const index = i % 7 === 0 ? Math.floor(red * 64) : i;
          pass.setViewport(...numbers(viewports[index % (second.length + 1)] ?? viewports[0]!));
          pass.draw(3, 1, from + i * 3);
        }
      };
      draw(0, 120, second);
      draw(120, 120, second);
      draw(0, 120, first);
      draw(240, 60, first.slice(0, 1));
      draw(300, 60, second.slice(1, 2));
    });
    expect(firstDifference(found, wanted)).toBe(-1);
  });
});
