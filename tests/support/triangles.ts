// Which samples a triangle covers, and rounding to half floats, by their definitions and independent of the engine.

export type SampleCount = 1 | 2 | 4 | 8 | 16;

/** x, y of samples in sixteenths of a pixel: Direct3D's patterns (D3D11_STANDARD_MULTISAMPLE_PATTERN). */
export const POSITIONS: Readonly<Record<SampleCount, readonly (readonly [number, number])[]>> = {
  1: [[8, 8]],
  2: [
    [12, 12],
    [4, 4],
  ],
  4: [
    [6, 2],
    [14, 6],
    [2, 10],
    [10, 14],
  ],
  8: [
    [9, 5],
    [7, 11],
    [13, 9],
    [5, 3],
    [3, 13],
    [1, 7],
    [11, 15],
    [15, 1],
  ],
  16: [
    [9, 9],
    [7, 5],
    [5, 10],
    [12, 7],
    [3, 6],
    [10, 13],
    [13, 11],
    [11, 3],
    [6, 14],
    [8, 1],
    [4, 2],
    [2, 12],
    [0, 8],
    [15, 4],
    [14, 15],
    [1, 0],
  ],
};

/** Inside, or on a top or left edge; in 1/256 pixel. */
export function insideOf([ax, ay, bx, by, cx, cy]: readonly number[]): ((x: number, y: number) => boolean) | null {
  const area = (bx! - ax!) * (cy! - ay!) - (by! - ay!) * (cx! - ax!);
  if (area === 0) return null;
  const points = area > 0 ? [ax!, ay!, bx!, by!, cx!, cy!] : [ax!, ay!, cx!, cy!, bx!, by!];
  const edges = [0, 2, 4].map((k) => {
    const x = points[k]!;
    const y = points[k + 1]!;
    const right = points[(k + 2) % 6]! - x;
    const down = points[(k + 3) % 6]! - y;
    return { x, y, right, down, least: down < 0 || (down === 0 && right > 0) ? 0 : 1 };
  });
  return (x, y) => edges.every((edge) => edge.right * (y - edge.y) - edge.down * (x - edge.x) >= edge.least);
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);
/** To the nearest half float, ties to even. */
export function half(value: number): number {
  if (value === 0) return 0;
  float[0] = value;
  const exponent = ((bits[0]! >>> 23) & 255) - 127;
  const unit = 2 ** (Math.max(exponent, -14) - 10);
  const scaled = value / unit;
  const below = Math.floor(scaled);
  const rest = scaled - below;
  return (rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below) * unit;
}
