// Anisotropic filtering. The footprint of a pixel on a flat texture, or on a face of a cube map, is an ellipse. Probes
// along its major axis cover it, each as wide as the minor axis. With J the gradients in texels, the axes of the
// ellipse are those of J·Jᵀ = (p q; q r). Twin: ellipse.scalar.ts.
import { Access, DIMENSION_CUBE, QuadRead } from '../layout';
import { allTrue, anyTrue, max, min, select } from '../simd/lanes';
import { cubeSteps, turnAxes } from './addresses/cubes';
import { RATIO_SLACK } from './footprints';
import { gradientOf } from './addresses/gradients';
import { boundedLods, lodsOfSquares } from './lods';
import { sampleQuad } from './quad';

/**
 * Measures the footprints of a quad. Writes the number of probes of each pixel to read.probes (as floats), and the
 * major axis in coordinates to read.axisU, read.axisV and, for cube maps, read.axisW. Returns the levels of detail of
 * the probes, within the sampler's limits.
 */
function measureQuad(access: Access, read: QuadRead, quad: usize): v128 {
  const isCube = access.texture.dimension >= DIMENSION_CUBE;
  const width = f32x4.splat(<f32>access.texture.width);
  const height = f32x4.splat(<f32>access.texture.height);
  for (let inY = 0; inY < 2; inY++) {
    const to = inY ? read.axisU : read.probeU;
    if (isCube) cubeSteps(access, quad, inY, to);
    else {
      v128.store(to, f32x4.mul(gradientOf(access, quad, 0, inY), width));
      v128.store(to, f32x4.mul(gradientOf(access, quad, 4, inY), height), 16);
    }
  }
  const xu = v128.load(read.probeU);
  const xv = v128.load(read.probeV);
  const yu = v128.load(read.axisU);
  const yv = v128.load(read.axisV);
  const p = f32x4.add(f32x4.mul(xu, xu), f32x4.mul(yu, yu));
  const q = f32x4.add(f32x4.mul(xu, xv), f32x4.mul(yu, yv));
  const r = f32x4.add(f32x4.mul(xv, xv), f32x4.mul(yv, yv));
  // The squares of the axes.
  const middle = f32x4.mul(f32x4.add(p, r), f32x4.splat(0.5));
  const half = f32x4.mul(f32x4.sub(p, r), f32x4.splat(0.5));
  const root = f32x4.sqrt(f32x4.add(f32x4.mul(half, half), f32x4.mul(q, q)));
  const major = f32x4.add(middle, root);
  const minor = max(f32x4.splat(0), f32x4.sub(middle, root));
  const length = f32x4.sqrt(major);
  const slack = f32x4.splat(RATIO_SLACK);
  // The number of probes is limited by the axis ratio, by the number of texels along the axis and by the sampler. It is
  // one if an axis is NaN or infinite.
  const ratio = f32x4.ceil(f32x4.sub(f32x4.sqrt(f32x4.div(major, minor)), slack));
  const texels = f32x4.ceil(f32x4.sub(length, slack));
  const most = min(min(ratio, texels), f32x4.splat(access.sampler.anisotropy));
  const several = v128.and(f32x4.gt(most, f32x4.splat(1)), f32x4.lt(major, f32x4.splat(Infinity)));
  const probes = select(several, most, f32x4.splat(1));
  v128.store(read.probes, probes);
  // The direction of the major axis is the longer row of J·Jᵀ − minor·1.
  const wide = f32x4.ge(p, r);
  const eu = select(wide, f32x4.sub(major, r), q);
  const ev = select(wide, q, f32x4.sub(major, p));
  const unit = f32x4.sqrt(f32x4.add(f32x4.mul(eu, eu), f32x4.mul(ev, ev)));
  const scale = select(f32x4.gt(unit, f32x4.splat(0)), f32x4.div(length, unit), f32x4.splat(0));
  const axisU = f32x4.mul(eu, scale);
  const axisV = f32x4.mul(ev, scale);
  v128.store(read.axisU, v128.and(several, isCube ? axisU : f32x4.div(axisU, width)));
  v128.store(read.axisV, v128.and(several, isCube ? axisV : f32x4.div(axisV, height)));
  if (isCube) turnAxes(access, read, quad, several);
  return boundedLods(access, quad, lodsOfSquares(f32x4.div(major, f32x4.mul(probes, probes))));
}

/**
 * Samples a quad with as many probes as its footprints need. The result has the form of sampleQuad (quad.ts): the mean
 * of each pixel's probes.
 */
export function sampleEllipse(access: Access, read: QuadRead, quad: usize): void {
  const lods = measureQuad(access, read, quad);
  const probes = v128.load(read.probes);
  const result = read.result;
  if (allTrue(f32x4.eq(probes, f32x4.splat(1)))) return sampleQuad(access, read, quad, lods);
  const u = access.u;
  const v = access.v;
  const w = access.w;
  const sums = read.sums;
  const isCube = access.texture.dimension >= DIMENSION_CUBE;
  // The probe positions take the place of the quad's operands.
  access.u = read.probeU - quad;
  access.v = read.probeV - quad;
  if (isCube) access.w = read.probeW - quad;
  memory.fill(sums, 0, 64);
  for (let i: f32 = 0, more = true; more; i++) {
    // From the middle of the first part of the axis to the middle of the last part.
    const along = f32x4.sub(f32x4.div(f32x4.splat(i + 0.5), probes), f32x4.splat(0.5));
    v128.store(read.probeU, f32x4.add(v128.load(u + quad), f32x4.mul(v128.load(read.axisU), along)));
    v128.store(read.probeV, f32x4.add(v128.load(v + quad), f32x4.mul(v128.load(read.axisV), along)));
    if (isCube) v128.store(read.probeW, f32x4.add(v128.load(w + quad), f32x4.mul(v128.load(read.axisW), along)));
    sampleQuad(access, read, quad, lods);
    const inside = f32x4.gt(probes, f32x4.splat(i));
    for (let at: usize = 0; at < 64; at += 16)
      v128.store(sums + at, f32x4.add(v128.load(sums + at), v128.and(inside, v128.load(result + at))));
    more = anyTrue(f32x4.gt(probes, f32x4.splat(i + 1)));
  }
  access.u = u;
  access.v = v;
  access.w = w;
  for (let at: usize = 0; at < 64; at += 16) v128.store(result + at, f32x4.div(v128.load(sums + at), probes));
}
