// Descriptions of the mixed frames' pipelines, as data that a failure can print: the shader of each stage as a list of
// steps (shader.ts turns them into WGSL), and the pipeline state.
import type { Dice } from '../dice';

type Samples = 1 | 2 | 4 | 8 | 16;

/** Formats shared by all pipelines of a frame. */
export interface Setup {
  readonly samples: Samples;
  readonly targets: readonly GPUTextureFormat[];
  readonly depth: GPUTextureFormat | null;
}

/**
 * Storage accesses.
 * - `words`, `counts` and `pairs` are buffers with an element per pixel.
 * - `cells` are atomics with one per pixel, whose result is used.
 * - `sums` are atomics shared by all pixels, whose result is unused.
 * - `list` is a list that pixels append to, which reveals their order.
 * - `image` and `surface` are storage textures, accessed at the pixel's own position.
 */
const ACCESSES = ['words', 'counts', 'pairs', 'cells', 'sums', 'list', 'image', 'surface'] as const;
type Access = (typeof ACCESSES)[number];
type StepKind =
  | Access
  | 'mix'
  | 'add'
  | 'ballot'
  | 'swap'
  | 'first'
  | 'elect'
  | 'derive'
  | 'sample'
  | 'level'
  | 'load'
  | 'discard'
  | 'below';
/** Subgroup operations: their results depend on which lanes of a quad are active. */
export const SUBGROUPS: ReadonlySet<StepKind> = new Set(['add', 'ballot', 'swap', 'first', 'elect']);
/** Steps that read `map`, a texture whose pages may arrive late. */
export const MAP_READS: ReadonlySet<StepKind> = new Set(['sample', 'level', 'load']);

export interface Step {
  readonly kind: StepKind;
  /** Varies steps of a kind. */
  readonly k: number;
  /** Surrounding control flow: a branch on a hash, a branch on a color, or a loop. */
  readonly within: 'hash' | 'value' | 'loop' | null;
}
export type Rate = 'coarse' | 'pixel' | 'sample';
export interface Stage {
  readonly rate: Rate;
  readonly steps: readonly Step[];
}

export interface FragmentLook {
  /** A single stage without a rate is a whole shader. */
  readonly stages: readonly Stage[];
  readonly isWhole: boolean;
  readonly interpolation: string;
  /** By target: whether the last stage uses framebuffer fetch. */
  readonly fetches: readonly boolean[];
  readonly readsDepth: boolean;
  readonly readsSampleIndex: boolean;
  readonly readsMask: boolean;
  readonly readsRate: boolean;
  readonly writesMask: boolean;
  readonly writesDepth: boolean;
  readonly testsEarly: boolean;
  /** Number of dispatchSamples calls; 0: the shader returns its result. */
  readonly dispatches: number;
  /** With the unordered interlock: it counts fragments in integer targets. */
  readonly isUnordered: boolean;
  /** Colors depend on the primitive index only, so that any order of fragments gives the same maximum. */
  readonly commutes: boolean;
}

/** A slot of a modular pipeline. */
export interface Slot {
  readonly kind: 'vertex' | 'geometry' | 'primitive' | 'tessellation';
  readonly k: number;
  readonly enabled: boolean;
  /** The slot whose packets it takes: from the first one, 0, to the one before it. */
  readonly from: number;
}
export interface VertexLook {
  /** Slots of a modular pipeline after its first one; null: a render pipeline. */
  readonly slots: readonly Slot[] | null;
  /** Index of the slot whose vertices are also streamed into a buffer; null: none. */
  readonly sinkFrom: number | null;
  readonly topology: 'triangle-list' | 'triangle-strip' | 'line-list' | 'point-list';
  readonly clipDistances: number;
  readonly givesRate: boolean;
  readonly readsMap: boolean;
}

export interface Look {
  readonly vertex: VertexLook;
  readonly fragment: FragmentLook;
  readonly blends: readonly (GPUBlendState | null)[];
  readonly writeMasks: readonly number[];
  readonly compare: GPUCompareFunction;
  readonly writesDepth: boolean;
  readonly stencil: GPUStencilFaceState | null;
  readonly sampleMask: number;
  readonly alphaToCoverage: boolean;
  readonly cullMode: GPUCullMode;
  readonly bias: number;
  readonly unclippedDepth: boolean;
}

export const isFloat = (format: GPUTextureFormat): boolean => !/int$/.test(format);
/** Formats that WebGPU can blend without further features. */
const isBlendable = (format: GPUTextureFormat): boolean => isFloat(format) && !/32float$/.test(format);
export const hasDepth = (format: GPUTextureFormat | null): boolean => format !== null && format.startsWith('depth');
export const hasStencil = (format: GPUTextureFormat | null): boolean => format !== null && format.includes('stencil');

