// Attribute fetch: reads one attribute of a warp's vertices into its input registers, four vertices at a time. Elements
// are widened to words, transposed, and decoded one component at a time. Scalar twin: fetch.scalar.ts.
import { Attribute, REGISTER_BYTES, VERTEX_FLOAT32, VERTEX_UNORM10_10_10_2, VERTEX_UNORM8X4_BGRA } from '../../layout';
import {
  canonicalNaN,
  highHalves,
  transposeColumn0,
  transposeColumn1,
  transposeColumn2,
  transposeColumn3,
} from '../../simd/lanes';
import { Half, Signed, Snorm, Unorm, Unsigned } from '../../surface/numbers';
import { componentsOf, isIntegerFormat } from './decode';

/** Whether all element numbers of `elements` are within the attribute's readable bytes. */
function allReadable(elements: usize, end: usize, stride: u64, bytes: u64, limit: u64): bool {
  let most = v128.load(elements);
  for (let at: usize = 16; at < end; at += 16) most = i32x4.max_u(most, v128.load(elements + at));
  most = i32x4.max_u(most, highHalves(most, most));
  const greatest = max<u32>(i32x4.extract_lane(most, 0), i32x4.extract_lane(most, 1));
  return stride * <u64>greatest + bytes <= limit;
}

/** The element with a number. With `checked`, an element that is not completely readable is zeros. */
// @ts-ignore: decorator
@inline
function element(components: i32, checked: bool, address: usize, stride: u32, limit: u32, number: u32): v128 {
  if (checked && <u64>stride * number + (components << 2) > limit) return i32x4.splat(0);
  const at = address + stride * number;
  if (components == 4) return v128.load(at);
  if (components == 3) return v128.load32_lane(at, v128.load64_zero(at), 2, 8);
  return components == 2 ? v128.load64_zero(at) : v128.load32_zero(at);
}

