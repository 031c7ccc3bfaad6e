// How vertices make primitives of lists and strips, of those that are assembled (assemble.ts) and of those that stages
// emit (amplify.ts). With adjacency it is as Vulkan has it ("Triangle Strips With Adjacency"): every other vertex of
// such a strip is a corner; those between them are across its outer edges.
import {
  TOPOLOGY_LINE_LIST, TOPOLOGY_LINE_LIST_ADJACENCY, TOPOLOGY_LINE_STRIP, TOPOLOGY_LINE_STRIP_ADJACENCY,
  TOPOLOGY_PATCH_LIST, TOPOLOGY_POINT_LIST, TOPOLOGY_TRIANGLE_LIST_ADJACENCY, TOPOLOGY_TRIANGLE_STRIP,
  TOPOLOGY_TRIANGLE_STRIP_ADJACENCY,
} from '../layout';

/** Vertices of each primitive of a topology. */
export function cornersOf(topology: i32): i32 {
  if (topology > TOPOLOGY_PATCH_LIST) return topology - TOPOLOGY_PATCH_LIST;
  switch (topology) {
    case TOPOLOGY_POINT_LIST: return 1;
    case TOPOLOGY_LINE_LIST: case TOPOLOGY_LINE_STRIP: return 2;
    case TOPOLOGY_LINE_LIST_ADJACENCY: case TOPOLOGY_LINE_STRIP_ADJACENCY: return 4;
    case TOPOLOGY_TRIANGLE_LIST_ADJACENCY: case TOPOLOGY_TRIANGLE_STRIP_ADJACENCY: return 6;
    default: return 3;
  }
}

/** Whether a vertex makes a primitive with those before it. */
export function isStrip(topology: i32): bool {
  return topology == TOPOLOGY_TRIANGLE_STRIP || topology == TOPOLOGY_LINE_STRIP
    || topology == TOPOLOGY_LINE_STRIP_ADJACENCY || topology == TOPOLOGY_TRIANGLE_STRIP_ADJACENCY;
}

/** Vertices from one that makes a primitive whole to the next such. */
export function stepOf(topology: i32): i32 {
  if (topology == TOPOLOGY_TRIANGLE_STRIP_ADJACENCY) return 2;
  return isStrip(topology) ? 1 : cornersOf(topology);
}

/**
 * The corners of the primitive with adjacency that the vertex number `length` of a list or strip makes whole: four bits
 * each, the first one lowest, of how many vertices a corner is before the vertex behind that one. `last`: no triangle
 * of the strip comes behind it; only triangle strips ask, others need no vertex that is yet to come.
 */
export function cornersBefore(topology: i32, length: u32, last: bool): u32 {
  if (topology == TOPOLOGY_TRIANGLE_LIST_ADJACENCY) return 0x123456;
  if (topology != TOPOLOGY_TRIANGLE_STRIP_ADJACENCY) return 0x1234;
  // Triangle i = length / 2 − 3 has the corners 2i, 2i + 2, 2i + 4. What is across its edges: 2i − 2 (of the first one:
  // 1), 2i + 6 (of the last one: 2i + 5), 2i + 3. Every triangle begins with its first corner, 2i, which is the
  // provoking vertex; every other one goes on to its third.
  if (!(length & 2)) return last ? 0x841236 : 0x840236;
  return (last ? 0x321406 : 0x320406) | (length == 6 ? 0x50 : 0x80);
}