const FIRST: readonly GPUTextureFormat[] = [
  'rgba8unorm',
  'rgba8unorm',
  'rgba16float',
  'rgba8unorm-srgb',
  'r8unorm',
  'rgb10a2unorm',
  'bgra8unorm',
];
const SECOND: readonly GPUTextureFormat[] = [
  'r32uint',
  'rgba16float',
  'rgba8unorm',
  'r32float',
  'rgba8uint',
  'rg16float',
];
const DEPTHS: readonly (GPUTextureFormat | null)[] = [
  'depth32float',
  'depth32float',
  'depth24plus',
  'depth16unorm',
  'depth24plus-stencil8',
  null,
];
const COMPARES: readonly GPUCompareFunction[] = [
  'less',
  'less',
  'less-equal',
  'less-equal',
  'greater',
  'always',
  'always',
  'not-equal',
  'equal',
  'greater-equal',
];
const FACTORS: readonly GPUBlendFactor[] = [
  'one',
  'zero',
  'src-alpha',
  'one-minus-src-alpha',
  'dst',
  'one-minus-dst-alpha',
  'src',
  'constant',
];
const STENCILS: readonly GPUStencilOperation[] = [
  'keep',
  'replace',
  'invert',
  'increment-wrap',
  'decrement-clamp',
  'zero',
];
const INTERPOLATIONS = [
  'perspective',
  'perspective',
  'linear',
  'perspective, centroid',
  'linear, sample',
  'perspective, sample',
];
const OVER: GPUBlendState = {
  color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};
const MOST: GPUBlendComponent = { operation: 'max', srcFactor: 'one', dstFactor: 'one' };
/** Probabilities of pipeline features: each is far from 0 and 1, so that features are combined. */
const OFTEN = 0.4;
const SOMETIMES = 0.2;
const SELDOM = 0.08;

export function setupOf(dice: Dice): Setup {
  const targets = [dice.pick(FIRST)];
  while (targets.length < 3 && dice.chance(0.45)) targets.push(dice.pick(SECOND));
  return { samples: dice.pick<Samples>([1, 1, 1, 1, 2, 4, 4, 4, 4, 8, 16]), targets, depth: dice.pick(DEPTHS) };
}

const stepOf = (dice: Dice, kind: StepKind): Step => ({
  kind,
  k: dice.below(1000),
  within: dice.chance(0.3) ? dice.pick(['hash', 'value', 'loop'] as const) : null,
});

/** `readsTarget`: whether the stage may use framebuffer fetch. */
function stepsOf(dice: Dice, rate: Rate | null, readsTarget: boolean): Step[] {
  const steps: Step[] = [];
  const some = (share: number, kinds: readonly StepKind[]): void => {
    if (dice.chance(share)) steps.push(stepOf(dice, dice.pick(kinds)));
  };
  // A shader that writes excludes many other features: half of them write nothing.
  if (dice.chance(0.5)) {
    some(0.8, rate === 'coarse' ? ['words', 'sums', 'image'] : ACCESSES);
    some(0.3, ['words', 'counts', 'cells', 'sums', 'image']);
  }
  some(0.35, [...SUBGROUPS]);
  some(SOMETIMES, ['derive']);
  some(SOMETIMES, [...MAP_READS]);
  some(0.15, ['discard']);
  if (readsTarget) some(0.9, ['below']);
  some(0.7, ['mix']);
  return steps
    .map((step) => ({ step, key: dice.fraction() }))
    .sort((a, b) => a.key - b.key)
    .map(({ step }) => step);
}

const RATES: readonly (readonly Rate[])[] = [
  ['pixel', 'sample'],
  ['pixel', 'sample'],
  ['coarse', 'pixel'],
  ['coarse', 'pixel', 'sample'],
  ['pixel'],
  ['sample'],
  ['pixel', 'pixel'],
  ['coarse', 'sample'],
];

function fragmentOf(dice: Dice, setup: Setup): FragmentLook {
  const { targets, samples, depth } = setup;
  const commutes = dice.chance(0.1);
  const isWhole = commutes || dice.chance(0.65);
  const rates = isWhole ? [null] : dice.pick(RATES);
  const last = rates.at(-1);
  const ofSamples = !commutes && (isWhole || last === 'sample');
  const isUnordered = commutes && dice.chance(0.5);
  const fetches = targets.map((format) =>
    commutes ? isUnordered && !isFloat(format) : ofSamples && dice.chance(isWhole ? 0.25 : 0.5)
  );
  const fetchesAny = !commutes && fetches.includes(true);
  const stages = rates.map((rate, i): Stage => ({
    rate: rate ?? 'pixel',
    steps: stepsOf(dice, rate, fetchesAny && i === rates.length - 1),
  }));
  const dispatches = !commutes && samples > 1 && dice.chance(SOMETIMES) ? 1 + dice.below(3) : 0;
  const testsEarly = dice.chance(SELDOM);
  const atSamples = isWhole || last === 'pixel';
  return {
    stages,
    isWhole,
    interpolation: dice.pick(INTERPOLATIONS),
    fetches,
    dispatches,
    testsEarly,
    commutes,
    readsDepth: ofSamples && !testsEarly && hasDepth(depth) && dice.chance(SELDOM),
    readsSampleIndex: ofSamples && dice.chance(SOMETIMES),
    readsMask: atSamples && dice.chance(SOMETIMES),
    readsRate: dice.chance(SELDOM),
    writesMask: atSamples && dispatches === 0 && dice.chance(SELDOM),
    writesDepth: !testsEarly && hasDepth(depth) && dice.chance(SELDOM),
    isUnordered: isUnordered && fetches.includes(true),
  };
}

