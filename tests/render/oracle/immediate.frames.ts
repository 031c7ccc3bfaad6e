// Random frames: everything that determines what a render pass writes, as data that a failing test can print. Positions
// are in 1/256 pixels.
import * as fc from 'fast-check';
import type { SampleCount } from '../../../src/gltf/gpu/sample-count';
import { kinds, type Kind } from './immediate.shaders';

export interface Mesh {
  /** x, y in 1/256 pixels of the frame, depth, w. */
  readonly vertices: readonly (readonly [number, number, number, number])[];
  /** Vertex indices. −1 restarts a strip and has no effect in lists. */
  readonly indices: readonly number[];
  /** Null: a non-indexed draw call; the vertices are stored in the order of the indices. */
  readonly indexFormat: GPUIndexFormat | null;
}
export interface Look {
  readonly kind: Kind;
  readonly primitive: {
    readonly topology: 'triangle-list' | 'triangle-strip';
    readonly cullMode: GPUCullMode;
    readonly frontFace: GPUFrontFace;
    readonly unclippedDepth: boolean;
  };
  readonly depthCompare: GPUCompareFunction;
  readonly depthWrite: boolean;
  readonly bias: {
    readonly depthBias: number;
    readonly depthBiasSlopeScale: number;
    readonly depthBiasClamp: number;
  } | null;
  readonly stencil: {
    readonly stencilFront: GPUStencilFaceState;
    readonly stencilBack: GPUStencilFaceState;
    readonly stencilReadMask: number;
    readonly stencilWriteMask: number;
  } | null;
  /** One per target. */
  readonly blends: readonly (GPUBlendState | null)[];
  readonly writeMasks: readonly number[];
  readonly sampleMask: number;
  readonly alphaToCoverage: boolean;
}
export interface Draw {
  readonly look: Look;
  readonly mesh: Mesh;
  readonly instances: number;
  /** First index, vertex and instance; preceding ones are not drawn. */
  readonly skip: number;
  /** Fractions of the frame: x, y, width, height; then the depth range. */
  readonly viewport: readonly [number, number, number, number, number, number] | null;
  readonly scissor: readonly [number, number, number, number] | null;
  readonly blendConstant: readonly [number, number, number, number];
  readonly stencilReference: number;
  /** Whether an occlusion query includes it. */
  readonly isAsked: boolean;
}
export interface Pass {
  readonly draws: readonly Draw[];
  /** Whether color attachments are cleared or loaded. */
  readonly clearsColor: boolean;
  readonly clearsDepth: boolean;
  readonly clearsStencil: boolean;
  readonly storeOp: GPUStoreOp;
  readonly depthStoreOp: GPUStoreOp;
  /** Depth and stencil are loaded and not written. */
  readonly readOnly: boolean;
}
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly samples: SampleCount;
  readonly targets: readonly GPUTextureFormat[];
  readonly depth: GPUTextureFormat | null;
  readonly clearColor: readonly [number, number, number, number];
  readonly clearDepth: number;
  readonly clearStencil: number;
  readonly passes: readonly Pass[];
}

/** Number of targets for which looks have state. */
const MAX_TARGETS = 3;

