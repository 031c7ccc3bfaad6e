// Accesses to four pixels at once, where the lanes form a quad of the surface and no active lane is invalid. unit.ts
// handles all other accesses one by one, and all accesses in builds without SIMD, with the same values, counters and
// bytes. Most quads are in a present block, have one value per pixel and are stored to as a whole; they need no work
// per pixel. (A load, a blend and a store of such a pixel take 16 ns this way and 57 ns one by one.)

import { COUNT_LOADS, COUNT_STORES, LoadStoreUnit, Surface, SURFACE_1SPP, SurfaceAccess, Working } from '../layout';
import { allTrue, select, splat0 } from '../simd/lanes';
import { pixelAt } from '../simd/positions';
import { cachedTile, count, findTile, hold } from './cache';
import { swapRedAndBlue } from './formats';
import { copyTexel, sameTexel } from './texel-same';
import { stateOf, takeNearValue } from './unit';
import { blockBit, samplesHolding, texelInTile, writeQuad, writeSamples } from './working';

/** x and y offsets of a quad's pixels from its first. */
const OFFSETS: usize = memory.data<u32>([0, 1, 0, 1, 0, 0, 1, 1]);

/** Whether the lanes address a quad's pixels in order, all of them within the surface. */
// @ts-ignore: decorator
@inline
export function isQuad(surface: Surface, x: v128, y: v128): bool {
  const left = i32x4.extract_lane(x, 0);
  const top = i32x4.extract_lane(y, 0);
  if ((left | top) & 1 || !surface.holds(left, top) || !surface.holds(left + 1, top + 1)) return false;
  return allTrue(
    v128.and(
      i32x4.eq(x, i32x4.add(splat0(x), v128.load(OFFSETS))),
      i32x4.eq(y, i32x4.add(splat0(y), v128.load(OFFSETS, 16)))
    )
  );
}

/**
 * Loads a quad's pixels. Returns false, without effect, if they must be loaded one by one. The states are determined
 * only if `states` is set: proving that all samples of a pixel differ takes one comparison per sample.
 */
export function loadQuad(unit: LoadStoreUnit, surface: Surface, access: SurfaceAccess, states: bool): bool {
  if (!takesLanes(surface, access)) return false;
  if (!isQuad(surface, v128.load(access.x), v128.load(access.y))) return loadPixels(unit, surface, access, states);
  const lanes = v128.load(access.lanes);
  const on = i32x4.bitmask(lanes);
  const working = tileOf(unit, surface, access);
  const pixel = pixelAt(load<i32>(access.x), load<i32>(access.y));
  count(unit, COUNT_LOADS, popcnt(on));
  if (!(working.presentBlocks & blockBit(pixel >> 6)))
    for (let left = on; left; left &= left - 1) hold(unit, working, pixel + ctz(left));
  const plane = working.plane;
  let texels = plane.texel(pixel);
  if (plane.perSampleOf(pixel >> 2) & on) {
    texels = unit.texel;
    loadDivided(unit, working, access, pixel, on);
    if (states) noteStates(unit, working, access, pixel, on);
  } else {
    v128.store(access.known, select(lanes, i32x4.splat(surface.whole), v128.load(access.mask)));
    if (states) v128.store(access.state, v128.and(lanes, statesOf(working, texels)));
  }
  call_indirect<void>(working.decode, texels, access);
  if (working.blueFirst) swapRedAndBlue(access.texel);
  return true;
}

/** As loadQuad, for any four pixels within one tile, as in warps of single pixels. */
function loadPixels(unit: LoadStoreUnit, surface: Surface, access: SurfaceAccess, states: bool): bool {
  const on = i32x4.bitmask(v128.load(access.lanes));
  const first = ctz(on) << 2;
  const tile = surface.tileOf(load<i32>(access.x + first), load<i32>(access.y + first));
  for (let left = on; left; left &= left - 1) {
    const at = ctz(left) << 2;
    const x = load<i32>(access.x + at);
    const y = load<i32>(access.y + at);
    if (!surface.holds(x, y) || surface.tileOf(x, y) != tile) return false;
  }
  const working = cachedTile(unit, surface, tile);
  const plane = working.plane;
  const bytes = plane.texelBytes;
  count(unit, COUNT_LOADS, popcnt(on));
  v128.store(access.known, v128.load(access.mask));
  if (states) v128.store(access.state, i32x4.splat(0));
  for (let left = on; left; left &= left - 1) {
    const lane = ctz(left);
    const at = (<usize>lane) << 2;
    const pixel = pixelAt(load<i32>(access.x + at), load<i32>(access.y + at));
    if (!(working.presentBlocks & blockBit(pixel >> 6))) hold(unit, working, pixel);
    const to = unit.texel + lane * bytes;
    let mask = surface.whole;
    if (plane.isPerSample(pixel)) {
      const texel = texelInTile(working, pixel, ctz(load<i32>(access.mask + at)));
      mask = samplesHolding(working, pixel, texel);
      copyTexel(bytes, to, texel);
    } else {
      copyTexel(bytes, to, plane.texel(pixel));
    }
    store<i32>(access.known + at, mask);
    if (states) store<i32>(access.state + at, stateOf(working, pixel, to, mask));
  }
  call_indirect<void>(working.decode, unit.texel, access);
  if (working.blueFirst) swapRedAndBlue(access.texel);
  return true;
}

