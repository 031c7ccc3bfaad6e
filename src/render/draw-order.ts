// Which draws of a pass need not follow each other (Draw.independent), and which of those may share warps.
import type { DynamicState, ProcessingOrder, SampleOrder, Viewport } from './types';

/** What a pipeline's end says of the order of its fragments. */
export interface LeafOrder {
  /** What its descriptor says. */
  readonly asked: ProcessingOrder;
  /** It has nothing of which the order would have to be kept all the same: it stores nothing, reads no targets. */
  readonly mayOvertake: boolean;
  /** Its order cannot show. */
  readonly isHidden: boolean;
  /** What is visible of it is known before it is shaded: then it shares warps as such draws do. */
  readonly isDeferred: boolean;
}

/** What a pipeline's word, and the pass's where it leaves it to that, come to. */
export const orderOfSamples = (asked: ProcessingOrder, pass: SampleOrder): SampleOrder => (
  asked === 'auto' ? pass : asked
);

/** Any number: draws that are shaded later go by Draw.shading. */
const DEFERRED = 0xffff_ffff;

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

  /** Draw.independent; `resources`: the address of the table that its fragment program has. */
  of({ asked, mayOvertake, isHidden, isDeferred }: LeafOrder, resources: number, dynamic: DynamicState,
    viewport: number): number {
    if (!mayOvertake || dynamic.query || asked === 'received') return 0;
    if (orderOfSamples(asked, dynamic.orders.pixel) === 'received' && !isHidden) return 0;
    return isDeferred ? DEFERRED : this.kindOf(resources, dynamic, dynamic.viewports[viewport]!);
  }

  /** The same number for draws that differ in nothing which their warps, or what becomes of their results, ask for. */
  private kindOf(resources: number, { blendConstant, stencilReference }: DynamicState, viewport: Viewport): number {
    const kinds = this.kinds.get(resources) ?? [], found = kinds.find((kind) => kind.stencilReference
      === stencilReference && isSame(kind.blendConstant, blendConstant) && isSame(kind.viewport, viewport));
    if (found) return found.number;
    const number = ++this.count;
    kinds.push({ blendConstant, stencilReference, viewport, number });
    this.kinds.set(resources, kinds);
    return number;
  }
}
