// Capabilities of texture formats on a device: https://www.w3.org/TR/webgpu/#texture-format-caps

import type { FormatInfo, Support } from '../../surface/formats';

interface Device {
  readonly features: ReadonlySet<string>;
}

/** Whether a device supports a capability of a format. */
export const supports = ({ features }: Device, support: Support): boolean =>
  typeof support === 'boolean' ? support : features.has(support);

/** Ending of a message about a missing capability; empty if no feature would add it. */
export const needsFeature = (support: Support): string =>
  typeof support === 'string'
    ? ` without the feature "${support}"; ask for it in requestDevice({ requiredFeatures })`
    : '';

/** Throws a TypeError if the device lacks the feature without which a format must not be used at all. */
export function requireFormats(
  device: Device,
  call: string,
  ...formats: readonly (FormatInfo | null | undefined)[]
): void {
  for (const format of formats)
    if (format && !supports(device, format.exists))
      throw new TypeError(
        `${call}: format "${format.name}" needs the feature "${String(format.exists)}"; `
          + 'ask for it in requestDevice({ requiredFeatures })'
      );
}

/** Sample types of a format's colour or depth. Bindings may use any of them. */
export function sampleTypes(device: Device, { sampleType, filterable }: FormatInfo): readonly GPUTextureSampleType[] {
  if (sampleType === 'float') return ['float', 'unfilterable-float'];
  if (sampleType === 'depth') return ['depth', 'unfilterable-float'];
  return supports(device, filterable) ? ['float', sampleType] : [sampleType];
}
