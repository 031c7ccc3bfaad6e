// The WGSL front end. Its input is text; its output is a typed shader (hir.ts) and diagnostics.
//
//     const { module, diagnostics } = parseModule(source);           // createShaderModule: syntax
//     const checked = checkModule(module, math);                     // createShaderModule: everything else
//     const resolved = checkedEntryPoint(checked, 'fs')              // createRenderPipeline
//       ?? resolveEntryPoint(module, { entryPoint: 'fs', constants: { 0: 2.5 }, math });
//
// Parsing happens once. Checking resolves the whole module without values for its overrides. If there are no overrides,
// the result is the HIR of all its entry points. Resolving an entry point inserts the pipeline constants and returns
// the HIR of everything that the entry point reaches.

import type { Diagnostic } from '../base/diagnostics';
import { defaultShaderLimits, raiseLimitHint, type ShaderLimits } from '../base/shader-limits';
import type { ConstantMath, EntryPoint, Hir, Override, Stage } from './hir';
import { Reporter } from './messages';
import { parse } from './parser';
import { ModuleResolver } from './resolve/module';
import type { ModuleSyntax } from './syntax';

export type { ConstantMath, EntryPoint, Hir } from './hir';
export { LANGUAGE_FEATURES } from './resolve/declarations/directives';

/** A module's text and syntax tree. */
export interface ParsedModule {
  readonly source: string;
  readonly syntax: ModuleSyntax;
  readonly hasSyntaxErrors: boolean;
}

interface ParseResult {
  readonly module: ParsedModule;
  readonly diagnostics: readonly Diagnostic[];
}

/** Parses a module. All syntax errors are reported; the parts that parsed can still be checked. */
export function parseModule(source: string, { characters }: ShaderLimits = defaultShaderLimits): ParseResult {
  const report = new Reporter();
  const isTooLong = source.length > characters;
  if (isTooLong)
    report.error('text-too-long', { start: 0, end: 0 }, [], source.length, characters, raiseLimitHint('characters'));
  const syntax = parse(isTooLong ? '' : source, report);
  return { module: { source, syntax, hasSyntaxErrors: report.hasErrors }, diagnostics: inOrder(report.diagnostics) };
}

interface EntryPointName {
  readonly name: string;
  readonly stage: Stage;
}

export interface CheckResult {
  /** Errors and warnings that parsing did not find, in text order. */
  readonly diagnostics: readonly Diagnostic[];
  /** True if neither parsing nor checking found an error. */
  readonly valid: boolean;
  readonly entryPoints: readonly EntryPointName[];
  readonly overrides: readonly Override[];
  /** The HIR of the whole module. Null if it has errors or overrides, which need a pipeline's constants. */
  readonly hir: Hir | null;
}

const NO_FEATURES: ReadonlySet<string> = new Set();

/**
 * Resolves and type-checks a whole module. Only the types of override-expressions are checked. `features` are those of
 * the device, which extensions may require.
 */
export function checkModule(
  module: ParsedModule,
  math: ConstantMath,
  features = NO_FEATURES,
  limits = defaultShaderLimits
): CheckResult {
  const resolver = new ModuleResolver(module.syntax, module.hasSyntaxErrors, {
    math,
    features,
    constants: null,
    limits,
  });
  resolver.resolveAll();
  const entryPoints = resolver.finish();
  const valid = !module.hasSyntaxErrors && !resolver.report.hasErrors;
  const overrides = resolver.declaredOverrides;
  return {
    diagnostics: inOrder(resolver.diagnostics),
    valid,
    entryPoints: entryPoints.map(({ name, stage }) => ({ name, stage })),
    overrides,
    hir: valid && overrides.length === 0 ? resolver.hir(entryPoints) : null,
  };
}

interface ResolveRequest {
  /** Name of a function with a stage attribute. */
  readonly entryPoint: string;
  /** Values of overrides, keyed by `@id` as decimal digits, or by name if there is no `@id`. */
  readonly constants?: Readonly<Record<string, number>>;
  readonly math: ConstantMath;
  /** Features of the device; none if omitted. */
  readonly features?: ReadonlySet<string>;
  readonly limits?: ShaderLimits;
}

interface ResolveResult {
  /** Functions, globals and overrides that the entry point reaches; null after an error. */
  readonly hir: Hir | null;
  readonly entryPoint: EntryPoint | null;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Resolves an entry point of a valid module with a pipeline's constants. Reports a constant that does not fit, an
 * override without a value, an override-expression that has no value (such as a division by zero), and a name that is
 * not an entry point. The caller must check unknown keys in `constants` against `CheckResult.overrides`.
 */
export function resolveEntryPoint(module: ParsedModule, request: ResolveRequest): ResolveResult {
  const { entryPoint: name, constants = {}, math, features = NO_FEATURES, limits = defaultShaderLimits } = request;
  const resolver = new ModuleResolver(module.syntax, module.hasSyntaxErrors, { math, features, constants, limits });
  if (!resolver.resolveReachable(name)) {
    resolver.report.error('unknown-entry-point', { start: 0, end: 0 }, [], name);
    return { hir: null, entryPoint: null, diagnostics: resolver.diagnostics };
  }
  const entryPoints = resolver.finish();
  const entryPoint = entryPoints.find((candidate) => candidate.name === name) ?? null;
  const valid = !module.hasSyntaxErrors && !resolver.report.hasErrors && entryPoint !== null;
  return {
    hir: valid ? resolver.hir(entryPoints) : null,
    entryPoint: valid ? entryPoint : null,
    diagnostics: inOrder(resolver.diagnostics),
  };
}

/** Resolves all declarations of a valid module with a pipeline's constants. Returns null after an error. */
export function resolveDeclarations(module: ParsedModule, request: Omit<ResolveRequest, 'entryPoint'>): Hir | null {
  const { constants = {}, math, features = NO_FEATURES, limits = defaultShaderLimits } = request;
  const resolver = new ModuleResolver(module.syntax, module.hasSyntaxErrors, { math, features, constants, limits });
  resolver.resolveAll();
  const entryPoints = resolver.finish();
  return resolver.report.hasErrors ? null : resolver.hir(entryPoints);
}

/**
 * Like resolveEntryPoint without constants, but reuses the HIR of the whole module from a check. Returns null if there
 * is none.
 */
export function checkedEntryPoint({ hir }: CheckResult, name: string): ResolveResult | null {
  const entryPoint = hir?.entryPoints.find((candidate) => candidate.name === name);
  return hir === null || entryPoint === undefined ? null : { hir, entryPoint, diagnostics: [] };
}

function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort((a, b) => a.span.start - b.span.start);
}
