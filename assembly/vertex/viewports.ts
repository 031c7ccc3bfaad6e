// Setup of primitives that stages have chosen viewports for. Their vertices lie in a STAGE INPUT, and are projected for
// each viewport that needs them, before its primitives are set up.
import { BATCH_VERTICES, Draw, Geometry, Stage, STATUS_DONE, WARP_QUADS } from '../layout';
import { emitList } from './emit';
import { loadWarp, packWarp } from './fork';
import { inputOf, listOf } from './input';
import { prepareSetup } from './prepare';

// One that there is not is viewport 0, as Direct3D has it.
function viewportOf(geometry: Geometry, stage: Stage, i: u32): u32 {
  const viewport = <u32>load<u8>(listOf(geometry, stage).viewports + i);
  return viewport < geometry.draw.viewportCount ? viewport : 0;
}

// A byte for each quad of vertices, 0 but while primitives are listed: whether one of these needs it.
function marksOf(geometry: Geometry, stage: Stage): usize { return inputOf(geometry, stage).laneNumbers; }

// Primitive i to those that are set up next, as their number n.
function append(geometry: Geometry, stage: Stage, i: u32, n: u32): void {
  const corners = geometry.setupCorners;
  const marks = marksOf(geometry, stage);
  let from = listOf(geometry, stage).primitives + i * corners * 2;
  let to = geometry.primitiveList + n * corners * 2;
  for (const end = from + corners * 2; from < end; from += 2, to += 2) {
    const vertex = load<u16>(from);
    store<u16>(to, vertex);
    store<u8>(marks + (vertex >> 2), 1);
  }
}

// The marked vertices to setup, as they are in its viewport.
function packMarked<E>(geometry: Geometry, stage: Stage, vertices: u32): void {
  const input = inputOf(geometry, stage);
  const marks = marksOf(geometry, stage);
  const all = vertices + 3 >> 2;
  for (let quad: u32 = 0; quad < all; quad++) {
    let end = quad;
    while (end < all && <i32>(end - quad) < WARP_QUADS && load<u8>(marks + end)) end++;
    if (end == quad) continue;
    loadWarp(geometry, input.vertices, stage, quad << 2, end - quad);
    geometry.results = geometry.registers;
    packWarp<E>(geometry, end - quad, quad << 2);
    quad = end - 1;
  }
}

// Sets up `count` primitives in a viewport, unless that was done before the batch was interrupted.
function setUp<E>(geometry: Geometry, stage: Stage, viewport: u32, count: u32, vertices: u32): i32 {
  const before = geometry.emitted;
  let status: i32 = STATUS_DONE;
  if (geometry.cursor - before < count) {
    const draw = changetype<Draw>(load<usize>(geometry.draw.viewportDraws + (viewport << 2)));
    if (geometry.setup.draw != draw) prepareSetup(geometry, draw);
    packMarked<E>(geometry, stage, vertices);
    status = emitList<E>(geometry, before, count);
  }
  if (status == STATUS_DONE) geometry.emitted = before + count;
  memory.fill(marksOf(geometry, stage), 0, BATCH_VERTICES >> 2);
  return status;
}

/**
 * Sets up primitives in their viewports: where these overlap, in the order in which they come, as far as those behind
 * each other are of one viewport; else viewport by viewport, since no pixel can tell.
 */
export function setUpViewports<E>(geometry: Geometry, stage: Stage, primitives: u32, vertices: u32): i32 {
  const draw = geometry.draw;
  const inOrder = draw.viewportsOverlap != 0;
  let status: i32 = STATUS_DONE;
  memory.fill(marksOf(geometry, stage), 0, BATCH_VERTICES >> 2);
  if (inOrder) {
    for (let i: u32 = 0; i < primitives && status == STATUS_DONE;) {
      const viewport = viewportOf(geometry, stage, i);
      let count: u32 = 0;
      for (; i < primitives && viewportOf(geometry, stage, i) == viewport; i++)
        append(geometry, stage, i, count++);
      status = setUp<E>(geometry, stage, viewport, count, vertices);
    }
    return status;
  }
  for (let viewport: u32 = 0; viewport < draw.viewportCount && status == STATUS_DONE; viewport++) {
    let count: u32 = 0;
    for (let i: u32 = 0; i < primitives; i++)
      if (viewportOf(geometry, stage, i) == viewport) append(geometry, stage, i, count++);
    if (count) status = setUp<E>(geometry, stage, viewport, count, vertices);
  }
  return status;
}
