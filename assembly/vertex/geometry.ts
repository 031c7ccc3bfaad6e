// The vertex side: turns a draw call into triangles on the tiles' lists.
//
//   fillBatch, fillRange (assemble.ts) → shadeBatch (shade.ts) → emitBatch (emit.ts, clip.ts) → setupTriangle,
//   setupStretch (raster)
//
// All state is in the GEOMETRY record (layout). So a draw call can stop between batches and at any triangle, and
// continue later with the same result.
import {
  BATCH_VERTICES,
  Corner,
  Draw,
  DrawCall,
  DrawProgress,
  EXTRA_VERTICES,
  Geometry,
  OUTCODE_BYTES,
  PART_OUTSIDE,
  PART_SETUP,
  PART_VERTEX,
  Pass,
  PHASE_AMPLIFY,
  PHASE_BEGIN,
  PHASE_EMIT,
  PHASE_FILL,
  PHASE_SHADE,
  POSITION_BYTES,
  Prologue,
  RANGE_VERTICES,
  Segment,
  SEGMENT_CALLS,
  SEGMENT_EMIT,
  SEGMENT_FLAG_RESUMED,
  SEGMENT_FLAG_START,
  SEGMENT_LIST,
  SEGMENT_SHADE,
  Setup,
  sizeOf,
  Stage,
  Statistics,
  STATUS_DONE,
  STATUS_YIELD,
  VertexRange,
} from '../layout';
import { enterPart } from '../warp/clock';
import { clearWarp, fillUniforms } from '../warp/run';
import { amplify, beginAmplifying, emittingStage, copyBatch } from './amplify';
import { countUsed, fillBatch, fillRange } from './assemble';
import { fillGathered, loadShared, shareRange } from './shared-range';
import { emitBatch } from './emit';
import { prepareSetup, setRegisterSources } from './prepare';
import { bindWarp, shadeBatch } from './shade';
import { isBuffer, resetCounts, stream } from './stream';
import { cornersOf } from './strip';

/** Size of a GEOMETRY record in bytes. The caller allocates it zeroed, with 16-byte alignment. */
export function geometryBytes(): i32 {
  return sizeOf<Geometry>();
}

/**
 * Starts a whole draw call. Geometry.registers must be set; the register file belongs to this draw call until
 * STATUS_DONE.
 */
export function geometryBegin(geometry: Geometry, pass: Pass, draw: Draw): void {
  geometry.segmentsEnd = 0;
  begin(geometry, pass, draw);
  countStart(geometry, draw);
}

/** Starts a SEGMENT of a draw call (layout/job/job.ts) instead of a whole one. */
export function geometryPart(geometry: Geometry, pass: Pass, segment: Segment): void {
  if (segment.kind == SEGMENT_CALLS) return beginCalls(geometry, pass, segment);
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
  const isShared = shareRange(geometry, segment);
  if (kind == SEGMENT_LIST || (isShared && kind == SEGMENT_EMIT)) {
    copyProgress(geometry.progress(), segment.progress());
    geometry.instanceEnd = segment.instanceEnd;
    geometry.positionEnd = segment.positionEnd;
    return;
  }
  allotRange(geometry, segment);
  // The segment is the only batch of the draw call here.
  geometry.instance = geometry.instanceEnd;
  geometry.phase = kind == SEGMENT_SHADE ? PHASE_SHADE : PHASE_EMIT;
}

// Starts the first draw call of a SEGMENT_CALLS.
function beginCalls(geometry: Geometry, pass: Pass, segment: Segment): void {
  const call = firstCall(segment);
  const resumed = segment.flags & SEGMENT_FLAG_RESUMED;
  if (call.pattern) clearWarp(geometry.prologueScratch);
  geometry.pass = pass;
  geometry.segment = changetype<usize>(segment);
  beginCall(geometry, call, resumed != 0);
  geometry.call = 0;
  geometry.callsLeft = segment.end - segment.first - 1;
  if (!resumed) return;
  geometry.resumed = resumed;
  geometry.cursor = segment.cursor;
  geometry.fan = segment.fan;
  copyProgress(geometry.progress(), segment.progress());
}

function firstCall(segment: Segment): DrawCall {
  return changetype<DrawCall>(<usize>segment.range + <usize>segment.first * sizeOf<DrawCall>());
}

// Starts the draw call after the finished one. Returns the number of vertices or indices of the finished one.
function nextCall(geometry: Geometry): i32 {
  const number = ++geometry.call;
  const left = --geometry.callsLeft;
  const call = changetype<DrawCall>(
    changetype<usize>(firstCall(changetype<Segment>(geometry.segment))) + number * sizeOf<DrawCall>()
  );
  const before = changetype<DrawCall>(changetype<usize>(call) - sizeOf<DrawCall>());
  const done = before.count * before.instanceCount;
  if (call.pattern || before.pattern || call.draw != before.draw) {
    if (call.pattern && !before.pattern) clearWarp(geometry.prologueScratch);
    beginCall(geometry, call, false);
  } else {
    putCounts(geometry.draw, call);
    restart(geometry, geometry.draw);
    countStart(geometry, geometry.draw);
  }
  geometry.call = number;
  geometry.callsLeft = left;
  return <i32>min<u32>(done, BATCH_VERTICES + 1);
}

