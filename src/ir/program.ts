// The intermediate representation (IR) of shaders. It is typed and scalar (a vec4 is four values) and has structured
// control flow.
//
// An `IrProgram` obeys the rules below, so that no code generator can fail. validate.ts checks each program as the
// front end lowered it, and again when it is linked, after optimisation. This takes 1.1 ms of the 118 ms that the
// pipeline of the scene `helmet` needs in a new process. For ten programs of the benchmark and the viewer, it takes 0.2
// to 1.6 % of the compile time. It is therefore never skipped. Tests also validate the result of each single pass.
//
// Values:
// - A value is defined once, by one instruction, before its uses in program order. It is used only in the node list
//   that defines it or in lists nested in that list.
// - Every pure operation is total: it never traps, whatever the bits of its arguments.
// - A bool is 0 or 0xffffffff in every lane.
// - i32 and u32 share the `int.*` operations where the resulting bits are the same.
// - An f16 is an f32 whose value a half can represent. A result that may lie between two halves passes through
//   f32.quantizeToF16. In memory an f16 takes two bytes.
//
// Variables and arrays:
// - A variable is a mutable scalar slot of the invocation, read by `var.get` and written by `var.set`. All variables
//   are zero when the program starts. A WGSL `var` without an initialiser is lowered to explicit sets where control
//   reaches it.
// - An array that is indexed dynamically is a lane array, accessed by `array.load` and `array.store`. The index is a
//   u32 that counts elements, and the engine clamps it. All other composite values are split into scalars. Functions
//   are inlined, and pointers are resolved.
//
// Control flow:
// - Control flow is that of WASM. An If chooses between two lists. A Leave jumps forwards to the end of an enclosing
//   Block or Loop. A Loop starts again at its end unless every lane has left it.
// - A lane that executes `Leave L` is inactive until the end of construct L. A Leave is the last node of its list.
// - WGSL `break` is a Leave of a block around the loop, `continue` a Leave of a block inside it, and `return` a Leave
//   of the block around the inlined body.
// - `discard` demotes a lane: it continues as a helper lane, and its outputs are not written.
//
// Memory:
// - A buffer offset counts bytes and is a multiple of 4 (of 2 for storage.storeHalf). The lowering clamps each index to
//   its array, and the engine clamps each offset to the binding.
// - Loads, stores and atomic operations on writable resources (storage.*, atomic.*, image.*) take effect in program
//   order, and one quad follows another. Stores and atomic operations take effect for active lanes that are not
//   helpers; an atomic operation of a helper returns 0. No pass drops, shares, moves or duplicates these operations,
//   except that it may drop a load whose result is unused.
// - Surface loads and stores take effect in program order, for active lanes that are not helpers. For a helper, a store
//   does nothing, and a load returns zeros and the requested mask. No pass drops, shares, moves or duplicates a store,
//   or shares or moves a load.
// - A barrier separates everything that the invocations of a workgroup do before it from everything that they do after
//   it. No pass drops, shares or moves a barrier, or moves a memory access across one. Engines do not implement
//   barriers: they receive a program that has been cut into parts (passes/parts/parts.ts).
// - Texture coordinates, levels and derivatives are values of the executing invocation and its neighbours in the quad.
//
// Outputs in several steps:
// - A geometry program emits one vertex at a time: `output` for each of its outputs, then `emit`. `cut` ends a strip.
//   The immediate of both is the stream.
//   These take effect in program order, for active lanes. No pass drops, shares, moves or duplicates them. Engines do
//   not implement them: they receive a program that collects the vertices (src/mpipe/emission.ts).
// - A fragment program may send its results in dispatches: `output` for each of its outputs, then `dispatch` with a
//   sample mask. The same rules apply. dispatches.ts turns them into ordinary outputs.

import type { OpName } from './ops';

export type ScalarType = 'bool' | 'i32' | 'u32' | 'f32';
export type ValueId = number;

