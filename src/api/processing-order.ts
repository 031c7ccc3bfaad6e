// The optional feature "processing-order" (design §6): draws whose fragments need not take effect in the order in which
// they came.
import type { DrawRun, PixelOrder } from '../render/types';
import type { DeviceCore } from './device-core';

export const PROCESSING_ORDER = 'processing-order';

/** What GPURenderPipelineDescriptor has besides. */
export interface ProcessingOrderMembers {
  /**
   * `received`: fragments take effect in the order in which they came, whatever the pass says. `independent`: they may
   * overtake those of other such draws. `auto` (default): as the pass says (`setProcessingOrder`), and `independent` in
   * any case where order cannot show: opaque, with a depth test of `less` or `greater` that is written, without
   * discarding, depth of the program's own, or stores.
   */
  processingOrder?: 'received' | 'independent' | 'auto' | undefined;
}
/** What render passes have besides; bundles are drawn as their pass says. */
export interface ProcessingOrderCommands {
  /**
   * Whether fragments of draws from now on take effect in the order in which they came (`received`, what a new pass
   * has), or may overtake those of other draws that are `independent`: which of two fragments at a position comes first
   * is then open where they blend, discard, or write a depth of the program's own. Programs that read what is stored
   * (`@color` …) with an ordered interlock make it a validation error of `end()`.
   */
  setProcessingOrder(type: 'pixel', order: PixelOrder): void;
}

export function requireProcessingOrder(
  { features }: Pick<DeviceCore, 'features'>, what: string, no: (message: string) => never
): void {
  if (!features.has(PROCESSING_ORDER))
    no(`${what} needs the feature "${PROCESSING_ORDER}"; ask for it in requestDevice({ requiredFeatures })`);
}

/** Why draws may not go without order; null: they may. */
export function orderRefusal(runs: readonly DrawRun[]): string | null {
  for (const { dynamic, commands } of runs) {
    if (dynamic.pixelOrder === 'received') continue;
    const found = commands.find(({ state: { pipeline } }) => pipeline.needsOrder);
    if (found)
      return `setProcessingOrder('pixel', 'independent') holds for a draw with pipeline "${found.state.pipeline.state.label}", whose program reads what is stored, in order: set 'received' before it, let the pipeline say so (processingOrder), or let its fragment.interlock be "unordered"`;
  }
  return null;
}
