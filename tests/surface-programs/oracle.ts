// A short model of samples that shares nothing with the engine: triangles of one depth and one color in bytes, painted
// or blended in sequence.

export const WIDTH = 128;
export const HEIGHT = 64;
export const COUNTS = [2, 4, 8, 16] as const;
export type Count = (typeof COUNTS)[number];
export const OPERATIONS = ['paint', 'add', 'subtract', 'min', 'max'] as const;
export const COMPARES = ['always', 'less', 'greater-equal'] as const;

export interface Triangle {
  /** x, y of the vertices in pixels, multiples of 1/256. */
  readonly corners: readonly number[];
  /** 0 … 64, of 64. */
  readonly depth: number;
  /** Bytes. */
  readonly color: readonly [number, number, number, number];
  readonly operation: (typeof OPERATIONS)[number];
  readonly compare: (typeof COMPARES)[number];
  readonly writesDepth: boolean;
  /** Pixels whose threshold, 0 … 7, is less are discarded. */
  readonly threshold: number;
}
/** Triangles of each pass. */
export type Scene = readonly (readonly Triangle[])[];

/** Offsets from a pixel's center in sixteenths: Direct3D's standard patterns (D3D11_STANDARD_MULTISAMPLE_PATTERN). */
const OFFSETS: Readonly<Record<Count, readonly number[]>> = {
  2: [4, 4, -4, -4],
  4: [-2, -6, 6, -2, -6, 2, 2, 6],
  8: [1, -3, -1, 3, 5, 1, -3, -5, -5, 5, -7, -1, 3, 7, 7, -7],
  16: [1, 1, -1, -3, -3, 2, 4, -1, -5, -2, 2, 5, 5, 3, 3, -5, -2, 6, 0, -7, -4, -6, -6, 4, -8, 0, 7, -4, 6, 7, -7, -8],
};

/** As in the shader: (x · 5 + y · 3) & 7. */
const thresholdAt = (x: number, y: number): number => (x * 5 + y * 3) & 7;

const BLENDS: Readonly<Record<Triangle['operation'], (source: number, before: number) => number>> = {
  paint: (source) => source,
  add: (source, before) => Math.min(255, source + before),
  subtract: (source, before) => Math.max(0, before - source),
  min: Math.min,
  max: Math.max,
};
const PASSES: Readonly<Record<Triangle['compare'], (depth: number, before: number) => boolean>> = {
  always: () => true,
  less: (depth, before) => depth < before,
  'greater-equal': (depth, before) => depth >= before,
};

/** Whether positions (in 1/256 pixel, y downwards) belong to a triangle: inside, or on a top or left edge. */
function insideOf(corners: readonly number[]): (x: number, y: number) => boolean {
  const [ax = 0, ay = 0, bx = 0, by = 0, cx = 0, cy = 0] = corners.map((value) => value * 256);
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (area === 0) return () => false;
  const clockwise = area > 0 ? [ax, ay, bx, by, cx, cy] : [ax, ay, cx, cy, bx, by];
  const edges = [0, 2, 4].map((k) => {
    const x = clockwise[k]!;
    const y = clockwise[k + 1]!;
    const right = clockwise[(k + 2) % 6]! - x;
    const down = clockwise[(k + 3) % 6]! - y;
    return { x, y, right, down, least: down < 0 || (down === 0 && right > 0) ? 0 : 1 };
  });
  return (x, y) => edges.every((edge) => edge.right * (y - edge.y) - edge.down * (x - edge.x) >= edge.least);
}

/**
 * The bytes of all samples, images side by side, rows of WIDTH · count texels. `early`: depth is tested and written
 * before a pixel is discarded.
 */
export function paint(scene: Scene, count: Count, early: boolean): Uint8Array {
  const bytes = new Uint8Array(WIDTH * HEIGHT * count * 4);
  const depths = new Float64Array(WIDTH * HEIGHT * count).fill(32);
  const offsets = OFFSETS[count];
  for (const { corners, depth, color, operation, compare, writesDepth, threshold } of scene.flat()) {
    const isInside = insideOf(corners);
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < WIDTH; x++) {
        const isKept = thresholdAt(x, y) >= threshold;
        for (let sample = 0; sample < count; sample++) {
          const right = offsets[2 * sample]! * 16;
          const down = offsets[2 * sample + 1]! * 16;
          if (!isInside(x * 256 + 128 + right, y * 256 + 128 + down)) continue;
          const at = (y * count + sample) * WIDTH + x;
          if (!PASSES[compare](depth, depths[at]!)) continue;
          if (writesDepth && (isKept || early)) depths[at] = depth;
          if (!isKept) continue;
          for (let channel = 0; channel < 4; channel++) {
            const byte = at * 4 + channel;
            bytes[byte] = BLENDS[operation](color[channel]!, bytes[byte]!);
          }
        }
      }
  }
  return bytes;
}
