// The feature "shading-rate": validates the rates of passes and draw calls.
import type { PassRates } from '../../render/types';
import {
  depthPlaces,
  depthTableFault,
  isShadingRate,
  shadingRateCombiners,
  shadingRates,
  sliceRoundings,
  type DepthTable,
  type ShadingRate,
} from '../../shading-rate';
import { flagNames, TextureUsage } from '../idl/constants';
import { requireUsable, type DeviceCore, type Fail, type Named } from '../core/device-core';
import {
  dictionary,
  enumeration,
  isIterable,
  optional,
  required,
  sequence,
  text,
  u32,
  unrestrictedDouble,
  type Convert,
} from '../idl/idl';
import { MAX_VIEWPORTS, SHADING_RATE } from '../core/limits';
import { textureOrView, type ViewCore } from '../resources/texture';

const depthRates = dictionary('DepthShadingRates', {
  near: required(unrestrictedDouble),
  far: required(unrestrictedDouble),
  rates: required(sequence(text)),
  rounding: optional(enumeration('SliceRounding', sliceRoundings), 'floor'),
  at: optional(enumeration('DepthPosition', depthPlaces), 'centre'),
});
type DepthRates = ReturnType<typeof depthRates>;
const depthList = sequence(depthRates);
/** Accepts a single table in place of a list. */
const depthTables: Convert<DepthRates[]> = (value, at) =>
  isIterable(value) ? depthList(value, at) : [depthRates(value, at)];
const regionRates = dictionary('RegionShadingRates', { view: required(textureOrView), blockSize: optional(u32, 8) });
export const passShadingRates = dictionary('ShadingRates', {
  depth: optional(depthTables, null),
  region: optional(regionRates, null),
});
type PassShadingRates = ReturnType<typeof passShadingRates>;

const combiner = enumeration('ShadingRateCombiner', shadingRateCombiners);
export const rateCombiners = dictionary('ShadingRateCombiners', {
  primitive: optional(combiner, 'coarsest'),
  region: optional(combiner, 'coarsest'),
  depth: optional(combiner, 'coarsest'),
});

/** Refuses a call that needs shading rates, if the device lacks the feature. */
export function requireShadingRate({ features }: DeviceCore, what: string, no: Fail): void {
  if (!features.has(SHADING_RATE))
    no(`${what} needs the feature "${SHADING_RATE}"; ask for it in requestDevice({ requiredFeatures })`);
}

export function checkRate(name: string, what: string, no: Fail): ShadingRate {
  if (!isShadingRate(name))
    return no(`${what} "${name}" is not one of ${shadingRates.map((rate) => `"${rate}"`).join(', ')}`);
  return name;
}

function checkDepth(table: DepthRates, what: string, no: Fail): DepthTable {
  const rates = table.rates.map((rate, i) => checkRate(rate, `${what}.rates[${i}]:`, no));
  const fault = depthTableFault({ ...table, rates });
  if (fault !== null) no(`${what}: ${fault}`);
  return { ...table, rates };
}

/** The pass whose rates are validated. */
interface RatesOf {
  readonly device: DeviceCore;
  readonly caller: Named;
  readonly size: readonly [number, number];
  readonly no: Fail;
}

function checkRegion(view: ViewCore, blockSize: number, { device, caller: who, size, no }: RatesOf): 8 | 16 {
  const what = 'shadingRates.region';
  if (blockSize !== 8 && blockSize !== 16) return no(`${what}: blockSize must be 8 or 16, not ${blockSize}`);
  requireUsable(view, who, device, 'beginRenderPass');
  const { format, dimension, mipLevelCount, arrayLayerCount } = view.shape;
  if ((view.usage & TextureUsage.TEXTURE_BINDING) === 0)
    no(`${what}: ${view.called} needs usage TEXTURE_BINDING; it has ${flagNames(view.usage, TextureUsage)}`);
  if (format.name !== 'r8uint') no(`${what}: ${view.called} has format ${format.name}; it must be r8uint`);
  if (view.samples !== 1) no(`${what}: ${view.called} has ${view.samples} samples; it must have one`);
  if (mipLevelCount !== 1)
    no(
      `${what}: ${view.called} has ${mipLevelCount} mip levels; it must have one (createView({ baseMipLevel, `
        + 'mipLevelCount: 1 }))'
    );
  if (arrayLayerCount !== 1)
    no(
      `${what}: ${view.called} has ${arrayLayerCount} layers; it must `
        + 'have one (createView({ dimension: "2d", baseArrayLayer }))'
    );
  if (dimension !== '2d') no(`${what}: ${view.called} is "${dimension}"; it must be "2d"`);
  const [width, height] = view.size;
  const [columns, rows] = size.map((pixels) => Math.ceil(pixels / blockSize));
  if (width !== columns || height !== rows)
    no(
      `${what}: ${view.called} is ${width}×${height}, but ${size[0]}×${size[1]} pixels have ${columns}×${rows} `
        + `blocks of ${blockSize}×${blockSize}`
    );
  return blockSize;
}

/** Validates a pass's rates; returns null if only draw calls and primitives set rates. */
export function checkPassRates(d: PassShadingRates, of: RatesOf): PassRates | null {
  const { no } = of;
  const { depth, region } = d;
  requireShadingRate(of.device, 'shadingRates', no);
  if (depth !== null && (depth.length < 1 || depth.length > MAX_VIEWPORTS))
    no(
      `shadingRates.depth: there must be 1 to ${MAX_VIEWPORTS} tables, `
        + `one for all viewports or one for each, not ${depth.length}`
    );
  const tables = (depth ?? []).map((table, i) =>
    checkDepth(table, depth!.length > 1 ? `shadingRates.depth[${i}]` : 'shadingRates.depth', no)
  );
  if (region === null) return tables.length === 0 ? null : { depth: tables, region: null };
  const blockSize = checkRegion(region.view, region.blockSize, of);
  return { depth: tables, region: { view: region.view.store, blockSize } };
}
