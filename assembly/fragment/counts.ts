// How often the fragment program ran for each pixel, where a pass asks (PASS_COUNTS): one for every invocation, not for helper lanes.
import { CTX_PASS, CTX_SAMPLES, CTX_TILE_X, CTX_TILE_Y, ENTRY_PIXEL, ENTRY_QUAD, ENTRY_SHIFT, PACKER_COUNT, PACKER_ENTRIES, PACKER_KIND, PACKER_PIXELS } from '../layout/context';
import { PASS_COUNTS, PASS_COUNTS_ROW_BYTES } from '../layout/pass';
import { quadX, quadY } from '../simd/positions';
import { entryMask } from '../output/layers';
import { anyLayer } from '../tile/layers';
import { pixelsOf } from './masks';

/** Counts the invocations of a packer's warp. Before its output, which takes samples out of the masks. */
// @ts-ignore: decorator
@inline
export function countInvocations(context: usize, packer: usize): void {
  if (load<usize>(load<usize>(context + CTX_PASS) + PASS_COUNTS)) countEntries(context, packer);
}

function countEntries(context: usize, packer: usize): void {
  const several = load<i32>(context + CTX_SAMPLES) != 1;
  const pixels = load<i32>(packer + PACKER_KIND) == PACKER_PIXELS;
  let entry = packer + PACKER_ENTRIES;
  for (const end = entry + (<usize>load<i32>(packer + PACKER_COUNT) << ENTRY_SHIFT); entry < end; entry += 1 << ENTRY_SHIFT) {
    if (pixels) {
      const pixel = load<i32>(entry, ENTRY_PIXEL);
      countPixel(context, pixel >> 2, pixel & 3);
      continue;
    }
    const mask = anyLayer(entryMask(context, entry));
    for (let rest = several ? pixelsOf(mask) : mask; rest; rest &= rest - 1) countPixel(context, load<i32>(entry, ENTRY_QUAD), ctz(rest));
  }
}

function countPixel(context: usize, quad: i32, pixel: i32): void {
  const pass: usize = load<usize>(context + CTX_PASS);
  const x = load<i32>(context + CTX_TILE_X) + quadX(quad) + (pixel & 1);
  const y = load<i32>(context + CTX_TILE_Y) + quadY(quad) + (pixel >> 1);
  const at = load<usize>(pass + PASS_COUNTS) + <usize>y * <usize>load<i32>(pass + PASS_COUNTS_ROW_BYTES) + (<usize>x << 2);
  store<u32>(at, load<u32>(at) + 1);
}
