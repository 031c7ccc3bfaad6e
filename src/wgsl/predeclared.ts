// Predeclared names of WGSL (§6, §15.6): types without a template list, type families that need one, and the words that
// occur in template lists.

import type { AddressSpace, PointerType, StorageTextureType, TextureType, Type } from './types';
import {
  BOOL,
  EXTENTS,
  F16,
  F32,
  I32,
  matrixType,
  SAMPLER,
  SAMPLER_COMPARISON,
  textureType,
  U32,
  vectorType,
} from './type-store';
import type { Extent } from './type-store';

const predeclared = new Map<string, Type>([
  ['bool', BOOL],
  ['i32', I32],
  ['u32', U32],
  ['f32', F32],
  ['f16', F16],
  ['sampler', SAMPLER],
  ['sampler_comparison', SAMPLER_COMPARISON],
  ['texture_depth_2d', textureType('2d', 'depth', false)],
  ['texture_depth_2d_array', textureType('2d-array', 'depth', false)],
  ['texture_depth_cube', textureType('cube', 'depth', false)],
  ['texture_depth_cube_array', textureType('cube-array', 'depth', false)],
  ['texture_depth_multisampled_2d', textureType('2d', 'depth', true)],
  ['texture_external', textureType('2d', 'external', false)],
]);
/** `vec3` → 3 and `mat4x3` → [4, 3]. */
const vectors = new Map<string, Extent>();
const matrices = new Map<string, readonly [Extent, Extent]>();
const needF16 = new Set<string>(['f16']);
for (const size of EXTENTS) {
  vectors.set(`vec${size}`, size);
  predeclared.set(`vec${size}f`, vectorType(size, 'f32'));
  predeclared.set(`vec${size}i`, vectorType(size, 'i32'));
  predeclared.set(`vec${size}u`, vectorType(size, 'u32'));
  predeclared.set(`vec${size}h`, vectorType(size, 'f16'));
  needF16.add(`vec${size}h`);
  for (const rows of EXTENTS) {
    matrices.set(`mat${size}x${rows}`, [size, rows]);
    predeclared.set(`mat${size}x${rows}f`, matrixType(size, rows, 'f32'));
    predeclared.set(`mat${size}x${rows}h`, matrixType(size, rows, 'f16'));
    needF16.add(`mat${size}x${rows}h`);
  }
}

export const PREDECLARED_TYPES: ReadonlyMap<string, Type> = predeclared;
export const VECTOR_FAMILIES: ReadonlyMap<string, Extent> = vectors;
export const MATRIX_FAMILIES: ReadonlyMap<string, readonly [Extent, Extent]> = matrices;
/** The types that require `enable f16`. */
export const F16_TYPES: ReadonlySet<string> = needF16;

export const TEXTURE_FAMILIES: ReadonlyMap<
  string,
  { readonly dimension: TextureType['dimension']; readonly multisampled: boolean }
> = new Map([
  ['texture_1d', { dimension: '1d', multisampled: false }],
  ['texture_2d', { dimension: '2d', multisampled: false }],
  ['texture_2d_array', { dimension: '2d-array', multisampled: false }],
  ['texture_3d', { dimension: '3d', multisampled: false }],
  ['texture_cube', { dimension: 'cube', multisampled: false }],
  ['texture_cube_array', { dimension: 'cube-array', multisampled: false }],
  ['texture_multisampled_2d', { dimension: '2d', multisampled: true }],
]);

export const STORAGE_TEXTURE_FAMILIES: ReadonlyMap<
  string,
  { readonly dimension: StorageTextureType['dimension']; readonly multisampled: boolean }
> = new Map([
  ['texture_storage_1d', { dimension: '1d', multisampled: false }],
  ['texture_storage_2d', { dimension: '2d', multisampled: false }],
  ['texture_storage_2d_array', { dimension: '2d-array', multisampled: false }],
  ['texture_storage_3d', { dimension: '3d', multisampled: false }],
  ['texture_storage_multisampled_2d', { dimension: '2d', multisampled: true }],
]);

const formatsOf = (scalar: 'f32' | 'i32' | 'u32', ...names: string[]): [string, 'f32' | 'i32' | 'u32'][] =>
  names.map((name) => [name, scalar]);

