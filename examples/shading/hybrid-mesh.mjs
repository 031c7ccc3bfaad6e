// The dunes of examples/shading/hybrid-scene.mjs and the balls in them. They use only exactly rounded Math functions,
// so that they are the same on every platform.

/** Half the side and the centre of the square of dunes that the shadow map and the height map cover, in scene units. */
export const HALF = 12;
export const CENTRE = [0, -5];
/** Extent of the dunes in x and z, and their divisions. Divisions get longer with distance. */
const LEFT = -11;
const NEAR = 5.8;
const SIDES = [22, 20];
const COLUMNS = 96;
const ROWS = 72;
/** Position in x and z, height of the centre above the dunes, radius. */
export const BALLS = [
  [-1.6, 0.6, 0.25, 0.55],
  [1.5, -0.4, 0.3, 0.75],
  [0.1, -3.2, 0.3, 0.8],
  [-3.6, -4, 0.5, 1],
  [4.2, -5, 0.4, 1.1],
];
export const VERTEX = {
  arrayStride: 36,
  attributes: [0, 1, 2].map((i) => ({ shaderLocation: i, offset: i * 12, format: 'float32x3' })),
};

/** A smooth wave: 0 … 1 and back over one turn. */
function wave(turns) {
  const u = Math.abs(turns - Math.floor(turns) - 0.5) * 2;
  return u * u * (3 - 2 * u);
}
export const heightAt = (x, z) =>
  0.75 * wave(0.17 * x + 0.3 * wave(0.13 * z)) * (0.6 + 0.4 * wave(0.11 * z + 0.2)) + 0.3 * wave(0.36 * z + 0.12 * x);
function normalAt(x, z) {
  const step = 1 / 256;
  const dx = (heightAt(x + step, z) - heightAt(x - step, z)) / (2 * step);
  const dz = (heightAt(x, z + step) - heightAt(x, z - step)) / (2 * step);
  const length = Math.sqrt(dx * dx + 1 + dz * dz);
  return [-dx / length, 1 / length, -dz / length];
}
/** Returns a point of the unit circle; each whole number is a quarter turn. */
function round(quarters) {
  const q = Math.floor(quarters);
  const u = quarters - q;
  const d = 1 + u * u;
  const x = (1 - u * u) / d;
  const y = (2 * u) / d;
  return [
    [x, y],
    [-y, x],
    [-x, -y],
    [y, -x],
  ][q & 3];
}

/** Adds triangle indices for rows of vertices, counter-clockwise seen from outside. */
function addRows(indices, { first, rows, columns }) {
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const k = first + row * (columns + 1) + column;
      const below = k + columns + 1;
      indices.push(k, below, k + 1, k + 1, below, below + 1);
    }
}
/** Returns position, normal and colour of each vertex: first the balls, then the dunes. */
export function meshOf() {
  const vertices = [];
  const indices = [];
  const RINGS = 28;
  const ACROSS = 56;
  BALLS.forEach(([x, z, above, radius], ball) => {
    addRows(indices, { first: vertices.length / 9, rows: RINGS, columns: ACROSS });
    const color = [
      [0.75, 0.25, 0.2],
      [0.3, 0.5, 0.35],
      [0.8, 0.65, 0.3],
    ][ball % 3];
    for (let ring = 0; ring <= RINGS; ring++)
      for (let k = 0; k <= ACROSS; k++) {
        const [y, s] = round((ring / RINGS) * 2);
        const [c, d] = round((-k / ACROSS) * 4);
        const n = [c * s, y, d * s];
        const middle = [x, heightAt(x, z) + above, z];
        vertices.push(...n.map((each, i) => middle[i] + each * radius), ...n, ...color);
      }
  });
  addRows(indices, { first: vertices.length / 9, rows: ROWS, columns: COLUMNS });
  for (let row = 0; row <= ROWS; row++)
    for (let column = 0; column <= COLUMNS; column++) {
      const far = 1 - row / ROWS;
      const x = LEFT + (column / COLUMNS) * SIDES[0];
      const z = NEAR - SIDES[1] * far * (0.4 + 0.6 * far);
      vertices.push(x, heightAt(x, z), z, ...normalAt(x, z), 0.72, 0.6, 0.45);
    }
  return { vertices: Float32Array.from(vertices), indices: Uint32Array.from(indices) };
}
