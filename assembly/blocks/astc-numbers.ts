// Unquantizes ASTC numbers: colour endpoints to 0…255, weights to 0…64.
import { levelBits, levelKind, TRITS } from './sequences';

/** Repeats the `bits` bits of a number to fill `width` bits. */
function repeated(value: i32, bits: i32, width: i32): i32 {
  let result = 0;
  for (let left = width; left > 0; left -= bits)
    result |= left >= bits ? value << (left - bits) : value >> (bits - left);
  return result;
}

/**
 * Unquantizes a colour number.
 * @param part the bits
 * @param digit the trit or quint
 */
export function colourOf(part: i32, digit: i32, level: i32): i32 {
  const bits = levelBits(level);
  const kind = levelKind(level);
  if (!kind) return repeated(part, bits, 8);
  const a = part & 1 ? 511 : 0;
  const b = (part >> 1) & 1;
  const c = (part >> 2) & 1;
  const d = (part >> 3) & 1;
  const high = part >> 1;
  let factor = 0;
  let spread = 0;
  if (kind == TRITS) {
    if (bits == 1) factor = 204;
    else if (bits == 2) {
      factor = 93;
      spread = (b << 8) | (b << 4) | (b << 2) | (b << 1);
    } else if (bits == 3) {
      factor = 44;
      spread = (c << 8) | (b << 7) | (c << 3) | (b << 2) | (c << 1) | b;
    } else if (bits == 4) {
      factor = 22;
      spread = (d << 8) | (c << 7) | (b << 6) | high;
    } else if (bits == 5) {
      factor = 11;
      spread = (high << 5) | (high >> 2);
    } else {
      factor = 5;
      spread = (high << 4) | (high >> 4);
    }
  } else if (bits == 1) factor = 113;
  else if (bits == 2) {
    factor = 54;
    spread = (b << 8) | (b << 3) | (b << 2);
  } else if (bits == 3) {
    factor = 26;
    spread = (c << 8) | (b << 7) | (c << 2) | (b << 1) | c;
  } else if (bits == 4) {
    factor = 13;
    spread = (high << 6) | (high >> 1);
  } else {
    factor = 6;
    spread = (high << 5) | (high >> 3);
  }
  const value = (digit * factor + spread) ^ a;
  return (a & 0x80) | (value >> 2);
}

/** Unquantizes a weight. */
export function weightFrom(part: i32, digit: i32, level: i32): i32 {
  const bits = levelBits(level);
  const kind = levelKind(level);
  let value = 0;
  if (!kind) value = repeated(part, bits, 6);
  else if (!bits) value = kind == TRITS ? (digit * 63 + 1) >> 1 : digit == 2 ? 32 : digit * 16 - i32(digit > 2);
  else {
    const a = part & 1 ? 127 : 0;
    const b = (part >> 1) & 1;
    const c = (part >> 2) & 1;
    let factor = 0;
    let spread = 0;
    if (kind == TRITS) {
      factor = bits == 1 ? 50 : bits == 2 ? 23 : 11;
      if (bits == 2) spread = (b << 6) | (b << 2) | b;
      else if (bits == 3) spread = (c << 6) | (b << 5) | (c << 1) | b;
    } else {
      factor = bits == 1 ? 28 : 13;
      if (bits == 2) spread = (b << 6) | (b << 1);
    }
    const mixed = (digit * factor + spread) ^ a;
    value = (a & 0x20) | (mixed >> 2);
  }
  return value > 32 ? value + 1 : value;
}
