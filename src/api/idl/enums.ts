// The enumerations of WebGPU: https://www.w3.org/TR/webgpu/#idl-index
import { enumeration } from './idl';

export const powerPreference = enumeration('GPUPowerPreference', ['low-power', 'high-performance']);
export const textureDimension = enumeration('GPUTextureDimension', ['1d', '2d', '3d']);
export const viewDimension = enumeration('GPUTextureViewDimension', [
  '1d',
  '2d',
  '2d-array',
  'cube',
  'cube-array',
  '3d',
]);
export const textureAspect = enumeration('GPUTextureAspect', ['all', 'stencil-only', 'depth-only']);
export const addressMode = enumeration('GPUAddressMode', ['clamp-to-edge', 'repeat', 'mirror-repeat']);
export const filterMode = enumeration('GPUFilterMode', ['nearest', 'linear']);
export const compareFunction = enumeration('GPUCompareFunction', [
  'never',
  'less',
  'equal',
  'less-equal',
  'greater',
  'not-equal',
  'greater-equal',
  'always',
]);
export const bufferBindingType = enumeration('GPUBufferBindingType', ['uniform', 'storage', 'read-only-storage']);
export const samplerBindingType = enumeration('GPUSamplerBindingType', ['filtering', 'non-filtering', 'comparison']);
export const textureSampleType = enumeration('GPUTextureSampleType', [
  'float',
  'unfilterable-float',
  'depth',
  'sint',
  'uint',
]);
export const storageTextureAccess = enumeration('GPUStorageTextureAccess', ['write-only', 'read-only', 'read-write']);
export const primitiveTopology = enumeration('GPUPrimitiveTopology', [
  'point-list',
  'line-list',
  'line-strip',
  'triangle-list',
  'triangle-strip',
]);
export const fragmentRate = enumeration('FragmentStageRate', ['coarse', 'pixel', 'sample']);
export const processingOrder = enumeration('ProcessingOrder', ['received', 'independent', 'auto']);
export const sampleOrder = enumeration('SampleOrder', ['received', 'independent']);
export const sampleType = enumeration('SampleType', ['pixel', 'vertex', 'primitive']);
export const interlock = enumeration('FragmentInterlock', ['ordered', 'unordered']);
export const frontFace = enumeration('GPUFrontFace', ['ccw', 'cw']);
export const cullMode = enumeration('GPUCullMode', ['none', 'front', 'back']);
export const blendFactor = enumeration('GPUBlendFactor', [
  'zero',
  'one',
  'src',
  'one-minus-src',
  'src-alpha',
  'one-minus-src-alpha',
  'dst',
  'one-minus-dst',
  'dst-alpha',
  'one-minus-dst-alpha',
  'src-alpha-saturated',
  'constant',
  'one-minus-constant',
  'src1',
  'one-minus-src1',
  'src1-alpha',
  'one-minus-src1-alpha',
]);
export const blendOperation = enumeration('GPUBlendOperation', ['add', 'subtract', 'reverse-subtract', 'min', 'max']);
export const stencilOperation = enumeration('GPUStencilOperation', [
  'keep',
  'zero',
  'replace',
  'invert',
  'increment-clamp',
  'decrement-clamp',
  'increment-wrap',
  'decrement-wrap',
]);
export const indexFormat = enumeration('GPUIndexFormat', ['uint16', 'uint32']);
export const vertexStepMode = enumeration('GPUVertexStepMode', ['vertex', 'instance']);
export const loadOp = enumeration('GPULoadOp', ['load', 'clear']);
export const storeOp = enumeration('GPUStoreOp', ['store', 'discard']);
export const queryType = enumeration('GPUQueryType', ['occlusion', 'timestamp']);
export const errorFilter = enumeration('GPUErrorFilter', ['validation', 'out-of-memory', 'internal']);
export const errorReason = enumeration('GPUPipelineErrorReason', ['validation', 'internal']);
export const vertexFormat = enumeration('GPUVertexFormat', [
  'uint8',
  'uint8x2',
  'uint8x4',
  'sint8',
  'sint8x2',
  'sint8x4',
  'unorm8',
  'unorm8x2',
  'unorm8x4',
  'snorm8',
  'snorm8x2',
  'snorm8x4',
  'uint16',
  'uint16x2',
  'uint16x4',
  'sint16',
  'sint16x2',
  'sint16x4',
  'unorm16',
  'unorm16x2',
  'unorm16x4',
  'snorm16',
  'snorm16x2',
  'snorm16x4',
  'float16',
  'float16x2',
  'float16x4',
  'float32',
  'float32x2',
  'float32x3',
  'float32x4',
  'uint32',
  'uint32x2',
  'uint32x3',
  'uint32x4',
  'sint32',
  'sint32x2',
  'sint32x3',
  'sint32x4',
  'unorm10-10-10-2',
  'unorm8x4-bgra',
]);
const astc = [
  '4x4',
  '5x4',
  '5x5',
  '6x5',
  '6x6',
  '8x5',
  '8x6',
  '8x8',
  '10x5',
  '10x6',
  '10x8',
  '10x10',
  '12x10',
  '12x12',
];
/** WebGPU formats that require a feature. */
const optionalFormats = [
  'r16unorm',
  'r16snorm',
  'rg16unorm',
  'rg16snorm',
  'rgba16unorm',
  'rgba16snorm',
  'depth32float-stencil8',
  'bc1-rgba-unorm',
  'bc1-rgba-unorm-srgb',
  'bc2-rgba-unorm',
  'bc2-rgba-unorm-srgb',
  'bc3-rgba-unorm',
  'bc3-rgba-unorm-srgb',
  'bc4-r-unorm',
  'bc4-r-snorm',
  'bc5-rg-unorm',
  'bc5-rg-snorm',
  'bc6h-rgb-ufloat',
  'bc6h-rgb-float',
  'bc7-rgba-unorm',
  'bc7-rgba-unorm-srgb',
  'etc2-rgb8unorm',
  'etc2-rgb8unorm-srgb',
  'etc2-rgb8a1unorm',
  'etc2-rgb8a1unorm-srgb',
  'etc2-rgba8unorm',
  'etc2-rgba8unorm-srgb',
  'eac-r11unorm',
  'eac-r11snorm',
  'eac-rg11unorm',
  'eac-rg11snorm',
  ...astc.flatMap((block) => [`astc-${block}-unorm`, `astc-${block}-unorm-srgb`]),
];
const coreFormats = [
  'r8unorm',
  'r8snorm',
  'r8uint',
  'r8sint',
  'r16uint',
  'r16sint',
  'r16float',
  'rg8unorm',
  'rg8snorm',
  'rg8uint',
  'rg8sint',
  'r32uint',
  'r32sint',
  'r32float',
  'rg16uint',
  'rg16sint',
  'rg16float',
  'rgba8unorm',
  'rgba8unorm-srgb',
  'rgba8snorm',
  'rgba8uint',
  'rgba8sint',
  'bgra8unorm',
  'bgra8unorm-srgb',
  'rgb9e5ufloat',
  'rgb10a2uint',
  'rgb10a2unorm',
  'rg11b10ufloat',
  'rg32uint',
  'rg32sint',
  'rg32float',
  'rgba16uint',
  'rgba16sint',
  'rgba16float',
  'rgba32uint',
  'rgba32sint',
  'rgba32float',
  'stencil8',
  'depth16unorm',
  'depth24plus',
  'depth24plus-stencil8',
  'depth32float',
];
export const textureFormatName = enumeration('GPUTextureFormat', [...coreFormats, ...optionalFormats]);
export const colorSpace = enumeration('PredefinedColorSpace', ['srgb', 'display-p3']);
