// What WGSL has, the front end checks, and the engine behind it does not run yet. A module may hold it, so that
// getCompilationInfo judges the whole text; a pipeline that uses it gets an error that names it.

import type { Reporter } from '../messages';
import type { Span } from '../syntax';

const UNSUPPORTED_BUILTINS = /^(textureGather|textureGatherCompare)$/;

/**
 * Reports what an entry point uses and no pipeline can run yet, each thing once. `builtins`: functions called, directly
 * or through others, each with a place.
 */
export function checkSupported(report: Reporter, builtins: ReadonlyMap<string, Span>): void {
  for (const [builtin, span] of builtins) {
    if (UNSUPPORTED_BUILTINS.test(builtin)) report.error('not-supported', span, [], `'${builtin}'`);
  }
}
