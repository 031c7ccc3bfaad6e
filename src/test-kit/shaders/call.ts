// Calls of functions of a module under test: one shader for each function, and one dispatch for calls with the same
// resources.
import type { ShaderFunction, ShaderType } from '../../index';
import { bind, groupsOf, layoutsOf, variablesIn, type Binding, type ShaderVariables } from './bindings';
import { dispatch } from './compute';
import { BUFFER, readBuffer, STAGE, TEXTURE, validated } from './device';
import type { Target } from './target';
import type { ShaderResourceArgument } from './textures';
import { getWord, putWord, readValue, WORDS, writeValue, type ShaderArgument } from './values';
import {
  ENTRY,
  HEADER,
  OWN_SLOTS,
  sharesWorkgroup,
  VERTEX_ENTRY,
  WORKGROUP_SIZE,
  wrapFunction,
  type Place,
  type Wrapper,
} from './wrapper';

/** A function of a module. Calls run on the device; call many times at once by `batch`. */
export interface ShaderCall<Result> {
  /**
   * Calls the function with values for its parameters: numbers and booleans, arrays (vectors, matrices by columns and
   * arrays), objects (structs). Pointers take the value to which they point, textures their texels or a texture of the
   * device, and samplers their descriptor or a sampler.
   *
   * @returns the result; for functions with pointers `{ value, pointers }`, with what they hold after the call;
   * undefined if the function has discarded the pixel
   * @throws TypeError if an argument does not fit; Error with positions in your file if the module has errors
   */
  (...values: Arguments): Promise<Result>;
  /** Calls the function once for each array of arguments, in one dispatch for all calls with the same resources. */
  batch(calls: Iterable<Arguments>): Promise<Result[]>;
  /**
   * Calls the function in four pixels at once: top left, top right, bottom left and bottom right. A derivative is the
   * difference of its values in two of them.
   */
  quad(calls: readonly Arguments[]): Promise<Result[]>;
}
type Arguments = readonly (ShaderArgument | ShaderResourceArgument)[];

/** A function that is ready to be called. */
interface Prepared extends Wrapper {
  readonly device: GPUDevice;
  readonly fn: ShaderFunction;
  /** Values for the words before those of the parameters. */
  readonly assigned: readonly { readonly name: string; readonly type: ShaderType; readonly value: unknown }[];
  bindGroups(bindings: readonly Pick<Binding, 'slot' | 'resource'>[]): GPUBindGroup[];
  /** Runs `count` invocations, or `count` quads. */
  run(groups: readonly GPUBindGroup[], count: number): void;
}

/** Makes the function that calls a function. Nothing is compiled before the first call. */
export function makeCall<Result>(target: Target, name: string, variables: ShaderVariables): ShaderCall<Result> {
  let anywhere: Promise<Prepared> | undefined;
  let inPixels: Promise<Prepared> | undefined;
  const batch = async (calls: Iterable<Arguments>): Promise<Result[]> =>
    (await runCalls(await (anywhere ??= prepareAnywhere(target, name, variables)), [...calls], false)) as Result[];
  const quad = async (calls: readonly Arguments[]): Promise<Result[]> => {
    if (!Array.isArray(calls) || calls.length !== 4)
      throw new TypeError(`${name}: a quad has 4 calls: top left, top right, bottom left and bottom right`);
    return (await runCalls(await (inPixels ??= prepare(target, name, variables, 'fragment')), calls, true)) as Result[];
  };
  const call = async (...values: Arguments): Promise<Result> => (await batch([values]))[0]!;
  return Object.assign(call, { batch, quad });
}

/** Prepares a function for the compute stage, or for the fragment stage if it needs that. */
async function prepareAnywhere(target: Target, name: string, variables: ShaderVariables): Promise<Prepared> {
  const place = sharesWorkgroup(target.plain) ? 'alone' : 'compute';
  try {
    return await prepare(target, name, variables, place);
  } catch (error) {
    if (!(error as Error).message.includes('error[stage-not-allowed]')) throw error;
    return prepare(target, name, variables, 'fragment');
  }
}

