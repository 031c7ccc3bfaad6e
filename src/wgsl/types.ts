// WGSL types after resolution. The layout (align, size, stride) follows WGSL §14.4 "Memory Layout", in bytes.

type ConcreteScalar = 'bool' | 'i32' | 'u32' | 'f32' | 'f16';
export type Scalar = ConcreteScalar | 'abstract-int' | 'abstract-float';
export type AddressSpace = 'function' | 'private' | 'uniform' | 'storage' | 'workgroup' | 'immediate' | 'handle';

export interface ScalarType {
  readonly kind: 'scalar';
  readonly scalar: Scalar;
}
export interface VectorType {
  readonly kind: 'vector';
  readonly size: 2 | 3 | 4;
  readonly scalar: Scalar;
}
/** Each column has `rows` components. */
export interface MatrixType {
  readonly kind: 'matrix';
  readonly columns: 2 | 3 | 4;
  readonly rows: 2 | 3 | 4;
  readonly scalar: Scalar;
}
/** `count` null is a runtime-sized array. `stride` is 0 if the element type cannot be in memory. */
export interface ArrayType {
  readonly kind: 'array';
  readonly element: Type;
  readonly count: number | null;
  readonly stride: number;
}
export interface StructMember {
  readonly name: string;
  readonly type: Type;
  /** Byte offset in the struct; 0 if the struct cannot be in memory. */
  readonly offset: number;
  readonly io: IoAttributes;
}
export interface StructType {
  readonly kind: 'struct';
  readonly name: string;
  readonly members: readonly StructMember[];
  readonly align: number;
  readonly size: number;
}
export interface PointerType {
  readonly kind: 'pointer';
  readonly space: AddressSpace;
  readonly store: Type;
  readonly access: 'read' | 'read_write' | 'write';
}
export interface AtomicType {
  readonly kind: 'atomic';
  readonly scalar: 'i32' | 'u32';
}
export interface TextureType {
  readonly kind: 'texture';
  readonly dimension: '1d' | '2d' | '2d-array' | '3d' | 'cube' | 'cube-array';
  readonly sampled: 'f32' | 'i32' | 'u32' | 'depth' | 'external';
  readonly multisampled: boolean;
}
/** A storage texture. `format` is the API's name. */
export interface StorageTextureType {
  readonly kind: 'storage-texture';
  readonly dimension: '1d' | '2d' | '2d-array' | '3d';
  readonly format: string;
  readonly access: 'read' | 'write' | 'read_write';
  readonly multisampled: boolean;
}
export interface SamplerType {
  readonly kind: 'sampler';
  readonly comparison: boolean;
}
/** Bytes that views read as other types. `size` null means the size of the binding. */
export interface BufferType {
  readonly kind: 'buffer';
  readonly size: number | null;
}
export interface VoidType {
  readonly kind: 'void';
}
export type Type =
  | ScalarType
  | VectorType
  | MatrixType
  | ArrayType
  | StructType
  | PointerType
  | AtomicType
  | TextureType
  | StorageTextureType
  | SamplerType
  | BufferType
  | VoidType;

export type BuiltinName =
  | 'vertex_index'
  | 'instance_index'
  | 'position'
  | 'front_facing'
  | 'frag_depth'
  | 'sample_index'
  | 'sample_mask'
  | 'global_invocation_index'
  | 'workgroup_index'
  | 'local_invocation_id'
  | 'local_invocation_index'
  | 'global_invocation_id'
  | 'workgroup_id'
  | 'num_workgroups'
  | 'primitive_index'
  | 'tess_coord'
  | 'tess_outer'
  | 'tess_inner'
  | 'cull_primitive'
  | 'viewport_index'
  | 'shading_rate'
  | 'sample_depth'
  | 'sample_stencil'
  | 'subgroup_invocation_id'
  | 'subgroup_size'
  | 'subgroup_id'
  | 'num_subgroups'
  | 'clip_distances';
export type InterpolationType = 'perspective' | 'linear' | 'flat';
export type InterpolationSampling = 'center' | 'centroid' | 'sample' | 'first' | 'either';
/** The attributes of an entry point's parameter, result or struct member. */
export interface IoAttributes {
  readonly location?: number;
  /** For inputs of fragment shaders: the render target whose contents are read. */
  readonly color?: number;
  /** For fragment stages: a value that is passed to later stages. */
  readonly link?: number;
  readonly builtin?: BuiltinName;
  readonly interpolation?: { readonly type: InterpolationType; readonly sampling: InterpolationSampling };
  readonly invariant?: boolean;
  readonly blendSrc?: number;
}
