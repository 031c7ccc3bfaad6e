// Bindings of a module under test: buffers, textures and samplers for its variables and for parameters of functions.
import type { ShaderModuleVariable, ShaderType } from '../../index';
import { BUFFER, readBuffer } from './device';
import { makeTexture, readTexels, type MadeTexture, type ShaderResourceArgument, type ShaderTexels } from './textures';
import { BYTES, getBytes, putBytes, readValue, writeValue, type ShaderArgument, type ShaderValue } from './values';

/** Values of variables at module scope, by name. */
export type ShaderVariables = Readonly<Record<string, ShaderArgument | ShaderResourceArgument>>;

/** A variable with a binding: of the module, or of the kit. */
export type Slot = Pick<ShaderModuleVariable, 'name' | 'type' | 'space' | 'access'> & {
  readonly group: number;
  readonly binding: number;
};

/** A variable with its resource. */
export interface Binding {
  readonly slot: Slot;
  readonly resource: GPUBindingResource;
  /** Reads what the shader may have written; undefined if that is nothing, or in an object of the user. */
  readonly read: (() => Promise<ShaderValue | ShaderTexels>) | undefined;
  /** Destroys what the kit has made. */
  release(): void;
}

/**
 * Chooses the variables that have bindings, and those that the shader assigns at the start of a call.
 *
 * @throws TypeError if a name is none of the module
 */
export function variablesIn(
  given: ShaderVariables,
  declared: readonly ShaderModuleVariable[]
): { readonly slots: readonly Slot[]; readonly assigned: readonly ShaderModuleVariable[] } {
  const chosen = Object.keys(given).map((name) => {
    const variable = declared.find((each) => each.name === name);
    if (variable === undefined) throw new TypeError(`wgsl: variables: the module has no variable "${name}"`);
    if (variable.space === 'immediate')
      throw new TypeError(`wgsl: variables: ${name} is in the address space immediate, which cannot have values here`);
    return variable;
  });
  const isAssigned = ({ space }: ShaderModuleVariable): boolean => space === 'private' || space === 'workgroup';
  return {
    slots: chosen.filter((each) => !isAssigned(each)) as readonly ShaderModuleVariable[] as readonly Slot[],
    assigned: chosen.filter(isAssigned),
  };
}

/** Makes the resource of a variable from its value. @param what names the variable in messages */
export function bind(device: GPUDevice, slot: Slot, value: unknown, what: string): Binding {
  const { type } = slot;
  switch (type.kind) {
    case 'texture':
    case 'storage-texture':
      return bindTexture(device, slot, type, value, what);
    case 'sampler': {
      if (typeof value !== 'object' || value === null)
        throw new TypeError(`${what} must be a sampler for ${type.name}: a GPUSampler or its descriptor`);
      const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
      const compare = type.comparison ? { compare: 'less' as const } : {};
      const sampler = isPlain ? device.createSampler({ ...compare, ...value }) : (value as GPUSampler);
      return { slot, resource: sampler, read: undefined, release: () => undefined };
    }
    default:
      return bindBuffer(device, slot, value as ShaderArgument, what);
  }
}

function bindTexture(
  device: GPUDevice,
  slot: Slot,
  type: Extract<ShaderType, { readonly kind: 'texture' | 'storage-texture' }>,
  value: unknown,
  what: string
): Binding {
  if (typeof value !== 'object' || value === null)
    throw new TypeError(
      `${what} must be a texture for ${type.name}: a GPUTexture, a GPUTextureView or { width, height, data }`
    );
  const viewOf = (texture: GPUTexture): GPUTextureView => texture.createView({ dimension: type.dimension });
  const own = { slot, read: undefined, release: () => undefined };
  if ('createView' in value) return { ...own, resource: viewOf(value as GPUTexture) };
  if (!('width' in value)) return { ...own, resource: value as GPUTextureView };
  const made: MadeTexture = makeTexture(device, type, value as ShaderTexels, what);
  const isWritten = type.kind === 'storage-texture' && type.access !== 'read';
  return {
    slot,
    resource: viewOf(made.texture),
    read: isWritten ? () => readTexels(device, made) : undefined,
    release: () => made.texture.destroy(),
  };
}

