// Random modular pipelines with stages that emit and tessellate, as WGSL and as plain TypeScript. A packet is two
// integers. The last stage turns its input into points whose pixels depend on the integers. The last point at a pixel
// is visible, which reveals the order of primitives.
import type {
  ModularPipelineDescriptor,
  ModularPipelineDevice,
  ModularSink,
  ModularStage,
  ProcessingOrderCommands,
  SampleOrder,
  ModularPipelineCommands,
} from '../../../src/index';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';
import {
  type AnyStage,
  type EmittingCase,
  HEIGHT,
  INPUTS,
  MASK,
  PIXELS,
  WIDTH,
  amplified,
  indicesOf,
  isStrip,
  madeOf,
} from './modular.geometry.cases';

const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, STORAGE: 128 } as const;

/** Slightly more than what is drawn. */
function indexBytes(of: EmittingCase): Uint16Array<ArrayBuffer> {
  const indices = indicesOf({ ...of, indexed: true });
  return Uint16Array.from({ length: 702 }, (_, i) => indices[i] ?? 0);
}

function stageText(stage: AnyStage, i: number, corners: number): string {
  if (stage.kind === 'vertex')
    return `@vertex fn s${i}(p: P, @builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> P {
      return P((p.a * ${stage.factor} + p.b + ${stage.addend}) & ${MASK}, (p.b + vertex + instance * 3) & ${MASK});
    }`;
  if (stage.kind === 'tess')
    return `struct Levels${i} {
      @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f, @location(0) sum: u32,
    }
    @tess_control fn c${i}(v: array<P, ${corners}>, @builtin(primitive_index) i: u32) -> Levels${i} {
      let outer = vec4f((vec4u(0, 1, 2, 3) + v[0].a + i) % 8) * 0.75;
      return Levels${i}(outer, vec2f((vec2u(0, 1) + v[0].b) % 6) * 0.75 + 0.5, v[0].a + i * 3);
    }
    @tess_evaluation fn s${i}(
      v: array<P, ${corners}>, @builtin(tess_coord) at: vec3f, @builtin(primitive_index) i: u32, @location(0) sum: u32
    ) -> P {
      let part = vec3u(at * 512);
      return P(
        (v[0].a * 3 + v[${corners - 1}].b + part.x * 7 + part.y * 5) & ${MASK},
        (sum + v[${1 % corners}].b + part.z + i) & ${MASK}
      );
    }`;
  const { most, cut: every, straight } = stage;
  const each = (k: string): string => `
    emitVertex(P((v[${k} % ${corners}].a * 3 + v[(${k} + 1) % ${corners}].b + ${k}) & ${MASK},
      (v[0].b + i * 5 + ${k}) & ${MASK}));
    if ((v[0].b + ${k}) % ${every} == 0) { endStrip(); }`;
  return `@geometry fn s${i}(v: array<P, ${corners}>, @builtin(primitive_index) i: u32) {
    let count = (v[0].a + i) % ${most + 1};
    ${
      straight && most < 7
        ? Array.from({ length: most }, (_, k) => `if (${k}u < count) { ${each(`${k}u`)} }`).join('\n')
        : `for (var k = 0u; k < count; k++) { ${each('k')} }`
    }
  }`;
}

function wgslOf({ stages, input }: EmittingCase): string {
  let corners: number = INPUTS[input];
  const texts = stages.map((stage, i) => {
    const text = stageText(stage, i, corners);
    if (stage.kind !== 'vertex') corners = INPUTS[madeOf(stage)];
    return text;
  });
  return `enable modular_pipelines;
    struct P { @location(0) @interpolate(flat) a: u32, @location(1) @interpolate(flat) b: u32 }
    struct Point { @builtin(position) position: vec4f, @location(0) @interpolate(flat) value: u32 }
    @group(0) @binding(0) var<storage, read_write> found: array<u32>;
    @vertex fn load(@builtin(vertex_index) n: u32) -> P { return P((n * 5) & ${MASK}, n); }
    ${texts.join('\n')}
    @geometry fn points(
      v: array<P, ${corners}>, @builtin(primitive_index) i: u32, @builtin(instance_index) instance: u32
    ) {
      for (var k = 0u; k < ${corners}u; k++) {
        let value = v[k].a * 1024 + v[k].b;
        let pixel = (value * 31 + i * 17 + k * 5 + instance * 999) % ${PIXELS};
        let place = vec2f(vec2u(pixel % ${WIDTH}, pixel / ${WIDTH})) + 0.5;
        emitVertex(Point(vec4f(place.x / ${WIDTH / 2} - 1, 1 - place.y / ${HEIGHT / 2}, 0.5, 1), value));
      }
    }
    @fragment fn fs(@builtin(position) p: vec4f, @location(0) @interpolate(flat) value: u32) {
      found[u32(p.y) * ${WIDTH} + u32(p.x)] = value + 1;
    }`;
}

