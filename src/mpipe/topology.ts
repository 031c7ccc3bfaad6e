// How vertices make primitives, as far as numbers go; which of them are corners is the kernel's
// (assembly/vertex/strip.ts).

/** WebGPU's topologies, and those with adjacency. */
export type MadeTopology = 'point-list' | 'line-list' | 'line-strip' | 'triangle-list' | 'triangle-strip'
  | 'line-list-adjacency' | 'line-strip-adjacency' | 'triangle-list-adjacency' | 'triangle-strip-adjacency';

/** Lists of patches of 1 to 32 vertices. */
export type PatchTopology = `patch-list of ${number}`;

export type Topology = MadeTopology | PatchTopology;

const CORNERS: Readonly<Record<MadeTopology, number>> = {
  'point-list': 1, 'line-list': 2, 'line-strip': 2, 'triangle-list': 3, 'triangle-strip': 3, 'line-list-adjacency': 4,
  'line-strip-adjacency': 4, 'triangle-list-adjacency': 6, 'triangle-strip-adjacency': 6,
};
export const TOPOLOGIES = Object.keys(CORNERS) as readonly MadeTopology[];
export const MOST_PATCH_VERTICES = 32;

interface Shape { readonly corners: number; readonly step: number }

// Looked up by every draw.
const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ...TOPOLOGIES.map((topology): [string, Shape] => [
    topology, { corners: CORNERS[topology], step: stepOfMade(topology) },
  ]),
  ...Array.from({ length: MOST_PATCH_VERTICES }, (_, i): [string, Shape] => [
    patchTopology(i + 1), { corners: i + 1, step: i + 1 },
  ]),
]);

function stepOfMade(topology: MadeTopology): number {
  if (topology === 'triangle-strip-adjacency') return 2;
  return isStrip(topology) ? 1 : CORNERS[topology];
}

/** The list of patches of so many vertices, 1 to MOST_PATCH_VERTICES. */
export function patchTopology(vertices: number): PatchTopology { return `patch-list of ${vertices}`; }

/** Vertices of each primitive of a topology. */
export const cornersOf = (topology: Topology): number => SHAPES.get(topology)!.corners;

/** Whether vertices make primitives with those before them, and an index may begin anew. */
export function isStrip(topology: string): boolean { return topology.includes('strip'); }

/** Vertices from the first one of a primitive to that of the next. */
export const stepOf = (topology: Topology): number => SHAPES.get(topology)!.step;

/** Primitives of `count` vertices or indices, at the most: every one that restarts makes them fewer. */
export function primitivesOf(topology: Topology, count: number): number {
  const { corners, step } = SHAPES.get(topology)!;
  return Math.max(0, Math.floor((count - corners) / step) + 1);
}