/**
 * `before`: the number of preceding slots, including the first. At most one tessellates: two would make too many
 * triangles.
 */
const slotOf = (dice: Dice, before: number, tessellates: boolean): Slot => ({
  kind: tessellates ? 'tessellation' : dice.pick(['vertex', 'geometry', 'primitive'] as const),
  k: dice.below(100),
  enabled: dice.chance(0.7),
  from: dice.chance(0.75) ? before - 1 : dice.below(before),
});

function vertexOf(dice: Dice): VertexLook {
  const common = { givesRate: dice.chance(SELDOM), readsMap: dice.chance(SELDOM) };
  if (dice.chance(0.25)) {
    const count = 1 + dice.below(3);
    const tessellation = dice.below(count * 2);
    const slots = Array.from({ length: count }, (_, i) => slotOf(dice, i + 1, i === tessellation));
    const sinkFrom = dice.chance(OFTEN) ? dice.below(slots.length + 1) : null;
    return { ...common, slots, sinkFrom, topology: 'triangle-list', clipDistances: 0, givesRate: false };
  }
  return {
    ...common,
    slots: null,
    sinkFrom: null,
    topology: dice.chance(0.75) ? 'triangle-list' : dice.pick(['triangle-strip', 'line-list', 'point-list'] as const),
    clipDistances: dice.chance(SELDOM) ? 1 + dice.below(2) : 0,
  };
}

function blendOf(dice: Dice): GPUBlendState {
  const component = (): GPUBlendComponent =>
    dice.chance(0.2)
      ? { operation: dice.pick<GPUBlendOperation>(['min', 'max']), srcFactor: 'one', dstFactor: 'one' }
      : {
          operation: dice.pick<GPUBlendOperation>(['add', 'subtract', 'reverse-subtract']),
          srcFactor: dice.pick(FACTORS),
          dstFactor: dice.pick(FACTORS),
        };
  return dice.chance(0.5) ? OVER : { color: component(), alpha: component() };
}

/** A pipeline for frames of this setup. */
export function lookOf(dice: Dice, setup: Setup): Look {
  const { targets, samples, depth } = setup;
  const fragment = fragmentOf(dice, setup);
  const { fetches, commutes } = fragment;
  const blends = dice.chance(0.5);
  const face = (): GPUStencilFaceState => ({
    compare: dice.pick(COMPARES),
    failOp: dice.pick(STENCILS),
    passOp: dice.pick(STENCILS),
    ...(hasDepth(depth) && { depthFailOp: dice.pick(STENCILS) }),
  });
  const masks = fragment.writesMask || fragment.dispatches > 0 || targets[0]!.startsWith('r8');
  return {
    vertex: vertexOf(dice),
    fragment,
    blends: targets.map((format, i) => {
      if (!isBlendable(format) || fetches[i]) return null;
      return commutes ? { color: MOST, alpha: MOST } : blends || dice.chance(0.1) ? blendOf(dice) : null;
    }),
    writeMasks: targets.map((format, i) =>
      fragment.isUnordered && fetches[i]
        ? 15
        : commutes && !isBlendable(format)
          ? 0
          : dice.chance(0.85)
            ? 15
            : dice.below(16)
    ),
    compare: commutes ? 'always' : dice.pick(COMPARES),
    writesDepth: !commutes && dice.chance(0.65),
    stencil: !commutes && hasStencil(depth) && dice.chance(0.7) ? face() : null,
    sampleMask: dice.chance(0.8) ? 0xffffffff : dice.below(2 ** samples),
    alphaToCoverage: samples > 1 && !masks && isBlendable(targets[0]!) && dice.chance(SELDOM),
    cullMode: dice.chance(0.8) ? 'none' : dice.pick<GPUCullMode>(['back', 'front']),
    bias: dice.chance(SELDOM) ? dice.below(2000) - 1000 : 0,
    unclippedDepth: dice.chance(SELDOM),
  };
}
