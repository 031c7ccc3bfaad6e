// The vertex side: from a draw to triangles on the tiles' lists.
//
//   fillBatch (assemble.ts) → shadeBatch (shade.ts) → emitBatch (emit.ts, clip.ts) → setupTriangle (raster/setup.ts)
//
// All state is in the GEOMETRY record (state.ts), so a draw can stop between batches and at any triangle, and go on later with the same result.
import * as D from '../layout/draw';
import { FORMAT_DEPTH16UNORM, FORMAT_DEPTH24PLUS, FORMAT_DEPTH24PLUS_STENCIL8 } from '../layout/formats';
import { GEOMETRY_DRAW, GEOMETRY_PASS, GEOMETRY_REGISTERS } from '../layout/geometry';
import { GUARD_BAND, REGISTER_BYTES } from '../layout/limits';
import * as P from '../layout/packet';
import { ATTACHMENT_FORMAT, PASS_DEPTH, PASS_HEIGHT, PASS_SAMPLES, PASS_WIDTH } from '../layout/pass';
import { STATUS_DONE, STATUS_YIELD } from '../layout/status';
import { SAMPLE1, SAMPLE4_X1, SAMPLE4_X2 } from '../layout/tile';
import { bindUniforms } from '../warp/run';
import { cornersOf, fillBatch } from './assemble';
import { emitBatch } from './emit';
import { bindWarp, shadeBatch } from './shade';
import * as S from './state';

/** Bytes of a GEOMETRY record: the caller allocates them 16-byte aligned, zeroed. */
export function geometryBytes(): i32 { return S.STATE_BYTES; }

function setViewport(setup: usize, draw: usize): void {
  const x = load<f32>(draw + D.DRAW_VIEWPORT);
  const y = load<f32>(draw + D.DRAW_VIEWPORT + 4);
  const width = load<f32>(draw + D.DRAW_VIEWPORT + 8);
  const height = load<f32>(draw + D.DRAW_VIEWPORT + 12);
  const nearest = load<f32>(draw + D.DRAW_VIEWPORT + 16);
  const farthest = load<f32>(draw + D.DRAW_VIEWPORT + 20);
  store<f32>(setup + P.SETUP_SCALE_X, width * 128);
  store<f32>(setup + P.SETUP_OFFSET_X, (x + width * 0.5) * 256);
  // The screen's y goes down.
  store<f32>(setup + P.SETUP_SCALE_Y, height * -128);
  store<f32>(setup + P.SETUP_OFFSET_Y, (y + height * 0.5) * 256);
  store<f32>(setup + P.SETUP_SCALE_Z, farthest - nearest);
  store<f32>(setup + P.SETUP_OFFSET_Z, nearest);
  // The band in units of half a viewport; a viewport of no size leaves no triangle.
  store<f32>(setup + P.SETUP_GUARD_X, width > 0 ? (<f32>GUARD_BAND - abs<f32>(x + width * 0.5)) / (width * 0.5) : 1);
  store<f32>(setup + P.SETUP_GUARD_Y, height > 0 ? (<f32>GUARD_BAND - abs<f32>(y + height * 0.5)) / (height * 0.5) : 1);
}

// Pixels that may be drawn: scissor ∩ pass ∩ viewport, which stands for clipping at its four sides.
function setRectangle(setup: usize, pass: usize, draw: usize): void {
  const x = load<f32>(draw + D.DRAW_VIEWPORT);
  const y = load<f32>(draw + D.DRAW_VIEWPORT + 4);
  const right = <i32>(ceil<f32>(x + load<f32>(draw + D.DRAW_VIEWPORT + 8)));
  const bottom = <i32>(ceil<f32>(y + load<f32>(draw + D.DRAW_VIEWPORT + 12)));
  store<i32>(setup + P.SETUP_MIN_X, max<i32>(0, max<i32>(load<i32>(draw + D.DRAW_SCISSOR), <i32>(floor<f32>(x)))));
  store<i32>(setup + P.SETUP_MIN_Y, max<i32>(0, max<i32>(load<i32>(draw + D.DRAW_SCISSOR + 4), <i32>(floor<f32>(y)))));
  store<i32>(setup + P.SETUP_MAX_X, min<i32>(load<i32>(pass + PASS_WIDTH), min<i32>(load<i32>(draw + D.DRAW_SCISSOR + 8), right)));
  store<i32>(setup + P.SETUP_MAX_Y, min<i32>(load<i32>(pass + PASS_HEIGHT), min<i32>(load<i32>(draw + D.DRAW_SCISSOR + 12), bottom)));
  const many = load<i32>(pass + PASS_SAMPLES) > 1;
  store<i32>(setup + P.SETUP_SAMPLE_FIRST, (many ? SAMPLE4_X2 : SAMPLE1) << 4);
  store<i32>(setup + P.SETUP_SAMPLE_LAST, (many ? SAMPLE4_X1 : SAMPLE1) << 4);
}

