// The feature "processing-order": draw calls whose fragments may take effect out of order, and whose vertices and
// primitives may be stored in buffers in any order.
import { labelled } from '../../base/printable';
import type { DrawRun, PipelineStore, ProcessingOrder, SampleOrder, SampleType } from '../../render/types';
import type { DeviceCore, Fail } from '../core/device-core';

const PROCESSING_ORDER = 'processing-order';

/** Additional members of GPURenderPipelineDescriptor. */
export interface ProcessingOrderMembers {
  /**
   * Order in which the fragments of the pipeline's draw calls take effect. Requires the feature "processing-order".
   * Default: `auto`.
   *
   * - `received`: in draw order, regardless of the pass.
   * - `independent`: they may overtake fragments of other independent draw calls. This is a validation error for
   *   shaders with an ordered interlock that read stored values.
   * - `auto`: as the pass says (`setProcessingOrder`). It is also `independent` where the order cannot be observed:
   *   opaque fragments with a depth test of `less` or `greater` that write depth, without discard, shader-written depth
   *   and stores.
   */
  processingOrder?: 'received' | 'independent' | 'auto' | undefined;
}
/** Additional members of render passes. Bundles use the order of the pass that executes them. */
export interface ProcessingOrderCommands {
  /**
   * Sets whether the following draw calls take effect in draw order (`received`, the default of a new pass) or may be
   * reordered (`independent`). Other types of work keep their order. The effects of `independent` are:
   *
   * - `pixel`: fragments may overtake those of other independent draw calls. The order of two fragments at the same
   *   position is undefined; that is visible if they blend, discard, or write depth in the shader. It is a validation
   *   error of `end()` if shaders read stored values (`@color` …) with an ordered interlock.
   * - `vertex`, `primitive`: primitives are stored in buffers (`setSinkBuffer`) in any order. If a buffer is too small
   *   for an indirect draw call, it is undefined which primitives are dropped. The vertices of a primitive stay
   *   together, and ordered draw calls before and after keep their place. `vertex` applies to buffers that only vertex
   *   stages lead to, `primitive` to buffers that stages of other kinds lead to. Pipelines that also draw store in
   *   order.
   */
  setProcessingOrder(type: SampleType, order: SampleOrder): void;
}

export function requireProcessingOrder({ features }: Pick<DeviceCore, 'features'>, what: string, no: Fail): void {
  if (!features.has(PROCESSING_ORDER))
    no(`${what} needs the feature "${PROCESSING_ORDER}"; ask for it in requestDevice({ requiredFeatures })`);
}

/** Refuses and destroys a new pipeline whose pixel order, the member `at`, is not allowed for its shaders. */
export function checkPixelOrder(store: PipelineStore, at: string, no: Fail): void {
  if (store.state.processingOrder?.pixel !== 'independent' || !store.needsOrder) return;
  store.destroy();
  no(
    `${at} is "independent", but the shader reads stored values in `
      + `order: set fragment.interlock to "unordered", or omit ${at}`
  );
}

/** Validates the processing order of a modular pipeline. */
export function checkModularOrder(
  device: Pick<DeviceCore, 'features'>,
  orders: Readonly<Record<SampleType, ProcessingOrder>>,
  sinks: readonly { readonly kind: 'raster' | 'buffer' }[],
  no: Fail
): void {
  if (Object.values(orders).some((order) => order !== 'auto')) requireProcessingOrder(device, 'processingOrder', no);
  const type = (['vertex', 'primitive'] as const).find((each) => orders[each] === 'independent');
  const drawn = sinks.findIndex(({ kind }) => kind === 'raster');
  if (type && drawn >= 0)
    no(
      `processingOrder.${type} is "independent", but sinks[${drawn}] is a raster sink, `
        + 'and a modular pipeline that draws writes its buffers in order: write the buffers with another modular '
        + `pipeline, or omit processingOrder.${type}`
    );
}

/** Returns the reason why draw calls must not be unordered; null if they may be. */
export function orderRefusal(runs: readonly DrawRun[]): string | null {
  for (const { dynamic, list, begin, end } of runs) {
    if (dynamic.orders.pixel === 'received') continue;
    for (let draw = begin; draw < end; draw++) {
      const {
        pipeline: { needsOrder, state },
      } = list.stateOf(draw);
      if (!needsOrder || state.processingOrder?.pixel === 'received') continue;
      return (
        "setProcessingOrder('pixel', 'independent') applies to a draw with "
        + `${labelled('pipeline', state.label)}, whose shader reads stored values in order: `
        + "set 'received' before the draw or in the pipeline's processingOrder, "
        + 'or set its fragment.interlock to "unordered"'
      );
    }
  }
  return null;
}
