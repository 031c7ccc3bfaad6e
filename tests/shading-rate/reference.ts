// A reference implementation of passes with shading rates: it computes every sample and the number of invocations by
// the rules, independent of the engine. Triangles have vertices at multiples of 1/256 pixel, with y downwards. The
// results of the shader in kit.ts are exact in any arithmetic, so the engine must give the same bits.
import { half, insideOf, POSITIONS } from '../support/triangles';
import { combine, CODES, rateOfCode, RATES, sizeOf, sliceOf } from './rates';
import type { Combiner, PLACES, Rate, Slices } from './rates';

export interface Triangle {
  /** x, y of three vertices. */
  readonly corners: readonly number[];
  /** 0 … 1, before the viewport's range is applied. */
  readonly depths: readonly number[];
  /** 0 … 60. */
  readonly id: number;
  /** 1: varyings are the position; 0: they are 0, because a sliver's planes are too steep for exact results. */
  readonly slope: 0 | 1;
  /** Codes that the vertices write. */
  readonly rates: readonly number[];
  /** Invocations whose threshold, 0 … 7, is less are discarded. */
  readonly threshold: number;
}
export interface Draw {
  readonly triangles: readonly Triangle[];
  /** x, y, width, height. */
  readonly scissor: readonly [number, number, number, number];
  readonly compare: 'always' | 'less';
  readonly writesDepth: boolean;
  readonly blend: 'none' | 'over' | 'add';
  readonly discards: boolean;
  /** Whether the shader takes derivatives, and whether it reads its rate. */
  readonly derivatives: boolean;
  readonly readsRate: boolean;
  /** The pipeline's sample mask. */
  readonly mask: number;
  readonly rate: Rate;
  /** Missing ones are 'coarsest'. */
  readonly combiners: Partial<Record<'primitive' | 'region' | 'depth', Combiner>>;
  /** Whether the vertices' rates count. */
  readonly primitiveRates: boolean;
}
export interface DepthTable extends Slices {
  readonly rates: readonly Rate[];
  readonly at: (typeof PLACES)[number];
}
export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly samples: 1 | 4 | 8;
  /** The viewport's depth range. */
  readonly range: readonly [number, number];
  readonly draws: readonly Draw[];
  readonly depth: DepthTable | null;
  /** Codes of blocks, row by row. */
  readonly region: { readonly blockSize: 8 | 16; readonly codes: readonly number[] } | null;
}

export type ByRate = Record<Rate, number>;
export interface Picture {
  /** Four components per target and sample: ((y · width + x) · samples + sample) · 12 + target · 4 + component. */
  readonly texels: Float64Array;
  /** Invocations, and the pixels of their visible samples. */
  readonly threads: ByRate;
  readonly pixels: ByRate;
  /** Areas whose rate was looked up. */
  readonly lookUps: number;
  /**
   * Whether counts are independent of the order of work: no opaque draw call follows one that is shaded in order, and
   * no test reads depths that are written after a shader.
   */
  readonly isCounted: boolean;
  /** Whether a depth at a centroid is so close to a slice's bound that rounding of the mean may decide. */
  readonly isAmbiguous: boolean;
}
export const TARGETS = 3;
const COMPONENTS = 4 * TARGETS;

const AREA = 4;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}
interface Shape {
  readonly isInside: (xFx8: number, yFx8: number) => boolean;
  /** In pixels; the ends are exclusive. */
  readonly box: Box;
  readonly depthAt: (x: number, y: number) => number;
  readonly isLevel: boolean;
}
interface Sample {
  readonly x: number;
  readonly y: number;
  /** In sixteenths of a pixel from the picture's corner. */
  readonly xFx4: number;
  readonly yFx4: number;
  readonly number: number;
  /** Index among all samples of the picture. */
  readonly at: number;
}
/** A triangle in an area, and a coarse pixel of it with the pixels that it runs for. */
interface Area {
  readonly rate: Rate;
  readonly asks: boolean;
}
interface Thread {
  readonly area: Area;
  readonly pixels: Set<number>;
}

