import type { BlendMode, CompositeOperator } from '../../src/blends';

export function referenceBlend(
  mode: BlendMode,
  operator: CompositeOperator,
  round?: (x: number) => number
): (source: readonly number[], below: readonly number[]) => number[];