export interface Instruction {
  readonly kind: 'op';
  readonly op: OpName;
  /** Four entries for texture reads, three for dimensions, none for sets and discard, one for most others. */
  readonly results: readonly ValueId[];
  readonly args: readonly ValueId[];
  /** Immediate: bits of a constant, or the index of a variable, array, input, output or resource; see ops.ts. */
  readonly imm: number;
  readonly texture?: TextureAccess | undefined;
}
/**
 * How a texture is read. The arguments of texture.sample are, in order:
 *
 * - the coordinates (2, or 3 for cube and 3d),
 * - the array layer (i32), if arrayed,
 * - by mode, the bias, the level, or ddx… and ddy…,
 * - the reference value, for a depth comparison.
 */
export interface TextureAccess {
  readonly mode: 'implicit' | 'bias' | 'level' | 'grad' | 'load' | 'gather';
  /** Index into IrProgram.resources. */
  readonly texture: number;
  /** Index into IrProgram.resources; −1 for `load`. */
  readonly sampler: number;
  /** Constant texel offset; zeros if the shader specifies none. */
  readonly offset: readonly [number, number, number];
  /** Channel of a gather; absent otherwise. */
  readonly component?: number;
  readonly compare: boolean;
}
export interface If {
  readonly kind: 'if';
  readonly condition: ValueId;
  readonly then: readonly IrNode[];
  readonly otherwise: readonly IrNode[];
}
export interface Block {
  readonly kind: 'block';
  readonly label: number;
  readonly body: readonly IrNode[];
}
export interface Loop {
  readonly kind: 'loop';
  readonly label: number;
  readonly body: readonly IrNode[];
}
interface Leave {
  readonly kind: 'leave';
  readonly label: number;
}
export type IrNode = Instruction | If | Block | Loop | Leave;

/**
 * Location of the varying that holds the code of a vertex's shading rate. It lies beyond all locations that a shader
 * can name, so that this varying comes last.
 */
export const RATE_LOCATION = 2 ** 31;
/** Location of the varying that holds the primitive index. Setup writes it; it is not an attribute of any vertex. */
export const NUMBER_LOCATION = RATE_LOCATION + 1;

type Interpolation = 'perspective' | 'linear' | 'flat';
type Sampling = 'center' | 'centroid' | 'sample';
/** One scalar input of an invocation. */
export type IrInput =
  | {
      readonly kind: 'attribute';
      readonly location: number;
      readonly component: number;
      readonly type: ScalarType;
      /**
       * Corner of the primitive that the attribute belongs to. Set for all attributes of a program that takes
       * primitives, and for no others.
       */
      readonly corner?: number;
    }
  | {
      readonly kind: 'varying';
      readonly location: number;
      readonly component: number;
      readonly type: ScalarType;
      readonly interpolation: Interpolation;
      readonly sampling: Sampling;
      /** In a part that runs per sample: interpolated at the sample instead of at the centroid. */
      readonly ofSample?: true;
      /** Setup writes it once per primitive; it is not an attribute of any vertex. */
      readonly isPerPrimitive?: true;
    }
  /** `ofSample`: in a part that runs per sample, the value of the sample instead of that of the pixel. */
  | {
      readonly kind: 'builtin';
      readonly builtin:
        | 'vertex_index'
        | 'instance_index'
        | 'primitive_index'
        | 'front_facing'
        | 'sample_index'
        | 'sample_mask'
        | 'shading_rate'
        | 'sample_depth'
        | 'sample_stencil';
      readonly type: ScalarType;
      readonly ofSample?: true;
    }
  /** Fragment programs: what the render target at `location` holds at the fragment's position (framebuffer fetch). */
  | { readonly kind: 'destination'; readonly location: number; readonly component: number; readonly type: ScalarType }
  /**
   * A value from an earlier fragment stage or, in the second part of a split program (sample-sets.ts), from the first.
   */
  | { readonly kind: 'link'; readonly location: number; readonly component: number; readonly type: ScalarType }
  /** Evaluation programs: what the stage before the control stage wrote for a control point. */
  | {
      readonly kind: 'control_point';
      readonly location: number;
      readonly component: number;
      readonly type: ScalarType;
      readonly corner: number;
    }
  /** Compute programs. `part` selects which part between two barriers runs (passes/parts/parts.ts). */
  | { readonly kind: 'builtin'; readonly builtin: 'local_invocation_index' | 'part'; readonly type: 'u32' }
  | {
      readonly kind: 'builtin';
      readonly builtin: 'local_invocation_id' | 'global_invocation_id' | 'workgroup_id' | 'num_workgroups';
      readonly component: number;
      readonly type: 'u32';
    }
  /** Position of a vertex in its patch. */
  | { readonly kind: 'builtin'; readonly builtin: 'tess_coord'; readonly component: number; readonly type: 'f32' }
  /** Fragment position: x and y in pixels, z is the depth, w is 1/w of the vertex shader's position. */
  | {
      readonly kind: 'builtin';
      readonly builtin: 'position';
      readonly component: number;
      readonly type: 'f32';
      readonly ofSample?: true;
    };
