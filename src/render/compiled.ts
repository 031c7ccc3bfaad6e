// What a pipeline is compiled from, and what it is compiled to.

import type { JitStage } from '../codegen/jit';
import type { ModuleRecords, ModuleSlots } from './module-directory';
import type { Variant } from './variants';

/** The programs of a pipeline, as the emitter takes them. */
export interface PipelineSource { readonly vertex: JitStage; readonly fragment: JitStage | null }

/**
 * A variant on one device: functions in the table, the module in device memory. Pipelines with equal programs share it.
 */
export class Compiled {
  users = 0;
  constructor(
    readonly variant: Variant, readonly records: ModuleRecords, readonly slots: ModuleSlots,
    private readonly unused: (compiled: Compiled) => void
  ) {}

  /** One user less; the last one gives everything back. Nothing that is still to run may name the slots. */
  release(): void {
    if (--this.users === 0) this.unused(this);
  }
}
