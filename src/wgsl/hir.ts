// The typed program (HIR): what the resolver hands to the lowering.
//
// Rules, kept by the resolver and relied on by the lowering:
// - every type is concrete (no abstract numerics are left); every implicit conversion is explicit or folded;
// - override values are already put in: a module is resolved again for each set of pipeline constants;
// - every const-expression is one Const node; names are gone: locals, functions and globals are indices;
// - references and pointers are Places; there is no load without a Load node; a `let` may hold a pointer;
// - `for` and `while` are Loop; `a += b`, `a++` are Assign with an operator (the place is evaluated once);
// - no recursion; the only statements after which control does not go on are return, break, continue;
// - struct and array values may be Const, loaded, constructed, passed, returned and assigned whole.

import type { Span } from '../base/diagnostics';
import type { AddressSpace, ArrayType, BuiltinName, IoAttributes, StructType, Type } from './types';

/** The kernel's own functions for folding what + − × ÷ and sqrt do not cover; bits as at run time. */
export interface ConstantMath {
  /** `name` is a WGSL f32 builtin ('sin', 'exp2', 'inverseSqrt', 'pow', 'atan2', …) on f32 values. */
  unary(name: string, x: number): number;
  binary(name: string, x: number, y: number): number;
}

export type UnaryOp = '-' | '!' | '~';
export type BinaryOp = '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '<<' | '>>' | '==' | '!=' | '<' | '<=' | '>'
  | '>=';

interface Node { readonly span: Span }
interface Typed extends Node { readonly type: Type }

export interface ConstExpr extends Typed { readonly op: 'const'; readonly data: readonly number[] }
/** A `let`, a value parameter, or a `let`/parameter that holds a pointer. */
export interface LocalExpr extends Typed { readonly op: 'local'; readonly local: number }
export interface LoadExpr extends Typed { readonly op: 'load'; readonly place: Place }
export interface AddressOfExpr extends Typed { readonly op: 'address-of'; readonly place: Place }
export interface UnaryExpr extends Typed { readonly op: 'unary'; readonly operator: UnaryOp; readonly operand: Expr }
/**
 * Operands as WGSL allows them: scalar∘scalar, vector∘vector, vector∘scalar, scalar∘vector, matrix products,
 * component-wise bool & and |.
 */
export interface BinaryExpr extends Typed {
  readonly op: 'binary';
  readonly operator: BinaryOp;
  readonly left: Expr;
  readonly right: Expr;
}
/** Short-circuit. */
export interface LogicalExpr extends Typed {
  readonly op: 'logical';
  readonly operator: '&&' | '||';
  readonly left: Expr;
  readonly right: Expr;
}
export interface CallExpr extends Typed { readonly op: 'call'; readonly fn: number; readonly args: readonly Expr[] }
/**
 * A builtin function by its WGSL name; arguments have the concrete types of the chosen overload. Texture and sampler
 * arguments are GlobalExpr or LocalExpr (handle parameters).
 */
export interface BuiltinExpr extends Typed {
  readonly op: 'builtin';
  readonly name: string;
  readonly args: readonly Expr[];
}
/**
 * Value constructor: components (vectors may be built of vectors and scalars; one scalar splats), matrix of columns or
 * scalars, array elements, struct members. No args: zero value.
 */
export interface ConstructExpr extends Typed { readonly op: 'construct'; readonly args: readonly Expr[] }
/** Component-wise value conversion between scalar kinds, of a scalar, vector or matrix (f32(i), vec3u(v)). */
export interface ConvertExpr extends Typed { readonly op: 'convert'; readonly operand: Expr }
/** bitcast<T>(e), also scalars ↔ vectors of equal shape. */
export interface BitcastExpr extends Typed { readonly op: 'bitcast'; readonly operand: Expr }
/** Constant selection of a struct member, or a component/column/element with a constant index in range. */
export interface MemberExpr extends Typed { readonly op: 'member'; readonly base: Expr; readonly index: number }
/** Dynamic index into a vector, matrix or array value. */
export interface IndexExpr extends Typed { readonly op: 'index'; readonly base: Expr; readonly index: Expr }
/** Two or more components of a vector value. */
export interface SwizzleExpr extends Typed {
  readonly op: 'swizzle';
  readonly base: Expr;
  readonly components: readonly number[];
}
/** A texture or sampler variable. */
export interface GlobalExpr extends Typed { readonly op: 'global'; readonly global: number }
export type Expr =
  | ConstExpr | LocalExpr | LoadExpr | AddressOfExpr | UnaryExpr | BinaryExpr | LogicalExpr | CallExpr | BuiltinExpr
  | ConstructExpr | ConvertExpr | BitcastExpr | MemberExpr | IndexExpr | SwizzleExpr | GlobalExpr;

export type PlaceRoot =
  | { readonly root: 'variable'; readonly local: number }   // function-space var
  | { readonly root: 'global'; readonly global: number }    // private, uniform, storage, workgroup
  | { readonly root: 'pointer'; readonly pointer: Expr };   // what a pointer value points to
/** member: constant index in range (struct member, component, column, element); index: dynamic. */
export type PlaceStep = {
  readonly step: 'member';
  readonly index: number;
} | { readonly step: 'index'; readonly index: Expr };
export interface Place {
  readonly root: PlaceRoot;
  readonly steps: readonly PlaceStep[];
  readonly type: Type;
  readonly span: Span;
}

