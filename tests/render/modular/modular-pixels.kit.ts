// Random modular pipelines with fragment slots, as WGSL and as plain TypeScript. Stages compute on small integers, so
// that nothing is rounded. Each draw call covers a strip of the picture.
import * as fc from 'fast-check';
import type { ModularPipelineCommands, ModularPipelineDevice, ModularStage } from '../../../src/index';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';

/** Links 0 and 1 hold floats, 2 and 3 unsigned integers. */
const LINKS = 4;
const FLOATS = 2;
const MASK = 127;
const USAGE = { MAP_READ: 1, COPY_DST: 8 } as const;
/** 256 bytes per row. */
const WIDTH = 64;
const STRIP = 6;
const MAX_DRAWS = 3;
const HEIGHT = STRIP * MAX_DRAWS;
const DISCARDED = 5;

interface Link {
  readonly link: number;
  readonly size: number;
}
/** Component c: factor · a component of the link at `from` (without one: the pixel's number) + addend + c + k. */
interface Write extends Link {
  readonly from: number;
  readonly factor: number;
  readonly addend: number;
}
interface Program {
  readonly reads: readonly Link[];
  readonly writes: readonly Write[];
  readonly discards: boolean;
}
interface SlotOf {
  readonly program: number;
  readonly k: number;
  readonly enabled: boolean;
}
interface DrawOf {
  readonly turned: readonly (readonly [number, boolean])[];
  readonly entry: number | null;
  readonly replaced: readonly [number, SlotOf | null] | null;
}
interface Case {
  readonly programs: readonly Program[];
  /** All but the last fragment slot, which writes the target. */
  readonly slots: readonly (SlotOf | null)[];
  /** Slots before the first cut are coarse, and those from the second one on are sample stages. */
  readonly cuts: readonly [number, number];
  readonly finish: Program;
  /** Whether the last slot adds four times the sample index. */
  readonly addsSample: boolean;
  readonly samples: 1 | 4;
  readonly rate: '1x1' | '2x2' | '4x2';
  readonly isBundled: boolean;
  readonly draws: readonly DrawOf[];
}

const link = { link: fc.nat({ max: LINKS - 1 }), size: fc.integer({ min: 1, max: 4 }) };
const byLink = { selector: ({ link: number }: Link) => number };
const program = fc.record({
  reads: fc.uniqueArray(fc.record(link), { ...byLink, maxLength: 3 }),
  writes: fc.uniqueArray(
    fc.record({
      ...link,
      from: fc.nat({ max: 5 }),
      factor: fc.integer({ min: 1, max: 5 }),
      addend: fc.nat({ max: 9 }),
    }),
    { ...byLink, maxLength: 3 }
  ),
  discards: fc.boolean(),
});
const slot = fc.record({ program: fc.nat({ max: 2 }), k: fc.nat({ max: 6 }), enabled: fc.boolean() });
export const pixelTables: fc.Arbitrary<Case> = fc.record({
  programs: fc.array(program, { minLength: 3, maxLength: 3 }),
  slots: fc.array(fc.option(slot, { nil: null, freq: 5 }), { maxLength: 12 }),
  cuts: fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 })).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
  finish: program.map((of) => ({ ...of, writes: [], discards: false })),
  addsSample: fc.boolean(),
  samples: fc.constantFrom(1, 4),
  rate: fc.constantFrom('1x1', '2x2', '4x2'),
  isBundled: fc.boolean(),
  draws: fc.array(
    fc.record({
      turned: fc.array(fc.tuple(fc.nat({ max: 11 }), fc.boolean()), { maxLength: 4 }),
      entry: fc.option(fc.nat({ max: 11 }), { nil: null }),
      replaced: fc.option(fc.tuple(fc.nat({ max: 11 }), fc.option(slot, { nil: null })), { nil: null, freq: 2 }),
    }),
    { minLength: 1, maxLength: MAX_DRAWS }
  ),
});

const scalar = (number: number): string => (number < FLOATS ? 'f32' : 'u32');
const type = ({ link: number, size }: Link): string => (size === 1 ? scalar(number) : `vec${size}<${scalar(number)}>`);
const component = ({ size }: Link, c: number): string => (size === 1 ? '' : `.${'xyzw'[c % size]}`);
const readOf = (of: Link, c: number): string => `u32(i${of.link}${component(of, c)})`;