// Draw calls that share a record have their counts in the vertex side's copy of it.
function beginCall(geometry: Geometry, call: DrawCall, resumed: bool): void {
  const record = call.draw;
  let draw = record;
  if (call.pattern) {
    // Tiles may already use what the chunk before has filled.
    if (!resumed) fillBlock(geometry, call);
  } else {
    draw = geometry.ownDraw;
    memory.copy(changetype<usize>(draw), changetype<usize>(record), record.targets - changetype<usize>(record));
  }
  if (!call.pattern || !resumed) putCounts(draw, call);
  begin(geometry, geometry.pass, draw);
  geometry.setup.draw = record;
  if (!resumed) countStart(geometry, draw);
}

function putCounts(draw: Draw, call: DrawCall): void {
  draw.indexBytes = call.indexBytes;
  draw.indexAddress = call.indexAddress;
  draw.indexLimit = call.indexLimit;
  draw.count = call.count;
  draw.baseVertex = call.baseVertex;
  draw.firstInstance = call.firstInstance;
  draw.instanceCount = call.instanceCount;
  draw.rangeFirst = call.rangeFirst;
  draw.rangeCount = call.rangeCount;
  draw.distinct = call.distinct;
}

// Fills the block of a draw call with a pattern.
function fillBlock(geometry: Geometry, call: DrawCall): void {
  const pattern = call.pattern;
  const block = changetype<usize>(call.draw);
  const distance = block - pattern.block;
  memory.copy(block, pattern.block, pattern.blockBytes);
  for (let i: u32 = 0; i < pattern.moveCount; i++) addTo(block + load<u32>(pattern.moves + (i << 2)), <u32>distance);
  for (let i: u32 = 0; i < pattern.offsetCount; i++) {
    const pair = pattern.offsets + (i << 3);
    addTo(block + load<u32>(pair), load<u32>(call.offsets + (load<u32>(pair, 4) << 2)));
  }
  let prologue = pattern.prologues;
  for (let i: u32 = 0; i < pattern.prologueCount; i++) {
    // Prologues have no loops, so they do not fail.
    fillUniforms(
      prologue.program,
      prologue.resources + distance,
      prologue.uniforms + distance,
      geometry.prologueScratch
    );
    prologue = changetype<Prologue>(changetype<usize>(prologue) + sizeOf<Prologue>());
  }
}

function addTo(address: usize, amount: u32): void {
  store<u32>(address, load<u32>(address) + amount);
}

// Sets up access to the vertices of a RANGE, which all workers read, and selects the segment's part of them or of the
// triangles between them.
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

/** OR of the outcodes of the vertices that a SEGMENT_SHADE has shaded. */
export function geometryCodes(geometry: Geometry): i32 {
  return geometry.codes;
}

