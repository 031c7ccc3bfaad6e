/** A model that cannot be read or drawn: the message is one sentence for the person who chose the file. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** The message of anything thrown, for joining into a sentence. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
