// A reference for the k-buffers of rasterloom/blends, per sample: fragments of triangles in the order of draw calls,
// kept in a list, independent of the engine and of the WGSL. Colors are stored and merged in single precision, as the
// formats say.
import { half, insideOf, POSITIONS, type SampleCount } from '../support/triangles';
import type { Color } from './kit';

/** Vertices in pixels, y downwards; premultiplied color; a + b · x + c · y: the depth at a pixel or sample. */
export interface Fragments {
  readonly corners: readonly number[];
  readonly color: Color;
  readonly plane: readonly [number, number, number];
}
export interface Setting {
  readonly layers: number;
  readonly samples: SampleCount;
  readonly color: 'rgba8unorm' | 'rgba16float';
  readonly depth: 'float32' | 'float16';
  /** Whether depths are per sample or per pixel. */
  readonly each: boolean;
}
interface Layer {
  readonly color: readonly number[];
  readonly depth: number;
  readonly order: readonly number[];
}

const r = Math.fround;
const channel = (x: number): number => Math.floor(r(0.5 + r(255 * Math.min(Math.max(x, 0), 1))));

/** A color as stored, and the number that orders colors of equal depth; the greater word comes first. */
function kept(color: readonly number[], how: Setting['color']): { color: number[]; order: number[] } {
  if (how === 'rgba8unorm') {
    const bytes = color.map(channel);
    return { color: bytes.map((byte) => r(byte / 255)), order: bytes.toReversed() };
  }
  const halves = color.map(half);
  const code = (x: number): number => {
    const exponent = x === 0 ? 0 : Math.max(Math.floor(Math.log2(Math.abs(x))), -14);
    const unit = 2 ** (exponent - 10);
    return (x < 0 ? 32768 : 0) + Math.abs(x) / unit + (x === 0 ? 0 : (exponent + 14) * 1024);
  };
  const [red, green, blue, alpha] = halves.map(code) as [number, number, number, number];
  return { color: halves, order: [green, red, alpha, blue] };
}

const over = (near: readonly number[], far: readonly number[]): number[] =>
  near.map((c, i) => r(c + r(r(1 - near[3]!) * far[i]!)));
const compared = (a: readonly number[], b: readonly number[]): number => {
  const at = a.findIndex((x, i) => x !== b[i]);
  return at < 0 ? 0 : b[at]! - a[at]!;
};

/** Inserts a fragment into `held`, nearest first, and merges the farthest two if there are too many. */
function inserted(held: readonly Layer[], layer: Layer, { layers, color }: Setting): Layer[] {
  if (layer.color.every((c) => c === 0)) return [...held];
  const behind = held.findIndex((each) => (layer.depth - each.depth || compared(layer.order, each.order)) < 0);
  const at = behind < 0 ? held.length : behind;
  const all = [...held.slice(0, at), layer, ...held.slice(at)];
  if (all.length <= layers) return all;
  const [near, far] = all.slice(-2) as [Layer, Layer];
  return [...all.slice(0, -2), { ...kept(over(near.color, far.color), color), depth: near.depth }];
}

/** Red, green, blue and alpha of each sample, over `background`: ((y · width + x) · samples + sample) · 4. */
export function layered(
  fragments: readonly Fragments[],
  setting: Setting,
  background: Color,
  [width = 0, height = 0]: readonly number[]
): Float32Array {
  const { samples, each, depth } = setting;
  const texels = new Float32Array(width * height * samples * 4);
  const inside = fragments.map(({ corners }) => insideOf(corners.map((value) => value * 256)));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      POSITIONS[samples].forEach(([right, down], sample) => {
        let held: readonly Layer[] = [];
        fragments.forEach(({ color, plane: [a, b, c] }, i) => {
          if (!inside[i]?.(x * 256 + right * 16, y * 256 + down * 16)) return;
          const at = each ? [x + right / 16, y + down / 16] : [x + 0.5, y + 0.5];
          const exact = Math.max(r(r(a + r(b * at[0]!)) + r(c * at[1]!)), 0);
          const own = { ...kept(color, setting.color), depth: depth === 'float16' ? half(exact) : exact };
          held = inserted(held, own, setting);
        });
        const seen = held.reduceRight<readonly number[]>((below, layer) => over(layer.color, below), background);
        texels.set(seen, ((y * width + x) * samples + sample) * 4);
      });
    }
  return texels;
}