/** Two entry points: `a…` for coarse stages computes from the draw call's number, `p…` from the pixel's number. */
function stage(i: number, of: Program): string {
  const inputs = of.reads.map((read) => `@link(${read.link}) i${read.link}: ${type(read)}`);
  const values = of.writes.map((write) => {
    const source = of.reads[write.from];
    const value = (c: number): string =>
      `${scalar(write.link)}((${source ? readOf(source, c) : 'n'} * ${write.factor} `
      + `+ ${write.addend + c} + k) & ${MASK})`;
    return `${type(write)}(${Array.from({ length: write.size }, (_, c) => value(c)).join(', ')})`;
  });
  const members = of.writes.map((write) => `@link(${write.link}) l${write.link}: ${type(write)},`).join(' ');
  const body = (name: string, more: string, n: string): string => `
    @fragment fn ${name}${i}(${[...inputs, more].join(', ')})${members ? ` -> Out${i}` : ''} {
      let n = ${n};
      ${of.discards ? `if (n % ${DISCARDED} == k) { discard; }` : ''}
      ${members ? `return Out${i}(${values.join(', ')});` : ''}
    }`;
  return `
    ${members ? `struct Out${i} { ${members} }` : ''}
    ${body('a', '@location(0) @interpolate(flat) id: u32', 'id')}
    ${body('p', '@builtin(position) at: vec4f', `u32(at.y) * ${WIDTH} + u32(at.x)`)}`;
}

function wgslOf({ programs, finish, addsSample }: Case): string {
  const inputs = finish.reads.map((read) => `@link(${read.link}) i${read.link}: ${type(read)}`);
  const sum = finish.reads.map((read, at) => `${readOf(read, read.size - 1)} * ${at + 1}`).join(' + ') || '9';
  const second = finish.reads[0] ? readOf(finish.reads[0], 0) : '0';
  const show = (name: string, more: readonly string[], sample: string): string => `
    @fragment fn ${name}(${[...inputs, ...more].join(', ')}) -> @location(0) vec4f {
      return vec4f(vec4u((${sum} + ${sample}) & 255, ${second}, 3, 255)) / 255;
    }`;
  return `enable modular_pipelines; enable fragment_stages;
    override k: u32 = 0;
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat) id: u32 }
    @vertex fn strip(@builtin(vertex_index) i: u32, @builtin(instance_index) id: u32) -> V {
      let y = 1 - f32(id + (i & 1)) * ${STRIP / HEIGHT} * 2;
      return V(vec4f(select(-1f, 1f, i > 1), y, 0, 1), id);
    }
    ${programs.map((of, i) => stage(i, of)).join('\n')}
    ${show('pixel', [], '0')}
    ${show('sample', addsSample ? ['@builtin(sample_index) s: u32'] : [], addsSample ? '4 * s' : '0')}`;
}

/** How often the slot at `i` runs. */
const kindOf = ({ cuts }: Case, i: number): 'coarse' | 'pixel' | 'sample' =>
  i < cuts[0] ? 'coarse' : i < cuts[1] ? 'pixel' : 'sample';

/** What each draw call runs: the slots after its changes, which of them are enabled, and where fragments enter. */
function* choicesOf({
  slots,
  draws,
}: Case): Generator<{
  readonly slots: readonly (SlotOf | null)[];
  readonly turned: readonly (readonly [number, boolean])[];
  readonly enabled: readonly boolean[];
  readonly entry: number | null;
  readonly enters: boolean;
  readonly replaced: number | null;
}> {
  let held = [...slots];
  const enabled = slots.map((of) => of?.enabled ?? false);
  let entry: number | null = null;
  for (const draw of draws) {
    const replaced = draw.replaced && slots.length > 0 ? draw.replaced[0] % slots.length : null;
    if (replaced !== null) held = held.with(replaced, draw.replaced![1]);
    const turned = draw.turned
      .filter(() => slots.length > 0)
      .map(([i, on]) => [i % slots.length, on] as const)
      .filter(([i]) => held[i]);
    for (const [i, on] of turned) enabled[i] = on;
    const wanted = draw.entry === null || slots.length === 0 ? null : draw.entry % slots.length;
    const enters = wanted !== null && held[wanted] !== null;
    if (enters) entry = wanted;
    yield { slots: held, turned, enabled: [...enabled], entry, enters, replaced };
  }
}

