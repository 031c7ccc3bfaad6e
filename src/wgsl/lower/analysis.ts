// Analysis of a function before lowering: which variables need lane arrays, which are constant tables, and which `let`s
// a `continuing` block reads.

import type { FunctionDef, Hir, LoopStmt, Place, Stmt } from '../hir';
import { remembered } from '../layout';
import type { Type } from '../types';
import { visitExpr, visitStmts, type Visitor } from '../walk';
import { partType } from './leaves';
import { SELECT_CHAIN_LIMIT } from './memory';

export interface FunctionAnalysis {
  /** Variables (local indices) that are indexed dynamically and too large for a chain of selects. */
  readonly dynamicLocals: ReadonlySet<number>;
  readonly dynamicGlobals: ReadonlySet<number>;
  /** Variables that may be written after their declaration. */
  readonly writtenLocals: ReadonlySet<number>;
  readonly returnCount: number;
}

const isLarge = (type: Type): boolean =>
  type.kind === 'array' && (type.count === null || type.count > SELECT_CHAIN_LIMIT);

const withLargeArray = new WeakMap<Type, boolean>();

/** Whether a type contains a large array. */
function containsLargeArray(type: Type): boolean {
  if (type.kind === 'array') return isLarge(type) || containsLargeArray(type.element);
  return (
    type.kind === 'struct'
    && remembered(withLargeArray, type, () => type.members.some((member) => containsLargeArray(member.type)))
  );
}

/** Whether a place indexes a large array dynamically. */
function indexesLargeArray(root: Type, place: Place): boolean {
  let type = root;
  for (const step of place.steps) {
    if (step.step === 'index' && isLarge(type)) return true;
    type = partType(type, step.step === 'member' ? step.index : 0);
  }
  return false;
}

export function analyseFunction(hir: Hir, fn: FunctionDef): FunctionAnalysis {
  const dynamicLocals = new Set<number>();
  const dynamicGlobals = new Set<number>();
  const writtenLocals = new Set<number>();
  let returnCount = 0;
  const notePlace = (place: Place, use: 'load' | 'store' | 'address'): void => {
    const { root } = place;
    if (root.root === 'pointer') return;
    const type = root.root === 'variable' ? fn.locals[root.local]!.type : hir.globals[root.global]!.type;
    // A function that receives a pointer may index it.
    const dynamic = indexesLargeArray(type, place) || (use === 'address' && containsLargeArray(place.type));
    if (dynamic)
      (root.root === 'variable' ? dynamicLocals : dynamicGlobals).add(
        root.root === 'variable' ? root.local : root.global
      );
    if (use !== 'load' && root.root === 'variable') writtenLocals.add(root.local);
  };
  visitStmts(
    {
      place: notePlace,
      expr: (expr) => {
        // An index into a loaded value is lowered as an index into the place.
        if (expr.op !== 'index' || expr.base.op !== 'load') return;
        const { place } = expr.base;
        notePlace({ ...place, steps: [...place.steps, { step: 'index', index: expr.index }], type: expr.type }, 'load');
      },
      stmt: (stmt) => {
        if (stmt.kind === 'return') returnCount++;
      },
    },
    fn.body
  );
  return { dynamicLocals, dynamicGlobals, writtenLocals, returnCount };
}

/** Whether `stmts` contain a `continue` for this loop. */
export function continues(stmts: readonly Stmt[]): boolean {
  return stmts.some((stmt) => {
    switch (stmt.kind) {
      case 'continue':
        return true;
      case 'if':
        return continues(stmt.then) || continues(stmt.otherwise);
      case 'block':
        return continues(stmt.body);
      case 'switch':
        return stmt.clauses.some((clause) => continues(clause.body));
      default:
        return false;
    }
  });
}

/** Locals that `continuing` and `breakIf` of a loop read. */
export function localsOfContinuing(loop: LoopStmt): ReadonlySet<number> {
  const found = new Set<number>();
  const visitor: Visitor = {
    expr: (expr) => {
      if (expr.op === 'local') found.add(expr.local);
    },
  };
  visitStmts(visitor, loop.continuing);
  if (loop.breakIf !== null) visitExpr(visitor, loop.breakIf);
  return found;
}