/** Loads the texels (into LoadStoreUnit.texel) and masks of a quad in which some pixels hold more than one value. */
function loadDivided(unit: LoadStoreUnit, working: Working, access: SurfaceAccess, pixel: i32, on: i32): void {
  const bytes = working.plane.texelBytes;
  v128.store(access.known, v128.load(access.mask));
  for (let left = on; left; left &= left - 1) {
    const lane = ctz(left);
    const at = (<usize>lane) << 2;
    const texel = texelInTile(working, pixel + lane, ctz(load<i32>(access.mask + at)));
    copyTexel(bytes, unit.texel + lane * bytes, texel);
    store<i32>(access.known + at, samplesHolding(working, pixel + lane, texel));
  }
}

/** Determines the states of pixels whose texels and masks are loaded. */
function noteStates(unit: LoadStoreUnit, working: Working, access: SurfaceAccess, pixel: i32, on: i32): void {
  v128.store(access.state, i32x4.splat(0));
  for (let left = on; left; left &= left - 1) {
    const lane = ctz(left);
    const at = (<usize>lane) << 2;
    const texel = unit.texel + lane * working.plane.texelBytes;
    store<i32>(access.state + at, stateOf(working, pixel + lane, texel, load<i32>(access.known + at)));
  }
}

/**
 * Stores to a quad's pixels. Returns false, without effect, if they must be stored to one by one, as in a tile that is
 * not cached.
 */
export function storeQuad(unit: LoadStoreUnit, surface: Surface, access: SurfaceAccess): bool {
  if (!isQuad(surface, v128.load(access.x), v128.load(access.y)) || !takesLanes(surface, access)) return false;
  const lanes = v128.load(access.lanes);
  const on = i32x4.bitmask(lanes);
  const x = load<i32>(access.x);
  const y = load<i32>(access.y);
  const working = findTile(unit, surface, surface.tileOf(x, y));
  if (!working) return false;
  const pixel = pixelAt(x, y);
  count(unit, COUNT_STORES, popcnt(on));
  if (working.blueFirst) swapRedAndBlue(access.texel);
  call_indirect<void>(working.encode, access, unit.texel);
  const whole = v128.and(lanes, i32x4.eq(v128.load(access.mask), i32x4.splat(surface.whole)));
  if (allTrue(whole) && surface.encodes) {
    writeQuad(working, pixel, unit.texel);
    return true;
  }
  for (let left = on; left; left &= left - 1) {
    const lane = ctz(left);
    const mask = load<i32>(access.mask + (lane << 2));
    const texel = unit.texel + lane * surface.texelBytes;
    if (mask != surface.whole && surface.threshold > 0) takeNearValue(unit, working, pixel + lane, mask, texel);
    writeSamples(working, pixel + lane, mask, texel);
  }
  return true;
}

/** Whether some lanes are active and all active lanes have valid sample masks. */
function takesLanes(surface: Surface, access: SurfaceAccess): bool {
  const lanes = v128.load(access.lanes);
  const known = i32x4.lt_u(i32x4.sub(v128.load(access.mask), i32x4.splat(1)), i32x4.splat(surface.whole));
  return v128.any_true(lanes) && allTrue(v128.or(known, v128.not(lanes)));
}

function tileOf(unit: LoadStoreUnit, surface: Surface, access: SurfaceAccess): Working {
  return cachedTile(unit, surface, surface.tileOf(load<i32>(access.x), load<i32>(access.y)));
}

/** The states of four pixels with one value each: SURFACE_CLEAR or SURFACE_1SPP. */
function statesOf(working: Working, texels: usize): v128 {
  const bytes = working.plane.texelBytes;
  let clear = i32x4.eq(v128.load(texels), v128.load(working.clear));
  if (bytes != 4) {
    clear = i32x4.replace_lane(clear, 0, -(<i32>sameTexel(bytes, texels, working.clear)));
    clear = i32x4.replace_lane(clear, 1, -(<i32>sameTexel(bytes, texels + bytes, working.clear)));
    clear = i32x4.replace_lane(clear, 2, -(<i32>sameTexel(bytes, texels + 2 * bytes, working.clear)));
    clear = i32x4.replace_lane(clear, 3, -(<i32>sameTexel(bytes, texels + 3 * bytes, working.clear)));
  }
  return v128.andnot(i32x4.splat(SURFACE_1SPP), clear);
}
