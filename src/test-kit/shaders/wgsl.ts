// `wgsl(code)`: calls functions and entry points of a module from tests.
import type { create, inspectShader, ShaderDeclarations } from '../../index';
import { bindVariable, layoutsOf, readVariable, variablesIn, type Own, type ShaderVariables } from './bindings';
import { BUFFER, openDevice, readBuffer, validated } from './device';
import { errorText, findSource, placed } from './source';
import { getWord, putWord, readValue, WORDS, writeValue, type ShaderArgument, type ShaderValue } from './values';
import { ARGUMENTS, ENTRY, GROUP, RESULTS, withoutStages, WORKGROUP_SIZE, wrapFunction, type Wrapper } from './wrapper';

/** Options of `wgsl`. */
export interface WgslOptions {
  /** File of the code, for messages: a path or a URL. Without it, a template literal in the test is found. */
  readonly file?: string;
  /** Values of overrides, like `constants` of a pipeline. */
  readonly constants?: Readonly<Record<string, number>>;
  /** The device to run on. Default: one without workers that all tests of the process share. */
  readonly device?: GPUDevice;
}

/** A function of a module. Calls run on the device; call many times at once by `batch`. */
export interface ShaderCall<Result> {
  /**
   * Calls the function with values for its parameters: numbers and booleans, arrays (vectors, matrices by columns and
   * arrays), objects (structs). Pointers take the value to which they point.
   *
   * @returns the result; for functions with pointers `{ value, pointers }`, with what they hold after the call
   * @throws TypeError if an argument does not fit; Error with positions in your file if the module has errors
   */
  (...values: readonly ShaderArgument[]): Promise<Result>;
  /** Calls the function once for each array of arguments, in one dispatch. */
  batch(calls: Iterable<readonly ShaderArgument[]>): Promise<Result[]>;
}

/** What is given to a function besides its arguments. */
export interface FunctionOptions {
  /** Values of private, uniform and storage variables that the function uses, by name. */
  readonly variables?: ShaderVariables;
}

/** What is given to an entry point. */
export interface ComputeOptions {
  /** Values of its uniform and storage variables. The length of an array of any length is that of the value. */
  readonly variables?: ShaderVariables;
  /** Number of workgroups in x, or in x, y and z. Default: 1. */
  readonly workgroups?: number | readonly number[];
}

/** A WGSL module under test. */
export interface WgslModule {
  /**
   * A function by name. Entry points can be called, too, with their built-ins and inputs as arguments. TypeScript does
   * not know the type of the result, unless you name it: `function<number>('fresnel')`.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  function<Result = any>(name: string, options?: FunctionOptions): ShaderCall<Result>;
  /** Runs a compute entry point. @returns the storage variables that it may have written, by name */
  compute(name: string, options?: ComputeOptions): Promise<Record<string, ShaderValue>>;
}

/** Makes `wgsl`, with the functions of the package. */
export function makeWgsl(
  open: typeof create,
  inspect: typeof inspectShader
): (code: string, options?: WgslOptions) => WgslModule {
  let shared: Promise<GPUDevice> | undefined;
  const sharedDevice = (): Promise<GPUDevice> => (shared ??= openDevice(open));
  return (code, options = {}) => {
    if (typeof code !== 'string') throw new TypeError('wgsl: the code must be a string');
    for (const name of Object.keys(options))
      if (!['file', 'constants', 'device'].includes(name))
        throw new TypeError(`wgsl: unknown option ${name}; options are file, constants, device`);
    const target = targetOf(code, options, inspect, sharedDevice);
    return {
      function: <Result>(name: string, { variables = {} }: FunctionOptions = {}) =>
        makeCall<Result>(target, name, variables),
      compute: (name, { variables = {}, workgroups = 1 } = {}) => runCompute(target, name, variables, workgroups),
    };
  };
}

function targetOf(
  code: string,
  { file, constants = {}, device }: WgslOptions,
  inspect: typeof inspectShader,
  sharedDevice: () => Promise<GPUDevice>
): Target {
  const place = findSource(code, file);
  const plain = withoutStages(code);
  const check = async (): Promise<ShaderDeclarations> => {
    const report = await inspect(plain, { constants, declarations: true });
    if (!report.valid) throw new Error(`wgsl: the module has errors\n${errorText(report, place)}`);
    if (!report.declarations)
      throw new Error('wgsl: overrides without defaults need values: wgsl(code, { constants })');
    return report.declarations;
  };
  let checked: Promise<ShaderDeclarations> | undefined;
  return {
    code,
    plain,
    declarations: () => (checked ??= check()),
    device: async () => device ?? (await sharedDevice()),
    constants,
    explain: (error) => explained(error, (text) => placed(text, place)),
  };
}

