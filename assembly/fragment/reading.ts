// Quads of draws that read what the targets hold. Samples of a pixel that hold the same in all targets that are read
// are a sample set, and are run once: a quad has an entry for the first sets of its pixels, one for the next, and so on
// (US 9,082,212, "sample-based passes"). Whoever comes to a quad of which an entry waits has these run first, so that
// each finds what those before it have left: a map of claims tells, without a look at the entries. The same code in
// both builds.

import { Destinations, entryHead, Packer, Plane, STATUS_DONE, Tile, Triangle, WARP_QUADS } from '../layout';
import { sameTexel } from '../surface/texel-same';
import { claimQuad, isBlockClaimed, isClaimed } from '../tile/claims';
import { bitsOfSample, quadMask } from '../tile/layers';
import { takeUpAll } from './shade';
import { drainDeferred, drainOrdered, goesAlone, orderedPacker } from './slots';

/** Packs what a triangle covers of a quad. Returns STATUS_*. */
export function packReading(tile: Tile, triangle: Triangle, quad: i32, mask: u64): i32 {
  const packer = orderedPacker(tile);
  if (tile.holdsDeferred | tile.aside) {
    // What is to be shaded there later has left its block for a packer, or waits in a warp that was put aside.
    const status = drainDeferred(tile);
    const settled = status == STATUS_DONE ? takeUpAll(tile) : status;
    if (settled != STATUS_DONE) return settled;
  }
  if (isClaimed(tile, quad)) {
    tile.pass.statistics.positionHazards += 1;
    const status = drainOrdered(tile);
    if (status != STATUS_DONE) return status;
  }
  const count = tile.samples;
  const destinations = changetype<Destinations>(packer.draw.destinations);
  if (count == 1 || (!destinations.each && isUniform(tile, destinations, quad)))
    return append(tile, packer, triangle, quad, mask, -1);
  let rest = mask;
  for (let sample = 0; sample < count && rest; sample++) {
    const set = destinations.each
      ? rest & bitsOfSample(count, sample)
      : likeSample(tile, destinations, quad, rest, sample);
    if (!set) continue;
    rest &= ~set;
    const status = append(tile, packer, triangle, quad, set, sample);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Of the samples of `rest`, those that hold what `sample` of their pixel holds. */
function likeSample(tile: Tile, destinations: Destinations, quad: i32, rest: u64, sample: i32): u64 {
  let set: u64 = 0;
  for (let lane = 0; lane < 4; lane++) {
    const left = rest & 0x000f000f000f000f << <u64>(lane << 2);
    if (left) set |= left & quadMask(equalTo(tile, destinations, (quad << 2) + lane, sample), lane);
  }
  return set;
}

/** The samples of a pixel that hold what `sample` holds in all targets that the draw reads: bit sample. */
function equalTo(tile: Tile, destinations: Destinations, pixel: i32, sample: i32): i32 {
  let equal = 0xffff;
  for (let rest = destinations.targets; rest; rest &= rest - 1) {
    const plane = tile.plane(ctz(rest));
    if (!plane.isClear(pixel >> 6) && plane.isPerSample(pixel)) equal &= equalIn(plane, pixel, sample);
  }
  return equal;
}

/** The same of one target, of whose samples the pixel has several. */
function equalIn(plane: Plane, pixel: i32, sample: i32): i32 {
  if (plane.pairsOfQuad(pixel >> 2) >> (pixel & 3) & 1) {
    const second = <i32>load<u16>(plane.maskAt(pixel));
    return second >> sample & 1 ? second : ~second;
  }
  const bytes = plane.texelBytes;
  const first = plane.sample(pixel);
  const at = plane.sampleAt(first, sample);
  let equal = 0;
  for (let layer = 0; layer < plane.layers; layer++) {
    const four = first + layer * plane.layerBytes;
    const bits = bytes == 4 ? likeWord(four, load<u32>(at)) : likeTexel(bytes, four, at);
    equal |= bits << (layer << 2);
  }
  return equal;
}

/** Which of four texels, a word each, are `word`. */
function likeWord(four: usize, word: u32): i32 {
  const first = i32(load<u32>(four) == word) | (i32(load<u32>(four, 4) == word) << 1);
  return first | (i32(load<u32>(four, 8) == word) << 2) | (i32(load<u32>(four, 12) == word) << 3);
}

function likeTexel(bytes: i32, four: usize, texel: usize): i32 {
  let equal = 0;
  for (let i = 0; i < 4; i++) equal |= i32(sameTexel(bytes, four + i * bytes, texel)) << i;
  return equal;
}

/** Appends an entry, which claims its quad until it is run; runs the warp when it is full. Returns STATUS_*. */
function append(tile: Tile, packer: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  const each = changetype<Destinations>(packer.draw.destinations).each;
  const count = packer.count;
  const from: u64 = sample < 0 ? 0 : sample;
  packer.entry(count).put(entryHead(triangle, quad, each ? sample : -1) | from << 56, mask);
  packer.count = count + 1;
  if (count + 1 == WARP_QUADS || goesAlone(packer)) return drainOrdered(tile);
  claimQuad(tile, quad);
  return STATUS_DONE;
}

/** Whether all pixels of a block hold one value each in all targets that the draw reads, and nobody waits there. */
export function isUniformBlock(tile: Tile, destinations: Destinations, block: i32): bool {
  if (isBlockClaimed(tile, block) || (tile.holdsDeferred | tile.aside)) return false;
  if (tile.samples == 1) return true;
  if (destinations.each) return false;
  for (let rest = destinations.targets; rest; rest &= rest - 1) {
    const plane = tile.plane(ctz(rest));
    if (!plane.isClear(block) && load<u64>(plane.bits(block))) return false;
  }
  return true;
}

function isUniform(tile: Tile, destinations: Destinations, quad: i32): bool {
  for (let rest = destinations.targets; rest; rest &= rest - 1) {
    const plane = tile.plane(ctz(rest));
    if (!plane.isClear(quad >> 4) && plane.perSampleOf(quad)) return false;
  }
  return true;
}
