// How vertices form the primitives of lists and strips, for primitive assembly (assemble.ts) and for emitting stages
// (amplify.ts). Adjacency follows Vulkan ("Triangle Strips With Adjacency"): every second vertex of such a strip is a
// corner, and the vertices between are opposite its outer edges.
import {
  TOPOLOGY_LINE_LIST,
  TOPOLOGY_LINE_LIST_ADJACENCY,
  TOPOLOGY_LINE_STRIP,
  TOPOLOGY_LINE_STRIP_ADJACENCY,
  TOPOLOGY_PATCH_LIST,
  TOPOLOGY_POINT_LIST,
  TOPOLOGY_TRIANGLE_LIST_ADJACENCY,
  TOPOLOGY_TRIANGLE_STRIP,
  TOPOLOGY_TRIANGLE_STRIP_ADJACENCY,
} from '../layout';

/** Number of vertices per primitive of a topology. */
export function cornersOf(topology: i32): i32 {
  if (topology > TOPOLOGY_PATCH_LIST) return topology - TOPOLOGY_PATCH_LIST;
  switch (topology) {
    case TOPOLOGY_POINT_LIST:
      return 1;
    case TOPOLOGY_LINE_LIST:
    case TOPOLOGY_LINE_STRIP:
      return 2;
    case TOPOLOGY_LINE_LIST_ADJACENCY:
    case TOPOLOGY_LINE_STRIP_ADJACENCY:
      return 4;
    case TOPOLOGY_TRIANGLE_LIST_ADJACENCY:
    case TOPOLOGY_TRIANGLE_STRIP_ADJACENCY:
      return 6;
    default:
      return 3;
  }
}

/** Whether each new vertex forms a primitive with the vertices before it. */
export function isStrip(topology: i32): bool {
  return (
    topology == TOPOLOGY_TRIANGLE_STRIP
    || topology == TOPOLOGY_LINE_STRIP
    || topology == TOPOLOGY_LINE_STRIP_ADJACENCY
    || topology == TOPOLOGY_TRIANGLE_STRIP_ADJACENCY
  );
}

/** Number of vertices from one that completes a primitive to the next. */
export function stepOf(topology: i32): i32 {
  if (topology == TOPOLOGY_TRIANGLE_STRIP_ADJACENCY) return 2;
  return isStrip(topology) ? 1 : cornersOf(topology);
}

/**
 * The corners of the primitive with adjacency that vertex number `length` of a list or strip completes. Each takes four
 * bits, the first one lowest: its distance before the next vertex. `last` means that no triangle of the strip follows.
 * Only triangle strips use it; other topologies need no later vertex.
 */
export function cornersBefore(topology: i32, length: u32, last: bool): u32 {
  if (topology == TOPOLOGY_TRIANGLE_LIST_ADJACENCY) return 0x123456;
  if (topology != TOPOLOGY_TRIANGLE_STRIP_ADJACENCY) return 0x1234;
  // Triangle i = length / 2 − 3 has the corners 2i, 2i + 2, 2i + 4. The vertices opposite its edges are 2i − 2 (1 for
  // the first triangle), 2i + 6 (2i + 5 for the last one) and 2i + 3. Every triangle begins with corner 2i, the
  // provoking vertex; every second one continues with its third corner.
  if (!(length & 2)) return last ? 0x841236 : 0x840236;
  return (last ? 0x321406 : 0x320406) | (length == 6 ? 0x50 : 0x80);
}
