// Attribute fetch: reads one attribute of a warp's vertices into its input registers. Scalar twin of fetch.ts.
import { Attribute, REGISTER_BYTES } from '../../layout';
import { componentsOf, decodeVertex, vertexFormatBytes } from './decode';

/**
 * Fetches `attribute` for lanes 0 … count − 1. Element numbers are u32 at `elements`, in lane order. If an element is
 * not completely readable, the components of its format are zeros.
 */
export function fetchAttributeScalar(
  attribute: Attribute,
  elements: usize,
  count: i32,
  registers: usize,
  scratch: usize
): void {
  const format = attribute.format;
  const address = attribute.address;
  const stride = <u64>attribute.stride;
  const bytes = vertexFormatBytes(format);
  const limit = attribute.limit;
  const components = componentsOf(format);
  for (let lane: usize = 0; lane < <usize>count; lane++) {
    const offset = stride * <u64>load<u32>(elements + (lane << 2));
    const readable = offset + <u64>bytes <= <u64>limit;
    if (readable) decodeVertex(format, address + <usize>offset, scratch);
    else decodeZeros(format, components, scratch);
    for (let i: usize = 0; i < 16; i += 4) {
      const register = load<i32>(attribute.registers + i);
      if (register >= 0) store<u32>(registers + register * REGISTER_BYTES + (lane << 2), load<u32>(scratch + i));
    }
  }
}

const ZEROS: usize = memory.data<u32>([0, 0, 0, 0]);

/** Writes zeros to the format's components and the defaults to the others. */
function decodeZeros(format: i32, components: i32, out: usize): void {
  decodeVertex(format, ZEROS, out);
  for (let i = 0; i < components; i++) store<u32>(out + (i << 2), 0);
}
