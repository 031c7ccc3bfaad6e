// The engine's interface to the shader front end: checks WGSL modules, and turns their entry points into optimised IR.

import { renderDiagnostics, type Diagnostic } from '../base/diagnostics';
import { defaultShaderLimits, type ShaderLimits } from '../base/shader-limits';
import { finish, type Steps } from '../base/steps';
import { assertValid, optimizing, type IrProgram } from '../ir';
import {
  checkedEntryPoint,
  checkModule,
  parseModule,
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

/** −0 and 0 are different constants, but have the same string. */
const programKey = (name: string, constants: ReadonlyMap<string, number>): string =>
  [name, ...[...constants].map(([key, value]) => `${key}=${Object.is(value, -0) ? '-0' : value}`).sort()].join();

/** A checked module, and the results derived from it. */
export class ShaderProgram {
  /** Number of modules that were checked in this process. */
  static modulesChecked = 0;
  readonly #module: ParsedModule;
  readonly #math: ConstantMath;
  readonly #features: ReadonlySet<string>;
  readonly #limits: ShaderLimits;
  readonly checked: CheckResult;
  /** All errors and warnings of the module. */
  readonly diagnostics: readonly Diagnostic[];
  /** Resolved entry points without constants, by name, shared by the pipelines that use this module. */
  readonly #resolved = new Map<string, ResolvedEntry>();
  /** Resolved entry points with constants, as long as a pipeline uses them: several slots may hold the same shader. */
  readonly #withConstants = new Map<string, WeakRef<ResolvedEntry>>();
  readonly #lowered = new WeakMap<EntryPoint, IrProgram>();

  /** `features` are those of the device. */
  constructor(
    code: string,
    math: ConstantMath,
    features: ReadonlySet<string>,
    limits: ShaderLimits = defaultShaderLimits
  ) {
    ShaderProgram.modulesChecked++;
    const { module, diagnostics } = parseModule(code, limits);
    this.#module = module;
    this.#math = math;
    this.#features = features;
    this.#limits = limits;
    this.checked = checkModule(module, math, features, limits);
    this.diagnostics = [...diagnostics, ...this.checked.diagnostics];
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
    const { hir, entryPoint, diagnostics } =
      checkedEntryPoint(this.checked, name)
      ?? resolveEntryPoint(this.#module, {
        entryPoint: name,
        constants: Object.fromEntries(constants),
        math: this.#math,
        features: this.#features,
        limits: this.#limits,
      });
    if (hir === null || entryPoint === null)
      return `the shader cannot be used:\n\n${renderDiagnostics(
        this.#module.source,
        diagnostics.filter((d) => d.severity === 'error')
      )}`;
    const resolved = { hir, entry: entryPoint, sizes: new EntrySizes(hir, entryPoint) };
    if (constants.size === 0) this.#resolved.set(name, resolved);
    else this.#keep(key, resolved);
    return resolved;
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
  *lowering({ hir, entry }: ResolvedEntry): Steps<IrProgram> {
    const known = this.#lowered.get(entry);
    if (known !== undefined) return known;
    yield;
    const lowered = lowerEntryPoint(
      hir,
      hir.entryPoints.findIndex((e) => e.name === entry.name),
      this.#limits
    );
    yield;
    assertValid(lowered);
    const program = yield* optimizing(lowered, this.#math);
    this.#lowered.set(entry, program);
    return program;
  }
}
