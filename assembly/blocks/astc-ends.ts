// ASTC colour endpoints (Khronos Data Format §23.14), for the LDR modes. An HDR mode makes only the texels of its own
// partition magenta.
import { clampByte } from './image';

/** Decodes the numbers at `v` to two colours at `out`, four i32 each. */
export function readEnds(v: usize, mode: i32, out: usize): void {
  switch (mode) {
    case 0: {
      const low = at(v, 0);
      const high = at(v, 1);
      put(out, low, low, low, 255);
      put(out + 16, high, high, high, 255);
      break;
    }
    case 1: {
      const low = (at(v, 0) >> 2) | (at(v, 1) & 0xc0);
      const sum = low + (at(v, 1) & 0x3f);
      const high = sum > 255 ? 255 : sum;
      put(out, low, low, low, 255);
      put(out + 16, high, high, high, 255);
      break;
    }
    case 4: {
      put(out, at(v, 0), at(v, 0), at(v, 0), at(v, 2));
      put(out + 16, at(v, 1), at(v, 1), at(v, 1), at(v, 3));
      break;
    }
    case 5: {
      const low = base(v, 0);
      const alpha = base(v, 2);
      const high = clampByte(low + offset(v, 0));
      put(out, low, low, low, alpha);
      put(out + 16, high, high, high, clampByte(alpha + offset(v, 2)));
      break;
    }
    case 6:
    case 10: {
      const scale = at(v, 3);
      const isTwo = mode == 10;
      put(out, (at(v, 0) * scale) >> 8, (at(v, 1) * scale) >> 8, (at(v, 2) * scale) >> 8, isTwo ? at(v, 4) : 255);
      put(out + 16, at(v, 0), at(v, 1), at(v, 2), isTwo ? at(v, 5) : 255);
      break;
    }
    case 8:
    case 12: {
      const low = mode == 12 ? at(v, 6) : 255;
      const high = mode == 12 ? at(v, 7) : 255;
      if (at(v, 1) + at(v, 3) + at(v, 5) >= at(v, 0) + at(v, 2) + at(v, 4)) {
        put(out, at(v, 0), at(v, 2), at(v, 4), low);
        put(out + 16, at(v, 1), at(v, 3), at(v, 5), high);
      } else {
        contracted(out, at(v, 1), at(v, 3), at(v, 5), high);
        contracted(out + 16, at(v, 0), at(v, 2), at(v, 4), low);
      }
      break;
    }
    case 9:
    case 13: {
      const r = base(v, 0);
      const g = base(v, 2);
      const b = base(v, 4);
      const dr = offset(v, 0);
      const dg = offset(v, 2);
      const db = offset(v, 4);
      const a = mode == 13 ? base(v, 6) : 255;
      const da = mode == 13 ? offset(v, 6) : 0;
      if (dr + dg + db >= 0) {
        put(out, r, g, b, a);
        put(out + 16, clampByte(r + dr), clampByte(g + dg), clampByte(b + db), clampByte(a + da));
      } else {
        contracted(out, r + dr, g + dg, b + db, a + da);
        contracted(out + 16, r, g, b, a);
      }
      break;
    }
    default:
      put(out, 255, 0, 255, 255);
      put(out + 16, 255, 0, 255, 255);
  }
}

function at(v: usize, index: i32): i32 {
  return load<u8>(v + index);
}

/** Of two numbers, the 8-bit base, whose highest bit is in the second number. */
function base(v: usize, index: i32): i32 {
  return (at(v, index) >> 1) | (at(v, index + 1) & 0x80);
}
/** Of two numbers, the offset: six bits in two's complement. */
function offset(v: usize, index: i32): i32 {
  return (at(v, index + 1) << 25) >> 26;
}

function put(out: usize, r: i32, g: i32, b: i32, a: i32): void {
  store<i32>(out, r);
  store<i32>(out, g, 4);
  store<i32>(out, b, 8);
  store<i32>(out, a, 12);
}

/** Blue contraction: red and green become their averages with blue. */
function contracted(out: usize, r: i32, g: i32, b: i32, a: i32): void {
  put(out, clampByte((r + b) >> 1), clampByte((g + b) >> 1), clampByte(b), clampByte(a));
}
