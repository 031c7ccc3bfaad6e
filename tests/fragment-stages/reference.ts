// A reference implementation of draw calls with framebuffer fetch and two targets, sample by sample. It implements the
// rules without any part of the engine. Triangles have vertices at multiples of 1/256 pixel, with y downwards; all
// values are small integers.
import * as fc from 'fast-check';
import { insideOf, POSITIONS, type SampleCount } from '../support/triangles';

/** `program`: uses framebuffer fetch as described below; `opaque` and `add` are draw calls without it. */
export interface Draw {
  readonly kind: 'program' | 'opaque' | 'add';
  readonly triangles: readonly Triangle[];
  readonly compare: 'always' | 'less';
  readonly mask: number;
  /** Whether the shader reads each target, reads the sample index, writes the second target, and discards pixels. */
  readonly reads: readonly [boolean, boolean];
  readonly each: boolean;
  /** Whether it reads sample_mask. */
  readonly coverage: boolean;
  readonly writesBoth: boolean;
  readonly discards: boolean;
  readonly staged: Staged | null;
}

/** `rate`: a code of shading-rate-codes.ts, which applies if the shader has a coarse stage. */
interface Triangle {
  readonly corners: readonly number[];
  readonly depth: number;
  readonly id: number;
  readonly rate: number;
}

/** The shader as a pixel stage and a sample stage. */
export interface Staged {
  /** Whether the sample stage reads a varying per sample, reads the stored depth, discards, and takes derivatives. */
  readonly varies: boolean;
  readonly readsDepth: boolean;
  readonly discardsSets: boolean;
  readonly derives: boolean;
  /** Whether the pixel stage writes a sample mask and the second target. */
  readonly masks: boolean;
  readonly givesSecond: boolean;
  readonly coarse: Coarse | null;
}
/** A preceding coarse stage: whether it discards, takes derivatives, reads a varying, and writes the second target. */
interface Coarse {
  readonly discards: boolean;
  readonly derives: boolean;
  readonly varies: boolean;
  readonly givesSecond: boolean;
  /** Whether the pixel stage takes the derivative of its input. */
  readonly isDerived: boolean;
  /** Whether a pixel stage replaces the sample stage and does the same. */
  readonly endsInPixels: boolean;
}
export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly samples: SampleCount;
  readonly draws: readonly Draw[];
}
/** Per sample: x, y, z of the first target, and the second target. */
export const COMPONENTS = 4;

/** The hash of a pixel: 0 … 7. */
const hashOf = (x: number, y: number): number => (x * 5 + y * 3) & 7;

/**
 * `covered`: the samples of the pixel that the triangle covers and the draw call's mask allows; `right`: the sample's x
 * offset in 1/16 pixel; `depth`: the stored depth.
 */
interface Place {
  readonly coarse: CoarsePlace;
  readonly x: number;
  readonly y: number;
  readonly sample: number;
  readonly covered: number;
  readonly right: number;
  readonly depth: number;
}

/** The pixel at the center of a coarse pixel, and the size of the latter. */
interface CoarsePlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function coarsePlace(x: number, y: number, rate: number): CoarsePlace {
  const width = 1 << (rate >> 2);
  const height = 1 << (rate & 3);
  return { x: x - (x % width) + (width >> 1), y: y - (y % height) + (height >> 1), width, height };
}

/** The output of a coarse stage. */
function coarseValue({ derives, varies }: Coarse, id: number, { x, y, width, height }: CoarsePlace): number {
  return id * 7 + hashOf(x, y) * 3 + (derives ? 11 * width + 13 * height : 0) + (varies ? 5 * id : 0);
}

/** The mask that pixel stages write for pixels with this hash. */
const maskOf = (hash: number): number => hash * 5 + 3;

/** Returns null if the set is discarded. */
function valuesOf(
  { kind, reads, each, coverage, writesBoth, staged }: Draw,
  id: number,
  { x, y, coarse, sample, covered, right, depth }: Place,
  below: readonly number[]
): number[] | null {
  const [r, g, b, second] = below as [number, number, number, number];
  if (kind === 'opaque') return [id, hashOf(x, y), id, id * 9];
  if (kind === 'add') return [r + 1, g, b, second];
  const ofPixel = staged?.coarse
    ? coarseValue(staged.coarse, id, coarse) + hashOf(x, y) * 5
    : id * 7 + hashOf(x, y) * 3;
  const value =
    (ofPixel
      + (reads[0] ? 5 * r + g : 0)
      + (reads[1] ? 11 * (second & 63) : 0)
      + (each ? 19 * sample : 0)
      + (coverage ? 23 * (each && !staged ? 1 << sample : covered) : 0)
      + (staged?.varies ? 3 * (x * 16 + right) : 0)
      + (staged?.readsDepth ? depth * 16 : 0))
    % 61;
  if (staged?.discardsSets && (value & 7) === 3) return null;
  if (!writesBoth) return [value, (value * value) % 13, id, second];
  const other = staged?.coarse?.givesSecond
    ? id * 5 + hashOf(coarse.x, coarse.y)
    : staged?.givesSecond
      ? id * 5 + hashOf(x, y)
      : value * 3 + (reads[1] ? second & 255 : 0);
  return [value, (value * value) % 13, id, other];
}

