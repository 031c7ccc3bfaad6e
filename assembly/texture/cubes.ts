// Linear samples of a cube map, a quad at a time, each pixel with its own face and level: environment maps. Pixels
// whose four texels do not lie in one face, arrays and nearest filters go through pixel.ts, whose numbers these are.
import { Access, DIMENSION_CUBE, FILTER_LINEAR, Sampler, Texture, TextureLevel } from '../layout';
import { intsOfWhole } from '../simd/channels';
import { allTrue, madd, select, splat0 } from '../simd/lanes';
import { splat1, splat2, splat3 } from '../simd/texels';
import { bilinear, byteWeights, mixWords, texelShift } from './filter';

/** Whether the sampler and texture are what this file is for. */
export function isSimpleCube(texture: Texture, sampler: Sampler): bool {
  return texture.dimension == DIMENSION_CUBE && sampler.mag == FILTER_LINEAR && sampler.min == FILTER_LINEAR;
}

// Face coordinate s/|major| in 0 … 1.
function half(x: v128): v128 {
  const one = f32x4.splat(1);
  const h = f32x4.splat(0.5);
  const clamped = f32x4.pmin(one, f32x4.pmax(f32x4.splat(-1), x));
  return v128.and(madd(clamped, h, h), f32x4.eq(x, x));
}

// One field of each lane's level record.
function gather(a: TextureLevel, b: TextureLevel, c: TextureLevel, d: TextureLevel, field: usize): v128 {
  return v128.load32_lane(
    changetype<usize>(d) + field,
    v128.load32_lane(
      changetype<usize>(c) + field,
      v128.load32_lane(changetype<usize>(b) + field, v128.load32_zero(changetype<usize>(a) + field), 1), 2
    ),
    3
  );
}

function sizeOf(width: i32, index: i32): i32 { return max<i32>(1, width >> index); }

/**
 * One level of each lane (`levels`) as four pixels at `out`; false when some footprint leaves its face, and `out` has
 * no meaning.
 */
function cubeLevel<C>(texture: Texture, levels: v128, faces: v128, s: v128, t: v128, out: usize): bool {
  const l0 = i32x4.extract_lane(levels, 0);
  const l1 = i32x4.extract_lane(levels, 1);
  const l2 = i32x4.extract_lane(levels, 2);
  const l3 = i32x4.extract_lane(levels, 3);
  const width = texture.width;
  const sizes = i32x4.replace_lane(
    i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(sizeOf(width, l0)), 1, sizeOf(width, l1)), 2, sizeOf(width, l2)),
    3, sizeOf(width, l3)
  );
  const widths = f32x4.convert_i32x4_s(sizes);
  const x = f32x4.sub(f32x4.mul(s, widths), f32x4.splat(0.5));
  const y = f32x4.sub(f32x4.mul(t, widths), f32x4.splat(0.5));
  const wholeX = f32x4.floor(x);
  const wholeY = f32x4.floor(y);
  const i = intsOfWhole(wholeX);
  const j = intsOfWhole(wholeY);
  const last = i32x4.sub(sizes, i32x4.splat(1));
  if (!allTrue(v128.and(i32x4.lt_u(i, last), i32x4.lt_u(j, last)))) return false;
  const r0 = texture.level(l0);
  const r1 = texture.level(l1);
  const r2 = texture.level(l2);
  const r3 = texture.level(l3);
  const rowBytes = gather(r0, r1, r2, r3, offsetof<TextureLevel>('rowBytes'));
  const layers = i32x4.mul(faces, gather(r0, r1, r2, r3, offsetof<TextureLevel>('layerBytes')));
  const base = i32x4.add(
    gather(r0, r1, r2, r3, offsetof<TextureLevel>('address')), i32x4.add(layers, i32x4.shl(i, texelShift<C>()))
  );
  const row0 = i32x4.add(base, i32x4.mul(j, rowBytes));
  const row1 = i32x4.add(row0, rowBytes);
  const fx = f32x4.sub(x, wholeX);
  const fy = f32x4.sub(y, wholeY);
  const across = isInteger<C>() ? byteWeights(fx) : fx;
  v128.store(out, pixel<C>(i32x4.extract_lane(row0, 0), i32x4.extract_lane(row1, 0), splat0(across), splat0(fy)));
  v128.store(out, pixel<C>(i32x4.extract_lane(row0, 1), i32x4.extract_lane(row1, 1), splat1(across), splat1(fy)), 16);
  v128.store(out, pixel<C>(i32x4.extract_lane(row0, 2), i32x4.extract_lane(row1, 2), splat2(across), splat2(fy)), 32);
  v128.store(out, pixel<C>(i32x4.extract_lane(row0, 3), i32x4.extract_lane(row1, 3), splat3(across), splat3(fy)), 48);
  return true;
}

