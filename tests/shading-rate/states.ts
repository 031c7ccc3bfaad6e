// Random passes in every state that a draw call can have: formats, sample counts, depth, stencil, blending, masks,
// queries, bundles, topologies. Rates make no difference, because colors are constant per primitive, or because all
// rates are 1x1.
import * as fc from 'fast-check';
import { COMBINERS, PLACES, RATES, ROUNDINGS, type Combiner, type Rate } from './rates';

/** Kinds of shaders in states.kit.ts; those of `shared` give one color per primitive. */
const PROGRAMS = {
  shared: ['flat', 'steady', 'facing', 'cut', 'early', 'deep', 'masked', 'sampled'],
  varying: ['varies', 'holed', 'early', 'masked', 'sampled'],
} as const;
export type Program = (typeof PROGRAMS)[keyof typeof PROGRAMS][number];
interface Vertex {
  readonly position: readonly number[];
  readonly color: readonly number[];
  /** The rate that it writes. */
  readonly rate: number;
}
export interface StateDraw {
  readonly topology: GPUPrimitiveTopology;
  readonly vertices: readonly Vertex[];
  readonly program: Program;
  readonly blend: 'none' | 'over' | 'add' | 'max' | 'constant';
  readonly writeMask: number;
  readonly compare: GPUCompareFunction;
  readonly writesDepth: boolean;
  readonly depthBias: number;
  readonly stencil: GPUStencilFaceState & { readonly reference: number; readonly writeMask: number };
  readonly mask: number;
  readonly alphaToCoverage: boolean;
  readonly cullMode: GPUCullMode;
  readonly scissor: readonly [number, number, number, number];
  readonly query: boolean;
  readonly bundle: boolean;
  readonly rate: Rate;
  readonly combiners: Partial<Record<'primitive' | 'region' | 'depth', Combiner>>;
  /** Whether the vertices' rates count. */
  readonly primitiveRates: boolean;
}
export interface StatePass {
  readonly readOnly: boolean;
  readonly draws: readonly StateDraw[];
  readonly depth: object | null;
  readonly region: { readonly blockSize: 8 | 16; readonly codes: readonly number[] } | null;
}
export interface StateScene {
  readonly width: number;
  readonly height: number;
  readonly samples: 1 | 2 | 4 | 8 | 16;
  readonly formats: readonly GPUTextureFormat[];
  readonly depth: GPUTextureFormat | null;
  /** Consecutive passes on the same attachments. */
  readonly passes: readonly StatePass[];
}

type Size = Pick<StateScene, 'width' | 'height' | 'samples' | 'formats' | 'depth'>;
type Rates = Pick<StateDraw, 'rate' | 'combiners' | 'primitiveRates'>;
/** Which rates are used, and with which shaders. */
interface Kind {
  readonly programs: readonly Program[];
  readonly rates: fc.Arbitrary<Rates>;
  readonly rate: fc.Arbitrary<Rate>;
  readonly code: fc.Arbitrary<number>;
}

const several = <T>(each: fc.Arbitrary<T>, count: number): fc.Arbitrary<T[]> =>
  fc.array(each, { minLength: count, maxLength: count });
const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const COMPARES = ['less', 'less-equal', 'always', 'greater', 'equal', 'not-equal', 'never'] as const;
const STENCILS = ['keep', 'zero', 'replace', 'invert', 'increment-wrap', 'decrement-clamp'] as const;
const FORMATS = ['rgba8unorm', 'rgba16float', 'bgra8unorm', 'rgb10a2unorm', 'rg8unorm', 'rgba8uint'] as const;

/** On both ends of the clip volume, small and large, in perspective. */
const vertices: fc.Arbitrary<Vertex[]> = fc
  .tuple(fc.constantFrom(0.2, 0.6, 2.5), fc.integer({ min: 1, max: 30 }))
  .chain(([size, count]) =>
    several(
      fc.record({
        near: several(upTo(1000), 2),
        place: several(upTo(1000), 4),
        color: several(upTo(255), 4),
        rate: upTo(255),
      }),
      count
    ).map((each) =>
      each.map(({ place: [right, down, z, w], color, rate }, i): Vertex => {
        // Three consecutive ones are close to each other.
        const [nearX, nearY] = each[i - (i % 3)]!.near;
        const scale = 0.5 + w! / 1000;
        const place = [
          nearX! / 500 - 1 + (right! / 1000 - 0.5) * size,
          nearY! / 500 - 1 + (down! / 1000 - 0.5) * size,
          z! / 900 - 0.05,
        ];
        return {
          position: [...place.map((value) => value * scale), scale],
          color: color.map((value) => value / 255),
          rate,
        };
      })
    )
  );

const stencil: fc.Arbitrary<StateDraw['stencil']> = fc.record({
  compare: fc.constantFrom('always', ...COMPARES),
  failOp: fc.constantFrom(...STENCILS),
  depthFailOp: fc.constantFrom(...STENCILS),
  passOp: fc.constantFrom(...STENCILS),
  reference: upTo(3),
  writeMask: fc.constantFrom(0, 255, 255),
});

