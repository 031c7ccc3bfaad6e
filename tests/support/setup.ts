// Before every test file. Typed arrays of the same kind and bytes are equal; where they are not, or are of other kinds,
// expect() looks element by element as it always does, and says what differs. Alone it takes a microsecond an element,
// and pictures have millions.
import { Buffer } from 'node:buffer';
import { expect } from 'vitest';

const bytesOf = (view: ArrayBufferView): Buffer =>
  Buffer.from(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);

/** undefined: others decide. */
function sameBytes(a: unknown, b: unknown): true | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
  return bytesOf(a).equals(bytesOf(b)) || undefined;
}
expect.addEqualityTesters([sameBytes]);
