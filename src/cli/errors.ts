/** A mistake in how the command was called, or a condition outside the model: the message is shown as it is. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
