// setBindGroup for passes and bundles: https://www.w3.org/TR/webgpu/#programmable-passes

import type { BindGroupCore, SetGroup } from '../resources/bind-group';
import { requireUsable, type ApiObject, type Fail } from '../core/device-core';
import type { Uses } from './command-buffer';

/** Validates all of `setBindGroup` except the group itself and its dynamic offsets. */
function checkGroupIndex(
  { device }: ApiObject,
  index: number,
  group: BindGroupCore | null,
  offsets: number,
  no: Fail
): void {
  const { maxBindGroups } = device.limits;
  if (index >= maxBindGroups) no(`index ${index} must be less than maxBindGroups ${maxBindGroups}`);
  if (group === null && offsets > 0) no(`${offsets} dynamic offsets without a bind group`);
}

/** Validates `setBindGroup` on `who` and stores the group in `groups`. */
export function setGroup(
  who: ApiObject,
  groups: (SetGroup | null)[],
  index: number,
  group: BindGroupCore | null,
  offsets: ArrayLike<number>,
  no: Fail
): void {
  checkGroupIndex(who, index, group, offsets.length, no);
  if (group !== null) {
    requireUsable(group, who, who.device, 'setBindGroup');
    checkOffsets(group, offsets, no);
  }
  while (groups.length <= index) groups.push(null);
  groups[index] =
    group === null || offsets.length === 0
      ? group && group.withoutDynamicOffsets
      : { group, bound: { group: group.store, dynamicOffsets: Array.from(offsets) } };
}

/** Validates the dynamic offsets of a group. */
export function checkOffsets(group: BindGroupCore, offsets: ArrayLike<number>, no: Fail): void {
  const { dynamic } = group;
  if (offsets.length !== dynamic.length)
    no(`${group.called} takes ${dynamic.length} dynamic offsets, not ${offsets.length}`);
  for (let i = 0; i < dynamic.length; i++) {
    const { binding, alignment, bound, maxOffset } = dynamic[i]!;
    const offset = offsets[i]!;
    if (offset % alignment !== 0)
      no(`dynamic offset ${offset} of binding ${binding} is not a multiple of ${alignment}`);
    if (offset > maxOffset)
      no(
        `dynamic offset ${offset} + offset ${bound.offset} + size ${bound.size} `
          + `of binding ${binding} exceeds the size ${bound.buffer.size} of ${bound.buffer.called}`
      );
  }
}

/** Keeps the group's resources alive until the commands have run. */
export function useGroup(uses: Uses, group: BindGroupCore): void {
  if (uses.others.has(group)) return;
  uses.others.add(group);
  for (const { buffer } of group.buffers) uses.buffers.add(buffer);
  for (const texture of group.textures) uses.textures.add(texture);
}
