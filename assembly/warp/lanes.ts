// Operations across the four lanes of a quad, which form a subgroup. Inactive lanes do not take part. Helpers and
// discarded lanes only take part with LANES_WITH_HELPERS.
import { LANES_WITH_HELPERS, Warp } from '../layout';
import { pickBytes, select } from '../simd/lanes';
import { high, low } from './loops';

/** Byte indices of lane 0 for pickBytes, and the increment to the next lane. */
const FIRST_LANE: u32 = 0x03020100;
const NEXT_LANE: u32 = 0x04040404;

function activeLanes(warp: Warp, quad: usize, withHelpers: bool): v128 {
  const exec = v128.load(warp.exec + quad);
  return withHelpers ? exec : v128.andnot(exec, v128.load(warp.killed + quad));
}

function isActive(warp: Warp, lane: usize, withHelpers: bool): bool {
  return load<u32>(warp.exec + lane) != 0 && (withHelpers || load<u32>(warp.killed + lane) == 0);
}

function bytesOf(lane: u32): u32 {
  return FIRST_LANE + lane * NEXT_LANE;
}

/** OP_LANES_PERMUTE. */
export function permuteLanes<T>(code: usize, warp: Warp, registers: usize, bytes: usize): void {
  const dst = high(registers, load<u32>(code));
  const operands = load<u32>(code, 4);
  const how = load<u32>(code, 8);
  const value = low(registers, operands);
  const other = high(registers, operands);
  const withHelpers = (how & LANES_WITH_HELPERS) != 0;
  if (isVector<T>()) {
    let order = i32x4.splat(bytesOf(how & 3));
    order = i32x4.replace_lane(order, 1, bytesOf((how >>> 2) & 3));
    order = i32x4.replace_lane(order, 2, bytesOf((how >>> 4) & 3));
    order = i32x4.replace_lane(order, 3, bytesOf((how >>> 6) & 3));
    for (let quad: usize = 0; quad < bytes; quad += 16) {
      const permutedValue = select(
        activeLanes(warp, quad, withHelpers),
        v128.load(value + quad),
        v128.load(other + quad)
      );
      v128.store(dst + quad, pickBytes(permutedValue, order));
    }
  } else {
    for (let quad: usize = 0; quad < bytes; quad += 16) {
      const a = permutedValue(warp, quad + ((<usize>(how & 3)) << 2), withHelpers, value, other);
      const b = permutedValue(warp, quad + ((<usize>((how >>> 2) & 3)) << 2), withHelpers, value, other);
      const c = permutedValue(warp, quad + ((<usize>((how >>> 4) & 3)) << 2), withHelpers, value, other);
      storeQuad(
        dst + quad,
        a,
        b,
        c,
        permutedValue(warp, quad + ((<usize>((how >>> 6) & 3)) << 2), withHelpers, value, other)
      );
    }
  }
}

function permutedValue(warp: Warp, lane: usize, withHelpers: bool, value: usize, other: usize): u32 {
  return load<u32>((isActive(warp, lane, withHelpers) ? value : other) + lane);
}

function storeQuad(at: usize, a: u32, b: u32, c: u32, d: u32): void {
  store<u32>(at, a);
  store<u32>(at, b, 4);
  store<u32>(at, c, 8);
  store<u32>(at, d, 12);
}

/** OP_LANES_SHUFFLE. */
export function shuffleLanes<T>(code: usize, warp: Warp, registers: usize, bytes: usize): void {
  const dst = high(registers, load<u32>(code));
  const operands = load<u32>(code, 4);
  const value = low(registers, operands);
  const index = high(registers, operands);
  if (isVector<T>()) {
    for (let quad: usize = 0; quad < bytes; quad += 16) {
      // Indices beyond the last lane select zeros.
      const lanes = i32x4.min_u(v128.load(index + quad), i32x4.splat(4));
      const order = i32x4.add(i32x4.mul(lanes, i32x4.splat(NEXT_LANE)), i32x4.splat(FIRST_LANE));
      v128.store(dst + quad, pickBytes(v128.and(v128.load(value + quad), activeLanes(warp, quad, false)), order));
    }
  } else {
    for (let quad: usize = 0; quad < bytes; quad += 16) {
      const a = shuffledValue(warp, quad, load<u32>(index + quad), value);
      const b = shuffledValue(warp, quad, load<u32>(index + quad, 4), value);
      const c = shuffledValue(warp, quad, load<u32>(index + quad, 8), value);
      storeQuad(dst + quad, a, b, c, shuffledValue(warp, quad, load<u32>(index + quad, 12), value));
    }
  }
}

function shuffledValue(warp: Warp, quad: usize, lane: u32, value: usize): u32 {
  const at = quad + ((<usize>lane) << 2);
  return lane < 4 && isActive(warp, at, false) ? load<u32>(value + at) : 0;
}

/** OP_LANES_BALLOT. */
export function ballotLanes<T>(code: usize, warp: Warp, registers: usize, bytes: usize): void {
  const dst = high(registers, load<u32>(code));
  const condition = low(registers, load<u32>(code, 4));
  for (let quad: usize = 0; quad < bytes; quad += 16) {
    if (isVector<T>()) {
      const voted = v128.and(v128.load(condition + quad), activeLanes(warp, quad, false));
      v128.store(dst + quad, i32x4.splat(i32x4.bitmask(voted)));
    } else {
      let votes: u32 = 0;
      for (let lane: u32 = 0; lane < 4; lane++) {
        const at = quad + ((<usize>lane) << 2);
        if (load<u32>(condition + at) != 0 && isActive(warp, at, false)) votes |= 1 << lane;
      }
      storeQuad(dst + quad, votes, votes, votes, votes);
    }
  }
}

/** OP_LANES_INDEX. */
export function numberLanes(code: usize, registers: usize, bytes: usize): void {
  const dst = high(registers, load<u32>(code));
  for (let quad: usize = 0; quad < bytes; quad += 16) storeQuad(dst + quad, 0, 1, 2, 3);
}