export type IrOutput =
  | { readonly kind: 'position'; readonly component: number; readonly type: 'f32' }
  | {
      readonly kind: 'varying';
      readonly location: number;
      readonly component: number;
      readonly type: ScalarType;
      readonly interpolation: Interpolation;
      readonly sampling: Sampling;
    }
  | { readonly kind: 'color'; readonly location: number; readonly component: number; readonly type: ScalarType }
  /**
   * The second source of blending at target 0 (dual-source blending); lowered before the engines see it
   * (dual-source.ts).
   */
  | { readonly kind: 'second_color'; readonly component: number; readonly type: ScalarType }
  /** The counterpart of the input of this kind. */
  | { readonly kind: 'link'; readonly location: number; readonly component: number; readonly type: ScalarType }
  /** Vertex programs: distance to a user clip plane, positive inside. */
  | { readonly kind: 'clip_distance'; readonly component: number; readonly type: 'f32' }
  /**
   * First part of a split fragment program: whether the pixel was discarded, which also applies to its other sample
   * sets.
   */
  | { readonly kind: 'killed'; readonly type: 'bool' }
  | { readonly kind: 'frag_depth'; readonly type: 'f32' }
  | { readonly kind: 'sample_mask'; readonly type: 'u32' }
  /** Control programs: levels 0 to 3 are the outer tessellation levels, 4 and 5 the inner ones. */
  | { readonly kind: 'tess_level'; readonly level: number; readonly type: 'f32' }
  /**
   * Primitive programs: whether the primitive is culled, the viewport in which it is drawn, and the code of the rate at
   * which it is shaded.
   */
  | { readonly kind: 'cull_primitive'; readonly type: 'bool' }
  | { readonly kind: 'viewport_index' | 'shading_rate'; readonly type: 'u32' }
  /** Geometry programs after gathering (src/mpipe/emission.ts): the number of vertices and where strips end. */
  | { readonly kind: 'emission'; readonly type: 'u32' };

