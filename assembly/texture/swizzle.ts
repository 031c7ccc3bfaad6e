// Channel swizzles of texture views. Functions that read texels ignore swizzles: the callers (sites.ts, warp/access.ts)
// request the source channels that they need and move the results afterwards.
import { Access, MODE_GATHER, SWIZZLE_BITS, SWIZZLE_ZERO, Texture } from '../layout';
import { isInteger } from '../surface/formats';

/** The source of a channel: 0…3, or SWIZZLE_*. */
export function sourceOf(texture: Texture, channel: usize): i32 {
  return (<i32>(texture.swizzle >> (<u32>(channel * SWIZZLE_BITS)))) & ((1 << SWIZZLE_BITS) - 1);
}

/** The bits of a constant channel. */
export function constantOf(texture: Texture, source: i32): u32 {
  if (source == SWIZZLE_ZERO) return 0;
  return isInteger(texture.format) ? 1 : 0x3f800000;
}

/**
 * Whether the view swizzles channels. A comparison result is treated as (result, 0, 0, 1) and swizzled like any other,
 * as in Dawn and the conformance suite.
 */
export function isSwizzled(texture: Texture): bool {
  return texture.swizzle != 0;
}

/** Moves the channels of four pixels, a v128 each. */
export function swizzleTexels(texture: Texture, texels: usize): void {
  for (let lane: usize = 0; lane < 16; lane += 4) {
    const at = texels + lane;
    const red = load<u32>(at);
    const green = load<u32>(at, 16);
    const blue = load<u32>(at, 32);
    const alpha = load<u32>(at, 48);
    for (let c: usize = 0; c < 4; c++) {
      const source = sourceOf(texture, c);
      const moved =
        source >= SWIZZLE_ZERO
          ? constantOf(texture, source)
          : source == 0
            ? red
            : source == 1
              ? green
              : source == 2
                ? blue
                : alpha;
      store<u32>(at + (c << 4), moved);
    }
  }
}

function resultOf(access: Access, channel: usize): usize {
  return load<u32>(access.result + (channel << 2));
}

function fill(result: usize, bits: u32, bytes: usize): void {
  for (const end = result + bytes; result < end; result += 4) store<u32>(result, bits);
}

/**
 * Reads the swizzled texture of an ACCESS record for all quads of its warp, with the function in slot `read`. Each
 * source channel is read once; other results with the same source are copies.
 */
export function readSwizzled(access: Access, read: u32): void {
  const texture = access.texture;
  const bytes = (<usize>access.quads) << 4;
  if (access.mode >= MODE_GATHER) {
    const channel = access.mode;
    const source = sourceOf(texture, channel - MODE_GATHER);
    if (source >= SWIZZLE_ZERO) {
      for (let c: usize = 0; c < 4; c++) {
        if (resultOf(access, c)) fill(resultOf(access, c), constantOf(texture, source), bytes);
      }
      return;
    }
    access.mode = MODE_GATHER + source;
    call_indirect<void>(read, access);
    access.mode = channel;
    return;
  }
  const low = load<u64>(access.result);
  const high = load<u64>(access.result, 8);
  memory.fill(access.result, 0, 16);
  let asked = false;
  for (let c: usize = 0; c < 4; c++) {
    const wanted = wantedOf(low, high, c);
    const source = sourceOf(texture, c);
    if (!wanted || source >= SWIZZLE_ZERO || resultOf(access, source)) continue;
    store<u32>(access.result + (source << 2), wanted);
    asked = true;
  }
  if (asked) call_indirect<void>(read, access);
  for (let c: usize = 0; c < 4; c++) {
    const wanted = wantedOf(low, high, c);
    if (!wanted) continue;
    const source = sourceOf(texture, c);
    if (source >= SWIZZLE_ZERO) fill(wanted, constantOf(texture, source), bytes);
    else if (resultOf(access, source) != wanted) memory.copy(wanted, resultOf(access, source), bytes);
  }
  store<u64>(access.result, low);
  store<u64>(access.result, high, 8);
}

// The result address of a channel, from the four addresses packed in `low` and `high`.
function wantedOf(low: u64, high: u64, channel: usize): u32 {
  return <u32>((channel < 2 ? low : high) >> (<u64>((channel & 1) << 5)));
}
