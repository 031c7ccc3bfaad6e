// Decides which draw calls of a pass may run out of order (Draw.independent), and which of those may share warps.
import type { DynamicState, ProcessingOrder, SampleOrder, Viewport } from '../types';

/** What a sink of a pipeline determines about the order of its fragments. */
export interface LeafOrder {
  /** The order that the descriptor requests. */
  readonly requested: ProcessingOrder;
  /** Whether nothing requires the order to be kept: the shader stores nothing and reads no render targets. */
  readonly mayOvertake: boolean;
  /** Whether the order cannot be observed. */
  readonly isHidden: boolean;
  /**
   * Whether visibility is resolved before shading. The fragments then share warps like those of all deferred draw
   * calls.
   */
  readonly isDeferred: boolean;
}

/** The order that applies: the pipeline's request, or the pass's setting if the pipeline requests 'auto'. */
export const orderOfSamples = (requested: ProcessingOrder, pass: SampleOrder): SampleOrder =>
  requested === 'auto' ? pass : requested;

/** Any nonzero number works, because deferred draw calls are grouped by Draw.shading. */
const DEFERRED = 0xffff_ffff;

/** Whether draw calls with this Draw.independent have the same one if only their resources differ. */
export const isOrderedAlike = (independent: number): boolean => independent === 0 || independent === DEFERRED;

interface Kind {
  readonly blendConstant: DynamicState['blendConstant'];
  readonly stencilReference: number;
  readonly viewport: Viewport;
  readonly number: number;
}

const isSame = (a: readonly number[], b: readonly number[]): boolean => a.every((value, i) => value === b[i]);

export class DrawOrder {
  private readonly kinds = new Map<number, Kind[]>();
  private count = 0;

  /** Returns Draw.independent. `resources`: address of the fragment shader's resource table. */
  of(
    { requested, mayOvertake, isHidden, isDeferred }: LeafOrder,
    resources: number,
    dynamic: DynamicState,
    viewport: number
  ): number {
    if (!mayOvertake || dynamic.query || requested === 'received') return 0;
    if (orderOfSamples(requested, dynamic.orders.pixel) === 'received' && !isHidden) return 0;
    return isDeferred ? DEFERRED : this.kindOf(resources, dynamic, dynamic.viewports[viewport]!);
  }

  /** Returns equal numbers for draw calls whose warps, and the use of their results, need the same state. */
  private kindOf(resources: number, { blendConstant, stencilReference }: DynamicState, viewport: Viewport): number {
    const kinds = this.kinds.get(resources) ?? [];
    const found = kinds.find(
      (kind) =>
        kind.stencilReference === stencilReference
        && isSame(kind.blendConstant, blendConstant)
        && isSame(kind.viewport, viewport)
    );
    if (found) return found.number;
    const number = ++this.count;
    kinds.push({ blendConstant, stencilReference, viewport, number });
    this.kinds.set(resources, kinds);
    return number;
  }
}