/** The box of pixels that may have a sample within the vertices' bounding box, clipped to scissor and picture. */
function boxOf(scene: Scene, { scissor }: Draw, corners: readonly number[]): Box {
  const ends = POSITIONS[scene.samples].flat();
  const first = Math.min(...ends) * 16;
  const last = Math.max(...ends) * 16;
  const xs = corners.filter((_, i) => i % 2 === 0);
  const ys = corners.filter((_, i) => i % 2 === 1);
  const from = (values: readonly number[]): number => Math.ceil((Math.min(...values) - last) / 256);
  const to = (values: readonly number[]): number => Math.floor((Math.max(...values) - first) / 256) + 1;
  const [x, y, width, height] = scissor;
  return {
    left: Math.max(from(xs), x, 0),
    top: Math.max(from(ys), y, 0),
    right: Math.min(to(xs), x + width, scene.width),
    bottom: Math.min(to(ys), y + height, scene.height),
  };
}

/** Depths by the plane through the first vertex, each step rounded to f32, clamped to the viewport's range. */
function planeOf(scene: Scene, { corners, depths }: Triangle): Pick<Shape, 'depthAt' | 'isLevel'> {
  const [low, high] = scene.range;
  const [a, b, c] = depths.map((depth) => Math.fround(depth * (high - low) + low)) as [number, number, number];
  const [ax, ay, bx, by, cx, cy] = corners as [number, number, number, number, number, number];
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  const right = Math.fround(((b - a) * (cy - ay) - (c - a) * (by - ay)) / area);
  const down = Math.fround(((c - a) * (bx - ax) - (b - a) * (cx - ax)) / area);
  const depthAt = (x: number, y: number): number => {
    const column = Math.fround(Math.fround(right * Math.fround(x - ax)) + a);
    const depth = Math.fround(column + Math.fround(down * Math.fround(y - ay)));
    return Math.min(Math.max(depth, low), high);
  };
  return { depthAt, isLevel: right === 0 && down === 0 };
}

function shapeOf(scene: Scene, draw: Draw, triangle: Triangle): Shape | null {
  const corners = triangle.corners.map((value) => value * 256);
  const isInside = insideOf(corners);
  if (!isInside) return null;
  return { isInside, box: boxOf(scene, draw, corners), ...planeOf(scene, triangle) };
}

const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0;
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
/** Clamps to the centers of the box's first and last pixels. */
const within = (value: number, from: number, to: number): number => Math.min(Math.max(value, from + 0.5), to - 0.5);

/**
 * The sample nearest to the mean of the covered ones; among equals, the first in the order of rows and then samples.
 * Squared distances times the squared number of samples are integers.
 */
function nearestToMean(samples: readonly Sample[]): Sample {
  const x = sum(samples.map((sample) => sample.xFx4));
  const y = sum(samples.map((sample) => sample.yFx4));
  const distance = ({ xFx4, yFx4 }: Sample): number =>
    (xFx4 * samples.length - x) ** 2 + (yFx4 * samples.length - y) ** 2;
  return samples.reduce((best, sample) => (distance(sample) < distance(best) ? sample : best));
}

/** The hash of the shader: (x · 5 + y · 3) & 7, with the integer part of the position. */
const isDiscarded = ({ threshold }: Triangle, x: number, y: number): boolean =>
  ((Math.floor(x) * 5 + Math.floor(y) * 3) & 7) < threshold;

class Renderer {
  readonly texels: Float64Array;
  private readonly depths: Float32Array;
  /** Pending invocations of opaque draw calls, per sample. */
  private readonly waiting: (Thread | null)[];
  private readonly ran = new Set<Thread>();
  isCounted = true;
  isAmbiguous = false;
  private hasOrdered = false;

  constructor(private readonly scene: Scene) {
    const samples = scene.width * scene.height * scene.samples;
    this.texels = new Float64Array(samples * COMPONENTS);
    this.depths = new Float32Array(samples).fill(1);
    this.waiting = new Array<Thread | null>(samples).fill(null);
  }