const SIZES = [
  [77, 90],
  [64, 64],
  [130, 40],
  [65, 67],
  [40, 129],
  [77, 90],
  [72, 80],
  [96, 70],
  [33, 20],
  [66, 5],
  [1, 1],
] as const;
const ONE_SAMPLE: readonly GPUTextureFormat[] = [
  'rgba8unorm',
  'rgba8unorm-srgb',
  'bgra8unorm',
  'bgra8unorm-srgb',
  'rgba16float',
  'r8unorm',
  'rg8unorm',
  'rgba32float',
  'r32float',
  'r16float',
  'rg16float',
  'rgb10a2unorm',
  'rgba8uint',
  'rgba16sint',
  'r32uint',
];
const MANY_SAMPLES: readonly GPUTextureFormat[] = [
  'rgba8unorm',
  'rgba8unorm-srgb',
  'bgra8unorm',
  'bgra8unorm-srgb',
  'rgba16float',
  'r8unorm',
  'rg8unorm',
  'r16float',
  'r32float',
  'rgb10a2unorm',
  'rgba8uint',
  'rg16sint',
];
const DEPTHS: readonly GPUTextureFormat[] = [
  'depth32float',
  'depth24plus',
  'depth16unorm',
  'depth24plus-stencil8',
  'stencil8',
];
export const COMPARES: readonly GPUCompareFunction[] = [
  'less',
  'less-equal',
  'greater',
  'greater-equal',
  'equal',
  'not-equal',
  'always',
  'never',
];
const OPERATIONS: readonly GPUStencilOperation[] = [
  'keep',
  'zero',
  'replace',
  'invert',
  'increment-clamp',
  'decrement-clamp',
  'increment-wrap',
  'decrement-wrap',
];
const FACTORS: readonly GPUBlendFactor[] = [
  'zero',
  'one',
  'src',
  'one-minus-src',
  'src-alpha',
  'one-minus-src-alpha',
  'dst',
  'one-minus-dst',
  'dst-alpha',
  'one-minus-dst-alpha',
  'src-alpha-saturated',
  'constant',
  'one-minus-constant',
];

/** Plain records, which print as written. */
const OBJECTS = { noNullPrototype: true } as const;

const often = <T>(weight: number, value: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });
// Without fast-check's bias towards the ends of a range: most triangles would be outside of the frame.
const pixels = (low: number, high: number): fc.Arbitrary<number> =>
  fc.noBias(fc.integer({ min: low * 256, max: high * 256 }));
const sixteenths = (low: number, high: number): fc.Arbitrary<number> =>
  fc.noBias(fc.integer({ min: low, max: high })).map((n) => n / 16);

type Point = readonly [number, number];
interface Shape {
  readonly points: readonly Point[];
  readonly indices: readonly number[];
}

const position: fc.Arbitrary<Point> = fc.tuple(pixels(-10, 80), pixels(-10, 80));
const within = (size: number): fc.Arbitrary<Point> => fc.tuple(pixels(-size, size), pixels(-size, size));
const plus = ([x, y]: Point, [dx, dy]: Point): Point => [x + dx, y + dy];

/** Two corners within `size` pixels of the first. */
const triangle = (size: number): fc.Arbitrary<Shape> =>
  fc
    .tuple(position, within(size), within(size))
    .map(([a, b, c]) => ({ points: [a, plus(a, b), plus(a, c)], indices: [0, 1, 2] }));
const sliver: fc.Arbitrary<Shape> = fc
  .tuple(position, within(150), within(1))
  .map(([a, b, c]) => ({ points: [a, plus(a, b), plus(plus(a, b), c)], indices: [0, 1, 2] }));
/** An edge across the frame, from one side of the guard band to the other. */
const endless: fc.Arbitrary<Shape> = fc
  .tuple(position, within(16000), within(16000))
  .map(([[x, y], [dx, dy], c]) => ({ points: [[x - dx, y - dy], [x + dx, y + dy], c], indices: [0, 1, 2] }));
const degenerate: fc.Arbitrary<Shape> = fc
  .tuple(position, position)
  .map(([a, b]) => ({ points: [a, b], indices: [0, 1, 1] }));
/** The whole frame, or all but some pixels at the left and top. */
const cover: fc.Arbitrary<Shape> = fc.tuple(pixels(-40, 30), pixels(-40, 30), fc.boolean()).map(([x, y, turned]) => ({
  points: [
    [x, y],
    [x + 90000, y],
    [x, y + 90000],
  ],
  indices: turned ? [0, 2, 1] : [0, 1, 2],
}));
const rectangle: fc.Arbitrary<Shape> = fc
  .tuple(position, fc.tuple(pixels(0, 60), pixels(0, 60)))
  .map(([[x, y], [w, h]]) => ({
    points: [
      [x, y],
      [x + w, y],
      [x, y + h],
      [x + w, y + h],
    ],
    indices: [0, 1, 2, 2, 1, 3],
  }));
