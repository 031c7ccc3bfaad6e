// Loads primitives from a STAGE INPUT, or from a range (shared-range.ts), into the registers of a stage that runs on
// primitives, one primitive per lane.
import { BATCH_VERTICES, Geometry, REGISTER_BYTES, Stage, STAGE_TESS_CONTROL } from '../layout';
import { inputOf, listOf, sharedStride } from './input';
import { gatherPackets } from './shared-packets';
import { gatherPacketsScalar } from './shared-packets.scalar';

/** Loads the inputs of `count` primitives from `first` on. Unused lanes of the last quad repeat the last primitive. */
export function gather<E>(geometry: Geometry, stage: Stage, first: u32, count: u32, quads: i32): void {
  const input = inputOf(geometry, stage);
  const from = listOf(geometry, stage);
  const registers = geometry.registers;
  const bytes = stage.corners * 2;
  if (changetype<usize>(stage) == changetype<usize>(geometry.gathering))
    gatherShared<E>(geometry, stage, geometry.begun.position + first * 3, count);
  else gatherCorners(geometry, stage, from.primitives + first * bytes, count);
  const last = first + count - 1;
  for (let lane: u32 = 0; lane < (<u32>quads) << 2; lane++) {
    const vertex = load<u16>(from.primitives + min<u32>(first + lane, last) * bytes);
    store<u32>(input.laneInstances + (lane << 2), load<u32>(input.instances + (vertex << 2)));
  }
  if (stage.primitiveIndex >= 0 || stage.kind == STAGE_TESS_CONTROL)
    for (let lane: u32 = 0; lane < (<u32>quads) << 2; lane++)
      store<u32>(input.laneNumbers + (lane << 2), load<u32>(from.numbers + (min<u32>(first + lane, last) << 2)));
  fillLanes(stage.primitiveIndex, registers, input.laneNumbers, quads);
  fillLanes(stage.instanceIndex, registers, input.laneInstances, quads);
}

// Loads the corners of triangles whose indices begin at a position of the index buffer.
function gatherShared<E>(geometry: Geometry, stage: Stage, position: u32, count: u32): void {
  const draw = geometry.draw;
  const registers = geometry.registers;
  const scalars = stage.components;
  const packets = geometry.shared - draw.rangeFirst * sharedStride(scalars);
  const short = draw.indexBytes == 2;
  const list = draw.indexAddress + position * draw.indexBytes;
  if (isVector<E>()) {
    if (short) gatherPackets<u16>(registers, list, count, packets, scalars);
    else gatherPackets<u32>(registers, list, count, packets, scalars);
  } else if (short) gatherPacketsScalar<u16>(registers, list, count, packets, scalars);
  else gatherPacketsScalar<u32>(registers, list, count, packets, scalars);
}

// Loads the corners of the primitives in a list of vertex numbers, four primitives at a time.
function gatherCorners(geometry: Geometry, stage: Stage, list: usize, count: u32): void {
  const vertices = inputOf(geometry, stage).vertices;
  const sources = stage.sources;
  const sourcesEnd = sources + (stage.components << 2);
  const bytes = stage.corners << 1;
  const last = list + (count - 1) * bytes;
  const registers = geometry.registers;
  for (let lane: u32 = 0; lane < count; lane += 4, list += 4 * bytes) {
    const second = min<usize>(list + bytes, last);
    const third = min<usize>(list + 2 * bytes, last);
    const fourth = min<usize>(list + 3 * bytes, last);
    let to = registers + (lane << 2);
    for (let corner = 0; corner < bytes; corner += 2) {
      const a = vertices + (load<u16>(list + corner) << 2);
      const b = vertices + (load<u16>(second + corner) << 2);
      const c = vertices + (load<u16>(third + corner) << 2);
      const d = vertices + (load<u16>(fourth + corner) << 2);
      for (let source = sources; source < sourcesEnd; source += 4, to += REGISTER_BYTES) {
        const at = load<u32>(source) * (BATCH_VERTICES * 4);
        store<u32>(to, load<u32>(a + at));
        store<u32>(to, load<u32>(b + at), 4);
        store<u32>(to, load<u32>(c + at), 8);
        store<u32>(to, load<u32>(d + at), 12);
      }
    }
  }
}

function fillLanes(register: i32, registers: usize, words: usize, quads: i32): void {
  if (register >= 0) memory.copy(registers + register * REGISTER_BYTES, words, quads << 4);
}
