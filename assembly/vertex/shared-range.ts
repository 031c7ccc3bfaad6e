// Emitting stages on shared index ranges: workers shade each vertex of the range once, for all of them, and then run
// the stages for parts of its triangles.
//
//   SEGMENT_SHADE: shadeBatch ─► RANGE ─┬─► gather (geometry stages)
//                                       └─► loadShared ─► STAGE INPUT (primitive stages and forks)
//
// Forks and primitive stages hand their vertices on, so these get the vertices of each batch in a STAGE INPUT, as
// without a range.
import {
  BATCH_PRIMITIVES,
  BATCH_VERTICES,
  Geometry,
  Segment,
  SEGMENT_LIST,
  Stage,
  STAGE_GEOMETRY,
  STATUS_DONE,
  VertexRange,
} from '../layout';
import { emittingStage } from './amplify';
import { indicesOf, inputOf, sharedStride, storedScalars } from './input';

/** Finds the vertices of the segment's range. Returns whether it has one and the draw call's stages emit. */
export function shareRange(geometry: Geometry, segment: Segment): bool {
  const first = emittingStage(geometry.draw.vertex);
  if (segment.kind == SEGMENT_LIST || !first) return false;
  const range = changetype<VertexRange>(segment.range);
  geometry.shared = range.packets;
  if (first.kind == STAGE_GEOMETRY) geometry.gathering = first;
  return true;
}

/** Starts a batch of triangles whose vertices stay in the range. Returns false when the segment has none left. */
export function fillGathered(geometry: Geometry): bool {
  const position = geometry.position;
  const triangles = min<u32>(BATCH_PRIMITIVES, (geometry.positionEnd - position) / 3);
  geometry.primitives = triangles;
  geometry.position = position + triangles * 3;
  geometry.vertices = triangles;
  return triangles != 0;
}

/** Copies the batch's vertices from the range to the input of the first stage that does not run per vertex. */
export function loadShared(geometry: Geometry, stage: Stage): i32 {
  const draw = geometry.draw;
  const input = inputOf(geometry, stage);
  if (geometry.gathering) {
    // All triangles have the same instance. copyBatch lists vertex 0 for them.
    store<u32>(input.instances, geometry.begun.instance + draw.firstInstance);
    return STATUS_DONE;
  }
  const vertices = geometry.vertices;
  const indices = geometry.indices;
  memory.copy(input.instances, geometry.instances, vertices << 2);
  memory.copy(indicesOf(input, stage), indices, vertices << 2);
  const base = draw.rangeFirst + draw.baseVertex;
  const scalars = storedScalars(stage);
  const stride = sharedStride(scalars);
  for (let at: u32 = 0; at < vertices << 2; at += 4) {
    let from = geometry.shared + (load<u32>(indices + at) - base) * stride;
    let to = input.vertices + at;
    for (const end = from + (scalars << 2); from < end; from += 4, to += BATCH_VERTICES * 4)
      store<u32>(to, load<u32>(from));
  }
  return STATUS_DONE;
}
