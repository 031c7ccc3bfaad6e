// Decodes one element of a vertex buffer in any format to four words: f32 for float and normalised formats, i32 or u32
// for integer formats. Components that the format lacks default to 0, 0, 0, 1 (WebGPU § GPUVertexFormat).
import {
  VERTEX_FLOAT32,
  VERTEX_SINT16X4,
  VERTEX_SINT32X4,
  VERTEX_SINT8X4,
  VERTEX_UINT16,
  VERTEX_UINT32,
  VERTEX_UNORM10_10_10_2,
  VERTEX_UNORM8X4_BGRA,
} from '../../layout';
import { halfToFloat } from '../../surface/half';

/** Size of an element in bytes. */
export function vertexFormatBytes(format: i32): u32 {
  if (format >= VERTEX_UNORM10_10_10_2) return 4;
  if (format >= VERTEX_FLOAT32) return (((format - VERTEX_FLOAT32) & 3) + 1) << 2;
  const component = (format - 1) % 3;
  return (format >= VERTEX_UINT16 ? 2 : 1) << component;
}

/** Whether components are integers, so that a missing fourth component is the integer 1. */
export function isIntegerFormat(format: i32): bool {
  return (
    format <= VERTEX_SINT8X4
    || (format >= VERTEX_UINT16 && format <= VERTEX_SINT16X4)
    || (format >= VERTEX_UINT32 && format <= VERTEX_SINT32X4)
  );
}

/** Number of components in memory. */
export function componentsOf(format: i32): i32 {
  if (format >= VERTEX_UNORM10_10_10_2) return 4;
  if (format >= VERTEX_FLOAT32) return ((format - VERTEX_FLOAT32) & 3) + 1;
  return 1 << ((format - 1) % 3);
}

function snorm(value: f32, scale: f32): f32 {
  return max<f32>(value / scale, -1);
}

// Component i of a format with 8 or 16 bits per component. `group` is the number type, in the order of formats.ts; each
// has three formats.
function smallComponent(group: i32, address: usize, i: usize): u32 {
  switch (group) {
    case 0:
      return load<u8>(address + i);
    case 1:
      return load<i8>(address + i);
    case 2:
      return reinterpret<u32>(<f32>load<u8>(address + i) / 255);
    case 3:
      return reinterpret<u32>(snorm(<f32>load<i8>(address + i), 127));
    case 4:
      return load<u16>(address + (i << 1));
    case 5:
      return load<i16>(address + (i << 1));
    case 6:
      return reinterpret<u32>(<f32>load<u16>(address + (i << 1)) / 65535);
    case 7:
      return reinterpret<u32>(snorm(<f32>load<i16>(address + (i << 1)), 32767));
    default:
      return reinterpret<u32>(halfToFloat(load<u16>(address + (i << 1))));
  }
}

/** Decodes the element at `address` to four words at `out`. */
export function decodeVertex(format: i32, address: usize, out: usize): void {
  if (format == VERTEX_UNORM10_10_10_2) {
    const bits = load<u32>(address);
    store<f32>(out, <f32>(bits & 1023) / 1023);
    store<f32>(out, <f32>((bits >>> 10) & 1023) / 1023, 4);
    store<f32>(out, <f32>((bits >>> 20) & 1023) / 1023, 8);
    store<f32>(out, <f32>(bits >>> 30) / 3, 12);
    return;
  }
  if (format == VERTEX_UNORM8X4_BGRA) {
    store<f32>(out, <f32>load<u8>(address, 2) / 255);
    store<f32>(out, <f32>load<u8>(address, 1) / 255, 4);
    store<f32>(out, <f32>load<u8>(address) / 255, 8);
    store<f32>(out, <f32>load<u8>(address, 3) / 255, 12);
    return;
  }
  const components = <usize>componentsOf(format);
  const group = (format - 1) / 3;
  for (let i: usize = 0; i < components; i++) {
    store<u32>(
      out + (i << 2),
      format >= VERTEX_FLOAT32 ? load<u32>(address + (i << 2)) : smallComponent(group, address, i)
    );
  }
  for (let i = components; i < 4; i++) store<u32>(out + (i << 2), i < 3 ? 0 : isIntegerFormat(format) ? 1 : 0x3f800000);
}
