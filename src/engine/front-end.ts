// The engine's interface to the shader front end: checks WGSL modules, and turns their entry points into optimised IR.

import { unreachable } from '../base/assert';
import { renderDiagnostics, type Diagnostic } from '../base/diagnostics';
import { defaultShaderLimits, type ShaderLimits } from '../base/shader-limits';
import { finish, type Steps } from '../base/steps';
import { programKey } from '../base/program-key';
import { assertValid, optimizing, type IrProgram } from '../ir';
import type { ShaderCache } from '../render';
import {
  checkedEntryPoint,
  checkModule,
  parseModule,
  resolveDeclarations,
  resolveEntryPoint,
  type CheckResult,
  type ConstantMath,
  type EntryPoint,
  type Hir,
  type ParsedModule,
} from '../wgsl';
import { lowerEntryPoint } from '../wgsl/lower';
import { bindingSize } from '../wgsl/lower/binding-sizes';
import { minBindingSize, wordsOf } from '../wgsl/lower/leaves';
import { workgroupBytes } from '../wgsl/lower/workgroup';
import type { Type } from '../wgsl/types';

export type { ConstantMath };

/** Sizes in bytes of what an entry point uses. */
class EntrySizes {
  constructor(
    private readonly hir: Hir,
    private readonly entry: EntryPoint
  ) {}

  /** The smallest buffer that can be bound to a variable of the module. */
  binding(global: number): number {
    return bindingSize(this.hir, this.entry, global);
  }

  /** All variables in the workgroup address space. */
  get workgroup(): number {
    return workgroupBytes(this.hir, this.entry);
  }

  get immediate(): number {
    const type = this.immediateType;
    return type === null ? 0 : minBindingSize(type);
  }

  /** Indices of the 32-bit words of immediate data, without padding. */
  get immediateWords(): ReadonlySet<number> {
    const type = this.immediateType;
    return type === null ? new Set() : wordsOf(type);
  }

  private get immediateType(): Type | null {
    const { immediate } = this.entry;
    return immediate === null ? null : this.hir.globals[immediate]!.type;
  }
}

/** An entry point and its module, with the values of pipeline constants. */
export interface ResolvedEntry {
  readonly hir: Hir;
  readonly entry: EntryPoint;
  readonly sizes: EntrySizes;
}

/** What is known of a module without its functions. */
type ModuleSummary = Pick<CheckResult, 'valid' | 'entryPoints' | 'overrides' | 'diagnostics'>;

/** A record of the shader cache. `hir`: null if the module has overrides. */
interface StoredModule {
  readonly summary: ModuleSummary;
  readonly hir: Hir | null;
}
interface StoredEntry {
  readonly hir: Hir;
  readonly entry: EntryPoint;
}

/** A module that was parsed and checked in this process. */
interface CheckedModule {
  readonly module: ParsedModule;
  readonly checked: CheckResult;
  readonly diagnostics: readonly Diagnostic[];
}

/** A checked module, and the results derived from it. With a shader cache, it is parsed when its functions are read. */
export class ShaderProgram {
  /** Number of modules that were checked in this process. */
  static modulesChecked = 0;
  /** Identifies the module and everything that its checks depend on; null without a shader cache. */
  readonly key: string | null;
  readonly #code: string;
  readonly #math: ConstantMath;
  readonly #features: ReadonlySet<string>;
  readonly #limits: ShaderLimits;
  readonly #cache: ShaderCache | null;
  #module: CheckedModule | null = null;
  /** The interfaces of a module that was found in the cache. */
  #stored: StoredModule | null;
  readonly checked: ModuleSummary;
  /** Resolved entry points without constants, by name, shared by the pipelines that use this module. */
  readonly #resolved = new Map<string, ResolvedEntry>();
  /** Resolved entry points with constants, as long as a pipeline uses them: several slots may hold the same shader. */
  readonly #withConstants = new Map<string, WeakRef<ResolvedEntry>>();
  readonly #lowered = new WeakMap<EntryPoint, IrProgram>();
  /** How entry points were resolved. */
  readonly #requests = new WeakMap<
    EntryPoint,
    { readonly name: string; readonly constants: ReadonlyMap<string, number> }
  >();

