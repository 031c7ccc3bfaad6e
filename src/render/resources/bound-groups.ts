// Writes bound resources as RESOURCE records, which is where shaders find addresses and sizes.
import { Resource } from '../../../build/layout';
import type { IrResource } from '../../ir';
import type { BindGroupStore, BoundGroup, BoundResource, DrawState } from '../types';
import type { Sampler, View } from './views';

/** Resources that come with a draw call instead of a bind group. */
export type WithDraw = Extract<IrResource, { kind: 'immediate' | 'blend-constant' }>;

/** The dynamic offset of a binding, in bytes. */
export function dynamicOffset({ group, dynamicOffsets }: BoundGroup, binding: number): number {
  if (dynamicOffsets === null) return 0;
  const index = group.dynamic.indexOf(binding);
  return index < 0 ? 0 : dynamicOffsets[index]!;
}

/** Writes the RESOURCE record of a binding of `group`. */
export function putResource(
  u32: Uint32Array,
  record: number,
  group: BoundGroup,
  bound: BoundResource,
  binding: number
): void {
  const isBuffer = bound.kind === 'buffer';
  u32[(record + Resource.address) >>> 2] = addressOf(bound) + (isBuffer ? dynamicOffset(group, binding) : 0);
  u32[(record + Resource.size) >>> 2] = sizeOf(bound);
}

const sizeOf = (bound: BoundResource): number => (bound.kind === 'buffer' ? wholeWords(bound.size) : 0);

const sortedBindings = ({ entries }: BindGroupStore): readonly number[] => [...entries.keys()].sort((a, b) => a - b);

/**
 * Address and size of each resource of a group without dynamic offsets, in the order of the binding numbers. Neither
 * changes as long as the group may be used, so a group has one list. Reading entries and resources of thousands of
 * groups would miss the processor's caches for each of them.
 */
export function resourceWords(group: BindGroupStore): readonly number[] {
  return (group.words ??= sortedBindings(group).flatMap((binding) => {
    const bound = group.entries.get(binding)!;
    return [addressOf(bound), sizeOf(bound)];
  }));
}

/** The index of a binding's address in `resourceWords`, which is the same for all groups with a layout. */
export const resourceIndex = (group: BindGroupStore, binding: number): number =>
  sortedBindings(group).indexOf(binding) * 2;

/** Writes the RESOURCE record of data that comes with a draw call or dispatch, at `address`. */
export function putImmediates(u32: Uint32Array, record: number, address: number, { minSize }: WithDraw): void {
  u32[(record + Resource.address) >>> 2] = address;
  u32[(record + Resource.size) >>> 2] = wholeWords(minSize);
}

/**
 * Rounds the size of a binding up to the words that shaders access. A uniform may end in half a word, an f16. The other
 * half is still inside the buffer's memory, and no shader can read it.
 */
const wholeWords = (bytes: number): number => Math.ceil(bytes / 4) * 4;

function addressOf(bound: BoundResource): number {
  switch (bound.kind) {
    case 'buffer':
      return bound.buffer.address + bound.offset;
    case 'surface':
      return (bound.view as View).surface;
    case 'texture':
    case 'image':
      return (bound.view as View).address;
    case 'sampler':
      return (bound.sampler as Sampler).address;
  }
}

/** Whether draw calls with these groups read the same resources. */
export function sameGroups(a: DrawState['groups'], b: DrawState['groups']): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const one = a[i] ?? null;
    const other = b[i] ?? null;
    if (one === other) continue;
    if (
      one === null
      || other === null
      || one.group !== other.group
      || !sameOffsets(one.dynamicOffsets, other.dynamicOffsets)
    )
      return false;
  }
  return true;
}

function sameOffsets(a: BoundGroup['dynamicOffsets'], b: BoundGroup['dynamicOffsets']): boolean {
  if (a === null || b === null) return a === b;
  // The bind group is the same, so both have the same number of offsets.
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
