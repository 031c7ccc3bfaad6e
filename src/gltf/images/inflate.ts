// Decompresses the data of PNG images.

export const MORE_THAN_SIZE = 'it unpacks to more than its size allows';
export const DAMAGED_DATA = 'its compressed data is damaged or cut off';

/** Decompresses data in the format of zlib. It rejects if there would be more than `most` bytes. */
export type Inflate = (parts: readonly Uint8Array<ArrayBuffer>[], most: number) => Promise<Uint8Array>;

/** With what browsers have for it. */
export const inflateByStream: Inflate = async (parts, most) => {
  const reader = new Blob([...parts]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  const out = new Uint8Array(most);
  let size = 0;
  for (;;) {
    let piece;
    try {
      piece = await reader.read();
    } catch (error) {
      throw new Error(DAMAGED_DATA, { cause: error });
    }
    if (piece.done) return out.subarray(0, size);
    if (size + piece.value.byteLength > most) {
      await reader.cancel();
      throw new Error(MORE_THAN_SIZE);
    }
    out.set(piece.value, size);
    size += piece.value.byteLength;
  }
};
