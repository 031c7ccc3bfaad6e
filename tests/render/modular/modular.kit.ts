// Random modular pipelines of vertex stages, as WGSL and as plain TypeScript. The fragment shader's inputs equal the
// composition of the same functions on small integers, so that nothing is rounded.
import * as fc from 'fast-check';
import type { ModularPipelineDescriptor, ModularPipelineDevice, ModularPipelineCommands } from '../../../src/index';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';

/** Locations 0 to 3 hold floats, 4 and 5 unsigned integers. */
const LOCATIONS = 6;
const FLOATS = 4;
const MASK = 127;
const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, VERTEX: 32, STORAGE: 128 } as const;
const WIDTH = 64;
const HEIGHT = 64;

interface Variable {
  readonly location: number;
  readonly size: number;
}
/** Component c: factor · a component of the variable at `from` (without one: the vertex index) + addend + c. */
interface Write extends Variable {
  readonly from: number;
  readonly factor: number;
  readonly addend: number;
}
interface Program {
  readonly reads: readonly Variable[];
  readonly writes: readonly Write[];
}
interface SlotOf {
  readonly program: number;
  readonly k: number;
  readonly enabled: boolean;
}
interface DrawOf {
  readonly vertices: number;
  readonly instances: number;
  /** Before the draw call: slots to switch on and off, by number modulo the table's length. */
  readonly turned: readonly (readonly [number, boolean])[];
  readonly entry: number;
}
interface Case {
  readonly programs: readonly Program[];
  /** All but the last slot, which writes positions. */
  readonly slots: readonly (SlotOf | null)[];
  readonly finish: Program;
  readonly fragment: readonly Variable[];
  readonly draws: readonly DrawOf[];
}

const variable = { location: fc.nat({ max: LOCATIONS - 1 }), size: fc.integer({ min: 1, max: 4 }) };
const byLocation = { selector: ({ location }: Variable) => location };
const variables = fc.uniqueArray(fc.record(variable), { ...byLocation, maxLength: 4 });
const writes = fc.uniqueArray(
  fc.record({
    ...variable,
    from: fc.nat({ max: 9 }),
    factor: fc.integer({ min: 1, max: 5 }),
    addend: fc.nat({ max: 9 }),
  }),
  { ...byLocation, maxLength: 5 }
);
const program = fc.record({ reads: variables, writes });
const slot = fc.record({ program: fc.nat({ max: 3 }), k: fc.nat({ max: 3 }), enabled: fc.boolean() });
export const tables: fc.Arbitrary<Case> = fc.record({
  programs: fc.array(program, { minLength: 4, maxLength: 4 }),
  slots: fc.array(fc.option(slot, { nil: null, freq: 5 }), { maxLength: 7 }),
  finish: program,
  fragment: fc.uniqueArray(fc.record(variable), { ...byLocation, minLength: 1, maxLength: LOCATIONS }),
  draws: fc.array(
    fc.record({
      vertices: fc.integer({ min: 1, max: 200 }),
      instances: fc.integer({ min: 1, max: 3 }),
      turned: fc.array(fc.tuple(fc.nat({ max: 6 }), fc.boolean()), { maxLength: 3 }),
      entry: fc.nat({ max: 9 }),
    }),
    { minLength: 1, maxLength: 3 }
  ),
});

const scalar = (location: number): string => (location < FLOATS ? 'f32' : 'u32');
const type = ({ location, size }: Variable): string =>
  size === 1 ? scalar(location) : `vec${size}<${scalar(location)}>`;
const declared = (v: Variable): string =>
  `@location(${v.location}) ${v.location < FLOATS ? '' : '@interpolate(flat) '}l${v.location}: ${type(v)}`;
const component = ({ size }: Variable, c: number): string => (size === 1 ? '' : `.${'xyzw'[c % size]}`);