const fan: fc.Arbitrary<Shape> = fc
  .tuple(position, fc.array(within(40), { minLength: 3, maxLength: 7 }))
  .map(([hub, rim]) => ({
    points: [hub, ...rim.map((point) => plus(hub, point))],
    indices: rim.flatMap((_, i) => [0, i + 1, ((i + 1) % rim.length) + 1]),
  }));
/** A mesh of small triangles that share edges, regular or not. */
const grid: fc.Arbitrary<Shape> = fc
  .tuple(
    position,
    fc.oneof(fc.integer({ min: 50, max: 400 }), fc.integer({ min: 400, max: 2000 })),
    fc.noBias(fc.array(within(1), { minLength: 4, maxLength: 64, size: 'max' })),
    fc.boolean()
  )
  .map(([corner, cell, jitter, even]) => {
    const side = Math.floor(Math.sqrt(jitter.length));
    const points = jitter
      .slice(0, side * side)
      .map((moved, i) => plus(plus(corner, even ? [0, 0] : moved), [(i % side) * cell, Math.floor(i / side) * cell]));
    const indices: number[] = [];
    for (let y = 0; y + 1 < side; y++)
      for (let x = 0; x + 1 < side; x++) {
        const a = y * side + x;
        indices.push(a, a + 1, a + side, a + side, a + 1, a + side + 1);
      }
    return { points, indices };
  });
/** Vertices at multiples of 1/256, 1/16 or half pixels. With half pixels, edges pass through samples. */
const snapped = (shape: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
  fc
    .tuple(shape, fc.constantFrom(1, 1, 16, 128))
    .map(([{ points, indices }, unit]) => ({
      points: points.map(([x, y]): Point => [Math.round(x / unit) * unit, Math.round(y / unit) * unit]),
      indices,
    }));
const anyShape: fc.Arbitrary<Shape> = snapped(
  fc.oneof(
    { weight: 3, arbitrary: cover },
    { weight: 2, arbitrary: rectangle },
    { weight: 3, arbitrary: grid },
    { weight: 2, arbitrary: triangle(3) },
    { weight: 2, arbitrary: triangle(15) },
    { weight: 3, arbitrary: triangle(80) },
    { weight: 1, arbitrary: triangle(60000) },
    { weight: 1, arbitrary: endless },
    { weight: 1, arbitrary: sliver },
    { weight: 1, arbitrary: fan },
    { weight: 1, arbitrary: degenerate }
  )
);
/** Shapes that cover whole blocks of pixels, or parts of many. */
const largeShape: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 5, arbitrary: cover },
  { weight: 3, arbitrary: rectangle },
  { weight: 4, arbitrary: triangle(80) },
  { weight: 1, arbitrary: triangle(60000) },
  { weight: 1, arbitrary: endless },
  { weight: 1, arbitrary: fan },
  { weight: 1, arbitrary: grid }
);
/** Meshes of many small triangles. */
const smallShape: fc.Arbitrary<Shape> = snapped(
  fc.oneof(
    { weight: 5, arbitrary: grid },
    { weight: 2, arbitrary: triangle(2) },
    { weight: 1, arbitrary: triangle(6) },
    { weight: 2, arbitrary: cover }
  )
);

/** Depths of vertices: one for all, or one each; sometimes out of range. Multiples of 1/8, so that many are equal. */
const eighths = (low: number, high: number): fc.Arbitrary<number> => sixteenths(low, high).map((n) => n * 2);
const depths: fc.Arbitrary<readonly number[]> = fc.oneof(
  { weight: 3, arbitrary: eighths(0, 8).map((z) => [z]) },
  { weight: 3, arbitrary: fc.array(eighths(0, 8), { minLength: 3, maxLength: 5 }) },
  { weight: 1, arbitrary: fc.array(eighths(-4, 12), { minLength: 3, maxLength: 3 }) }
);
/** The same for w; sometimes negative (behind the eye). */
const ws: fc.Arbitrary<readonly number[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant([1]) },
  { weight: 3, arbitrary: fc.array(fc.constantFrom(0.5, 1, 2, 3), { minLength: 3, maxLength: 5 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(-0.5, 0, 0.25, 1), { minLength: 3, maxLength: 3 }) }
);

