// Vertex and primitive counts of topologies. The kernel determines which vertices are corners
// (assembly/vertex/strip.ts).

/** WebGPU's topologies, and those with adjacency. */
export type EmittedTopology =
  | 'point-list'
  | 'line-list'
  | 'line-strip'
  | 'triangle-list'
  | 'triangle-strip'
  | 'line-list-adjacency'
  | 'line-strip-adjacency'
  | 'triangle-list-adjacency'
  | 'triangle-strip-adjacency';

/** Lists of patches of 1 to 32 vertices. */
type PatchTopology = `patch-list of ${number}`;

export type Topology = EmittedTopology | PatchTopology;

const CORNERS: Readonly<Record<EmittedTopology, number>> = {
  'point-list': 1,
  'line-list': 2,
  'line-strip': 2,
  'triangle-list': 3,
  'triangle-strip': 3,
  'line-list-adjacency': 4,
  'line-strip-adjacency': 4,
  'triangle-list-adjacency': 6,
  'triangle-strip-adjacency': 6,
};
export const TOPOLOGIES = Object.keys(CORNERS) as readonly EmittedTopology[];
export const MAX_PATCH_VERTICES = 32;

interface Shape {
  readonly corners: number;
  readonly step: number;
}

// Looked up by every draw call.
const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ...TOPOLOGIES.map((topology): [string, Shape] => [
    topology,
    { corners: CORNERS[topology], step: emittedStep(topology) },
  ]),
  ...Array.from({ length: MAX_PATCH_VERTICES }, (_, i): [string, Shape] => [
    patchTopology(i + 1),
    { corners: i + 1, step: i + 1 },
  ]),
]);

function emittedStep(topology: EmittedTopology): number {
  if (topology === 'triangle-strip-adjacency') return 2;
  return isStrip(topology) ? 1 : CORNERS[topology];
}

/** The patch list topology for patches of `vertices` vertices, 1 to MAX_PATCH_VERTICES. */
export function patchTopology(vertices: number): PatchTopology {
  return `patch-list of ${vertices}`;
}

/** Vertices per primitive of a topology. */
export const cornersOf = (topology: Topology): number => SHAPES.get(topology)!.corners;

/** Whether primitives share vertices with earlier ones, so that an index may restart the strip. */
export function isStrip(topology: string): boolean {
  return topology.includes('strip');
}

/** The distance from the first vertex of a primitive to that of the next. */
export const stepOf = (topology: Topology): number => SHAPES.get(topology)!.step;

/** The maximum number of primitives of `count` vertices or indices; restarts reduce it. */
export function primitivesOf(topology: Topology, count: number): number {
  const { corners, step } = SHAPES.get(topology)!;
  return Math.max(0, Math.floor((count - corners) / step) + 1);
}
