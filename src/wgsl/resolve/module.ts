// Resolves a module: its names, on first use so that their order does not matter (WGSL §5.4), its functions, and the
// rules that concern the module as a whole.

import { assert } from '../../base/assert';
import type { Diagnostic } from '../../base/diagnostics';
import type { ShaderLimits } from '../../base/shader-limits';
import { isOfSubgroup } from '../builtin-table';
import { Reporter } from '../messages';
import type { ConstantMath, EntryPoint, FunctionDef, GlobalVariable, Hir, Override } from '../hir';
import type { Attribute, FunctionDeclaration, GlobalDeclaration, Name, Span, ModuleSyntax } from '../syntax';
import { containsRuntimeArray, isConstructible, isHandle, makeArray, typeName, TypeStore, VOID } from '../type-store';
import type { ArrayType, BufferType, Type } from '../types';
import { checkAliases } from './aliases';
import { resolveAttributes } from './attributes';
import { Behavior } from './behavior';
import type { AttributeValues } from './attributes';
import { CallGraph, MAX_REACHED_FUNCTIONS } from './call-graph';
import { ConstantBudget } from './constant-budget';
import { Context, FunctionFacts, Scope } from './context';
import type { Binding, ModuleServices, Signature } from './context';
import { resolveInOrder, type Entry, type NamedDeclaration } from './dependencies';
import { checkDirectives, enabledExtensions } from './directives';
import { typeExpression } from './expressions';
import { dispatchedOutputs } from './dispatches';
import { Emitted, resolveGeometryInterface, resolvePatchInterface, resolvePrimitiveInterface } from './geometry';
import { resolveConst, resolveGlobalVariable, resolveOverride } from './globals';
import type { PipelineConstants } from './globals';
import { checkEarlyTests, refuseInterface, resolveInterface } from './interface';
import type { EntryInterface } from './interface';
import { at, computed, reference } from './operand';
import type { Operand } from './operand';
import { checkConstAssert, StatementResolver } from './statements';
import { Severities } from './severity';
import { resolveStruct } from './structs';
import {
  checkUniformity,
  checkUnreached,
  DERIVATIVE_UNIFORMITY,
  isBarrier,
  isDerivative,
  SUBGROUP_UNIFORMITY,
  type UniformityScope,
} from './uniformity';

/** Assumed size in bytes of a buffer whose size is an override without a value; every view fits. */
const UNKNOWN_SIZE = 0x7fff_fffc;

/** A function with a resolved signature. Types with errors are null. */
interface FunctionRecord {
  readonly declaration: FunctionDeclaration;
  readonly parameters: readonly (Type | null)[];
  readonly result: Type | null;
  readonly stage: EntryPoint['stage'] | null;
  readonly interface: EntryInterface | null;
  readonly testsEarly: boolean;
  readonly workgroupSize: readonly (number | null)[];
  readonly subgroupSize: number | null;
  facts: FunctionFacts;
  def: FunctionDef | null;
}

/** Omitted extents are 1. */
function wholeSize([x = 1, y = 1, z = 1]: readonly (number | null)[]): EntryPoint['workgroupSize'] {
  return x === null || y === null || z === null ? null : [x, y, z];
}

/**
 * Maximum number of entry points, because everything that each of them reaches is analysed separately (see also
 * MAX_REACHED_FUNCTIONS).
 */
const MAX_ENTRY_POINTS = 1024;
/** WGSL §2.4. */
const MAX_PARAMETERS = 255;

const BROKEN: Binding = { kind: 'broken' };

const typeBinding = (type: Type | null, declared: Span): Binding =>
  type === null ? BROKEN : { kind: 'type', type, declared };
const valueBinding = (operand: Operand | null, declared: Span): Binding =>
  operand === null ? BROKEN : { kind: 'value', operand, declared };

const bindingOf = ({ binding }: Entry): Binding => (binding === null || binding === 'open' ? BROKEN : binding);

export interface ResolveOptions {
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
  private readonly functionIndex = new Map<string, number>();
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
        return this.resolveSignature(declaration);
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

  // ── Functions ──────────────────────────────────────────────────────────────────────────────

