/** A mistake in the command line, or a problem outside the model. The message is shown unchanged. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
