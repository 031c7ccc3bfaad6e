// Converts triangle lists to lists with adjacency, for stages that look across edges.

/** Hash of a directed edge. Its low bits depend on all bits of both vertices. */
function hashOf(a: number, b: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

/**
 * Converts the indices of a triangle list to indices of a `triangle-list-adjacency`.
 *
 * Each triangle becomes six indices: each corner is followed by the vertex across the edge that leads from it to the
 * next corner. That vertex is the third corner of the first triangle that contains the edge in the opposite direction,
 * as neighbours with the same winding do. If there is no such triangle, it is the third corner of the triangle itself.
 *
 * Edges are compared by their indices. Vertices with equal positions but different indices therefore form a border.
 *
 * @param indices three for each triangle
 * @returns six indices for each triangle
 * @throws RangeError if the number of indices is not a multiple of 3
 * @throws TypeError if `indices` is not an array or a typed array
 */
export function adjacencyIndices(indices: ArrayLike<number>): Uint32Array<ArrayBuffer> {
  const given: unknown = indices;
  if (typeof given !== 'object' || given === null || typeof indices.length !== 'number')
    throw new TypeError('adjacencyIndices: the indices must be an array, or a typed array, of numbers');
  const { length } = indices;
  if (length % 3 !== 0)
    throw new RangeError(`adjacencyIndices: ${length} indices are not a list of triangles; each triangle needs three`);
  const after = (corner: number): number => (corner % 3 === 2 ? corner - 2 : corner + 1);
  // The hash table uses open addressing, because a Map holds at most 2²⁴ edges. An entry is the corner at which an edge
  // begins, or −1 if it is empty.
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
    const next = after(corner);
    const found = table[entryOf(indices[next]!, indices[corner]!)]!;
    made[2 * corner] = indices[corner]!;
    made[2 * corner + 1] = indices[after(after(found < 0 ? corner : found))]!;
  }
  return made;
}
