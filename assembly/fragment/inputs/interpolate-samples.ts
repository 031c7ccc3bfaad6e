// Fills the input registers of quads that are shaded at one sample each. Centroid and sample varyings then have the
// same position. The operations and their order are those of interpolate.ts.

import { Draw, Entry, REGISTER_BYTES, sizeOf, Tile, WarpOffset } from '../../layout';
import { quadX, quadY, sampleX, sampleY } from '../../simd/positions';
import { after, dividedRun, plane, planeRun, putBuiltins, putConstants } from './groups';

/** Fills the registers of a run of entries of one triangle. Tile.offsets receives dx, dy and w of each quad. */
export function interpolateSamples(
  tile: Tile,
  draw: Draw,
  first: usize,
  last: usize,
  builtins: bool,
  out: usize
): void {
  const triangle = changetype<Entry>(first).triangle;
  const varyings = draw.varyings;
  const perspective = varyings.count(1) + varyings.count(2);
  const linear = varyings.count(4) + varyings.count(5);
  if (!(perspective | linear) && !readsPosition(draw)) {
    let register = out;
    for (let at = first; at < last; at += sizeOf<Entry>()) {
      putConstants(tile, draw, changetype<Entry>(at), register);
      register += 16;
    }
    return;
  }
  const samples = tile.samples;
  const firstX = v128.load(tile.centresX);
  const firstY = v128.load(tile.centresY);
  const x0 = f32x4.splat(triangle.x0);
  const y0 = f32x4.splat(triangle.y0);
  // Multiplying by w = 1 changes nothing.
  const divides = perspective != 0 && !(triangle.w == 1 && triangle.wDx == 0 && triangle.wDy == 0);
  const offsets = tile.offsets;
  let to = offsets;
  let register = out;
  for (let at = first; at < last; at += sizeOf<Entry>()) {
    const entry = changetype<Entry>(at);
    const quad = entry.quad;
    const sample = entry.sample;
    const x = f32x4.add(after(quadX(quad), firstX), fromCentre(sampleX(samples, sample)));
    const y = f32x4.add(after(quadY(quad), firstY), fromCentre(sampleY(samples, sample)));
    const dx = f32x4.sub(x, x0);
    const dy = f32x4.sub(y, y0);
    v128.store(to, dx);
    v128.store(changetype<WarpOffset>(to).dy, dy);
    if (divides) v128.store(changetype<WarpOffset>(to).w, f32x4.div(f32x4.splat(1), plane(triangle.wPlane, 4, dx, dy)));
    if (builtins) putBuiltins(tile, draw, entry, x, y, register);
    to += sizeOf<WarpOffset>();
    register += 16;
  }
  const stride = draw.planeStride;
  const length = last - first;
  let at = triangle.planes + (varyings.perspective << 2);
  register = out + varyings.perspective * REGISTER_BYTES;
  for (const end = at + (perspective << 2); at < end; at += 4) {
    if (divides) dividedRun(at, stride, offsets, register, length);
    else planeRun(at, stride, offsets, register, length);
    register += REGISTER_BYTES;
  }
  at += varyings.linear << 2;
  register += varyings.linear * REGISTER_BYTES;
  for (const end = at + (linear << 2); at < end; at += 4) {
    planeRun(at, stride, offsets, register, length);
    register += REGISTER_BYTES;
  }
}

/** Whether the shader reads any component of the position. */
function readsPosition(draw: Draw): bool {
  return (draw.fragmentPositionX & draw.fragmentPositionY & draw.fragmentPositionZ & draw.fragmentPositionW) != -1;
}

/** Offset from a pixel's centre in pixels, for a position in sixteenths of a pixel from its corner. */
// @ts-ignore: decorator
@inline
function fromCentre(sixteenths: i32): v128 {
  return f32x4.splat(<f32>(sixteenths - 8) * 0.0625);
}
