// Level of detail of four quads at once, for implicit derivatives of flat textures: the numbers of level.ts, its scalar twin.
import { ACCESS_SAMPLER, ACCESS_TEXTURE, ACCESS_U, ACCESS_V } from '../layout/program';
import { SAMPLER_LOD_MAX, SAMPLER_LOD_MIN, TEXTURE_HEIGHT, TEXTURE_WIDTH } from '../layout/texture';
import { madd, max, transposeColumn0, transposeColumn1, transposeColumn2 } from '../simd/lanes';

// lodLog2 of level.ts.
// @ts-ignore: decorator
@inline function log2(x: v128): v128 {
  const e = i32x4.shr_s(i32x4.sub(x, i32x4.splat(0x3f3504f3)), 23);
  const m = i32x4.sub(x, i32x4.shl(e, 23));
  const one = f32x4.splat(1);
  const s = f32x4.div(f32x4.sub(m, one), f32x4.add(m, one));
  const z = f32x4.mul(s, s);
  let p = madd(z, f32x4.splat(0.4121985831111324), f32x4.splat(0.5770780163555854));
  p = madd(z, p, f32x4.splat(0.9617966939259756));
  p = madd(z, p, f32x4.splat(2.885390081777927));
  const y = madd(s, p, f32x4.convert_i32x4_s(e));
  const finite = v128.bitselect(y, f32x4.splat(64), f32x4.lt(x, f32x4.splat(Infinity)));
  return v128.bitselect(finite, f32x4.splat(-64), f32x4.gt(x, f32x4.splat(0)));
}

/** Clamped levels of detail of the quads below byte offset `end` of registers, one f32 a quad at `lods` (in steps of four quads). */
export function implicitLods(access: usize, end: usize, lods: usize): void {
  const texture = <usize>load<u32>(access + ACCESS_TEXTURE);
  const sampler = <usize>load<u32>(access + ACCESS_SAMPLER);
  const u = <usize>load<u32>(access + ACCESS_U);
  const v = <usize>load<u32>(access + ACCESS_V);
  const width = f32x4.splat(<f32>load<i32>(texture + TEXTURE_WIDTH));
  const height = f32x4.splat(<f32>load<i32>(texture + TEXTURE_HEIGHT));
  const low = v128.load32_splat(sampler + SAMPLER_LOD_MIN);
  const high = v128.load32_splat(sampler + SAMPLER_LOD_MAX);
  for (let quad: usize = 0; quad < end; quad += 64) {
    const au = v128.load(u + quad);
    const bu = v128.load(u + quad, 16);
    const cu = v128.load(u + quad, 32);
    const du = v128.load(u + quad, 48);
    const av = v128.load(v + quad);
    const bv = v128.load(v + quad, 16);
    const cv = v128.load(v + quad, 32);
    const dv = v128.load(v + quad, 48);
    const u0 = transposeColumn0(au, bu, cu, du);
    const v0 = transposeColumn0(av, bv, cv, dv);
    const xu = f32x4.mul(f32x4.sub(transposeColumn1(au, bu, cu, du), u0), width);
    const xv = f32x4.mul(f32x4.sub(transposeColumn1(av, bv, cv, dv), v0), height);
    const yu = f32x4.mul(f32x4.sub(transposeColumn2(au, bu, cu, du), u0), width);
    const yv = f32x4.mul(f32x4.sub(transposeColumn2(av, bv, cv, dv), v0), height);
    const lengthX = f32x4.add(f32x4.mul(xu, xu), f32x4.mul(xv, xv));
    const lengthY = f32x4.add(f32x4.mul(yu, yu), f32x4.mul(yv, yv));
    const lod = f32x4.mul(f32x4.splat(0.5), log2(max(lengthX, lengthY)));
    // pmax and pmin take NaN to the limits, as the scalar comparisons do.
    v128.store(lods + (quad >> 2), f32x4.pmin(high, f32x4.pmax(low, lod)));
  }
}