  draw(draw: Draw): void {
    const isOrdered = draw.blend !== 'none' || draw.discards;
    if (!isOrdered && this.hasOrdered) this.isCounted = false;
    // Depths are written after the shader here, so the number of pending invocations is unspecified.
    if (draw.discards && draw.compare === 'less' && draw.writesDepth) this.isCounted = false;
    this.hasOrdered ||= isOrdered;
    for (const triangle of draw.triangles) {
      const shape = shapeOf(this.scene, draw, triangle);
      if (shape) this.drawTriangle(draw, triangle, shape);
    }
  }

  finish(): Picture {
    this.waiting.forEach((_, at) => this.settle(at));
    const threads = Object.fromEntries(RATES.map((rate) => [rate, 0])) as ByRate;
    const pixels = { ...threads };
    const asked = new Set<Area>();
    for (const thread of this.ran) {
      threads[thread.area.rate]++;
      pixels[thread.area.rate] += thread.pixels.size;
      if (thread.area.asks) asked.add(thread.area);
    }
    const { texels, isCounted, isAmbiguous } = this;
    return { texels, threads, pixels, lookUps: asked.size, isCounted, isAmbiguous };
  }

  private drawTriangle(draw: Draw, triangle: Triangle, shape: Shape): void {
    const { left, top, right, bottom } = shape.box;
    const first = (value: number): number => value - (value % AREA);
    for (let y = first(top); y < bottom; y += AREA)
      for (let x = first(left); x < right; x += AREA) {
        const covered = this.coveredIn(draw, shape, x, y);
        if (covered.length > 0) this.drawArea(draw, triangle, shape, covered);
      }
  }

  private coveredIn(draw: Draw, { isInside, box }: Shape, left: number, top: number): Sample[] {
    const { samples, width } = this.scene;
    const found: Sample[] = [];
    for (let y = Math.max(top, box.top); y < Math.min(top + AREA, box.bottom); y++)
      for (let x = Math.max(left, box.left); x < Math.min(left + AREA, box.right); x++)
        POSITIONS[samples].forEach(([right, down], number) => {
          const xFx4 = x * 16 + right;
          const yFx4 = y * 16 + down;
          if (((draw.mask >> number) & 1) === 1 && isInside(xFx4 * 16, yFx4 * 16))
            found.push({ x, y, xFx4, yFx4, number, at: (y * width + x) * samples + number });
        });
    return found;
  }

  private drawArea(draw: Draw, triangle: Triangle, shape: Shape, covered: readonly Sample[]): void {
    const { depth, region } = this.scene;
    const x = covered[0]!.x & ~3;
    const y = covered[0]!.y & ~3;
    const area: Area = {
      rate: this.rateIn(draw, triangle, shape, covered),
      asks: depth !== null || region !== null || draw.primitiveRates,
    };
    const [width, height] = sizeOf(area.rate);
    for (let down = y; down < y + AREA; down += height)
      for (let right = x; right < x + AREA; right += width) {
        const samples = covered.filter(
          (sample) => sample.x >= right && sample.x < right + width && sample.y >= down && sample.y < down + height
        );
        if (samples.length > 0) this.drawCoarse(draw, triangle, shape, { area, x: right, y: down, samples });
      }
  }

  /** The rate of a triangle in an area, of which it covers some samples. */
  private rateIn(draw: Draw, { rates }: Triangle, shape: Shape, covered: readonly Sample[]): Rate {
    const { region, depth, width } = this.scene;
    const { primitive, region: byRegion, depth: byDepth } = draw.combiners;
    let rate = draw.rate;
    if (draw.primitiveRates) rate = combine(primitive ?? 'coarsest', rate, rateOfCode(rates[0]!));
    if (region) {
      const columns = Math.ceil(width / region.blockSize);
      const { x, y } = covered[0]!;
      const code = region.codes[Math.floor(y / region.blockSize) * columns + Math.floor(x / region.blockSize)]!;
      rate = combine(byRegion ?? 'coarsest', rate, rateOfCode(code));
    }
    if (!depth) return rate;
    const slice = sliceOf(depth, this.depthOf(depth, shape, covered));
    return combine(byDepth ?? 'coarsest', rate, slice < 0 ? '1x1' : depth.rates[slice]!);
  }

