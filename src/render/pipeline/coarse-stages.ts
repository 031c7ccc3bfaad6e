// Encodes how the coarse stage of a fragment shader feeds its pixel stages: the COARSE STAGES record of a pipeline's
// draw calls (assembly/layout/pass/coarse-stages.ts).
import { CoarseStages } from '../../../build/layout';
import type { Stage } from '../../mpipe';

/**
 * Returns the words of the COARSE STAGES record, in which the addresses of the DRAW records are still missing. `parts`:
 * the coarse stage, followed by the stages that it feeds.
 */
export function putCoarseStages(parts: readonly Stage[]): Uint32Array<ArrayBuffer> {
  const { linkTo, linkCount } = parts[0]!.coarse!;
  const bytes = new Uint8Array(CoarseStages.bytes);
  const view = new DataView(bytes.buffer);
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  put(CoarseStages.linkTo, linkTo);
  put(CoarseStages.linkCount, linkCount);
  put(CoarseStages.byQuads, parts.some(({ program }) => program.usesDerivatives) ? 1 : 0);
  return new Uint32Array(bytes.buffer);
}
