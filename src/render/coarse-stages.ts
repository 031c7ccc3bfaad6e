// How the coarse stages of a fragment program are tied to those of pixels, as the kernels have it: the COARSE STAGES of
// a pipeline's draws (assembly/layout/coarse-stages.ts).
import { CoarseStages } from '../../build/layout';
import type { Stage } from '../mpipe';

/** The record's words, but for the addresses of the DRAW records. `parts`: the coarse one, and those behind it. */
export function putCoarseStages(parts: readonly Stage[]): Uint32Array<ArrayBuffer> {
  const { linkTo, linkCount } = parts[0]!.coarse!;
  const bytes = new Uint8Array(CoarseStages.bytes), view = new DataView(bytes.buffer);
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  put(CoarseStages.linkTo, linkTo);
  put(CoarseStages.linkCount, linkCount);
  put(CoarseStages.byQuads, parts.some(({ program }) => program.usesDerivatives) ? 1 : 0);
  return new Uint32Array(bytes.buffer);
}
