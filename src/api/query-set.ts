// GPUQuerySet: the class is there for instanceof; queries come later.

import { ApiObject, describe, refuse, type DeviceCore } from './device-core';
import { queryType } from './enums';
import { dictionary, optional, required, text, u32 } from './idl';
import { constructing, exposeLabelled, slot } from './interface';

export class QuerySetCore extends ApiObject {
  readonly type: GPUQueryType;
  readonly count: number;
  constructor(device: DeviceCore, label: string, type: GPUQueryType, count: number) {
    super(device, 'QuerySet', label, false);
    this.type = type;
    this.count = count;
  }
}
export const querySetSlot = slot<QuerySetCore>('GPUQuerySet');
export class GPUQuerySet {
  constructor(...args: unknown[]) {
    constructing(args);
  }
  get type(): GPUQueryType {
    return querySetSlot.of(this).type;
  }
  get count(): number {
    return querySetSlot.of(this).count;
  }
  destroy(): undefined {
    querySetSlot.of(this);
  }
}
exposeLabelled('GPUQuerySet', GPUQuerySet, querySetSlot);

const descriptorOf = dictionary('GPUQuerySetDescriptor', {
  label: optional(text, ''), type: required(queryType), count: required(u32),
});

export function createQuerySet(device: DeviceCore, value: unknown): object {
  const { label, type, count } = descriptorOf(value, 'createQuerySet: descriptor');
  if (type === 'timestamp')
    throw new TypeError(
      'createQuerySet: type "timestamp" needs the feature "timestamp-query", which Rasterloom\'s adapter does not offer'
    );
  device.guard(() => refuse(
    { called: describe('QuerySet', label) }, 'createQuerySet', 'Rasterloom does not have occlusion queries yet'
  ));
  return querySetSlot.make(new QuerySetCore(device, label, type, count));
}
