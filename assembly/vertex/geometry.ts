// The vertex side: from a draw to triangles on the tiles' lists.
//
//   fillBatch, fillRange (assemble.ts) → shadeBatch (shade.ts) → emitBatch (emit.ts, clip.ts) → setupTriangle, setupFour (raster)
//
// All state is in the GEOMETRY record (state.ts), so a draw can stop between batches and at any triangle, and go on later with the same result.
import * as D from '../layout/draw';
import { FORMAT_DEPTH16UNORM, FORMAT_DEPTH24PLUS, FORMAT_DEPTH24PLUS_STENCIL8 } from '../layout/formats';
import { GEOMETRY_DRAW, GEOMETRY_PASS, GEOMETRY_RANGE, GEOMETRY_RANGE_BYTES, GEOMETRY_REGISTERS, GEOMETRY_WORKER, RANGE_VERTICES } from '../layout/geometry';
import * as J from '../layout/job';
import { GUARD_BAND, REGISTER_BYTES } from '../layout/limits';
import * as P from '../layout/packet';
import { ATTACHMENT_FORMAT, PART_OUTSIDE, PART_SETUP, PART_VERTEX, PASS_DEPTH, PASS_HEIGHT, PASS_SAMPLES, PASS_STATISTICS, PASS_WIDTH } from '../layout/pass';
import { STATUS_DONE, STATUS_YIELD } from '../layout/status';
import { firstSample, lastSample, layersOf, samplesOfLayer, sampleX, sampleY } from '../simd/positions';
import { enterPart } from '../warp/clock';
import { tinyPixels } from '../raster/setup-four';
import { bindProgram } from '../warp/run';
import { cornersOf, countUsed, fillBatch, fillRange } from './assemble';
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
  setSamples(setup, load<i32>(pass + PASS_SAMPLES));
}

