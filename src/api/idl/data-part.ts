// Bytes from the application: the part of a buffer or view that writeBuffer and setImmediates take.
// https://www.w3.org/TR/webgpu/#dom-gpuqueue-writebuffer

import { bufferSource, u64 } from './idl';

/** Copies bytes to memory that no other thread can write. */
export function copyUnshared(data: Uint8Array): Uint8Array {
  const copy = new Uint8Array(data.length);
  copy.set(data);
  return copy;
}

function fail(message: string): never {
  throw new DOMException(message, 'OperationError');
}

/**
 * Returns the bytes selected by the arguments `data`, `dataOffset` and `size`. For typed arrays, the last two count
 * elements.
 *
 * @throws OperationError if the range is outside the data, or its size is not a multiple of 4 bytes
 */
export function dataPart(call: string, [data, dataOffset, wanted]: readonly unknown[]): Uint8Array {
  const { bytes, elementSize } = bufferSource(data, `${call}: data`);
  const offset = dataOffset === undefined ? 0 : u64(dataOffset, `${call}: dataOffset`);
  const start = offset * elementSize;
  const most = (): string => `the ${bytes.length / elementSize} elements of data`;
  if (start > bytes.length) fail(`${call}: dataOffset ${offset} exceeds ${most()}`);
  const size = wanted === undefined ? bytes.length - start : u64(wanted, `${call}: size`) * elementSize;
  if (start + size > bytes.length) fail(`${call}: dataOffset ${offset} + size ${size / elementSize} exceeds ${most()}`);
  if (size % 4 !== 0) fail(`${call}: ${size} bytes are not a multiple of 4; pad the data`);
  // Views take time to create, and 3D engines write thousands of whole arrays in a frame.
  return size === bytes.length ? bytes : bytes.subarray(start, start + size);
}
