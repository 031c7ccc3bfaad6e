// Behaviours of statements (WGSL §9.9): whether control can continue after a statement, leave a loop, or return.

import type { Stmt } from '../../hir';

export const enum Behavior {
  Next = 1,
  Break = 2,
  Continue = 4,
  Return = 8,
}

/** The HIR of a statement (empty for a `const`), and its set of behaviours. */
export interface Resolved {
  readonly stmts: readonly Stmt[];
  readonly behavior: number;
}

/** Statements after which control always continues. */
export const next = (...stmts: Stmt[]): Resolved => ({ stmts, behavior: Behavior.Next });
