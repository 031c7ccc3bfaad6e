// Counts what loads of samples read from surfaces (layout/surface/surface.ts, READS). The warp counts while its shader
// runs; the counts are added to the surfaces' counters, which all workers share, when the shader has run.
import { QuadRead, READ_SURFACES, Reads, Surface, Warp } from '../layout';
import { noteReads } from '../surface/stored';

/**
 * The warp's READS record for a surface. When all READ_SURFACES records are in use, the last one is flushed and reused.
 */
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

/** Adds the warp's counts to the surfaces after its shader has run. */
// @ts-ignore: decorator
@inline
export function addReads(warp: Warp): void {
  if (warp.access.quadRead.readCount) addAll(warp.access.quadRead);
}

function addAll(read: QuadRead): void {
  for (let i: u32 = 0; i < read.readCount; i++) noteReads(read.readsOf(i));
  read.readCount = 0;
}
