// Sinks that are buffers: the vertices of each primitive, one behind the other, in the order of primitives. Where each
// belongs is known from the number of its primitive, so batches and workers need not know of each other.
import { BATCH_VERTICES, Geometry, Stage, STAGE_BUFFER } from '../layout';
import { takeBatch } from './amplify';
import { inputOf } from './shade';

export function isBuffer(stage: Stage): bool { return stage.kind == STAGE_BUFFER; }

/** Writes the batch's primitives. What lies behind the end of the buffer is left out. */
export function streamBatch(geometry: Geometry, stage: Stage): void {
  takeBatch(geometry, stage);
  const draw = geometry.draw;
  const input = inputOf(geometry, stage);
  const corners = geometry.corners;
  const each = draw.count / corners;
  const stride = stage.stride;
  const primitives = geometry.primitives;
  for (let i: u32 = 0; i < primitives; i++) {
    const list = input.primitives + i * corners * 2;
    const instance = load<u32>(input.instances + (load<u16>(list) << 2)) - draw.firstInstance;
    let at = (<u64>instance * each + load<u32>(input.numbers + (i << 2))) * corners * stride;
    for (let corner: u32 = 0; corner < corners; corner++, at += stride) {
      if (at + stride > draw.sinkBytes) return;
      writeVertex(stage, input.vertices + (load<u16>(list + (corner << 1)) << 2), draw.sink + <usize>at);
    }
  }
}

function writeVertex(stage: Stage, from: usize, to: usize): void {
  let word = stage.words;
  for (const end = word + (stage.wordCount << 3); word < end; word += 8)
    store<u32>(to + load<u32>(word, 4), load<u32>(from + load<u32>(word) * (BATCH_VERTICES * 4)));
}
