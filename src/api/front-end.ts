// The one place where the API meets the shader front end: an entry point of a module becomes optimised IR.

import { renderDiagnostics, type Diagnostic } from '../base/diagnostics';
import { defaultShaderLimits, type ShaderLimits } from '../base/shader-limits';
import { finish, type Steps } from '../base/steps';
import { optimizing, validate, type IrProgram } from '../ir';
import {
  checkedEntryPoint, checkModule, parseModule, resolveEntryPoint, type CheckResult, type ConstantMath, type EntryPoint,
  type Hir, type ParsedModule,
} from '../wgsl';
import { lowerEntryPoint } from '../wgsl/lower';

export { bindingSize } from '../wgsl/lower/binding-sizes';
export { minBindingSize, wordsOf } from '../wgsl/lower/leaves';
export { SUBGROUP_SIZE } from '../wgsl/lower/subgroups';
export { workgroupBytes } from '../wgsl/lower/workgroup';
export { typeName } from '../wgsl/type-store';
export { LANGUAGE_FEATURES } from '../wgsl';
export type { GlobalVariable, InterfaceVariable, Type } from '../wgsl/hir';
export type { CheckResult, ConstantMath, EntryPoint, Hir };

/** An entry point with the program that it stands in, pipeline constants put in. */
export interface ResolvedEntry {
  readonly hir: Hir;
  readonly entry: EntryPoint;
}

/** −0 is another constant than 0, which its text does not tell. */
const programKey = (name: string, constants: ReadonlyMap<string, number>): string => [
  name, ...[...constants].map(([key, value]) => `${key}=${Object.is(value, -0) ? '-0' : value}`).sort(),
].join();

/** A checked module and what has been made of it. */
export class ShaderProgram {
  /** Programs of this process. */
  static judged = 0;
  readonly #module: ParsedModule;
  readonly #math: ConstantMath;
  readonly #features: ReadonlySet<string>;
  readonly #limits: ShaderLimits;
  readonly checked: CheckResult;
  /** All that is wrong with the text. */
  readonly diagnostics: readonly Diagnostic[];
  /** Without constants, by entry point: pipelines that share a module share them. */
  readonly #resolved = new Map<string, ResolvedEntry>();
  /** With constants, as long as a table has them: the same program may stand in several slots. */
  readonly #withConstants = new Map<string, WeakRef<ResolvedEntry>>();
  readonly #lowered = new WeakMap<EntryPoint, IrProgram>();

  /** `features`: those of the device. */
  constructor(
    code: string, math: ConstantMath, features: ReadonlySet<string>, limits: ShaderLimits = defaultShaderLimits
  ) {
    ShaderProgram.judged++;
    const { module, diagnostics } = parseModule(code, limits);
    this.#module = module;
    this.#math = math;
    this.#features = features;
    this.#limits = limits;
    this.checked = checkModule(module, math, features, limits);
    this.diagnostics = [...diagnostics, ...this.checked.diagnostics];
  }

  /**
   * Resolves an entry point with constants; a text says what is wrong with them, or what the program needs that is not
   * there yet.
   */
  resolve(name: string, constants: ReadonlyMap<string, number>): ResolvedEntry | string {
    const key = programKey(name, constants);
    const known = constants.size === 0 ? this.#resolved.get(name) : this.#withConstants.get(key)?.deref();
    if (known !== undefined) return known;
    const unknown = this.#unknownConstant(constants);
    if (unknown !== null) return unknown;
    const { hir, entryPoint, diagnostics } = checkedEntryPoint(this.checked, name)
      ?? resolveEntryPoint(this.#module, {
        entryPoint: name, constants: Object.fromEntries(constants), math: this.#math, features: this.#features,
        limits: this.#limits,
      });
    if (hir === null || entryPoint === null)
      return `the program cannot be used:\n\n${renderDiagnostics(this.#module.source, diagnostics.filter((d) => d.severity === 'error'))}`;
    const resolved = { hir, entry: entryPoint };
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
      if (byName !== undefined) return `constants: "${key}" has @id(${byName.id}); set it by that number`;
      return `constants: the module has no override "${key}"${keys.length === 0 ? '' : `; it has ${keys.map((k) => `"${k}"`).join(', ')}`}`;
    }
    return null;
  }

  /** Optimised IR of what `resolve` gave. */
  lower(resolved: ResolvedEntry): IrProgram {
    return finish(this.lowering(resolved));
  }

  /** `lower` in steps. */
  *lowering({ hir, entry }: ResolvedEntry): Steps<IrProgram> {
    const known = this.#lowered.get(entry);
    if (known !== undefined) return known;
    yield;
    const lowered = lowerEntryPoint(hir, hir.entryPoints.findIndex((e) => e.name === entry.name), this.#limits);
    yield;
    validate(lowered);
    const program = yield* optimizing(lowered, this.#math);
    this.#lowered.set(entry, program);
    return program;
  }
}
