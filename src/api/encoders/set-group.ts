// setBindGroup for passes and bundles: https://www.w3.org/TR/webgpu/#programmable-passes

import type { BindGroupCore, SetGroup } from '../resources/bind-group';
import { requireUsable, type ApiObject, type Fail } from '../core/device-core';
import type { Uses } from './command-buffer';

/** Validates `setBindGroup` on `who` and stores the group in `groups`. */
export function setGroup(
  who: ApiObject,
  groups: (SetGroup | null)[],
  index: number,
  group: BindGroupCore | null,
  offsets: readonly number[],
  no: Fail
): void {
  const { maxBindGroups } = who.device.limits;
  if (index >= maxBindGroups) no(`index ${index} must be less than maxBindGroups ${maxBindGroups}`);
  if (group !== null) checkGroup(who, group, offsets, no);
  else if (offsets.length > 0) no(`${offsets.length} dynamic offsets without a bind group`);
  while (groups.length <= index) groups.push(null);
  groups[index] =
    group === null || offsets.length === 0
      ? group && group.withoutDynamicOffsets
      : { group, bound: { group: group.store, dynamicOffsets: offsets } };
}

function checkGroup(who: ApiObject, group: BindGroupCore, offsets: readonly number[], no: Fail): void {
  requireUsable(group, who, who.device, 'setBindGroup');
  const { dynamic } = group.layout;
  if (offsets.length !== dynamic.length)
    no(`${group.called} takes ${dynamic.length} dynamic offsets, not ${offsets.length}`);
  dynamic.forEach(({ binding, resource }, i) => {
    const offset = offsets[i]!;
    const alignment =
      resource.kind === 'buffer' && resource.type === 'uniform'
        ? who.device.limits.minUniformBufferOffsetAlignment
        : who.device.limits.minStorageBufferOffsetAlignment;
    if (offset % alignment !== 0)
      no(`dynamic offset ${offset} of binding ${binding} is not a multiple of ${alignment}`);
    const bound = group.bufferAt(binding);
    if (bound !== undefined && bound.offset + offset + bound.size > bound.buffer.size)
      no(
        `dynamic offset ${offset} + offset ${bound.offset} + size ${bound.size} `
          + `of binding ${binding} exceeds the size ${bound.buffer.size} of ${bound.buffer.called}`
      );
  });
}

/** Keeps the group's resources alive until the commands have run. */
export function useGroup(uses: Uses, group: BindGroupCore): void {
  if (uses.others.has(group)) return;
  uses.others.add(group);
  for (const { buffer } of group.buffers) uses.buffers.add(buffer);
  for (const texture of group.textures) uses.textures.add(texture);
}
