// Resolves the declarations of a module, on first use so that their order does not matter (WGSL §5.4). Functions are
// resolved in functions.ts, and entry points in entry-points.ts.

import type { Diagnostic } from '../../base/diagnostics';
import type { ShaderLimits } from '../../base/shader-limits';
import { Reporter } from '../messages';
import type { ConstantMath, EntryPoint, GlobalVariable, Hir, Override } from '../hir';
import type { FunctionDeclaration, GlobalDeclaration, Span, ModuleSyntax } from '../syntax';
import { makeArray, TypeStore } from '../type-store';
import type { ArrayType, BufferType, Type } from '../types';
import { ConstantBudget } from './constant-budget';
import { Context } from './context';
import type { Binding, ModuleServices } from './context';
import { resolveInOrder, type Entry, type NamedDeclaration } from './declarations/dependencies';
import { checkDirectives, enabledExtensions } from './declarations/directives';
import { resolveEntryPoints } from './declarations/entry-points';
import { typeExpression } from './expressions';
import { definitionsOf, resolveBody, resolveSignature, type FunctionRecord } from './declarations/functions';
import { resolveConst, resolveGlobalVariable, resolveOverride } from './declarations/globals';
import type { PipelineConstants } from './declarations/globals';
import { computed, reference } from './operand';
import type { Operand } from './operand';
import { checkConstAssert } from './statements/statements';
import { Severities } from './severity';
import { resolveStruct } from './declarations/structs';

/** Assumed size in bytes of a buffer whose size is an override without a value; every view fits. */
const UNKNOWN_SIZE = 0x7fff_fffc;

const BROKEN: Binding = { kind: 'broken' };

const typeBinding = (type: Type | null, declared: Span): Binding =>
  type === null ? BROKEN : { kind: 'type', type, declared };
const valueBinding = (operand: Operand | null, declared: Span): Binding =>
  operand === null ? BROKEN : { kind: 'value', operand, declared };

const bindingOf = ({ binding }: Entry): Binding => (binding === null || binding === 'open' ? BROKEN : binding);

interface ResolveOptions {
  readonly math: ConstantMath;
  /** Features of the device. */
  readonly features: ReadonlySet<string>;
  /**
   * null: checks everything without values for overrides. Otherwise resolves what `entryPoint` reaches, with these
   * values.
   */
  readonly constants: PipelineConstants;
  readonly limits: ShaderLimits;
}

export class ModuleResolver implements ModuleServices {
  readonly report = new Reporter();
  readonly types = new TypeStore();
  readonly openArrays = new Set<Type>();
  private readonly namedOpenBuffers = new Map<string, BufferType>();
  private readonly namedOpenArrays = new Map<Type, Map<string, ArrayType>>();
  readonly math: ConstantMath;
  private readonly entries = new Map<string, Entry>();
  private readonly functions: FunctionRecord[] = [];
  private readonly globals: GlobalVariable[] = [];
  private readonly overrides: Override[] = [];
  private readonly overrideIds = new Set<number>();
  private readonly constants: ConstantBudget;
  private readonly context: Context;
  private readonly extensions: ReadonlySet<string>;
  readonly severities: Severities;

  constructor(
    private readonly syntax: ModuleSyntax,
    readonly syntaxIsBroken: boolean,
    private readonly options: ResolveOptions
  ) {
    this.math = options.math;
    this.constants = new ConstantBudget(options.limits.constants, this.report);
    this.extensions = enabledExtensions(syntax.directives);
    this.severities = new Severities(syntax.directives);
    this.context = new Context(this, null, null);
    for (const declaration of syntax.declarations) if (declaration.kind !== 'const_assert') this.declare(declaration);
  }

  private declare(declaration: NamedDeclaration): void {
    const { name } = declaration;
    const earlier = this.entries.get(name.text);
    if (earlier === undefined) this.entries.set(name.text, { declaration, binding: null });
    else {
      const notes = [{ message: 'first declared here', span: earlier.declaration.name.span }];
      this.report.error('redeclaration', name.span, notes, name.text);
    }
  }

  // ── Services ───────────────────────────────────────────────────────────────────────────────

  openArray(element: Type, count: number, override: string | null): ArrayType {
    const known = override === null ? undefined : this.namedOpenArrays.get(element)?.get(override);
    if (known !== undefined) return known;
    const type = makeArray(element, count);
    this.openArrays.add(type);
    if (override !== null) {
      const byName = this.namedOpenArrays.get(element) ?? new Map<string, ArrayType>();
      this.namedOpenArrays.set(element, byName.set(override, type));
    }
    return type;
  }