/** After STATUS_NEEDS_MEMORY, changes the current segment into its unfinished remainder. */
export function geometryResume(geometry: Geometry, segment: Segment): void {
  segment.fan = geometry.fan;
  segment.flags = SEGMENT_FLAG_RESUMED;
  const cursor = geometry.cursor;
  if (segment.kind == SEGMENT_CALLS) {
    segment.first += geometry.call;
    segment.number += geometry.call;
  }
  if (segment.kind == SEGMENT_EMIT && !geometry.shared) {
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
  restart(geometry, draw);
  geometry.kind = SEGMENT_LIST;
  geometry.shared = 0;
  geometry.gathering = changetype<Stage>(0);
  geometry.interruption = 0;
  geometry.call = 0;
  geometry.callsLeft = 0;
  bindWarp(geometry, draw);
}

// Begins with the first vertex of the draw call.
function restart(geometry: Geometry, draw: Draw): void {
  memory.fill(changetype<usize>(geometry.progress()), 0, sizeOf<DrawProgress>());
  // A draw call with too few vertices for one primitive ends before it starts.
  geometry.instanceEnd = draw.count < geometry.corners ? 0 : draw.instanceCount;
  geometry.positionEnd = draw.count;
  geometry.resumed = 0;
  geometry.cursor = 0;
  geometry.fan = 0;
  geometry.phase = PHASE_BEGIN;
}

// Counts the vertices of a draw call if their number is known in advance.
function countStart(geometry: Geometry, draw: Draw): void {
  if (geometry.instanceEnd) countUsed(geometry, draw.distinct * draw.instanceCount);
}

// Minimum number of triangles per instance for index ranges: four triangles of one instance are set up together.
const RANGE_TRIANGLES: u32 = 8;
// Maximum number of indices of such a batch, so that counts stay within i32.
const RANGE_INDICES: u32 = 1 << 24;

// Instances per batch if the vertices are index ranges; 0 if the draw call's vertices are shaded as they are assembled.
function rangeInstances(geometry: Geometry, setup: Setup, draw: Draw): u32 {
  const count = draw.rangeCount;
  // There is only room for one batch's vertices in STAGE INPUTs, and for their clip distances.
  if (!count || draw.distanceCount || emittingStage(draw.vertex)) return 0;
  if (draw.instanceCount > 1 && draw.count < 3 * RANGE_TRIANGLES) return 0;
  const bytes = setup.stride + POSITION_BYTES + OUTCODE_BYTES + sizeOf<Corner>();
  const room = <i64>(geometry.rangeBytes / bytes) - EXTRA_VERTICES - 3;
  if (<i64>count > room) return 0;
  return max<u32>(1, min<u32>(min<u32>(<u32>room, RANGE_VERTICES) / count, RANGE_INDICES / draw.count));
}

// Sets the addresses of the batches' vertices.
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

function fill(geometry: Geometry): bool {
  if (geometry.gathering) return fillGathered(geometry);
  return geometry.rangeInstances ? fillRange(geometry) : fillBatch(geometry);
}

// Starts the next batch. Returns false when the draw call has none left.
function nextBatch(geometry: Geometry): bool {
  copyProgress(geometry.begun, geometry.progress());
  if (!fill(geometry)) return false;
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
 * geometryRun with the implementation that `E` selects: v128 for SIMD; u32 for the scalar twins; a class for the scalar
 * twins with edges for every triangle.
 */
export function geometryRunBy<E>(geometry: Geometry, batches: i32): i32 {
  const statistics = geometry.pass.statistics;
  let status = runDraw<E>(geometry, statistics, batches);
  let vertices = 0;
  while (
    status == STATUS_DONE
    && (geometry.callsLeft > 0 || geometry.segment + sizeOf<Segment>() < geometry.segmentsEnd)
  ) {
    vertices += geometry.callsLeft > 0 ? nextCall(geometry) : nextSegment(geometry);
    status = vertices > BATCH_VERTICES ? STATUS_YIELD : runDraw<E>(geometry, statistics, batches);
  }
  enterPart(statistics, PART_OUTSIDE);
  return status;
}

// Starts the segment after the finished one, in a task of small draw calls. Returns the number of vertices or indices
// of the finished one.
function nextSegment(geometry: Geometry): i32 {
  const done = changetype<Segment>(geometry.segment);
  const draw = geometry.draw;
  const all = draw.count * draw.instanceCount;
  geometryPart(geometry, geometry.pass, changetype<Segment>(geometry.segment + sizeOf<Segment>()));
  if (done.kind == SEGMENT_CALLS) return <i32>min<u32>(all, BATCH_VERTICES + 1);
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
      const status = geometry.kind == SEGMENT_EMIT ? loadShared(geometry, emitting) : shadeBatch<E>(geometry);
      if (status == STATUS_YIELD) continue;
      if (status != STATUS_DONE) return status;
      if (geometry.kind == SEGMENT_SHADE) return STATUS_DONE;
      // These vertices produce nothing, but the rest of the draw call still runs, to find the other pages that it
      // misses.
      if (geometry.hasMissed) {
        geometry.phase = PHASE_FILL;
        continue;
      }
      if (emitting && isBuffer(emitting)) {
        copyBatch(geometry, emitting);
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
 * Runs a draw call for at most `batches` batches. Returns:
 * - STATUS_DONE;
 * - STATUS_YIELD: call again;
 * - STATUS_NEEDS_MEMORY: empty the arena and the lists, then call again;
 * - STATUS_TIMEOUT.
 *
 * A SEGMENT run continues with the following segments, up to Geometry.segmentsEnd and about BATCH_VERTICES vertices;
 * Geometry.segment is then the current one. An empty arena must hold the largest triangle: Triangle.planes +
 * MAX_VARYINGS · 12 bytes and a list block for every tile of the pass. A batch is the work of one call of shadeBatch or
 * emitBatch: up to BATCH_VERTICES vertices or BATCH_PRIMITIVES primitives.
 */
export function geometryRun(geometry: Geometry, batches: i32): i32 {
  if (ASC_FEATURE_SIMD) return geometryRunBy<v128>(geometry, batches);
  else return geometryRunBy<u32>(geometry, batches);
}

/** Scalar twin of geometryRun, with scalar implementations of fetch, projection and planes. */
export function geometryRunScalar(geometry: Geometry, batches: i32): i32 {
  return geometryRunBy<u32>(geometry, batches);
}
