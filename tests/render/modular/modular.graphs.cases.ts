// Random graphs of stages.
import * as fc from 'fast-check';

export const MASK = 1023;
export const WIDTH = 128;
export const HEIGHT = 64;
export const PLACES = WIDTH * HEIGHT;
/** The attachment's width, height and number of pixels. */
export const ACROSS = 256;
export const DOWN = 96;
export const PIXELS = ACROSS * DOWN;
/** Origins of viewports of WIDTH × HEIGHT: a single one, disjoint ones, overlapping ones. */
export const CORNERS = {
  one: [[0, 0]],
  apart: [
    [128, 1],
    [0, 32],
  ],
  over: [
    [0, 0],
    [64, 16],
    [128, 32],
    [16, 8],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly [number, number])[]>>;

export interface GraphSlot {
  /** Maximum number of emitted vertices; 0: keeps its vertices. */
  readonly most: number;
  /** A stage that emits no vertices, but reads primitives: it drops some, chooses viewports, or both. */
  readonly looks: 'drops' | 'chooses' | 'both' | null;
  readonly factor: number;
  readonly on: boolean;
}
export interface GraphCase {
  /** Vertices per primitive, the same everywhere. */
  readonly corners: 1 | 2 | 3;
  readonly slots: readonly GraphSlot[];
  readonly edges: readonly (readonly [number, number])[];
  readonly sinks: readonly { readonly raster: boolean; readonly from: readonly number[] }[];
  readonly entry: number | null;
  readonly vertices: number;
  readonly instances: number;
  readonly viewports: keyof typeof CORNERS;
}

const MAX_SLOTS = 6;
const pair = fc.tuple(fc.nat({ max: MAX_SLOTS - 1 }), fc.nat({ max: MAX_SLOTS - 1 }));
export const graphs: fc.Arbitrary<GraphCase> = fc
  .record({
    corners: fc.constantFrom(1, 1, 2, 3),
    slots: fc.array(
      fc.record({
        most: fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 40 })),
        factor: fc.integer({ min: 1, max: 5 }),
        on: fc.constant(true),
        looks: fc.constantFrom(null, null, null, 'drops', 'chooses', 'both'),
      }),
      { minLength: 1, maxLength: MAX_SLOTS }
    ),
    turned: fc.uniqueArray(fc.nat({ max: MAX_SLOTS - 1 }), { maxLength: 2 }),
    edges: fc.uniqueArray(pair, { maxLength: 8, selector: ([a, b]) => `${a} ${b}` }),
    /** Direction of edges: they start at slots that come earlier here. */
    order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: MAX_SLOTS }),
    sinks: fc.array(
      fc.record({
        raster: fc.boolean(),
        from: fc.uniqueArray(fc.nat({ max: MAX_SLOTS - 1 }), { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 3 }
    ),
    entry: fc.option(fc.nat({ max: MAX_SLOTS - 1 }), { freq: 3, nil: null }),
    vertices: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1500 })),
    instances: fc.integer({ min: 1, max: 3 }),
    viewports: fc.constantFrom('one', 'apart', 'over'),
  })
  .map(({ turned, order, ...of }): GraphCase => {
    const { length } = of.slots;
    const isIn = (slot: number): boolean => slot < length;
    return {
      ...of,
      entry: of.entry !== null && isIn(of.entry) ? of.entry : null,
      slots: of.slots.map((slot, i) => ({ ...slot, most: slot.looks ? 0 : slot.most, on: !turned.includes(i) })),
      edges: of.edges.filter(([a, b]) => isIn(a) && isIn(b) && order.indexOf(a) < order.indexOf(b)),
      sinks: of.sinks.map(({ raster, from }) => ({
        // Points map to pixels; lines and triangles are not simulated here.
        raster: raster && of.corners === 1,
        from: [...new Set(from.map((slot) => slot % length))],
      })),
    };
  });

export interface Streamed {
  readonly words: Uint32Array;
  readonly count: number;
}

export interface Drawn {
  readonly pixels: Uint32Array;
  /** By sink. */
  readonly buffers: readonly (Streamed | null)[];
}
