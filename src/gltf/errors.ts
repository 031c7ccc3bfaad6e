/** A model that cannot be read or drawn: the message is one sentence for the person who chose the file. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** The message of anything thrown, for joining into a sentence. */
export function messageOf(thrown: unknown): string {
  // Libraries throw objects of their own, which are no Errors.
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) return String(thrown.message);
  return String(thrown);
}
