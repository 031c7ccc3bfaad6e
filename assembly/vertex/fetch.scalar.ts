// Attribute fetch: one attribute of a warp's vertices into its input registers. Twin of fetch.ts.
import { Attribute, REGISTER_BYTES } from '../layout';
import { componentsOf, decodeVertex, vertexFormatBytes } from './decode';

/**
 * Fetches `attribute` for the lanes 0 … count − 1: element numbers are u32 at `elements`, in lane order.
 * An element that is not wholly readable has zeros in the components of its format.
 */
export function fetchAttributeScalar(
  attribute: Attribute, elements: usize, count: i32, registers: usize, scratch: usize
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

/** Zeros in the format's components, its defaults in the others. */
function decodeZeros(format: i32, components: i32, out: usize): void {
  decodeVertex(format, ZEROS, out);
  for (let i = 0; i < components; i++) store<u32>(out + (i << 2), 0);
}
