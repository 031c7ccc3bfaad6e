// Encodes how the parts of a fragment shader that runs for sample sets are linked: the SAMPLE SETS record of a
// pipeline's draw calls (assembly/layout/tile/sample-sets.ts).
import { SampleSets } from '../../../build/layout';
import type { Stage } from '../../mpipe';
import { fact } from '../shaders/program-facts';
import { blends } from './target';
import type { OutputState } from '../types';

/**
 * Returns the words of the SAMPLE SETS record, in which the address of the second part's DRAW record is still missing.
 * `isLate`: tests take effect after the shader.
 */
export function putSampleSets(
  first: Stage,
  secondPart: Stage | null,
  { targets }: OutputState,
  isLate: boolean
): Uint32Array<ArrayBuffer> {
  const { apart, linkFrom, linkTo, linkCount, results, killed, mask, dispatches } = first.sets!;
  const bytes = new Uint8Array(SampleSets.bytes);
  const view = new DataView(bytes.buffer);
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  put(SampleSets.apart, apart);
  put(SampleSets.linkFrom, first.inputs.length + linkFrom);
  put(SampleSets.linkTo, linkTo);
  put(SampleSets.linkCount, linkCount);
  put(SampleSets.results, results);
  put(SampleSets.killedRegister, killed);
  put(SampleSets.maskRegister, mask);
  put(SampleSets.dispatches, dispatches);
  put(SampleSets.dispatchStride, dispatches > 1 ? results / dispatches : 0);
  const isBlended = targets.some((target) => target !== null && blends(target));
  put(SampleSets.byQuads, secondPart && (isLate || isBlended || secondPart.program.usesDerivatives) ? 1 : 0);
  put(SampleSets.needsQuadOrder, secondPart && fact(secondPart.program, 'exposesRunOrder') ? 1 : 0);
  return new Uint32Array(bytes.buffer);
}
