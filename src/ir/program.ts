// The shader IR: typed, scalar (a vec4 is four values), with structured control flow.
//
// Rules (after validation no code generator may fail). validate.ts checks every program as the front end lowered it and
// again when it is linked, optimised by then: 1.1 ms of the 118 ms of helmet's pipeline in a new process, 0.2 to 1.6 %
// of the compiler's steps for ten programs (scenes of the bench, the viewer's materials), so it is never left out.
// Tests look after passes by themselves, too.
// - A value is defined once, by one instruction, before its uses in program order, and is used only inside the
//   node list in which it is defined or in lists nested in it. All pure operations are total: nothing traps, for any
//   bits.
// - What changes is a variable: `var.get` / `var.set` name a mutable scalar slot of the invocation. Variables start at
//   zero
//   when the program starts; a WGSL `var` without initialiser is lowered to explicit sets where control passes it.
// - Arrays that are indexed dynamically are lane arrays (`array.load`/`array.store`, index in elements, u32, clamped by
//   the engine).
//   Everything else is scalarised away. Functions are inlined; pointers are gone.
// - Control flow is that of WASM: If; Block, left forwards by Leave; Loop, which starts again at its end unless every
//   lane has left it.
//   A lane that executes `Leave L` is off until the end of block L. A Leave is the last node of its list.
//   WGSL break = Leave of a block around the loop, continue = Leave of a block inside it, return = Leave of the
//   inlined body's block.
// - `discard` demotes: the lane goes on as a helper, and its outputs are not written.
// - A bool is 0 or 0xffffffff in every lane. i32 and u32 share the `int.*` operations where the bits are the same.
// - Buffer offsets are bytes, multiples of 4 (of 2 for storage.storeHalf); the lowering clamps indices to their array,
//   the engine clamps the offset to the binding.
// - An f16 is an f32 that a half has too: what may lie between halves goes through f32.quantizeToF16. In memory it has
//   two bytes.
// - Loads, stores and atomic operations of what the program may write (storage.*, atomic.*, image.*) take effect in
//   program order, and quads follow each other; stores and atomic operations for lanes that are on and are no helpers:
//   a helper's atomic operation gives 0. No pass drops, shares, moves or doubles them, but a load that nobody needs.
// - Surface loads and stores take effect in program order, for lanes that are on and are no helpers: a store does
//   nothing for a helper, and a
//   load gives zeros as its value and the mask that was asked for. No pass drops, shares, moves or doubles a store, or
//   shares or moves a load.
// - A geometry program gives its vertices one by one: `output` for each of its outputs, then `emit`; `cut` ends a
//   strip. They take effect in program order, for lanes that are on. No pass drops, shares, moves or doubles them.
//   Engines do not know them: they get a program that gathers the vertices (src/mpipe/emission.ts).
// - A fragment program may give what goes to its targets in dispatches: `output` for each of its outputs, then
//   `dispatch` with a mask of samples. The same holds for them (dispatches.ts makes them outputs).
// - A barrier parts what all invocations of a workgroup do before it from what they do behind it. No pass drops, shares
//   or moves it, or moves an access of memory across it. Engines do not know it: they get a program that is cut into
//   parts (passes/parts.ts).
// - Texture coordinates, levels and derivatives are values of the executing invocation and its quad neighbours.

import type { OpName } from './ops';

export type ScalarType = 'bool' | 'i32' | 'u32' | 'f32';
export type ValueId = number;

export interface Instruction {
  readonly kind: 'op';
  readonly op: OpName;
  /** One entry for most operations; four for texture reads, three for dimensions, none for sets and discard. */
  readonly results: readonly ValueId[];
  readonly args: readonly ValueId[];
  /** Immediate: constant bits (`const`), variable, array, input, output or resource index; see ops.ts. */
  readonly imm: number;
  readonly texture?: TextureAccess | undefined;
}
/**
 * args of texture.sample: coordinates (2, or 3 for cube and 3d), then array layer (i32) if arrayed, then by mode: bias
 * | level | ddx…, ddy… | compare value last for depth comparison.
 */
