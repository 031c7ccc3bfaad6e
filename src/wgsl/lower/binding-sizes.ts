// Computes the minimum size of a binding (WebGPU "minimum buffer binding size") from the type of its variable. For a
// buffer without a declared size, this is the size of the largest type as which the entry point views it, so that every
// view fits at some offset. Offsets and sizes of views do not count.

import type { EntryPoint, Expr, FunctionDef, Hir } from '../hir';
import { isBufferView } from '../builtin-table';
import { MIN_BUFFER_BYTES } from '../layout';
import { PointerRoots } from '../pointer-roots';
import { visitStmts } from '../walk';
import { minBindingSize } from './leaves';

export function bindingSize(hir: Hir, entry: EntryPoint, global: number): number {
  const { type } = hir.globals[global]!;
  return type.kind === 'buffer' && type.size === null
    ? Math.max(MIN_BUFFER_BYTES, viewsOf(hir, entry.fn).globals.get(global) ?? 0)
    : minBindingSize(type);
}

/**
 * For each buffer, the size in bytes of the largest type as which a function, or a function that it calls, views it.
 */
interface Views {
  readonly parameters: Map<number, number>;
  readonly globals: Map<number, number>;
}

const known = new WeakMap<FunctionDef, Views>();

function viewsOf(hir: Hir, index: number): Views {
  const fn = hir.functions[index]!;
  let views = known.get(fn);
  if (views === undefined) known.set(fn, (views = findViews(hir, fn)));
  return views;
}

const keepLarger = (sizes: Map<number, number>, key: number, bytes: number): void => {
  sizes.set(key, Math.max(sizes.get(key) ?? 0, bytes));
};

function findViews(hir: Hir, fn: FunctionDef): Views {
  const views: Views = { parameters: new Map(), globals: new Map() };
  const roots = new PointerRoots(fn);
  const note = (pointer: Expr, bytes: number): void => {
    const root = roots.of(pointer);
    if ('global' in root) keepLarger(views.globals, root.global, bytes);
    else if ('parameter' in root) keepLarger(views.parameters, root.parameter, bytes);
  };
  visitStmts(
    {
      stmt: (stmt) => roots.note(stmt),
      expr: (expr) => {
        if (expr.op === 'builtin' && isBufferView(expr.name) && expr.type.kind === 'pointer')
          note(expr.args[0]!, minBindingSize(expr.type.store));
        if (expr.op !== 'call') return;
        const callee = viewsOf(hir, expr.fn);
        for (const [global, bytes] of callee.globals) keepLarger(views.globals, global, bytes);
        for (const [parameter, bytes] of callee.parameters) note(expr.args[parameter]!, bytes);
      },
    },
    fn.body
  );
  return views;
}
