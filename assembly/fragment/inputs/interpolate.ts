// Fills a warp's input registers from the planes of its entries' triangles: varyings, position, facing and sample index
// (sample masks: sample-masks.ts). Planes are evaluated directly at each pixel's position; helper pixels outside the
// triangle get the plane's value there. This file handles warps of quads, and interpolate-pixels.ts those of single
// pixels. Scalar twin: interpolate.scalar.ts.

import {
  Draw,
  DRAW_FLAG_SECOND_PART,
  Entry,
  Packer,
  PACKER_BLOCK,
  PACKER_PIXELS,
  RATE_1X1,
  REGISTER_BYTES,
  sizeOf,
  Tile,
  TRI_FLAG_FRONT,
  Triangle,
  WarpOffset,
} from '../../layout';
import { centresX, centresY, quadX, quadY, sampleX, sampleY } from '../../simd/positions';
import { pixelSamples } from '../../tile/layers';
import { centroidSample } from './centroid';
import { AT_CENTROIDS, coarseCentroids } from './coarse-centroid';
import { coveredQuad } from './covered';
import {
  after,
  dividedRun,
  linearGroup,
  perspectiveGroup,
  plane,
  planeRun,
  putBuiltins,
  runLength,
  splatRun,
} from './groups';
import { interpolatePixels } from './interpolate-pixels';
import { interpolateSamples } from './interpolate-samples';
import { interpolateWarpScalar } from './interpolate.scalar';
import { putSampleMasks } from './sample-masks';

/** Fills the registers of all entries of a packer. */
export function interpolateWarp(tile: Tile, packer: Packer): void {
  if (ASC_FEATURE_SIMD) interpolateWarpSimd(tile, packer);
  else interpolateWarpScalar(tile, packer);
  putSampleMasks(tile, packer);
}

/**
 * Minimum length in bytes of a run of one triangle's entries that is processed plane by plane. Shorter runs (small
 * triangles have one or two quads) cost 30 % more that way.
 */
const LONG_RUN: usize = 80;

function interpolateWarpSimd(tile: Tile, packer: Packer): void {
  const draw = packer.draw;
  const builtins = readsBuiltins(draw);
  if (packer.kind == PACKER_PIXELS) {
    interpolatePixels(tile, packer, builtins);
    return;
  }
  const entries = changetype<Entry>(packer.entries);
  const end = changetype<usize>(entries) + packer.count * sizeOf<Entry>();
  if (draw.varyingCount && !(draw.flags & DRAW_FLAG_SECOND_PART))
    centreGroups(tile, draw, changetype<usize>(entries), end);
  const offCentre = draw.varyings.centroid | draw.varyings.sample;
  const whole = packer.kind == PACKER_BLOCK;
  if (builtins && whole) blockBuiltins(tile, draw, entries);
  if (!offCentre && (whole || !builtins)) return;
  const single = tile.rate == RATE_1X1;
  let out: usize = tile.registers;
  for (let entry = changetype<usize>(entries); entry < end;) {
    if (single && changetype<Entry>(entry).sample >= 0) {
      const length = runLength(entry, end, changetype<usize>(changetype<Entry>(entry).triangle));
      interpolateSamples(tile, draw, entry, entry + length, builtins, out);
      entry += length;
      out += length;
      continue;
    }
    if (offCentre) offCentreGroups(tile, draw, changetype<Entry>(entry), out);
    if (builtins && !whole) writeBuiltins(tile, draw, changetype<Entry>(entry), out);
    entry += sizeOf<Entry>();
    out += 16;
  }
}

/** Fills the varyings that are evaluated at pixel centres, and the flat ones. */
// @ts-ignore: decorator
@inline
function centreGroups(tile: Tile, draw: Draw, entries: usize, end: usize): void {
  const perspective = draw.varyings.perspective;
  const linear = draw.varyings.linear;
  const flat = draw.varyings.flat;
  const linearFirst = draw.varyings.linearFirst;
  const flatFirst = draw.flatFirst;
  const firstX = v128.load(tile.centresX);
  const firstY = v128.load(tile.centresY);
  let out: usize = tile.registers;
  for (let entry = entries; entry < end;) {
    const triangle = changetype<Triangle>(load<usize>(entry + offsetof<Entry>('triangle')));
    const ahead = changetype<Entry>(entry + (LONG_RUN - 16));
    if (changetype<usize>(ahead) < end && ahead.triangle == triangle) {
      const length = runLength(entry, end, changetype<usize>(triangle));
      if (length >= LONG_RUN) {
        interpolateRun(tile, draw, triangle, entry, entry + length, out);
        entry += length;
        out += length;
        continue;
      }
    }
    const quad = changetype<Entry>(entry).quad;
    const dx = f32x4.sub(after(quadX(quad), firstX), f32x4.splat(triangle.x0));
    const dy = f32x4.sub(after(quadY(quad), firstY), f32x4.splat(triangle.y0));
    if (perspective) perspectiveGroup(triangle, 0, perspective, out, dx, dy);
    if (linear) linearGroup(triangle, linearFirst, linear, out, dx, dy);
    for (let i = 0; i < flat; i++) {
      v128.store(out + (flatFirst + i) * REGISTER_BYTES, v128.load32_splat(triangle.planes + ((flatFirst + i) << 2)));
    }
    entry += sizeOf<Entry>();
    out += 16;
  }
}

