// Functions of rasterloom/blends on pairs of colours, by a fragment program like any: a pixel a pair, from a buffer and
// back into it.
import { HEIGHT, run, WIDTH } from '../storage-programs/kit';

/** Of a run. */
export const PAIRS = WIDTH * HEIGHT;
export type Color = readonly [number, number, number, number];

/** Results of `call`, WGSL of a vec4f from `source` and `below`, for each pair of colours. */
export async function evaluate(
  device: GPUDevice, functions: string, call: string, pairs: readonly (readonly [Color, Color])[]
): Promise<number[][]> {
  const numbers = new Float32Array(PAIRS * 12);
  pairs.forEach(([source, below], i) => numbers.set([...source, ...below], i * 12));
  const found = new Float32Array((await run(device, {
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
    words: numbers.length, initial: new Uint32Array(numbers.buffer),
  })).buffer);
  return pairs.map((_, i) => [...found.subarray(i * 12 + 8, i * 12 + 12)]);
}

/** Colours multiplied by alpha, of all kinds: grey, clear, opaque, at the ends of 0 … 1, and any. */
export function someColors(next: () => number, count: number): Color[] {
  const EIGHTHS = [0, 0.125, 0.25, 0.5, 0.75, 1];
  const channel = (): number => (next() % 3 ? next() / 2 ** 32 : EIGHTHS[next() % EIGHTHS.length]!);
  return Array.from({ length: count }, (_, i) => {
    const alpha = i % 4 === 0 ? 1 : i % 13 === 1 ? 0 : Math.fround(channel());
    const grey = channel(), isGrey = i % 7 === 2;
    const [r, g, b] = [0, 1, 2].map(() => Math.fround((isGrey ? grey : channel()) * alpha)) as [number, number, number];
    return [r, g, b, alpha];
  });
}
