// Checks which types are allowed in which address space (WGSL §7.3, §14.3).

import { isHostShareable } from '../layout';
import { containsArray, containsAtomic, containsRuntimeArray, isConstructible, isHandle } from '../type-store';
import type { PointerType, Type } from '../types';

type Memory = Pick<PointerType, 'space' | 'access'>;

/** Why a variable in the address space cannot have the type; null if it can. */
export function storeTypeFault(type: Type, memory: Memory, openArrays: ReadonlySet<Type>): string | null {
  const { space } = memory;
  const why = pointerTypeFault(type, memory, openArrays);
  if (why !== null || space === 'storage') return why;
  if (type.kind === 'buffer' && type.size === null) return 'it has no size';
  return containsRuntimeArray(type) ? 'it contains a runtime-sized array' : null;
}

/**
 * As storeTypeFault, for pointers. They may also point to a view of a buffer or a part of one, without a fixed size.
 */
export function pointerTypeFault(type: Type, { space, access }: Memory, openArrays: ReadonlySet<Type>): string | null {
  if (isHandle(type)) return space === 'handle' ? null : 'textures and samplers have no address space';
  const isShared = ['uniform', 'storage', 'workgroup'].includes(space);
  if (space === 'immediate' && containsArray(type)) return 'immediate data cannot contain arrays';
  if (type.kind === 'buffer' && !isShared) return 'buffers are only allowed in uniform, storage and workgroup memory';
  if (openArrays.has(type) && space !== 'workgroup')
    return `its ${type.kind === 'buffer' ? 'size' : 'count'} is an override`;
  if (type.kind === 'buffer') return null;
  if (!isShared && containsRuntimeArray(type)) return 'it contains a runtime-sized array';
  if (containsAtomic(type)) {
    if (space !== 'workgroup' && space !== 'storage') return 'it contains an atomic';
    return access === 'read_write' ? null : "it contains an atomic, which needs 'read_write'";
  }
  if (space === 'function' || space === 'private' || space === 'workgroup')
    return isConstructible(type) || containsRuntimeArray(type) ? null : 'it cannot be stored';
  return isHostShareable(type) ? null : 'it is not host-shareable (bool, pointers and handles are not)';
}