/** centreGroups for many entries of one triangle. Tile.offsets receives dx, dy and w of each quad. */
function interpolateRun(tile: Tile, draw: Draw, triangle: Triangle, first: usize, last: usize, out: usize): void {
  const stride = draw.planeStride;
  const perspective = draw.varyings.perspective;
  const linear = draw.varyings.linear;
  const linearFirst = draw.varyings.linearFirst;
  const offsets = tile.offsets;
  const length = last - first;
  // Multiplying by w = 1 changes nothing.
  const divides = perspective != 0 && !(triangle.w == 1 && triangle.wDx == 0 && triangle.wDy == 0);
  if (perspective | linear) offsetsOf(tile, triangle, first, last, offsets, divides);
  for (let i = 0; i < perspective; i++) {
    const at = triangle.planes + (i << 2);
    const register = out + i * REGISTER_BYTES;
    if (divides) dividedRun(at, stride, offsets, register, length);
    else planeRun(at, stride, offsets, register, length);
  }
  for (let i = linearFirst; i < linearFirst + linear; i++) {
    planeRun(triangle.planes + (i << 2), stride, offsets, out + i * REGISTER_BYTES, length);
  }
  const count = draw.varyingCount;
  for (let i = draw.flatFirst; i < count; i++) {
    splatRun(v128.load32_splat(triangle.planes + (i << 2)), out + i * REGISTER_BYTES, length);
  }
}

function offsetsOf(tile: Tile, triangle: Triangle, first: usize, last: usize, offsets: usize, divides: bool): void {
  const firstX = v128.load(tile.centresX);
  const firstY = v128.load(tile.centresY);
  const x0 = f32x4.splat(triangle.x0);
  const y0 = f32x4.splat(triangle.y0);
  let to = offsets;
  for (let entry = first; entry < last; entry += sizeOf<Entry>()) {
    const quad = changetype<Entry>(entry).quad;
    const dx = f32x4.sub(after(quadX(quad), firstX), x0);
    const dy = f32x4.sub(after(quadY(quad), firstY), y0);
    v128.store(to, dx);
    v128.store(changetype<WarpOffset>(to).dy, dy);
    if (divides) v128.store(changetype<WarpOffset>(to).w, f32x4.div(f32x4.splat(1), plane(triangle.wPlane, 4, dx, dy)));
    to += sizeOf<WarpOffset>();
  }
}

/**
 * Writes the built-in inputs of a block that one triangle covers. x and what depends on it are computed once per column
 * of quads, y once per row. As in WebGPU rasterisation, a fragment's depth is that of the plane; only the depth test
 * clamps it to the viewport's range.
 */
function blockBuiltins(tile: Tile, draw: Draw, entry: Entry): void {
  const triangle = entry.triangle;
  const quad = entry.quad;
  const left = tile.x + quadX(quad);
  const top = tile.y + quadY(quad);
  const registerX = draw.fragmentPositionX;
  const registerY = draw.fragmentPositionY;
  const registerZ = draw.fragmentPositionZ;
  const registerW = draw.fragmentPositionW;
  const x0 = f32x4.splat(triangle.x0);
  const y0 = f32x4.splat(triangle.y0);
  const out: usize = tile.registers;
  if (registerX >= 0) {
    const at = out + registerX * REGISTER_BYTES;
    for (let column = 0; column < 4; column++) {
      const x = centresX(left + (column << 1));
      const quad = at + (column << 4);
      v128.store(quad, x);
      v128.store(quad, x, 64);
      v128.store(quad, x, 128);
      v128.store(quad, x, 192);
    }
  }
  if (registerY >= 0) {
    const at = out + registerY * REGISTER_BYTES;
    for (let row = 0; row < 4; row++) splatRun(centresY(top + (row << 1)), at + (row << 6), 64);
  }
  if (registerZ >= 0 || registerW >= 0) {
    for (let column = 0; column < 4; column++) {
      const dx = f32x4.sub(centresX(left + (column << 1)), x0);
      for (let row = 0; row < 4; row++) {
        const dy = f32x4.sub(centresY(top + (row << 1)), y0);
        const at = out + (((row << 2) + column) << 4);
        if (registerZ >= 0) v128.store(at + registerZ * REGISTER_BYTES, plane(triangle.zPlane, 4, dx, dy));
        if (registerW >= 0) v128.store(at + registerW * REGISTER_BYTES, plane(triangle.wPlane, 4, dx, dy));
      }
    }
  }
  putBlock(out, draw.frontFacingRegister, triangle.flags & TRI_FLAG_FRONT ? -1 : 0);
  putBlock(out, draw.sampleIndexRegister, 0);
  putBlock(out, draw.shadingRateRegister, RATE_1X1);
}