const placed = (shape: fc.Arbitrary<Shape>): fc.Arbitrary<Omit<Mesh, 'indexFormat'>> =>
  fc
    .tuple(shape, depths, ws)
    .map(([{ points, indices }, z, w]) => ({
      vertices: points.map(([x, y], i) => [x, y, z[i % z.length]!, w[i % w.length]!] as const),
      indices,
    }));
const meshOf = (shape: fc.Arbitrary<Shape>, parts: number): fc.Arbitrary<Mesh> =>
  fc
    .tuple(
      fc.array(placed(shape), { minLength: 1, maxLength: parts }),
      fc.constantFrom<GPUIndexFormat | null>(null, 'uint16', 'uint32')
    )
    .map(([placedParts, indexFormat]) => {
      const vertices = placedParts.flatMap((part) => part.vertices);
      let first = 0;
      const indices = placedParts.flatMap((part) => {
        const base = first;
        first += part.vertices.length;
        return [...(base ? [-1] : []), ...part.indices.map((index) => index + base)];
      });
      return { vertices, indices, indexFormat };
    });

const component: fc.Arbitrary<GPUBlendComponent> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record(
      {
        operation: fc.constantFrom<GPUBlendOperation>('add', 'subtract', 'reverse-subtract'),
        srcFactor: fc.constantFrom(...FACTORS),
        dstFactor: fc.constantFrom(...FACTORS),
      },
      OBJECTS
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom<GPUBlendComponent>(
      { operation: 'add', srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
      { operation: 'add', srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
      { operation: 'add', srcFactor: 'one', dstFactor: 'one' }
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<GPUBlendComponent>(
      { operation: 'min', srcFactor: 'one', dstFactor: 'one' },
      { operation: 'max', srcFactor: 'one', dstFactor: 'one' }
    ),
  }
);
const blend: fc.Arbitrary<GPUBlendState | null> = often<GPUBlendState | null>(
  1,
  null,
  fc.oneof(
    fc.record({ color: component, alpha: component }, OBJECTS),
    component.map((both) => ({ color: both, alpha: both }))
  )
);
const face: fc.Arbitrary<GPUStencilFaceState> = fc.record(
  {
    compare: fc.constantFrom(...COMPARES),
    failOp: fc.constantFrom(...OPERATIONS),
    depthFailOp: fc.constantFrom(...OPERATIONS),
    passOp: fc.constantFrom(...OPERATIONS),
  },
  OBJECTS
);
const byte = fc.oneof(fc.constantFrom(0, 1, 254, 255), fc.integer({ min: 0, max: 255 }));

const primitive = fc.record(
  {
    topology: often<'triangle-list' | 'triangle-strip'>(5, 'triangle-list', fc.constant('triangle-strip')),
    cullMode: often<GPUCullMode>(4, 'none', fc.constantFrom('front', 'back')),
    frontFace: fc.constantFrom<GPUFrontFace>('ccw', 'cw'),
    unclippedDepth: often(4, false, fc.constant(true)),
  },
  OBJECTS
);
const bias: fc.Arbitrary<Look['bias']> = often<Look['bias']>(
  5,
  null,
  fc.record(
    {
      depthBias: fc.integer({ min: -2_000_000, max: 2_000_000 }),
      depthBiasSlopeScale: sixteenths(-64, 64),
      depthBiasClamp: fc.constantFrom(0, 0, 0.01, -0.01),
    },
    OBJECTS
  )
);
const writeMask = often(6, 15, fc.integer({ min: 0, max: 15 }));

/** Any state at all. */
const anyLook: fc.Arbitrary<Look> = fc.record(
  {
    kind: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...kinds) },
      { weight: 1, arbitrary: fc.constantFrom<Kind>('discards', 'fragDepth', 'maskOut') }
    ),
    primitive,
    bias,
    depthCompare: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...COMPARES) },
      {
        weight: 2,
        arbitrary: fc.constantFrom<GPUCompareFunction>('less', 'less-equal', 'greater-equal', 'not-equal', 'always'),
      }
    ),
    depthWrite: often(3, true, fc.constant(false)),
    stencil: fc.option(
      fc.record({ stencilFront: face, stencilBack: face, stencilReadMask: byte, stencilWriteMask: byte }, OBJECTS)
    ),
    blends: fc.tuple(blend, blend, blend),
    writeMasks: fc.tuple(writeMask, writeMask, writeMask),
    sampleMask: often(8, 0xffffffff, fc.integer({ min: 0, max: 15 })),
    alphaToCoverage: often(8, false, fc.constant(true)),
  },
  OBJECTS
);

