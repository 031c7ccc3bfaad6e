// Analysis of the calls between functions: recursion, and what an entry point uses, directly or through calls.

import type { Reporter } from '../../messages';
import type { GlobalVariable, Stage } from '../../hir';
import type { Span } from '../../syntax';
import type { Emission, FunctionFacts, HandleSource } from '../context';

/** Maximum length of a chain of calls, because functions are inlined recursively. */
const MAX_CALL_DEPTH = 200;

/**
 * Maximum length of the lists of what entry points reach (functions, globals, built-in values, emissions, and pairs of
 * a texture and a sampler), summed over all entry points. A large shader uses a fifth of it. Without a limit, a
 * thousand entry points that each reach everything in a megabyte of text would take a lot of memory.
 */
export const MAX_REACHED_FUNCTIONS = 1 << 20;

/** A unique number for a source. */
const keyOf = (source: HandleSource): number => ('global' in source ? 2 * source.global : 2 * source.parameter + 1);

type Pair = readonly [HandleSource, HandleSource];

export class CallGraph {
  private readonly reached = new Map<number, readonly number[]>();
  private readonly pairs = new Map<number, readonly Pair[]>();
  private readonly callees = new Map<number, ReadonlySet<number>>();
  /** The last result of `globals`, which is requested several times in a row. */
  private used: { readonly from: number; readonly globals: ReadonlyMap<number, Span> } | null = null;
  private reachedSoFar = 0;

  constructor(
    private readonly facts: readonly FunctionFacts[],
    private readonly report: Reporter
  ) {}

  /** Reports every cycle once, and chains of calls that are too long. Returns false if there is one. */
  checkRecursion(): boolean {
    const state = new Map<number, 'open' | 'done'>();
    // Length of the longest chain of calls that starts at each function.
    const heights = new Map<number, number>();
    let sound = true;
    const visit = (index: number, path: readonly string[]): void => {
      state.set(index, 'open');
      const facts = this.facts[index]!;
      const here = [...path, facts.name];
      for (const { callee, span } of facts.calls) {
        const seen = state.get(callee.index);
        if (seen === 'open') {
          sound = false;
          const cycle = [...here.slice(here.indexOf(callee.name)), callee.name].join(' → ');
          this.report.error('recursion', span, [], cycle);
          continue;
        }
        if (seen === undefined && here.length <= MAX_CALL_DEPTH) visit(callee.index, here);
        const height = 1 + (heights.get(callee.index) ?? MAX_CALL_DEPTH);
        heights.set(index, Math.max(height, heights.get(index) ?? 0));
        if (height <= MAX_CALL_DEPTH || !sound) continue;
        sound = false;
        this.report.error('too-deep', span, [], MAX_CALL_DEPTH);
      }
      if (!heights.has(index)) heights.set(index, 0);
      state.set(index, 'done');
    };
    this.facts.forEach((_, index) => {
      if (!state.has(index)) visit(index, []);
    });
    return sound;
  }

  /** The function and everything that it calls, directly or indirectly. */
  reachable(from: number): readonly number[] {
    let found = this.reached.get(from);
    if (found === undefined) {
      const seen = new Set([from]);
      for (const index of seen) for (const callee of this.calleesOf(index)) seen.add(callee);
      this.reached.set(from, (found = [...seen]));
    }
    return found;
  }

  private calleesOf(from: number): ReadonlySet<number> {
    let found = this.callees.get(from);
    if (found === undefined)
      this.callees.set(from, (found = new Set(this.facts[from]!.calls.map(({ callee }) => callee.index))));
    return found;
  }

  /** Whether the analysis of an entry point, together with those before it, stays within the limit. */
  staysWithinLimit(from: number): boolean {
    if (this.reachedSoFar > MAX_REACHED_FUNCTIONS) return false;
    for (const index of this.reachable(from)) {
      const { globals, stageUses, builtins, emissions } = this.facts[index]!;
      this.reachedSoFar +=
        1 + this.calleesOf(index).size + globals.size + stageUses.length + builtins.size + emissions.length;
    }
    if (this.reachedSoFar <= MAX_REACHED_FUNCTIONS) this.pairsOf(from);
    return this.reachedSoFar <= MAX_REACHED_FUNCTIONS;
  }

  /** Reports built-in functions and statements that are unavailable in the stage. */
  checkStage(from: number, stage: Stage): void {
    const entry = this.facts[from]!.name;
    for (const index of this.reachable(from)) {
      for (const { name, stages, span } of this.facts[index]!.stageUses) {
        if (stages.includes(stage)) continue;
        const notes = index === from ? [] : [{ message: `reached from the ${stage} entry point '${entry}'` }];
        this.report.error('stage-not-allowed', span, notes, name, stages.join(' and '), stage);
      }
    }
  }