/** Texel formats of storage textures, and the scalar type of their channels in a shader. */
export const TEXEL_FORMATS: ReadonlyMap<string, 'f32' | 'i32' | 'u32'> = new Map([
  ['rgba8unorm', 'f32'],
  ['rgba8snorm', 'f32'],
  ['rgba8uint', 'u32'],
  ['rgba8sint', 'i32'],
  ['rgba16uint', 'u32'],
  ['rgba16sint', 'i32'],
  ['rgba16float', 'f32'],
  ['r32uint', 'u32'],
  ['r32sint', 'i32'],
  ['r32float', 'f32'],
  ['rg32uint', 'u32'],
  ['rg32sint', 'i32'],
  ['rg32float', 'f32'],
  ['rgba32uint', 'u32'],
  ['rgba32sint', 'i32'],
  ['rgba32float', 'f32'],
  ['bgra8unorm', 'f32'],
  // Formats of the language extension texture_formats_tier1. Whether they can be used depends on the device.
  ...formatsOf(
    'f32',
    'r8unorm',
    'r8snorm',
    'rg8unorm',
    'rg8snorm',
    'r16unorm',
    'r16snorm',
    'rg16unorm',
    'rg16snorm',
    'rgba16unorm',
    'rgba16snorm',
    'r16float',
    'rg16float',
    'rgb10a2unorm',
    'rg11b10ufloat'
  ),
  ...formatsOf('u32', 'r8uint', 'rg8uint', 'r16uint', 'rg16uint', 'rgb10a2uint'),
  ...formatsOf('i32', 'r8sint', 'rg8sint', 'r16sint', 'rg16sint'),
]);

/** Texel formats of multisampled storage textures: all renderable colour formats. */
export const MULTISAMPLED_TEXEL_FORMATS: ReadonlyMap<string, 'f32' | 'i32' | 'u32'> = new Map([
  ...formatsOf(
    'f32',
    'rgba8unorm',
    'rgba8unorm-srgb',
    'bgra8unorm',
    'bgra8unorm-srgb',
    'rgba16float',
    'rgba32float',
    'rgb10a2unorm',
    'r8unorm',
    'rg8unorm',
    'r16float',
    'rg16float',
    'r32float',
    'rg32float',
    'r8snorm',
    'rg8snorm',
    'rgba8snorm',
    'r16unorm',
    'r16snorm',
    'rg16unorm',
    'rg16snorm',
    'rgba16unorm',
    'rgba16snorm',
    'rg11b10ufloat'
  ),
  ...formatsOf(
    'u32',
    'rgba8uint',
    'rgba16uint',
    'rgba32uint',
    'rgb10a2uint',
    'r8uint',
    'rg8uint',
    'r16uint',
    'rg16uint',
    'r32uint',
    'rg32uint'
  ),
  ...formatsOf(
    'i32',
    'rgba8sint',
    'rgba16sint',
    'rgba32sint',
    'r8sint',
    'rg8sint',
    'r16sint',
    'rg16sint',
    'r32sint',
    'rg32sint'
  ),
]);

/** Scalar type of a storage texture's texels. */
export function texelScalar({ format, multisampled }: StorageTextureType): 'f32' | 'i32' | 'u32' | undefined {
  return (multisampled ? MULTISAMPLED_TEXEL_FORMATS : TEXEL_FORMATS).get(format);
}

export const ADDRESS_SPACES: ReadonlySet<AddressSpace> = new Set<AddressSpace>([
  'function',
  'private',
  'workgroup',
  'uniform',
  'storage',
  'immediate',
]);
export const ACCESS_MODES: ReadonlySet<PointerType['access']> = new Set<PointerType['access']>([
  'read',
  'write',
  'read_write',
]);

const OTHER_FAMILIES = ['array', 'ptr', 'atomic', 'buffer'];

export function isTypeName(name: string): boolean {
  return (
    predeclared.has(name)
    || vectors.has(name)
    || matrices.has(name)
    || TEXTURE_FAMILIES.has(name)
    || STORAGE_TEXTURE_FAMILIES.has(name)
    || OTHER_FAMILIES.includes(name)
  );
}

export function* typeNames(): Iterable<string> {
  yield* predeclared.keys();
  yield* vectors.keys();
  yield* matrices.keys();
  yield* TEXTURE_FAMILIES.keys();
  yield* STORAGE_TEXTURE_FAMILIES.keys();
  yield* OTHER_FAMILIES;
}
