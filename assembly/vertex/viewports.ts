// Sets up primitives for which stages have chosen viewports or shading rates. Their vertices are in a STAGE INPUT and
// are projected for each viewport that needs them, before its primitives are set up.
import { BATCH_VERTICES, Draw, Geometry, Stage, STATUS_DONE, WARP_QUADS } from '../layout';
import { emitList } from './emit';
import { loadWarp, packWarp } from './fork';
import { inputOf, listOf } from './input';
import { changeViewport, prepareSetup } from './prepare';

// Viewport of a primitive. An invalid number selects viewport 0, as in Direct3D.
function viewportOf(geometry: Geometry, stage: Stage, i: u32): u32 {
  const viewport = (<u32>load<u8>(listOf(geometry, stage).viewports + i)) & 15;
  return viewport < geometry.draw.viewportCount ? viewport : 0;
}

// One byte per quad of vertices: nonzero while primitives are listed if one of them needs the quad.
function marksOf(geometry: Geometry, stage: Stage): usize {
  return inputOf(geometry, stage).laneNumbers;
}

// Appends primitive i as number n to the primitives that are set up next.
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

// Packs the vertices of `count` primitives for setup in the current viewport, and clears their marks.
function packMarked<E>(geometry: Geometry, stage: Stage, count: u32): void {
  const input = inputOf(geometry, stage);
  const marks = marksOf(geometry, stage);
  let low: u32 = BATCH_VERTICES;
  let high: u32 = 0;
  const list = geometry.primitiveList;
  for (let corner: u32 = 0; corner < count * geometry.setupCorners; corner++) {
    const vertex = <u32>load<u16>(list + (corner << 1));
    low = min<u32>(low, vertex);
    high = max<u32>(high, vertex);
  }
  const all = (high >> 2) + 1;
  for (let quad = low >> 2; quad < all; quad++) {
    let end = quad;
    for (; end < all && <i32>(end - quad) < WARP_QUADS && load<u8>(marks + end); end++) store<u8>(marks + end, 0);
    if (end == quad) continue;
    loadWarp(geometry, input.vertices, stage, quad << 2, end - quad);
    geometry.results = geometry.registers;
    packWarp<E>(geometry, end - quad, quad << 2);
    quad = end - 1;
  }
}

// Sets up the first `count` primitives, except those that were set up before the batch was interrupted.
function emit<E>(geometry: Geometry, count: u32): i32 {
  const before = geometry.emitted;
  const status = emitList<E>(geometry, before, count);
  if (status == STATUS_DONE) geometry.emitted = before + count;
  return status;
}

// Sets up `count` primitives in a viewport, from `first` on. If stages choose rates, each primitive is set up at its
// rate.
function setUp<E>(geometry: Geometry, stage: Stage, viewport: u32, first: u32, count: u32): i32 {
  const rates = geometry.draw.viewportRates;
  const draws = geometry.draw.viewportDraws + ((viewport * rates) << 2);
  const draw = changetype<Draw>(load<usize>(draws));
  if (rates > 1 || geometry.setup.draw != draw) changeViewport(geometry, draw);
  packMarked<E>(geometry, stage, count);
  if (rates == 1) return emit<E>(geometry, count);
  const bytes = geometry.setupCorners << 1;
  const places = listOf(geometry, stage).viewports + first;
  let status: i32 = STATUS_DONE;
  for (let done: u32 = 0; done < count && status == STATUS_DONE;) {
    const rate = (<u32>load<u8>(places + done)) >> 4;
    let end = done + 1;
    while (end < count && (<u32>load<u8>(places + end)) >> 4 == rate) end++;
    geometry.setup.draw = changetype<Draw>(load<usize>(draws + (rate << 2)));
    memory.copy(geometry.primitiveList, geometry.primitiveList + done * bytes, (end - done) * bytes);
    status = emit<E>(geometry, end - done);
    done = end;
  }
  return status;
}

/**
 * Sets up primitives in their viewports. If viewports overlap or stages choose rates, primitives keep their order, and
 * each run of one viewport is set up together. Otherwise they are grouped by viewport, which no pixel can observe.
 */
export function setUpViewports<E>(geometry: Geometry, stage: Stage, primitives: u32): i32 {
  const draw = geometry.draw;
  const inOrder = draw.viewportsOverlap != 0 || draw.viewportRates > 1;
  let status: i32 = STATUS_DONE;
  memory.fill(marksOf(geometry, stage), 0, BATCH_VERTICES >> 2);
  prepareSetup(geometry, draw);
  if (inOrder) {
    for (let i: u32 = 0; i < primitives && status == STATUS_DONE;) {
      const viewport = viewportOf(geometry, stage, i);
      const first = i;
      for (; i < primitives && viewportOf(geometry, stage, i) == viewport; i++) append(geometry, stage, i, i - first);
      status = setUp<E>(geometry, stage, viewport, first, i - first);
    }
    return status;
  }
  for (let viewport: u32 = 0; viewport < draw.viewportCount && status == STATUS_DONE; viewport++) {
    let count: u32 = 0;
    for (let i: u32 = 0; i < primitives; i++)
      if (viewportOf(geometry, stage, i) == viewport) append(geometry, stage, i, count++);
    if (count) status = setUp<E>(geometry, stage, viewport, 0, count);
  }
  return status;
}
