// The surroundings of an expression or statement: the services of the module, the current function, and the names in
// scope.

import type { Reporter } from '../messages';
import type { ConstantMath, Local, Stmt } from '../hir';
import type { Attribute, FunctionDeclaration, Name, Span } from '../syntax';
import type { TypeStore } from '../type-store';
import type { ArrayType, BufferType, Type } from '../types';
import type { Operand } from './operand';

/** What a name stands for. */
export type Binding =
  | { readonly kind: 'value'; readonly operand: Operand; readonly declared: Span }
  | { readonly kind: 'type'; readonly type: Type; readonly declared: Span }
  | { readonly kind: 'function'; readonly signature: Signature; readonly declared: Span }
  /** Declared, but with an error that has been reported. */
  | { readonly kind: 'broken' };

export interface Signature {
  readonly name: string;
  /** Index into Hir.functions. */
  readonly index: number;
  readonly declaration: FunctionDeclaration;
  readonly parameters: readonly Type[];
  readonly result: Type;
  readonly isEntryPoint: boolean;
  readonly mustUse: boolean;
}

/** The module as its expressions see it. */
export interface ModuleServices {
  readonly report: Reporter;
  readonly types: TypeStore;
  readonly math: ConstantMath;
  /** Arrays and buffers whose size is an override-expression. Each is a distinct type, and its size may be unknown. */
  readonly openArrays: ReadonlySet<Type>;
  /**
   * An array whose count is an override-expression. Arrays whose count is just the name of the same override share a
   * type.
   */
  openArray(element: Type, count: number, override: string | null): ArrayType;
  /** As openArray, for the type of a buffer; `size` is null until overrides have values. */
  openBuffer(size: number | null, override: string | null): BufferType;
  /** Counts the scalars of a value. Returns false, with a message, if the module exceeds its limit. */
  spendConstants(scalars: number, span: Span): boolean;
  /** A name at module scope, resolved on first use; undefined if there is none. */
  lookup(name: string, use: Span): Binding | undefined;
  namesInScope(): Iterable<string>;
  /** The severities set by diagnostic filters. */
  readonly severities: { note(attributes: readonly Attribute[], span: Span): void };
  /** Whether the module enables an extension that the device supports. */
  isEnabled(extension: string): boolean;
  /** Whether part of the module did not parse. It may contain what seems to be missing. */
  readonly syntaxIsBroken: boolean;
  /** Whether the declaration of a name did not parse. Its uses are not reported. */
  isBrokenName(name: string): boolean;
}

/** A texture or sampler as a function refers to it: a global or one of its parameters. */
export type HandleSource = { readonly global: number } | { readonly parameter: number };

interface CallSite {
  readonly callee: Signature;
  readonly span: Span;
  readonly handles: readonly (HandleSource | null)[];
}

/** A use of a built-in function that is available only in some stages. */
interface StageUse {
  readonly name: string;
  readonly stages: readonly string[];
  readonly span: Span;
}

/** A call of emitVertex or dispatchSamples. */
export interface Emission {
  readonly type: Type;
  readonly span: Span;
}

/** Collects what a function body uses while it is resolved. */
export class FunctionFacts {
  readonly locals: Local[] = [];
  readonly globals = new Map<number, Span>();
  readonly builtins = new Map<string, Span>();
  readonly calls: CallSite[] = [];
  readonly stageUses: StageUse[] = [];
  readonly emissions: Emission[] = [];
  /** Unreachable statements. */
  readonly unreachable: Stmt[] = [];
  readonly samplingPairs: (readonly [HandleSource, HandleSource])[] = [];

  /** `returnType` is null if the function's result type has an error. */
  constructor(
    readonly name: string,
    readonly returnType: Type | null
  ) {}

  addLocal(local: Local): number {
    this.locals.push(local);
    return this.locals.length - 1;
  }
}

/** A chain of block scopes. The outermost one contains a function's parameters and its body. */
export class Scope {
  /** Created with the first name, because most blocks declare none. */
  private bindings: Map<string, Binding> | null = null;

  constructor(private readonly parent: Scope | null) {}

  /** Declares a name. Returns the existing binding if this scope already declares the name. */
  declare(name: string, binding: Binding): Binding | undefined {
    this.bindings ??= new Map();
    const previous = this.bindings.get(name);
    if (previous === undefined) this.bindings.set(name, binding);
    return previous;
  }

  find(name: string): Binding | undefined {
    return this.bindings?.get(name) ?? this.parent?.find(name);
  }

  *names(): Iterable<string> {
    if (this.bindings !== null) yield* this.bindings.keys();
    if (this.parent !== null) yield* this.parent.names();
  }
}

/** A loop whose continuing block is being resolved, as text offsets. */
interface ContinuingBlock {
  readonly firstContinue: number;
  readonly start: number;
}

export class Context {
  /** Set inside a continuing block that is the target of a `continue`. */
  continuing: ContinuingBlock | null = null;

  constructor(
    readonly module: ModuleServices,
    readonly facts: FunctionFacts | null,
    public scope: Scope | null
  ) {}

  get report(): Reporter {
    return this.module.report;
  }

  get types(): TypeStore {
    return this.module.types;
  }

  lookup(name: Name): Binding | undefined {
    return this.scope?.find(name.text) ?? this.module.lookup(name.text, name.span);
  }

  /** Runs `body` in a new block scope. */
  scoped<T>(body: () => T): T {
    const outer = this.scope;
    this.scope = new Scope(outer);
    try {
      return body();
    } finally {
      this.scope = outer;
    }
  }

  *namesInScope(): Iterable<string> {
    if (this.scope !== null) yield* this.scope.names();
    yield* this.module.namesInScope();
  }
}
