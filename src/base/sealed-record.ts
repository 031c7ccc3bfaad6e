// Records with a hash, which finds those that are damaged or have the name of another one.
//
//   hash of the name and the rest, in characters │ u32 length │ 4 bytes 0 │ bytes

/** Computes a digest of at least 128 bits in ASCII characters, always of the same length. */
type Digest = (parts: readonly (string | Uint8Array)[]) => string;

const LENGTH_BYTES = 8;

export function sealedRecord(name: string, bytes: Uint8Array, digest: Digest): Uint8Array<ArrayBuffer> {
  const start = digest(['']).length;
  const record = new Uint8Array(start + LENGTH_BYTES + bytes.length);
  new DataView(record.buffer).setUint32(start, bytes.length, true);
  record.set(bytes, start + LENGTH_BYTES);
  record.set(new TextEncoder().encode(digest([name, record.subarray(start)])));
  return record;
}

/** What a record holds; null if it is damaged. Bytes after the record are ignored. */
export function openedRecord(
  name: string,
  record: Uint8Array<ArrayBuffer>,
  digest: Digest
): Uint8Array<ArrayBuffer> | null {
  const start = digest(['']).length;
  if (record.length < start + LENGTH_BYTES) return null;
  const length = new DataView(record.buffer, record.byteOffset).getUint32(start, true);
  const rest = record.subarray(start, start + LENGTH_BYTES + length);
  const hash = new TextDecoder().decode(record.subarray(0, start));
  return hash === digest([name, rest]) ? rest.subarray(LENGTH_BYTES) : null;
}
