// The vertex side: from a draw to triangles on the tiles' lists.
//
//   fillBatch, fillRange (assemble.ts) → shadeBatch (shade.ts) → emitBatch (emit.ts, clip.ts) → setupTriangle,
//   setupStretch (raster)
//
// All state is in the GEOMETRY (layout), so a draw can stop between batches and at any triangle, and go on
// later with the same result.
import {
  BATCH_VERTICES, Corner, CULL_FRONT, CULL_NONE, Draw, DRAW_FLAG_UNCLIPPED_DEPTH, DrawProgress, EXTRA_VERTICES,
  FORMAT_DEPTH16UNORM, FORMAT_DEPTH24PLUS, FORMAT_DEPTH24PLUS_STENCIL8, Geometry, GUARD_BAND, LayerPositions,
  OUTCODE_BYTES, OUTCODE_FAR, OUTCODE_NEAR, Packet, PART_OUTSIDE, PART_SETUP, PART_VERTEX, Pass,
  PHASE_AMPLIFY, PHASE_BEGIN, PHASE_EMIT, PHASE_FILL, PHASE_SHADE, POSITION_BYTES, RANGE_VERTICES, REGISTER_BYTES,
  Segment, SEGMENT_EMIT, SEGMENT_FLAG_RESUMED, SEGMENT_FLAG_START, SEGMENT_LIST, SEGMENT_SHADE, Setup, sizeOf,
  Statistics, STATUS_DONE, STATUS_YIELD, VertexRange,
} from '../layout';
import { tinyPixels } from '../raster/setup-four';
import { firstSample, lastSample, layersOf, samplesOfLayer, sampleX, sampleY } from '../simd/positions';
import { enterPart } from '../warp/clock';
import { amplify, beginAmplifying, emittingStage, takeBatch } from './amplify';
import { countUsed, fillBatch, fillRange } from './assemble';
import { emitBatch } from './emit';
import { bindWarp, shadeBatch } from './shade';
import { isBuffer, stream } from './stream';
import { cornersOf } from './strip';

/** Bytes of a GEOMETRY record: the caller allocates them 16-byte aligned, zeroed. */
export function geometryBytes(): i32 { return sizeOf<Geometry>(); }

function setViewport(setup: Setup, draw: Draw): void {
  const x = load<f32>(draw.viewport);
  const y = load<f32>(draw.viewport + 4);
  const width = load<f32>(draw.viewport + 8);
  const height = load<f32>(draw.viewport + 12);
  const nearest = load<f32>(draw.viewport + 16);
  const farthest = load<f32>(draw.viewport + 20);
  setup.scaleX = width * 128;
  setup.offsetX = (x + width * 0.5) * 256;
  // The screen's y goes down.
  setup.scaleY = height * -128;
  setup.offsetY = (y + height * 0.5) * 256;
  setup.scaleZ = farthest - nearest;
  setup.offsetZ = nearest;
  // The band in units of half a viewport; a viewport of no size leaves no triangle.
  setup.guardX = width > 0 ? (<f32>GUARD_BAND - abs<f32>(x + width * 0.5)) / (width * 0.5) : 1;
  setup.guardY = height > 0 ? (<f32>GUARD_BAND - abs<f32>(y + height * 0.5)) / (height * 0.5) : 1;
}

// Pixels that may be drawn: scissor ∩ pass ∩ viewport, which stands for clipping at its four sides.
function setRectangle(setup: Setup, pass: Pass, draw: Draw): void {
  const x = load<f32>(draw.viewport);
  const y = load<f32>(draw.viewport + 4);
  const right = <i32>ceil<f32>(x + load<f32>(draw.viewport + 8));
  const bottom = <i32>ceil<f32>(y + load<f32>(draw.viewport + 12));
  setup.minX = max<i32>(0, max<i32>(load<i32>(draw.scissor), <i32>floor<f32>(x)));
  setup.minY = max<i32>(0, max<i32>(load<i32>(draw.scissor + 4), <i32>floor<f32>(y)));
  setup.maxX = min<i32>(pass.width, min<i32>(load<i32>(draw.scissor + 8), right));
  setup.maxY = min<i32>(pass.height, min<i32>(load<i32>(draw.scissor + 12), bottom));
  setSamples(setup, pass.samples);
}

