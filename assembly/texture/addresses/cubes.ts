// Cube maps for four pixels at a time, each with its own face and level: faces, face coordinates, texel addresses, and
// gradients for levels of detail. The face table is that of cube.ts, the scalar twin.
import { Access, QuadRead, SiteTaps, Texture, TextureLevel } from '../../layout';
import { intsOfWhole } from '../../simd/channels';
import { allTrue, madd, max, select, splatFrom } from '../../simd/lanes';
import { HALF, NUMBERS } from '../texels/constants';
import { byteWeights } from '../texels/filter';
import { wholeInts } from './axis';
import { cubePlace, cubeTexel, placeColumn, placeFace, placeRow } from './cube';
import { gradientOf } from './gradients';
import { pageTexels } from './pages';
import { commonLevel, fieldOf, layersOf } from './places';

/** Lanes whose direction is along z; along y (else x). Of equal components z wins over y, and y over x. */
function alongZ(x: v128, y: v128, z: v128): v128 {
  const az = f32x4.abs(z);
  return v128.and(f32x4.ge(az, f32x4.abs(x)), f32x4.ge(az, f32x4.abs(y)));
}
function alongY(x: v128, y: v128, isZ: v128): v128 {
  return v128.andnot(f32x4.ge(f32x4.abs(y), f32x4.abs(x)), isZ);
}
/** The component along the face's axis. */
function component(isZ: v128, isY: v128, x: v128, y: v128, z: v128): v128 {
  return select(isZ, z, select(isY, y, x));
}

/** Face coordinates; `sign` is the sign bit, set in lanes on a negative face. */
function faceS(isZ: v128, isY: v128, sign: v128, x: v128, z: v128): v128 {
  return select(isZ, v128.xor(x, sign), select(isY, x, v128.xor(f32x4.neg(z), sign)));
}
function faceT(isY: v128, sign: v128, y: v128, z: v128): v128 {
  return select(isY, v128.xor(z, sign), f32x4.neg(y));
}
function signBits(negative: v128): v128 {
  return v128.and(negative, i32x4.splat(0x80000000));
}

// Maps the face coordinate s/|major| to 0…1; NaN becomes 0.
function half(x: v128): v128 {
  const h = splatFrom(NUMBERS, HALF);
  const clamped = f32x4.pmin(f32x4.splat(1), f32x4.pmax(f32x4.splat(-1), x));
  return v128.and(madd(clamped, h, h), f32x4.eq(x, x));
}

/** Finds the faces of a quad's directions, which are the same in all levels. */
export function findFaces(access: Access, read: QuadRead, quad: usize): void {
  const x = v128.load(access.u + quad);
  const y = v128.load(access.v + quad);
  const z = v128.load(access.w + quad);
  const isZ = alongZ(x, y, z);
  const isY = alongY(x, y, isZ);
  const along = component(isZ, isY, x, y, z);
  const negative = f32x4.lt(along, f32x4.splat(0));
  const sign = signBits(negative);
  const major = v128.xor(along, sign);
  v128.store(read.faces, i32x4.sub(select(isZ, i32x4.splat(4), v128.and(isY, i32x4.splat(2))), negative));
  v128.store(read.faceS, half(f32x4.div(faceS(isZ, isY, sign, x, z), major)));
  v128.store(read.faceT, half(f32x4.div(faceT(isY, sign, y, z), major)));
}

