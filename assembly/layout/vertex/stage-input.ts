// STAGE INPUT: what waits for a stage that emits: the vertices of a batch, and the primitives between them. Each worker
// has one for every such stage. The primitives that a STAGE_PRIMITIVE keeps have a separate PRIMITIVE LIST.
//
//   PRIMITIVE LIST │ instance of each vertex │ of lanes
//   │ vertices: arrays of BATCH_VERTICES words, one per scalar │ of forks: index of each vertex
//
//   PRIMITIVE LIST: primitives (u16 numbers of vertices, Stage.corners each) │ number of each
//   │ viewport and rate of each (u8)

import { QUAD_VECTORS_BYTES } from '../record';
import { BATCH_PRIMITIVES, BATCH_VERTICES, PRIMITIVE_LIST_BYTES } from './geometry-codes';

/** PRIMITIVE LIST: see the top of the file. */
@unmanaged
export class PrimitiveList {
  /** As in Geometry.primitiveList. */
  get primitives(): usize {
    return changetype<usize>(this);
  }
  get numbers(): usize {
    return this.primitives + PRIMITIVE_LIST_BYTES;
  }
  /**
   * Used in lists with Stage.hasViewports. The low four bits are the number of the viewport, which may not exist. The
   * high bits are the index of one of the seven rates (shading-rate-codes.ts).
   */
  get viewports(): usize {
    return this.numbers + BATCH_PRIMITIVES * sizeof<u32>();
  }
  get past(): usize {
    return this.viewports + BATCH_PRIMITIVES;
  }
}

/** STAGE INPUT: see the top of the file. */
@unmanaged
export class StageInput extends PrimitiveList {
  get instances(): usize {
    return this.past;
  }
  /** For the lanes that run: numbers and instances of their primitives. */
  get laneNumbers(): usize {
    return this.instances + BATCH_VERTICES * sizeof<u32>();
  }
  get laneInstances(): usize {
    return this.laneNumbers + QUAD_VECTORS_BYTES;
  }
  get vertices(): usize {
    return this.laneInstances + QUAD_VECTORS_BYTES;
  }
}
