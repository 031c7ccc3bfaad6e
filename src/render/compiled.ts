// What a program is compiled to on one device.

import type { StageSlots } from '../mpipe';
import type { ModuleRecords } from './module-directory';
import type { Variant } from './variants';

/** A variant on a device: functions in the table, the module in device memory. Stages with equal programs share it. */
export class Compiled {
  users = 0;
  constructor(
    readonly variant: Variant, readonly records: ModuleRecords, readonly slots: StageSlots,
    private readonly unused: (compiled: Compiled) => void
  ) {}

  /** One user less; the last one gives everything back. Nothing that is still to run may name the slots. */
  release(): void {
    if (--this.users === 0) this.unused(this);
  }
}
