// What a flush of the coalescer moves, by its form: bytes of values, of masks, of states and of tile masks; and which
// form moves the fewest.
//
//   value       bytes of a texel
//   mask        of samples: a byte up to eight of them, else two
//   entry       value and mask; a pixel of entries starts with a byte that says how many they are
//   state       a byte a flush; two bits a pixel where every pixel has its own
//   tile mask   eight bytes a flush, if it has not all pixels of the block
//
// Whatever the form, the working tile that receives the flush keeps each pixel in its own state.

import {
  COUNT_FORM_BYTES, COUNT_FORMS, COUNT_PLAIN_BYTES, FORM_ONE_STATE, FORM_PER_PIXEL, FORM_REPLICATED, FORM_SUB_FLUSHES,
  FORM_SUBSETS, LoadStoreUnit, Surface,
} from '../layout';
import { count } from './cache';

const STATE_BYTES = 1;
const TILE_MASK_BYTES = 8;
const BLOCK: u64 = ~<u64>0;

/** State and tile mask of a flush of these pixels. */
function head(pixels: u64): i32 { return STATE_BYTES + (pixels == BLOCK ? 0 : TILE_MASK_BYTES); }

/** Counts the flush that LoadStoreUnit.tally describes under the form that moves the fewest bytes; returns that. */
export function countForm(unit: LoadStoreUnit, surface: Surface): i32 {
  const tally = unit.tally;
  const bytes = surface.texelBytes;
  const samples = surface.samples;
  const entry = bytes + (samples > 8 ? 2 : 1);
  const one = tally.one;
  const full = tally.full;
  const subsets = tally.subsets;
  const pixels = one | full | subsets;
  // Each state's pixels, without the flush's head.
  const oneBytes = <i32>popcnt(one) * bytes;
  const fullBytes = <i32>popcnt(full) * samples * bytes;
  const subsetBytes = <i32>popcnt(subsets) + tally.subsetEntries * entry;
  const all = oneBytes + fullBytes + subsetBytes;
  const states = (one != 0) + <i32>(full != 0) + (subsets != 0);
  let form = FORM_ONE_STATE;
  let least = head(pixels) + all;
  if (states > 1) {
    const maskBytes = tally.partial ? <i32>popcnt(pixels) * (entry - bytes) : 0;
    form = FORM_REPLICATED;
    least = head(pixels) + maskBytes + tally.samples * bytes;
    const asSubsets = head(pixels) + <i32>popcnt(pixels) + tally.entries * entry;
    if (asSubsets < least) { form = FORM_SUBSETS; least = asSubsets; }
    // No state has all pixels here. Three tile masks are never less than two bits a pixel, two are where the block
    // lacks some.
    const separate = states * (STATE_BYTES + TILE_MASK_BYTES) + all;
    if (separate < least) { form = FORM_SUB_FLUSHES; least = separate; }
    const perPixel = head(pixels) + ((<i32>popcnt(pixels) + 3) >> 2) + all;
    if (perPixel < least) { form = FORM_PER_PIXEL; least = perPixel; }
  }
  count(unit, COUNT_FORMS + form, 1);
  count(unit, COUNT_FORM_BYTES + form, least);
  count(unit, COUNT_PLAIN_BYTES, tally.samples * bytes);
  return form;
}
