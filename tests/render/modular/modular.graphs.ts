// Random modular pipelines that fork and join, as WGSL and as plain TypeScript. Their stages keep vertices, emit, drop
// primitives or choose viewports; edges come in any order; sinks are buffers and rasterization.
// The composition pushes the output of a slot along each edge. The order in which packets of several paths reach a sink
// depends on how work is divided. So stream output is compared as a set per assembled primitive, and each pixel with
// all that may have been drawn last. With one path the order is checked.
import type {
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularStage,
  ModularPipelineCommands,
  Viewport,
  ViewportCommands,
} from '../../../src/index';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';
import {
  ACROSS,
  CORNERS,
  DOWN,
  type Drawn,
  type GraphCase,
  HEIGHT,
  MASK,
  PIXELS,
  PLACES,
  WIDTH,
} from './modular.graphs.cases';

const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, STORAGE: 128 } as const;
const TOPOLOGIES = ['point-list', 'line-strip', 'triangle-strip'] as const;

/** Stages read some members of a vertex, of some vertices of the primitive. */
function look(i: number, looks: 'drops' | 'chooses' | 'both', factor: number, corners: number): string {
  const isDropped = `(v[0].a + v[${corners - 1}].b + i) % ${factor + 1} == 0`;
  const viewport = `(v[${corners - 1}].b + i * ${factor} + k) % 5`;
  const takes = `v: array<P, ${corners}>, @builtin(primitive_index) i: u32`;
  const instance = '@builtin(instance_index) k: u32';
  if (looks === 'drops')
    return `@primitive fn s${i}(${takes}) -> @builtin(cull_primitive) bool { return ${isDropped}; }`;
  return looks === 'chooses'
    ? `@primitive fn s${i}(${instance}, ${takes}) -> @builtin(viewport_index) u32 { return ${viewport}; }`
    : `@primitive fn s${i}(${takes}, ${instance}) -> R { return R(${viewport}, ${isDropped}); }`;
}

function wgslOf({ slots, corners }: GraphCase): string {
  return `enable modular_pipelines;
    struct P { @location(0) @interpolate(flat) a: u32, @location(3) @interpolate(flat) b: u32 }
    struct Q {
      @builtin(position) position: vec4f, @location(3) @interpolate(flat) b: u32, @location(0) @interpolate(flat) a: u32
    }
    @group(0) @binding(0) var<storage, read_write> found: array<u32>;
    override region: u32 = 0;
    fn q(a: u32, b: u32) -> Q {
      let pixel = ((a * 1024 + b) * 31) % ${PLACES};
      let place = vec2f(vec2u(pixel % ${WIDTH}, pixel / ${WIDTH})) + 0.5;
      return Q(vec4f(place.x / ${WIDTH / 2} - 1, 1 - place.y / ${HEIGHT / 2}, 0.5, 1), b, a);
    }
    struct R { @builtin(viewport_index) viewport: u32, @builtin(cull_primitive) isDropped: bool }
    ${slots
      .map(({ most, factor, looks }, i) =>
        looks !== null
          ? look(i, looks, factor, corners)
          : most === 0
            ? `@vertex fn s${i}(p: P, @builtin(vertex_index) n: u32, @builtin(instance_index) instance: u32) -> Q {
        return q((p.a * ${factor} + p.b + 1) & ${MASK}, (p.b + n + instance * 3) & ${MASK});
      }`
            : `@geometry fn s${i}(v: array<P, ${corners}>, @builtin(primitive_index) i: u32) {
        let count = (v[0].a + i) % ${most + 1};
        for (var k = 0u; k < count; k++) {
          emitVertex(q((v[k % ${corners}].a * 3 + v[(k + 1) % ${corners}].b + k) & ${MASK},
            (v[0].b + i * 5 + k) & ${MASK}));
          if ((v[0].b + k) % 5 == 0) { endStrip(); }
        }
      }`
      )
      .join('\n')}
    @fragment fn both(
      @builtin(position) p: vec4f, @location(0) @interpolate(flat) a: u32, @location(3) @interpolate(flat) b: u32
    ) { found[region * ${PIXELS} + u32(p.y) * ${ACROSS} + u32(p.x)] = a * 1024 + b + 1; }
    @fragment fn one(@builtin(position) p: vec4f, @location(3) @interpolate(flat) b: u32) {
      found[region * ${PIXELS} + u32(p.y) * ${ACROSS} + u32(p.x)] = b + 1;
    }`;
}