/** fetchAttribute for formats with 32-bit components. */
// @ts-ignore: decorator
@inline
function fetchWords(
  components: i32,
  checked: bool,
  attribute: Attribute,
  elements: usize,
  end: usize,
  registers: usize
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
 * The element with a number as words, one component per lane, or zeros if it is not completely readable. T is the
 * component type.
 */
function smallElement<T>(attribute: Attribute, bytes: u32, number: u32): v128 {
  const offset = <u64>attribute.stride * number;
  if (offset + bytes > <u64>attribute.limit) return i32x4.splat(0);
  const at = attribute.address + <usize>offset;
  const v =
    bytes == 8
      ? v128.load64_zero(at)
      : bytes == 4
        ? v128.load32_zero(at)
        : bytes == 2
          ? v128.load16_splat(at)
          : v128.load8_splat(at);
  return i32x4.extend_low_i16x8_u(sizeof<T>() == 1 ? i16x8.extend_low_i8x16_u(v) : v);
}

/**
 * fetchAttribute for formats with 8 or 16 bits per component. T is the unsigned integer type of that size, N the number
 * type (surface/numbers.ts). `swap` is 2 where blue comes first, else 0.
 */
function fetchSmall<T, N>(attribute: Attribute, elements: usize, end: usize, registers: usize, swap: usize): void {
  const components = componentsOf(attribute.format);
  const bytes = components * sizeof<T>();
  const one = isFloat(changetype<N>(0).one) ? f32x4.splat(1) : i32x4.splat(1);
  for (let at: usize = 0; at < end; at += 16) {
    const numbers = elements + at;
    const a = smallElement<T>(attribute, bytes, load<u32>(numbers));
    const b = smallElement<T>(attribute, bytes, load<u32>(numbers, 4));
    const c = smallElement<T>(attribute, bytes, load<u32>(numbers, 8));
    const d = smallElement<T>(attribute, bytes, load<u32>(numbers, 12));
    put(attribute, swap, registers, at, numbersOf<T, N>(transposeColumn0(a, b, c, d)));
    put(attribute, 1, registers, at, components > 1 ? numbersOf<T, N>(transposeColumn1(a, b, c, d)) : i32x4.splat(0));
    put(
      attribute,
      2 ^ swap,
      registers,
      at,
      components > 2 ? numbersOf<T, N>(transposeColumn2(a, b, c, d)) : i32x4.splat(0)
    );
    put(attribute, 3, registers, at, components > 2 ? numbersOf<T, N>(transposeColumn3(a, b, c, d)) : one);
  }
}

function numbersOf<T, N>(words: v128): v128 {
  const v = changetype<N>(0).value(words, 0, 8 * sizeof<T>());
  return changetype<N>(0).hasNaN ? canonicalNaN(v) : v;
}

function packedWord(attribute: Attribute, number: u32): v128 {
  return element(1, true, attribute.address, attribute.stride, attribute.limit, number);
}

/** fetchAttribute for unorm10-10-10-2. */
function fetchTens(attribute: Attribute, elements: usize, end: usize, registers: usize): void {
  const unorm = changetype<Unorm>(0);
  for (let at: usize = 0; at < end; at += 16) {
    const numbers = elements + at;
    const words = transposeColumn0(
      packedWord(attribute, load<u32>(numbers)),
      packedWord(attribute, load<u32>(numbers, 4)),
      packedWord(attribute, load<u32>(numbers, 8)),
      packedWord(attribute, load<u32>(numbers, 12))
    );
    put(attribute, 0, registers, at, unorm.value(words, 0, 10));
    put(attribute, 1, registers, at, unorm.value(words, 10, 10));
    put(attribute, 2, registers, at, unorm.value(words, 20, 10));
    put(attribute, 3, registers, at, unorm.value(words, 30, 2));
  }
}

/**
 * Fetches `attribute` for lanes 0 … count − 1, rounded up to whole quads. Element numbers are u32 at `elements`, in
 * lane order. If an element is not completely readable, the components of its format are zeros.
 */
export function fetchAttribute(
  attribute: Attribute,
  elements: usize,
  count: i32,
  registers: usize,
  scratch: usize
): void {
  const format = attribute.format;
  const end = (<usize>((count + 3) & ~3)) << 2;
  if (format == VERTEX_UNORM10_10_10_2) {
    fetchTens(attribute, elements, end, registers);
    return;
  }
  if (format == VERTEX_UNORM8X4_BGRA) {
    fetchSmall<u8, Unorm>(attribute, elements, end, registers, 2);
    return;
  }
  if (format < VERTEX_FLOAT32) {
    // Three formats of each number type, in the order of formats.ts.
    switch ((format - 1) / 3) {
      case 0:
        fetchSmall<u8, Unsigned>(attribute, elements, end, registers, 0);
        return;
      case 1:
        fetchSmall<u8, Signed>(attribute, elements, end, registers, 0);
        return;
      case 2:
        fetchSmall<u8, Unorm>(attribute, elements, end, registers, 0);
        return;
      case 3:
        fetchSmall<u8, Snorm>(attribute, elements, end, registers, 0);
        return;
      case 4:
        fetchSmall<u16, Unsigned>(attribute, elements, end, registers, 0);
        return;
      case 5:
        fetchSmall<u16, Signed>(attribute, elements, end, registers, 0);
        return;
      case 6:
        fetchSmall<u16, Unorm>(attribute, elements, end, registers, 0);
        return;
      case 7:
        fetchSmall<u16, Snorm>(attribute, elements, end, registers, 0);
        return;
      default:
        fetchSmall<u16, Half>(attribute, elements, end, registers, 0);
        return;
    }
  }
  const components = ((format - VERTEX_FLOAT32) & 3) + 1;
  if (!allReadable(elements, end, attribute.stride, components << 2, attribute.limit))
    fetchWords(components, true, attribute, elements, end, registers);
  else if (components == 3) fetchWords(3, false, attribute, elements, end, registers);
  else if (components == 2) fetchWords(2, false, attribute, elements, end, registers);
  else if (components == 4) fetchWords(4, false, attribute, elements, end, registers);
  else fetchWords(1, false, attribute, elements, end, registers);
}
