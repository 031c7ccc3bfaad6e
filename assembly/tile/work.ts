// The tile's queue of work items (layout/tile/work.ts).

import { COVER_SHIFT, sizeOf, Tile, WorkItem } from '../layout';
import { hasLayer, ofLayer, samplesOf } from './layers';

/** Makes the queue empty. */
// @ts-ignore: decorator
@inline
export function beginWork(tile: Tile): void {
  const first = changetype<WorkItem>(tile.work);
  tile.workEnd = first;
  tile.cover = first.samples;
}

/** Appends a quad, or a part of a block whose samples, if a pixel has several, are at Tile.cover. */
// @ts-ignore: decorator
@inline
export function putWork<S>(tile: Tile, kind: i32, place: i32, cover: u64): void {
  const item = tile.workEnd;
  item.cover = cover;
  item.place = place;
  item.kind = kind;
  tile.workEnd = nextWork(item);
  if (samplesOf<S>() != 1) tile.cover = tile.workEnd.samples;
}

/** Appends a block after its depth was tested as a whole, with the result `side`. */
// @ts-ignore: decorator
@inline
export function putBlockWork<S>(tile: Tile, kind: i32, block: i32, cover: u64, side: i32): void {
  const item = tile.workEnd;
  item.side = side;
  item.low = tile.depthLow;
  item.high = tile.depthHigh;
  putWork<S>(tile, kind, block, cover);
}

/** The item after another one. */
// @ts-ignore: decorator
@inline
export function nextWork(item: WorkItem): WorkItem {
  return changetype<WorkItem>(changetype<usize>(item) + sizeOf<WorkItem>());
}

/** Marks all samples of a block as covered in a layer. (memory.fill is not used because it leaves the module.) */
function fillCover(cover: usize): void {
  for (const end = cover + (1 << COVER_SHIFT); cover < end; cover += 8) store<u64>(cover, -1);
}

/** fillCover for all layers of Tile.cover. */
export function fillCovers(tile: Tile): void {
  for (let layer = 0; layer < tile.layers; layer++) fillCover(tile.coverOf(layer));
}

/** Removes samples from Tile.cover that the pipeline's sample mask excludes. */
export function maskCover<S>(tile: Tile, selected: u64): void {
  let layer = 0;
  do {
    const samples = <u64>ofLayer(selected, layer) * 0x0001000100010001;
    const from = tile.coverOf(layer);
    for (let at = from; at < from + (1 << COVER_SHIFT); at += 8) store<u64>(at, load<u64>(at) & samples);
  } while (hasLayer<S>(tile, ++layer));
}

/** One bit for each quad that a block's item touches; `cover` is WorkItem.cover. */
export function touchedQuads<S>(cover: u64): i32 {
  if (samplesOf<S>() != 1) return (<i32>cover) & 0xffff;
  let quads = cover | (cover >> 1);
  quads = (quads | (quads >> 2)) & 0x1111111111111111;
  quads = (quads | (quads >> 3)) & 0x0303030303030303;
  quads = (quads | (quads >> 6)) & 0x000f000f000f000f;
  quads = (quads | (quads >> 12)) & 0x000000ff000000ff;
  return (<i32>(quads | (quads >> 24))) & 0xffff;
}

/** The samples of a quad of a block; `cover` is WorkItem.cover. */
export function coverOfQuad<S>(tile: Tile, cover: u64, quad: i32): u64 {
  if (samplesOf<S>() == 1) return (cover >> (<u64>(quad << 2))) & 15;
  let mask: u64 = 0;
  let layer = 0;
  do {
    mask |= (<u64>load<u16>(tile.coverOf(layer) + (quad << 1))) << u64(layer << 4);
  } while (hasLayer<S>(tile, ++layer));
  return mask;
}

/** Sets the samples of a quad of a block. Returns the quad's part of WorkItem.cover. */
export function putCoverOfQuad<S>(tile: Tile, mask: u64, quad: i32): u64 {
  if (samplesOf<S>() == 1) return mask << u64(quad << 2);
  let layer = 0;
  do {
    store<u16>(tile.coverOf(layer) + (quad << 1), ofLayer(mask, layer));
  } while (hasLayer<S>(tile, ++layer));
  return (<u64>i32(mask != 0)) << u64(quad);
}
