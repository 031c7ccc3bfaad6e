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

/** Vertices of each primitive of a topology. */
export const cornersOf = (topology: Topology): number => (isPatch(topology)
  ? Number(topology.slice('patch-list of '.length))
  : CORNERS[topology]);

const isPatch = (topology: Topology): topology is PatchTopology => topology.startsWith('patch-list');

/** Whether vertices make primitives with those before them, and an index may begin anew. */
export const isStrip = (topology: string): boolean => topology.includes('strip');

/** Vertices from the first one of a primitive to that of the next. */
export function stepOf(topology: Topology): number {
  if (topology === 'triangle-strip-adjacency') return 2;
  return isStrip(topology) ? 1 : cornersOf(topology);
}

/** Primitives of `count` vertices or indices, at the most: every one that restarts makes them fewer. */
export function primitivesOf(topology: Topology, count: number): number {
  return Math.max(0, Math.floor((count - cornersOf(topology)) / stepOf(topology)) + 1);
}
