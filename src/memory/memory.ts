// The WebAssembly.Memory of a device. Only the main thread grows it.

import { UnavailableError } from '../base/errors';

export const PAGE_BYTES = 65536;
/** wasm32 addresses 4 GiB. If an engine refuses such a large reservation, smaller ones are tried. */
const MAXIMUM_PAGES = [65536, 32768, 16384, 8192, 4096];

export interface DeviceMemory {
  readonly memory: WebAssembly.Memory;
  /** Whether the memory is shared; kernel builds for the other kind cannot import it. */
  readonly shared: boolean;
  readonly maximumBytes: number;
}

/**
 * Creates a memory, shared if the engine supports it, with the largest maximum size that the engine accepts.
 * @throws UnavailableError if the engine refuses every size
 */
export function createMemory(initialPages: number): DeviceMemory {
  if (typeof WebAssembly === 'undefined')
    throw new UnavailableError('WebAssembly is unavailable in this process: start Node without --jitless');
  for (const shared of [true, false]) {
    for (const maximum of MAXIMUM_PAGES) {
      try {
        const memory = new WebAssembly.Memory({ initial: initialPages, maximum, shared });
        return { memory, shared, maximumBytes: maximum * PAGE_BYTES };
      } catch (error) {
        if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error;
      }
    }
  }
  throw new UnavailableError(
    'the JavaScript engine cannot allocate a WebAssembly.Memory of 256 MiB: '
      + 'destroy other devices or raise the memory limit of the process'
  );
}