async function prepare(target: Target, name: string, variables: ShaderVariables, place: Place): Promise<Prepared> {
  const declarations = await target.declarations();
  const fn = declarations.functions.find((each) => each.name === name);
  if (fn === undefined)
    throw new TypeError(
      `wgsl: the module has no function "${name}"; it has ${
        declarations.functions.map((each) => each.name).join(', ') || 'none'
      }`
    );
  const { slots, assigned } = variablesIn(variables, declarations.variables);
  const wrapper = wrapFunction(target.plain, fn, assigned, place);
  const device = await target.device();
  const stage = place === 'fragment' ? STAGE.fragment : STAGE.compute;
  const layouts = layoutsOf(device, [...slots, ...wrapper.slots.values(), ...OWN_SLOTS], stage);
  const run = await validated(device, `wgsl: ${name} cannot be called`, () =>
    makePipeline(device, layouts, wrapper, target.constants)
  ).catch((error: unknown) => {
    throw target.explain(error, wrapper.shift);
  });
  const bound = await validated(device, `wgsl: ${name} cannot be called`, () =>
    slots.map((slot) => bind(device, slot, variables[slot.name], `the variable ${slot.name}`))
  );
  return {
    ...wrapper,
    device,
    fn,
    assigned: assigned.map((variable) => ({ ...variable, value: variables[variable.name] })),
    bindGroups: (bindings) => groupsOf(device, layouts, [...bound, ...bindings]),
    run,
  };
}

/** Most workgroups in one dimension of a dispatch. */
const MAX_GROUPS = 65_535;
/** Quads in a row of pixels. */
const ROW = 512;

function makePipeline(
  device: GPUDevice,
  bindGroupLayouts: GPUBindGroupLayout[],
  { code, place }: Wrapper,
  constants: Readonly<Record<string, number>>
): Prepared['run'] {
  const layout = device.createPipelineLayout({ bindGroupLayouts });
  const module = device.createShaderModule({ code });
  const entry = { module, entryPoint: ENTRY, constants };
  if (place !== 'fragment') {
    const pipeline = device.createComputePipeline({ layout, compute: entry });
    return (groups, count) => {
      const total = Math.ceil(count / (place === 'alone' ? 1 : WORKGROUP_SIZE));
      const wide = Math.min(total, MAX_GROUPS);
      dispatch(device, pipeline, groups, [wide, Math.ceil(total / wide), 1]);
    };
  }
  const format = 'r8unorm';
  const pipeline = device.createRenderPipeline({
    layout,
    vertex: { module, entryPoint: VERTEX_ENTRY },
    fragment: { ...entry, targets: [{ format, writeMask: 0 }] },
  });
  return (groups, count) => {
    const size = [2 * Math.min(count, ROW), 2 * Math.ceil(count / ROW)];
    const target = device.createTexture({ size, format, usage: TEXTURE.RENDER });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'discard' }],
    });
    pass.setPipeline(pipeline);
    groups.forEach((group, i) => pass.setBindGroup(i, group));
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    target.destroy();
  };
}

/** Runs calls. @param isQuad each in a pixel of one quad */
async function runCalls(prepared: Prepared, values: readonly Arguments[], isQuad: boolean): Promise<unknown[]> {
  const { fn } = prepared;
  const calls = values.map((each, i) => ({
    name: values.length === 1 ? fn.name : `call ${i}: ${fn.name}`,
    values: each,
  }));
  for (const { name, values: each } of calls) {
    if (each.length === fn.parameters.length) continue;
    const list = fn.parameters.map((parameter) => `${parameter.name}: ${parameter.type.name}`).join(', ');
    throw new TypeError(`${name} takes ${fn.parameters.length} arguments (${list}), not ${each.length}`);
  }
  const results: unknown[] = [];
  for (const part of isQuad ? [wholeQuad(prepared, calls)] : partsOf(prepared, calls)) {
    const of = await runPart(
      prepared,
      part.map((i) => calls[i]!),
      isQuad
    );
    part.forEach((call, i) => (results[call] = of[i]));
  }
  return results;
}

const haveSameResources = ({ slots }: Prepared, a: Call, b: Call): boolean =>
  [...slots.keys()].every((k) => a.values[k] === b.values[k]);

function wholeQuad(prepared: Prepared, calls: readonly Call[]): number[] {
  const other = calls.find((call) => !haveSameResources(prepared, call, calls[0]!));
  if (other !== undefined)
    throw new TypeError(
      `${other.name} must have the same textures, samplers and buffers as the other calls of its quad`
    );
  return [0, 1, 2, 3];
}