interface Target {
  readonly code: string;
  /** The code with functions instead of entry points. */
  readonly plain: string;
  declarations(): Promise<ShaderDeclarations>;
  device(): Promise<GPUDevice>;
  readonly constants: Readonly<Record<string, number>>;
  /** Adds what the user can do about an error of the device. */
  explain(error: unknown): Error;
}

function explained(error: unknown, placedText: (text: string) => string): Error {
  const text = placedText(String((error as Error).message));
  const variable = /uses @group\(\d+\) @binding\(\d+\) (\S+), which the layout does not have/.exec(text)?.[1];
  const isStage = text.includes('error[stage-not-allowed]');
  const advice =
    variable !== undefined
      ? `; pass its value: { variables: { ${variable}: … } }`
      : isStage
        ? '\nFunctions run in a compute stage: test what uses derivatives, implicit levels or discard by a picture'
        : '';
  return new Error(text + advice, { cause: error });
}

/** A function that is ready to be called. */
interface Prepared extends Wrapper {
  readonly device: GPUDevice;
  readonly pipeline: GPUComputePipeline;
  readonly parameters: readonly { readonly name: string; readonly type: Parameters<typeof readValue>[0] }[];
  bindGroups(own: readonly [GPUBuffer, GPUBuffer]): readonly GPUBindGroup[];
}

function makeCall<Result>(target: Target, name: string, variables: ShaderVariables): ShaderCall<Result> {
  let prepared: Promise<Prepared> | undefined;
  const batch = async (calls: Iterable<readonly ShaderArgument[]>): Promise<Result[]> =>
    (await runCalls(await (prepared ??= prepare(target, name, variables)), name, [...calls])) as Result[];
  const call = async (...values: readonly ShaderArgument[]): Promise<Result> => (await batch([values]))[0]!;
  return Object.assign(call, { batch });
}

const OWN: readonly Own[] = [
  { group: GROUP, binding: ARGUMENTS, space: 'storage', access: 'read' },
  { group: GROUP, binding: RESULTS, space: 'storage', access: 'read_write' },
];

async function prepare(target: Target, name: string, variables: ShaderVariables): Promise<Prepared> {
  const declarations = await target.declarations();
  const fn = declarations.functions.find((each) => each.name === name);
  if (fn === undefined)
    throw new TypeError(
      `wgsl: the module has no function "${name}"; it has ${
        declarations.functions.map((each) => each.name).join(', ') || 'none'
      }`
    );
  const { buffers, privates } = variablesIn(variables, declarations.variables);
  const wrapper = wrapFunction(target.plain, fn, privates);
  const device = await target.device();
  const layouts = layoutsOf(device, [...buffers, ...OWN]);
  const pipeline = await validated(device, `wgsl: ${name} cannot be called`, () =>
    device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
      compute: {
        module: device.createShaderModule({ code: wrapper.code }),
        entryPoint: ENTRY,
        constants: target.constants,
      },
    })
  ).catch((error: unknown) => {
    throw target.explain(error);
  });
  const bound = buffers.map((variable) => bindVariable(device, variable, variables[variable.name]!));
  const constant = privates.map((variable) => ({
    name: variable.name,
    type: variable.type,
    value: variables[variable.name]!,
  }));
  const parameters = fn.parameters.map(({ name: own, type }) => ({
    name: own,
    type: type.kind === 'pointer' ? type.target : type,
  }));
  return {
    ...wrapper,
    device,
    pipeline,
    parameters: [...constant, ...parameters],
    bindGroups: (own) =>
      layouts.map((layout, group) =>
        device.createBindGroup({
          layout,
          entries: [
            ...bound
              .filter(({ variable }) => variable.group === group)
              .map(({ variable, buffer }) => ({ binding: variable.binding!, resource: { buffer } })),
            ...(group === GROUP ? own.map((buffer, i) => ({ binding: OWN[i]!.binding!, resource: { buffer } })) : []),
          ],
        })
      ),
  };
}

/** Most workgroups in one dimension of a dispatch. */
const MAX_GROUPS = 65_535;

