// Loads a file of the package with the code that V8 compiled for it in an earlier process. Compiling takes V8 most of
// the time from the start of a process to its first picture. Node 22 has a cache of this kind, but for the whole
// application (module.enableCompileCache); Node 20 has none.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import type { RecordStore } from '../api';

const encoder = new TextEncoder();

/** The code in a record; null if there is no record, or if it is damaged, which V8 would not notice. */
function codeOf(record: Uint8Array | null, store: RecordStore): Buffer | null {
  if (record === null) return null;
  const length = store.digest(['']).length;
  const code = record.subarray(length);
  if (new TextDecoder().decode(record.subarray(0, length)) !== store.digest([code])) return null;
  return Buffer.from(code.buffer, code.byteOffset, code.byteLength);
}

function recordOf(code: Buffer, store: RecordStore): Uint8Array<ArrayBuffer> {
  const digest = encoder.encode(store.digest([code]));
  const record = new Uint8Array(digest.length + code.length);
  record.set(digest);
  record.set(code, digest.length);
  return record;
}

/**
 * Runs a CommonJS file of ASCII text that requires nothing, and returns its exports. When the process is idle, the code
 * of all functions that have run by then is written to `store`. Returns null if the file does not exist, or if this
 * code runs in a context of its own, as in Jest: the file would have other objects than its caller.
 */
export function runCompiled(file: URL, build: string, store: RecordStore): object | null {
  if (!existsSync(file) || new Script('Object').runInThisContext() !== Object) return null;
  const path = fileURLToPath(file);
  const { mtimeMs, size } = statSync(file);
  const { v8 } = process.versions;
  // V8 refuses code that was made with other flags.
  const flags = process.execArgv.filter((word) => word.startsWith('--'));
  const key = store.digest([JSON.stringify(['code', build, path, mtimeMs, size, v8, process.arch, flags])]);
  const cachedData = codeOf(store.read(key), store);
  const source = `(function (exports) {${readFileSync(file, 'latin1')}\n})`;
  const script = new Script(source, { filename: path, ...(cachedData && { cachedData }) });
  const exports = {};
  (script.runInThisContext() as (exports: object) => void)(exports);
  if (!cachedData || script.cachedDataRejected)
    store.whenIdle(() => store.write(new Map([[key, recordOf(script.createCachedData(), store)]])));
  return exports;
}
