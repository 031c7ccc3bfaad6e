// From clip space to the screen, four vertices at a time: outcode, division by w, viewport, snapping to 24.8 fixed
// point. Also transposes registers to packets. Scalar twin: project.scalar.ts.
import {
  Corner,
  OUTCODE_BEHIND,
  OUTCODE_BOTTOM,
  OUTCODE_BYTES,
  OUTCODE_FAR,
  OUTCODE_GUARD,
  OUTCODE_LEFT,
  OUTCODE_NEAR,
  OUTCODE_RIGHT,
  OUTCODE_TOP,
  OUTCODE_NOT_FINITE,
  POSITION_BYTES,
  Setup,
  sizeOf,
  MIN_W,
} from '../../layout';
import { highHalves, interleaveHigh, interleaveLow, madd, storeColumns } from '../../simd/lanes';
import { positionOf } from './vertices';

function bit(mask: v128, code: i32): v128 {
  return v128.and(mask, i32x4.splat(code));
}

function outcodes(setup: Setup, x: v128, y: v128, z: v128, w: v128): v128 {
  const minus = f32x4.neg(w);
  let code = v128.or(bit(f32x4.lt(x, minus), OUTCODE_LEFT), bit(f32x4.gt(x, w), OUTCODE_RIGHT));
  code = v128.or(code, v128.or(bit(f32x4.lt(y, minus), OUTCODE_BOTTOM), bit(f32x4.gt(y, w), OUTCODE_TOP)));
  code = v128.or(code, v128.or(bit(f32x4.lt(z, f32x4.splat(0)), OUTCODE_NEAR), bit(f32x4.gt(z, w), OUTCODE_FAR)));
  code = v128.or(code, bit(v128.not(f32x4.ge(w, f32x4.splat(<f32>MIN_W))), OUTCODE_BEHIND));
  const outsideX = f32x4.gt(f32x4.abs(x), f32x4.mul(f32x4.splat(setup.guardX), w));
  const outsideY = f32x4.gt(f32x4.abs(y), f32x4.mul(f32x4.splat(setup.guardY), w));
  code = v128.or(code, bit(v128.or(outsideX, outsideY), OUTCODE_GUARD));
  // x − x is NaN for infinities too.
  const wild = f32x4.add(f32x4.add(f32x4.sub(x, x), f32x4.sub(y, y)), f32x4.add(f32x4.sub(z, z), f32x4.sub(w, w)));
  code = v128.or(code, bit(f32x4.ne(wild, wild), OUTCODE_NOT_FINITE));
  return v128.and(code, i32x4.splat(setup.outcodes));
}

/**
 * Writes quads of shaded vertices, from number `first` on (a multiple of four). `position` is the address of the
 * register of x, followed by y, z and w. `sources` holds u32 addresses of the varyings' registers, as many as a packet
 * has room for. Returns the OR of the vertices' outcodes.
 */
export function packVertices(setup: Setup, quads: i32, position: usize, sources: usize, first: u32): i32 {
  const stride = setup.stride;
  // Offset of the last group, which includes depth and 1/w.
  const screen = stride - 16;
  const end = (<usize>quads) << 4;
  let packet = setup.varyingsOf(setup.packet(first));
  let to = positionOf(setup, first);
  let list = setup.outcodeList + first * OUTCODE_BYTES;
  let corners = changetype<usize>(setup.corner(first));
  let joined = i32x4.splat(0);
  for (let at: usize = 0; at < end; at += 16) {
    const x = v128.load(position + at);
    const y = v128.load(position + at, 256);
    const z = v128.load(position + at, 512);
    const w = v128.load(position + at, 768);
    const rhw = f32x4.div(f32x4.splat(1), w);
    // Round to nearest, ties to even.
    const screenX = f32x4.nearest(madd(f32x4.mul(x, rhw), f32x4.splat(setup.scaleX), f32x4.splat(setup.offsetX)));
    const screenY = f32x4.nearest(madd(f32x4.mul(y, rhw), f32x4.splat(setup.scaleY), f32x4.splat(setup.offsetY)));
    const depth = madd(f32x4.mul(z, rhw), f32x4.splat(setup.scaleZ), f32x4.splat(setup.offsetZ));
    const cornersX = i32x4.trunc_sat_f32x4_s(screenX);
    const cornersY = i32x4.trunc_sat_f32x4_s(screenY);
    v128.store(corners, interleaveLow(cornersX, cornersY));
    v128.store(corners, interleaveHigh(cornersX, cornersY), 16);
    storeColumns(to, POSITION_BYTES, x, y, z, w);
    const codes = outcodes(setup, x, y, z, w);
    v128.store64_lane(list, i16x8.narrow_i32x4_u(codes, codes), 0);
    joined = v128.or(joined, codes);
    let from = sources;
    for (let group: usize = 0; group < screen; group += 16, from += 16) {
      storeColumns(
        packet + group,
        stride,
        v128.load(load<u32>(from) + at),
        v128.load(load<u32>(from, 4) + at),
        v128.load(load<u32>(from, 8) + at),
        v128.load(load<u32>(from, 12) + at)
      );
    }
    storeColumns(
      packet + screen,
      stride,
      v128.load(load<u32>(from) + at),
      v128.load(load<u32>(from, 4) + at),
      depth,
      rhw
    );
    packet += stride << 2;
    to += POSITION_BYTES << 2;
    list += OUTCODE_BYTES << 2;
    corners += sizeOf<Corner>() << 2;
  }
  joined = v128.or(joined, highHalves(joined, joined));
  return i32x4.extract_lane(joined, 0) | i32x4.extract_lane(joined, 1);
}
