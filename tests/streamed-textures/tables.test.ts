// Modular pipelines whose stages read streamed textures: vertex and primitive stages, and stages that emit or
// tessellate. Pictures and stream output are bit-identical to those with resident textures, in whichever order pages
// are loaded and evicted.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipelineDevice, ModularStage, ModularPipelineCommands } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { open, pages, picture, SETTINGS, streamed, streaming, whole, type Open, type Texels } from './kit';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage } from '../support/flags';
import { rounds } from '../support/rounds';

const WORKERS: Readonly<Record<string, CreateOptions>> = {
  ...SETTINGS,
  'three workers and little memory': { threads: 3, budgets: { arenaBytes: 300_000 } },
};
const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 200, height: 150, layers: 1, levels: 8 };
const PAGE = 16;
const SIZE = 150;
const SIDE = 12;
const STRIDE = 20;
const PRIMITIVES = 2 * SIDE * SIDE;

const CODE = `enable modular_pipelines;
  @group(0) @binding(0) var map: texture_2d<f32>;
  @group(0) @binding(1) var linear: sampler;
  struct V { @location(0) p: vec4f, @location(1) @interpolate(flat) n: u32 }
  struct W { @builtin(position) position: vec4f, @location(0) color: vec4f }
  fn at(n: u32) -> vec4f { return textureLoad(map, vec2u(n * 37 % 200, n * 11 % 150), 0); }

  @vertex fn grid(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> V {
    let square = i / 6;
    let corner = array(0u, 1u, 2u, 2u, 1u, 3u)[i % 6];
    let place = vec2f(f32(square % ${SIDE} + (corner & 1)), f32(square / ${SIDE} + (corner >> 1)));
    return V(vec4f(place * ${1.8 / SIDE} - 0.9, 0.5, 1), i + k * 7);
  }
  @vertex fn sway(v: V) -> V {
    let c = at(v.n);
    return V(v.p + (c - 0.5) * 0.1, v.n * 3 + u32(c.w * 255));
  }
  // A loop whose end is what is read: on zeros it has none.
  @vertex fn walk(v: V) -> V {
    var n = v.n;
    for (var left = 1.0; left > 0;) {
      let c = at(n);
      left -= select(0.0, 0.4 + c.x, dot(c, vec4f(1)) > 0);
      n = n * 5 + 1;
    }
    return V(v.p, n);
  }
  struct Fate { @builtin(cull_primitive) dropped: bool, @builtin(viewport_index) view: u32 }
  @primitive fn choose(v: array<V, 3>, @builtin(primitive_index) i: u32) -> Fate {
    let c = at(v[0].n + v[2].n + i);
    return Fate(c.x > 0.7, u32(c.y * 3));
  }
  // Of zeros come most.
  @geometry fn spread(v: array<V, 3>) {
    let count = 3 - u32(at(v[0].n + v[1].n).x * 3.9);
    for (var k = 0u; k < count; k++) {
      for (var j = 0; j < 3; j++) { emitVertex(V(v[j].p + vec4f(f32(k) * 0.02, 0, 0, 0), v[j].n + k)); }
      endStrip();
    }
  }
  struct Levels { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f }
  @tess_control fn cut(v: array<V, 3>) -> Levels {
    let c = at(v[2].n) * 4;
    return Levels(c, c.zw);
  }
  @tess_evaluation fn place(v: array<V, 3>, @builtin(tess_coord) uv: vec3f) -> V {
    let c = textureSampleLevel(map, linear, uv.xy + v[0].p.xy, uv.z * 2);
    return V(v[0].p * uv.x + v[1].p * uv.y + v[2].p * uv.z + c * 0.05, v[0].n * 64 + u32(uv.x * 8 + uv.y * 60));
  }
  @vertex fn look(v: V) -> W { return W(vec4f(v.p.xyz, 1), vec4f(v.p.xy * 0.5 + 0.5, f32(v.n & 255) / 255, 1)); }
  @fragment fn plain(@location(0) color: vec4f) -> @location(0) vec4f { return color; }
  @fragment fn mapped(@location(0) color: vec4f) -> @location(0) vec4f {
    return mix(color, textureSample(map, linear, color.xy), 0.5);
  }`;

/** The slots between the grid and the drawn triangles, with the largest number of triangles that each makes of one. */
const SLOTS = { sway: 1, walk: 1, choose: 1, spread: 7, tess: 32 } as const;
type Slot = keyof typeof SLOTS;
const KINDS = { sway: 'vertex', walk: 'vertex', choose: 'primitive' } as const;
const amplification = (slots: readonly Slot[]): number => slots.reduce((all, slot) => all * SLOTS[slot], 1);

interface Scene {
  readonly slots: readonly Slot[];
  readonly fragment: 'plain' | 'mapped';
  readonly overlap: boolean;
  readonly instances: number;
}
type Device = Open['device'] & ModularPipelineDevice;

