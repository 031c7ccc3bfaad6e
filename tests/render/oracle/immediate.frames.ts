// Random frames: everything that determines what a render pass writes, as data that a failing test can print. Positions
// are in 1/256 pixels.
import * as fc from 'fast-check';
import type { SampleCount } from '../../../src/gltf/gpu/sample-count';
import type { Draw, Frame, Look, Mesh, Pass } from './immediate.frame';
import { kinds, type Kind } from './immediate.shaders';
import { OBJECTS, anyShape, largeShape, meshOf, often, sixteenths, smallShape, type Shape } from './immediate.shapes';

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