  private resolveSignature(node: FunctionDeclaration): Binding {
    const ctx = this.context;
    const attributes = resolveAttributes(ctx, node.attributes, 'function', 'a function');
    this.severities.note(node.attributes, node.span);
    const single = this.checkStageAttributes(node, attributes);
    const stage = single ? (attributes.stage ?? null) : null;
    const beyond = node.parameters[MAX_PARAMETERS];
    if (beyond !== undefined)
      ctx.report.error('too-many-parameters', beyond.name.span, [], node.name.text, MAX_PARAMETERS);
    const parameters = node.parameters.map((parameter) => this.parameterType(parameter.type, stage !== null));
    const result = node.returnType === null ? VOID : this.resultType(node.returnType);
    if (attributes.mustUse === true && node.returnType === null) {
      ctx.report.error('must-use-without-result', node.name.span, [], node.name.text);
    }
    const io =
      stage === null
        ? null
        : stage === 'geometry'
          ? resolveGeometryInterface(ctx, node, parameters)
          : stage === 'primitive'
            ? resolvePrimitiveInterface(ctx, node, parameters, result)
            : stage === 'tess_control' || stage === 'tess_evaluation'
              ? resolvePatchInterface(ctx, node, stage, parameters, result)
              : resolveInterface(ctx, node, stage, parameters, result);
    if (stage === null && single) refuseInterface(ctx, node);
    const testsEarly = attributes.testsEarly === true;
    if (testsEarly) checkEarlyTests(ctx, node, stage, io);
    const index = this.functions.length;
    const facts = new FunctionFacts(node.name.text, result);
    const { workgroupSize = [], subgroupSize = null } = attributes;
    this.functions.push({
      declaration: node,
      parameters,
      result,
      stage,
      interface: io,
      testsEarly,
      workgroupSize,
      subgroupSize,
      facts,
      def: null,
    });
    this.functionIndex.set(node.name.text, index);
    if (result === null || parameters.includes(null)) return BROKEN;
    const signature: Signature = {
      name: node.name.text,
      index,
      declaration: node,
      parameters: parameters as Type[],
      result,
      isEntryPoint: stage !== null,
      mustUse: attributes.mustUse === true,
    };
    return { kind: 'function', signature, declared: node.name.span };
  }

  /** Returns false if a function has attributes of two stages. */
  private checkStageAttributes(node: FunctionDeclaration, { stage }: AttributeValues): boolean {
    const written = (names: readonly string[]): Attribute[] =>
      node.attributes.filter(({ name }) => names.includes(name.text));
    const [first, second] = written([
      'vertex',
      'geometry',
      'primitive',
      'tess_control',
      'tess_evaluation',
      'fragment',
      'compute',
    ]);
    const [size] = written(['workgroup_size']);
    if (first !== undefined && second !== undefined && first.name.text !== second.name.text) {
      this.report.error('two-stages', second.span, [], node.name.text);
      return false;
    }
    if (stage === 'compute' && size === undefined)
      this.report.error('missing-workgroup-size', node.name.span, [], node.name.text);
    if (stage !== 'compute' && size !== undefined) {
      this.report.error(
        'attribute-not-allowed',
        size.span,
        [],
        'workgroup_size',
        'a function that is no compute entry point'
      );
    }
    const [subgroup] = written(['subgroup_size']);
    if (stage !== 'compute' && subgroup !== undefined)
      this.report.error(
        'attribute-not-allowed',
        subgroup.span,
        [],
        'subgroup_size',
        'a function that is no compute entry point'
      );
    return true;
  }

  private parameterType(node: FunctionDeclaration['parameters'][number]['type'], isEntryPoint: boolean): Type | null {
    const type = typeExpression(this.context, node);
    if (type === null) return null;
    const usable = isConstructible(type) || (!isEntryPoint && (type.kind === 'pointer' || isHandle(type)));
    if (usable && !this.openArrays.has(type)) return type;
    this.report.error(
      'type-not-allowed',
      node.span,
      [],
      typeName(type),
      isEntryPoint ? "an entry point's parameter" : 'a parameter'
    );
    return null;
  }

  private resultType(node: NonNullable<FunctionDeclaration['returnType']>): Type | null {
    const type = typeExpression(this.context, node);
    if (type === null) return null;
    if (isConstructible(type) && !this.openArrays.has(type)) return type;
    this.report.error(
      'type-not-allowed',
      node.span,
      [],
      typeName(type),
      containsRuntimeArray(type) ? 'a result (its size is not fixed)' : 'a result'
    );
    return null;
  }

