// A compiled shader on one device.

import type { StageSlots } from '../../mpipe';
import type { ModuleRecords } from './module-directory';
import type { Variant } from './variants';

/**
 * A variant installed on a device: its functions in the kernel's table, and its module in device memory. Stages with
 * equal shaders share it.
 */
export class Compiled {
  users = 0;
  constructor(
    readonly variant: Variant,
    readonly records: ModuleRecords,
    readonly slots: StageSlots,
    private readonly unused: (compiled: Compiled) => void
  ) {}

  /** Removes one user. The last one frees everything, so no pending work may refer to the slots. */
  release(): void {
    if (--this.users === 0) this.unused(this);
  }
}