  /** Whether a matching built-in function is called, directly or indirectly. */
  callsBuiltin(from: number, counts: (name: string) => boolean): boolean {
    return this.reachable(from).some((index) => [...this.facts[index]!.builtins.keys()].some(counts));
  }

  /**
   * Functions that no entry point in `entries` reaches and that no other unreached function calls. Together with
   * everything that they call, they are all unreached functions.
   */
  unreached(entries: readonly number[]): readonly number[] {
    const found = new Set<number>();
    for (const entry of entries) for (const index of this.reachable(entry)) found.add(index);
    const left = this.facts.map((_, index) => index).filter((index) => !found.has(index));
    const called = new Set<number>();
    for (const index of left) for (const callee of this.calleesOf(index)) called.add(callee);
    return left.filter((index) => !called.has(index));
  }

  /** Vertices emitted, directly or indirectly. */
  emissions(from: number): readonly Emission[] {
    return this.reachable(from).flatMap((index) => this.facts[index]!.emissions);
  }

  /** Global variables used, directly or indirectly, each with one place of use. */
  globals(from: number): ReadonlyMap<number, Span> {
    if (this.used?.from === from) return this.used.globals;
    const globals = new Map<number, Span>();
    for (const index of this.reachable(from)) {
      for (const [global, span] of this.facts[index]!.globals) if (!globals.has(global)) globals.set(global, span);
    }
    this.used = { from, globals };
    return globals;
  }

  /**
   * Pairs of a texture and a sampler that are used together in a call, as globals. The module must not contain
   * recursion.
   */
  samplingPairs(from: number): readonly (readonly [number, number])[] {
    return this.pairsOf(from).flatMap(([texture, sampler]) =>
      'global' in texture && 'global' in sampler ? [[texture.global, sampler.global] as const] : []
    );
  }

  private pairsOf(index: number): readonly Pair[] {
    const cached = this.pairs.get(index);
    if (cached !== undefined) return cached;
    const facts = this.facts[index]!;
    const unique = new Map<number, Pair>();
    const add = (pair: Pair): void => void unique.set(keyOf(pair[0]) * 2 ** 26 + keyOf(pair[1]), pair);
    facts.samplingPairs.forEach(add);
    for (const { callee, handles } of facts.calls) {
      // A parameter of the callee is what the caller passed.
      const passed = (source: HandleSource): HandleSource | null =>
        'global' in source ? source : (handles[source.parameter] ?? null);
      if (this.reachedSoFar > MAX_REACHED_FUNCTIONS) break;
      const pairs = this.pairsOf(callee.index);
      this.reachedSoFar += pairs.length;
      for (const [texture, sampler] of pairs) {
        const [t, s] = [passed(texture), passed(sampler)];
        if (t !== null && s !== null) add([t, s]);
      }
    }
    const list = [...unique.values()];
    this.pairs.set(index, list);
    return list;
  }

  /** The immediate variable that a function uses. A second one is an error (WGSL §13.3.2). */
  immediate(from: number, variables: readonly GlobalVariable[]): number | null {
    const [first, second] = [...this.globals(from)].filter(([global]) => variables[global]!.space === 'immediate');
    if (first === undefined) return null;
    if (second !== undefined && !this.report.hasErrorAt(second[1].start)) {
      const one = variables[first[0]]!;
      const other = variables[second[0]]!;
      const notes = [{ message: `'${one.name}' is declared here`, span: one.span }];
      this.report.error('two-immediates', second[1], notes, this.facts[from]!.name, one.name, other.name);
    }
    return first[0];
  }

  /** Two resources of one entry point must not share a binding. */
  checkBindings(from: number, variables: readonly GlobalVariable[]): void {
    const seen = new Map<string, GlobalVariable>();
    for (const global of this.globals(from).keys()) {
      const variable = variables[global]!;
      if (variable.binding === null) continue;
      const key = `@group(${variable.binding.group}) @binding(${variable.binding.binding})`;
      const earlier = seen.get(key);
      seen.set(key, earlier ?? variable);
      if (earlier === undefined || this.report.hasErrorAt(variable.span.start)) continue;
      const notes = [{ message: `'${earlier.name}' is declared here`, span: earlier.span }];
      this.report.error(
        'duplicate-binding',
        variable.span,
        notes,
        variable.name,
        earlier.name,
        key,
        this.facts[from]!.name
      );
    }
  }
}