/** Returns the picture, followed by the contents of the buffer, its counts, and the counters of the slots. */
async function draw(
  device: Device,
  module: GPUShaderModule,
  map: GPUTexture,
  { slots, fragment, overlap, instances }: Scene
): Promise<{ readonly bytes: Uint8Array; readonly counts: unknown }> {
  const stage = (kind: ModularStage['kind'], entryPoint: string): ModularStage => ({ kind, module, entryPoint });
  const stages = [
    stage('vertex', 'grid'),
    ...slots.flatMap((slot): ModularStage[] =>
      slot === 'tess'
        ? [stage('tess_control', 'cut'), { ...stage('tess_evaluation', 'place'), maxLevel: 4 }]
        : [slot === 'spread' ? { ...stage('geometry', slot), maxVertices: 9 } : stage(KINDS[slot], slot)]
    ),
    stage('vertex', 'look'),
  ];
  const last = stages.length - 2;
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, texture: {} },
      { binding: 1, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, sampler: {} },
    ],
  });
  const table = device.createModularPipeline({
    label: 'map',
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    input: {},
    stages,
    edges: stages.slice(1).map((_, i) => [i, i + 1] as const),
    sinks: [
      {
        from: last,
        buffer: {
          arrayStride: STRIDE,
          attributes: [
            { shaderLocation: 0, offset: 0, format: 'float32x4' },
            { shaderLocation: 1, offset: 16, format: 'uint32' },
          ],
        },
      },
      {
        from: last + 1,
        raster: {
          fragment: { module, entryPoint: fragment, targets: [{ format: 'rgba8unorm' }] },
          depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
        },
      },
    ],
  });
  const size = PRIMITIVES * instances * amplification(slots) * 3 * STRIDE + 64;
  const sink = device.createBuffer({ size: size + 16, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const read = device.createBuffer({ size: size + 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const group = device.createBindGroup({
    layout,
    entries: [
      { binding: 0, resource: map.createView() },
      {
        binding: 1,
        resource: device.createSampler({
          minFilter: 'linear',
          magFilter: 'linear',
          mipmapFilter: 'linear',
          addressModeU: 'repeat',
          addressModeV: 'repeat',
        }),
      },
    ],
  });
  const drawn = await picture(device, SIZE, (encoded) => {
    const pass = encoded as GPURenderPassEncoder & ModularPipelineCommands;
    pass.setPipeline(table);
    pass.setBindGroup(0, group);
    pass.setSinkBuffer(sink, 0, size, sink, size, 0);
    pass.setViewports([
      { x: 0, y: 0, width: overlap ? 120 : 75, height: SIZE },
      { x: 75, y: 0, width: 75, height: SIZE },
    ]);
    pass.draw(3 * PRIMITIVES, instances);
  });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(sink, 0, read, 0, size + 16);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  const bytes = Buffer.concat([drawn, new Uint8Array(read.getMappedRange())]);
  for (const buffer of [sink, read]) buffer.destroy();
  // Any worker may run a stage.
  const counts = table.statistics().slots.map((slot) => slot && { ...slot, bytesHeld: 0, workers: [] });
  return { bytes, counts };
}

/** Returns the contents of buffers and their counts after a pass that reads the map in stages of these kinds. */
async function countsOf(device: Device, map: GPUTexture, slots: readonly Slot[]): Promise<number[]> {
  const module = device.createShaderModule({ code: CODE });
  const stages = (['grid', ...slots] as const).map((entryPoint): ModularStage => ({
    kind: entryPoint === 'grid' ? 'vertex' : KINDS[entryPoint as keyof typeof KINDS],
    module,
    entryPoint,
  }));
  const table = device.createModularPipeline({
    layout: 'auto',
    input: {},
    stages,
    sinks: [{ buffer: { arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' }] } }],
  });
  const counts = device.createBuffer({
    size: 16,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  const read = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(counts, 0, Uint32Array.of(7, 7, 7, 7));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    label: 'counting',
    colorAttachments: [],
    size: [1, 1],
    sampleCount: 1,
  } as unknown as GPURenderPassDescriptor) as GPURenderPassEncoder & ModularPipelineCommands;
  pass.setPipeline(table);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: table.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: map.createView() }],
    })
  );
  pass.setSinkBuffer(device.createBuffer({ size: 99 * 16, usage: GPUBufferUsage.STORAGE }), 0, 99 * 16, counts);
  pass.draw(99);
  pass.end();
  encoder.copyBufferToBuffer(counts, 0, read, 0, 16);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  return [...new Uint32Array(read.getMappedRange())];
}

describe.each(Object.entries(WORKERS))('with %s', (_, options) => {
  let opened: Open;
  beforeAll(async () => {
    opened = await open(options);
  });
  afterAll(() => opened.device.destroy());

  test('stream output and pictures of modular pipelines do not depend on residency', async () => {
    const device = opened.device as unknown as Device;
    const all = whole(device, TEXELS);
    const module = device.createShaderModule({ code: CODE });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          slots: fc
            .array(fc.constantFrom(...(Object.keys(SLOTS) as Slot[])), { minLength: 1, maxLength: 3 })
            .filter((slots) => amplification(slots) <= 300),
          fragment: fc.constantFrom('plain', 'mapped'),
          overlap: fc.boolean(),
          instances: fc.integer({ min: 1, max: 3 }),
        }),
        pages(),
        async (scene, from) => {
          const expected = await draw(device, module, all, scene);
          const found = await streaming(opened, TEXELS, PAGE, from, (map) => draw(device, module, map, scene));
          expect(Buffer.compare(found.bytes, expected.bytes)).toBe(0);
          // Work that restarts for the next chunk is counted again.
          if (!options.budgets) expect(found.counts).toEqual(expected.counts);
        }
      ),
      { numRuns: rounds(6) }
    );
    expect(device.statistics().counters['tilesReplayed']).toBeGreaterThan(0);
    all.destroy();
  }, 120_000);

  test('counts of an unfinished pass report no vertices', async () => {
    const device = opened.device as unknown as Device;
    const { errors } = opened;
    for (const slots of [['sway'], ['choose'], ['sway', 'choose']] as const) {
      const map = streamed(opened.device, TEXELS, {
        loadPage: () => {
          throw new Error('torn');
        },
        pageSize: PAGE,
      });
      expect(await countsOf(device, map, slots)).toEqual([0, 1, 0, 0]);
      expect(errors.splice(0)).toEqual([expect.stringMatching(/render pass "counting" failed: .*torn/)]);
      map.destroy();
    }
  });
});
