// Stream output: sinks that write the vertices of primitives into buffers, in primitive order. The position of a
// primitive follows from its number, so batches and workers are independent of each other. If stages emit, or strips
// may restart, each primitive that may be assembled reserves room for its maximum output. Room is counted in units: in
// primitives, or in vertices if primitives of different topologies go to one buffer. compactSink closes the gaps
// at the end. If a buffer has too little room for that, everything runs twice: the first run counts
// (Draw.sinkCounting), and the second knows all positions (Draw.sinkStarts).
//
// If order does not matter (Draw.sinkCursor), each task takes room after the last primitive that any task has appended,
// and there are no gaps. Such output is never taken back, so these tasks run to their end (SEGMENT_FLAG_APPENDS).
import { BATCH_VERTICES, Draw, Geometry, PrimitiveList, Stage, STAGE_BUFFER } from '../layout';
import { xorshift32 } from '../math/random';
import { primitivesOf } from './assemble';
import { inputOf, listOf } from './input';

export function isBuffer(stage: Stage): bool {
  return stage.kind == STAGE_BUFFER;
}

/** Writes primitives of the sink's input. Primitives beyond the end of the buffer are dropped. */
export function stream(geometry: Geometry, stage: Stage, primitives: u32): void {
  const draw = geometry.draw;
  if (draw.sinkCursor) {
    append(geometry, stage, primitives);
    return;
  }
  const input = inputOf(geometry, stage);
  const from = listOf(geometry, stage);
  const corners = geometry.setupCorners;
  const bytes = corners * stage.stride;
  const unit = draw.sinkUnit;
  const units = bytes / unit;
  const counts = draw.sinkCounts;
  for (let i: u32 = 0; i < primitives; i++) {
    const list = from.primitives + i * corners * 2;
    const number = numberOf(draw, from, i, input.instances + (load<u16>(list) << 2));
    let place = number;
    if (counts) {
      // A primitive without room has no count either.
      if (number >= draw.sinkCounted) continue;
      const count = counts + ((<usize>number) << 2);
      const starts = draw.sinkStarts;
      const first = starts ? <u64>load<u32>(starts + ((<usize>number) << 2)) : number * draw.sinkShare;
      place = first + load<u32>(count);
      store<u32>(count, load<u32>(count) + units);
    }
    const at = place * unit;
    if (at + bytes > draw.sinkBytes) {
      if (at < draw.sinkBytes) draw.sinkEnd = <u32>at;
      continue;
    }
    writePrimitive(stage, input.vertices, list, corners, draw.sink + <usize>at);
  }
}

// Appends primitives of the sink's input to the buffer.
function append(geometry: Geometry, stage: Stage, primitives: u32): void {
  const draw = geometry.draw;
  const vertices = inputOf(geometry, stage).vertices;
  const from = listOf(geometry, stage).primitives;
  const corners = geometry.setupCorners;
  const bytes = corners * stage.stride;
  let at: u32 = 0;
  let fitting: u32 = 0;
  do {
    at = load<u32>(draw.sinkCursor);
    fitting = min<u32>(primitives, (draw.sinkBytes - at) / bytes);
  } while (fitting && !moveCursor(draw.sinkCursor, at, at + fitting * bytes));
  // The word after the cursor counts the vertices that did not fit.
  if (fitting < primitives) atomic.add<u32>(draw.sinkCursor + 4, (primitives - fitting) * corners);
  let i: u32 = 0;
  if (isDefined(TESTING))
    if (geometry.seed) {
      geometry.seed = xorshift32(geometry.seed);
      i = geometry.seed % max<u32>(1, primitives);
    }
  let to = draw.sink + at;
  for (const end = to + fitting * bytes; to < end; to += bytes) {
    writePrimitive(stage, vertices, from + i * corners * 2, corners, to);
    if (++i == primitives) i = 0;
  }
}

// Moves the cursor. Returns false if another worker has moved it meanwhile.
function moveCursor(cursor: usize, from: u32, to: u32): bool {
  return atomic.cmpxchg<u32>(cursor, from, to) == from;
}

// Returns the number of the primitive from which primitive i of a list comes, counted over all primitives that the draw
// call assembles. `instance` is the address of its instance number.
function numberOf(draw: Draw, list: PrimitiveList, i: u32, instance: usize): u64 {
  return <u64>(load<u32>(instance) - draw.firstInstance) * primitivesOf(draw) + load<u32>(list.numbers + (i << 2));
}

/**
 * Resets the sinks' counts for `count` primitives of a batch, from `first` on. They may have run before: an earlier run
 * may have been interrupted, or belonged to a chunk that ended before their task.
 */
export function resetCounts(geometry: Geometry, stage: Stage, first: u32, count: u32): void {
  const main = geometry.draw;
  if (!main.sinkDrawCount) resetSink(geometry, stage, main, first, count);
  for (let k: u32 = 0; k < main.sinkDrawCount; k++)
    resetSink(geometry, stage, changetype<Draw>(load<usize>(main.sinkDraws + (k << 2))), first, count);
}

function resetSink(geometry: Geometry, stage: Stage, draw: Draw, first: u32, count: u32): void {
  const counts = draw.sinkCounts;
  if (!counts) return;
  const input = inputOf(geometry, stage);
  const list = listOf(geometry, stage);
  const bytes = geometry.corners << 1;
  for (let i = first; i < first + count; i++) {
    const number = numberOf(draw, list, i, input.instances + (load<u16>(list.primitives + i * bytes) << 2));
    if (number < draw.sinkCounted) store<u32>(counts + ((<usize>number) << 2), 0);
  }
}

function writePrimitive(stage: Stage, vertices: usize, list: usize, corners: u32, to: usize): void {
  for (const end = list + (corners << 1); list < end; list += 2, to += stage.stride)
    writeVertex(stage, vertices + (load<u16>(list) << 2), to);
}

function writeVertex(stage: Stage, from: usize, to: usize): void {
  let word = stage.words;
  for (const end = word + (stage.wordCount << 3); word < end; word += 8)
    store<u32>(to + load<u32>(word, 4), load<u32>(from + load<u32>(word) * (BATCH_VERTICES * 4)));
  for (const end = word + (stage.constantCount << 3); word < end; word += 8)
    store<u32>(to + load<u32>(word, 4), load<u32>(word));
}

/**
 * Closes the gaps between the outputs of a draw call's primitives, moving them to `to`. Returns the number of units
 * (Draw.sinkUnit).
 */
export function compactSink(draw: Draw, to: usize): u32 {
  const primitives = <u64>primitivesOf(draw) * draw.instanceCount;
  const bytes = <usize>draw.sinkUnit;
  const share = <usize>draw.sinkShare * bytes;
  const end = draw.sink + min<u32>(draw.sinkBytes, draw.sinkEnd);
  let from = draw.sink;
  let all: u32 = 0;
  // Nothing was written beyond the end of the buffer.
  for (let i: u32 = 0; i < primitives && from < end; i++, from += share) {
    const count = min<usize>(load<u32>(draw.sinkCounts + (i << 2)), (end - from) / bytes);
    if (to != from) {
      memory.copy(to, from, count * bytes);
      draw.sinkMoved += <u32>(count * bytes);
    }
    to += count * bytes;
    all += <u32>count;
  }
  return all;
}