function valueOf({ reads }: Program, write: Write, c: number): string {
  const source = reads[write.from];
  const read = source ? `u32(i${source.location}${component(source, c)})` : 'n';
  return `${scalar(write.location)}((${read} * ${write.factor} + ${write.addend + c} + k) & ${MASK})`;
}

/** A stage whose `k` the table sets. `position`: whether it is the last one. */
function stage(name: string, of: Program, position: boolean): string {
  const members = [
    ...of.writes.map((write) => `${declared(write)},`),
    ...(position ? ['@builtin(position) position: vec4f,'] : []),
  ];
  const inputs = [
    ...of.reads.map((v) => declared(v).replace(/ l(\d)/, ' i$1')),
    '@builtin(vertex_index) index: u32',
    '@builtin(instance_index) instance: u32',
  ];
  const values = of.writes.map(
    (write) => `${type(write)}(${Array.from({ length: write.size }, (_, c) => valueOf(of, write, c)).join(', ')})`
  );
  const place =
    `vec4f((f32(pixel % ${WIDTH}) + 0.5) / ${WIDTH / 2} - 1, 1 `
    + `- (f32(pixel / ${WIDTH}) + 0.5) / ${HEIGHT / 2}, 0.5, 1)`;
  return `struct Out_${name} { ${members.join(' ') || `@location(${LOCATIONS}) none: f32`} }
    @vertex fn ${name}(${inputs.join(', ')}) -> Out_${name} {
      let n = index + instance * 3;
      ${position ? `let pixel = instance * 200 + index;` : ''}
      return Out_${name}(${[...values, ...(position ? [place] : [])].join(', ') || '0'});
    }`;
}

function wgslOf({ programs, finish, fragment }: Case): string {
  const stores = fragment
    .map((v) =>
      Array.from(
        { length: v.size },
        (_, c) => `found[pixel * ${LOCATIONS * 4} + ${v.location * 4 + c}] = u32(l${v.location}${component(v, c)}) + 1;`
      ).join('\n')
    )
    .join('\n');
  return `enable modular_pipelines;
    override k: u32 = 0;
    @group(0) @binding(0) var<storage, read_write> found: array<u32>;
    ${programs.map((of, i) => stage(`s${i}`, of, false)).join('\n')}
    ${stage('finish', finish, true)}
    @fragment fn fs(@builtin(position) p: vec4f, ${fragment.map(declared).join(', ')}) {
      let pixel = u32(p.y) * ${WIDTH} + u32(p.x);
      ${stores}
    }`;
}

/** Attributes of the vertex buffers. */
const BUFFER = [
  { location: 0, size: 3, format: 'float32x3', offset: 0 },
  { location: 4, size: 1, format: 'uint32', offset: 12 },
] as const;
const attribute = (location: number, c: number, index: number): number => (index * 7 + location * 5 + c * 3) & MASK;

type Packet = ReadonlyMap<number, readonly number[]>;
/** Reads a component of a packet, as a reader of `size` components sees it. */
function read(packet: Packet, { location, size }: Variable, c: number): number {
  const values = packet.get(location);
  if (values && c < values.length) return values[c]!;
  return c === 3 || (!values && size === 1 && location < FLOATS) ? 1 : 0;
}

function runStage(of: Program, k: number, packet: Packet, n: number): Packet {
  return new Map(
    of.writes.map((write): [number, number[]] => {
      const source = of.reads[write.from];
      return [
        write.location,
        Array.from({ length: write.size }, (_, c) => {
          const value = source ? read(packet, source, c % source.size) : n;
          return (value * write.factor + write.addend + c + k) & MASK;
        }),
      ];
    })
  );
}

