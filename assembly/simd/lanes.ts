// Named operations on the four lanes of a v128; a lane is a pixel of a quad, or a vertex. Shuffles appear only in this
// folder.
// A quad's lanes are  0 1   (x grows to the right, y downwards)
//                     2 3

/** Loads one f32 or i32 into all lanes. Cheaper than a constant, which V8 rebuilds at every use. */
export function splatFrom(table: usize, index: i32): v128 {
  return v128.load32_splat(table + (index << 2));
}

/** a·b + c, each step rounded; never a fused multiply-add. */
export function madd(a: v128, b: v128, c: v128): v128 {
  return f32x4.add(f32x4.mul(a, b), c);
}

/** mask ? a : b, bit by bit. */
export function select(mask: v128, a: v128, b: v128): v128 {
  return v128.bitselect(a, b, mask);
}

/** b < a ? b : a: the project's minimum (a if either is NaN). */
export function min(a: v128, b: v128): v128 {
  return f32x4.pmin(a, b);
}

/** a < b ? b : a: the project's maximum (a if either is NaN). */
export function max(a: v128, b: v128): v128 {
  return f32x4.pmax(a, b);
}

function signBits(x: v128): v128 {
  return v128.and(x, i32x4.splat(0x80000000));
}

/** x with its sign flipped where s is negative: x·sign(s) without rounding. */
export function flipSign(x: v128, s: v128): v128 {
  return v128.xor(x, signBits(s));
}

export function anyTrue(mask: v128): bool {
  return v128.any_true(mask);
}

/** Whether the top bit of any lane is set: one instruction, whereas allTrue takes five (V8 11.3). */
export function anySign(v: v128): bool {
  return i32x4.bitmask(v) != 0;
}

export function allTrue(mask: v128): bool {
  return i32x4.all_true(mask);
}

export function splat0(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 0, 0, 0, 0);
}

/** Whether all lanes hold the bits of lane 0. */
export function isSplat(v: v128): bool {
  return i32x4.all_true(i32x4.eq(v, splat0(v)));
}

/** Replaces NaN lanes by 0x7fc00000. */
export function canonicalNaN(x: v128): v128 {
  return v128.bitselect(x, i32x4.splat(0x7fc00000), f32x4.eq(x, x));
}

/** Each pixel gets right − left of its row. */
export function ddxFine(v: v128): v128 {
  return f32x4.sub(rightOfRows(v), leftOfRows(v));
}

/** Each pixel gets lower − upper of its column. */
export function ddyFine(v: v128): v128 {
  return f32x4.sub(v128.shuffle<i32>(v, v, 2, 3, 2, 3), v128.shuffle<i32>(v, v, 0, 1, 0, 1));
}

/** All pixels get right − left of the upper row. */
export function ddxCoarse(v: v128): v128 {
  return f32x4.sub(v128.shuffle<i32>(v, v, 1, 1, 1, 1), splat0(v));
}

/** All pixels get lower − upper of the left column. */
export function ddyCoarse(v: v128): v128 {
  return f32x4.sub(v128.shuffle<i32>(v, v, 2, 2, 2, 2), splat0(v));
}

/** Lanes 0 and 1 of a, then 0 and 1 of b. */
export function lowHalves(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 0, 1, 4, 5);
}

/** Lanes 2 and 3 of a, then 2 and 3 of b. */
export function highHalves(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 2, 3, 6, 7);
}

/** Lanes 0 and 2 of a, then of b. */
export function evenLanes(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 0, 2, 4, 6);
}

/** Lanes 1 and 3 of a, then of b. */
export function oddLanes(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 1, 3, 5, 7);
}

/** Lanes 0 0 1 1. */
export function doubleLow(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 0, 0, 1, 1);
}

/** Lanes 0 0 2 2: the left pixel of each row of a quad. */
export function leftOfRows(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 0, 0, 2, 2);
}

/** Lanes 1 1 3 3: the right pixel of each row of a quad. */
export function rightOfRows(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 1, 1, 3, 3);
}

/** Lanes 1 and 2 of a, then of b. */
export function middleLanes(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 1, 2, 5, 6);
}

/** For a quad aligned with the axes of two coordinates: left x, upper y, right x, lower y. */
export function edgesOfQuad(x: v128, y: v128): v128 {
  return v128.shuffle<i32>(x, y, 0, 4, 1, 6);
}

/** Coarse differences of two coordinates: a in x, a in y, b in x, b in y. */
export function quadSteps(a: v128, b: v128): v128 {
  return f32x4.sub(middleLanes(a, b), v128.shuffle<i32>(a, b, 0, 0, 4, 4));
}

/** a0 b0 a1 b1. */
export function interleaveLow(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 0, 4, 1, 5);
}

/** a2 b2 a3 b3. */
export function interleaveHigh(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 2, 6, 3, 7);
}

/** Reverses the bytes of each lane. */
export function reverseBytes(v: v128): v128 {
  return v128.shuffle<u8>(v, v, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}

/** Selects the bytes whose indices are in `order`; 0 where an index is 16 or more. */
export function pickBytes(v: v128, order: v128): v128 {
  return i8x16.swizzle(v, order);
}

// Transposition of four rows a b c d: column i holds lane i of each row. Each of the two halves serves two columns.
//   low  = a0 c0 a1 c1 / b0 d0 b1 d1        high = a2 c2 a3 c3 / b2 d2 b3 d3
export function transposeColumn0(a: v128, b: v128, c: v128, d: v128): v128 {
  return interleaveLow(interleaveLow(a, c), interleaveLow(b, d));
}
export function transposeColumn1(a: v128, b: v128, c: v128, d: v128): v128 {
  return interleaveHigh(interleaveLow(a, c), interleaveLow(b, d));
}
export function transposeColumn2(a: v128, b: v128, c: v128, d: v128): v128 {
  return interleaveLow(interleaveHigh(a, c), interleaveHigh(b, d));
}
export function transposeColumn3(a: v128, b: v128, c: v128, d: v128): v128 {
  return interleaveHigh(interleaveHigh(a, c), interleaveHigh(b, d));
}

/** Stores the four columns of rows a b c d, `stride` bytes apart. */
export function storeColumns(to: usize, stride: usize, a: v128, b: v128, c: v128, d: v128): void {
  v128.store(to, transposeColumn0(a, b, c, d));
  v128.store(to + stride, transposeColumn1(a, b, c, d));
  v128.store(to + stride * 2, transposeColumn2(a, b, c, d));
  v128.store(to + stride * 3, transposeColumn3(a, b, c, d));
}
