// The high-level IR (HIR): the typed shader that the resolver passes to the lowering.
//
// The resolver guarantees the following rules, and the lowering relies on them:
//
// - Every type is concrete; no abstract numerics are left. Every implicit conversion is explicit or folded.
// - Overrides have values, because a module is resolved again for each set of pipeline constants.
// - Every const-expression is a single Const node. There are no names: locals, functions and globals are indices.
// - References and pointers are Places. Only a Load node loads from memory. A `let` may hold a pointer.
// - `for` and `while` are Loops. `a += b` and `a++` are Assigns with an operator, and the place is evaluated once.
// - There is no recursion. Control does not continue after return, break and continue, but after all other statements.
// - Struct and array values may be constants, and may be loaded, constructed, passed, returned and assigned as a whole.

import type { Span } from '../base/diagnostics';
import type { AddressSpace, IoAttributes, Type } from './types';

/** The kernel's own functions, for folding operations other than + − × ÷ and sqrt. The bits are those at run time. */
export interface ConstantMath {
  /** `name` is a builtin function of WGSL on f32 ('sin', 'exp2', 'inverseSqrt', 'pow', 'atan2', …). */
  unary(name: string, x: number): number;
  binary(name: string, x: number, y: number): number;
}

export type UnaryOp = '-' | '!' | '~';
export type BinaryOp =
  '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '<<' | '>>' | '==' | '!=' | '<' | '<=' | '>' | '>=';

interface Node {
  readonly span: Span;
}
interface Typed extends Node {
  readonly type: Type;
}

interface ConstExpr extends Typed {
  readonly op: 'const';
  readonly data: readonly number[];
}
/** A `let`, a value parameter, or a `let` or parameter that holds a pointer. */
interface LocalExpr extends Typed {
  readonly op: 'local';
  readonly local: number;
}
interface LoadExpr extends Typed {
  readonly op: 'load';
  readonly place: Place;
}
interface AddressOfExpr extends Typed {
  readonly op: 'address-of';
  readonly place: Place;
}
interface UnaryExpr extends Typed {
  readonly op: 'unary';
  readonly operator: UnaryOp;
  readonly operand: Expr;
}
/**
 * Operands as WGSL permits them: scalar and scalar, vector and vector, vector and scalar in either order, matrix
 * products, and component-wise & and | on bools.
 */
export interface BinaryExpr extends Typed {
  readonly op: 'binary';
  readonly operator: BinaryOp;
  readonly left: Expr;
  readonly right: Expr;
}
/** Short-circuiting operators. */
export interface LogicalExpr extends Typed {
  readonly op: 'logical';
  readonly operator: '&&' | '||';
  readonly left: Expr;
  readonly right: Expr;
}
interface CallExpr extends Typed {
  readonly op: 'call';
  readonly fn: number;
  readonly args: readonly Expr[];
}
/**
 * A call of a builtin function by its WGSL name. Arguments have the concrete types of the chosen overload. Texture and
 * sampler arguments are GlobalExpr or LocalExpr (handle parameters).
 */
export interface BuiltinExpr extends Typed {
  readonly op: 'builtin';
  readonly name: string;
  readonly args: readonly Expr[];
}
/**
 * A value constructor. Its arguments are components (of vectors, as scalars and vectors; a single scalar is repeated),
 * columns or scalars of a matrix, array elements, or struct members. Without arguments, the zero value.
 */
interface ConstructExpr extends Typed {
  readonly op: 'construct';
  readonly args: readonly Expr[];
}
/** Component-wise conversion of a scalar, vector or matrix to another scalar type, such as f32(i) or vec3u(v). */
interface ConvertExpr extends Typed {
  readonly op: 'convert';
  readonly operand: Expr;
}
/** bitcast<T>(e), also between scalars and vectors of the same size. */
interface BitcastExpr extends Typed {
  readonly op: 'bitcast';
  readonly operand: Expr;
}
/** A struct member, or a component, column or element with a constant index in range. */
interface MemberExpr extends Typed {
  readonly op: 'member';
  readonly base: Expr;
  readonly index: number;
}
/** A dynamic index into a vector, matrix or array value. */
interface IndexExpr extends Typed {
  readonly op: 'index';
  readonly base: Expr;
  readonly index: Expr;
}
/** Two or more components of a vector value. */
interface SwizzleExpr extends Typed {
  readonly op: 'swizzle';
  readonly base: Expr;
  readonly components: readonly number[];
}
/** A texture or sampler variable. */
interface GlobalExpr extends Typed {
  readonly op: 'global';
  readonly global: number;
}
export type Expr =
  | ConstExpr
  | LocalExpr
  | LoadExpr
  | AddressOfExpr
  | UnaryExpr
  | BinaryExpr
  | LogicalExpr
  | CallExpr
  | BuiltinExpr
  | ConstructExpr
  | ConvertExpr
  | BitcastExpr
  | MemberExpr
  | IndexExpr
  | SwizzleExpr
  | GlobalExpr;

type PlaceRoot =
  | { readonly root: 'variable'; readonly local: number } // a variable in function space
  | { readonly root: 'global'; readonly global: number } // private, uniform, storage or workgroup
  | { readonly root: 'pointer'; readonly pointer: Expr }; // the target of a pointer value