export type IrResource =
  | {
      readonly kind: 'uniform' | 'storage';
      readonly group: number;
      readonly binding: number;
      readonly name: string;
      /** Minimum size in bytes that the shader's type requires. */
      readonly minSize: number;
      /**
       * Storage buffers: whether the access mode is read_write. Such a buffer is read by storage.load instead of
       * buffer.load.
       */
      readonly writable: boolean;
    }
  /** Immediate data from setImmediates: bytes that come with each draw call or dispatch. A program has at most one. */
  | { readonly kind: 'immediate'; readonly name: string; readonly minSize: number }
  /** The blend constant from setBlendConstant, as four f32, for programs that perform blending themselves. */
  | { readonly kind: 'blend-constant'; readonly minSize: 16 }
  /** Compute programs: memory shared by the invocations of a workgroup, zeroed when the workgroup starts. */
  | { readonly kind: 'workgroup'; readonly name: string; readonly size: number }
  /** Compute programs that count their operations (passes/counters.ts): words of the worker that runs the program. */
  | { readonly kind: 'counters'; readonly size: number }
  | {
      readonly kind: 'texture';
      readonly group: number;
      readonly binding: number;
      readonly name: string;
      readonly dimension: '1d' | '2d' | '2d-array' | '3d' | 'cube' | 'cube-array';
      readonly sampled: 'f32' | 'i32' | 'u32' | 'depth';
      readonly multisampled: boolean;
    }
  /** A single-sampled storage texture that the program may write. A read-only storage texture is a `texture`. */
  | {
      readonly kind: 'image';
      readonly group: number;
      readonly binding: number;
      readonly name: string;
      readonly format: string;
      readonly access: 'write' | 'read_write';
      readonly dimension: '1d' | '2d' | '2d-array' | '3d';
      readonly sampled: 'f32' | 'i32' | 'u32';
    }
  /** A multisampled storage texture. `format` is the API's name; `sampled` is the type of its channels. */
  | {
      readonly kind: 'surface';
      readonly group: number;
      readonly binding: number;
      readonly name: string;
      readonly format: string;
      readonly access: 'read' | 'write' | 'read_write';
      readonly sampled: 'f32' | 'i32' | 'u32';
    }
  | {
      readonly kind: 'sampler';
      readonly group: number;
      readonly binding: number;
      readonly name: string;
      readonly comparison: boolean;
    };

/** Pipeline stages of WebGPU and of modular pipelines. */
export type StageKind =
  'vertex' | 'geometry' | 'primitive' | 'tess_control' | 'tess_evaluation' | 'fragment' | 'compute';

export interface IrProgram {
  readonly name: string;
  /** The pipeline stage that the program implements. */
  readonly kind: StageKind;
  /** Type of each value, by ValueId. */
  readonly values: readonly ScalarType[];
  readonly variables: readonly { readonly name: string; readonly type: ScalarType }[];
  /**
   * Lane arrays: `length` elements per invocation, zero at the start. With `constants` (the bits of each element), the
   * array is a read-only table.
   */
  readonly arrays: readonly {
    readonly name: string;
    readonly type: ScalarType;
    readonly length: number;
    readonly constants?: readonly number[];
    /**
     * In a compute program that is cut into parts: whether the array keeps its contents between parts. The caller
     * clears it.
     */
    readonly kept?: boolean;
    /** Whether each element is equal in all lanes of a quad. */
    readonly quadUniform?: boolean;
  }[];
  /** In geometry, primitive and control programs: the attributes of each corner in turn, then built-in values. */
  readonly inputs: readonly IrInput[];
  readonly outputs: readonly IrOutput[];
  readonly resources: readonly IrResource[];
  readonly body: readonly IrNode[];
  readonly usesDiscard: boolean;
  /**
   * Whether the program needs whole quads with helper lanes: it uses derivatives, implicit level of detail or quad
   * operations.
   */
  readonly usesDerivatives: boolean;
  /**
   * Whether depth and stencil are always tested before the program runs. Its sample mask then contains the samples that
   * passed.
   */
  readonly testsEarly?: boolean;
  /** Programs that take primitives, and no others: number of corners of each primitive. */
  readonly corners?: number;
  /** Geometry programs: a bit for each of their streams, if that is not stream 0 alone. */
  readonly streams?: number;
  /** Compute programs, and no others: size of a workgroup in each dimension. */
  readonly workgroupSize?: readonly [number, number, number];
  /** Compute programs that are cut at their barriers: number of parts. */
  readonly parts?: number;
  /** Whether all invocations of a workgroup proceed from part to part together. */
  readonly partsInLockstep?: boolean;
}
