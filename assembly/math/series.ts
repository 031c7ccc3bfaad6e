// Polynomials with coefficients in constants.ts, lowest power first, of four lanes.
import { madd, splatFrom } from '../simd/lanes';

/** Two of the coefficients: t[i] + t[i + 1]·z. In pairs a chain is half as long, which is what a loop waits for. */
export function pair(table: usize, i: i32, z: v128): v128 {
  return madd(splatFrom(table, i + 1), z, splatFrom(table, i));
}

/** Those of three, four, five and six coefficients, one power after the other. */
export function series3(table: usize, z: v128): v128 { return madd(pair(table, 1, z), z, splatFrom(table, 0)); }
export function series4(table: usize, z: v128): v128 { return madd(series3(table + 4, z), z, splatFrom(table, 0)); }
export function series5(table: usize, z: v128): v128 { return madd(series4(table + 4, z), z, splatFrom(table, 0)); }
export function series6(table: usize, z: v128): v128 { return madd(series5(table + 4, z), z, splatFrom(table, 0)); }
