// Our own bugs. A shader author's or a caller's mistake never comes through here:
// those are diagnostics and validation errors.

/** Thrown when Rasterloom finds itself in a state that its own rules exclude. */
export class InternalError extends Error {
  override readonly name = 'InternalError';
  constructor(message: string) {
    super(`internal error (a bug in Rasterloom, please report it): ${message}`);
  }
}

/** Throws an InternalError unless `condition` holds. `message` says which rule was broken, and where. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InternalError(message);
}

/** Marks code that cannot run. `message` names the room and the case: `unreachable('jit: no lowering for Phi')`. */
export function unreachable(message: string): never {
  throw new InternalError(message);
}
