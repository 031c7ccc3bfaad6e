// Runs before every test file. Commands that tests start have no shader cache, unless the test names a folder for it.
// Pipelines validate the IR of their shaders. Typed arrays of the same kind with equal
// bytes are equal. Otherwise expect() compares element by element as usual and reports the difference. That alone takes
// a microsecond per element, and pictures have millions.
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { validateAll } from '../../src/ir/validate';

const bytesOf = (view: ArrayBufferView): Buffer =>
  Buffer.from(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);

/** undefined: other testers decide. */
function sameBytes(a: unknown, b: unknown): true | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
  return bytesOf(a).equals(bytesOf(b)) || undefined;
}
expect.addEqualityTesters([sameBytes]);
validateAll();
// The cache is not used, because the folder above does not exist. Nothing can create it below a file; Chromium would
// create it elsewhere.
const caches = join(fileURLToPath(import.meta.url), 'none', 'caches');
Object.assign(process.env, { XDG_CACHE_HOME: caches, LOCALAPPDATA: caches });
