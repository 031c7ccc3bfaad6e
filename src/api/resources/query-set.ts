// GPUQuerySet: https://www.w3.org/TR/webgpu/#queries

import type { BufferStore, QuerySlot } from '../../render/types';
import { ApiObject, describe, freeWithCore, cancelFreeWithCore, refuse, type DeviceCore } from '../core/device-core';
import { queryType } from '../idl/enums';
import { dictionary, optional, required, text, u32 } from '../idl/idl';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';

/** Size of a query result in bytes: a u64. */
export const QUERY_BYTES = 8;
const MAX_QUERIES = 4096;

export class QuerySetCore extends ApiObject {
  readonly type: GPUQueryType;
  readonly count: number;
  readonly #store: BufferStore | null;
  destroyed = false;
  constructor(device: DeviceCore, { label, type, count }: QuerySetDescriptor, store: BufferStore | null) {
    super(device, 'QuerySet', label, store !== null);
    this.type = type;
    this.count = count;
    this.#store = store;
    if (store !== null) freeWithCore(this, store, store.size);
  }

  /** Buffer of consecutive results, initially zero. Throws for invalid query sets. */
  get store(): BufferStore {
    if (this.#store === null) throw new TypeError('an invalid query set has no memory');
    return this.#store;
  }

  /** Place of a query's result. */
  at(index: number): QuerySlot {
    return { buffer: this.store, offset: index * QUERY_BYTES };
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    const store = this.#store;
    if (store === null) return;
    cancelFreeWithCore(this);
    this.device.enqueue(() => store.destroy(), null);
  }
}
export const querySetSlot = slot<QuerySetCore>('GPUQuerySet');
class GPUQuerySet {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  get type(): GPUQueryType {
    return querySetSlot.of(this).type;
  }
  get count(): number {
    return querySetSlot.of(this).count;
  }
  destroy(): undefined {
    querySetSlot.of(this).destroy();
  }
}
exposeLabelled('GPUQuerySet', GPUQuerySet, querySetSlot);

const descriptorOf = dictionary('GPUQuerySetDescriptor', {
  label: optional(text, ''),
  type: required(queryType),
  count: required(u32),
});
type QuerySetDescriptor = ReturnType<typeof descriptorOf>;

export function createQuerySet(device: DeviceCore, value: unknown): object {
  const d = descriptorOf(value, 'createQuerySet: descriptor');
  if (d.type === 'timestamp' && !device.features.has('timestamp-query'))
    throw new TypeError(
      'createQuerySet: type "timestamp" needs the feature "timestamp-query"; '
        + 'ask for it in requestDevice({ requiredFeatures })'
    );
  const store = device.guard(() => {
    if (d.count > MAX_QUERIES)
      refuse({ called: describe('QuerySet', d.label) }, 'createQuerySet', `count ${d.count} exceeds ${MAX_QUERIES}`);
    return device.render.createBuffer(Math.max(1, d.count) * QUERY_BYTES, d.label);
  });
  return querySetSlot.make(new QuerySetCore(device, d, store ?? null));
}