/**
 * Most real draw calls: a consistent depth comparison and little blending. These take the shortest fast path, which
 * must be correct.
 */
const layerLook = (compares: readonly GPUCompareFunction[]): fc.Arbitrary<Look> =>
  fc.record(
    {
      kind: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom<Kind>('constant', 'flat', 'flat', 'smooth', 'smooth') },
        { weight: 3, arbitrary: fc.constantFrom(...kinds) }
      ),
      primitive: fc.record(
        {
          topology: fc.constant('triangle-list' as const),
          cullMode: fc.constant('none' as const),
          frontFace: fc.constant('ccw' as const),
          unclippedDepth: fc.boolean(),
        },
        OBJECTS
      ),
      bias: fc.constant(null),
      depthCompare: fc.constantFrom(...compares),
      depthWrite: often(5, true, fc.constant(false)),
      stencil: fc.constant(null),
      blends: often<Look['blends']>(4, [null, null, null], fc.tuple(blend, blend, blend)),
      writeMasks: often<Look['writeMasks']>(4, [15, 15, 15], fc.tuple(writeMask, writeMask, writeMask)),
      sampleMask: often(8, 0xffffffff, fc.integer({ min: 1, max: 15 })),
      alphaToCoverage: fc.constant(false),
    },
    OBJECTS
  );

const share = sixteenths(0, 16);
const viewport: fc.Arbitrary<Draw['viewport']> = fc
  .tuple(sixteenths(-8, 12), sixteenths(-8, 12), sixteenths(1, 24), sixteenths(1, 24), share, share)
  .map(([x, y, w, h, a, b]) => [x, y, w, h, Math.min(a, b), Math.max(a, b)] as const);
const scissor: fc.Arbitrary<Draw['scissor']> = fc.tuple(sixteenths(0, 8), sixteenths(0, 8), share, share);

const drawOf = (looks: readonly Look[], meshes: fc.Arbitrary<Mesh>, set: number): fc.Arbitrary<Draw> =>
  fc.record(
    {
      look: fc.constantFrom(...looks),
      mesh: meshes,
      instances: often(4, 1, fc.constantFrom(2, 3, 0)),
      skip: often(3, 0, fc.integer({ min: 1, max: 5 })),
      viewport: often<Draw['viewport']>(set, null, viewport),
      scissor: often<Draw['scissor']>(set, null, scissor),
      blendConstant: fc.tuple(share, share, share, share),
      stencilReference: byte,
      isAsked: often(2, false, fc.constant(true)),
    },
    OBJECTS
  );
/** Draw calls share a few looks, as in real passes; each is printed in full. */
const drawsOf = (look: fc.Arbitrary<Look>, meshes: fc.Arbitrary<Mesh>, set: number): fc.Arbitrary<readonly Draw[]> =>
  fc
    .array(look, { minLength: 1, maxLength: 3 })
    .chain((looks) => fc.noBias(fc.array(drawOf(looks, meshes, set), { minLength: 1, maxLength: 12, size: 'max' })));

/** Resolved attachments need not be stored, and often are not. */
const passOf = (draws: fc.Arbitrary<readonly Draw[]>, samples: number): fc.Arbitrary<Pass> =>
  fc.record(
    {
      draws,
      clearsColor: fc.boolean(),
      clearsDepth: fc.boolean(),
      clearsStencil: fc.boolean(),
      storeOp: often<GPUStoreOp>(samples === 1 ? 20 : 2, 'store', fc.constant('discard')),
      depthStoreOp: often<GPUStoreOp>(8, 'store', fc.constant('discard')),
      readOnly: often(3, false, fc.constant(true)),
    },
    OBJECTS
  );

