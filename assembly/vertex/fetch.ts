// Attribute fetch: one attribute of a warp's vertices into its input registers. Formats of 32-bit components, which
// most meshes have, go four vertices at a time through a transposition; others a vertex at a time. Twin of
// fetch.scalar.ts.
import { Attribute, REGISTER_BYTES, VERTEX_FLOAT32, VERTEX_UNORM10_10_10_2 } from '../layout';
import { highHalves, transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3 } from '../simd/lanes';
import { isIntegerFormat } from './decode';
import { fetchAttributeScalar } from './fetch.scalar';

function element(components: i32, address: usize, stride: u64, limit: u64, number: u32): v128 {
  const offset = stride * <u64>number;
  if (offset + <u64>(components << 2) > limit) return i32x4.splat(0);
  const at = address + <usize>offset;
  if (components == 4) return v128.load(at);
  if (components == 3) return v128.load32_lane(at, v128.load64_zero(at), 2, 8);
  return components == 2 ? v128.load64_zero(at) : v128.load32_zero(at);
}

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

/** element() of a number that is readable: no product of 64 bits, no comparison. */
function readable(components: i32, address: usize, stride: u32, number: u32): v128 {
  const at = address + stride * number;
  if (components == 4) return v128.load(at);
  if (components == 3) return v128.load32_lane(at, v128.load64_zero(at), 2, 8);
  return components == 2 ? v128.load64_zero(at) : v128.load32_zero(at);
}

/** fetchAttribute where all elements are readable. */
// @ts-ignore: decorator
@inline function fetchReadable(
  components: i32, attribute: Attribute, elements: usize, end: usize, registers: usize, one: v128
): void {
  const address = attribute.address;
  const stride = attribute.stride;
  for (let at: usize = 0; at < end; at += 16) {
    const numbers = elements + at;
    const a = readable(components, address, stride, load<u32>(numbers));
    const b = readable(components, address, stride, load<u32>(numbers, 4));
    const c = readable(components, address, stride, load<u32>(numbers, 8));
    const d = readable(components, address, stride, load<u32>(numbers, 12));
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
  const address = attribute.address;
  const stride = <u64>attribute.stride;
  const limit = <u64>attribute.limit;
  const one = isIntegerFormat(format) ? i32x4.splat(1) : f32x4.splat(1);
  const end = <usize>((count + 3) & ~3) << 2;
  if (allReadable(elements, end, stride, <u64>(components << 2), limit)) {
    if (components == 3) fetchReadable(3, attribute, elements, end, registers, one);
    else if (components == 2) fetchReadable(2, attribute, elements, end, registers, one);
    else if (components == 4) fetchReadable(4, attribute, elements, end, registers, one);
    else fetchReadable(1, attribute, elements, end, registers, one);
    return;
  }
  for (let at: usize = 0; at < end; at += 16) {
    const numbers = elements + at;
    const a = element(components, address, stride, limit, load<u32>(numbers));
    const b = element(components, address, stride, limit, load<u32>(numbers, 4));
    const c = element(components, address, stride, limit, load<u32>(numbers, 8));
    const d = element(components, address, stride, limit, load<u32>(numbers, 12));
    // Lanes that were not loaded are zeros, which are the defaults of y and z.
    put(attribute, 0, registers, at, transposeColumn0(a, b, c, d));
    put(attribute, 1, registers, at, transposeColumn1(a, b, c, d));
    put(attribute, 2, registers, at, transposeColumn2(a, b, c, d));
    put(attribute, 3, registers, at, components == 4 ? transposeColumn3(a, b, c, d) : one);
  }
}
