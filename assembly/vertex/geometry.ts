// The vertex side: from a draw to triangles on the tiles' lists.
//
//   fillBatch, fillRange (assemble.ts) → shadeBatch (shade.ts) → emitBatch (emit.ts, clip.ts) → setupTriangle,
//   setupStretch (raster)
//
// All state is in the GEOMETRY (layout), so a draw can stop between batches and at any triangle, and go on
// later with the same result.
import {
  BATCH_VERTICES, Corner, Draw, DrawProgress, EXTRA_VERTICES, Geometry, OUTCODE_BYTES, PART_OUTSIDE, PART_SETUP,
  PART_VERTEX, Pass, PHASE_AMPLIFY, PHASE_BEGIN, PHASE_EMIT, PHASE_FILL, PHASE_SHADE, POSITION_BYTES, RANGE_VERTICES,
  Segment, SEGMENT_EMIT, SEGMENT_FLAG_RESUMED, SEGMENT_FLAG_START, SEGMENT_LIST, SEGMENT_SHADE, Setup, sizeOf,
  Statistics, STATUS_DONE, STATUS_YIELD, VertexRange,
} from '../layout';
import { enterPart } from '../warp/clock';
import { amplify, beginAmplifying, emittingStage, takeBatch } from './amplify';
import { countUsed, fillBatch, fillRange } from './assemble';
import { emitBatch } from './emit';
import { prepareSetup, setRegisterSources } from './prepare';
import { bindWarp, shadeBatch } from './shade';
import { isBuffer, resetCounts, stream } from './stream';
import { cornersOf } from './strip';

/** Bytes of a GEOMETRY record: the caller allocates them 16-byte aligned, zeroed. */
export function geometryBytes(): i32 { return sizeOf<Geometry>(); }

/** Starts a whole draw. Geometry.registers is set; the register file belongs to this draw until STATUS_DONE. */
export function geometryBegin(geometry: Geometry, pass: Pass, draw: Draw): void {
  geometry.segmentsEnd = 0;
  begin(geometry, pass, draw);
  countStart(geometry, draw);
}

/** Starts a SEGMENT of a draw (layout/job.ts) instead of a whole one. */
export function geometryPart(geometry: Geometry, pass: Pass, segment: Segment): void {
  const draw = changetype<Draw>(segment.draw);
  const kind = segment.kind;
  const flags = segment.flags;
  begin(geometry, pass, draw);
  geometry.segment = changetype<usize>(segment);
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
  prepareSetup(geometry, draw);
  setRegisterSources(geometry, draw);
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
  geometry.held = 0;
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
  // Distances have room for the vertices of a batch alone.
  if (!count || draw.distanceCount) return 0;
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
  let status = runDraw<E>(geometry, statistics, batches);
  let vertices = 0;
  while (status == STATUS_DONE && geometry.segment + sizeOf<Segment>() < geometry.segmentsEnd) {
    vertices += nextSegment(geometry);
    status = vertices > BATCH_VERTICES ? STATUS_YIELD : runDraw<E>(geometry, statistics, batches);
  }
  enterPart(statistics, PART_OUTSIDE);
  return status;
}

// Takes up the segment behind the one that is done, of a task of small draws; gives how many vertices or indices that
// had.
function nextSegment(geometry: Geometry): i32 {
  const done = changetype<Segment>(geometry.segment);
  geometryPart(geometry, geometry.pass, changetype<Segment>(geometry.segment + sizeOf<Segment>()));
  return <i32>min<u32>((done.instanceEnd - done.instance) * (done.positionEnd - done.position), BATCH_VERTICES + 1);
}

function runDraw<E>(geometry: Geometry, statistics: Statistics, batches: i32): i32 {
  enterPart(statistics, PART_VERTEX);
  if (geometry.phase == PHASE_BEGIN) {
    allotVertices(geometry);
    geometry.phase = PHASE_FILL;
  }
  return runBatches<E>(geometry, statistics, batches);
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
      // Nothing is made of these vertices, but others are looked at for what they miss.
      if (geometry.hasMissed) {
        geometry.phase = PHASE_FILL;
        continue;
      }
      if (emitting && isBuffer(emitting)) {
        takeBatch(geometry, emitting);
        resetCounts(geometry, emitting, 0, geometry.primitives);
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
    if (geometry.hasMissed && geometry.kind == SEGMENT_EMIT) return STATUS_DONE;
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
 * arena and the lists, call again) or STATUS_TIMEOUT. Of a SEGMENT it goes on to those behind it, up to
 * Geometry.segmentsEnd and some BATCH_VERTICES vertices; Geometry.segment is the one under way then. An empty arena
 * must hold the largest triangle: Triangle.planes + MAX_VARYINGS · 12 bytes and a list block for every tile of the
 * pass. A batch here is what one call of shadeBatch or emitBatch does: up to BATCH_VERTICES vertices, BATCH_PRIMITIVES
 * primitives.
 */
export function geometryRun(geometry: Geometry, batches: i32): i32 {
  if (ASC_FEATURE_SIMD) return geometryRunBy<v128>(geometry, batches);
  else return geometryRunBy<u32>(geometry, batches);
}

/** Twin of geometryRun: scalar bodies of fetch, projection and planes. */
export function geometryRunScalar(geometry: Geometry, batches: i32): i32 {
  return geometryRunBy<u32>(geometry, batches);
}
