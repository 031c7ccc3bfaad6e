// Loops over the registers of a warp of invocations. T selects the engine: v128 for four lanes at a time, u32 for the
// scalar twin.
import { REGISTER_BYTES } from '../layout';
import { inAllLanes, two } from '../warp/loops';
import { IntAdd, IntEq, IntOr, U32Min } from '../warp/operations';

/** dst = a + word. */
export function sumTo<T>(dst: usize, a: usize, word: u32): void {
  const added = inAllLanes<T>(word);
  for (let i: usize = 0; i < <usize>REGISTER_BYTES; i += sizeof<T>())
    store<T>(dst + i, two<IntAdd, T>(load<T>(a + i), added));
}

/** Copies the used quads of a register. */
export function copyUsed<T>(dst: usize, from: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += sizeof<T>()) store<T>(dst + i, load<T>(from + i));
}

/** dst = lanes in which `parts` equals `part`. Returns whether there are any. */
export function selectPart<T>(dst: usize, parts: usize, part: u32, bytes: usize): bool {
  const wanted = inAllLanes<T>(part);
  let any = inAllLanes<T>(0);
  for (let i: usize = 0; i < bytes; i += sizeof<T>()) {
    const lanes = two<IntEq, T>(load<T>(parts + i), wanted);
    store<T>(dst + i, lanes);
    any = two<IntOr, T>(any, lanes);
  }
  if (isVector<T>()) return v128.any_true(any);
  else return any != 0;
}

/** Initialises the next part: the first one for active lanes, a number beyond all parts for others. */
export function startParts<T>(parts: usize, on: usize): void {
  for (let i: usize = 0; i < <usize>REGISTER_BYTES; i += sizeof<T>())
    store<T>(parts + i, two<IntEq, T>(load<T>(on + i), inAllLanes<T>(0)));
}

/** The least number among `parts` and `least`. */
export function minPart<T>(parts: usize, least: u32, bytes: usize): u32 {
  let found = inAllLanes<T>(least);
  for (let i: usize = 0; i < bytes; i += sizeof<T>()) found = two<U32Min, T>(found, load<T>(parts + i));
  if (isVector<T>()) {
    return min(
      min(i32x4.extract_lane(found, 0) as u32, i32x4.extract_lane(found, 1) as u32),
      min(i32x4.extract_lane(found, 2) as u32, i32x4.extract_lane(found, 3) as u32)
    );
  } else return <u32>found;
}