/** Writes where the pixels of a quad, whose faces were found, read their levels: addresses and fractions. */
export function placeCube(access: Access, read: QuadRead, quad: usize, levels: v128, linear: bool): void {
  const texture = access.texture;
  const faces = v128.load(read.faces);
  const common = commonLevel(texture, levels);
  const widths = fieldOf(texture, levels, common, offsetof<TextureLevel>('width'));
  const inner = fieldOf(texture, levels, common, offsetof<TextureLevel>('innerX'));
  const shift = linear ? splatFrom(NUMBERS, HALF) : f32x4.splat(0);
  const s = f32x4.sub(f32x4.mul(v128.load(read.faceS), widths), shift);
  const t = f32x4.sub(f32x4.mul(v128.load(read.faceT), widths), shift);
  const wholeS = f32x4.floor(s);
  const wholeT = f32x4.floor(t);
  const last = i32x4.add(inner, i32x4.splat(1));
  let i = intsOfWhole(wholeS);
  let j = intsOfWhole(wholeT);
  if (!linear) {
    // The far edge of a face belongs to its last texel.
    i = i32x4.min_s(i, last);
    j = i32x4.min_s(j, last);
  }
  if (linear) {
    v128.store(read.fx, f32x4.sub(s, wholeS));
    v128.store(read.fy, f32x4.sub(t, wholeT));
  }
  const cube = i32x4.mul(layersOf(access, quad, texture.layers / 6), i32x4.splat(6));
  if (texture.stream) {
    const taps = linear ? 4 : 1;
    for (let k = 0; k < taps; k++) {
      const column = i32x4.add(i, i32x4.splat(k & 1));
      const row = i32x4.add(j, i32x4.splat(k >> 1));
      v128.store(read.texels, levels);
      v128.store(read.texels, column, 16);
      v128.store(read.texels, row, 32);
      v128.store(read.texels, faces, 48);
      v128.store(read.texels, cube, 64);
      const inside = v128.and(i32x4.le_u(column, last), i32x4.le_u(row, last));
      placePages(access, read, read.addresses + (k << 4), i32x4.bitmask(inside) ^ 15);
    }
    return;
  }
  const bytes = read.format.texelBytes;
  const layerBytes = fieldOf(texture, levels, common, offsetof<TextureLevel>('layerBytes'));
  const cubes = i32x4.add(
    fieldOf(texture, levels, common, offsetof<TextureLevel>('address')),
    i32x4.mul(cube, layerBytes)
  );
  const rowBytes = fieldOf(texture, levels, common, offsetof<TextureLevel>('rowBytes'));
  const first = i32x4.add(
    i32x4.add(cubes, i32x4.mul(faces, layerBytes)),
    i32x4.add(i32x4.mul(j, rowBytes), i32x4.mul(i, i32x4.splat(bytes)))
  );
  const to = read.addresses;
  v128.store(to, first);
  if (!linear) return;
  const below = i32x4.add(first, rowBytes);
  v128.store(to, i32x4.add(first, i32x4.splat(bytes)), 16);
  v128.store(to, below, 32);
  v128.store(to, i32x4.add(below, i32x4.splat(bytes)), 48);
  const inside = v128.and(i32x4.lt_u(i, last), i32x4.lt_u(j, last));
  if (!allTrue(inside)) {
    v128.store(read.texels, levels);
    putPlaces(read, i, j, cubes);
    crossEdges(texture, read, to, bytes, i32x4.bitmask(inside) ^ 15);
  }
}

/** Passes columns, rows and the cubes' addresses to crossEdges. */
// @ts-ignore: decorator
@inline
function putPlaces(read: QuadRead, i: v128, j: v128, cubes: v128): void {
  v128.store(read.texels, i, 16);
  v128.store(read.texels, j, 32);
  v128.store(read.texels, cubes, 48);
}

/**
 * Recomputes the addresses at `to` of footprints that leave their face, for the lanes set in `outside`. Levels and
 * putPlaces are passed in read.texels.
 */
function crossEdges(texture: Texture, read: QuadRead, to: usize, bytes: i32, outside: i32): void {
  for (; outside; outside &= outside - 1) {
    const lane: usize = ctz(outside) << 2;
    const from = read.texels + lane;
    const record = texture.level(load<i32>(from));
    const size = record.innerX + 2;
    for (let k = 0; k < 4; k++) {
      const i = load<i32>(from, 16) + (k & 1);
      const j = load<i32>(from, 32) + (k >> 1);
      store<u32>(
        to + (k << 4) + lane,
        load<u32>(from, 48) + cubeTexel(record, bytes, load<i32>(read.faces + lane), size, i, j)
      );
    }
  }
}

