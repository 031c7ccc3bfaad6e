// Texel addresses and fractions of a quad's reads from flat textures, arrays and volumes. Each pixel may read its own
// level and layer. Cube maps: cubes.ts.
import { Access, ADDRESS_CLAMP, DIMENSION_1D, DIMENSION_3D, QuadRead, Texture, TextureLevel } from '../../layout';
import { isSplat } from '../../simd/lanes';
import { firstIndices, secondIndices, tapsOfQuad, wholeInts } from './axis';
import { pageFootprints, pageTexels, putFootprints } from './pages';

/** The level record that all pixels share; 0 if they differ. */
export function commonLevel(texture: Texture, levels: v128): usize {
  return isSplat(levels) ? recordOf(texture, i32x4.extract_lane(levels, 0)) : 0;
}

/** A field of each pixel's level record; `common` is the result of commonLevel. */
export function fieldOf(texture: Texture, levels: v128, common: usize, field: usize): v128 {
  return common ? v128.load32_splat(common + field) : gatherField(texture, levels, field);
}

function gatherField(texture: Texture, levels: v128, field: usize): v128 {
  let v = v128.load32_zero(recordOf(texture, i32x4.extract_lane(levels, 0)) + field);
  v = v128.load32_lane(recordOf(texture, i32x4.extract_lane(levels, 1)) + field, v, 1);
  v = v128.load32_lane(recordOf(texture, i32x4.extract_lane(levels, 2)) + field, v, 2);
  return v128.load32_lane(recordOf(texture, i32x4.extract_lane(levels, 3)) + field, v, 3);
}

function recordOf(texture: Texture, index: i32): usize {
  return changetype<usize>(texture.level(index));
}

/** The array layer of each pixel, clamped to `count` layers. */
export function layersOf(access: Access, quad: usize, count: i32): v128 {
  const register = access.layer;
  if (!register) return i32x4.splat(0);
  const last = i32x4.splat(count - 1);
  return i32x4.max_s(i32x4.min_s(v128.load(register + quad), last), i32x4.splat(0));
}

/**
 * Writes the addresses that the pixels of a quad read in their levels. For volumes they are in the first slice or, for
 * a streamed volume with `second`, in the second slice.
 */
export function placeFlat(
  access: Access,
  read: QuadRead,
  quad: usize,
  levels: v128,
  linear: bool,
  second: bool = false
): void {
  const texture = access.texture;
  const dimension = texture.dimension;
  const sampler = access.sampler;
  const common = commonLevel(texture, levels);
  const one = i32x4.splat(1);
  const center: f32 = linear ? 0.5 : 0;
  const modeU = sampler.addressU;
  const offsetX = access.offsetX;
  const lastX = i32x4.add(fieldOf(texture, levels, common, offsetof<TextureLevel>('innerX')), one);
  const widths = fieldOf(texture, levels, common, offsetof<TextureLevel>('width'));
  const x = tapsOfQuad(v128.load(access.u + quad), widths, modeU, f32x4.splat(<f32>offsetX - center), offsetX != 0);
  const wholeX = f32x4.floor(x);
  const i = wholeInts(wholeX);
  const line = dimension == DIMENSION_1D;
  const modeV = line ? ADDRESS_CLAMP : sampler.addressV;
  const offsetY = line ? 0 : access.offsetY;
  const v = line ? f32x4.splat(0) : v128.load(access.v + quad);
  const lastY = i32x4.add(fieldOf(texture, levels, common, offsetof<TextureLevel>('innerY')), one);
  const heights = fieldOf(texture, levels, common, offsetof<TextureLevel>('height'));
  const y = tapsOfQuad(v, heights, modeV, f32x4.splat(<f32>offsetY - center), offsetY != 0);
  const wholeY = f32x4.floor(y);
  const j = wholeInts(wholeY);
  const layerBytes = fieldOf(texture, levels, common, offsetof<TextureLevel>('layerBytes'));
  const slices =
    dimension == DIMENSION_3D
      ? slicesOf(access, read, quad, levels, linear, second)
      : layersOf(access, quad, texture.layers);
  const base = i32x4.add(
    fieldOf(texture, levels, common, offsetof<TextureLevel>('address')),
    i32x4.mul(slices, layerBytes)
  );
  const i0 = firstIndices(i, lastX, modeU);
  const j0 = firstIndices(j, lastY, modeV);
  const to = read.addresses;
  if (linear) {
    v128.store(read.fx, f32x4.sub(x, wholeX));
    v128.store(read.fy, f32x4.sub(y, wholeY));
  }
  if (texture.stream) {
    if (linear) {
      const i1 = secondIndices(i32x4.add(i, one), lastX, modeU);
      const j1 = secondIndices(i32x4.add(j, one), lastY, modeV);
      putFootprints(to, i0, i1, j0, j1);
      pageFootprints(access, read, levels, slices, to);
    } else v128.store(to, pageTexels(access, read, levels, slices, i0, j0));
    return;
  }
  const bytes = i32x4.splat(read.format.texelBytes);
  const rowBytes = fieldOf(texture, levels, common, offsetof<TextureLevel>('rowBytes'));
  const row0 = i32x4.add(base, i32x4.mul(j0, rowBytes));
  const x0 = i32x4.mul(i0, bytes);
  v128.store(to, i32x4.add(row0, x0));
  if (!linear) return;
  const row1 = i32x4.add(base, i32x4.mul(secondIndices(i32x4.add(j, one), lastY, modeV), rowBytes));
  const x1 = i32x4.mul(secondIndices(i32x4.add(i, one), lastX, modeU), bytes);
  v128.store(to, i32x4.add(row0, x1), 16);
  v128.store(to, i32x4.add(row1, x0), 32);
  v128.store(to, i32x4.add(row1, x1), 48);
}

// The first or the second slices of a volume. Stores the distance between the two and the fractions.
function slicesOf(access: Access, read: QuadRead, quad: usize, levels: v128, linear: bool, isSecond: bool): v128 {
  const texture = access.texture;
  const mode = access.sampler.addressW;
  const common = commonLevel(texture, levels);
  const sizes = fieldOf(texture, levels, common, offsetof<TextureLevel>('slices'));
  const last = i32x4.sub(wholeInts(sizes), i32x4.splat(1));
  const center: f32 = linear ? -0.5 : 0;
  const offset = access.offsetZ;
  const z = tapsOfQuad(v128.load(access.w + quad), sizes, mode, f32x4.splat(<f32>offset + center), offset != 0);
  const whole = f32x4.floor(z);
  const k = wholeInts(whole);
  const first = firstIndices(k, last, mode);
  const second = secondIndices(i32x4.add(k, i32x4.splat(1)), last, mode);
  const layerBytes = fieldOf(texture, levels, common, offsetof<TextureLevel>('layerBytes'));
  v128.store(read.apart, i32x4.mul(i32x4.sub(second, first), layerBytes));
  v128.store(read.fz, f32x4.sub(z, whole));
  return isSecond ? second : first;
}

/** Moves the addresses to the second slices. */
export function toSecondSlices(read: QuadRead): void {
  const apart = v128.load(read.apart);
  for (let at = read.addresses; at < read.addresses + 64; at += 16) v128.store(at, i32x4.add(v128.load(at), apart));
}
