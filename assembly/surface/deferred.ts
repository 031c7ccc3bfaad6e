// Deferred stores: a store to a tile that is not cached waits until the tile is cached, until MAX_DEFERRED stores
// wait, or until the unit is flushed. So scattered stores do not fetch and write back a tile each. The second store in
// a row to the same tile brings the tile into the cache. Tiles with deferred stores are never cached.
//
// (82,369 stores to scattered pixels of a cleared surface of 1024×1024 pixels took 281 ms and wrote back a tile for
// nearly every store. They take 98 ms this way, and neighbouring stores 6 ms.)

import { DEFERRED_LISTS, DeferredStore, LoadStoreUnit, MAX_DEFERRED, sizeOf, Surface, Working } from '../layout';
import { copyTexel } from './texel-same';
import { writeSamples } from './working';

/** Offset of a tile's list from LoadStoreUnit.firstDeferred and LoadStoreUnit.lastDeferred. */
function listOf(surface: Surface, tile: i32): usize {
  return ((<usize>tile + (changetype<usize>(surface) >> 4)) & (DEFERRED_LISTS - 1)) * sizeof<usize>();
}

/** Whether a store to a tile that is not cached is to be deferred. */
export function isDeferrable(unit: LoadStoreUnit, surface: Surface, tile: i32): bool {
  // A store to a lossy surface depends on what the pixel holds.
  return surface.threshold == 0 && (unit.deferredCount == 0 || unit.deferredTile != tile);
}

/** Whether no further store can be deferred. */
export function isFull(unit: LoadStoreUnit): bool {
  return unit.deferredCount == MAX_DEFERRED;
}

/** Defers a store of the texel in LoadStoreUnit.texel. */
export function defer(unit: LoadStoreUnit, surface: Surface, tile: i32, pixel: i32, mask: i32): void {
  const entry = storeAt(unit, unit.deferredCount);
  unit.deferredCount += 1;
  unit.deferredTile = tile;
  entry.surface = surface;
  entry.tile = tile;
  entry.place = (<u32>pixel) | ((<u32>mask) << 16);
  entry.next = changetype<DeferredStore>(0);
  copyTexel(surface.texelBytes, entry.texel, unit.texel);
  const list = listOf(surface, tile);
  const last = load<usize>(unit.lastDeferred + list);
  if (last) changetype<DeferredStore>(last).next = entry;
  else store<usize>(unit.firstDeferred + list, changetype<usize>(entry));
  store<usize>(unit.lastDeferred + list, changetype<usize>(entry));
}

export function storeAt(unit: LoadStoreUnit, index: u32): DeferredStore {
  return changetype<DeferredStore>(unit.deferred + index * sizeOf<DeferredStore>());
}

/** Writes the stores that wait for a tile, which has just been cached, in their order. */
export function writeDeferred(unit: LoadStoreUnit, working: Working): void {
  const surface = working.surface;
  const list = listOf(surface, working.tile);
  let before = changetype<DeferredStore>(0);
  let entry = changetype<DeferredStore>(load<usize>(unit.firstDeferred + list));
  while (entry) {
    const next = entry.next;
    if (entry.surface == surface && entry.tile == working.tile) {
      writeSamples(working, entry.place & 0xffff, entry.place >> 16, entry.texel);
      entry.surface = changetype<Surface>(0);
      if (before) before.next = next;
      else store<usize>(unit.firstDeferred + list, changetype<usize>(next));
    } else {
      before = entry;
    }
    entry = next;
  }
  store<usize>(unit.lastDeferred + list, changetype<usize>(before));
}