  /** The depth for the lookup. */
  private depthOf(table: DepthTable, shape: Shape, covered: readonly Sample[]): number {
    const { box, depthAt, isLevel } = shape;
    const count = covered.length;
    if (table.at === 'min' || table.at === 'max') {
      const found = covered.map(({ xFx4, yFx4 }) => depthAt(xFx4 / 16, yFx4 / 16));
      return Math[table.at](...found);
    }
    if (table.at === 'centroid') {
      const mean = (values: readonly number[]): number => Math.fround(sum(values) / (16 * count));
      const depth = depthAt(mean(covered.map(({ xFx4 }) => xFx4)), mean(covered.map(({ yFx4 }) => yFx4)));
      const near = [-1, 1].map((side) => sliceOf(table, Math.fround(depth + side * 2 ** -20)));
      if (!isLevel && !isPowerOfTwo(count) && near[0] !== near[1]) this.isAmbiguous = true;
      return depth;
    }
    const x = covered[0]!.x & ~3;
    const y = covered[0]!.y & ~3;
    return depthAt(within(x + AREA / 2, box.left, box.right), within(y + AREA / 2, box.top, box.bottom));
  }

  private drawCoarse(
    draw: Draw,
    triangle: Triangle,
    { depthAt }: Shape,
    coarse: { area: Area; x: number; y: number; samples: Sample[] }
  ): void {
    const { area, x, y, samples } = coarse;
    const [width, height] = sizeOf(area.rate);
    const depthOf = (sample: Sample): number => depthAt(sample.xFx4 / 16, sample.yFx4 / 16);
    const passing =
      draw.compare === 'always' ? samples : samples.filter((sample) => depthOf(sample) < this.depths[sample.at]!);
    if (passing.length === 0) return;
    const thread: Thread = { area, pixels: new Set() };
    const isLate = draw.blend === 'none' && !draw.discards;
    if (!isLate)
      for (const { at } of passing) {
        this.settle(at);
        this.run(thread, at);
      }
    const centreX = x + width / 2;
    const centreY = y + height / 2;
    if (draw.discards && isDiscarded(triangle, centreX, centreY)) return;
    const isWhole = samples.length === width * height * this.scene.samples;
    // As without rates, a partly covered pixel uses its first sample.
    const centroid = isWhole ? null : area.rate === '1x1' ? samples[0]! : nearestToMean(samples);
    const away = centroid ? (centroid.xFx4 - centreX * 16) * 64 + (centroid.yFx4 - centreY * 16) : 0;
    const values = this.valuesOf(draw, triangle, area.rate, [centreX, centreY, away * triangle.slope]);
    for (const sample of passing) {
      if (draw.writesDepth) this.depths[sample.at] = depthOf(sample);
      this.blend(draw, sample.at * COMPONENTS, values);
      if (isLate) this.waiting[sample.at] = thread;
    }
  }

  /** The shader's outputs. */
  private valuesOf(
    { blend, derivatives, readsRate }: Draw,
    { id, slope }: Triangle,
    rate: Rate,
    [x, y, away]: readonly number[]
  ): number[] {
    const alpha = blend === 'over' ? 0.5 : 1;
    const [width, height] = sizeOf(rate);
    return [
      x!,
      y!,
      id * 16 + (readsRate ? CODES[rate] : 0),
      alpha,
      2 * x! * slope,
      2 * y! * slope,
      away!,
      alpha,
      ...(derivatives ? [width, height, (8 * width + height) * slope] : [1, 2, 3]),
      alpha,
    ];
  }

  private blend({ blend }: Draw, at: number, values: readonly number[]): void {
    const kept = { none: 0, over: 0.5, add: 1 }[blend];
    values.forEach((value, i) => {
      this.texels[at + i] = half(value + kept * this.texels[at + i]!);
    });
  }

  /** Runs the pending invocation of a sample, because a later draw call reads it, or the pass ends. */
  private settle(at: number): void {
    const thread = this.waiting[at];
    if (thread) this.run(thread, at);
    this.waiting[at] = null;
  }

  private run(thread: Thread, at: number): void {
    this.ran.add(thread);
    thread.pixels.add(Math.floor(at / this.scene.samples));
  }
}

export function render(scene: Scene): Picture {
  const renderer = new Renderer(scene);
  for (const draw of scene.draws) renderer.draw(draw);
  return renderer.finish();
}
