// Alias analysis (WGSL §11.4.1 "Alias Analysis"). If a function accesses a variable in two ways, through its parameters
// or the variable's name, and one way writes, the other must not be used. Each function is summarised once, after the
// functions that it calls.

import type { Expr, FunctionDef, GlobalVariable } from '../../hir';
import type { Reporter } from '../../messages';
import { isBufferBuiltin } from '../../builtin-table';
import { PointerRoots, type Root } from '../../pointer-roots';
import { visitStmts } from '../../walk';

interface Use {
  read: boolean;
  write: boolean;
}
interface Known {
  readonly summaries: Map<number, Summary>;
  uses: number;
}
interface Summary {
  readonly parameters: Map<number, Use>;
  readonly globals: Map<number, Use>;
}

const NONE: Use = { read: false, write: false };
/** Whether two ways of access conflict: one writes and the other is used. */
const clash = (a: Use, b: Use): boolean => (a.write && (b.read || b.write)) || (b.write && a.read);
const isSame = (a: Root, b: Root): boolean =>
  'parameter' in a
    ? 'parameter' in b && a.parameter === b.parameter
    : 'local' in a
      ? 'local' in b && a.local === b.local
      : 'global' in b && a.global === b.global;

function note<K>(uses: Map<K, Use>, key: K, { read, write }: Use): void {
  const use = uses.get(key) ?? { read: false, write: false };
  use.read ||= read;
  use.write ||= write;
  uses.set(key, use);
}

/** The accesses of a built-in function through a pointer. */
function useOf(builtin: string): Use {
  if (builtin === 'arrayLength' || isBufferBuiltin(builtin)) return NONE;
  const isAtomic = builtin.startsWith('atomic');
  return { read: builtin !== 'atomicStore', write: isAtomic && builtin !== 'atomicLoad' };
}

/**
 * Maximum number of variables that functions use through their calls, counted per function. Larger modules are not
 * checked.
 */
const MAX_USES = 1_000_000;

interface AliasCheck {
  readonly functions: readonly FunctionDef[];
  readonly globals: readonly GlobalVariable[];
  readonly report: Reporter;
}

/** Reports calls with conflicting aliases. The module must not contain recursion. */
export function checkAliases(check: AliasCheck): void {
  if (!check.functions.some(hasPointers)) return;
  const known: Known = { summaries: new Map(), uses: 0 };
  check.functions.forEach((_, index) => summaryOf(check, index, known));
}

const hasPointers = ({ locals, parameterCount }: FunctionDef): boolean =>
  locals.slice(0, parameterCount).some(({ type }) => type.kind === 'pointer');

function summaryOf(check: AliasCheck, index: number, known: Known): Summary {
  let summary = known.summaries.get(index);
  if (summary === undefined) {
    summary = { parameters: new Map(), globals: new Map() };
    known.summaries.set(index, summary);
    new Body(check, index, summary, known).run();
  }
  return summary;
}

class Body {
  private readonly roots: PointerRoots;

  constructor(
    private readonly check: AliasCheck,
    private readonly index: number,
    private readonly summary: Summary,
    private readonly known: Known
  ) {
    this.roots = new PointerRoots(check.functions[index]!);
  }

  /** Includes unreachable statements, because the analysis ignores control flow. */
  run(): void {
    const { body, unreachable } = this.check.functions[this.index]!;
    visitStmts(
      {
        stmt: (stmt) => this.roots.note(stmt),
        place: (place, use) => this.use(this.roots.ofPlace(place), { read: use === 'load', write: use === 'store' }),
        expr: (expr) => this.look(expr),
      },
      [...body, ...unreachable]
    );
  }

  private use(root: Root, use: Use): void {
    if ('parameter' in root) note(this.summary.parameters, root.parameter, use);
    else if ('global' in root) note(this.summary.globals, root.global, use);
  }

  private look(expr: Expr): void {
    if (expr.op === 'builtin') {
      for (const arg of expr.args) if (arg.type.kind === 'pointer') this.use(this.roots.of(arg), useOf(expr.name));
    } else if (expr.op === 'call') this.call(expr);
  }

  private call({ fn, args }: Extract<Expr, { op: 'call' }>): void {
    const {
      check: { report, functions, globals },
    } = this;
    const callee = summaryOf(this.check, fn, this.known);
    const { name } = functions[fn]!;
    const pointers = args.flatMap((arg, k) =>
      arg.type.kind === 'pointer' ? [{ arg, root: this.roots.of(arg), use: callee.parameters.get(k) ?? NONE }] : []
    );
    pointers.forEach(({ arg, root, use }, k) => {
      const other = pointers.slice(0, k).find((earlier) => isSame(earlier.root, root) && clash(earlier.use, use));
      if (other !== undefined)
        report.error(
          'aliased-pointers',
          arg.span,
          [{ message: 'the other pointer is here', span: other.arg.span }],
          name
        );
      const named = 'global' in root ? callee.globals.get(root.global) : undefined;
      if ('global' in root && named !== undefined && clash(use, named))
        report.error('aliased-variable', arg.span, [], name, globals[root.global]!.name);
    });
    for (const { root, use } of pointers) this.use(root, use);
    this.known.uses += callee.globals.size;
    if (this.known.uses > MAX_USES) return;
    for (const [global, use] of callee.globals) note(this.summary.globals, global, use);
  }
}