/** Computes the offsets of the texels nearest to a quad, whose faces were found, in the level `index`. */
export function nearestOfCube(access: Access, read: QuadRead, taps: SiteTaps, index: i32, shift: i32): void {
  const texture = access.texture;
  const record = texture.level(index);
  const width = i32x4.splat(record.width);
  // The far edge of a face belongs to its last texel.
  const last = i32x4.splat(record.innerX + 1);
  const i = i32x4.min_s(wholeInts(f32x4.floor(f32x4.mul(v128.load(read.faceS), width))), last);
  const j = i32x4.min_s(wholeInts(f32x4.floor(f32x4.mul(v128.load(read.faceT), width))), last);
  let layers = v128.load(read.faces);
  if (access.layer) layers = i32x4.add(layers, i32x4.mul(layersOf(access, 0, texture.layers / 6), i32x4.splat(6)));
  const rows = i32x4.add(i32x4.mul(layers, i32x4.splat(record.layerBytes)), i32x4.mul(j, i32x4.splat(record.rowBytes)));
  v128.store(taps.offsets00, i32x4.add(rows, i32x4.shl(i, shift)));
}

/**
 * Computes the taps of a quad, whose faces were found, in the level `index`, for texels of 2^`shift` bytes. Returns
 * whether all pixels are INSIDE their faces (sites/site-bytes.ts).
 */
export function tapsOfCube(access: Access, read: QuadRead, taps: SiteTaps, index: i32, shift: i32): bool {
  const texture = access.texture;
  const record = texture.level(index);
  const width = i32x4.splat(record.width);
  const center = splatFrom(NUMBERS, HALF);
  const s = f32x4.sub(f32x4.mul(v128.load(read.faceS), width), center);
  const t = f32x4.sub(f32x4.mul(v128.load(read.faceT), width), center);
  const wholeS = f32x4.floor(s);
  const wholeT = f32x4.floor(t);
  const i = wholeInts(wholeS);
  const j = wholeInts(wholeT);
  const layerBytes = i32x4.splat(record.layerBytes);
  const rowBytes = i32x4.splat(record.rowBytes);
  const texel = i32x4.splat(1 << shift);
  let cubes = i32x4.splat(0);
  if (access.layer) cubes = i32x4.mul(i32x4.mul(layersOf(access, 0, texture.layers / 6), i32x4.splat(6)), layerBytes);
  const first = i32x4.add(
    i32x4.add(cubes, i32x4.mul(v128.load(read.faces), layerBytes)),
    i32x4.add(i32x4.mul(j, rowBytes), i32x4.shl(i, shift))
  );
  const below = i32x4.add(first, rowBytes);
  v128.store(taps.offsets00, first);
  v128.store(taps.offsets10, i32x4.add(first, texel));
  v128.store(taps.offsets01, below);
  v128.store(taps.offsets11, i32x4.add(below, texel));
  const fx = f32x4.sub(s, wholeS);
  v128.store(taps.weights, byteWeights(fx));
  v128.store(taps.fx, fx);
  v128.store(taps.fy, f32x4.sub(t, wholeT));
  const last = i32x4.splat(record.innerX + 1);
  const inside = v128.and(i32x4.lt_u(i, last), i32x4.lt_u(j, last));
  if (allTrue(inside)) return true;
  v128.store(read.texels, i32x4.splat(index));
  putPlaces(read, i, j, cubes);
  crossEdges(texture, read, taps.offsets00, 1 << shift, i32x4.bitmask(inside) ^ 15);
  return false;
}

// Locates one texel per lane in the pages of faces, which are layers. Level, column, row, face and the cube's first
// layer are passed in read.texels. `outside` has a bit for each lane whose texel is on another face.
function placePages(access: Access, read: QuadRead, to: usize, outside: i32): void {
  const texture = access.texture;
  for (; outside; outside &= outside - 1) {
    const from = read.texels + (ctz(outside) << 2);
    const size = texture.level(load<i32>(from)).innerX + 2;
    const place = cubePlace(load<i32>(from, 48), size, load<i32>(from, 16), load<i32>(from, 32));
    store<i32>(from, placeColumn(place), 16);
    store<i32>(from, placeRow(place), 32);
    store<i32>(from, placeFace(place), 48);
  }
  const layers = i32x4.add(v128.load(read.texels, 48), v128.load(read.texels, 64));
  v128.store(
    to,
    pageTexels(access, read, v128.load(read.texels), layers, v128.load(read.texels, 16), v128.load(read.texels, 32))
  );
}

/** The numerator of the quotient rule, d(s/|m|) = (ds·|m| − s·d|m|)/m². */
function quotient(ds: v128, major: v128, s: v128, dm: v128): v128 {
  return f32x4.sub(f32x4.mul(ds, major), f32x4.mul(s, dm));
}

