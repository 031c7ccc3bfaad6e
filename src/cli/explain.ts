// The message for an error, and its exit code.
import { ModelError, messageOf } from '../gltf/errors';
import { CommandError, EXIT } from './errors';

/** Returns mistakes of the user as they are. All other errors are bugs, and their message contains the stack trace. */
export function explain(error: unknown): string {
  if (error instanceof CommandError || error instanceof ModelError) return error.message;
  return (
    'This should not have happened; please report it.\n'
    + `${error instanceof Error && error.stack ? error.stack : messageOf(error)}`
  );
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  return error instanceof ModelError ? EXIT.input : EXIT.bug;
}