export interface LetStmt extends Node { readonly kind: 'let'; readonly local: number; readonly value: Expr }
/** No initialiser: zero value. Runs each time control reaches it. */
export interface VarStmt extends Node { readonly kind: 'var'; readonly local: number; readonly value: Expr | null }
/** With `operator`: place = place operator value. Several components of a vector are assigned one by one. */
export interface AssignStmt extends Node {
  readonly kind: 'assign';
  readonly place: Place;
  readonly operator: BinaryOp | null;
  readonly value: Expr;
}
/** A call statement, or `_ = value`. */
export interface EvaluateStmt extends Node { readonly kind: 'evaluate'; readonly value: Expr }
export interface IfStmt extends Node {
  readonly kind: 'if';
  readonly condition: Expr;
  readonly then: readonly Stmt[];
  readonly otherwise: readonly Stmt[];
}
/** Exactly one clause has isDefault. Selector i32 or u32. */
export interface SwitchStmt extends Node {
  readonly kind: 'switch';
  readonly selector: Expr;
  readonly clauses: readonly {
    readonly values: readonly number[];
    readonly isDefault: boolean;
    readonly body: readonly Stmt[];
  }[];
}
/**
 * body; continuing; then again, unless breakIf. `continue` goes to continuing. Locals of body are visible in continuing
 * and breakIf.
 */
export interface LoopStmt extends Node {
  readonly kind: 'loop';
  readonly body: readonly Stmt[];
  readonly continuing: readonly Stmt[];
  readonly breakIf: Expr | null;
}
export interface BreakStmt extends Node { readonly kind: 'break' }
export interface ContinueStmt extends Node { readonly kind: 'continue' }
export interface ReturnStmt extends Node { readonly kind: 'return'; readonly value: Expr | null }
export interface DiscardStmt extends Node { readonly kind: 'discard' }
export interface BlockStmt extends Node { readonly kind: 'block'; readonly body: readonly Stmt[] }
export type Stmt =
  | LetStmt | VarStmt | AssignStmt | EvaluateStmt | IfStmt | SwitchStmt | LoopStmt | BreakStmt | ContinueStmt
    | ReturnStmt | DiscardStmt | BlockStmt;

export interface Local { readonly name: string; readonly type: Type; readonly kind: 'let' | 'var' | 'parameter' }
export interface FunctionDef {
  readonly name: string;
  /** All locals of the function; the first `parameterCount` are its parameters, in order. */
  readonly locals: readonly Local[];
  readonly parameterCount: number;
  readonly returnType: Type;
  readonly body: readonly Stmt[];
  /** Statements that control never comes to, which rules hold for all the same. */
  readonly unreachable: readonly Stmt[];
  readonly span: Span;
}
export interface GlobalVariable {
  readonly name: string;
  readonly space: AddressSpace;
  readonly type: Type;
  readonly access: 'read' | 'read_write' | 'write';
  /** Set for uniform, storage and handle variables. */
  readonly binding: { readonly group: number; readonly binding: number } | null;
  /** Private variables only; null is the zero value. */
  readonly initializer: Expr | null;
  readonly span: Span;
}
/** One scalar, vector (location or builtin) of an entry point's interface, structs split into members in order. */
export interface InterfaceVariable {
  readonly name: string;
  readonly type: Type;
  readonly io: IoAttributes;
  /** Where it stands: parameter index (inputs) and member index, or -1 when it is no struct member. */
  readonly parameter: number;
  readonly member: number;
}
export type Stage = 'vertex' | 'geometry' | 'primitive' | 'tess_control' | 'tess_evaluation' | 'fragment' | 'compute';
export interface EntryPoint {
  readonly name: string;
  readonly stage: Stage;
  /** Index into Hir.functions. */
  readonly fn: number;
  /** Of stages that take primitives, once for all corners. */
  readonly inputs: readonly InterfaceVariable[];
  /** Of a geometry stage, the members of the struct that it emits. */
  readonly outputs: readonly InterfaceVariable[];
  /** Corners of a primitive that such a stage gets: elements of the array that has their locations. Else 0. */
  readonly corners: number;
  /** Which parameter that array is; -1: there is none. */
  readonly cornersParameter: number;
  /**
   * Indices of the functions that it reaches, itself among them, and of the global variables that it statically uses.
   */
  readonly functions: readonly number[];
  readonly globals: readonly number[];
  /** Those with bindings, in order. */
  readonly resources: readonly number[];
  /** The `var<immediate>` that it uses; null where there is none. */
  readonly immediate: number | null;
  /** A fragment stage whose outputs are what it sends by `dispatchSamples`. */
  readonly dispatches: boolean;
  /** @early_depth_test: depth and stencil are tested before the program, whatever it does. */
  readonly testsEarly: boolean;
  /** Of a compute stage: invocations of a workgroup; null where overrides say how many. */
  readonly workgroupSize: readonly [number, number, number] | null;
  /** Of a compute stage that asks for subgroups of a size. */
  readonly subgroupSize: number | null;
  /** [texture global, sampler global] pairs used together. */
  readonly samplingPairs: readonly (readonly [number, number])[];
  readonly span: Span;
}
export interface Override {
  readonly name: string;
  readonly id: number | null;
  readonly type: Type;
  readonly hasDefault: boolean;
}
export interface Hir {
  readonly functions: readonly FunctionDef[];
  readonly globals: readonly GlobalVariable[];
  readonly entryPoints: readonly EntryPoint[];
  readonly overrides: readonly Override[];
}
export type { AddressSpace, ArrayType, BuiltinName, StructType, Type };
