// Timestamps at the beginning and the end of passes: https://www.w3.org/TR/webgpu/#timestamp

import { clockMs } from '../../base/clock';
import type { Command } from './command-buffer';
import { requireUsable, type DeviceCore, type Fail, type Named } from '../core/device-core';
import { dictionary, object, optional, required, u32, type Convert } from '../idl/idl';
import { querySetSlot, type QuerySetCore } from '../resources/query-set';

export interface TimestampWrites {
  readonly querySet: QuerySetCore;
  readonly beginningOfPassWriteIndex: number | undefined;
  readonly endOfPassWriteIndex: number | undefined;
}
/** Makes the converter of the dictionary `name`. */
export const timestampWrites = (name: string): Convert<TimestampWrites> =>
  dictionary(name, {
    querySet: required(object(querySetSlot)),
    beginningOfPassWriteIndex: optional(u32),
    endOfPassWriteIndex: optional(u32),
  });

interface Caller extends Named {
  readonly call: string;
  readonly no: Fail;
}

export function checkTimestampWrites(device: DeviceCore, writes: TimestampWrites, caller: Caller): void {
  const { querySet, beginningOfPassWriteIndex: begin, endOfPassWriteIndex: end } = writes;
  const { no } = caller;
  if (!device.features.has('timestamp-query'))
    no('timestampWrites needs the feature "timestamp-query"; ask for it in requestDevice({ requiredFeatures })');
  requireUsable(querySet, caller, device, caller.call);
  if (querySet.type !== 'timestamp')
    no(`timestampWrites: ${querySet.called} has type "${querySet.type}"; it must be "timestamp"`);
  if (begin === undefined && end === undefined)
    no('timestampWrites needs a beginningOfPassWriteIndex or an endOfPassWriteIndex');
  if (begin === end) no(`timestampWrites: the beginning and the end of the pass both write query ${begin}`);
  for (const index of [begin, end])
    if (index !== undefined && index >= querySet.count)
      no(`timestampWrites: query ${index} does not exist: ${querySet.called} has ${querySet.count} queries`);
}

/**
 * Returns commands that write the current time in nanoseconds when the queue reaches them; none if `index` is
 * undefined.
 */
export function stamp({ querySet }: TimestampWrites, index: number | undefined): Command[] {
  if (index === undefined) return [];
  const { buffer, offset } = querySet.at(index);
  return [
    (render) => {
      const time = BigUint64Array.of(BigInt(Math.round(clockMs() * 1e6)));
      render.writeBuffer(buffer, offset, new Uint8Array(time.buffer));
      return null;
    },
  ];
}