// Depth per unit of constant bias: the smallest step of normalised formats, 0 for "by the exponent" (float).
function biasUnit(format: i32): f32 {
  if (format == FORMAT_DEPTH16UNORM) return 1.0 / 65535.0;
  return format == FORMAT_DEPTH24PLUS || format == FORMAT_DEPTH24PLUS_STENCIL8 ? 1.0 / 16777215.0 : 0;
}

// Counts, lane masks and source registers of the varyings.
function setVaryings(geometry: usize, setup: usize, draw: usize): void {
  const count = load<i32>(draw + D.DRAW_VARYING_COUNT);
  const sources = <usize>load<u32>(draw + D.DRAW_VARYING_SOURCES);
  const perspective = count ? load<i32>(draw + D.DRAW_VARYING_GROUPS) + load<i32>(draw + D.DRAW_VARYING_GROUPS + 4) + load<i32>(draw + D.DRAW_VARYING_GROUPS + 8) : 0;
  const flatFirst = count ? count - load<i32>(draw + D.DRAW_VARYING_GROUPS + 24) : 0;
  const fours = (count + 3) >> 2;
  const registers = <usize>load<u32>(geometry + GEOMETRY_REGISTERS);
  store<i32>(setup + P.SETUP_GROUPS, fours);
  store<i32>(setup + P.SETUP_STRIDE, P.PACKET_VARYINGS + (fours << 4));
  store<i32>(setup + P.SETUP_PERSPECTIVE_COUNT, perspective);
  store<i32>(setup + P.SETUP_FLAT_FIRST, flatFirst);
  for (let i = 0; i < fours << 2; i++) {
    const mask = setup + P.SETUP_MASKS + <usize>((i >> 2) * 32 + (i & 3) * 4);
    store<i32>(mask, i < perspective ? -1 : 0);
    store<i32>(mask, i >= flatFirst ? -1 : 0, 16);
    const source = i < count ? load<i32>(sources + (<usize>i << 2)) : -1;
    store<u32>(geometry + S.STATE_SOURCES + (<usize>i << 2), <u32>(source < 0 ? geometry + S.STATE_ZEROS : registers + <usize>source * REGISTER_BYTES));
  }
}

