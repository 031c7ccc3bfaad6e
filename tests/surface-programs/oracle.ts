// What becomes of samples, in a few lines that share nothing with the engine: triangles of one depth and one colour of
// whole bytes, painted or blended one after the other.

export const WIDTH = 128;
export const HEIGHT = 64;
export const COUNTS = [2, 4, 8, 16] as const;
export type Count = (typeof COUNTS)[number];
export const OPERATIONS = ['paint', 'add', 'subtract', 'min', 'max'] as const;
export const COMPARES = ['always', 'less', 'greater-equal'] as const;

export interface Triangle {
  /** x, y of the corners in pixels, multiples of 1/256. */
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

/** Offsets from a pixel's centre in sixteenths: Direct3D's standard patterns (D3D11_STANDARD_MULTISAMPLE_PATTERN). */
const OFFSETS: Readonly<Record<Count, readonly number[]>> = {
  2: [4, 4, -4, -4],
  4: [-2, -6, 6, -2, -6, 2, 2, 6],
  8: [1, -3, -1, 3, 5, 1, -3, -5, -5, 5, -7, -1, 3, 7, 7, -7],
  16: [
    1, 1, -1, -3, -3, 2, 4, -1, -5, -2, 2, 5, 5, 3, 3, -5, -2, 6, 0, -7, -4, -6, -6, 4, -8, 0, 7, -4, 6, 7, -7, -8,
  ],
};

/** As a program has it: (x · 5 + y · 3) & 7. */
const thresholdAt = (x: number, y: number): number => (x * 5 + y * 3) & 7;

const BLENDS: Readonly<Record<Triangle['operation'], (source: number, before: number) => number>> = {
  paint: (source) => source,
  add: (source, before) => Math.min(255, source + before),
  subtract: (source, before) => Math.max(0, before - source),
  min: Math.min,
  max: Math.max,
};
const PASSES: Readonly<Record<Triangle['compare'], (depth: number, before: number) => boolean>> = {
  always: () => true, less: (depth, before) => depth < before, 'greater-equal': (depth, before) => depth >= before,
};

/**
 * Whether a position (in 1/256 pixel, y downwards) belongs to a triangle: inside, or on an edge that is a top or a left
 * one.
 */
function covers(corners: readonly number[], x: number, y: number): boolean {
  const [ax, ay, bx, by, cx, cy] = corners.map((value) => value * 256) as [
    number, number, number, number, number, number,
  ];
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (area === 0) return false;
  const clockwise = area > 0 ? [ax, ay, bx, by, cx, cy] : [ax, ay, cx, cy, bx, by];
  return [0, 2, 4].every((k) => {
    const fromX = clockwise[k]!, fromY = clockwise[k + 1]!;
    const right = clockwise[(k + 2) % 6]! - fromX, down = clockwise[(k + 3) % 6]! - fromY;
    const side = right * (y - fromY) - down * (x - fromX);
    return side > 0 || (side === 0 && (down < 0 || (down === 0 && right > 0)));
  });
}

/**
 * The bytes of all samples, images side by side, rows of WIDTH · count texels. `early`: depth is tested and written
 * before a pixel is discarded.
 */
export function paint(scene: Scene, count: Count, early: boolean): Uint8Array {
  const bytes = new Uint8Array(WIDTH * HEIGHT * count * 4);
  const depths = new Float64Array(WIDTH * HEIGHT * count).fill(32);
  for (const triangle of scene.flat()) {
    const { corners, depth, color, operation, compare, writesDepth, threshold } = triangle;
    for (let y = 0; y < HEIGHT; y++) for (let x = 0; x < WIDTH; x++) {
      const isKept = thresholdAt(x, y) >= threshold;
      for (let sample = 0; sample < count; sample++) {
        const [right, down] = OFFSETS[count].slice(2 * sample) as [number, number];
        if (!covers(corners, x * 256 + 128 + right * 16, y * 256 + 128 + down * 16)) continue;
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
