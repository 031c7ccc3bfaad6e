// STAGE INPUT: what waits for a stage that emits: the vertices of a batch, and the primitives between them. One a
// worker and stage.
//
//   primitives (u16 numbers of vertices, Stage.corners each) │ number of each │ instance of each vertex │ of lanes
//   │ vertices: Stage.components arrays of BATCH_VERTICES words │ of forks: index of each vertex

import { BATCH_PRIMITIVES, BATCH_VERTICES, PRIMITIVE_LIST_BYTES } from './geometry-codes';

@unmanaged
export class StageInput {
  /** As in Geometry.primitiveList. */
  get primitives(): usize { return changetype<usize>(this); }
  get numbers(): usize { return this.primitives + PRIMITIVE_LIST_BYTES; }
  get instances(): usize { return this.numbers + BATCH_PRIMITIVES * 4; }
  /** Of the lanes that run: numbers and instances of their primitives. */
  get laneNumbers(): usize { return this.instances + BATCH_VERTICES * 4; }
  get laneInstances(): usize { return this.laneNumbers + 256; }
  get vertices(): usize { return this.laneInstances + 256; }
}