/** Creates the buffer of a variable, with its value. */
function bindBuffer(device: GPUDevice, slot: Slot, value: ShaderArgument, what: string): Binding {
  const { type, space, access } = slot;
  const words: [number, Parameters<typeof putBytes>[1], number | boolean][] = [];
  writeValue(value, type, what, BYTES, (scalar, at, part) => words.push([at, scalar, part]));
  const length = type.kind === 'array' ? (type.count ?? (value as ArrayLike<unknown>).length) : 0;
  const end = words.reduce((most, [at]) => Math.max(most, at + 4), 4);
  const whole = type.kind === 'struct' ? type.size : type.kind === 'array' ? length * type.stride : end;
  // Sizes of uniform buffers are multiples of 16 bytes. The size of an array tells its length.
  const unit = type.kind === 'array' ? 4 : 16;
  const buffer = device.createBuffer({
    label: what,
    size: Math.ceil(Math.max(whole, type.kind === 'array' ? 4 : end) / unit) * unit,
    usage: space === 'uniform' ? BUFFER.UNIFORM : BUFFER.STORAGE | BUFFER.COPY_SRC,
    mappedAtCreation: true,
  });
  const view = new DataView(buffer.getMappedRange());
  for (const [at, scalar, part] of words) putBytes(view, scalar, at, part);
  buffer.unmap();
  const read = async (): Promise<ShaderValue> => {
    const bytes = await readBuffer(device, buffer);
    return readValue(type, BYTES, (scalar, at) => getBytes(bytes, scalar, at), 0, length);
  };
  const isWritten = space === 'storage' && access === 'read_write';
  return { slot, resource: { buffer }, read: isWritten ? read : undefined, release: () => buffer.destroy() };
}

/** Creates the layouts of the bindings, for all groups up to the last. */
export function layoutsOf(device: GPUDevice, slots: readonly Slot[], visibility: number): GPUBindGroupLayout[] {
  const groups = Math.max(-1, ...slots.map(({ group }) => group)) + 1;
  return Array.from({ length: groups }, (_, group) =>
    device.createBindGroupLayout({
      entries: slots
        .filter((each) => each.group === group)
        .map((slot) => ({ binding: slot.binding, visibility, ...kindOf(slot) })),
    })
  );
}

function kindOf({ type, space, access }: Slot): Omit<GPUBindGroupLayoutEntry, 'binding' | 'visibility'> {
  switch (type.kind) {
    case 'texture': {
      const { dimension: viewDimension, multisampled, sampled } = type;
      if (sampled === 'external') return { externalTexture: {} };
      const floats = multisampled ? 'unfilterable-float' : 'float';
      const sampleType = ({ f32: floats, i32: 'sint', u32: 'uint', depth: 'depth' } as const)[sampled];
      return { texture: { viewDimension, multisampled, sampleType } };
    }
    case 'storage-texture': {
      const access = ({ read: 'read-only', write: 'write-only', read_write: 'read-write' } as const)[type.access];
      return { storageTexture: { access, format: type.format as GPUTextureFormat, viewDimension: type.dimension } };
    }
    case 'sampler':
      return { sampler: { type: type.comparison ? 'comparison' : 'filtering' } };
    default:
      return {
        buffer: { type: space === 'uniform' ? 'uniform' : access === 'read' ? 'read-only-storage' : 'storage' },
      };
  }
}

/** Creates the bind groups of bindings. */
export const groupsOf = (
  device: GPUDevice,
  layouts: readonly GPUBindGroupLayout[],
  bindings: readonly { readonly slot: Slot; readonly resource: GPUBindingResource }[]
): GPUBindGroup[] =>
  layouts.map((layout, group) =>
    device.createBindGroup({
      layout,
      entries: bindings
        .filter(({ slot }) => slot.group === group)
        .map(({ slot, resource }) => ({ binding: slot.binding, resource })),
    })
  );
