// STAGE INPUT: what waits for a stage that emits: the vertices of a batch, and the primitives between them. One a
// worker and stage. What a STAGE_PRIMITIVE keeps of these primitives is a PRIMITIVE LIST of its own.
//
//   PRIMITIVE LIST │ instance of each vertex │ of lanes
//   │ vertices: arrays of BATCH_VERTICES words, one a scalar │ of forks: index of each vertex
//
//   PRIMITIVE LIST: primitives (u16 numbers of vertices, Stage.corners each) │ number of each
//   │ viewport and rate of each (u8)

import { BATCH_PRIMITIVES, BATCH_VERTICES, PRIMITIVE_LIST_BYTES } from './geometry-codes';

@unmanaged
export class PrimitiveList {
  /** As in Geometry.primitiveList. */
  get primitives(): usize { return changetype<usize>(this); }
  get numbers(): usize { return this.primitives + PRIMITIVE_LIST_BYTES; }
  /**
   * Of lists that say them (Stage.hasViewports): the low four bits, of viewports that there are not any number; the
   * high ones are which of the seven rates it is (shading-rate-codes.ts).
   */
  get viewports(): usize { return this.numbers + BATCH_PRIMITIVES * 4; }
  get past(): usize { return this.viewports + BATCH_PRIMITIVES; }
}

@unmanaged
export class StageInput extends PrimitiveList {
  get instances(): usize { return this.past; }
  /** Of the lanes that run: numbers and instances of their primitives. */
  get laneNumbers(): usize { return this.instances + BATCH_VERTICES * 4; }
  get laneInstances(): usize { return this.laneNumbers + 256; }
  get vertices(): usize { return this.laneInstances + 256; }
}
