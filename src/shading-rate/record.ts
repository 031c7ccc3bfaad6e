// SHADING RATES records (assembly/layout/pass/shading-rate.ts): everything that determines a draw call's shading rate.
import {
  DEPTH_AT_CENTRE,
  DEPTH_AT_CENTROID,
  DEPTH_AT_MAX,
  DEPTH_AT_MIN,
} from '../../assembly/layout/pass/shading-rate-codes';
import { ShadingRates } from '../../build/layout';
import { combinerTable, type ShadingRateCombiners } from './combiners';
import { depthTerms, sliceCodes, type DepthPosition, type DepthTable } from './depth-table';
import { codeOf, type ShadingRate } from './rates';

/** A rate texture in memory: rows of codes, one byte per block of `blockSize` × `blockSize` pixels. */
export interface RegionRates {
  readonly address: number;
  readonly rowBytes: number;
  readonly blockSize: 8 | 16;
}

export interface RateSources {
  /** The rate of the draw call; it is combined with the primitive's rate if a stage writes one. */
  readonly rate: ShadingRate;
  readonly combiners: ShadingRateCombiners;
  /** The varying that holds the provoking vertex's code; −1 if there is none. */
  readonly primitive: number;
  readonly region: RegionRates | null;
  readonly depth: DepthTable | null;
}

const placeNumber: Readonly<Record<DepthPosition, number>> = {
  centre: DEPTH_AT_CENTRE,
  min: DEPTH_AT_MIN,
  max: DEPTH_AT_MAX,
  centroid: DEPTH_AT_CENTROID,
};

/** The bytes of a record. */
export function ratesRecord({ rate, combiners, primitive, region, depth }: RateSources): Uint8Array {
  const record = new Uint8Array(ShadingRates.bytes);
  const view = new DataView(record.buffer);
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  put(ShadingRates.rate, codeOf(rate));
  put(ShadingRates.isConstant, primitive < 0 && region === null && depth === null ? 1 : 0);
  put(ShadingRates.primitive, primitive);
  if (region !== null) {
    put(ShadingRates.region, region.address);
    put(ShadingRates.regionRowBytes, region.rowBytes);
    put(ShadingRates.regionShift, region.blockSize === 8 ? 3 : 4);
  }
  if (depth !== null) putDepth(view, depth);
  record.set(combinerTable(combiners.primitive), ShadingRates.primitiveCombiner);
  record.set(combinerTable(combiners.region), ShadingRates.regionCombiner);
  record.set(combinerTable(combiners.depth), ShadingRates.depthCombiner);
  return record;
}

function putDepth(view: DataView, table: DepthTable): void {
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  const { low, high, direction, starts } = depthTerms(table);
  put(ShadingRates.slices, table.rates.length);
  put(ShadingRates.at, placeNumber[table.at]);
  view.setFloat32(ShadingRates.low, low, true);
  view.setFloat32(ShadingRates.high, high, true);
  view.setFloat32(ShadingRates.direction, direction, true);
  starts.forEach((start, i) => view.setFloat32(ShadingRates.sliceStarts + 4 * i, start, true));
  new Uint8Array(view.buffer).set(sliceCodes(table), ShadingRates.sliceRates);
}
