// Scalar twins of visible.ts, and the note of a quad's triangle, which both builds share.

import { CTX_COVER, CTX_DEPTH_WRITE, CTX_IDS, CTX_MODE, CTX_SAMPLES, MODE_DEFERRED } from '../layout/context';
import { depthQuadScalar } from '../output/depth.scalar';

/** Notes `triangle` for the samples in `mask` of a quad (block·16 + quad). */
export function markQuad(context: usize, triangle: usize, quad: i32, mask: i32): void {
  const ids: usize = load<usize>(context + CTX_IDS) + <usize>(quad * 4 * load<i32>(context + CTX_SAMPLES)) * 4;
  for (let rest = mask; rest; rest &= rest - 1) store<u32>(ids + (<usize>ctz(rest) << 2), <u32>triangle);
}

function visibleQuad(context: usize, triangle: usize, quad: i32, mask: i32, tested: bool): void {
  const passed = tested ? depthQuadScalar(context, triangle, quad, mask, load<i32>(context + CTX_DEPTH_WRITE)) : mask;
  if (load<i32>(context + CTX_MODE) == MODE_DEFERRED) markQuad(context, triangle, quad, passed);
}

export function visibleBlock1Scalar(context: usize, triangle: usize, block: i32, cover: u64, tested: bool): void {
  for (let quad = 0; quad < 16; quad++) {
    const bits = <i32>(cover >> (<u64>quad << 2)) & 15;
    if (bits) visibleQuad(context, triangle, (block << 4) + quad, bits, tested);
  }
}

export function visibleBlock4Scalar(context: usize, triangle: usize, block: i32, quads: i32, tested: bool): void {
  for (let rest = quads; rest; rest &= rest - 1) {
    const quad = ctz(rest);
    visibleQuad(context, triangle, (block << 4) + quad, load<u16>(context + (<usize>quad << 1), CTX_COVER), tested);
  }
}
