// Device memory of buffers.
import type { Allocator } from '../../memory';
import type { BufferStore } from './resource-types';

/** Throws OutOfMemoryError with label and size. */
export function createBuffer(
  allocator: Allocator,
  memory: WebAssembly.Memory,
  size: number,
  label: string
): BufferStore {
  const address = allocator.allocate(size, label);
  let alive = true;
  return {
    address,
    size,
    bytes: () => new Uint8Array(memory.buffer, address, size),
    destroy: () => {
      if (alive) allocator.free(address);
      alive = false;
    },
  };
}
