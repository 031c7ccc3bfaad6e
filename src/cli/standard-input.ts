// Standard input, for commands that read it in place of a file.

export type Input = AsyncIterable<Uint8Array | string>;

/** All of it. */
export async function readAll(input: Input): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of input) pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return Buffer.concat(pieces);
}
