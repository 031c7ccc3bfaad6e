// Creates a device: its memory, its kernel and the rest, in one call.
import { createMemory } from '../memory';
import { openRenderDevice } from './device';
import type { RenderDeviceOptions } from './device-options';
import { loadKernel } from './kernel-builds';
import type * as R from './types';

/** Memory pages before the first allocation, which hold the kernel's tables. */
export const INITIAL_PAGES = 16;

/** Instantiates the kernel with a new memory. Rejects if the kernel build cannot be loaded. */
export async function createRenderDevice(options: RenderDeviceOptions): Promise<R.RenderDevice> {
  const memory = createMemory(INITIAL_PAGES);
  const module = await loadKernel(options, memory.shared);
  return openRenderDevice(options, memory, module, null);
}
