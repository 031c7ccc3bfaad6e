// Loads primitives from a STAGE INPUT into the registers of a stage that runs per primitive, one primitive per lane.
import { BATCH_VERTICES, Geometry, REGISTER_BYTES, Stage } from '../layout';
import { inputOf, listOf } from './input';

/** Loads the inputs of `count` primitives from `first` on. Unused lanes of the last quad repeat the last primitive. */
export function gather(geometry: Geometry, stage: Stage, first: u32, count: u32, quads: i32): void {
  const input = inputOf(geometry, stage);
  const from = listOf(geometry, stage);
  const registers = geometry.registers;
  const corners = stage.corners;
  const sources = stage.sources;
  const sourcesEnd = sources + (stage.components << 2);
  for (let lane: u32 = 0; lane < (<u32>quads) << 2; lane++) {
    const primitive = first + min<u32>(lane, count - 1);
    const list = from.primitives + primitive * corners * 2;
    store<u32>(input.laneNumbers + (lane << 2), load<u32>(from.numbers + (primitive << 2)));
    store<u32>(input.laneInstances + (lane << 2), load<u32>(input.instances + (load<u16>(list) << 2)));
    let to = registers + (lane << 2);
    for (let corner = 0; corner < corners; corner++) {
      const vertex = input.vertices + (load<u16>(list + (corner << 1)) << 2);
      for (let source = sources; source < sourcesEnd; source += 4, to += REGISTER_BYTES)
        store<u32>(to, load<u32>(vertex + load<u32>(source) * (BATCH_VERTICES * 4)));
    }
  }
  fillLanes(stage.primitiveIndex, registers, input.laneNumbers, quads);
  fillLanes(stage.instanceIndex, registers, input.laneInstances, quads);
}

function fillLanes(register: i32, registers: usize, words: usize, quads: i32): void {
  if (register >= 0) memory.copy(registers + register * REGISTER_BYTES, words, quads << 4);
}
