// Creates, names and compares types. Types are interned: two types are equal exactly if they are the same object.
// Scalars, vectors and matrices are shared by all modules. Arrays, pointers and textures belong to a module's
// TypeStore, because they can contain its structs.

import { unreachable } from '../base/assert';
import { remembered, strideOf } from './layout';
import type {
  AddressSpace,
  ArrayType,
  AtomicType,
  BufferType,
  MatrixType,
  PointerType,
  SamplerType,
  Scalar,
  ScalarType,
  StorageTextureType,
  StructType,
  TextureType,
  Type,
  VectorType,
  VoidType,
} from './types';

const SCALARS: readonly Scalar[] = ['bool', 'i32', 'u32', 'f32', 'f16', 'abstract-int', 'abstract-float'];
export type Extent = 2 | 3 | 4;
export const EXTENTS: readonly Extent[] = [2, 3, 4];

const scalarTypes = new Map<Scalar, ScalarType>(SCALARS.map((scalar) => [scalar, { kind: 'scalar', scalar }]));
/** Vectors are indexed by size, matrices by 4 × columns + rows. */
const vectorTypes = new Map<Scalar, VectorType[]>();
const matrixTypes = new Map<Scalar, MatrixType[]>();
for (const scalar of SCALARS) {
  const vectors: VectorType[] = [];
  const matrices: MatrixType[] = [];
  for (const size of EXTENTS) vectors[size] = { kind: 'vector', size, scalar };
  for (const columns of EXTENTS)
    for (const rows of EXTENTS) matrices[4 * columns + rows] = { kind: 'matrix', columns, rows, scalar };
  vectorTypes.set(scalar, vectors);
  matrixTypes.set(scalar, matrices);
}

export const scalarType = (scalar: Scalar): ScalarType => scalarTypes.get(scalar)!;
export const vectorType = (size: Extent, scalar: Scalar): VectorType => vectorTypes.get(scalar)![size]!;
export const matrixType = (columns: Extent, rows: Extent, scalar: Scalar): MatrixType =>
  matrixTypes.get(scalar)![4 * columns + rows]!;

export const BOOL = scalarType('bool');
export const I32 = scalarType('i32');
export const U32 = scalarType('u32');
export const F32 = scalarType('f32');
export const F16 = scalarType('f16');
export const ABSTRACT_INT = scalarType('abstract-int');
export const VOID: VoidType = { kind: 'void' };
export const SAMPLER: SamplerType = { kind: 'sampler', comparison: false };
export const SAMPLER_COMPARISON: SamplerType = { kind: 'sampler', comparison: true };

const textureTypes = new Map<string, TextureType>();
const storageTextureTypes = new Map<string, StorageTextureType>();
const atomicTypes: Readonly<Record<'i32' | 'u32', AtomicType>> = {
  i32: { kind: 'atomic', scalar: 'i32' },
  u32: { kind: 'atomic', scalar: 'u32' },
};

export const atomicType = (scalar: 'i32' | 'u32'): AtomicType => atomicTypes[scalar];

function intern<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

export function textureType(
  dimension: TextureType['dimension'],
  sampled: TextureType['sampled'],
  multisampled: boolean
): TextureType {
  return intern(textureTypes, `${dimension} ${sampled} ${multisampled}`, () => ({
    kind: 'texture',
    dimension,
    sampled,
    multisampled,
  }));
}

export function storageTextureType(
  dimension: StorageTextureType['dimension'],
  format: string,
  access: StorageTextureType['access'],
  multisampled: boolean
): StorageTextureType {
  return intern(storageTextureTypes, `${dimension} ${format} ${access} ${multisampled}`, () => ({
    kind: 'storage-texture',
    dimension,
    format,
    access,
    multisampled,
  }));
}

const bufferTypes = new Map<number | null, BufferType>();
export const bufferType = (size: number | null): BufferType =>
  intern(bufferTypes, size, () => ({ kind: 'buffer', size }));

/** The array and pointer types of one module. */
export class TypeStore {
  private readonly arrays = new Map<Type, Map<number | null, ArrayType>>();
  private readonly pointers = new Map<Type, Map<string, PointerType>>();

  array(element: Type, count: number | null): ArrayType {
    const byCount = intern(this.arrays, element, () => new Map<number | null, ArrayType>());
    return intern(byCount, count, () => makeArray(element, count));
  }

  pointer(space: AddressSpace, store: Type, access: PointerType['access']): PointerType {
    const bySpace = intern(this.pointers, store, () => new Map<string, PointerType>());
    return intern(bySpace, `${space} ${access}`, () => ({ kind: 'pointer', space, store, access }));
  }

