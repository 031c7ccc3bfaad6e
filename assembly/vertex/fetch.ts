// Attribute fetch: one attribute of a warp's vertices into its input registers. Formats of 32-bit components, which
// most meshes have, go four vertices at a time through a transposition; others a vertex at a time. Twin of
// fetch.scalar.ts.
import { Attribute, REGISTER_BYTES, VERTEX_FLOAT32, VERTEX_UNORM10_10_10_2 } from '../layout';
import { highHalves, transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3 } from '../simd/lanes';
import { isIntegerFormat } from './decode';
import { fetchAttributeScalar } from './fetch.scalar';

/**
 * Whether element numbers up to the greatest of `elements` lie within the attribute's bytes, far from the end of
 * memory.
 */
function allReadable(elements: usize, end: usize, stride: u64, bytes: u64, limit: u64): bool {
  let most = v128.load(elements);
  for (let at: usize = 16; at < end; at += 16) most = i32x4.max_u(most, v128.load(elements + at));
  most = i32x4.max_u(most, highHalves(most, most));
  const greatest = max<u32>(i32x4.extract_lane(most, 0), i32x4.extract_lane(most, 1));
  return stride * <u64>greatest + bytes <= limit;
}

/** The element of a number; zeros where it is `checked` and not wholly readable. */
// @ts-ignore: decorator
@inline
function element(components: i32, checked: bool, address: usize, stride: u32, limit: u32, number: u32): v128 {
  if (checked && <u64>stride * number + (components << 2) > limit) return i32x4.splat(0);
  const at = address + stride * number;
  if (components == 4) return v128.load(at);
  if (components == 3) return v128.load32_lane(at, v128.load64_zero(at), 2, 8);
  return components == 2 ? v128.load64_zero(at) : v128.load32_zero(at);
}

/** fetchAttribute of a format of 32-bit components. */
// @ts-ignore: decorator
@inline
function fetchWords(
  components: i32, checked: bool, attribute: Attribute, elements: usize, end: usize, registers: usize
): void {
  const address = attribute.address;
  const stride = attribute.stride;
  const limit = attribute.limit;
  const one = isIntegerFormat(attribute.format) ? i32x4.splat(1) : f32x4.splat(1);
  for (let at: usize = 0; at < end; at += 16) {
    const numbers = elements + at;
    const a = element(components, checked, address, stride, limit, load<u32>(numbers));
    const b = element(components, checked, address, stride, limit, load<u32>(numbers, 4));
    const c = element(components, checked, address, stride, limit, load<u32>(numbers, 8));
    const d = element(components, checked, address, stride, limit, load<u32>(numbers, 12));
    // Lanes that were not loaded are zeros, which are the defaults of y and z.
    put(attribute, 0, registers, at, transposeColumn0(a, b, c, d));
    put(attribute, 1, registers, at, transposeColumn1(a, b, c, d));
    put(attribute, 2, registers, at, transposeColumn2(a, b, c, d));
    put(attribute, 3, registers, at, components == 4 ? transposeColumn3(a, b, c, d) : one);
  }
}

function put(attribute: Attribute, i: usize, registers: usize, at: usize, v: v128): void {
  const register = load<i32>(attribute.registers + (i << 2));
  if (register >= 0) v128.store(registers + register * REGISTER_BYTES + at, v);
}

/**
 * Fetches `attribute` for the lanes 0 … count − 1, rounded up to whole quads: element numbers are u32 at `elements`, in
 * lane order. An element that is not wholly readable has zeros in the components of its format.
 */
export function fetchAttribute(
  attribute: Attribute, elements: usize, count: i32, registers: usize, scratch: usize
): void {
  const format = attribute.format;
  if (format < VERTEX_FLOAT32 || format >= VERTEX_UNORM10_10_10_2) {
    fetchAttributeScalar(attribute, elements, (count + 3) & ~3, registers, scratch);
    return;
  }
  const components = ((format - VERTEX_FLOAT32) & 3) + 1;
  const end = <usize>((count + 3) & ~3) << 2;
  if (!allReadable(elements, end, attribute.stride, components << 2, attribute.limit))
    fetchWords(components, true, attribute, elements, end, registers);
  else if (components == 3) fetchWords(3, false, attribute, elements, end, registers);
  else if (components == 2) fetchWords(2, false, attribute, elements, end, registers);
  else if (components == 4) fetchWords(4, false, attribute, elements, end, registers);
  else fetchWords(1, false, attribute, elements, end, registers);
}