  /** `features` are those of the device. */
  constructor(
    code: string,
    math: ConstantMath,
    features: ReadonlySet<string>,
    limits: ShaderLimits = defaultShaderLimits,
    cache: ShaderCache | null = null
  ) {
    this.#code = code;
    this.#math = math;
    this.#features = features;
    this.#limits = limits;
    this.#cache = cache;
    this.key = cache && cache.key('module', code, JSON.stringify([[...features].sort(), limits]));
    this.#stored = cache && cache.read(this.key!, (value) => value as StoredModule);
    this.checked = this.#stored?.summary ?? this.#whole().checked;
    if (cache && !this.#stored) this.#keepModule(cache);
  }

  /** All errors and warnings of the module. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#stored?.summary.diagnostics ?? this.#whole().diagnostics;
  }

  /** The module with its functions. */
  #whole(): CheckedModule {
    if (this.#module) return this.#module;
    ShaderProgram.modulesChecked++;
    const { module, diagnostics } = parseModule(this.#code, this.#limits);
    const checked = checkModule(module, this.#math, this.#features, this.#limits);
    return (this.#module = { module, checked, diagnostics: [...diagnostics, ...checked.diagnostics] });
  }

  /** Modules with errors are not kept. */
  #keepModule(cache: ShaderCache): void {
    const { checked, diagnostics } = this.#whole();
    const { valid, entryPoints, overrides, hir } = checked;
    if (!valid || (hir && !canStore(hir))) return;
    const summary = { valid, entryPoints, overrides, diagnostics };
    cache.write(this.key!, () => ({ summary, hir: hir && interfacesOf(hir) }) satisfies StoredModule);
  }

  /**
   * Resolves an entry point with pipeline constants. Returns a string if a constant is wrong, or if the shader uses
   * something that Rasterloom does not support yet.
   */
  resolve(name: string, constants: ReadonlyMap<string, number>): ResolvedEntry | string {
    const key = programKey(name, constants);
    const known = constants.size === 0 ? this.#resolved.get(name) : this.#withConstants.get(key)?.deref();
    if (known !== undefined) return known;
    const unknown = this.#unknownConstant(constants);
    if (unknown !== null) return unknown;
    const resolved = this.#restored(name, key) ?? this.#resolve(name, constants, key);
    if (typeof resolved === 'string') return resolved;
    this.#requests.set(resolved.entry, { name, constants });
    if (constants.size === 0) this.#resolved.set(name, resolved);
    else this.#keep(key, resolved);
    return resolved;
  }

  /** Resolves an entry point in the cache, without its functions. */
  #restored(name: string, key: string): ResolvedEntry | null {
    if (this.#stored === null) return null;
    const { hir } = this.#stored;
    const entry = hir?.entryPoints.find((candidate) => candidate.name === name);
    const found =
      hir && entry ? { hir, entry } : this.#cache!.read(this.#entryKey(key), (value) => value as StoredEntry);
    return found && { ...found, sizes: new EntrySizes(found.hir, found.entry) };
  }

  #resolve(name: string, constants: ReadonlyMap<string, number>, key: string): ResolvedEntry | string {
    const { module, checked } = this.#whole();
    const { hir, entryPoint, diagnostics } =
      checkedEntryPoint(checked, name)
      ?? resolveEntryPoint(module, {
        entryPoint: name,
        constants: Object.fromEntries(constants),
        math: this.#math,
        features: this.#features,
        limits: this.#limits,
      });
    if (hir === null || entryPoint === null)
      return `the shader cannot be used:\n\n${renderDiagnostics(
        module.source,
        diagnostics.filter((d) => d.severity === 'error')
      )}`;
    const resolved = { hir, entry: entryPoint, sizes: new EntrySizes(hir, entryPoint) };
    if (this.#cache && checked.hir === null && canStore(hir))
      this.#cache.write(
        this.#entryKey(key),
        () => ({ hir: interfacesOf(hir), entry: entryPoint }) satisfies StoredEntry
      );
    return resolved;
  }

  /** All functions and variables, with pipeline constants; null if there is an error. */
  declarations(constants: ReadonlyMap<string, number>): Hir | null {
    const { module, checked } = this.#whole();
    if (!checked.valid || checked.hir !== null) return checked.hir;
    const request = { math: this.#math, features: this.#features, limits: this.#limits };
    return resolveDeclarations(module, { ...request, constants: Object.fromEntries(constants) });
  }

  #entryKey(key: string): string {
    return this.#cache!.key('entry', this.key!, key);
  }

  #keep(key: string, resolved: ResolvedEntry): void {
    for (const [other, ref] of this.#withConstants) if (!ref.deref()) this.#withConstants.delete(other);
    this.#withConstants.set(key, new WeakRef(resolved));
  }

  #unknownConstant(constants: ReadonlyMap<string, number>): string | null {
    const keys = this.checked.overrides.map(({ id, name }) => (id === null ? name : String(id)));
    for (const key of constants.keys()) {
      if (keys.includes(key)) continue;
      const byName = this.checked.overrides.find((override) => override.name === key);
      if (byName !== undefined) return `constants: "${key}" has @id(${byName.id}); use that number as the key`;
      return (
        'constants: the module has no override '
        + `"${key}"${keys.length === 0 ? '' : `; it has ${keys.map((k) => `"${k}"`).join(', ')}`}`
      );
    }
    return null;
  }

  /** Returns the optimised IR of a resolved entry point. */
  lower(resolved: ResolvedEntry): IrProgram {
    return finish(this.lowering(resolved));
  }

  /** As `lower`, in steps. */
  *lowering(resolved: ResolvedEntry): Steps<IrProgram> {
    const known = this.#lowered.get(resolved.entry);
    if (known !== undefined) return known;
    yield;
    const { hir, entry } = this.#withFunctions(resolved);
    const lowered = lowerEntryPoint(
      hir,
      hir.entryPoints.findIndex((e) => e.name === entry.name),
      this.#limits
    );
    yield;
    assertValid(lowered);
    const program = yield* optimizing(lowered, this.#math);
    this.#lowered.set(resolved.entry, program);
    return program;
  }

  /** An entry point with its functions, which one from the cache lacks. */
  #withFunctions(resolved: ResolvedEntry): ResolvedEntry {
    if (resolved.hir.functions.length > 0) return resolved;
    const { name, constants } = this.#requests.get(resolved.entry)!;
    const whole = this.#resolve(name, constants, programKey(name, constants));
    return typeof whole === 'string' ? unreachable(`api: an entry point of the cache is invalid: ${whole}`) : whole;
  }
}

/** What pipelines are validated against: everything but the functions. */
const interfacesOf = ({ globals, entryPoints, overrides }: Hir): Hir => ({
  functions: [],
  globals: globals.map((global) => ({ ...global, initializer: null })),
  entryPoints,
  overrides,
});

/** The size of the binding of a buffer without a size depends on functions. */
const canStore = ({ globals }: Hir): boolean =>
  !globals.some(({ type }) => type.kind === 'buffer' && type.size === null);
