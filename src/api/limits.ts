// Limits and features: https://www.w3.org/TR/webgpu/#limits

import { plain } from '../base/printable';

/** WebGPU's defaults, which every adapter must hold. */
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
/** Bytes that a buffer, and what a program sees of it, may have: a quarter of what addresses reach. */
const MOST_BUFFER_BYTES = 1 << 30;
/** Buffers, textures and samplers of a stage. All that one costs is its entry in a table, so the number is a choice. */
const MOST_BINDINGS = 64;
/**
 * What the renderer holds beyond the defaults: buffers and workgroups are bounded by device memory alone, every
 * attachment may have the largest texels, and offsets are of multiples of 32, the least that WebGPU lets adapters say.
 */
export const adapterLimits: Limits = {
  ...defaults, maxBufferSize: MOST_BUFFER_BYTES, maxStorageBufferBindingSize: MOST_BUFFER_BYTES,
  maxUniformBufferBindingSize: MOST_BUFFER_BYTES,
  maxColorAttachmentBytesPerSample: defaults.maxColorAttachments * 16, maxTextureArrayLayers: 2048,
  maxVertexBuffers: 16, maxVertexAttributes: 32,
  maxStorageBuffersPerShaderStage: MOST_BINDINGS, maxStorageBuffersInVertexStage: MOST_BINDINGS,
  maxStorageBuffersInFragmentStage: MOST_BINDINGS, maxUniformBuffersPerShaderStage: MOST_BINDINGS,
  maxSampledTexturesPerShaderStage: MOST_BINDINGS, maxSamplersPerShaderStage: MOST_BINDINGS,
  maxStorageTexturesPerShaderStage: 16, maxStorageTexturesInVertexStage: 16, maxStorageTexturesInFragmentStage: 16,
  maxDynamicUniformBuffersPerPipelineLayout: 32, maxDynamicStorageBuffersPerPipelineLayout: 32,
  minUniformBufferOffsetAlignment: 32, minStorageBufferOffsetAlignment: 32,
  maxComputeInvocationsPerWorkgroup: 1024, maxComputeWorkgroupSizeX: 1024, maxComputeWorkgroupSizeY: 1024,
  maxComputeWorkgroupSizeZ: 1024, maxComputeWorkgroupStorageSize: 65536,
};

/** A limit and its value, for messages: and how a device has more, where the adapter does. */
export function limitText(limits: Limits, name: LimitName): string {
  const most = adapterLimits[name], more = most > limits[name] ? ` (up to ${most} by requestDevice's requiredLimits)` : '';
  return `${name} ${limits[name]}${more}`;
}

/** An alignment is better when smaller; all else when greater. */
const isAlignment = (name: LimitName): boolean => name.startsWith('min');

/** The limits of a device that asked for `wanted`, or the sentence that says why it cannot have them. */
export function grantLimits(wanted: ReadonlyMap<string, number | undefined>): Limits | string {
  const granted: Record<LimitName, number> = { ...defaults };
  for (const [key, value] of wanted) {
    if (value === undefined) continue;
    if (!Object.hasOwn(defaults, key)) return `requiredLimits: "${plain(key)}" is no limit of WebGPU`;
    const name = key as LimitName;
    if (isAlignment(name)) {
      if (value < adapterLimits[name])
        return `requiredLimits.${name}: ${value} is less than this adapter's ${adapterLimits[name]}`;
      if (value > 0xffffffff || (value & (value - 1)) !== 0)
        return `requiredLimits.${name}: ${value} is no power of two`;
      granted[name] = Math.min(granted[name], value);
    } else {
      if (value > adapterLimits[name])
        return `requiredLimits.${name}: ${value} is more than this adapter's ${adapterLimits[name]}`;
      granted[name] = Math.max(granted[name], value);
    }
  }
  // The limits of the two stages raise the limit of any stage. With "core-features-and-limits", which every device has,
  // that limit then holds in both stages (WebGPU §4.3, "new device").
  for (const what of ['Buffers', 'Textures'] as const) {
    const all = `maxStorage${what}PerShaderStage` as const;
    const vertex = `maxStorage${what}InVertexStage` as const, fragment = `maxStorage${what}InFragmentStage` as const;
    granted[all] = Math.max(granted[all], granted[vertex], granted[fragment]);
    granted[vertex] = granted[fragment] = granted[all];
  }
  return granted;
}

/** Compressed textures whose sides are no whole blocks. */
export const UNALIGNED_BLOCKS = 'texture-compression-unaligned';
/** Each one is true of the renderer. */
export const adapterFeatures: readonly string[] = [
  'core-features-and-limits', 'depth-clip-control', 'depth32float-stencil8', 'texture-compression-bc',
  'texture-compression-bc-sliced-3d', 'texture-compression-etc2', 'texture-compression-astc',
  'texture-compression-astc-sliced-3d', UNALIGNED_BLOCKS, 'timestamp-query', 'indirect-first-instance', 'shader-f16',
  'rg11b10ufloat-renderable', 'bgra8unorm-storage', 'float32-filterable', 'float32-blendable', 'texture-formats-tier1',
  'texture-formats-tier2', 'subgroups', 'dual-source-blending', 'clip-distances', 'primitive-index',
  'texture-component-swizzle', 'subgroup-size-control',
];

/** Features that enable others (WebGPU §4.3, "new device"). A feature stands before those that it enables. */
const IMPLIED: readonly (readonly [string, string])[] = [
  ['texture-formats-tier2', 'texture-formats-tier1'], ['texture-formats-tier1', 'rg11b10ufloat-renderable'],
  ['texture-compression-bc-sliced-3d', 'texture-compression-bc'],
  ['texture-compression-astc-sliced-3d', 'texture-compression-astc'], ['subgroup-size-control', 'subgroups'],
];

/** The features of a device that asked for these. */
export function grantFeatures(wanted: readonly string[]): Set<string> {
  const features = new Set(['core-features-and-limits', ...wanted]);
  for (const [feature, other] of IMPLIED) if (features.has(feature)) features.add(other);
  return features;
}
/**
 * Our own, by which a device takes what WebGPU refuses. Engines ask for all that an adapter lists: so they are listed
 * where `create({ extensions })` says, and given to whoever asks for them by name.
 */
const extensions = [
  'statistics', 'statistics-times', 'extended-sample-counts', 'multisample-storage-textures',
  'multisample-32bit', 'modular-pipelines', 'shading-rate', 'fragment-stages', 'streamed-textures', 'trace',
  'processing-order',
] as const;
export type ExtensionFeatureName = (typeof extensions)[number];
export const extensionFeatures: readonly string[] = extensions;

/** Attachments of several samples in all colour formats that can be rendered to. */
export const MULTISAMPLE_32BIT = 'multisample-32bit';
/** `device.createModularPipeline`: tables of shaders. */
export const MODULAR_PIPELINES = 'modular-pipelines';
/** Of setViewports: as many as other APIs have. */
export const MOST_VIEWPORTS = 16;
/** Rates of passes and draws at which fragment programs run. */
export const SHADING_RATE = 'shading-rate';
export const MULTISAMPLE_STORAGE = 'multisample-storage-textures';

/** Refuses what only devices with multisampled storage textures have. */
export function requireMultisampleStorage(
  { features }: { readonly features: ReadonlySet<string> }, what: string, no: (message: string) => never
): void {
  if (!features.has(MULTISAMPLE_STORAGE))
    no(`${what} needs the feature "${MULTISAMPLE_STORAGE}"; ask for it in requestDevice({ requiredFeatures })`);
}
