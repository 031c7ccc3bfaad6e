// What a device can do with texture formats: https://www.w3.org/TR/webgpu/#texture-format-caps

import type { FormatInfo, Support } from '../surface/formats';

interface Device {
  readonly features: ReadonlySet<string>;
}

/** Whether a device has what a format may have. */
export const supports = ({ features }: Device, support: Support): boolean => typeof support === 'boolean'
  ? support
  : features.has(support);

/** What a message adds where a feature would help; else nothing. */
export const needsFeature = (support: Support): string => typeof support === 'string'
  ? ` without the feature "${support}"; ask for it in requestDevice({ requiredFeatures })`
  : '';

/** Throws a TypeError where the device lacks the feature that a format needs to be named at all. */
export function requireFormats(device: Device, call: string,
  ...formats: readonly (FormatInfo | null | undefined)[]): void {
  for (const format of formats)
    if (format && !supports(device, format.exists))
      throw new TypeError(
        `${call}: format "${format.name}" needs the feature "${String(format.exists)}"; ask for it in requestDevice({ requiredFeatures })`
      );
}

/** Sample types of a format's colour or depth: bindings may ask for any of them. */
export function sampleTypes(device: Device, { sampleType, filterable }: FormatInfo): readonly GPUTextureSampleType[] {
  if (sampleType === 'float') return ['float', 'unfilterable-float'];
  if (sampleType === 'depth') return ['depth', 'unfilterable-float'];
  return supports(device, filterable) ? ['float', sampleType] : [sampleType];
}
