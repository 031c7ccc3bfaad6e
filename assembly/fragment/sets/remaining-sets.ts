// Runs the second part of shaders that run per sample set (sets.ts). It has a separate warp, which reads results and
// links from the first part's warp. Each lane takes one set of any pixel, so pixels with fewer sets leave no lanes
// idle. Sets are grouped by quads if the shader takes derivatives or output needs quads.

import {
  Destinations,
  DRAW_FLAG_LATE_DEPTH,
  Entry,
  entryHead,
  Packer,
  PACKER_PIXELS,
  PACKER_QUADS,
  REGISTER_BYTES,
  SampleSets,
  SetRoom,
  STAT_FLAG_STAGES,
  STATUS_DONE,
  Tile,
  Triangle,
  Warp,
  WARP_QUADS,
} from '../../layout';
import { alwaysDiffer, equalTo } from '../../output/equal-samples';
import { likeWords } from '../../output/word-sets';
import { bitsOfSample, pixelMask, quadMask } from '../../tile/layers';
import { isInterpreted } from '../../warp/run';
import { bind } from '../lanes/bind';
import { countRun } from '../lanes/counts';
import { mergeSets } from './merge';
import { countSets, runPart, sendWarp } from './part';

/** Runs the remaining sets of a packer's entries, after the tile's warp has run the first part. Returns STATUS_*. */
export function runRemainingSets(tile: Tile, packer: Packer, sets: SampleSets): i32 {
  const room = tile.setRoom;
  const secondPart = sets.secondPart;
  const first = tile.warp;
  const second = tile.pool.secondPart;
  const out = room.packer;
  out.draw = secondPart;
  second.tile = changetype<usize>(tile);
  tile.use(second);
  const statistics = tile.pass.statistics;
  // If every sample is a separate set, most pixels of a quad have the same samples left.
  const needsQuadOrder = sets.needsQuadOrder != 0;
  const byQuads = sets.byQuads || needsQuadOrder || (sets.apart && packer.kind != PACKER_PIXELS);
  const most = needsQuadOrder && isInterpreted(secondPart.fragment.program) ? 1 : WARP_QUADS;
  for (;;) {
    if (byQuads) fillQuads(tile, room, packer, sets, most);
    else fillPixels(tile, room, packer, sets);
    if (!out.count) break;
    bind(tile, second, secondPart);
    passLinks(room, sets, first, second);
    const status = runPart(tile, out, secondPart, sets.byQuads != 0, room.secondFrom);
    if (status != STATUS_DONE) return status;
    countSets(tile, out, sets, second.lanes, 0);
    statistics.quadsShaded += second.quadCount;
    statistics.warpsFragment += 1;
    if (statistics.flags & STAT_FLAG_STAGES) countRun(tile, secondPart.fragment);
    // If sets take turns, the engines put different sets into a warp, and dispatches must be counted alike in both.
    const mayMerge = !needsQuadOrder && !(secondPart.flags & DRAW_FLAG_LATE_DEPTH);
    const merged = mayMerge ? mergeSets(tile, packer, sets, first) : 0;
    statistics.mergedDispatches += merged;
    sendWarp(tile, out, sets, merged);
  }
  tile.use(first);
  return STATUS_DONE;
}

/** The remaining samples of a pixel that belong to the same set as `sample`. */
function setOf(tile: Tile, sets: SampleSets, pixel: i32, left: i32, sample: i32): i32 {
  const room = tile.setRoom;
  if (ASC_FEATURE_SIMD) if (room.words) return left & likeWords(room.words, pixel, sample);
  if (room.apart) return left & (tile.samples == 2 ? 5 << sample : 1 << sample);
  return left & equalTo(tile, changetype<Destinations>(sets.secondPart.destinations), pixel, sample);
}

/** Fills a packer of pixels with sets. Takes either all sets of an entry or none. */
function fillPixels(tile: Tile, room: SetRoom, packer: Packer, sets: SampleSets): void {
  const out = room.packer;
  const single = packer.kind == PACKER_PIXELS;
  out.kind = PACKER_PIXELS;
  out.count = 0;
  for (; room.some; room.some &= room.some - 1) {
    const i = <i32>ctz(room.some);
    const left = room.samplesLeft(i);
    // The number of samples left bounds the number of sets.
    if (out.count + <i32>popcnt(left) > 4 * WARP_QUADS && out.count) return;
    const entry = packer.entry(i);
    const triangle = entry.triangle;
    room.apart = i32(alwaysDiffer(sets, triangle));
    if (single) putPixel(tile, sets, triangle, entry.pixel, <i32>left, i);
    else
      for (let pixel = 0; pixel < 4; pixel++) {
        const samples = pixelMask(left, pixel);
        const lane = firstLane(room, (i << 2) + pixel);
        if (samples) putPixel(tile, sets, triangle, (entry.quad << 2) + pixel, samples, lane);
      }
  }
}

/** The first part's lane for a pixel of its quads. */
function firstLane(room: SetRoom, pixel: i32): i32 {
  return room.packed ? room.pixelLane(pixel) : pixel;
}

/** Appends the sets of a pixel, one entry each. `lane` is the pixel's lane in the first part. */
export function putPixel(tile: Tile, sets: SampleSets, triangle: Triangle, pixel: i32, samples: i32, lane: i32): void {
  const room = tile.setRoom;
  const out = room.packer;
  let count = out.count;
  for (let left = samples; left;) {
    const sample = <i32>ctz(left);
    const set = setOf(tile, sets, pixel, left, sample);
    left &= ~set;
    out.entry(count).put(entryHead(triangle, pixel, sets.apart ? sample : -1), set);
    store<u8>(room.secondFrom + count, sample);
    store<u8>(room.lanes + count, lane);
    count++;
  }
  out.count = count;
}

