// Limits and features: https://www.w3.org/TR/webgpu/#limits

import { plain } from '../../base/printable';

/** WebGPU's default limits, which every adapter must support. */
const defaults = {
  maxTextureDimension1D: 8192,
  maxTextureDimension2D: 8192,
  maxTextureDimension3D: 2048,
  maxTextureArrayLayers: 256,
  maxBindGroups: 4,
  maxBindGroupsPlusVertexBuffers: 24,
  maxBindingsPerBindGroup: 1000,
  maxDynamicUniformBuffersPerPipelineLayout: 8,
  maxDynamicStorageBuffersPerPipelineLayout: 4,
  maxSampledTexturesPerShaderStage: 16,
  maxSamplersPerShaderStage: 16,
  maxStorageBuffersPerShaderStage: 8,
  maxStorageBuffersInVertexStage: 8,
  maxStorageBuffersInFragmentStage: 8,
  maxStorageTexturesPerShaderStage: 4,
  maxStorageTexturesInVertexStage: 4,
  maxStorageTexturesInFragmentStage: 4,
  maxUniformBuffersPerShaderStage: 12,
  maxUniformBufferBindingSize: 65536,
  maxStorageBufferBindingSize: 134217728,
  minUniformBufferOffsetAlignment: 256,
  minStorageBufferOffsetAlignment: 256,
  maxVertexBuffers: 8,
  maxBufferSize: 268435456,
  maxVertexAttributes: 16,
  maxVertexBufferArrayStride: 2048,
  maxInterStageShaderVariables: 16,
  maxColorAttachments: 8,
  maxColorAttachmentBytesPerSample: 32,
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupsPerDimension: 65535,
  maxImmediateSize: 64,
};
export type LimitName = keyof typeof defaults;
export type Limits = Readonly<Record<LimitName, number>>;

export const limitNames = Object.keys(defaults) as LimitName[];
export const defaultLimits: Limits = defaults;
/** Maximum size of buffers and buffer bindings in bytes: a quarter of the address space. */
const MAX_BUFFER_BYTES = 1 << 30;
/**
 * Maximum number of buffers, textures or samplers per stage. Each costs only an entry in a table, so the number is a
 * free choice.
 */
const MAX_BINDINGS = 64;
/**
 * Limits of the adapter that exceed the defaults. Only device memory bounds buffers and workgroups. Every attachment
 * may have the largest texels. Offset alignments are 32, the least that WebGPU allows.
 */
export const adapterLimits: Limits = {
  ...defaults,
  maxBufferSize: MAX_BUFFER_BYTES,
  maxStorageBufferBindingSize: MAX_BUFFER_BYTES,
  maxUniformBufferBindingSize: MAX_BUFFER_BYTES,
  maxColorAttachmentBytesPerSample: defaults.maxColorAttachments * 16,
  maxTextureArrayLayers: 2048,
  maxVertexBuffers: 16,
  maxVertexAttributes: 32,
  maxStorageBuffersPerShaderStage: MAX_BINDINGS,
  maxStorageBuffersInVertexStage: MAX_BINDINGS,
  maxStorageBuffersInFragmentStage: MAX_BINDINGS,
  maxUniformBuffersPerShaderStage: MAX_BINDINGS,
  maxSampledTexturesPerShaderStage: MAX_BINDINGS,
  maxSamplersPerShaderStage: MAX_BINDINGS,
  maxStorageTexturesPerShaderStage: 16,
  maxStorageTexturesInVertexStage: 16,
  maxStorageTexturesInFragmentStage: 16,
  maxDynamicUniformBuffersPerPipelineLayout: 32,
  maxDynamicStorageBuffersPerPipelineLayout: 32,
  minUniformBufferOffsetAlignment: 32,
  minStorageBufferOffsetAlignment: 32,
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
  maxComputeWorkgroupSizeY: 1024,
  maxComputeWorkgroupSizeZ: 1024,
  maxComputeWorkgroupStorageSize: 65536,
};

/** Names a limit and its value for messages, and how to raise it if the adapter supports more. */
export function limitText(limits: Limits, name: LimitName): string {
  const most = adapterLimits[name];
  const more = most > limits[name] ? ` (up to ${most} by requestDevice's requiredLimits)` : '';
  return `${name} ${limits[name]}${more}`;
}

/** Alignments are better when smaller, all other limits when larger. */
const isAlignment = (name: LimitName): boolean => name.startsWith('min');

/** Returns the limits of a device that requires `wanted`, or a sentence that says why it cannot have them. */
export function grantLimits(wanted: ReadonlyMap<string, number | undefined>): Limits | string {
  const granted: Record<LimitName, number> = { ...defaults };
  for (const [key, value] of wanted) {
    if (value === undefined) continue;
    if (!Object.hasOwn(defaults, key)) return `requiredLimits: "${plain(key)}" is not a WebGPU limit`;
    const name = key as LimitName;
    if (isAlignment(name)) {
      if (value < adapterLimits[name])
        return `requiredLimits.${name}: ${value} is less than this adapter's ${adapterLimits[name]}`;
      if (value > 0xffffffff || (value & (value - 1)) !== 0)
        return `requiredLimits.${name}: ${value} is not a power of two`;
      granted[name] = Math.min(granted[name], value);
    } else {
      if (value > adapterLimits[name])
        return `requiredLimits.${name}: ${value} is more than this adapter's ${adapterLimits[name]}`;
      granted[name] = Math.max(granted[name], value);
    }
  }
  // The limits of the vertex and fragment stages raise the limit of any stage. Every device has
  // "core-features-and-limits", with which that limit then holds in both stages (WebGPU §4.3, "new device").
  for (const what of ['Buffers', 'Textures'] as const) {
    const all = `maxStorage${what}PerShaderStage` as const;
    const vertex = `maxStorage${what}InVertexStage` as const;
    const fragment = `maxStorage${what}InFragmentStage` as const;
    granted[all] = Math.max(granted[all], granted[vertex], granted[fragment]);
    granted[vertex] = granted[fragment] = granted[all];
  }
  return granted;
}