/** member: a constant index in range (struct member, component, column or element). index: a dynamic index. */
export type PlaceStep =
  { readonly step: 'member'; readonly index: number } | { readonly step: 'index'; readonly index: Expr };
export interface Place {
  readonly root: PlaceRoot;
  readonly steps: readonly PlaceStep[];
  readonly type: Type;
  readonly span: Span;
}

export interface LetStmt extends Node {
  readonly kind: 'let';
  readonly local: number;
  readonly value: Expr;
}
/** Without an initialiser: the zero value. Executed each time control reaches it. */
export interface VarStmt extends Node {
  readonly kind: 'var';
  readonly local: number;
  readonly value: Expr | null;
}
/** With `operator`: place = place operator value. Assignments to several vector components are split. */
export interface AssignStmt extends Node {
  readonly kind: 'assign';
  readonly place: Place;
  readonly operator: BinaryOp | null;
  readonly value: Expr;
}
/** A call statement, or `_ = value`. */
interface EvaluateStmt extends Node {
  readonly kind: 'evaluate';
  readonly value: Expr;
}
interface IfStmt extends Node {
  readonly kind: 'if';
  readonly condition: Expr;
  readonly then: readonly Stmt[];
  readonly otherwise: readonly Stmt[];
}
/** Exactly one clause has isDefault. The selector is i32 or u32. */
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
 * Executes body, then continuing, then repeats unless breakIf is true. `continue` jumps to continuing. Locals of body
 * are visible in continuing and breakIf.
 */
export interface LoopStmt extends Node {
  readonly kind: 'loop';
  readonly body: readonly Stmt[];
  readonly continuing: readonly Stmt[];
  readonly breakIf: Expr | null;
}
interface BreakStmt extends Node {
  readonly kind: 'break';
}
interface ContinueStmt extends Node {
  readonly kind: 'continue';
}
interface ReturnStmt extends Node {
  readonly kind: 'return';
  readonly value: Expr | null;
}
interface DiscardStmt extends Node {
  readonly kind: 'discard';
}
interface BlockStmt extends Node {
  readonly kind: 'block';
  readonly body: readonly Stmt[];
}
export type Stmt =
  | LetStmt
  | VarStmt
  | AssignStmt
  | EvaluateStmt
  | IfStmt
  | SwitchStmt
  | LoopStmt
  | BreakStmt
  | ContinueStmt
  | ReturnStmt
  | DiscardStmt
  | BlockStmt;

export interface Local {
  readonly name: string;
  readonly type: Type;
  readonly kind: 'let' | 'var' | 'parameter';
}
export interface FunctionDef {
  readonly name: string;
  /** All locals of the function. The first `parameterCount` are its parameters, in order. */
  readonly locals: readonly Local[];
  readonly parameterCount: number;
  readonly returnType: Type;
  readonly body: readonly Stmt[];
  /** Unreachable statements, to which validation rules still apply. */
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
  /** Only for private variables; null means the zero value. */
  readonly initializer: Expr | null;
  readonly span: Span;
}
/** A scalar or vector of an entry point's interface, with a location or a builtin. Structs are split into members. */
export interface InterfaceVariable {
  readonly name: string;
  readonly type: Type;
  readonly io: IoAttributes;
  /** Parameter index (of inputs) and member index; −1 for a value that is not a struct member. */
  readonly parameter: number;
  readonly member: number;
}
export type Stage = 'vertex' | 'geometry' | 'primitive' | 'tess_control' | 'tess_evaluation' | 'fragment' | 'compute';
export interface EntryPoint {
  readonly name: string;
  readonly stage: Stage;
  /** Index into Hir.functions. */
  readonly fn: number;
  /** For stages that take primitives, listed once for all corners. */
  readonly inputs: readonly InterfaceVariable[];
  /** For geometry stages, the members of the struct that is emitted. */
  readonly outputs: readonly InterfaceVariable[];
  /**
   * For stages that take primitives, the number of corners, which is the length of the array that has their locations.
   * 0 for others.
   */
  readonly corners: number;
  /** Parameter index of that array; −1 if there is none. */
  readonly cornersParameter: number;
  /**
   * Indices of all reachable functions, including the entry point's, and of the global variables that it statically
   * uses.
   */
  readonly functions: readonly number[];
  readonly globals: readonly number[];
  /** Global variables with bindings, in order. */
  readonly resources: readonly number[];
  /** The `var<immediate>` that it uses; null if there is none. */
  readonly immediate: number | null;
  /** Whether it is a fragment stage that sends its outputs with `dispatchSamples`. */
  readonly dispatches: boolean;
  /** Whether depth and stencil are always tested before the shader runs (@early_depth_test). */
  readonly testsEarly: boolean;
  /** Compute stages: size of a workgroup; null if it depends on overrides. */
  readonly workgroupSize: readonly [number, number, number] | null;
  /** Compute stages that request a subgroup size. */
  readonly subgroupSize: number | null;
  /** Pairs [texture global, sampler global] that are used together. */
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
export type { Type };