const slotsOf = (module: GPUShaderModule, stages: EmittingCase['stages']): readonly ModularStage[] => [
  { kind: 'vertex', module, entryPoint: 'load' },
  ...stages.flatMap((stage, i): ModularStage[] => {
    const entryPoint = `s${i}`;
    if (stage.kind === 'vertex') return [{ kind: stage.kind, module, entryPoint, enabled: stage.on }];
    if (stage.kind === 'geometry')
      return [{ kind: stage.kind, module, entryPoint, maxVertices: stage.most, topology: stage.topology }];
    const { domain, spacing, winding, points } = stage;
    return [
      { kind: 'tess_control', module, entryPoint: `c${i}` },
      {
        kind: 'tess_evaluation',
        module,
        entryPoint,
        domain,
        spacing,
        winding,
        maxLevel: 5,
        topology: points ? 'point-list' : undefined,
      },
    ];
  }),
];

const inputOf = ({ input, indexed }: EmittingCase): ModularPipelineDescriptor['input'] => ({
  topology: input,
  ...(isStrip(input) && indexed && { stripIndexFormat: 'uint16' }),
  ...(input === 'patch-list' && { patchVertices: 4 }),
});

/**
 * Returns what two draw calls stream into a buffer, and the words that count the vertices. `forks`: the first or the
 * last slot leads to a second buffer, too.
 */
export async function listedOn(
  device: GPUDevice,
  of: EmittingCase,
  forks: 'first' | 'last' | null = null,
  order: SampleOrder = 'received'
): Promise<{ readonly vertices: readonly number[]; readonly counts: readonly number[] }> {
  const { stages, indexed, vertices, instances } = of;
  const made = device as GPUDevice & ModularPipelineDevice;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: wgslOf(of) });
  const slots = slotsOf(module, stages);
  const sink = (from?: number): ModularSink => ({
    from,
    buffer: {
      arrayStride: 8,
      attributes: [
        { shaderLocation: 0, offset: 0, format: 'uint32' },
        { shaderLocation: 1, offset: 4, format: 'uint32' },
      ],
    },
  });
  const pipeline = made.createModularPipeline({
    layout: 'auto',
    input: inputOf(of),
    stages: slots,
    sinks: forks ? [sink(forks === 'first' ? 0 : slots.length - 1), sink()] : [sink()],
  });
  const indices = device.createBuffer({ size: 1400 + 4, usage: USAGE.INDEX | USAGE.COPY_DST });
  device.queue.writeBuffer(indices, 0, indexBytes(of));
  const share = amplified(stages);
  const usage = USAGE.STORAGE | USAGE.COPY_SRC;
  const size = 2 * vertices * instances * share * 6 * 8 + 16;
  const buffer = device.createBuffer({ size, usage });
  const counts = device.createBuffer({ size: 16, usage });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [],
    size: [1, 1],
    sampleCount: 1,
  } as unknown as GPURenderPassDescriptor) as GPURenderPassEncoder & ModularPipelineCommands & ProcessingOrderCommands;
  pass.setPipeline(pipeline);
  for (const type of ['vertex', 'primitive'] as const) pass.setProcessingOrder(type, order);
  pass.setIndexBuffer(indices, 'uint16');
  const other = device.createBuffer({ size, usage });
  if (forks) pass.setSinkBuffer(other);
  pass.setSinkBuffer(buffer, 0, undefined, counts, 0, forks ? 1 : 0);
  for (let draw = 0; draw < 2; draw++) {
    if (indexed) pass.drawIndexed(vertices, instances);
    else pass.draw(vertices, instances);
  }
  pass.end();
  const copy = device.createBuffer({ size: size + 16, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
  encoder.copyBufferToBuffer(counts, 0, copy, size, 16);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(copy.getMappedRange());
  const told = [...words.slice(size / 4)];
  const found = { vertices: [...words.slice(0, told[0]! * 2)], counts: told };
  for (const each of [indices, buffer, other, counts, copy]) each.destroy();
  return found;
}

export async function emittedOn(device: GPUDevice, of: EmittingCase): Promise<Uint32Array> {
  const { stages, indexed, vertices, instances } = of;
  const made = device as GPUDevice & ModularPipelineDevice;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: wgslOf(of) });
  const descriptor: ModularPipelineDescriptor = {
    layout: 'auto',
    label: 'emitting',
    input: inputOf(of),
    stages: [
      ...slotsOf(module, stages),
      { kind: 'geometry', module, entryPoint: 'points', maxVertices: 6, topology: 'point-list' },
    ],
    sinks: [{ raster: { fragment: { module, targets: [{ format: 'r8unorm', writeMask: 0 }] } } }],
  };
  const pipeline = made.createModularPipeline(descriptor);
  const indices = device.createBuffer({ size: 1400 + 4, usage: USAGE.INDEX | USAGE.COPY_DST });
  device.queue.writeBuffer(indices, 0, indexBytes(of));
  const buffer = device.createBuffer({ size: PIXELS * 4, usage: USAGE.STORAGE | USAGE.COPY_SRC });
  const view = device
    .createTexture({ size: [WIDTH, HEIGHT], format: 'r8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
    .createView();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
  }) as GPURenderPassEncoder & ModularPipelineCommands;
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }] })
  );
  pass.setIndexBuffer(indices, 'uint16');
  if (indexed) pass.drawIndexed(vertices, instances);
  else pass.draw(vertices, instances);
  pass.end();
  const copy = device.createBuffer({ size: PIXELS * 4, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, PIXELS * 4);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  const found = new Uint32Array(copy.getMappedRange().slice(0));
  for (const each of [indices, buffer, copy]) each.destroy();
  return found;
}
