// Polynomials of four lanes, with coefficients from constants.ts, lowest power first.
import { madd, splatFrom } from '../simd/lanes';

/** t[i] + t[i + 1]·z. Combining coefficients in pairs halves the dependency chain. */
export function pair(table: usize, i: i32, z: v128): v128 {
  return madd(splatFrom(table, i + 1), z, splatFrom(table, i));
}

/** Polynomials with three, four, five and six coefficients, evaluated one power after the other. */
export function series3(table: usize, z: v128): v128 {
  return madd(pair(table, 1, z), z, splatFrom(table, 0));
}
export function series4(table: usize, z: v128): v128 {
  return madd(series3(table + 4, z), z, splatFrom(table, 0));
}
export function series5(table: usize, z: v128): v128 {
  return madd(series4(table + 4, z), z, splatFrom(table, 0));
}
export function series6(table: usize, z: v128): v128 {
  return madd(series5(table + 4, z), z, splatFrom(table, 0));
}