export interface TextureAccess {
  readonly mode: 'implicit' | 'bias' | 'level' | 'grad' | 'load' | 'gather';
  /** Index into IrProgram.resources. */
  readonly texture: number;
  /** Index into IrProgram.resources; -1 for load. */
  readonly sampler: number;
  /** Constant texel offset; zeros where none is given. */
  readonly offset: readonly [number, number, number];
  /** Of a gather, the channel; left away where there is none. */
  readonly component?: number;
  readonly compare: boolean;
}
export interface If {
  readonly kind: 'if';
  readonly condition: ValueId;
  readonly then: readonly IrNode[];
  readonly otherwise: readonly IrNode[];
}
export interface Block { readonly kind: 'block'; readonly label: number; readonly body: readonly IrNode[] }
export interface Loop { readonly kind: 'loop'; readonly label: number; readonly body: readonly IrNode[] }
export interface Leave { readonly kind: 'leave'; readonly label: number }
export type IrNode = Instruction | If | Block | Loop | Leave;

/**
 * Location of the varying in which vertices have the code of their shading rate: behind all that programs may name, so
 * that it is the last one.
 */
export const RATE_LOCATION = 2 ** 31;
/** Likewise, of the number of its primitive, which setup writes and no vertex has. */
export const NUMBER_LOCATION = RATE_LOCATION + 1;