/** The first two channels of the picture that a case draws, by composition; 0 where nothing is drawn. */
export function composedPixels(of: Case): Uint8Array {
  const picture = new Uint8Array(WIDTH * HEIGHT * 2);
  let id = 0;
  for (const { slots, enabled, entry } of choicesOf(of)) {
    const stages = slots.flatMap((held, i) =>
      held && enabled[i] && i >= (entry ?? 0) ? [{ ...held, isCoarse: kindOf(of, i) === 'coarse' }] : []
    );
    for (let pixel = id * STRIP * WIDTH; pixel < (id + 1) * STRIP * WIDTH; pixel++) {
      const links = new Map<number, readonly number[]>();
      const read = ({ link: number, size }: Link, c: number): number =>
        links.get(number)?.[c % size] ?? (number < FLOATS && size === 1 ? 1 : c % size === 3 ? 1 : 0);
      let isDiscarded = false;
      for (const { program: which, k, isCoarse } of stages) {
        const { reads, writes, discards } = of.programs[which]!;
        const n = isCoarse ? id : pixel;
        isDiscarded ||= discards && n % DISCARDED === k;
        const written = writes.map(({ from, factor, addend, size }) =>
          Array.from({ length: size }, (_, c) => {
            const source = reads[from];
            return ((source ? read(source, c) : n) * factor + addend + c + k) & MASK;
          })
        );
        writes.forEach(({ link: number }, i) => links.set(number, written[i]!));
      }
      if (isDiscarded) continue;
      const { reads } = of.finish;
      const sum = reads.length > 0 ? reads.reduce((all, each, at) => all + read(each, each.size - 1) * (at + 1), 0) : 9;
      const isEach = of.addsSample && of.cuts[1] <= of.slots.length && of.samples === 4;
      // Resolving averages the four samples.
      const shown = isEach ? [0, 4, 8, 12].reduce((all, more) => all + ((sum + more) & 255), 0) / 4 : sum & 255;
      picture[2 * pixel] = Math.floor(shown + 0.5);
      picture[2 * pixel + 1] = reads[0] ? read(reads[0], 0) : 0;
    }
    id++;
  }
  return picture;
}

/** The same channels as a device draws them. */
export async function drawnPixels(device: GPUDevice, of: Case): Promise<Uint8Array> {
  const module = device.createShaderModule({ code: wgslOf(of) });
  const stageOf = (held: SlotOf | null, i: number): ModularStage | null => {
    const kind = kindOf(of, i);
    const entryPoint = held && `${kind === 'coarse' ? 'a' : 'p'}${held.program}`;
    return held && { kind, module, entryPoint: entryPoint!, constants: { k: held.k }, enabled: held.enabled };
  };
  const last = of.cuts[1] <= of.slots.length ? 'sample' : 'pixel';
  const pipeline = (device as GPUDevice & ModularPipelineDevice).createModularPipeline({
    label: 'pixels',
    layout: 'auto',
    input: { topology: 'triangle-strip' },
    stages: [{ kind: 'vertex', module }, ...of.slots.map(stageOf), { kind: last, module, entryPoint: last }],
    sinks: [{ raster: { multisample: { count: of.samples }, fragment: { targets: [{ format: 'rgba8unorm' }] } } }],
  });
  const size = [WIDTH, HEIGHT];
  const format = 'rgba8unorm';
  const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
  const picture = device.createTexture({ size, format, usage });
  const samples =
    of.samples > 1
      ? device.createTexture({ size, format, sampleCount: of.samples, usage: GPUTextureUsage.RENDER_ATTACHMENT })
      : null;
  const encoder = device.createCommandEncoder();
  const attachment = samples
    ? { view: samples.createView(), resolveTarget: picture.createView() }
    : { view: picture.createView() };
  const pass = encoder.beginRenderPass({ colorAttachments: [{ ...attachment, loadOp: 'clear', storeOp: 'store' }] });
  (pass as unknown as { setShadingRate(rate: string): void }).setShadingRate(of.rate);
  const bundle = of.isBundled
    ? device.createRenderBundleEncoder({ colorFormats: [format], sampleCount: of.samples })
    : null;
  const commands = (bundle ?? pass) as GPURenderPassEncoder & ModularPipelineCommands;
  commands.setPipeline(pipeline);
  let id = 0;
  for (const { slots, turned, entry, enters, replaced } of choicesOf(of)) {
    if (replaced !== null) pipeline.replaceStage(1 + replaced, stageOf(slots[replaced]!, replaced));
    for (const [i, on] of turned) commands.setStageEnabled(1 + i, on);
    if (enters) commands.setEntryStage(1 + entry!);
    commands.draw(4, 1, 0, id++);
  }
  if (bundle) pass.executeBundles([bundle.finish()]);
  pass.end();
  const bytesPerRow = WIDTH * 4;
  const read = device.createBuffer({ size: bytesPerRow * HEIGHT, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  encoder.copyTextureToBuffer({ texture: picture }, { buffer: read, bytesPerRow }, size);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  const bytes = new Uint8Array(read.getMappedRange().slice(0));
  for (const resource of [read, picture, ...(samples ? [samples] : [])]) resource.destroy();
  return Uint8Array.from({ length: WIDTH * HEIGHT * 2 }, (_, i) => bytes[4 * (i >> 1) + (i & 1)]!);
}
