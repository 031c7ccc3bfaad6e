// What WGSL has, the front end checks, and the engine behind it does not run yet. A module may hold it, so that
// getCompilationInfo judges the whole text; a pipeline that uses it gets an error that names it.

import type { Reporter } from '../messages';
import type { GlobalVariable, Stage } from '../hir';
import type { Span } from '../syntax';

const UNSUPPORTED_BUILTINS =
  /^(textureGather|textureGatherCompare|textureBarrier|storageBarrier|workgroupBarrier|workgroupUniformLoad)$/;

export interface EntryUse {
  readonly name: string;
  readonly stage: Stage;
  readonly span: Span;
  /** Built-in functions called, directly or through others, each with a place. */
  readonly builtins: ReadonlyMap<string, Span>;
  readonly globals: ReadonlyMap<number, Span>;
}

/** Reports what an entry point uses and no pipeline can run yet, each thing once. */
export function checkSupported(report: Reporter, entry: EntryUse, variables: readonly GlobalVariable[]): void {
  if (entry.stage === 'compute') {
    report.error('not-supported', entry.span, [], `compute entry point '${entry.name}'`);
    return;
  }
  for (const [builtin, span] of entry.builtins) {
    if (UNSUPPORTED_BUILTINS.test(builtin)) report.error('not-supported', span, [], `'${builtin}'`);
  }
  for (const [global, span] of entry.globals) {
    const what = unsupportedVariable(variables[global]!);
    if (what !== null) report.error('not-supported', span, [], what);
  }
}

function unsupportedVariable({ name, space }: GlobalVariable): string | null {
  if (space === 'workgroup') return `workgroup variable '${name}'`;
  return null;
}
