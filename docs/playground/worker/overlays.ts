// Pictures of what the renderer did: overdraw, shading rates, encoding states, tiles per worker.
import type { TraceFile } from 'rasterloom';
import { RATES, type LegendEntry } from '../protocol';

type Color = readonly [r: number, g: number, b: number];
/** A picture and what its colours mean. */
export interface Overlay {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  readonly legend: readonly LegendEntry[];
}

const TILE = 64;
/** Colours for 0, 1, 2, … invocations. The last one is for more. */
const HEAT: readonly Color[] = [
  [20, 22, 34],
  [38, 70, 120],
  [32, 125, 140],
  [60, 165, 95],
  [165, 195, 60],
  [240, 180, 50],
  [235, 110, 50],
  [200, 45, 60],
];
const STATE_COLORS: readonly Color[] = [
  [30, 34, 48],
  [45, 110, 180],
  [240, 180, 50],
  [205, 60, 70],
];
const STATE_NAMES = ['clear value', 'one value', 'some values', 'one value per sample'] as const;
const RATE_COLORS: readonly Color[] = [
  [42, 78, 130],
  [40, 125, 150],
  [50, 140, 130],
  [90, 165, 90],
  [215, 190, 70],
  [235, 150, 60],
  [215, 80, 70],
];
const WORKER_COLORS: readonly Color[] = [
  [66, 135, 245],
  [245, 150, 50],
  [70, 180, 110],
  [220, 80, 130],
  [150, 100, 230],
  [50, 190, 200],
  [190, 170, 60],
  [140, 140, 150],
];
const hex = (color: Color): string => `rgb(${color.join(' ')})`;
/** log2 of the width, four bits further up than that of the height, as shaders see rates. */
const codeOf = (rate: string): number => {
  const [width, height] = rate.split('x').map((side) => Math.log2(Number(side)));
  return width! * 4 + height!;
};

/** @param share of the picture that shines through, as grey */
function paint(pixels: Uint8ClampedArray<ArrayBuffer>, colorAt: (pixel: number) => Color, share: number): void {
  for (let i = 0; i < pixels.length; i += 4) {
    const grey = (pixels[i]! * 0.3 + pixels[i + 1]! * 0.59 + pixels[i + 2]! * 0.11) * share;
    const color = colorAt(i / 4);
    for (let k = 0; k < 3; k++) pixels[i + k] = color[k]! * (1 - share) + grey;
    pixels[i + 3] = 255;
  }
}

/** @param counts invocations per pixel, as bytes of 32-bit numbers */
export function overdraw(pixels: Uint8ClampedArray<ArrayBuffer>, counts: Uint8ClampedArray<ArrayBuffer>): Overlay {
  const numbers = new Uint32Array(counts.buffer);
  const last = HEAT.length - 1;
  paint(pixels, (pixel) => HEAT[Math.min(last, numbers[pixel]!)]!, 0.15);
  const legend = HEAT.map((color, k) => ({ color: hex(color), text: k === last ? `${k} or more` : String(k) }));
  return { pixels, legend };
}

/** @param codes red holds the code of the rate, alpha what is covered */
export function shadingRates(pixels: Uint8ClampedArray<ArrayBuffer>, codes: Uint8ClampedArray<ArrayBuffer>): Overlay {
  const colors = new Map(RATES.map((rate, k) => [codeOf(rate), RATE_COLORS[k]!]));
  const seen = new Set<number>();
  paint(
    pixels,
    (pixel) => {
      if (codes[4 * pixel + 3] === 0) return HEAT[0]!;
      const code = codes[4 * pixel]!;
      seen.add(code);
      return colors.get(code) ?? HEAT[0]!;
    },
    0.3
  );
  const legend = RATES.flatMap((rate, k) =>
    seen.has(codeOf(rate)) ? [{ color: hex(RATE_COLORS[k]!), text: rate.replace('x', '×') }] : []
  );
  return { pixels, legend };
}

/** @param states one byte per pixel */
export function encoding(pixels: Uint8ClampedArray<ArrayBuffer>, states: Uint8Array): Overlay {
  const counts = [0, 0, 0, 0];
  paint(
    pixels,
    (pixel) => {
      const state = states[pixel]!;
      counts[state]!++;
      return STATE_COLORS[state]!;
    },
    0.15
  );
  const legend = STATE_NAMES.map((name, k) => ({
    color: hex(STATE_COLORS[k]!),
    text: `${name}: ${((100 * counts[k]!) / states.length).toFixed(1)} %`,
  }));
  return { pixels, legend };
}

/** Colours each tile by the thread that has drawn it last. */
export function tiles(pixels: Uint8ClampedArray<ArrayBuffer>, width: number, trace: TraceFile): Overlay {
  const threads = new Map<string, number>();
  const work = new Map<number, { tiles: number; ms: number }>();
  for (const { name, ph, tid, dur = 0, args } of trace.traceEvents) {
    if (name !== 'tile' || ph !== 'X' || !args) continue;
    threads.set(`${args['x']},${args['y']}`, tid);
    const sum = work.get(tid) ?? { tiles: 0, ms: 0 };
    work.set(tid, { tiles: sum.tiles + 1, ms: sum.ms + dur / 1000 });
  }
  const colorOf = (thread: number): Color => WORKER_COLORS[thread % WORKER_COLORS.length]!;
  paint(
    pixels,
    (pixel) => {
      const [x, y] = [pixel % width, Math.floor(pixel / width)];
      const isEdge = x % TILE === 0 || y % TILE === 0;
      const thread = threads.get(`${x - (x % TILE)},${y - (y % TILE)}`);
      return thread === undefined || isEdge ? HEAT[0]! : colorOf(thread);
    },
    0.45
  );
  const legend = [...work]
    .sort(([a], [b]) => a - b)
    .map(([thread, { tiles: count, ms }]) => ({
      color: hex(colorOf(thread)),
      text: `${thread === 0 ? 'renderer' : `worker ${thread}`}: ${count} tiles, ${ms.toFixed(1)} ms`,
    }));
  return { pixels, legend };
}