/**
 * Fills a packer with up to `most` quads (WARP_QUADS or 1). Each holds the next set of each pixel that has sets left.
 * With WARP_QUADS, all sets of an entry go into the same packer.
 */
function fillQuads(tile: Tile, room: SetRoom, packer: Packer, sets: SampleSets, most: i32): void {
  const out = room.packer;
  out.kind = PACKER_QUADS;
  out.count = 0;
  for (; room.some; room.some &= room.some - 1) {
    const i = <i32>ctz(room.some);
    let left = room.samplesLeft(i);
    if (out.count + tile.samples > WARP_QUADS) return;
    const entry = packer.entry(i);
    const apart = alwaysDiffer(sets, entry.triangle);
    room.apart = i32(apart);
    if (apart && most > 1) {
      putSamples(tile, room, entry, left, i);
      continue;
    }
    for (let sample = 0; left; sample++) {
      const from = room.secondFrom + (out.count << 2);
      const mask = apart ? left & bitsOfSample(tile.samples, sample) : nextSets(tile, sets, entry.quad, left, from);
      if (!mask) continue;
      left &= ~mask;
      if (apart) store<u32>(from, sample * 0x01010101);
      out
        .entry(out.count)
        .put(entryHead(entry.triangle, entry.quad, sets.apart ? (apart ? sample : <i32>load<u8>(from)) : -1), mask);
      store<u8>(room.lanes + out.count, i);
      out.count++;
      if (out.count < most) continue;
      store<u64>(room.left + (i << 3), left);
      if (!left) room.some &= room.some - 1;
      return;
    }
  }
}

/** Appends every sample in `left` of entry `i` of the first part as a quad of its own. */
function putSamples(tile: Tile, room: SetRoom, entry: Entry, left: u64, i: i32): void {
  const out = room.packer;
  const samples = tile.samples;
  const lanes = room.lanes;
  const from = room.secondFrom;
  let head = entryHead(entry.triangle, entry.quad, 0);
  let count = out.count;
  for (let sample = 0; sample < samples; sample++) {
    const mask = left & bitsOfSample(samples, sample);
    if (mask) {
      out.entry(count).put(head, mask);
      store<u32>(from + (count << 2), sample * 0x01010101);
      store<u8>(lanes + count, i);
      count++;
    }
    head += (<u64>1) << 48;
  }
  out.count = count;
}

/** The next set of each pixel of a quad. Writes the sample whose values the set has to the pixel's byte at `from`. */
function nextSets(tile: Tile, sets: SampleSets, quad: i32, left: u64, from: usize): u64 {
  let mask: u64 = 0;
  store<u32>(from, 0);
  for (let pixel = 0; pixel < 4; pixel++) {
    const samples = pixelMask(left, pixel);
    if (!samples) continue;
    const sample = <i32>ctz(samples);
    store<u8>(from + pixel, sample);
    mask |= quadMask(setOf(tile, sets, (quad << 2) + pixel, samples, sample), pixel);
  }
  return mask;
}

/** Copies the first part's links to the second part's inputs, from the lanes of the sets' pixels. */
export function passLinks(room: SetRoom, sets: SampleSets, first: Warp, second: Warp): void {
  const count = room.packer.count;
  const bytes: usize = sets.linkCount * REGISTER_BYTES;
  const from = first.registers + sets.linkFrom * REGISTER_BYTES;
  const to = second.registers + sets.linkTo * REGISTER_BYTES;
  if (room.packer.kind != PACKER_QUADS) {
    for (let at: usize = 0; at < bytes; at += REGISTER_BYTES) {
      for (let i = 0; i < count; i++) store<u32>(to + at + (i << 2), load<u32>(from + at + (room.lane(i) << 2)));
    }
    return;
  }
  // The quads for successive samples of one entry are adjacent.
  for (let i = 0; i < count;) {
    const entry = room.lane(i);
    let next = i + 1;
    while (next < count && room.lane(next) == entry) next++;
    passQuad(
      from,
      room.packed ? load<u32>(room.pixelLanes + (entry << 2)) : (entry << 2) * 0x01010101 + 0x03020100,
      bytes,
      to + (i << 4),
      to + (next << 4)
    );
    i = next;
  }
}

/**
 * Copies the links of one quad to all quads from `begin` to `end`, which are addresses in the first register. The bytes
 * of `lanes` are the lanes of its pixels; `bytes` is the size of all registers.
 */
function passQuad(from: usize, lanes: u32, bytes: usize, begin: usize, end: usize): void {
  let a0 = from + ((lanes & 255) << 2);
  let a1 = from + (((lanes >> 8) & 255) << 2);
  let a2 = from + (((lanes >> 16) & 255) << 2);
  let a3 = from + ((lanes >> 24) << 2);
  const past = a0 + bytes;
  for (; a0 < past; begin += REGISTER_BYTES, end += REGISTER_BYTES) {
    if (ASC_FEATURE_SIMD) {
      const two = v128.load_lane<u32>(a1, v128.load32_zero(a0), 1);
      const four = v128.load_lane<u32>(a3, v128.load_lane<u32>(a2, two, 2), 3);
      for (let to = begin; to < end; to += 16) v128.store(to, four);
    } else
      for (let to = begin; to < end; to += 16) {
        store<u32>(to, load<u32>(a0));
        store<u32>(to, load<u32>(a1), 4);
        store<u32>(to, load<u32>(a2), 8);
        store<u32>(to, load<u32>(a3), 12);
      }
    a0 += REGISTER_BYTES;
    a1 += REGISTER_BYTES;
    a2 += REGISTER_BYTES;
    a3 += REGISTER_BYTES;
  }
}