// @ts-ignore: decorator
@inline function pixel<C>(row0: usize, row1: usize, across: v128, fy: v128): v128 {
  const bytes: usize = 1 << texelShift<C>();
  return bilinear<C>(row0, row0 + bytes, row1, row1 + bytes, across, fy);
}

/**
 * Samples the quad at byte offset `quad` of the registers, with the levels of detail at Access.lods, to Access.pixels;
 * false when it cannot, and nothing has come of it.
 */
export function cubeQuad<C>(access: Access, quad: usize): bool {
  const texture = access.texture;
  const sampler = access.sampler;
  const x = v128.load(access.u + quad);
  const y = v128.load(access.v + quad);
  const z = v128.load(access.w + quad);
  const zero = f32x4.splat(0);
  const ax = f32x4.abs(x);
  const ay = f32x4.abs(y);
  const az = f32x4.abs(z);
  // The table of cube.ts: among equal components z goes before y before x.
  const isZ = v128.and(f32x4.ge(az, ax), f32x4.ge(az, ay));
  const isY = v128.andnot(f32x4.ge(ay, ax), isZ);
  const component = select(isZ, z, select(isY, y, x));
  const negative = f32x4.lt(component, zero);
  const axis = select(isZ, i32x4.splat(4), v128.and(isY, i32x4.splat(2)));
  const faces = i32x4.sub(axis, negative);
  const sign = v128.and(negative, i32x4.splat(0x80000000));
  const s = select(isZ, v128.xor(x, sign), select(isY, x, v128.xor(f32x4.neg(z), sign)));
  const t = select(isY, v128.xor(z, sign), f32x4.neg(y));
  const major = f32x4.abs(component);
  const u = half(f32x4.div(s, major));
  const v = half(f32x4.div(t, major));
  // levelPosition of level.ts.
  const top = f32x4.splat(<f32>(texture.levelCount - 1));
  let position = f32x4.pmin(top, f32x4.pmax(zero, v128.load(access.lods)));
  if (sampler.mipmap != FILTER_LINEAR) position = f32x4.floor(f32x4.add(position, f32x4.splat(0.5)));
  const whole = f32x4.floor(position);
  const fractions = f32x4.sub(position, whole);
  const levels = intsOfWhole(whole);
  const out = access.pixels;
  if (!cubeLevel<C>(texture, levels, faces, u, v, out)) return false;
  if (allTrue(f32x4.eq(fractions, zero))) return true;
  const next = access.nextLevel;
  const above = i32x4.min_s(i32x4.add(levels, i32x4.splat(1)), i32x4.splat(texture.levelCount - 1));
  if (!cubeLevel<C>(texture, above, faces, u, v, next)) return false;
  v128.store(access.lods, fractions);
  for (let i: usize = 0; i < 16; i += 4) {
    // A fraction of 0 keeps the first level even where the second is infinite.
    if (load<f32>(access.lods + i) != 0) mixWords(out + (i << 2), next + (i << 2), load<f32>(access.lods + i));
  }
  return true;
}