/** Calls that can share a dispatch: those with the same resources. Each call that writes buffers has its own. */
function partsOf(prepared: Prepared, calls: readonly Call[]): number[][] {
  const { slots } = prepared;
  if ([...slots.values()].some(({ space, access }) => space === 'storage' && access !== 'read'))
    return calls.map((_, i) => [i]);
  const parts: number[][] = [];
  calls.forEach((call, i) => {
    const part = parts.find(([first]) => haveSameResources(prepared, call, calls[first!]!));
    if (part === undefined) parts.push([i]);
    else part.push(i);
  });
  return parts;
}

/** A call with its name for messages. */
interface Call {
  readonly name: string;
  readonly values: Arguments;
}

async function runPart(prepared: Prepared, calls: readonly Call[], isQuad: boolean): Promise<unknown[]> {
  const { device, fn, slots, resultWords } = prepared;
  const bytes = encodeCalls(prepared, calls, isQuad);
  const given = device.createBuffer({ size: bytes.byteLength, usage: BUFFER.STORAGE, mappedAtCreation: true });
  new Uint8Array(given.getMappedRange()).set(new Uint8Array(bytes.buffer));
  given.unmap();
  const size = calls.length * resultWords * 4;
  const words = device.createBuffer({ size, usage: BUFFER.STORAGE | BUFFER.COPY_SRC });
  const [first] = calls;
  const bound = await validated(device, `wgsl: ${fn.name} cannot be called`, () => {
    const resources = [...slots].map(([k, slot]) =>
      bind(device, slot, first!.values[k], `${first!.name}: ${fn.parameters[k]!.name}`)
    );
    const own = [given, words].map((buffer, i) => ({ slot: OWN_SLOTS[i]!, resource: { buffer } }));
    prepared.run(prepared.bindGroups([...resources, ...own]), isQuad ? 1 : calls.length);
    return resources;
  });
  const view = await readBuffer(device, words);
  const written: Record<string, unknown> = {};
  for (const [i, k] of [...slots.keys()].entries()) {
    const { read, release, slot } = bound[i]!;
    if (read !== undefined && slot.space === 'storage') written[fn.parameters[k]!.name] = await read();
    release();
  }
  given.destroy();
  words.destroy();
  return calls.map((_, i) => decodeResult(prepared, view, i, written));
}

function encodeCalls(prepared: Prepared, calls: readonly Call[], isQuad: boolean): DataView {
  const { fn, assigned, slots, argumentWords } = prepared;
  const view = new DataView(new ArrayBuffer((HEADER + calls.length * argumentWords) * 4));
  [calls.length, Number(isQuad), ROW].forEach((value, i) => view.setUint32(i * 4, value, true));
  let word = HEADER;
  const put = (value: unknown, type: ShaderType, what: string): void => {
    writeValue(value, type, what, WORDS, (scalar, at, part) => putWord(view, scalar, word + at, part));
    word += wordCount(type);
  };
  for (const { name, values } of calls) {
    for (const { value, type, name: variable } of assigned) put(value, type, `the variable ${variable}`);
    fn.parameters.forEach(({ name: own, type }, k) => {
      if (!slots.has(k)) put(values[k], type.kind === 'pointer' ? type.target : type, `${name}: ${own}`);
    });
  }
  return view;
}

const wordCount = (type: ShaderType): number =>
  WORDS.stride({ name: '', kind: 'array', element: type, count: 1, stride: 0 });

function decodeResult(
  { results, resultWords, place, fn }: Prepared,
  view: DataView,
  call: number,
  written: Readonly<Record<string, unknown>>
): unknown {
  let word = call * resultWords;
  if (place === 'fragment' && getWord(view, 'u32', word++) === 0) return undefined;
  const values = results.map(({ type }) => {
    const value = readValue(type, WORDS, (scalar, at) => getWord(view, scalar, word + at));
    word += wordCount(type);
    return value;
  });
  const value = fn.returns === null ? undefined : values[0];
  const pointers = { ...written };
  results.forEach(({ name }, i) => {
    if (name !== null) pointers[name] = values[i];
  });
  return Object.keys(pointers).length === 0 ? value : { value, pointers };
}
