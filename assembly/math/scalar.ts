// Helpers of the scalar twins.

/** A number of a table in constants.ts. */
export function coefficient(table: usize, index: i32): f32 {
  return load<f32>(table + (index << 2));
}

/** b < a ? b : a: the project's minimum (a if either is NaN). */
export function minScalar(a: f32, b: f32): f32 {
  return b < a ? b : a;
}

/** a < b ? b : a: the project's maximum (a if either is NaN). */
export function maxScalar(a: f32, b: f32): f32 {
  return a < b ? b : a;
}

/** x with its sign flipped where s is negative. */
export function flipSignScalar(x: f32, s: f32): f32 {
  return reinterpret<f32>(reinterpret<u32>(x) ^ (reinterpret<u32>(s) & 0x80000000));
}

/** The bits of x; 7fc00000 for NaN. */
export function canonicalBits(x: f32): u32 {
  return x == x ? reinterpret<u32>(x) : 0x7fc00000;
}

/** The polynomials of series.ts. */
export function pairScalar(table: usize, i: i32, z: f32): f32 {
  return coefficient(table, i + 1) * z + coefficient(table, i);
}
export function series3Scalar(table: usize, z: f32): f32 {
  return pairScalar(table, 1, z) * z + coefficient(table, 0);
}
export function series4Scalar(table: usize, z: f32): f32 {
  return series3Scalar(table + 4, z) * z + coefficient(table, 0);
}
export function series5Scalar(table: usize, z: f32): f32 {
  return series4Scalar(table + 4, z) * z + coefficient(table, 0);
}
export function series6Scalar(table: usize, z: f32): f32 {
  return series5Scalar(table + 4, z) * z + coefficient(table, 0);
}