  private resolveBody(index: number): void {
    const record = this.functions[index]!;
    const { declaration: node, parameters, facts } = record;
    const ctx = new Context(this, facts, new Scope(null));
    const resolver = new StatementResolver(ctx, facts);
    node.parameters.forEach((parameter, i) => this.declareParameter(resolver, facts, parameter.name, parameters[i]!));
    resolver.checkAttributes(node.body.attributes, node.body.span);
    const { stmts, behavior } = resolver.sequence(node.body.body);
    const { result } = record;
    // If a statement of the function did not parse, it may have been the return.
    if (result !== null && result !== VOID && (behavior & Behavior.Next) !== 0 && !this.syntaxIsBroken) {
      this.report.error('missing-return', node.name.span, [], node.name.text, typeName(result));
    }
    record.def = {
      name: node.name.text,
      locals: facts.locals,
      parameterCount: parameters.length,
      returnType: result ?? VOID,
      body: stmts,
      unreachable: facts.unreachable,
      span: node.name.span,
    };
  }

  private declareParameter(resolver: StatementResolver, facts: FunctionFacts, name: Name, type: Type | null): void {
    const local = facts.addLocal({ name: name.text, type: type ?? VOID, kind: 'parameter' });
    if (type === null) resolver.declare(name, BROKEN);
    else
      resolver.declare(name, {
        kind: 'value',
        operand: at(computed({ op: 'local', local, type, span: name.span }), name.span),
        declared: name.span,
      });
  }

  // ── The whole module ───────────────────────────────────────────────────────────────────────

  /** Resolves every declaration and every function body. */
  resolveAll(): void {
    checkDirectives(this.report, this.syntax.directives, this.options.features);
    for (const declaration of this.syntax.declarations) {
      if (declaration.kind === 'const_assert') checkConstAssert(this.context, declaration);
      else this.lookup(declaration.name.text, declaration.name.span);
    }
    for (let index = 0; index < this.functions.length; index++) this.resolveBody(index);
  }

  /** Resolves an entry point and what it reaches. Returns false if there is no function with that name and a stage. */
  resolveReachable(entryPoint: string): boolean {
    const declaration = this.entries.get(entryPoint)?.declaration;
    if (declaration?.kind !== 'function') return false;
    this.lookup(entryPoint, declaration.name.span);
    // Bodies append the functions that they call to the list.
    for (let index = 0; index < this.functions.length; index++) this.resolveBody(index);
    return this.functions[this.functionIndex.get(entryPoint)!]!.stage !== null;
  }

  /** Checks the calls between functions and returns the valid entry points. */
  finish(): EntryPoint[] {
    const graph = new CallGraph(
      this.functions.map((record) => record.facts),
      this.report
    );
    if (!graph.checkRecursion()) return [];
    const entryPoints: EntryPoint[] = [];
    const emitted = new Emitted(this.context, this.syntaxIsBroken);
    if (this.hasTooManyEntryPoints() || !this.staysWithinLimit(graph)) return [];
    this.functions.forEach(({ declaration, stage, interface: io, testsEarly, workgroupSize, subgroupSize }, fn) => {
      if (stage === null || io === null) return;
      graph.checkStage(fn, stage);
      graph.checkBindings(fn, this.globals);
      const used = graph.globals(fn);
      const { text: name, span } = declaration.name;
      this.checkSurfaces(used, stage);
      this.checkWrites(used, stage);
      this.checkWorkgroups(used, stage);
      const emissions = graph.emissions(fn);
      const dispatches = stage === 'fragment' && emissions.length > 0;
      const outputs =
        stage === 'geometry'
          ? emitted.outputs(declaration, emissions)
          : dispatches
            ? dispatchedOutputs(this.context, declaration, emissions)
            : io.outputs;
      if (dispatches && testsEarly) checkEarlyTests(this.context, declaration, stage, { ...io, outputs });
      const globals = [...used.keys()];
      const resources = globals.filter((global) => this.globals[global]!.binding !== null).sort((a, b) => a - b);
      entryPoints.push({
        name,
        stage,
        fn,
        inputs: io.inputs,
        outputs,
        corners: io.corners,
        dispatches,
        cornersParameter: io.cornersParameter,
        functions: graph.reachable(fn),
        globals,
        resources,
        immediate: graph.immediate(fn, this.globals),
        testsEarly,
        workgroupSize: stage === 'compute' ? wholeSize(workgroupSize) : null,
        subgroupSize,
        samplingPairs: graph.samplingPairs(fn),
        span,
      });
    });
    if (!this.report.hasErrors && !this.syntaxIsBroken) this.checkFlow(graph, entryPoints);
    return entryPoints;
  }