function setSamples(setup: Setup, samples: i32): void {
  setup.samples = samples;
  setup.sampleFirst = firstSample(samples) << 4;
  setup.sampleLast = lastSample(samples) << 4;
  setup.sampleUp = 255 - (lastSample(samples) << 4);
  setup.tiny = tinyPixels(samples);
  for (let sample = 0; sample < layersOf(samples) * samplesOfLayer(samples); sample++) {
    const at = changetype<LayerPositions>(changetype<usize>(setup.layer(sample >> 2)) + ((sample & 3) << 2));
    store<i32>(changetype<usize>(at), sampleX(samples, sample) << 4);
    store<i32>(at.y, sampleY(samples, sample) << 4);
  }
}

// Depth per unit of constant bias: the smallest step of normalised formats, 0 for "by the exponent" (float).
function biasUnit(format: i32): f32 {
  if (format == FORMAT_DEPTH16UNORM) return 1.0 / 65535.0;
  return format == FORMAT_DEPTH24PLUS || format == FORMAT_DEPTH24PLUS_STENCIL8 ? 1.0 / 16777215.0 : 0;
}

// Counts, lane masks and source registers of the varyings.
function setVaryings(geometry: Geometry, setup: Setup, draw: Draw): void {
  const count = draw.varyingCount;
  const sources = draw.varyingSources;
  const perspective = count ? draw.varyings.linearFirst : 0;
  const flatFirst = count ? draw.flatFirst : 0;
  const fours = (count + 3) >> 2;
  const registers = geometry.registers;
  setup.groups = fours;
  setup.stride = (sizeOf<Packet>() + (count << 2) + 15) & ~15;
  setup.varyingBytes = setup.stride - sizeOf<Packet>();
  setup.perspectiveCount = perspective;
  setup.flatFirst = flatFirst;
  // A packet may have room for two more.
  for (let i = 0; i < (fours << 2) + 2; i++) {
    const source = i < count ? load<i32>(sources + (i << 2)) : -1;
    store<u32>(geometry.sources + (i << 2), source < 0 ? geometry.zeros : registers + source * REGISTER_BYTES);
  }
  for (let i = 0; i < fours << 2; i++) {
    const mask = setup.masks + ((i >> 2) * 32 + (i & 3) * 4);
    store<i32>(mask, i < perspective ? -1 : 0);
    store<i32>(mask, i >= flatFirst ? -1 : 0, 16);
  }
}

/** Starts a whole draw. Geometry.registers is set; the register file belongs to this draw until STATUS_DONE. */
export function geometryBegin(geometry: Geometry, pass: Pass, draw: Draw): void {
  begin(geometry, pass, draw);
  countStart(geometry, draw);
}

/** Starts a SEGMENT of a draw (layout/job.ts) instead of a whole one. */
export function geometryPart(geometry: Geometry, pass: Pass, segment: Segment): void {
  const draw = changetype<Draw>(segment.draw);
  const kind = segment.kind;
  const flags = segment.flags;
  begin(geometry, pass, draw);
  geometry.kind = kind;
  if (flags & SEGMENT_FLAG_START) countStart(geometry, draw);
  geometry.resumed = flags & SEGMENT_FLAG_RESUMED;
  geometry.cursor = segment.cursor;
  geometry.fan = segment.fan;
  if (kind == SEGMENT_LIST) {
    copyProgress(geometry.progress(), segment.progress());
    geometry.instanceEnd = segment.instanceEnd;
    geometry.positionEnd = segment.positionEnd;
    return;
  }
  allotRange(geometry, segment);
  // It is the draw's only batch here.
  geometry.instance = geometry.instanceEnd;
  geometry.phase = kind == SEGMENT_SHADE ? PHASE_SHADE : PHASE_EMIT;
}

// The vertices of a RANGE that all workers read, and the part of them, or of the triangles between them, that the
// segment is.
function allotRange(geometry: Geometry, segment: Segment): void {
  const setup = geometry.setup;
  const range = changetype<VertexRange>(segment.range);
  setup.packets = range.packets;
  setup.positions = range.positions;
  setup.outcodeList = range.outcodes;
  setup.corners = range.corners;
  setup.extra = range.extra + geometry.worker * EXTRA_VERTICES;
  geometry.rangeInstances = 1;
  geometry.rangeFirst = segment.instance;
  if (geometry.kind == SEGMENT_SHADE) {
    geometry.codes = 0;
    geometry.shaded = segment.first;
    geometry.vertices = segment.end;
  } else {
    geometry.codes = range.codes;
    geometry.cursor = segment.first;
    geometry.primitives = segment.end;
  }
}

