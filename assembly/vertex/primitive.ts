// Primitive stages run once per primitive, one per lane, and decide which primitives continue, in which viewport and at
// which shading rate. Vertices stay where they are, and input lists are not modified, because an interrupted batch
// starts again from them.
import { Geometry, PrimitiveList, REGISTER_BYTES, Stage, STATUS_DONE, WARP_QUADS } from '../layout';
import { gather } from './gather';
import { outputListOf, listOf } from './input';
import { addTo, bindStage, countWarp, runStage } from './shade';

// Appends the primitives of a warp that continue, from `first` on, to the list, which already has `kept` entries.
// Returns the new length.
function runPrimitiveWarp(geometry: Geometry, stage: Stage, first: u32, count: u32, kept: u32): u32 {
  const from = listOf(geometry, stage);
  const to = outputListOf(geometry, stage);
  const bytes = stage.corners << 1;
  const culled = geometry.registers + stage.cullRegister * REGISTER_BYTES;
  for (let lane: u32 = 0; lane < count; lane++) {
    if (stage.cullRegister >= 0 && load<u32>(culled + (lane << 2))) continue;
    const i = first + lane;
    memory.copy(to.primitives + kept * bytes, from.primitives + i * bytes, bytes);
    store<u32>(to.numbers + (kept << 2), load<u32>(from.numbers + (i << 2)));
    setPlace(geometry, stage, to.viewports + kept, lane, from, i);
    kept++;
  }
  return kept;
}

// Four bits for each of the sixteen codes.
const RATE_NUMBERS: u64 = 0x6652_6652_4432_1110;

/**
 * Index of a code's rate among the seven rates. Only the low four bits of the code count. A log2 of 3 counts as 2, and
 * 1×4 and 4×1 become the next finer rate.
 */
export function rateNumber(code: u32): u32 {
  return (<u32>(RATE_NUMBERS >> ((code & 15) << 2))) & 15;
}

// The value that the stage has written for a lane.
function resultOf(geometry: Geometry, register: i32, lane: u32): u32 {
  return load<u32>(geometry.registers + register * REGISTER_BYTES + (lane << 2));
}

// Stores the viewport and rate of a primitive that continues (lane `lane`, entry i of its list): the stage's choice, or
// that of an earlier stage.
function setPlace(geometry: Geometry, stage: Stage, at: usize, lane: u32, from: PrimitiveList, i: u32): void {
  let place: u32 = stage.hasViewports ? load<u8>(from.viewports + i) : 0;
  if (stage.viewportRegister >= 0) {
    const number = resultOf(geometry, stage.viewportRegister, lane);
    place = (place & ~15) | (number < 16 ? number : 0);
  }
  if (stage.rateRegister >= 0) place = (place & 15) | (rateNumber(resultOf(geometry, stage.rateRegister, lane)) << 4);
  store<u8>(at, place);
}

/** Runs the stage for all incoming primitives and lists the Geometry.kept ones that continue. */
export function runPrimitiveStage<E>(geometry: Geometry, stage: Stage, primitives: u32): i32 {
  const statistics = geometry.pass.statistics;
  let kept: u32 = 0;
  bindStage(geometry, stage, geometry.registers);
  for (let first: u32 = 0; first < primitives; first += WARP_QUADS * 4) {
    const count = min<u32>(WARP_QUADS * 4, primitives - first);
    const quads = <i32>((count + 3) >> 2);
    gather<E>(geometry, stage, first, count, quads);
    const status = runStage(geometry, quads);
    if (status != STATUS_DONE) return status;
    kept = runPrimitiveWarp(geometry, stage, first, count, kept);
    statistics.warpsVertex += 1;
    statistics.verticesShaded += count;
    countWarp(geometry, stage);
  }
  addTo(stage, offsetof<Stage>('primitivesIn'), primitives);
  addTo(stage, offsetof<Stage>('primitivesOut'), kept);
  geometry.kept = kept;
  return STATUS_DONE;
}