function setSamples(setup: usize, samples: i32): void {
  store<i32>(setup + P.SETUP_SAMPLES, samples);
  store<i32>(setup + P.SETUP_SAMPLE_FIRST, firstSample(samples) << 4);
  store<i32>(setup + P.SETUP_SAMPLE_LAST, lastSample(samples) << 4);
  store<i32>(setup + P.SETUP_SAMPLE_UP, 255 - (lastSample(samples) << 4));
  store<i32>(setup + P.SETUP_TINY, tinyPixels(samples));
  for (let sample = 0; sample < layersOf(samples) * samplesOfLayer(samples); sample++) {
    const at = setup + P.SETUP_PLACES + (<usize>(sample >> 2) << P.PLACES_SHIFT) + (<usize>(sample & 3) << 2);
    store<i32>(at, sampleX(samples, sample) << 4);
    store<i32>(at, sampleY(samples, sample) << 4, P.PLACES_Y);
  }
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

/** Starts a whole draw. GEOMETRY_REGISTERS is set; the register file belongs to this draw until STATUS_DONE. */
export function geometryBegin(geometry: usize, pass: usize, draw: usize): void {
  begin(geometry, pass, draw);
  countStart(geometry, draw);
}

/** Starts a SEGMENT of a draw (layout/job.ts) in place of a whole one. */
export function geometryPart(geometry: usize, pass: usize, segment: usize): void {
  const draw = <usize>load<u32>(segment + J.SEGMENT_DRAW);
  const kind = load<i32>(segment + J.SEGMENT_KIND);
  const flags = load<i32>(segment + J.SEGMENT_FLAGS);
  begin(geometry, pass, draw);
  store<i32>(geometry + S.STATE_KIND, kind);
  if (flags & J.SEGMENT_FLAG_START) countStart(geometry, draw);
  store<i32>(geometry + S.STATE_RESUMED, flags & J.SEGMENT_FLAG_RESUMED);
  store<u32>(geometry + S.STATE_CURSOR, load<u32>(segment + J.SEGMENT_CURSOR));
  store<u32>(geometry + S.STATE_FAN, load<u32>(segment + J.SEGMENT_FAN));
  if (kind == J.SEGMENT_LIST) {
    memory.copy(geometry + S.STATE_INSTANCE, segment + J.SEGMENT_INSTANCE, S.BEGUN_BYTES);
    store<u32>(geometry + S.STATE_INSTANCE_END, load<u32>(segment + J.SEGMENT_INSTANCE_END));
    store<u32>(geometry + S.STATE_POSITION_END, load<u32>(segment + J.SEGMENT_POSITION_END));
    return;
  }
  placeRange(geometry, segment);
  // It is the draw's only batch here.
  store<u32>(geometry + S.STATE_INSTANCE, load<u32>(geometry + S.STATE_INSTANCE_END));
  store<i32>(geometry + S.STATE_PHASE, kind == J.SEGMENT_SHADE ? S.PHASE_SHADE : S.PHASE_EMIT);
}

// The vertices of a RANGE that all workers read, and the part of them, or of the triangles between them, that the segment is.
function placeRange(geometry: usize, segment: usize): void {
  const setup = geometry + S.STATE_SETUP;
  const range = <usize>load<u32>(segment + J.SEGMENT_RANGE);
  store<u32>(setup + P.SETUP_PACKETS, load<u32>(range + J.RANGE_PACKETS));
  store<u32>(setup + P.SETUP_POSITIONS, load<u32>(range + J.RANGE_POSITIONS));
  store<u32>(setup + P.SETUP_OUTCODE_LIST, load<u32>(range + J.RANGE_OUTCODES));
  store<u32>(setup + P.SETUP_CORNERS, load<u32>(range + J.RANGE_CORNERS));
  store<u32>(setup + P.SETUP_EXTRA, load<u32>(range + J.RANGE_EXTRA) + load<u32>(geometry + GEOMETRY_WORKER) * P.EXTRA_VERTICES);
  store<i32>(geometry + S.STATE_RANGE, 1);
  store<u32>(geometry + S.STATE_RANGE_INSTANCE, load<u32>(segment + J.SEGMENT_INSTANCE));
  if (load<i32>(geometry + S.STATE_KIND) == J.SEGMENT_SHADE) {
    store<i32>(geometry + S.STATE_CODES, 0);
    store<u32>(geometry + S.STATE_SHADED, load<u32>(segment + J.SEGMENT_FIRST));
    store<u32>(geometry + S.STATE_VERTICES, load<u32>(segment + J.SEGMENT_END));
  } else {
    store<i32>(geometry + S.STATE_CODES, load<i32>(range + J.RANGE_CODES));
    store<u32>(geometry + S.STATE_CURSOR, load<u32>(segment + J.SEGMENT_FIRST));
    store<u32>(geometry + S.STATE_PRIMITIVES, load<u32>(segment + J.SEGMENT_END));
  }
}

/** Outcodes of the vertices that a SEGMENT_SHADE has shaded, joined. */
export function geometryCodes(geometry: usize): i32 { return load<i32>(geometry + S.STATE_CODES); }

/** After STATUS_NEEDS_MEMORY: changes the segment under way into what is left of it. */
export function geometryResume(geometry: usize, segment: usize): void {
  store<u32>(segment + J.SEGMENT_FAN, load<u32>(geometry + S.STATE_FAN));
  store<i32>(segment + J.SEGMENT_FLAGS, J.SEGMENT_FLAG_RESUMED);
  const cursor = load<u32>(geometry + S.STATE_CURSOR);
  if (load<i32>(segment + J.SEGMENT_KIND) == J.SEGMENT_EMIT) {
    store<u32>(segment + J.SEGMENT_FIRST, cursor);
    return;
  }
  store<u32>(segment + J.SEGMENT_CURSOR, cursor);
  memory.copy(segment + J.SEGMENT_INSTANCE, geometry + S.STATE_BEGUN, S.BEGUN_BYTES);
}

function begin(geometry: usize, pass: usize, draw: usize): void {
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
  const side = load<i32>(setup + P.SETUP_CULL_SIDE);
  store<i32>(setup + P.SETUP_CULL_FLIP, side == 2 ? 15 : 0);
  store<i32>(setup + P.SETUP_CULL_MASK, side ? 15 : 0);
  const unclipped = load<i32>(draw + D.DRAW_FLAGS) & D.DRAW_FLAG_UNCLIPPED_DEPTH;
  store<i32>(setup + P.SETUP_OUTCODES, unclipped ? ~(P.OUTCODE_NEAR | P.OUTCODE_FAR) : -1);
  store<f32>(setup + P.SETUP_BIAS_UNIT, biasUnit(load<i32>(pass + PASS_DEPTH + ATTACHMENT_FORMAT)));
  store<i32>(setup + P.SETUP_BIASED, corners == 3 && (load<i32>(draw + D.DRAW_DEPTH_BIAS) != 0 || load<f32>(draw + D.DRAW_DEPTH_BIAS_SLOPE) != 0) ? 1 : 0);
  // Whole quads are written, hence the multiple of four; a primitive that cannot be whole ends the draw before it starts.
  store<i32>(geometry + S.STATE_CAPACITY, min<i32>(S.BATCH_VERTICES, (S.PACKET_BYTES / load<i32>(setup + P.SETUP_STRIDE) - P.EXTRA_VERTICES) & ~3));
  store<i32>(geometry + S.STATE_CORNERS, corners);
  memory.fill(geometry + S.STATE_INSTANCE, 0, S.BEGUN_BYTES);
  store<u32>(geometry + S.STATE_INSTANCE_END, load<u32>(draw + D.DRAW_COUNT) < <u32>corners ? 0 : load<u32>(draw + D.DRAW_INSTANCE_COUNT));
  store<u32>(geometry + S.STATE_POSITION_END, load<u32>(draw + D.DRAW_COUNT));
  store<i32>(geometry + S.STATE_KIND, J.SEGMENT_LIST);
  store<i32>(geometry + S.STATE_RESUMED, 0);
  store<u32>(geometry + S.STATE_CURSOR, 0);
  store<u32>(geometry + S.STATE_FAN, 0);
  store<i32>(geometry + S.STATE_PHASE, S.PHASE_BEGIN);
  bindWarp(geometry, draw);
  bindProgram(geometry + S.STATE_WARP, <usize>load<u32>(draw + D.DRAW_VERTEX_UNIFORMS));
}

// Counts the vertices of a draw of which it is known how many they are.
function countStart(geometry: usize, draw: usize): void {
  if (load<u32>(geometry + S.STATE_INSTANCE_END)) countUsed(geometry, load<u32>(draw + D.DRAW_DISTINCT) * load<u32>(draw + D.DRAW_INSTANCE_COUNT));
}

// Triangles of an instance from which on instances are ranges: four are set up together, of one instance.
const RANGE_TRIANGLES: u32 = 8;
// Indices of such a batch at the most, so that counts stay within i32.
const RANGE_INDICES: u32 = 1 << 24;

// Instances of a batch whose vertices are index ranges; 0 where the draw's vertices are shaded as they come.
function rangeInstances(geometry: usize, setup: usize, draw: usize): u32 {
  const count = load<u32>(draw + D.DRAW_RANGE_COUNT);
  if (!count) return 0;
  if (load<u32>(draw + D.DRAW_INSTANCE_COUNT) > 1 && load<u32>(draw + D.DRAW_COUNT) < 3 * RANGE_TRIANGLES) return 0;
  const bytes = load<u32>(setup + P.SETUP_STRIDE) + P.POSITION_BYTES + P.OUTCODE_BYTES + P.CORNER_BYTES;
  const room = <i64>(load<u32>(geometry + GEOMETRY_RANGE_BYTES) / bytes) - P.EXTRA_VERTICES - 3;
  if (<i64>count > room) return 0;
  return max<u32>(1, min<u32>(min<u32>(<u32>room, RANGE_VERTICES) / count, RANGE_INDICES / load<u32>(draw + D.DRAW_COUNT)));
}

// Where the batches' vertices lie.
function placeVertices(geometry: usize): void {
  const setup = geometry + S.STATE_SETUP;
  const draw = <usize>load<u32>(geometry + GEOMETRY_DRAW);
  const instances = rangeInstances(geometry, setup, draw);
  store<u32>(geometry + S.STATE_RANGE, instances);
  if (!instances) {
    store<u32>(setup + P.SETUP_PACKETS, <u32>(geometry + S.STATE_PACKET));
    store<u32>(setup + P.SETUP_POSITIONS, <u32>(geometry + S.STATE_POSITIONS));
    store<u32>(setup + P.SETUP_OUTCODE_LIST, <u32>(geometry + S.STATE_OUTCODES));
    store<u32>(setup + P.SETUP_CORNERS, <u32>(geometry + S.STATE_PAIRS));
    store<u32>(setup + P.SETUP_EXTRA, load<u32>(geometry + S.STATE_CAPACITY));
    return;
  }
  const most = (instances * load<u32>(draw + D.DRAW_RANGE_COUNT) + 3) & ~3;
  const all = most + P.EXTRA_VERTICES;
  const positions = load<u32>(geometry + GEOMETRY_RANGE) + all * load<u32>(setup + P.SETUP_STRIDE);
  store<u32>(setup + P.SETUP_PACKETS, load<u32>(geometry + GEOMETRY_RANGE));
  store<u32>(setup + P.SETUP_POSITIONS, positions);
  store<u32>(setup + P.SETUP_OUTCODE_LIST, positions + all * P.POSITION_BYTES);
  store<u32>(setup + P.SETUP_CORNERS, positions + all * (P.POSITION_BYTES + P.OUTCODE_BYTES));
  store<u32>(setup + P.SETUP_EXTRA, most);
}

// Starts the next batch; false when the draw has none left.
function nextBatch(geometry: usize): bool {
  memory.copy(geometry + S.STATE_BEGUN, geometry + S.STATE_INSTANCE, S.BEGUN_BYTES);
  if (!(load<i32>(geometry + S.STATE_RANGE) ? fillRange(geometry) : fillBatch(geometry))) return false;
  if (!load<i32>(geometry + S.STATE_VERTICES)) return true;
  store<i32>(geometry + S.STATE_SHADED, 0);
  store<i32>(geometry + S.STATE_CODES, 0);
  if (!load<i32>(geometry + S.STATE_RESUMED)) {
    store<i32>(geometry + S.STATE_CURSOR, 0);
    store<i32>(geometry + S.STATE_FAN, 0);
  }
  store<i32>(geometry + S.STATE_RESUMED, 0);
  store<i32>(geometry + S.STATE_PHASE, S.PHASE_SHADE);
  return true;
}

/** geometryRun by the bodies that `E` chooses: v128; u32, the scalar twins; a class, the scalar twins with edges for every triangle. */
export function geometryRunBy<E>(geometry: usize, batches: i32): i32 {
  const statistics = <usize>load<u32>(<usize>load<u32>(geometry + GEOMETRY_PASS) + PASS_STATISTICS);
  enterPart(statistics, PART_VERTEX);
  if (load<i32>(geometry + S.STATE_PHASE) == S.PHASE_BEGIN) {
    placeVertices(geometry);
    store<i32>(geometry + S.STATE_PHASE, S.PHASE_FILL);
  }
  const status = runBatches<E>(geometry, statistics, batches);
  enterPart(statistics, PART_OUTSIDE);
  return status;
}

function runBatches<E>(geometry: usize, statistics: usize, batches: i32): i32 {
  while (batches-- > 0) {
    enterPart(statistics, PART_VERTEX);
    if (load<i32>(geometry + S.STATE_PHASE) == S.PHASE_FILL) {
      if (!nextBatch(geometry)) return STATUS_DONE;
      if (load<i32>(geometry + S.STATE_PHASE) == S.PHASE_FILL) continue;
    }
    if (load<i32>(geometry + S.STATE_PHASE) == S.PHASE_SHADE) {
      const status = shadeBatch<E>(geometry);
      if (status == STATUS_YIELD) continue;
      if (status != STATUS_DONE) return status;
      if (load<i32>(geometry + S.STATE_KIND) == J.SEGMENT_SHADE) return STATUS_DONE;
      store<i32>(geometry + S.STATE_PHASE, S.PHASE_EMIT);
    }
    enterPart(statistics, PART_SETUP);
    const status = emitBatch<E>(geometry);
    if (status == STATUS_YIELD) continue;
    if (status != STATUS_DONE) return status;
    store<i32>(geometry + S.STATE_PHASE, S.PHASE_FILL);
  }
  return STATUS_YIELD;
}

/**
 * Runs a draw for at most `batches` batches: STATUS_DONE, STATUS_YIELD (call again), STATUS_NEEDS_MEMORY (empty the arena
 * and the lists, call again) or STATUS_TIMEOUT. An empty arena must hold the largest triangle: TRI_PLANES + MAX_VARYINGS · 12
 * bytes and a list block for every tile of the pass. A batch here is what one call of shadeBatch or emitBatch does: up to BATCH_VERTICES
 * vertices, BATCH_PRIMITIVES primitives.
 */
export function geometryRun(geometry: usize, batches: i32): i32 {
  if (ASC_FEATURE_SIMD) return geometryRunBy<v128>(geometry, batches);
  else return geometryRunBy<u32>(geometry, batches);
}

/** Twin of geometryRun: scalar bodies of fetch, projection, clipping and planes. */
export function geometryRunScalar(geometry: usize, batches: i32): i32 { return geometryRunBy<u32>(geometry, batches); }
