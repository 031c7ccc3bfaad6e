// Evaluates functions of rasterloom/blends on pairs of colors with an ordinary fragment shader: a pixel per pair, from
// a buffer and back into one.
import { HEIGHT, run, WIDTH } from '../storage-programs/kit';

/** Pairs per run. */
export const PAIRS = WIDTH * HEIGHT;
export type Color = readonly [number, number, number, number];

/** Returns the results of `call`, a WGSL vec4f expression of `source` and `below`, for each pair of colors. */
export async function evaluate(
  device: GPUDevice,
  functions: string,
  call: string,
  pairs: readonly (readonly [Color, Color])[]
): Promise<number[][]> {
  const numbers = new Float32Array(PAIRS * 12);
  pairs.forEach(([source, below], i) => numbers.set([...source, ...below], i * 12));
  const found = new Float32Array(
    (
      await run(device, {
        wgsl: `
      @group(0) @binding(0) var<storage, read_write> colors: array<vec4f>;
      ${functions}
      @fragment fn main(corner: Corner) -> @location(0) vec4f {
        let at = (u32(corner.position.y) * ${WIDTH} + u32(corner.position.x)) * 3;
        let source = colors[at];
        let below = colors[at + 1];
        colors[at + 2] = ${call};
        return vec4f();
      }`,
        words: numbers.length,
        initial: new Uint32Array(numbers.buffer),
      })
    ).buffer
  );
  return pairs.map((_, i) => [...found.subarray(i * 12 + 8, i * 12 + 12)]);
}

/** Premultiplied colors of all kinds: gray, transparent, opaque, at the ends of 0 … 1, and arbitrary. */
export function someColors(next: () => number, count: number): Color[] {
  const EIGHTHS = [0, 0.125, 0.25, 0.5, 0.75, 1];
  const channel = (): number => (next() % 3 ? next() / 2 ** 32 : EIGHTHS[next() % EIGHTHS.length]!);
  return Array.from({ length: count }, (_, i) => {
    const alpha = i % 4 === 0 ? 1 : i % 13 === 1 ? 0 : Math.fround(channel());
    const grey = channel();
    const isGrey = i % 7 === 2;
    const [r, g, b] = [0, 1, 2].map(() => Math.fround((isGrey ? grey : channel()) * alpha)) as [number, number, number];
    return [r, g, b, alpha];
  });
}
