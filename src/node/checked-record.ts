// Records that begin with a hash of what follows, which finds damaged files.
import type { RecordStore } from '../api';

export type { RecordStore };

const encoder = new TextEncoder();

/** What is in a record; null if there is no record, or if it is damaged. */
export function bytesOf(record: Uint8Array<ArrayBuffer> | null, store: RecordStore): Uint8Array<ArrayBuffer> | null {
  if (record === null) return null;
  const { length } = store.digest(['']);
  const bytes = record.subarray(length);
  return new TextDecoder().decode(record.subarray(0, length)) === store.digest([bytes]) ? bytes : null;
}

export function recordOf(bytes: Uint8Array, store: RecordStore): Uint8Array<ArrayBuffer> {
  const digest = encoder.encode(store.digest([bytes]));
  const record = new Uint8Array(digest.length + bytes.length);
  record.set(digest);
  record.set(bytes, digest.length);
  return record;
}
