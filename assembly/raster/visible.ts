// Visibility of a block for draws that are shaded later (or not at all): tests depth where there is a test, stores it, and notes
// the triangle's address for every sample that passes. No shader runs. Scalar twins: visible.scalar.ts.

import {
  CTX_COLUMNS, CTX_COVER, CTX_DEPTH, CTX_DEPTH_16, CTX_DEPTH_WRITE, CTX_EARLY, CTX_IDS, CTX_MODE, CTX_ROWS, CTX_TILE_X, CTX_TILE_Y,
  EARLY_NONE, MODE_DEFERRED,
} from '../layout/context';
import { TRI_X0, TRI_Y0, TRI_Z, TRI_Z_DX, TRI_Z_DY, TRI_Z_MAX, TRI_Z_MIN } from '../layout/triangle';
import { compareDepth, limitDepth } from '../output/depth';
import { madd } from '../simd/lanes';
import { centresX, centresY, samplesX, samplesY } from '../simd/positions';
import { lanesOf } from '../simd/texels';
import { visibleBlock1Scalar, visibleBlock4Scalar } from './visible.scalar';

/** One sample: `cover` has bit quad·4 + pixel. Returns one bit for each quad that was covered. */
// @ts-ignore: decorator
@inline
export function visibleBlock1(context: usize, triangle: usize, block: i32, cover: u64): i32 {
  if (ASC_FEATURE_SIMD) return visibleBlock1Simd(context, triangle, block, cover);
  else return visibleBlock1Scalar(context, triangle, block, cover);
}

/** Four samples: coverage is at CTX_COVER, in the quads named by `quads`. */
// @ts-ignore: decorator
@inline
export function visibleBlock4(context: usize, triangle: usize, block: i32, quads: i32): void {
  if (ASC_FEATURE_SIMD) visibleBlock4Simd(context, triangle, block, quads);
  else visibleBlock4Scalar(context, triangle, block, quads);
}

/** Fills CTX_COLUMNS with c + ddx·(x − x0) and CTX_ROWS with ddy·(y − y0), for quads (one sample) or pixels (four). */
// @ts-ignore: decorator
@inline
function depthTerms(context: usize, triangle: usize, block: i32, samples: i32): void {
  const c = v128.load32_splat(triangle + TRI_Z);
  const dx = v128.load32_splat(triangle + TRI_Z_DX);
  const dy = v128.load32_splat(triangle + TRI_Z_DY);
  const x0 = v128.load32_splat(triangle + TRI_X0);
  const y0 = v128.load32_splat(triangle + TRI_Y0);
  const x = load<i32>(context + CTX_TILE_X) + ((block & 7) << 3);
  const y = load<i32>(context + CTX_TILE_Y) + ((block >> 3) << 3);
  const step = samples == 1 ? 2 : 1;
  for (let i = 0; i < 8; i += step) {
    const at = context + (<usize>(samples == 1 ? i >> 1 : i) << 4);
    v128.store(at, madd(dx, f32x4.sub(samples == 1 ? centresX(x + i) : samplesX(x + i), x0), c), CTX_COLUMNS);
    v128.store(at, f32x4.mul(dy, f32x4.sub(samples == 1 ? centresY(y + i) : samplesY(y + i), y0)), CTX_ROWS);
  }
}

/** Tests and writes four samples: depth at `depth`, ids at `ids`. */
// @ts-ignore: decorator
@inline
function visibleFour(context: usize, depth: usize, ids: usize, z: v128, id: v128, bits: i32, write: i32, deferred: bool): void {
  const stored = v128.load(depth);
  const passed = v128.and(compareDepth(context, z, stored), lanesOf(bits));
  if (write) v128.store(depth, v128.bitselect(z, stored, passed));
  if (deferred) v128.store(ids, v128.bitselect(id, v128.load(ids), passed));
}

export function visibleBlock1Simd(context: usize, triangle: usize, block: i32, cover: u64): i32 {
  const id = i32x4.splat(<i32>triangle);
  const ids: usize = load<usize>(context + CTX_IDS) + (<usize>block << 8);
  const deferred = load<i32>(context + CTX_MODE) == MODE_DEFERRED;
  if (load<i32>(context + CTX_EARLY) == EARLY_NONE) {
    if (!deferred) return 0;
    if (cover == u64.MAX_VALUE) {
      for (let offset: usize = 0; offset < 256; offset += 16) v128.store(ids + offset, id);
      return 0xffff;
    }
  }
  const tested = load<i32>(context + CTX_EARLY) != EARLY_NONE;
  if (tested) depthTerms(context, triangle, block, 1);
  const depth: usize = load<usize>(context + CTX_DEPTH) + (<usize>block << 8);
  const write = load<i32>(context + CTX_DEPTH_WRITE);
  const depth16 = load<i32>(context + CTX_DEPTH_16);
  const least = v128.load32_splat(triangle + TRI_Z_MIN);
  const most = v128.load32_splat(triangle + TRI_Z_MAX);
  let quads = 0;
  while (cover) {
    const quad = <usize>ctz(cover) >> 2;
    const bits = <i32>(cover >> (<u64>quad << 2)) & 15;
    cover &= ~(<u64>15 << (<u64>quad << 2));
    quads |= 1 << <i32>quad;
    const at = ids + (quad << 4);
    if (tested) {
      const z = f32x4.add(v128.load(context + ((quad & 3) << 4), CTX_COLUMNS), v128.load(context + ((quad >> 2) << 4), CTX_ROWS));
      visibleFour(context, depth + (quad << 4), at, limitDepth(z, least, most, depth16), id, bits, write, deferred);
    } else {
      v128.store(at, v128.bitselect(id, v128.load(at), lanesOf(bits)));
    }
  }
  return quads;
}

export function visibleBlock4Simd(context: usize, triangle: usize, block: i32, quads: i32): void {
  const id = i32x4.splat(<i32>triangle);
  const ids: usize = load<usize>(context + CTX_IDS) + (<usize>block << 10);
  const deferred = load<i32>(context + CTX_MODE) == MODE_DEFERRED;
  const tested = load<i32>(context + CTX_EARLY) != EARLY_NONE;
  if (!tested && !deferred) return;
  if (tested) depthTerms(context, triangle, block, 4);
  const depth: usize = load<usize>(context + CTX_DEPTH) + (<usize>block << 10);
  const write = load<i32>(context + CTX_DEPTH_WRITE);
  const depth16 = load<i32>(context + CTX_DEPTH_16);
  const least = v128.load32_splat(triangle + TRI_Z_MIN);
  const most = v128.load32_splat(triangle + TRI_Z_MAX);
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = <usize>ctz(rest);
    let mask = <i32>load<u16>(context + (quad << 1), CTX_COVER);
    const columns = context + ((quad & 3) << 5);
    const rows = context + ((quad >> 2) << 5);
    for (let pixel: usize = 0; pixel < 4; pixel++) {
      const offset = (quad << 6) + (pixel << 4);
      if (tested) {
        const z = f32x4.add(v128.load(columns + ((pixel & 1) << 4), CTX_COLUMNS), v128.load(rows + ((pixel >> 1) << 4), CTX_ROWS));
        visibleFour(context, depth + offset, ids + offset, limitDepth(z, least, most, depth16), id, mask & 15, write, deferred);
      } else {
        v128.store(ids + offset, v128.bitselect(id, v128.load(ids + offset), lanesOf(mask & 15)));
      }
      mask >>= 4;
    }
  }
}
