// Meshes for stages that look across edges: from lists of triangles to lists with adjacency.

/** Hash of an edge, whose low bits depend on all bits of both its ends. */
function hashOf(a: number, b: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

/**
 * Indices of a `triangle-list-adjacency` of the triangles that `indices`, three each, are: six for each, a corner and
 * the vertex across the edge from it to the next one in turns. Across an edge is the third corner of the first triangle
 * that has the edge in the other direction, as neighbours have that turn the same way round; where there is none,
 * across an edge is the triangle's own third corner. Edges are the same where their indices are: vertices that lie at
 * the same place under several numbers make a border. Throws a RangeError where the indices are no whole triangles, and
 * a TypeError for what is no array.
 */
export function adjacencyIndices(indices: ArrayLike<number>): Uint32Array<ArrayBuffer> {
  const given: unknown = indices;
  if (typeof given !== 'object' || given === null || typeof indices.length !== 'number')
    throw new TypeError('adjacencyIndices: the indices must be an array, or a typed array, of numbers');
  const { length } = indices;
  if (length % 3 !== 0)
    throw new RangeError(`adjacencyIndices: ${length} indices are no list of triangles; give it three for each`);
  const after = (corner: number): number => (corner % 3 === 2 ? corner - 2 : corner + 1);
  // Open addressing: a Map ends at 2²⁴ edges. An entry is the corner at which an edge begins, −1 where there is none.
  let size = 2;
  while (size < 2 * length) size *= 2;
  const table = new Int32Array(size).fill(-1);
  const entryOf = (from: number, to: number): number => {
    let entry = hashOf(from, to) & (size - 1);
    for (let corner = table[entry]!; corner >= 0; corner = table[entry]!) {
      if (indices[corner] === from && indices[after(corner)] === to) break;
      entry = (entry + 1) & (size - 1);
    }
    return entry;
  };
  for (let corner = 0; corner < length; corner++) {
    const entry = entryOf(indices[corner]!, indices[after(corner)]!);
    if (table[entry]! < 0) table[entry] = corner;
  }
  const made = new Uint32Array(2 * length);
  for (let corner = 0; corner < length; corner++) {
    const next = after(corner), found = table[entryOf(indices[next]!, indices[corner]!)]!;
    made[2 * corner] = indices[corner]!;
    made[2 * corner + 1] = indices[after(after(found < 0 ? corner : found))]!;
  }
  return made;
}