async function runCalls(
  prepared: Prepared,
  name: string,
  calls: readonly (readonly ShaderArgument[])[]
): Promise<unknown[]> {
  if (calls.length === 0) return [];
  const { device, resultWords } = prepared;
  const bytes = encodeCalls(prepared, name, calls);
  const given = device.createBuffer({ size: bytes.byteLength, usage: BUFFER.STORAGE, mappedAtCreation: true });
  new Uint8Array(given.getMappedRange()).set(new Uint8Array(bytes.buffer));
  given.unmap();
  const size = calls.length * resultWords * 4;
  const results = device.createBuffer({ size, usage: BUFFER.STORAGE | BUFFER.COPY_SRC });
  const groups = Math.ceil(calls.length / WORKGROUP_SIZE);
  const wide = Math.min(groups, MAX_GROUPS);
  await validated(device, `wgsl: ${name} cannot be called`, () =>
    dispatch(device, prepared.pipeline, prepared.bindGroups([given, results]), [wide, Math.ceil(groups / wide), 1])
  );
  const view = await readBuffer(device, results);
  given.destroy();
  results.destroy();
  return calls.map((_, i) => decodeResult(prepared, view, i));
}

function encodeCalls(prepared: Prepared, name: string, calls: readonly (readonly ShaderArgument[])[]): DataView {
  const { parameters, argumentWords } = prepared;
  const view = new DataView(new ArrayBuffer((1 + calls.length * argumentWords) * 4));
  view.setUint32(0, calls.length, true);
  const constants = parameters.filter((each): each is typeof each & { value: ShaderArgument } => 'value' in each);
  const taken = parameters.length - constants.length;
  let word = 1;
  calls.forEach((values, i) => {
    const where = calls.length === 1 ? '' : `call ${i}: `;
    if (values.length !== taken) {
      const list = parameters.slice(constants.length).map((each) => `${each.name}: ${each.type.name}`);
      throw new TypeError(`${where}${name} takes ${taken} arguments (${list.join(', ')}), not ${values.length}`);
    }
    const all = [...constants.map(({ value }) => value), ...values];
    parameters.forEach((parameter, k) => {
      writeValue(all[k], parameter.type, `${where}${name}: ${parameter.name}`, WORDS, (scalar, at, value) =>
        putWord(view, scalar, word + at, value)
      );
      word += wordCount(parameter.type);
    });
  });
  return view;
}

const wordCount = (type: Parameters<typeof readValue>[0]): number =>
  WORDS.stride({ name: '', kind: 'array', element: type, count: 1, stride: 0 });

function decodeResult({ results, resultWords }: Wrapper, view: DataView, call: number): unknown {
  let word = call * resultWords;
  const values = results.map(({ type }) => {
    const value = readValue(type, WORDS, (scalar, at) => getWord(view, scalar, word + at));
    word += wordCount(type);
    return value;
  });
  const pointers = results.flatMap(({ name }, i) => (name === null ? [] : [[name, values[i]] as const]));
  const value = results[0]?.name === null ? values[0] : undefined;
  return pointers.length === 0 ? value : { value, pointers: Object.fromEntries(pointers) };
}

function dispatch(
  device: GPUDevice,
  pipeline: GPUComputePipeline,
  groups: readonly GPUBindGroup[],
  [x, y, z]: readonly [number, number, number]
): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  groups.forEach((group, i) => pass.setBindGroup(i, group));
  pass.dispatchWorkgroups(x, y, z);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

async function runCompute(
  target: Target,
  name: string,
  variables: ShaderVariables,
  workgroups: number | readonly number[]
): Promise<Record<string, ShaderValue>> {
  const declarations = await target.declarations();
  const { buffers, privates } = variablesIn(variables, declarations.variables);
  if (privates.length > 0)
    throw new TypeError(
      `wgsl: compute: ${privates[0]!.name} is private, and an entry point starts with its initial value`
    );
  const device = await target.device();
  const bound = buffers.map((variable) => bindVariable(device, variable, variables[variable.name]!));
  const [x = 1, y = 1, z = 1] = typeof workgroups === 'number' ? [workgroups] : workgroups;
  await validated(device, `wgsl: ${name} cannot run`, () => {
    const layouts = layoutsOf(device, buffers);
    const pipeline = device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
      compute: {
        module: device.createShaderModule({ code: target.code }),
        entryPoint: name,
        constants: target.constants,
      },
    });
    const groups = layouts.map((layout, group) =>
      device.createBindGroup({
        layout,
        entries: bound
          .filter(({ variable }) => variable.group === group)
          .map(({ variable, buffer }) => ({ binding: variable.binding!, resource: { buffer } })),
      })
    );
    dispatch(device, pipeline, groups, [x, y, z]);
  }).catch((error: unknown) => {
    throw target.explain(error);
  });
  const results: Record<string, ShaderValue> = {};
  for (const binding of bound) {
    const { variable, buffer } = binding;
    if (variable.space === 'storage' && variable.access === 'read_write')
      results[variable.name] = readVariable(binding, await readBuffer(device, buffer));
    buffer.destroy();
  }
  return results;
}
