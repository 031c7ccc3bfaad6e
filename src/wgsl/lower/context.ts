// State for lowering an entry point.

import { unreachable } from '../../base/assert';
import type { ValueId } from '../../ir';
import type { FunctionDef, Hir } from '../hir';
import type { IrBuilder } from './builder';
import type { Memory, ResolvedPlace } from './memory';

/** What a local of a function stands for. */
export type Binding =
  | { readonly kind: 'values'; readonly values: readonly ValueId[] }
  /** A `let` that a `continuing` block reads from outside the node list that computes it. It is kept in variables. */
  | { readonly kind: 'spilled'; readonly variables: readonly number[] }
  | { readonly kind: 'memory'; readonly memory: Memory }
  | { readonly kind: 'pointer'; readonly place: ResolvedPlace }
  /** A spilled pointer. Its dynamic indices, and the end of its view, are kept in variables. */
  | {
      readonly kind: 'spilled-pointer';
      readonly place: ResolvedPlace;
      readonly indices: readonly number[];
      /** The end of its view. */
      readonly end: number | null;
    }
  | { readonly kind: 'handle'; readonly global: number };

/** An inlined call. */
export interface Frame {
  readonly fn: FunctionDef;
  readonly locals: (Binding | undefined)[];
  /** For each `let`, which leaves are constants in the source. */
  readonly constants: Map<number, readonly boolean[]>;
  /** Locals that must be spilled, determined when a loop with `continuing` is entered. */
  readonly spilled: Set<number>;
  /** Handles `return`. */
  readonly onReturn: (values: readonly ValueId[]) => void;
  /** Labels that break and continue leave in the innermost construct. */
  breakLabel: number;
  continueLabel: number;
}

export interface Context {
  readonly hir: Hir;
  readonly builder: IrBuilder;
  /** Memory of private, uniform and storage variables, by global index. */
  readonly globals: ReadonlyMap<number, Memory>;
  /** Index into IrProgram.resources, by global index. */
  readonly resources: ReadonlyMap<number, number>;
  /** Inlines a call; returns the leaves of the result. */
  readonly inline: (fn: number, args: readonly Binding[]) => readonly ValueId[];
  frame: Frame;
  /** Number of loops around the current point, across all inlined calls. */
  loopDepth: number;
}

export function resourceIndex(context: Context, global: number): number {
  return (
    context.resources.get(global)
    ?? unreachable(`lower: global '${context.hir.globals[global]?.name}' is no resource of the entry point`)
  );
}