/** COMPONENTS per sample: ((y · width + x) · samples + sample) · 4. */
export function render({ width, height, samples, draws }: Scene): Float64Array {
  const texels = new Float64Array(width * height * samples * COMPONENTS);
  const depths = new Float64Array(width * height * samples).fill(1);
  for (const draw of draws)
    for (const { corners, depth, id, rate } of draw.triangles) {
      const isInside = insideOf(corners.map((value) => value * 256));
      for (let y = 0; y < height; y++)
        for (let x = 0; isInside && x < width; x++) {
          const covered =
            POSITIONS[samples].reduce(
              (bits, [right, down], sample) =>
                isInside(x * 256 + right * 16, y * 256 + down * 16) ? bits | (1 << sample) : bits,
              0
            ) & draw.mask;
          for (let sample = 0; sample < samples; sample++) {
            const at = (y * width + x) * samples + sample;
            if (!((covered >> sample) & 1)) continue;
            if (draw.discards && hashOf(x, y) < 2) continue;
            const coarse = coarsePlace(x, y, rate);
            if (draw.staged?.coarse?.discards && hashOf(coarse.x, coarse.y) > 5) continue;
            if (draw.staged?.masks && !((maskOf(hashOf(x, y)) >> sample) & 1)) continue;
            const below = [...texels.subarray(at * COMPONENTS, (at + 1) * COMPONENTS)];
            const right = POSITIONS[samples][sample]![0];
            const place = { x, y, coarse, sample, covered, right, depth: depths[at]! };
            const values = valuesOf(draw, id, place, below);
            if (values === null) continue;
            if (draw.compare === 'less' && depth >= depths[at]!) continue;
            if (draw.compare === 'less') depths[at] = depth;
            texels.set(values, at * COMPONENTS);
          }
        }
    }
  return texels;
}

const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const coordinates = (width: number, height: number): fc.Arbitrary<readonly number[]> =>
  fc.oneof(
    fc
      .array(fc.integer({ min: -32, max: (Math.max(width, height) + 8) * 4 }), { minLength: 6, maxLength: 6 })
      .map((values) => values.map((value) => value / 4)),
    fc
      .tuple(upTo(width), upTo(height), fc.array(upTo(12 * 16), { minLength: 6, maxLength: 6 }))
      .map(([x, y, offsets]) => offsets.map((offset, k) => offset / 16 + (k % 2 ? y : x))),
    fc.constant([-4, -4, 2 * width + 8, -4, -4, 2 * height + 8])
  );

const often = fc.constantFrom(false, false, true);
const coarseOf: fc.Arbitrary<Coarse> = fc.record({
  discards: often,
  derives: often,
  varies: often,
  givesSecond: often,
  isDerived: often,
  endsInPixels: often,
});
/** 1×1 … 4×4. */
const RATES = [0, 1, 4, 5, 6, 9, 10] as const;

/** Kinds of shaders; `coarse stages`: with a preceding coarse stage. */
type Kind = 'whole' | 'stages' | 'coarse stages';

const stagesOf = (kind: Kind): fc.Arbitrary<Staged> =>
  fc.record({
    varies: often,
    readsDepth: often,
    discardsSets: often,
    derives: often,
    masks: often,
    givesSecond: fc.boolean(),
    coarse: kind === 'coarse stages' ? coarseOf : fc.constant(null),
  });

const drawIn = (width: number, height: number, samples: SampleCount, kind: Kind): fc.Arbitrary<Draw> =>
  fc
    .record({
      kind: fc.constantFrom('program', 'program', 'program', 'opaque', 'add'),
      triangles: fc.array(
        fc.record({
          corners: coordinates(width, height),
          depth: upTo(15).map((depth) => depth / 16),
          id: upTo(60),
          rate: fc.constantFrom(...RATES),
        }),
        { minLength: 1, maxLength: 6 }
      ),
      compare: fc.constantFrom('always', 'always', 'less'),
      mask: fc.oneof({ weight: 4, arbitrary: fc.constant(0xffff) }, upTo((1 << samples) - 1)),
      reads: fc.constantFrom([true, true], [true, false], [false, true]),
      each: fc.constantFrom(false, false, false, true),
      coverage: fc.boolean(),
      writesBoth: fc.boolean(),
      discards: fc.constantFrom(false, false, false, true),
      staged: kind === 'whole' ? fc.constant(null) : stagesOf(kind),
    })
    .map((draw): Draw => {
      if (draw.kind !== 'program' || !draw.staged) return { ...draw, staged: null };
      if (!draw.staged.coarse?.endsInPixels) return draw;
      return {
        ...draw,
        reads: [false, false],
        each: false,
        staged: { ...draw.staged, varies: false, readsDepth: false, discardsSets: false, givesSecond: false },
      };
    });

export const scenes = (kind: Kind): fc.Arbitrary<Scene> =>
  fc
    .record({
      width: fc.oneof(fc.integer({ min: 1, max: 24 }), fc.integer({ min: 60, max: 70 })),
      height: fc.oneof(fc.integer({ min: 1, max: 24 }), fc.integer({ min: 62, max: 66 })),
      samples: fc.constantFrom(1, 2, 4, 4, 8, 16),
    })
    .chain((size) =>
      fc
        .record({
          draws: fc.array(drawIn(size.width, size.height, size.samples as SampleCount, kind), {
            minLength: 1,
            maxLength: 6,
          }),
        })
        .map(({ draws }) => ({ ...size, samples: size.samples as SampleCount, draws }))
    );