function drawIn({ width, height, samples, formats, depth }: Size, kind: Kind): fc.Arbitrary<StateDraw> {
  const all = 2 ** samples - 1;
  const mayCover = samples > 1 && formats[0] === 'rgba8unorm';
  const programs = kind.programs.filter((program) => program !== 'deep' || (depth !== null && depth !== 'stencil8'));
  const cut = fc
    .tuple(upTo(width - 1), upTo(height - 1), upTo(width - 1), upTo(height - 1))
    .map(([x, y, right, down]) => [x, y, Math.min(right + 1, width - x), Math.min(down + 1, height - y)] as const);
  return fc
    .tuple(
      kind.rates,
      fc.record({
        topology: fc.constantFrom(
          'triangle-list',
          'triangle-list',
          'triangle-strip',
          'line-list',
          'line-strip',
          'point-list'
        ),
        vertices,
        program: fc.constantFrom(kind.programs[0]!, kind.programs[0]!, ...programs),
        blend: fc.constantFrom('none', 'none', 'over', 'add', 'max', 'constant'),
        writeMask: fc.constantFrom(15, 15, 15, 5),
        compare: fc.constantFrom('less', 'less', 'less', ...COMPARES),
        writesDepth: fc.boolean(),
        depthBias: fc.constantFrom(0, 0, 1000),
        stencil,
        mask: fc.oneof({ weight: 4, arbitrary: fc.constant(all) }, upTo(all)),
        alphaToCoverage: mayCover ? fc.constantFrom(false, false, false, true) : fc.constant(false),
        cullMode: fc.constantFrom('none', 'none', 'front', 'back'),
        scissor: fc.oneof({ weight: 3, arbitrary: fc.constant([0, 0, width, height] as const) }, cut),
        query: fc.boolean(),
        bundle: fc.boolean(),
      })
    )
    .map(([rates, draw]) => ({
      ...draw,
      ...rates,
      alphaToCoverage: draw.alphaToCoverage && draw.program !== 'masked',
    }));
}

function passIn(size: Size, kind: Kind): fc.Arbitrary<StatePass> {
  const depth = fc
    .record({
      near: upTo(20).map((value) => value / 32),
      range: fc.integer({ min: 1, max: 24 }),
      isReversed: fc.boolean(),
      count: fc.constantFrom(4, 8, 16),
      rates: several(kind.rate, 16),
      rounding: fc.constantFrom(...ROUNDINGS),
      at: fc.constantFrom(...PLACES),
    })
    .map(({ near, range, isReversed, count, rates, ...rest }) => {
      const ends = [near, near + range / 24];
      const [from, to] = isReversed ? ends.toReversed() : ends;
      return { ...rest, near: from, far: to, rates: rates.slice(0, count) };
    });
  const region = fc
    .constantFrom(8 as const, 16 as const)
    .chain((blockSize) =>
      several(kind.code, Math.ceil(size.width / blockSize) * Math.ceil(size.height / blockSize)).map((codes) => ({
        blockSize,
        codes,
      }))
    );
  return fc.record({
    readOnly: size.depth === null ? fc.constant(false) : fc.constantFrom(false, false, true),
    draws: fc.array(drawIn(size, kind), { minLength: 1, maxLength: 7 }),
    depth: fc.option(depth, { nil: null, freq: 2 }),
    region: fc.option(region, { nil: null, freq: 2 }),
  });
}

const sizes: fc.Arbitrary<Size> = fc.record({
  width: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 60, max: 90 })),
  height: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 60, max: 75 })),
  samples: fc.constantFrom(1, 2, 4, 8, 16),
  formats: fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.constantFrom(...FORMATS), { minLength: 1, maxLength: 3 }) },
    fc.constant(Array.from({ length: 8 }, () => 'r8unorm' as const))
  ),
  depth: fc.constantFrom(
    null,
    'depth32float',
    'depth24plus',
    'depth16unorm',
    'stencil8',
    'depth24plus-stencil8',
    'depth24plus-stencil8'
  ),
});
const scenesOf = (kind: Kind): fc.Arbitrary<StateScene> =>
  sizes.chain((size) =>
    fc.array(passIn(size, kind), { minLength: 1, maxLength: 2 }).map((passes) => ({ ...size, passes }))
  );

const combiner = fc.constantFrom(...COMBINERS);
/** Any rates; colors are constant per primitive. */
export const sharedColors = scenesOf({
  programs: PROGRAMS.shared,
  rate: fc.constantFrom(...RATES),
  code: upTo(255),
  rates: fc.record({
    rate: fc.constantFrom('1x1', ...RATES),
    primitiveRates: fc.boolean(),
    combiners: fc.record({ primitive: combiner, region: combiner, depth: combiner }, { requiredKeys: [] }),
  }),
});
/** All rates are 1x1. */
export const finestRates = scenesOf({
  programs: PROGRAMS.varying,
  rate: fc.constant('1x1'),
  code: fc.constantFrom(0, 16, 240),
  rates: fc.constant({ rate: '1x1', combiners: {}, primitiveRates: false }),
});