  /** The same shape with another scalar type; arrays convert their elements. */
  withScalar(type: Type, scalar: Scalar): Type {
    if (scalarOf(type) === scalar) return type;
    switch (type.kind) {
      case 'scalar':
        return scalarType(scalar);
      case 'vector':
        return vectorType(type.size, scalar);
      case 'matrix':
        return matrixType(type.columns, type.rows, scalar);
      case 'array':
        return this.array(this.withScalar(type.element, scalar), type.count);
      default:
        return unreachable(`wgsl: withScalar of ${type.kind}`);
    }
  }

  /** The concrete type of an abstract one, with i32 or f32. Other types stay as they are. */
  concrete(type: Type): Type {
    if (type.kind === 'struct') return concreteStructs.get(type) ?? type;
    const scalar = scalarOf(type);
    if (scalar === 'abstract-int') return this.withScalar(type, 'i32');
    if (scalar === 'abstract-float') return this.withScalar(type, 'f32');
    return type;
  }
}

/** A new array type that equals no other, for a count that is an override-expression. */
export function makeArray(element: Type, count: number | null): ArrayType {
  return { kind: 'array', element, count, stride: strideOf(element) };
}

/** The scalar type of a scalar, a vector, a matrix or an array of those; null for all others. */
export function scalarOf(type: Type): Scalar | null {
  switch (type.kind) {
    case 'scalar':
    case 'vector':
    case 'matrix':
      return type.scalar;
    case 'array':
      return scalarOf(type.element);
    default:
      return null;
  }
}

/** Concrete types of structs with abstract members, which frexp and modf return for abstract floats. */
const concreteStructs = new WeakMap<Type, StructType>();

/** Registers the concrete type of a struct with abstract members. */
export function becomes(abstract: StructType, concrete: StructType): void {
  concreteStructs.set(abstract, concrete);
}

export function isAbstract(type: Type): boolean {
  if (type.kind === 'struct') return concreteStructs.has(type);
  const scalar = scalarOf(type);
  return scalar === 'abstract-int' || scalar === 'abstract-float';
}

const FROM_FLOAT: Partial<Record<Scalar, number>> = { f32: 1, f16: 2 };
const FROM_INT: Partial<Record<Scalar, number>> = { i32: 3, u32: 4, 'abstract-float': 5, f32: 6, f16: 7 };

/** Conversion rank between scalar types (WGSL §6.1.2); Infinity if there is no automatic conversion. */
export function scalarRank(from: Scalar, to: Scalar): number {
  if (from === to) return 0;
  return (from === 'abstract-int' ? FROM_INT[to] : from === 'abstract-float' ? FROM_FLOAT[to] : undefined) ?? Infinity;
}

export const isInteger = (scalar: Scalar): boolean => scalar === 'i32' || scalar === 'u32' || scalar === 'abstract-int';
export const isFloat = (scalar: Scalar): boolean => scalar === 'f32' || scalar === 'f16' || scalar === 'abstract-float';

const constructible = new WeakMap<Type, boolean>();
const withRuntimeArray = new WeakMap<Type, boolean>();
const withAtomic = new WeakMap<Type, boolean>();
const leafCounts = new WeakMap<Type, number>();

/** Whether values of the type can be created, passed and returned (WGSL §6.2.9). */
export function isConstructible(type: Type): boolean {
  switch (type.kind) {
    case 'scalar':
    case 'vector':
    case 'matrix':
      return true;
    case 'array':
      return type.count !== null && isConstructible(type.element);
    case 'struct':
      return remembered(constructible, type, () => type.members.every((member) => isConstructible(member.type)));
    default:
      return false;
  }
}

/** Whether a variable in memory can have the type (WGSL §6.4.1). */
export function isStorable(type: Type): boolean {
  return type.kind !== 'void' && type.kind !== 'pointer' && !isAbstract(type);
}

export function isHandle(type: Type): boolean {
  return type.kind === 'texture' || type.kind === 'storage-texture' || type.kind === 'sampler';
}

export function containsRuntimeArray(type: Type): boolean {
  if (type.kind === 'array') return type.count === null || containsRuntimeArray(type.element);
  return (
    type.kind === 'struct'
    && remembered(withRuntimeArray, type, () => type.members.some((member) => containsRuntimeArray(member.type)))
  );
}