/** Allows compressed textures whose sizes are not multiples of the block size. */
export const UNALIGNED_BLOCKS = 'texture-compression-unaligned';
/** Features of WebGPU that the renderer implements. */
export const adapterFeatures: readonly string[] = [
  'core-features-and-limits',
  'depth-clip-control',
  'depth32float-stencil8',
  'texture-compression-bc',
  'texture-compression-bc-sliced-3d',
  'texture-compression-etc2',
  'texture-compression-astc',
  'texture-compression-astc-sliced-3d',
  UNALIGNED_BLOCKS,
  'timestamp-query',
  'indirect-first-instance',
  'shader-f16',
  'rg11b10ufloat-renderable',
  'bgra8unorm-storage',
  'float32-filterable',
  'float32-blendable',
  'texture-formats-tier1',
  'texture-formats-tier2',
  'subgroups',
  'dual-source-blending',
  'clip-distances',
  'primitive-index',
  'texture-component-swizzle',
  'subgroup-size-control',
];

/** Features that enable others (WebGPU §4.3, "new device"). Each feature precedes those that it enables. */
const IMPLIED: readonly (readonly [string, string])[] = [
  ['texture-formats-tier2', 'texture-formats-tier1'],
  ['texture-formats-tier1', 'rg11b10ufloat-renderable'],
  ['texture-compression-bc-sliced-3d', 'texture-compression-bc'],
  ['texture-compression-astc-sliced-3d', 'texture-compression-astc'],
  ['subgroup-size-control', 'subgroups'],
];

/** Returns the features of a device that requires `wanted`. */
export function grantFeatures(wanted: readonly string[]): Set<string> {
  const features = new Set(['core-features-and-limits', ...wanted]);
  for (const [feature, other] of IMPLIED) if (features.has(feature)) features.add(other);
  return features;
}
/**
 * The names of Rasterloom's own features, for `requestDevice({ requiredFeatures })` and `create({ extensions })`:
 *
 * - `statistics`: counters and memory use of a device and of its passes
 * - `statistics-times`: times of the parts of the work, next to `statistics`
 * - `extended-sample-counts`: multisampled textures of 2, 8 and 16 samples
 * - `multisample-storage-textures`: shaders that read and write single samples of multisampled textures
 * - `multisample-32bit`: multisampled attachments in all renderable colour formats
 * - `modular-pipelines`: pipelines of replaceable stages, with geometry, tessellation and stream output
 * - `shading-rate`: fragment shaders that run once for several pixels
 * - `fragment-stages`: framebuffer fetch, and pipelines of several fragment stages
 * - `streamed-textures`: textures whose pages load on demand
 * - `trace`: a timeline of the work of all threads
 * - `processing-order`: draw calls whose order does not matter
 *
 * Every adapter grants these features to a caller that names them, but lists none of them by default. Applications that
 * request all listed features therefore get standard WebGPU. `create({ extensions })` changes what adapters list.
 *
 *     const device = await adapter.requestDevice({ requiredFeatures: ['statistics', 'trace'] });
 */
export const supportedExtensions = Object.freeze([
  'statistics',
  'statistics-times',
  'extended-sample-counts',
  'multisample-storage-textures',
  'multisample-32bit',
  'modular-pipelines',
  'shading-rate',
  'fragment-stages',
  'streamed-textures',
  'trace',
  'processing-order',
] as const);
/** The name of one of Rasterloom's own features (`supportedExtensions`). */
export type ExtensionFeatureName = (typeof supportedExtensions)[number];
export const extensionFeatures: readonly string[] = supportedExtensions;

/** Multisampled attachments in all renderable colour formats. */
export const MULTISAMPLE_32BIT = 'multisample-32bit';
/** Modular pipelines: `device.createModularPipeline`. */
export const MODULAR_PIPELINES = 'modular-pipelines';
/** Maximum number of viewports of setViewports, as in other graphics APIs. */
export const MAX_VIEWPORTS = 16;
/** Shading rates of passes and draw calls. */
export const SHADING_RATE = 'shading-rate';
const MULTISAMPLE_STORAGE = 'multisample-storage-textures';

/** Refuses a call that needs multisampled storage textures, if the device lacks the feature. */
export function requireMultisampleStorage(
  { features }: { readonly features: ReadonlySet<string> },
  what: string,
  no: (message: string) => never
): void {
  if (!features.has(MULTISAMPLE_STORAGE))
    no(`${what} needs the feature "${MULTISAMPLE_STORAGE}"; ask for it in requestDevice({ requiredFeatures })`);
}