  private checkFlow(graph: CallGraph, entryPoints: readonly EntryPoint[]): void {
    const { globals, report, severities } = this;
    const { functions } = this.hir([]);
    if (this.options.constants === null) checkAliases({ functions, globals, report });
    // Rules about derivatives do not depend on the values of overrides.
    const derivatives = this.options.constants === null && severities.canReport(DERIVATIVE_UNIFORMITY);
    const subgroups = this.options.constants === null && severities.canReport(SUBGROUP_UNIFORMITY);
    const scopes: [UniformityScope, (name: string) => boolean][] = [
      ['workgroup', (name) => isBarrier(name) || (derivatives && isDerivative(name))],
      ['subgroup', (name) => subgroups && isOfSubgroup(name)],
    ];
    const check = { functions, globals, report, severities, meter: { steps: 0 } };
    for (const entry of entryPoints) {
      for (const [scope, counts] of scopes)
        if (graph.callsBuiltin(entry.fn, counts)) checkUniformity(check, scope, entry);
    }
    if (this.options.constants !== null) return;
    // Beyond the limit, functions are not checked.
    for (const fn of graph.unreached(entryPoints.map((entry) => entry.fn)))
      for (const [scope, counts] of scopes)
        if (graph.staysWithinLimit(fn) && graph.callsBuiltin(fn, counts)) checkUnreached(check, scope, fn);
  }

  private staysWithinLimit(graph: CallGraph): boolean {
    const beyond = this.functions.find(({ stage }, fn) => stage !== null && !graph.staysWithinLimit(fn));
    if (beyond === undefined) return true;
    this.report.error('too-much-reached', beyond.declaration.name.span, [], MAX_REACHED_FUNCTIONS);
    return false;
  }

  private hasTooManyEntryPoints(): boolean {
    const beyond = this.functions.filter(({ stage }) => stage !== null)[MAX_ENTRY_POINTS];
    if (beyond === undefined) return false;
    this.report.error('too-many-entry-points', beyond.declaration.name.span, [], MAX_ENTRY_POINTS);
    return true;
  }

  /** Multisampled storage textures are only available in fragment shaders. */
  private checkSurfaces(used: ReadonlyMap<number, Span>, stage: EntryPoint['stage']): void {
    if (stage === 'fragment') return;
    for (const [global, span] of used) {
      const { name, type } = this.globals[global]!;
      if (type.kind !== 'storage-texture' || !type.multisampled) continue;
      const notes =
        stage === 'compute'
          ? [{ message: 'multisampled storage textures are not supported in compute shaders yet' }]
          : [];
      this.report.error('stage-not-allowed', span, notes, name, 'fragment', stage);
    }
  }

  /** Only compute shaders have workgroups. */
  private checkWorkgroups(used: ReadonlyMap<number, Span>, stage: EntryPoint['stage']): void {
    if (stage === 'compute') return;
    for (const [global, span] of used) {
      const { name, space } = this.globals[global]!;
      if (space === 'workgroup') this.report.error('stage-not-allowed', span, [], name, 'compute', stage);
    }
  }

  /** Only fragment and compute shaders may write resources, or read writable ones. */
  private checkWrites(used: ReadonlyMap<number, Span>, stage: EntryPoint['stage']): void {
    if (stage === 'fragment' || stage === 'compute') return;
    for (const [global, span] of used) {
      const { name, space, access, type } = this.globals[global]!;
      const isTexture = type.kind === 'storage-texture' && type.access !== 'read' && !type.multisampled;
      if (!isTexture && (space !== 'storage' || access === 'read')) continue;
      const what = isTexture ? "storage texture with the access 'read'" : "'var<storage, read>'";
      const notes = [{ message: `a ${what} can be read by all` }];
      this.report.error('stage-not-allowed', span, notes, name, 'fragment and compute', stage);
    }
  }

  get declaredOverrides(): readonly Override[] {
    return this.overrides;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.report.diagnostics;
  }

  hir(entryPoints: readonly EntryPoint[]): Hir {
    const functions = this.functions.map(({ def }) => {
      assert(def !== null, 'wgsl: a function without a body');
      return def;
    });
    return { functions, globals: this.globals, entryPoints, overrides: this.overrides };
  }
}
