// Lays out the workgroup variables of an entry point in workgroup memory.

import type { EntryPoint, Hir } from '../hir';
import { alignOf, roundUp, sizeOf } from '../layout';

interface WorkgroupVariables {
  /** In declaration order. */
  readonly places: readonly { readonly global: number; readonly offset: number }[];
  /** Total size, a multiple of 16. */
  readonly bytes: number;
}

export function workgroupVariables(hir: Hir, entry: EntryPoint): WorkgroupVariables {
  let bytes = 0;
  const places = entry.globals
    .filter((global) => hir.globals[global]!.space === 'workgroup')
    .sort((a, b) => a - b)
    .map((global) => {
      const { type } = hir.globals[global]!;
      const offset = roundUp(alignOf(type), bytes);
      bytes = offset + sizeOf(type);
      return { global, offset };
    });
  return { places, bytes: roundUp(16, bytes) };
}

/** Number of bytes that count towards maxComputeWorkgroupStorageSize (WebGPU §10.2). */
export const workgroupBytes = (hir: Hir, entry: EntryPoint): number =>
  entry.globals.reduce((sum, global) => {
    const { space, type } = hir.globals[global]!;
    return space === 'workgroup' ? sum + roundUp(16, sizeOf(type)) : sum;
  }, 0);