/** Starts a draw. GEOMETRY_REGISTERS is set; the register file belongs to this draw until STATUS_DONE. */
export function geometryBegin(geometry: usize, pass: usize, draw: usize): void {
  const setup = geometry + S.STATE_SETUP;
  store<u32>(geometry + GEOMETRY_PASS, <u32>pass);
  store<u32>(geometry + GEOMETRY_DRAW, <u32>draw);
  store<u32>(setup + P.SETUP_PASS, <u32>pass);
  store<u32>(setup + P.SETUP_DRAW, <u32>draw);
  setViewport(setup, draw);
  setRectangle(setup, pass, draw);
  setVaryings(geometry, setup, draw);
  const corners = cornersOf(load<i32>(draw + D.DRAW_TOPOLOGY));
  const cull = load<i32>(draw + D.DRAW_CULL);
  const clockwiseIsFront = load<i32>(draw + D.DRAW_FRONT_CW) != 0;
  const cullClockwise = (cull == D.CULL_FRONT) == clockwiseIsFront;
  store<i32>(setup + P.SETUP_CULL_SIDE, cull == D.CULL_NONE || corners < 3 ? 0 : cullClockwise ? 2 : 1);
  const unclipped = load<i32>(draw + D.DRAW_FLAGS) & D.DRAW_FLAG_UNCLIPPED_DEPTH;
  store<i32>(setup + P.SETUP_OUTCODES, unclipped ? ~(P.OUTCODE_NEAR | P.OUTCODE_FAR) : -1);
  store<f32>(setup + P.SETUP_BIAS_UNIT, biasUnit(load<i32>(pass + PASS_DEPTH + ATTACHMENT_FORMAT)));
  store<i32>(setup + P.SETUP_BIASED, corners == 3 && (load<i32>(draw + D.DRAW_DEPTH_BIAS) != 0 || load<f32>(draw + D.DRAW_DEPTH_BIAS_SLOPE) != 0) ? 1 : 0);
  // Whole quads are written, hence the multiple of four; a primitive that cannot be whole ends the draw before it starts.
  store<i32>(geometry + S.STATE_CAPACITY, min<i32>(S.BATCH_VERTICES, S.PACKET_BYTES / load<i32>(setup + P.SETUP_STRIDE) & ~3));
  store<i32>(geometry + S.STATE_CORNERS, corners);
  store<u32>(geometry + S.STATE_INSTANCE, load<u32>(draw + D.DRAW_COUNT) < <u32>corners ? load<u32>(draw + D.DRAW_INSTANCE_COUNT) : 0);
  store<u32>(geometry + S.STATE_POSITION, 0);
  store<u32>(geometry + S.STATE_STRIP_LENGTH, 0);
  store<i32>(geometry + S.STATE_PHASE, S.PHASE_FILL);
  bindWarp(geometry, draw);
  bindUniforms(<usize>load<u32>(draw + D.DRAW_VERTEX_PROGRAM), <usize>load<u32>(draw + D.DRAW_VERTEX_UNIFORMS), <usize>load<u32>(geometry + GEOMETRY_REGISTERS));
}

function run<E>(geometry: usize, batches: i32): i32 {
  while (true) {
    if (load<i32>(geometry + S.STATE_PHASE) == S.PHASE_FILL) {
      if (batches-- <= 0) return STATUS_YIELD;
      if (!fillBatch(geometry)) return STATUS_DONE;
      if (!load<i32>(geometry + S.STATE_VERTICES)) continue;
      store<i32>(geometry + S.STATE_SHADED, 0);
      store<i32>(geometry + S.STATE_CURSOR, 0);
      store<i32>(geometry + S.STATE_FAN, 0);
      store<i32>(geometry + S.STATE_PHASE, S.PHASE_SHADE);
    }
    if (load<i32>(geometry + S.STATE_PHASE) == S.PHASE_SHADE) {
      const status = shadeBatch<E>(geometry);
      if (status != STATUS_DONE) return status;
      store<i32>(geometry + S.STATE_PHASE, S.PHASE_EMIT);
    }
    const status = emitBatch<E>(geometry);
    if (status != STATUS_DONE) return status;
    store<i32>(geometry + S.STATE_PHASE, S.PHASE_FILL);
  }
}

/**
 * Runs a draw for at most `batches` batches: STATUS_DONE, STATUS_YIELD (call again), STATUS_NEEDS_MEMORY (empty the arena
 * and the lists, call again) or STATUS_TIMEOUT. An empty arena must hold the largest triangle: TRI_PLANES + MAX_VARYINGS · 12
 * bytes and a list block for every tile of the pass.
 */
export function geometryRun(geometry: usize, batches: i32): i32 {
  if (ASC_FEATURE_SIMD) return run<v128>(geometry, batches);
  else return run<u32>(geometry, batches);
}

/** Twin of geometryRun: scalar bodies of fetch, projection, clipping and planes. */
export function geometryRunScalar(geometry: usize, batches: i32): i32 { return run<u32>(geometry, batches); }
