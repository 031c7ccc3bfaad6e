// Exceptions for bugs in Rasterloom itself. Mistakes of shader authors and callers are reported as diagnostics and
// validation errors instead.

/** Thrown when Rasterloom reaches a state that its own rules exclude. */
export class InternalError extends Error {
  override readonly name = 'InternalError';
  constructor(message: string) {
    super(`internal error (a bug in Rasterloom, please report it): ${message}`);
  }
}

/** Throws an InternalError unless `condition` holds. `message` says which rule is broken, and where. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InternalError(message);
}

/**
 * Marks code that cannot run. `message` names the component and the case: `unreachable('jit: no lowering for Phi')`.
 */
export function unreachable(message: string): never {
  throw new InternalError(message);
}
