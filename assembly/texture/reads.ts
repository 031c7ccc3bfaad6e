// Counts what loads of samples read from surfaces (layout/surface/surface.ts, READS), and remembers the pixels that are
// stored with one value, whose texel is then not fetched again for another sample. The warp does so while its shader
// runs; the counts are added to the surfaces' counters, which all workers share, when the shader has run.
import { PixelReads, QUAD_VECTORS_BYTES, QuadRead, READ_SURFACES, Surface, Warp } from '../layout';
import { noteReads, sampleAddress } from '../surface/stored';

/**
 * The warp's PIXEL READS record for a surface. When all READ_SURFACES records are in use, the last one is flushed and
 * reused.
 */
export function readsOf(read: QuadRead, surface: Surface): PixelReads {
  const count = read.readCount;
  for (let i: u32 = 0; i < count; i++) {
    const reads = read.readsOf(i);
    if (reads.reads.surface == surface) return reads;
  }
  const last = count < READ_SURFACES ? count : READ_SURFACES - 1;
  const reads = read.readsOf(last);
  if (count == READ_SURFACES) noteReads(reads.reads);
  reads.reads.surface = surface;
  reads.reads.texels = 0;
  reads.reads.moved = 0;
  memory.fill(reads.texels, 0, QUAD_VECTORS_BYTES);
  read.readCount = last + 1;
  return reads;
}

/** As sampleAddress (surface/stored.ts), for the lane at byte offset `lane` of the warp's lanes. */
// @ts-ignore: decorator
@inline
export function pixelAddress(pixels: PixelReads, lane: usize, x: i32, y: i32, sample: i32): usize {
  const surface = pixels.reads.surface;
  const place = x | (y << 16);
  const known = load<usize>(pixels.texels + lane);
  if (known && load<i32>(pixels.places + lane) == place && surface.holds(x, y) && <u32>sample < <u32>surface.samples) {
    pixels.reads.texels += 1;
    return known;
  }
  const texel = sampleAddress(pixels.reads, x, y, sample);
  notePixel(pixels, lane, place, texel);
  return texel;
}

/** Remembers the pixel that a lane has just read. */
// @ts-ignore: decorator
@inline
export function notePixel(pixels: PixelReads, lane: usize, place: i32, texel: usize): void {
  store<i32>(pixels.places + lane, place);
  store<usize>(pixels.texels + lane, pixels.reads.values == 1 ? texel : 0);
}

/** Adds the warp's counts to the surfaces after its shader has run. */
// @ts-ignore: decorator
@inline
export function addReads(warp: Warp): void {
  if (warp.access.quadRead.readCount) addAll(warp.access.quadRead);
}

function addAll(read: QuadRead): void {
  for (let i: u32 = 0; i < read.readCount; i++) noteReads(read.readsOf(i).reads);
  read.readCount = 0;
}
