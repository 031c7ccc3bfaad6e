// Executes a random shader in plain TypeScript, invocation by invocation from barrier to barrier, and on a device.
import { INPUT_WORDS, OWN_WORDS, wordOf } from './scope';
import { TOLD, type ComputeProgram } from './program';
import { TICKET_WORDS, Tickets, ticketsIn } from './tickets';
import type { Invocation, Memory, Value } from './values';
import { GPUMapMode, GPUShaderStage } from '../../support/flags';
import { firstDifference } from '../../support/first-difference';

export interface Case {
  readonly program: ComputeProgram;
  /** Workgroups in x and y. */
  readonly groups: readonly [number, number];
  readonly input: Uint32Array<ArrayBuffer>;
}

/**
 * Final bytes of the buffers `own`, `region`, `sums` and `extremes`, and the part of `tickets` that is independent of
 * order.
 */
type Left = readonly Uint32Array<ArrayBuffer>[];

const SUMS = 7;
const invocationsOf = ({
  program: {
    size: [width, height],
  },
}: Case): number => width * height;
const groupsOf = ({ groups: [x, y] }: Case): number => x * y;

const words = (count: number): Uint32Array<ArrayBuffer> => new Uint32Array(count);

export const execute = (one: Case): Left => executed(one).left;

/** Also returns whether all floats had results that WGSL fully specifies. */
export function executed(one: Case): { readonly left: Left; readonly isClear: boolean } {
  const size = invocationsOf(one);
  const groups = groupsOf(one);
  const { program } = one;
  const own = words(size * groups * OWN_WORDS);
  const region = words(size * groups);
  const tickets = new Tickets();
  const sums = Array<Value>(SUMS).fill(0);
  const extremes = Array<Value>(SUMS).fill(0);
  let isClear = true;
  for (let group = 0; group < groups; group++) {
    const stores: Value[][] = [];
    program.stores.forEach(({ number, type, perInvocation }) => {
      stores[number] = Array<Value>(size * perInvocation).fill(type === 'bool' ? false : 0);
    });
    program.tallies.forEach(({ number }, k) => {
      stores[number] = [sums, extremes][k] ?? Array<Value>(SUMS).fill(0);
    });
    stores[TOLD] = [0];
    const memory: Memory = { stores, own, tickets, isClear };
    runGroup(one, group, memory);
    ({ isClear } = memory);
    // The first of the stores is in a buffer.
    region.set(
      stores[0]!.map((value) => wordOf('u32', value)),
      group * size
    );
  }
  const counted = [sums, extremes].map((values) => Uint32Array.from(values, (value) => (value as number) >>> 0));
  return { left: [own, region, ...counted, tickets.left], isClear };
}

function runGroup(one: Case, group: number, memory: Memory): void {
  const { program, input } = one;
  const size = invocationsOf(one);
  const running = Array.from({ length: size }, (_, index) => {
    const at: Invocation = {
      index,
      localX: index % program.size[0],
      localY: Math.floor(index / program.size[0]),
      id: group * size + index,
      group,
      input,
      values: [],
      arrays: [],
      memory,
    };
    for (const { number, length, zero } of program.privates) at.arrays[number] = Array<Value>(length).fill(zero);
    program.begin(at, groupsOf(one));
    return program.run(at);
  });
  for (let waits = true; waits;) {
    const ended = running.map((invocation) => invocation.next().done === true);
    waits = !ended[0];
    if (ended.some((done) => done === waits)) throw new Error('test: some invocations wait, others are done');
  }
}

const STORAGE = 128;
const COPY_SRC = 4;
const COPY_DST = 8;
const MAP_READ = 1;

export async function runOn(device: GPUDevice, one: Case): Promise<Left> {
  const left = await wordsOn(device, one);
  return [...left.slice(0, -1), ticketsIn(left[left.length - 1]!)];
}

/** Returns all words, including those of `tickets`. */
export async function wordsOn(device: GPUDevice, one: Case): Promise<Left> {
  const { program, input } = one;
  const [x, y] = one.groups;
  const size = invocationsOf(one) * groupsOf(one);
  const contents = [input, input, words(size * OWN_WORDS), words(size), words(SUMS), words(SUMS), words(TICKET_WORDS)];
  const buffers = contents.map((data) => {
    const buffer = device.createBuffer({ size: data.byteLength, usage: STORAGE | COPY_SRC | COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  });
  device.pushErrorScope('validation');
  const layout = device.createBindGroupLayout({
    entries: buffers.map((_, binding) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: binding < 2 ? 'read-only-storage' : 'storage' },
    })),
  });
  const pipeline = device.createComputePipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module: device.createShaderModule({ code: program.wgsl }), constants: program.constants },
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({ layout, entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })) })
  );
  pass.dispatchWorkgroups(x, y);
  pass.end();
  const copies = buffers.slice(2).map((buffer) => {
    const copy = device.createBuffer({ size: buffer.size, usage: MAP_READ | COPY_DST });
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    return copy;
  });
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  const left: Uint32Array<ArrayBuffer>[] = [];
  for (const copy of copies) {
    await copy.mapAsync(GPUMapMode.READ);
    left.push(new Uint32Array(copy.getMappedRange().slice(0)));
  }
  for (const buffer of [...buffers, ...copies]) buffer.destroy();
  return left;
}

/** Input with arbitrary bits, many of them small numbers, and with normal floats. */
export function inputOf(below: (n: number) => number): Uint32Array<ArrayBuffer> {
  const input = words(INPUT_WORDS);
  const floats = new Float32Array(input.buffer);
  for (let k = 0; k < INPUT_WORDS; k++) {
    const kind = below(4);
    if (kind === 0) input[k] = below(0x10000) * 0x10000 + below(0x10000);
    else if (kind === 1) input[k] = below(50);
    else if (kind === 2) input[k] = -below(50);
    else floats[k] = (below(2001) - 1000) / 8;
  }
  return input;
}

const NAMES = ['own', 'region', 'sums', 'extremes', 'tickets'];
/** Describes where the results differ from the expected ones; null if they are the same. */
export function difference(wanted: Left, left: Left): string | null {
  for (const [k, words_] of wanted.entries()) {
    const at = firstDifference(words_, left[k]!);
    if (at >= 0) return `${NAMES[k]}[${at}] is 0x${left[k]![at]!.toString(16)}, not 0x${words_[at]!.toString(16)}`;
  }
  return null;
}