/** The composition of the functions: a word per pixel, location and component; 0 where nothing was drawn. */
export function composed(of: Case): Uint32Array {
  const found = new Uint32Array(WIDTH * HEIGHT * LOCATIONS * 4);
  let instance = 0;
  for (const { draw, on } of drawsOf(of)) {
    for (const end = instance + draw.instances; instance < end; instance++)
      for (let index = 0; index < draw.vertices; index++) {
        let packet: Packet = new Map(
          BUFFER.map(({ location, size }) => [
            location,
            Array.from({ length: size }, (_, c) => attribute(location, c, index)),
          ])
        );
        const n = index + instance * 3;
        for (const slotOn of on) packet = runStage(of.programs[slotOn.program]!, slotOn.k, packet, n);
        packet = runStage(of.finish, 0, packet, n);
        for (const v of of.fragment)
          for (let c = 0; c < v.size; c++)
            found[((instance * 200 + index) * LOCATIONS + v.location) * 4 + c] = read(packet, v, c) + 1;
      }
  }
  return found;
}

/** The draw calls with the slots that they run, except for the last slot. */
function* drawsOf({ slots, draws }: Case): Iterable<{ draw: DrawOf; on: SlotOf[] }> {
  const enabled = slots.map((each) => each?.enabled === true);
  for (const draw of draws) {
    for (const [at, on] of draw.turned) if (slots[at]) enabled[at] = on;
    const entry = entryOf(slots, draw.entry);
    yield { draw, on: slots.filter((each, i): each is SlotOf => each !== null && enabled[i]! && i >= entry) };
  }
}

/** The slot at which a draw call enters: one that is not empty. */
const entryOf = (slots: Case['slots'], wanted: number): number => {
  const at = wanted % (slots.length + 1);
  return slots[at] === null ? slots.length : at;
};

type Device = GPUDevice & ModularPipelineDevice;

export async function drawn(device: GPUDevice, of: Case): Promise<Uint32Array> {
  const { slots } = of;
  const made = device as Device;
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: wgslOf(of) });
  const descriptor: ModularPipelineDescriptor = {
    layout: 'auto',
    label: 'random',
    input: {
      topology: 'point-list',
      buffers: [
        {
          arrayStride: 16,
          attributes: BUFFER.map(({ location: shaderLocation, format, offset }) => ({
            shaderLocation,
            format,
            offset,
          })),
        },
      ],
    },
    stages: [
      ...slots.map(
        (each) =>
          each && {
            kind: 'vertex' as const,
            module,
            entryPoint: `s${each.program}`,
            constants: { k: each.k },
            enabled: each.enabled,
          }
      ),
      { kind: 'vertex', module, entryPoint: 'finish' },
    ],
    sinks: [{ raster: { fragment: { module, targets: [{ format: 'r8unorm', writeMask: 0 }] } } }],
  };
  const pipeline = made.createModularPipeline(descriptor);
  const data = new Uint32Array(200 * 4);
  const floats = new Float32Array(data.buffer);
  for (let i = 0; i < 200; i++) {
    for (let c = 0; c < 3; c++) floats[i * 4 + c] = attribute(0, c, i);
    data[i * 4 + 3] = attribute(4, 0, i);
  }
  const vertices = device.createBuffer({ size: data.byteLength, usage: USAGE.VERTEX | USAGE.COPY_DST });
  device.queue.writeBuffer(vertices, 0, data);
  const size = WIDTH * HEIGHT * LOCATIONS * 16;
  const buffer = device.createBuffer({ size, usage: USAGE.STORAGE | USAGE.COPY_SRC });
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
  pass.setVertexBuffer(0, vertices);
  let instance = 0;
  for (const { draw } of drawsOf(of)) {
    for (const [at, on] of draw.turned) if (slots[at]) pass.setStageEnabled(at, on);
    pass.setEntryStage(entryOf(slots, draw.entry));
    pass.draw(draw.vertices, draw.instances, 0, instance);
    instance += draw.instances;
  }
  pass.end();
  const copy = device.createBuffer({ size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  const found = new Uint32Array(copy.getMappedRange().slice(0));
  for (const each of [vertices, buffer, copy]) each.destroy();
  return found;
}
