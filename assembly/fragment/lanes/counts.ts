// Counts fragment shader invocations per pixel if a pass requests it (Pass.counts); helper lanes are not counted. Also
// counts the warps of each stage if statistics request it.
import { Entry, Packer, PACKER_PIXELS, sizeOf, Stage, Tile } from '../../layout';
import { quadX, quadY } from '../../simd/positions';
import { anyLayer } from '../../tile/layers';
import { pixelsOf } from './masks';

/** Counts a warp of a stage. The count is among those that the tile takes back if it is replayed. */
export function countRun(tile: Tile, stage: Stage): void {
  const at = tile.pass.stageRuns + (stage.counter << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Counts the invocations of a packer's warp. Must run before its output, which removes samples from the masks. */
export function countInvocations(tile: Tile, packer: Packer): void {
  if (tile.pass.counts) countEntries(tile, packer);
}

function countEntries(tile: Tile, packer: Packer): void {
  const multisampled = tile.layerSamples != 1;
  const pixels = packer.kind == PACKER_PIXELS;
  let entry = packer.entries;
  for (const end = entry + packer.count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    if (pixels) {
      const pixel = changetype<Entry>(entry).pixel;
      countPixel(tile, pixel >> 2, pixel & 3);
      continue;
    }
    const mask = anyLayer(changetype<Entry>(entry).mask);
    for (let rest = multisampled ? pixelsOf(mask) : mask; rest; rest &= rest - 1)
      countPixel(tile, changetype<Entry>(entry).quad, ctz(rest));
  }
}

function countPixel(tile: Tile, quad: i32, pixel: i32): void {
  const pass = tile.pass;
  const x = tile.x + quadX(quad) + (pixel & 1);
  const y = tile.y + quadY(quad) + (pixel >> 1);
  const at = pass.counts + y * pass.countsRowBytes + (x << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Number of pixels that have samples in a packer's entries. */
export function countPixels(tile: Tile, packer: Packer): u32 {
  const single = tile.layerSamples == 1;
  const pixels = packer.kind == PACKER_PIXELS;
  let count: u32 = 0;
  for (let i = 0; i < packer.count; i++) {
    const mask = packer.entry(i).mask;
    count += pixels ? u32(mask != 0) : popcnt(single ? <i32>mask : pixelsOf(anyLayer(mask)));
  }
  return count;
}