export async function drawnGraph(device: GPUDevice, of: GraphCase): Promise<Drawn> {
  const made = device as GPUDevice & ModularPipelineDevice;
  const { slots, sinks, edges, corners } = of;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: wgslOf(of) });
  const topology = (['point-list', 'line-list', 'triangle-list'] as const)[corners - 1]!;
  const stages = slots.map(({ most, looks }, i): ModularStage =>
    looks !== null
      ? { kind: 'primitive', module, entryPoint: `s${i}` }
      : most === 0
        ? { kind: 'vertex', module, entryPoint: `s${i}` }
        : { kind: 'geometry', module, entryPoint: `s${i}`, maxVertices: most, topology: TOPOLOGIES[corners - 1] }
  );
  const descriptor: ModularPipelineDescriptor = {
    layout: 'auto',
    label: 'graph',
    input: {
      topology,
      buffers: [
        {
          arrayStride: 8,
          attributes: [
            { shaderLocation: 3, offset: 4, format: 'uint32' },
            { shaderLocation: 0, offset: 0, format: 'uint32' },
          ],
        },
      ],
    },
    stages,
    edges,
    sinks: sinks.map(({ raster, from }, i) =>
      raster
        ? {
            from,
            raster: {
              fragment: {
                module,
                entryPoint: i % 2 === 1 ? 'one' : 'both',
                constants: { region: i },
                targets: [{ format: 'r8unorm' as const, writeMask: 0 }],
              },
            },
          }
        : {
            from,
            buffer: {
              arrayStride: i % 2 === 1 ? 4 : 8,
              attributes: [
                { shaderLocation: 3, offset: i % 2 === 1 ? 0 : 4, format: 'uint32' as const },
                ...(i % 2 === 1 ? [] : [{ shaderLocation: 0, offset: 0, format: 'uint32' as const }]),
              ],
            },
          }
    ),
  };
  const pipeline = made.createModularPipeline(descriptor);
  const data = new Uint32Array(of.vertices * 2);
  for (let n = 0; n < of.vertices; n++) data.set([(n * 5) & MASK, n & MASK], n * 2);
  const vertices = device.createBuffer({ size: data.byteLength, usage: 32 | USAGE.COPY_DST });
  device.queue.writeBuffer(vertices, 0, data);
  const area = sinks.length * PIXELS * 4;
  const held: GPUBuffer[] = [vertices];
  const storage = (size: number): GPUBuffer => {
    const buffer = device.createBuffer({ size, usage: USAGE.STORAGE | USAGE.COPY_SRC });
    held.push(buffer);
    return buffer;
  };
  const pixels = storage(area);
  const view = device
    .createTexture({ size: [ACROSS, DOWN], format: 'r8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
    .createView();
  const targets = sinks.map(({ raster }) => (raster ? null : { buffer: storage(1 << 19), counts: storage(16) }));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
  }) as GPURenderPassEncoder & ModularPipelineCommands & ViewportCommands;
  pass.setViewports(CORNERS[of.viewports].map(([x, y]): Viewport => ({ x, y, width: WIDTH, height: HEIGHT })));
  pass.setPipeline(pipeline);
  const draws = sinks.some(({ raster }) => raster);
  if (draws)
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer: pixels } }],
      })
    );
  pass.setVertexBuffer(0, vertices);
  targets.forEach((target, i) => {
    if (target) pass.setSinkBuffer(target.buffer, 0, undefined, target.counts, 0, i);
  });
  slots.forEach(({ on }, i) => {
    if (!on) pass.setStageEnabled(i, false);
  });
  if (of.entry !== null) pass.setEntryStage(of.entry);
  pass.draw(of.vertices, of.instances);
  pass.end();
  const read = async (buffer: GPUBuffer): Promise<Uint32Array> => {
    const copy = device.createBuffer({ size: buffer.size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
    const copying = device.createCommandEncoder();
    copying.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    device.queue.submit([copying.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(copy.getMappedRange().slice(0));
    copy.destroy();
    return words;
  };
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  const result: Drawn = {
    pixels: await read(pixels),
    buffers: await Promise.all(
      targets.map(async (target, i) => {
        if (!target) return null;
        const [count] = await read(target.counts);
        const words = await read(target.buffer);
        if (i % 2 === 1) return { words: words.slice(0, count), count: count! };
        return {
          words: Uint32Array.from({ length: count! }, (_, v) => words[v * 2]! * 1024 + words[v * 2 + 1]!),
          count: count!,
        };
      })
    ),
  };
  for (const buffer of held) buffer.destroy();
  return result;
}