export function containsAtomic(type: Type): boolean {
  if (type.kind === 'atomic') return true;
  if (type.kind === 'array') return containsAtomic(type.element);
  return (
    type.kind === 'struct'
    && remembered(withAtomic, type, () => type.members.some((member) => containsAtomic(member.type)))
  );
}

const withArray = new WeakMap<Type, boolean>();

/** Whether the type is or contains an array at any depth. */
export function containsArray(type: Type): boolean {
  if (type.kind === 'array') return true;
  return (
    type.kind === 'struct'
    && remembered(withArray, type, () => type.members.some((member) => containsArray(member.type)))
  );
}

const depths = new WeakMap<Type, number>();

/** Nesting depth of composite types. */
export function typeDepth(type: Type): number {
  switch (type.kind) {
    case 'vector':
      return 1;
    case 'matrix':
      return 2;
    case 'array':
      return remembered(depths, type, () => 1 + typeDepth(type.element));
    case 'struct':
      return remembered(depths, type, () => 1 + Math.max(...type.members.map((member) => typeDepth(member.type))));
    default:
      return 0;
  }
}

/** Number of leaf scalars in a value of the type. */
export function leafCount(type: Type): number {
  switch (type.kind) {
    case 'scalar':
    case 'atomic':
      return 1;
    case 'vector':
      return type.size;
    case 'matrix':
      return type.columns * type.rows;
    case 'array':
      return (type.count ?? 0) * leafCount(type.element);
    case 'struct':
      return remembered(leafCounts, type, () => type.members.reduce((sum, member) => sum + leafCount(member.type), 0));
    default:
      return unreachable(`wgsl: leafCount of ${type.kind}`);
  }
}

/** Type of the part that an index selects: component, column or element. */
export function partType(type: Type): Type | null {
  switch (type.kind) {
    case 'vector':
      return scalarType(type.scalar);
    case 'matrix':
      return vectorType(type.rows, type.scalar);
    case 'array':
      return type.element;
    default:
      return null;
  }
}

/** Number of parts of an indexable type; null for a runtime-sized array. */
export function partCount(type: VectorType | MatrixType | ArrayType): number | null {
  return type.kind === 'vector' ? type.size : type.kind === 'matrix' ? type.columns : type.count;
}

const SHORT: Partial<Record<Scalar, string>> = { f32: 'f', f16: 'h', i32: 'i', u32: 'u' };

const TEXTURE_DIMENSION: Readonly<Record<TextureType['dimension'], string>> = {
  '1d': '1d',
  '2d': '2d',
  '2d-array': '2d_array',
  '3d': '3d',
  cube: 'cube',
  'cube-array': 'cube_array',
};

function templated(base: string, scalar: Scalar): string {
  const short = SHORT[scalar];
  return short === undefined ? `${base}<${scalar}>` : base + short;
}

/** The word that denotes a format in WGSL, which has no hyphens. */
export const texelFormatWord = (format: string): string => format.replace('-', '_');

/** A type as a shader author would write it: `vec3f`, `array<mat4x4f, 8>`, `ptr<function, i32>`. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return type.scalar;
    case 'vector':
      return templated(`vec${type.size}`, type.scalar);
    case 'matrix':
      return templated(`mat${type.columns}x${type.rows}`, type.scalar);
    case 'array':
      return type.count === null
        ? `array<${typeName(type.element)}>`
        : `array<${typeName(type.element)}, ${type.count}>`;
    case 'struct':
      return type.name;
    case 'pointer':
      return type.space === 'storage'
        ? `ptr<storage, ${typeName(type.store)}, ${type.access}>`
        : `ptr<${type.space}, ${typeName(type.store)}>`;
    case 'atomic':
      return `atomic<${type.scalar}>`;
    case 'texture': {
      const multisampled = type.multisampled ? 'multisampled_' : '';
      const dimension = TEXTURE_DIMENSION[type.dimension];
      if (type.sampled === 'external') return 'texture_external';
      return type.sampled === 'depth'
        ? `texture_depth_${multisampled}${dimension}`
        : `texture_${multisampled}${dimension}<${type.sampled}>`;
    }
    case 'storage-texture':
      return (
        'texture_storage_'
        + (type.multisampled ? 'multisampled_' : '')
        + `${TEXTURE_DIMENSION[type.dimension]}<${texelFormatWord(type.format)}, ${type.access}>`
      );
    case 'buffer':
      return type.size === null ? 'buffer' : `buffer<${type.size}>`;
    case 'sampler':
      return type.comparison ? 'sampler_comparison' : 'sampler';
    case 'void':
      return 'no value';
  }
}