export type Interpolation = 'perspective' | 'linear' | 'flat';
export type Sampling = 'center' | 'centroid' | 'sample';
/** One scalar that an invocation starts with. */
export type IrInput =
  | {
    readonly kind: 'attribute';
    readonly location: number;
    readonly component: number;
    readonly type: ScalarType;
    /** Of a program that takes primitives, all of whose attributes have one: the corner that it belongs to. */
    readonly corner?: number;
  }
  | {
    readonly kind: 'varying';
    readonly location: number;
    readonly component: number;
    readonly type: ScalarType;
    readonly interpolation: Interpolation;
    readonly sampling: Sampling;
    /** Of a part that is run for samples: at the sample where it would be at the centroid. */
    readonly ofSample?: true;
    /** Setup writes it: of the primitive, no vertex has it. */
    readonly ofPrimitive?: true;
  }
  /** `ofSample`: of a part that is run for samples, and not of its pixel. */
  | {
    readonly kind: 'builtin';
    readonly builtin: 'vertex_index' | 'instance_index' | 'primitive_index' | 'front_facing' | 'sample_index'
      | 'sample_mask' | 'shading_rate' | 'sample_depth' | 'sample_stencil';
    readonly type: ScalarType;
    readonly ofSample?: true;
  }
  /** Of a fragment program: what the render target at `location` holds at its own position. */
  | { readonly kind: 'destination'; readonly location: number; readonly component: number; readonly type: ScalarType }
  /** Of a fragment stage: what one before it gives; of a part of a program (src/mpipe/sample-sets.ts): of the first. */
  | { readonly kind: 'link'; readonly location: number; readonly component: number; readonly type: ScalarType }
  /** Of an evaluation program: what the stage before its control stage wrote for a control point. */
  | {
    readonly kind: 'control_point';
    readonly location: number;
    readonly component: number;
    readonly type: ScalarType;
    readonly corner: number;
  }
  /** Of a compute program; `part`: which of the parts between its barriers is to be run (passes/parts.ts). */
  | { readonly kind: 'builtin'; readonly builtin: 'local_invocation_index' | 'part'; readonly type: 'u32' }
  | {
    readonly kind: 'builtin';
    readonly builtin: 'local_invocation_id' | 'global_invocation_id' | 'workgroup_id' | 'num_workgroups';
    readonly component: number;
    readonly type: 'u32';
  }
  /** Where in its patch a vertex lies. */
  | { readonly kind: 'builtin'; readonly builtin: 'tess_coord'; readonly component: number; readonly type: 'f32' }
  /** Fragment position: x, y in pixels, z depth, w = 1/w of the vertex stage's position. */
  | {
    readonly kind: 'builtin'; readonly builtin: 'position'; readonly component: number; readonly type: 'f32';
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
  /** The second source of blending at target 0; engines do not know it (two-sources.ts). */
  | { readonly kind: 'second_color'; readonly component: number; readonly type: ScalarType }
  /** As the input of that kind. */
  | { readonly kind: 'link'; readonly location: number; readonly component: number; readonly type: ScalarType }
  /** Of a vertex program: how far it lies inside of a plane of its own. */
  | { readonly kind: 'clip_distance'; readonly component: number; readonly type: 'f32' }
  /** Of the first part of a fragment program: whether the pixel was discarded, for its other sets. */
  | { readonly kind: 'killed'; readonly type: 'bool' }
  | { readonly kind: 'frag_depth'; readonly type: 'f32' }
  | { readonly kind: 'sample_mask'; readonly type: 'u32' }
  /** Of a control program: outer levels 0 to 3, inner ones 4 and 5. */
  | { readonly kind: 'tess_level'; readonly level: number; readonly type: 'f32' }
  /**
   * Of a primitive program: whether the primitive goes no further; the viewport that it is drawn in; the code of the
   * rate at which it is shaded.
   */
  | { readonly kind: 'cull_primitive'; readonly type: 'bool' }
  | { readonly kind: 'viewport_index' | 'shading_rate'; readonly type: 'u32' }
  /** Of a geometry program whose vertices were gathered (src/mpipe/emission.ts): their number, and where strips end. */
  | { readonly kind: 'emission'; readonly type: 'u32' };

export type IrResource =
  | {
    readonly kind: 'uniform' | 'storage';
    readonly group: number;
    readonly binding: number;
    readonly name: string;
    /** Bytes that the program's type needs at least. */
    readonly minSize: number;
    /** Storage: read_write. It is read by storage.load then, not by buffer.load. */
    readonly writable: boolean;
  }
  /** What setImmediates has given: bytes that come with each draw or dispatch. There is one at most. */
  | { readonly kind: 'immediate'; readonly name: string; readonly minSize: number }
  /** What setBlendConstant has given, four f32, where a program blends by itself. */
  | { readonly kind: 'blend-constant'; readonly minSize: 16 }
  /** Of a compute program: the memory that the invocations of a workgroup share, zeros at its start. */
  | { readonly kind: 'workgroup'; readonly name: string; readonly size: number }
  /** Of a compute program that counts what it does (passes/counters.ts): words of the worker that runs it. */
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
  /** A storage texture of one sample that the program may write; one that it only reads is a texture. */
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
  /** A multisampled storage texture; `format` as the API names it, `sampled` the type of its texels' channels. */
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

export interface IrProgram {
  readonly name: string;
  /** Which stage of a pipeline it can be. */
  readonly kind: 'vertex' | 'geometry' | 'primitive' | 'tess_control' | 'tess_evaluation' | 'fragment' | 'compute';
  /** Type of each value, by ValueId. */
  readonly values: readonly ScalarType[];
  readonly variables: readonly { readonly name: string; readonly type: ScalarType }[];
  /**
   * Lane arrays: `length` elements per invocation, zero at the start; or, with `constants` (bits, one an element), a
   * table that is never stored to.
   */
  readonly arrays: readonly {
    readonly name: string;
    readonly type: ScalarType;
    readonly length: number;
    readonly constants?: readonly number[];
    /** Of a compute program that is cut into parts: it keeps its contents between them. Who runs them clears it. */
    readonly kept?: boolean;
    /** Quads agree on each of its elements. */
    readonly agreed?: boolean;
  }[];
  /** Of a geometry, primitive or control program: attributes corner by corner, then built-in values. */
  readonly inputs: readonly IrInput[];
  readonly outputs: readonly IrOutput[];
  readonly resources: readonly IrResource[];
  readonly body: readonly IrNode[];
  readonly usesDiscard: boolean;
  /** Derivatives, implicit level of detail, or lanes that ask each other: whole quads with helper lanes are needed. */
  readonly usesDerivatives: boolean;
  /** Depth and stencil are tested before the program, whatever it does, and sample masks are what passed. */
  readonly testsEarly?: boolean;
  /** Of a primitive program, and of no other: corners of the primitives that it takes. */
  readonly corners?: number;
  /** Of a compute program, and of no other: invocations of a workgroup, by dimension. */
  readonly workgroupSize?: readonly [number, number, number];
  /** Of a compute program that is cut at its barriers: how many parts it has. */
  readonly parts?: number;
  /** All invocations of a workgroup go from part to part together. */
  readonly partsTogether?: boolean;
}