/** Outcodes of the vertices that a SEGMENT_SHADE has shaded, joined. */
export function geometryCodes(geometry: Geometry): i32 { return geometry.codes; }

/** After STATUS_NEEDS_MEMORY: changes the segment under way into what is left of it. */
export function geometryResume(geometry: Geometry, segment: Segment): void {
  segment.fan = geometry.fan;
  segment.flags = SEGMENT_FLAG_RESUMED;
  const cursor = geometry.cursor;
  if (segment.kind == SEGMENT_EMIT) {
    segment.first = cursor;
    return;
  }
  segment.cursor = cursor;
  copyProgress(segment.progress(), geometry.begun);
}

function copyProgress(to: DrawProgress, from: DrawProgress): void {
  memory.copy(changetype<usize>(to), changetype<usize>(from), sizeOf<DrawProgress>());
}

function begin(geometry: Geometry, pass: Pass, draw: Draw): void {
  const setup = geometry.setup;
  geometry.pass = pass;
  geometry.draw = draw;
  setup.pass = pass;
  setup.draw = draw;
  setViewport(setup, draw);
  setRectangle(setup, pass, draw);
  setVaryings(geometry, setup, draw);
  const corners = cornersOf(draw.setupTopology);
  const cull = draw.cull;
  const clockwiseIsFront = draw.frontCw != 0;
  const cullClockwise = (cull == CULL_FRONT) == clockwiseIsFront;
  setup.cullFlip = cullClockwise ? 15 : 0;
  setup.cullMask = cull == CULL_NONE || corners < 3 ? 0 : 15;
  const unclipped = draw.flags & DRAW_FLAG_UNCLIPPED_DEPTH;
  setup.outcodes = unclipped ? ~(OUTCODE_NEAR | OUTCODE_FAR) : -1;
  setup.biasUnit = biasUnit(pass.depth.format);
  setup.biased = corners == 3 && (draw.depthBias != 0 || draw.depthBiasSlope != 0) ? 1 : 0;
  geometry.setupCorners = corners;
  geometry.corners = cornersOf(draw.topology);
  memory.fill(changetype<usize>(geometry.progress()), 0, sizeOf<DrawProgress>());
  // A primitive that cannot be whole ends the draw before it starts.
  geometry.instanceEnd = draw.count < geometry.corners ? 0 : draw.instanceCount;
  geometry.positionEnd = draw.count;
  geometry.kind = SEGMENT_LIST;
  geometry.resumed = 0;
  geometry.cursor = 0;
  geometry.fan = 0;
  geometry.phase = PHASE_BEGIN;
  bindWarp(geometry, draw);
}

// Counts the vertices of a draw of which it is known how many they are.
function countStart(geometry: Geometry, draw: Draw): void {
  if (geometry.instanceEnd) countUsed(geometry, draw.distinct * draw.instanceCount);
}

// Triangles of an instance from which on instances are ranges: four are set up together, of one instance.
const RANGE_TRIANGLES: u32 = 8;
// Indices of such a batch at the most, so that counts stay within i32.
const RANGE_INDICES: u32 = 1 << 24;

// Instances of a batch whose vertices are index ranges; 0 where the draw's vertices are shaded as they come.
function rangeInstances(geometry: Geometry, setup: Setup, draw: Draw): u32 {
  const count = draw.rangeCount;
  if (!count) return 0;
  if (draw.instanceCount > 1 && draw.count < 3 * RANGE_TRIANGLES) return 0;
  const bytes = setup.stride + POSITION_BYTES + OUTCODE_BYTES + sizeOf<Corner>();
  const room = <i64>(geometry.rangeBytes / bytes) - EXTRA_VERTICES - 3;
  if (<i64>count > room) return 0;
  return max<u32>(1, min<u32>(min<u32>(<u32>room, RANGE_VERTICES) / count, RANGE_INDICES / draw.count));
}

