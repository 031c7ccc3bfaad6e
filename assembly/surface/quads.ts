// Accesses of a quad's four pixels at once, where its lanes are a quad of the surface and none of those that are on is
// refused; unit.ts takes the others one by one, and everything in the build without SIMD, to the same values, counters
// and bytes. Most quads lie in a block that is there, each pixel with one value, and are stored to as a whole: then
// nothing is done a pixel at a time.

import {
  COUNT_LOADS, COUNT_STORES, LoadStoreUnit, Surface, SURFACE_1SPP, SurfaceAccess, Working,
} from '../layout';
import { allTrue, select, splat0 } from '../simd/lanes';
import { pixelAt } from '../simd/positions';
import { cachedTile, count, hold } from './cache';
import { swapRedAndBlue } from './formats';
import { copyTexel, sameTexel } from './texel-same';
import { stateOf, takeNearValue } from './unit';
import { blockBit, holdersInTile, texelInTile, writeQuad, writeSamples } from './working';

/** x and y of a quad's pixels, from its first. */
const OFFSETS: usize = memory.data<u32>([0, 1, 0, 1, 0, 0, 1, 1]);

/** Loads a quad's pixels; false, with nothing done, where that is to be done one by one. */
export function loadQuad(unit: LoadStoreUnit, surface: Surface, access: SurfaceAccess): bool {
  if (!isQuad(surface, access)) return false;
  const lanes = v128.load(access.lanes);
  const on = i32x4.bitmask(lanes);
  const working = tileOf(unit, surface, access);
  const pixel = pixelAt(load<i32>(access.x), load<i32>(access.y));
  count(unit, COUNT_LOADS, popcnt(on));
  if (!(working.there & blockBit(pixel >> 6)))
    for (let left = on; left; left &= left - 1) hold(unit, working, pixel + ctz(left));
  const plane = working.plane;
  let texels = plane.texel(pixel);
  if (plane.perSampleOf(pixel >> 2) & on) {
    texels = unit.texel;
    loadDivided(unit, working, access, pixel, on);
  } else {
    v128.store(access.known, select(lanes, i32x4.splat(surface.whole), v128.load(access.mask)));
    v128.store(access.state, v128.and(lanes, statesOf(working, texels)));
  }
  call_indirect<void>(working.decode, texels, access);
  if (working.blueFirst) swapRedAndBlue(access.texel);
  return true;
}

/** The texels, masks and states of pixels of which some hold more than one value: the texels to LoadStoreUnit.texel. */
function loadDivided(unit: LoadStoreUnit, working: Working, access: SurfaceAccess, pixel: i32, on: i32): void {
  const bytes = working.plane.texelBytes;
  v128.store(access.known, v128.load(access.mask));
  v128.store(access.state, i32x4.splat(0));
  for (let left = on; left; left &= left - 1) {
    const lane = ctz(left);
    const at = <usize>lane << 2;
    const texel = texelInTile(working, pixel + lane, ctz(load<i32>(access.mask + at)));
    const mask = holdersInTile(working, pixel + lane, texel);
    copyTexel(bytes, unit.texel + lane * bytes, texel);
    store<i32>(access.known + at, mask);
    store<i32>(access.state + at, stateOf(working, pixel + lane, texel, mask));
  }
}

/** Stores to a quad's pixels; false, with nothing done, where that is to be done one by one. */
export function storeQuad(unit: LoadStoreUnit, surface: Surface, access: SurfaceAccess): bool {
  if (!isQuad(surface, access)) return false;
  const lanes = v128.load(access.lanes);
  const on = i32x4.bitmask(lanes);
  const working = tileOf(unit, surface, access);
  const pixel = pixelAt(load<i32>(access.x), load<i32>(access.y));
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

/**
 * Whether the lanes name the pixels of a quad within the surface, some of them are on, and those have masks of samples
 * that are there.
 */
function isQuad(surface: Surface, access: SurfaceAccess): bool {
  const x = v128.load(access.x);
  const y = v128.load(access.y);
  const left = load<i32>(access.x);
  const top = load<i32>(access.y);
  if ((left | top) & 1 || !surface.holds(left, top) || !surface.holds(left + 1, top + 1)) return false;
  const inOrder = v128.and(
    i32x4.eq(x, i32x4.add(splat0(x), v128.load(OFFSETS))), i32x4.eq(y, i32x4.add(splat0(y), v128.load(OFFSETS, 16)))
  );
  const lanes = v128.load(access.lanes);
  const known = i32x4.lt_u(i32x4.sub(v128.load(access.mask), i32x4.splat(1)), i32x4.splat(surface.whole));
  return v128.any_true(lanes) && allTrue(v128.and(inOrder, v128.or(known, v128.not(lanes))));
}

function tileOf(unit: LoadStoreUnit, surface: Surface, access: SurfaceAccess): Working {
  return cachedTile(unit, surface, surface.tileOf(load<i32>(access.x), load<i32>(access.y)));
}

/** Of four pixels that hold one value each: SURFACE_CLEAR or SURFACE_1SPP. */
function statesOf(working: Working, texels: usize): v128 {
  const bytes = working.plane.texelBytes;
  let clear = i32x4.eq(v128.load(texels), v128.load(working.clear));
  if (bytes != 4) {
    clear = i32x4.replace_lane(clear, 0, -<i32>sameTexel(bytes, texels, working.clear));
    clear = i32x4.replace_lane(clear, 1, -<i32>sameTexel(bytes, texels + bytes, working.clear));
    clear = i32x4.replace_lane(clear, 2, -<i32>sameTexel(bytes, texels + 2 * bytes, working.clear));
    clear = i32x4.replace_lane(clear, 3, -<i32>sameTexel(bytes, texels + 3 * bytes, working.clear));
  }
  return v128.andnot(i32x4.splat(SURFACE_1SPP), clear);
}
