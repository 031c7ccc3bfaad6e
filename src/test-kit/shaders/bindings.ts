// Buffers for the uniform and storage variables of a module.
import type { ShaderModuleVariable } from '../../index';
import { BUFFER, COMPUTE } from './device';
import { BYTES, getBytes, putBytes, readValue, writeValue, type ShaderArgument, type ShaderValue } from './values';

/** Values of variables at module scope, by name. */
export type ShaderVariables = Readonly<Record<string, ShaderArgument>>;

/** A variable with its buffer. */
interface Binding {
  readonly variable: ShaderModuleVariable;
  readonly buffer: GPUBuffer;
  /** Elements of an array of any length. */
  readonly length: number;
}

/** Chooses the variables that are in buffers. @throws TypeError if a name is none of the module */
export function variablesIn(
  given: ShaderVariables,
  declared: readonly ShaderModuleVariable[]
): { readonly buffers: readonly ShaderModuleVariable[]; readonly privates: readonly ShaderModuleVariable[] } {
  const chosen = Object.keys(given).map((name) => {
    const variable = declared.find((each) => each.name === name);
    if (variable === undefined) throw new TypeError(`wgsl: variables: the module has no variable "${name}"`);
    if (!['private', 'uniform', 'storage'].includes(variable.space))
      throw new TypeError(
        `wgsl: variables: ${name} is a ${variable.type.name} in the address space ${variable.space}; only private, `
          + 'uniform and storage variables can have values'
      );
    return variable;
  });
  return {
    buffers: chosen.filter(({ space }) => space !== 'private'),
    privates: chosen.filter(({ space }) => space === 'private'),
  };
}

/** Creates the buffer of a variable, with its value. */
export function bindVariable(device: GPUDevice, variable: ShaderModuleVariable, value: ShaderArgument): Binding {
  const { name, type, space } = variable;
  const words: [number, Parameters<typeof putBytes>[1], number | boolean][] = [];
  writeValue(value, type, `the variable ${name}`, BYTES, (scalar, at, part) => words.push([at, scalar, part]));
  const length = type.kind === 'array' ? (type.count ?? (value as ArrayLike<unknown>).length) : 0;
  const end = words.reduce((most, [at]) => Math.max(most, at + 4), 4);
  const whole = type.kind === 'struct' ? type.size : type.kind === 'array' ? length * type.stride : end;
  // Sizes of uniform buffers are multiples of 16 bytes.
  const size = Math.ceil(Math.max(whole, end) / 16) * 16;
  const usage = space === 'uniform' ? BUFFER.UNIFORM : BUFFER.STORAGE | BUFFER.COPY_SRC;
  const buffer = device.createBuffer({
    label: name,
    size: type.kind === 'array' ? Math.max(whole, 4) : size,
    usage,
    mappedAtCreation: true,
  });
  const view = new DataView(buffer.getMappedRange());
  for (const [at, scalar, part] of words) putBytes(view, scalar, at, part);
  buffer.unmap();
  return { variable, buffer, length };
}

export const readVariable = ({ variable, length }: Binding, view: DataView): ShaderValue =>
  readValue(variable.type, BYTES, (scalar, at) => getBytes(view, scalar, at), 0, length);

/** Creates the layouts of the bindings, for all groups up to the last. */
export function layoutsOf(device: GPUDevice, bindings: readonly (ShaderModuleVariable | Own)[]): GPUBindGroupLayout[] {
  const groups = Math.max(-1, ...bindings.map(({ group }) => group!)) + 1;
  return Array.from({ length: groups }, (_, group) =>
    device.createBindGroupLayout({
      entries: bindings
        .filter((each) => each.group === group)
        .map(({ binding, space, access }) => ({
          binding: binding!,
          visibility: COMPUTE,
          buffer: { type: space === 'uniform' ? 'uniform' : access === 'read' ? 'read-only-storage' : 'storage' },
        })),
    })
  );
}

/** A buffer of the kit itself. */
export type Own = Pick<ShaderModuleVariable, 'group' | 'binding' | 'space' | 'access'>;