// Where the batches' vertices lie.
function allotVertices(geometry: Geometry): void {
  const setup = geometry.setup;
  const draw = geometry.draw;
  const instances = rangeInstances(geometry, setup, draw);
  geometry.rangeInstances = instances;
  if (!instances) {
    setup.packets = geometry.packets;
    setup.positions = geometry.positions;
    setup.outcodeList = geometry.outcodes;
    setup.corners = geometry.pairs;
    setup.extra = BATCH_VERTICES;
    return;
  }
  const most = (instances * draw.rangeCount + 3) & ~3;
  const all = most + EXTRA_VERTICES;
  const positions = geometry.range + all * setup.stride;
  setup.packets = geometry.range;
  setup.positions = positions;
  setup.outcodeList = positions + all * POSITION_BYTES;
  setup.corners = positions + all * (POSITION_BYTES + OUTCODE_BYTES);
  setup.extra = most;
}

// Starts the next batch; false when the draw has none left.
function nextBatch(geometry: Geometry): bool {
  copyProgress(geometry.begun, geometry.progress());
  if (!(geometry.rangeInstances ? fillRange(geometry) : fillBatch(geometry))) return false;
  if (!geometry.vertices) return true;
  geometry.shaded = 0;
  geometry.codes = 0;
  if (!geometry.resumed) {
    geometry.cursor = 0;
    geometry.fan = 0;
  }
  geometry.resumed = 0;
  geometry.phase = PHASE_SHADE;
  return true;
}

/**
 * geometryRun by the bodies that `E` chooses: v128; u32, the scalar twins; a class, the scalar twins with edges for
 * every triangle.
 */
export function geometryRunBy<E>(geometry: Geometry, batches: i32): i32 {
  const statistics = geometry.pass.statistics;
  enterPart(statistics, PART_VERTEX);
  if (geometry.phase == PHASE_BEGIN) {
    allotVertices(geometry);
    geometry.phase = PHASE_FILL;
  }
  const status = runBatches<E>(geometry, statistics, batches);
  enterPart(statistics, PART_OUTSIDE);
  return status;
}

function runBatches<E>(geometry: Geometry, statistics: Statistics, batches: i32): i32 {
  const emitting = emittingStage(geometry.draw.vertex);
  while (batches-- > 0) {
    enterPart(statistics, PART_VERTEX);
    if (geometry.phase == PHASE_FILL) {
      if (!nextBatch(geometry)) return STATUS_DONE;
      if (geometry.phase == PHASE_FILL) continue;
    }
    if (geometry.phase == PHASE_SHADE) {
      const status = shadeBatch<E>(geometry);
      if (status == STATUS_YIELD) continue;
      if (status != STATUS_DONE) return status;
      if (geometry.kind == SEGMENT_SHADE) return STATUS_DONE;
      if (emitting && isBuffer(emitting)) {
        takeBatch(geometry, emitting);
        stream(geometry, emitting, geometry.primitives);
        geometry.phase = PHASE_FILL;
        continue;
      }
      geometry.phase = emitting ? PHASE_AMPLIFY : PHASE_EMIT;
      if (emitting) beginAmplifying(geometry, emitting);
    }
    if (geometry.phase == PHASE_AMPLIFY) {
      const status = amplify<E>(geometry, emitting);
      if (status == STATUS_YIELD) continue;
      if (status != STATUS_DONE) return status;
      geometry.phase = PHASE_FILL;
      continue;
    }
    enterPart(statistics, PART_SETUP);
    const status = emitBatch<E>(geometry);
    if (status == STATUS_YIELD) continue;
    if (status != STATUS_DONE) return status;
    geometry.phase = PHASE_FILL;
  }
  return STATUS_YIELD;
}

/**
 * Runs a draw for at most `batches` batches: STATUS_DONE, STATUS_YIELD (call again), STATUS_NEEDS_MEMORY (empty the
 * arena and the lists, call again) or STATUS_TIMEOUT. An empty arena must hold the largest triangle: Triangle.planes +
 * MAX_VARYINGS · 12 bytes and a list block for every tile of the pass. A batch here is what one call of shadeBatch or
 * emitBatch does: up to BATCH_VERTICES vertices, BATCH_PRIMITIVES primitives.
 */
export function geometryRun(geometry: Geometry, batches: i32): i32 {
  if (ASC_FEATURE_SIMD) return geometryRunBy<v128>(geometry, batches);
  else return geometryRunBy<u32>(geometry, batches);
}

/** Twin of geometryRun: scalar bodies of fetch, projection and planes. */
export function geometryRunScalar(geometry: Geometry, batches: i32): i32 {
  return geometryRunBy<u32>(geometry, batches);
}
