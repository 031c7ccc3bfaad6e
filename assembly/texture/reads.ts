// What loads of samples read of surfaces (layout/surface.ts, READS): counted by the warp while its program runs, and
// added to the surfaces' own counters, which all workers share, when it has run.
import { QuadRead, READ_SURFACES, Reads, Surface, Warp } from '../layout';
import { noteReads } from '../surface/stored';

/** Where a warp counts what it reads of a surface. Beyond READ_SURFACES of them, one makes room. */
export function readsOf(read: QuadRead, surface: Surface): Reads {
  const count = read.readCount;
  for (let i: u32 = 0; i < count; i++) {
    const reads = read.readsOf(i);
    if (reads.surface == surface) return reads;
  }
  const last = count < READ_SURFACES ? count : READ_SURFACES - 1;
  const reads = read.readsOf(last);
  if (count == READ_SURFACES) noteReads(reads);
  reads.surface = surface;
  reads.texels = 0;
  reads.moved = 0;
  read.readCount = last + 1;
  return reads;
}

/** The warp's program has run. */
// @ts-ignore: decorator
@inline
export function addReads(warp: Warp): void {
  if (warp.access.quadRead.readCount) addAll(warp.access.quadRead);
}

function addAll(read: QuadRead): void {
  for (let i: u32 = 0; i < read.readCount; i++) noteReads(read.readsOf(i));
  read.readCount = 0;
}
