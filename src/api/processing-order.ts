// The optional feature "processing-order" (design §6): draws whose fragments need not take effect in the order in which
// they came, and whose vertices and primitives may go to buffers in any order.
import { labelled } from '../base/printable';
import type { DrawRun, PipelineStore, ProcessingOrder, SampleOrder, SampleType } from '../render/types';
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
   * Whether draws from now on take effect in the order in which they came (`received`, what a new pass has), or need
   * not (`independent`), by type; others keep the order that they have. What can be seen of `independent`:
   *
   * - `pixel`: fragments may overtake those of other such draws. Which of two at a position comes first is then open
   *   where they blend, discard, or write a depth of the program's own. Programs that read what is stored (`@color` …)
   *   with an ordered interlock make it a validation error of `end()`.
   * - `vertex`, `primitive`: the order of primitives in buffers that tables of shaders end in (`setSinkBuffer`), and
   *   where a buffer is too small for those of an indirect draw, which of them are left out. The vertices of each stay
   *   together, and those of draws in order before and behind them keep their place. `vertex` is for buffers to which
   *   vertex stages alone lead, `primitive` for those to which a stage of another kind leads. Tables that draw as well
   *   store in order.
   */
  setProcessingOrder(type: SampleType, order: SampleOrder): void;
}

export function requireProcessingOrder(
  { features }: Pick<DeviceCore, 'features'>, what: string, no: (message: string) => never
): void {
  if (!features.has(PROCESSING_ORDER))
    no(`${what} needs the feature "${PROCESSING_ORDER}"; ask for it in requestDevice({ requiredFeatures })`);
}

/** Whether a new pipeline may say of its pixels what it says, `at`; one that may not is destroyed. */
export function checkPixelOrder(store: PipelineStore, at: string, no: (message: string) => never): void {
  if (store.state.processingOrder?.pixel !== 'independent' || !store.needsOrder) return;
  store.destroy();
  no(`${at} is "independent", but the program reads what is stored, in order: let fragment.interlock be "unordered", or leave ${at} away`);
}

/** Whether a table may say what it says of its order. */
export function checkTableOrder(
  device: Pick<DeviceCore, 'features'>, orders: Readonly<Record<SampleType, ProcessingOrder>>,
  sinks: readonly { readonly kind: 'raster' | 'buffer' }[], no: (message: string) => never
): void {
  if (Object.values(orders).some((order) => order !== 'auto')) requireProcessingOrder(device, 'processingOrder', no);
  const type = (['vertex', 'primitive'] as const).find((each) => orders[each] === 'independent');
  const drawn = sinks.findIndex(({ kind }) => kind === 'raster');
  if (type && drawn >= 0)
    no(`processingOrder.${type} is "independent", but sinks[${drawn}] is drawn, and a table that draws stores in order: store by a table of its own, or leave processingOrder.${type} away`);
}

/** Why draws may not go without order; null: they may. */
export function orderRefusal(runs: readonly DrawRun[]): string | null {
  for (const { dynamic, commands } of runs) {
    if (dynamic.orders.pixel === 'received') continue;
    const found = commands.find(({ state: { pipeline: { needsOrder, state } } }) => needsOrder
      && state.processingOrder?.pixel !== 'received');
    if (found)
      return `setProcessingOrder('pixel', 'independent') holds for a draw with ${labelled('pipeline', found.state.pipeline.state.label)}, whose program reads what is stored, in order: set 'received' before it, let the pipeline say so (processingOrder), or let its fragment.interlock be "unordered"`;
  }
  return null;
}
