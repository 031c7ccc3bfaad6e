// `wgsl(code)`: calls functions and entry points of a module from tests.
import type { create, inspectShader, ShaderDeclarations } from '../../index';
import type { ShaderVariables } from './bindings';
import { makeCall, type ShaderCall } from './call';
import { runCompute } from './compute';
import { openDevice } from './device';
import { errorText, findSource, placed } from './source';
import type { Target } from './target';
import type { ShaderTexels } from './textures';
import type { ShaderValue } from './values';
import { withoutStages } from './wrapper';

/** Options of `wgsl`. */
export interface WgslOptions {
  /** File of the code, for messages: a path or a URL. Without it, a template literal in the test is found. */
  readonly file?: string;
  /** Values of overrides, like `constants` of a pipeline. */
  readonly constants?: Readonly<Record<string, number>>;
  /** The device to run on. Default: one without workers that all tests of the process share. */
  readonly device?: GPUDevice;
}

/** What is given to a function besides its arguments. */
export interface FunctionOptions {
  /** Values of variables at module scope that the function uses, by name. */
  readonly variables?: ShaderVariables;
}

/** What is given to an entry point. */
export interface ComputeOptions {
  /** Values of its variables. The length of an array of any length is that of the value. */
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
  /** Runs a compute entry point. @returns the variables and storage textures that it may have written, by name */
  compute(name: string, options?: ComputeOptions): Promise<Record<string, ShaderValue | ShaderTexels>>;
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
    explain: (error, shift = 0) => explained(error, (text) => placed(text, place, shift)),
  };
}

function explained(error: unknown, placedText: (text: string) => string): Error {
  const text = placedText(String((error as Error).message));
  const variable = /uses @group\(\d+\) @binding\(\d+\) (\S+), which the layout does not have/.exec(text)?.[1];
  const isStage = text.includes('error[stage-not-allowed]');
  const advice =
    variable !== undefined
      ? `; pass its value: { variables: { ${variable}: … } }`
      : isStage
        ? '\nA function runs in a compute stage, or in a fragment stage if it uses derivatives, implicit levels or '
          + 'discard; this one needs something of either'
        : '';
  return new Error(text + advice, { cause: error });
}