  openBuffer(size: number | null, override: string | null): BufferType {
    const known = override === null ? undefined : this.namedOpenBuffers.get(override);
    if (known !== undefined) return known;
    const type: BufferType = { kind: 'buffer', size: size ?? UNKNOWN_SIZE };
    this.openArrays.add(type);
    if (override !== null) this.namedOpenBuffers.set(override, type);
    return type;
  }

  namesInScope(): Iterable<string> {
    return this.entries.keys();
  }

  isEnabled(extension: string): boolean {
    return this.extensions.has(extension);
  }

  isBrokenName(name: string): boolean {
    return this.syntax.namelessBreak || this.syntax.brokenNames.has(name);
  }

  lookup(name: string, use: Span): Binding | undefined {
    const entry = this.entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.binding === 'open') {
      const declared = entry.declaration.name;
      this.report.error('cyclic-declaration', use, [{ message: 'declared here', span: declared.span }], name);
      entry.binding = BROKEN;
    } else if (entry.binding === null) resolveInOrder(entry, this.entries, (declaration) => this.resolve(declaration));
    return bindingOf(entry);
  }

  spendConstants(scalars: number, span: Span): boolean {
    return this.constants.spend(scalars, span);
  }

  // ── Declarations ───────────────────────────────────────────────────────────────────────────

  private resolve(declaration: NamedDeclaration): Binding {
    const declared = declaration.name.span;
    switch (declaration.kind) {
      case 'alias':
        return typeBinding(typeExpression(this.context, declaration.type), declared);
      case 'struct':
        return typeBinding(resolveStruct(this.context, declaration), declared);
      case 'function':
        return this.signatureBinding(declaration);
      case 'variable':
        switch (declaration.keyword) {
          case 'override':
            return valueBinding(this.overrideOperand(declaration), declared);
          case 'var':
            return valueBinding(this.globalOperand(declaration), declared);
          default:
            return valueBinding(resolveConst(this.context, declaration), declared);
        }
    }
  }

  private overrideOperand(declaration: Extract<GlobalDeclaration, { kind: 'variable' }>): Operand | null {
    const resolved = resolveOverride(this.context, declaration, this.options.constants);
    if (resolved === null) return null;
    const { override, operand } = resolved;
    if (override.id !== null && this.overrideIds.has(override.id))
      this.report.error('duplicate-override-id', declaration.name.span, [], override.id);
    if (override.id !== null) this.overrideIds.add(override.id);
    this.overrides.push(override);
    return operand;
  }

  private globalOperand(declaration: Extract<GlobalDeclaration, { kind: 'variable' }>): Operand | null {
    const variable = resolveGlobalVariable(this.context, declaration);
    if (variable === null) return null;
    const global = this.globals.push(variable) - 1;
    const { type, space, access, span } = variable;
    if (space === 'handle') return computed({ op: 'global', global, type, span });
    return reference({
      place: { root: { root: 'global', global }, steps: [], type, span },
      space,
      access,
      vectorComponent: false,
    });
  }

  private signatureBinding(declaration: FunctionDeclaration): Binding {
    const signature = resolveSignature(this.context, declaration, this.functions);
    return signature === null ? BROKEN : { kind: 'function', signature, declared: declaration.name.span };
  }

  // ── The whole module ───────────────────────────────────────────────────────────────────────

  /** Resolves every declaration and every function body. */
  resolveAll(): void {
    checkDirectives(this.report, this.syntax.directives, this.options.features);
    for (const declaration of this.syntax.declarations) {
      if (declaration.kind === 'const_assert') checkConstAssert(this.context, declaration);
      else this.lookup(declaration.name.text, declaration.name.span);
    }
    for (let index = 0; index < this.functions.length; index++) resolveBody(this, this.functions[index]!);
  }

  /** Resolves an entry point and what it reaches. Returns false if there is no function with that name and a stage. */
  resolveReachable(entryPoint: string): boolean {
    const declaration = this.entries.get(entryPoint)?.declaration;
    if (declaration?.kind !== 'function') return false;
    this.lookup(entryPoint, declaration.name.span);
    // Bodies append the functions that they call to the list.
    for (let index = 0; index < this.functions.length; index++) resolveBody(this, this.functions[index]!);
    return this.functions.find((record) => record.declaration === declaration)!.stage !== null;
  }

  /** Checks the calls between functions and returns the valid entry points. */
  finish(): EntryPoint[] {
    const { context, functions, globals, severities } = this;
    return resolveEntryPoints({ context, functions, globals, severities, constants: this.options.constants });
  }

  get declaredOverrides(): readonly Override[] {
    return this.overrides;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.report.diagnostics;
  }

  hir(entryPoints: readonly EntryPoint[]): Hir {
    return { functions: definitionsOf(this.functions), globals: this.globals, entryPoints, overrides: this.overrides };
  }
}