/**
 * Squared length of the longer gradient of each pixel's face coordinates, on its own face, in texels of the first
 * level. A face has width 2.
 */
export function cubeLengths(access: Access, quad: usize): v128 {
  const x = v128.load(access.u + quad);
  const y = v128.load(access.v + quad);
  const z = v128.load(access.w + quad);
  const isZ = alongZ(x, y, z);
  const isY = alongY(x, y, isZ);
  const along = component(isZ, isY, x, y, z);
  const sign = signBits(f32x4.lt(along, f32x4.splat(0)));
  const major = v128.xor(along, sign);
  const s = faceS(isZ, isY, sign, x, z);
  const t = faceT(isY, sign, y, z);
  const scale = f32x4.div(f32x4.splat(<f32>access.texture.width * <f32>0.5), f32x4.mul(major, major));
  let longest = f32x4.splat(0);
  for (let inY = 0; inY < 2; inY++) {
    const dx = gradientOf(access, quad, 0, inY);
    const dy = gradientOf(access, quad, 4, inY);
    const dz = gradientOf(access, quad, 8, inY);
    const dm = v128.xor(component(isZ, isY, dx, dy, dz), sign);
    const a = f32x4.mul(quotient(faceS(isZ, isY, sign, dx, dz), major, s, dm), scale);
    const b = f32x4.mul(quotient(faceT(isY, sign, dy, dz), major, t, dm), scale);
    const length = madd(a, a, f32x4.mul(b, b));
    longest = inY ? max(longest, length) : length;
  }
  return longest;
}

/**
 * Computes the gradients of a quad's face coordinates in x or in y, in texels of the first level. Writes the gradient
 * of s to `to`, and that of t 16 bytes after it.
 */
export function cubeSteps(access: Access, quad: usize, inY: i32, to: usize): void {
  const x = v128.load(access.u + quad);
  const y = v128.load(access.v + quad);
  const z = v128.load(access.w + quad);
  const isZ = alongZ(x, y, z);
  const isY = alongY(x, y, isZ);
  const along = component(isZ, isY, x, y, z);
  const sign = signBits(f32x4.lt(along, f32x4.splat(0)));
  const major = v128.xor(along, sign);
  const scale = f32x4.div(f32x4.splat(<f32>access.texture.width * <f32>0.5), f32x4.mul(major, major));
  const dx = gradientOf(access, quad, 0, inY);
  const dy = gradientOf(access, quad, 4, inY);
  const dz = gradientOf(access, quad, 8, inY);
  const dm = v128.xor(component(isZ, isY, dx, dy, dz), sign);
  const s = faceS(isZ, isY, sign, x, z);
  const t = faceT(isY, sign, y, z);
  v128.store(to, f32x4.mul(quotient(faceS(isZ, isY, sign, dx, dz), major, s, dm), scale));
  v128.store(to, f32x4.mul(quotient(faceT(isY, sign, dy, dz), major, t, dm), scale), 16);
}

/**
 * Converts axes on the faces (read.axisU and read.axisV, in texels) to changes of the direction vector. A direction
 * plus such a change moves on the plane of its face, and across an edge to the neighbouring face. Lanes not in `lanes`
 * get a zero axis.
 */
export function turnAxes(access: Access, read: QuadRead, quad: usize, lanes: v128): void {
  const x = v128.load(access.u + quad);
  const y = v128.load(access.v + quad);
  const z = v128.load(access.w + quad);
  const isZ = alongZ(x, y, z);
  const isY = alongY(x, y, isZ);
  const along = component(isZ, isY, x, y, z);
  const sign = signBits(f32x4.lt(along, f32x4.splat(0)));
  const major = v128.xor(along, sign);
  const texel = v128.and(lanes, f32x4.div(major, f32x4.splat(<f32>access.texture.width * <f32>0.5)));
  const zero = f32x4.splat(0);
  const s = f32x4.mul(v128.load(read.axisU), texel);
  const t = f32x4.mul(v128.load(read.axisV), texel);
  const turned = v128.xor(s, sign);
  v128.store(read.axisU, select(isZ, turned, v128.and(isY, s)));
  v128.store(read.axisV, v128.andnot(f32x4.neg(t), isY));
  v128.store(read.axisW, select(isZ, zero, select(isY, v128.xor(t, sign), f32x4.neg(turned))));
}