type Scene = Pick<Frame, 'passes' | 'clearDepth' | 'depth'>;

const anyScene = (samples: number): fc.Arbitrary<Scene> =>
  fc.record(
    {
      passes: fc.array(passOf(drawsOf(anyLook, meshOf(anyShape, 3), 4), samples), { minLength: 1, maxLength: 2 }),
      clearDepth: fc.oneof(fc.constantFrom(0, 1), share),
      depth: fc.constantFrom<GPUTextureFormat | null>(
        null,
        ...DEPTHS,
        'depth32float',
        'depth24plus-stencil8',
        'depth24plus-stencil8'
      ),
    },
    OBJECTS
  );
/** Layers whose depth comes nearer or goes farther; other comparisons are mixed in. */
const layers = (
  samples: number,
  compares: readonly GPUCompareFunction[],
  clearDepth: number,
  shape: fc.Arbitrary<Shape>
): fc.Arbitrary<Scene> =>
  fc
    .record(
      {
        pass: passOf(drawsOf(layerLook(compares), meshOf(shape, 2), 20), samples),
        depth: fc.constantFrom<GPUTextureFormat>(
          'depth32float',
          'depth32float',
          'depth24plus-stencil8',
          'depth16unorm'
        ),
      },
      OBJECTS
    )
    .map(({ pass, depth }) => ({ passes: [pass], clearDepth, depth }));
const sceneOf = (samples: number): fc.Arbitrary<Scene> =>
  fc.oneof(
    { weight: 5, arbitrary: anyScene(samples) },
    { weight: 3, arbitrary: layers(samples, ['less', 'less', 'less-equal'], 1, largeShape) },
    { weight: 2, arbitrary: layers(samples, ['greater', 'greater-equal'], 0, largeShape) },
    {
      weight: 2,
      arbitrary: layers(samples, ['less', 'less-equal', 'always', 'greater', 'not-equal', 'equal'], 0.5, largeShape),
    },
    { weight: 3, arbitrary: layers(samples, ['less', 'less-equal'], 1, smallShape) }
  );

/**
 * Color attachments use at most 32 bytes per sample (WebGPU §3.6.2): one of the long formats, and none besides the
 * longest.
 */
const isLong = (format: GPUTextureFormat): boolean => format === 'rgba32float';
const affordable = (formats: readonly GPUTextureFormat[]): boolean => formats.length === 1 || !formats.some(isLong);
const targets = (formats: readonly GPUTextureFormat[]): fc.Arbitrary<readonly GPUTextureFormat[]> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom<GPUTextureFormat>('rgba8unorm', 'bgra8unorm')) },
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...formats)) },
    {
      weight: 2,
      arbitrary: fc.array(fc.constantFrom(...formats), { minLength: 0, maxLength: MAX_TARGETS }).filter(affordable),
    }
  );

/** Mostly the counts that every device supports. */
const sampleCount: fc.Arbitrary<SampleCount> = fc.constantFrom(1, 1, 4, 4, 2, 8, 8, 16);

export const frame: fc.Arbitrary<Frame> = sampleCount
  .chain((samples) =>
    fc.record(
      {
        samples: fc.constant(samples),
        size: fc.constantFrom(...SIZES),
        targets: targets(samples === 1 ? ONE_SAMPLE : MANY_SAMPLES),
        clearColor: fc.tuple(share, share, share, share),
        clearStencil: byte,
        scene: sceneOf(samples),
      },
      OBJECTS
    )
  )
  .map(({ size: [width, height], scene: { passes, clearDepth, depth }, ...rest }) => ({
    // Depth that was never cleared is 0, which hides everything: the first pass clears it.
    width,
    height,
    ...rest,
    depth,
    clearDepth,
    passes: passes.map((pass, i) => (i === 0 ? { ...pass, clearsDepth: true, readOnly: false } : pass)),
  }))
  // A pass without attachments is invalid.
  .filter(({ targets: colors, depth }) => colors.length > 0 || depth !== null);