function putBlock(out: usize, register: i32, word: i32): void {
  if (register >= 0) splatRun(i32x4.splat(word), out + register * REGISTER_BYTES, REGISTER_BYTES);
}

/** Fills the varyings that are evaluated at the centroid or at the sample. */
function offCentreGroups(tile: Tile, draw: Draw, entry: Entry, out: usize): void {
  const triangle = entry.triangle;
  const sample = entry.sample;
  const coarse = tile.rate != RATE_1X1;
  if (coarse) coarseCentroids(tile, entry);
  const covered = !coarse && draw.varyings.centroid && sample < 0 ? coveredQuad(tile, entry) : 0;
  let first = draw.varyings.perspective;
  for (let group: usize = 1; group < 6; group++) {
    const count = draw.varyings.count(group);
    if (group == 3) {
      first += count;
      continue;
    }
    if (count == 0) continue;
    // Groups 1 and 4 are evaluated at the centroid, 2 and 5 at the sample.
    const centroid = sample < 0 && (group == 1 || group == 4);
    const at = coarse ? AT_CENTROIDS : sample;
    const dx = distances<AxisX>(tile, entry, at, centroid ? covered : 0);
    const dy = distances<AxisY>(tile, entry, at, centroid ? covered : 0);
    if (group < 3) perspectiveGroup(triangle, first, count, out, dx, dy);
    else linearGroup(triangle, first, count, out, dx, dy);
    first += count;
  }
}

// Classes for positions along one axis, passed as type arguments.

@unmanaged class AxisX {

  @inline origin(triangle: Triangle): f32 {
    return triangle.x0;
  }


  @inline centres(tile: Tile, quad: i32): v128 {
    return after(quadX(quad), v128.load(tile.centresX));
  }


  @inline centroids(tile: Tile): v128 {
    return v128.load(tile.coarse.centroids);
  }


  @inline sixteenths(samples: i32, sample: i32): i32 {
    return sampleX(samples, sample);
  }
}


@unmanaged class AxisY {

  @inline origin(triangle: Triangle): f32 {
    return triangle.y0;
  }


  @inline centres(tile: Tile, quad: i32): v128 {
    return after(quadY(quad), v128.load(tile.centresY));
  }


  @inline centroids(tile: Tile): v128 {
    return v128.load(tile.coarse.centroids, 16);
  }


  @inline sixteenths(samples: i32, sample: i32): i32 {
    return sampleY(samples, sample);
  }
}

/**
 * Positions at which an entry's pixels are evaluated: their centres (-1), AT_CENTROIDS, or sample `sample`. If
 * `covered` is not 0, each pixel's position is its own centroid.
 */
function positions<A>(tile: Tile, entry: Entry, sample: i32, covered: u64): v128 {
  if (sample == AT_CENTROIDS) return changetype<A>(0).centroids(tile);
  const centres = changetype<A>(0).centres(tile, entry.quad);
  let offsets = f32x4.splat(fromCentre<A>(tile, sample));
  if (covered) {
    offsets = f32x4.splat(fromCentroid<A>(tile, covered, 0));
    offsets = f32x4.replace_lane(offsets, 1, fromCentroid<A>(tile, covered, 1));
    offsets = f32x4.replace_lane(offsets, 2, fromCentroid<A>(tile, covered, 2));
    offsets = f32x4.replace_lane(offsets, 3, fromCentroid<A>(tile, covered, 3));
  }
  return f32x4.add(centres, offsets);
}

/** Offset of the centroid of a quad's pixel from its centre, in pixels. */
function fromCentroid<A>(tile: Tile, covered: u64, pixel: i32): f32 {
  const count = tile.samples;
  return fromCentre<A>(tile, centroidSample(pixelSamples(covered, pixel, count), count));
}

/** Offset of a sample from the pixel centre, in pixels. Sample -1 is the centre. */
function fromCentre<A>(tile: Tile, sample: i32): f32 {
  return sample < 0 ? 0 : <f32>(changetype<A>(0).sixteenths(tile.samples, sample) - 8) * 0.0625;
}

/** Positions of an entry's pixels relative to the origin of the triangle's planes. */
function distances<A>(tile: Tile, entry: Entry, sample: i32, covered: u64): v128 {
  return f32x4.sub(positions<A>(tile, entry, sample, covered), f32x4.splat(changetype<A>(0).origin(entry.triangle)));
}

/** Whether the shader reads any built-in value other than the sample mask. */
function readsBuiltins(draw: Draw): bool {
  return (
    (draw.fragmentPositionX
      & draw.fragmentPositionY
      & draw.fragmentPositionZ
      & draw.fragmentPositionW
      & draw.frontFacingRegister
      & draw.sampleIndexRegister
      & draw.shadingRateRegister)
    != -1
  );
}

/** Writes the built-in inputs of one entry. */
function writeBuiltins(tile: Tile, draw: Draw, entry: Entry, out: usize): void {
  const x = positions<AxisX>(tile, entry, entry.sample, 0);
  const y = positions<AxisY>(tile, entry, entry.sample, 0);
  putBuiltins(tile, draw, entry, x, y, out);
}
