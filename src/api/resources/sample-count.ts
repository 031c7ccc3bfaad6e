// Valid sample counts: those of https://www.w3.org/TR/webgpu/#texture-creation, and those of the feature
// "extended-sample-counts".

import type { DeviceCore, Fail } from '../core/device-core';

const EXTENDED: readonly number[] = [2, 8, 16];

/** Calls `no` with a sentence about `what` if the device does not support `count` samples. */
export function checkSampleCount(device: DeviceCore, what: string, count: number, no: Fail): void {
  if (count === 1 || count === 4) return;
  const extended = device.features.has('extended-sample-counts');
  if (EXTENDED.includes(count)) {
    if (!extended)
      no(
        `${what} ${count} needs the feature "extended-sample-counts"; ask for it in requestDevice({ requiredFeatures })`
      );
    return;
  }
  no(`${what} must be ${extended ? '1, 2, 4, 8 or 16' : '1 or 4'}, not ${count}`);
}
