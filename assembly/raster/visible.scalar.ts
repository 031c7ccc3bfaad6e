// Scalar twins of visible.ts, and the note of a quad's triangle, which both builds share.

import { CTX_COVER, CTX_DEPTH_WRITE, CTX_IDS, CTX_MODE, CTX_SAMPLES, MODE_DEFERRED } from '../layout/context';
import { depthQuadScalar } from '../output/depth.scalar';

/** Notes `triangle` for the samples in `mask` of a quad (block·16 + quad). */
export function markQuad(context: usize, triangle: usize, quad: i32, mask: i32): void {
  const ids: usize = load<usize>(context + CTX_IDS) + <usize>(quad * 4 * load<i32>(context + CTX_SAMPLES)) * 4;
  for (let rest = mask; rest; rest &= rest - 1) store<u32>(ids + (<usize>ctz(rest) << 2), <u32>triangle);
}

/** Twin of visiblePixel4: a pixel is a quarter of its quad's mask. */
export function visiblePixel4Scalar(context: usize, triangle: usize, at: i32, bits: i32, tested: bool, deferred: bool): bool {
  const mask = bits << ((at & 3) << 2);
  const passed = tested ? depthQuadScalar(context, triangle, at >> 2, mask, load<i32>(context + CTX_DEPTH_WRITE)) : mask;
  if (deferred) markQuad(context, triangle, at >> 2, passed);
  return passed != 0;
}

function visibleQuad(context: usize, triangle: usize, quad: i32, mask: i32, tested: bool): bool {
  const passed = tested ? depthQuadScalar(context, triangle, quad, mask, load<i32>(context + CTX_DEPTH_WRITE)) : mask;
  if (load<i32>(context + CTX_MODE) == MODE_DEFERRED) markQuad(context, triangle, quad, passed);
  return passed != 0;
}

export function visibleBlock1Scalar(context: usize, triangle: usize, block: i32, cover: u64, tested: bool): i32 {
  let visible = 0;
  for (let quad = 0; quad < 16; quad++) {
    const bits = <i32>(cover >> (<u64>quad << 2)) & 15;
    if (bits) visible |= <i32>visibleQuad(context, triangle, (block << 4) + quad, bits, tested) << quad;
  }
  return visible;
}

export function visibleBlock4Scalar(context: usize, triangle: usize, block: i32, quads: i32, tested: bool): i32 {
  let visible = 0;
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    visible |= <i32>visibleQuad(context, triangle, (block << 4) + quad, load<u16>(context + (<usize>quad << 1), CTX_COVER), tested) << quad;
  }
  return visible;
}
