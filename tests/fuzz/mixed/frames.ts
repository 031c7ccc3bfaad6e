// Mixed frames by seed: a few passes with the same attachments and pipelines of all kinds. Neighboring seeds share
// pipelines, whose creation takes longer than drawing a small frame.
import type { ShadingRate, ShadingRateCombiner } from '../../../src/index';
import { Dice } from '../dice';
import { lookOf, MAP_READS, setupOf, type Look, type Setup } from './looks';
import { meshOf, type Triangle } from './meshes';

interface DrawRate {
  readonly rate: ShadingRate;
  readonly combiners: Readonly<Partial<Record<'primitive' | 'region' | 'depth', ShadingRateCombiner>>>;
}
export interface Draw {
  /** Index of its pipeline among the frame's looks. */
  readonly look: number;
  readonly mesh: readonly Triangle[];
  readonly instances: number;
  /** Vertices and instances before the first one drawn. */
  readonly skip: number;
  readonly isIndexed: boolean;
  /** Source of its arguments: the call, a written buffer, or one changed by a compute pass. */
  readonly source: 'call' | 'written' | 'computed';
  readonly isBundled: boolean;
  readonly isAsked: boolean;
  /** Fractions of the frame: x, y, width, height. */
  readonly viewport: readonly [number, number, number, number] | null;
  readonly scissor: readonly [number, number, number, number] | null;
  readonly isIndependent: boolean;
  readonly rate: DrawRate | null;
  /** Of a modular pipeline: which slots after the first are enabled for this draw call. */
  readonly enabled: readonly boolean[] | null;
}
export interface Pass {
  readonly clears: boolean;
  readonly draws: readonly Draw[];
  readonly table: { readonly near: number; readonly far: number; readonly rates: readonly ShadingRate[] } | null;
  readonly hasRegion: boolean;
  readonly hasViews: boolean;
}
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly setup: Setup;
  readonly looks: readonly Look[];
  readonly passes: readonly Pass[];
  /** How pages of the texture that shaders read arrive; null: the texture is resident. */
  readonly stream: { readonly maxConcurrentLoads: number; readonly delays: readonly number[] } | null;
  /** Whether a compute pass reads what the first pass has stored, before the second one. */
  readonly computes: boolean;
  /** Whether the frame is drawn again after the previous one was read, or immediately. */
  readonly waits: boolean;
}

/** Number of seeds that share their pipelines. */
export const FAMILY = 64;
const SETUPS = 3;
const LOOKS = 7;
const RATES: readonly ShadingRate[] = ['1x1', '1x2', '2x1', '2x2', '2x4', '4x2', '4x4'];
const COMBINERS: readonly ShadingRateCombiner[] = ['keep', 'replace', 'finest', 'coarsest', 'average', 'product'];
const SIZES: readonly (readonly [number, number])[] = [
  [8, 8],
  [8, 8],
  [6, 5],
  [11, 7],
  [16, 16],
  [16, 16],
  [13, 21],
  [24, 9],
  [32, 32],
  [1, 1],
  [64, 64],
  [67, 10],
];
const LARGE: readonly (readonly [number, number])[] = [
  [64, 64],
  [90, 70],
  [67, 40],
  [136, 72],
];

let family = -1;
let members: readonly { readonly setup: Setup; readonly looks: readonly Look[] }[] = [];
function familyOf(seed: number): typeof members {
  const number = Math.floor(seed / FAMILY);
  if (number === family) return members;
  const dice = new Dice(Math.imul(number, 0x85ebca6b) ^ 0x5bd1e995);
  members = Array.from({ length: SETUPS }, () => {
    const setup = setupOf(dice);
    return { setup, looks: Array.from({ length: LOOKS }, () => lookOf(dice, setup)) };
  });
  family = number;
  return members;
}

export const readsMap = ({ vertex, fragment }: Look): boolean =>
  vertex.readsMap || fragment.stages.some(({ steps }) => steps.some(({ kind }) => MAP_READS.has(kind)));

const share = (dice: Dice): [number, number, number, number] => {
  const x = dice.below(8) / 8;
  const y = dice.below(8) / 8;
  return [x, y, ((1 - x) * (1 + dice.below(4))) / 4, ((1 - y) * (1 + dice.below(4))) / 4];
};
const rateOf = (dice: Dice): DrawRate => ({
  rate: dice.pick(RATES),
  combiners: {
    ...(dice.chance(0.4) && { primitive: dice.pick(COMBINERS) }),
    ...(dice.chance(0.4) && { region: dice.pick(COMBINERS) }),
    ...(dice.chance(0.4) && { depth: dice.pick(COMBINERS) }),
  },
});

function drawOf(dice: Dice, looks: readonly Look[], hasRates: boolean): Draw {
  const look = dice.below(looks.length);
  const { vertex, fragment } = looks[look]!;
  const mesh = meshOf(dice, 16);
  const few = vertex.slots ? 2 : 4;
  return {
    look,
    mesh,
    instances: dice.chance(0.7) ? 1 : dice.chance(0.8) ? 1 + dice.below(few) : few * 6,
    skip: dice.chance(0.85) ? 0 : 1 + dice.below(3),
    isIndexed: dice.chance(0.35),
    source: dice.chance(0.8) ? 'call' : dice.pick(['written', 'computed'] as const),
    isBundled: dice.chance(0.15),
    isAsked: dice.chance(0.1),
    viewport: dice.chance(0.12) ? share(dice) : null,
    scissor: dice.chance(0.12) ? share(dice) : null,
    isIndependent: fragment.commutes && dice.chance(0.7),
    rate: hasRates && dice.chance(0.7) ? rateOf(dice) : null,
    enabled: vertex.slots && dice.chance(0.5) ? vertex.slots.map(() => dice.chance(0.6)) : null,
  };
}

function passOf(dice: Dice, looks: readonly Look[], isFirst: boolean): Pass {
  const hasTable = dice.chance(0.15);
  const hasRegion = dice.chance(0.1);
  const hasRates = hasTable || hasRegion || dice.chance(0.1);
  const [near, far] = dice.pick([
    [0, 1],
    [1, 0],
    [0.25, 0.75],
    [0.9, 1],
  ]) as [number, number];
  return {
    clears: isFirst || dice.chance(0.3),
    hasRegion,
    hasViews: dice.chance(0.2),
    table: hasTable ? { near, far, rates: Array.from({ length: dice.pick([4, 8]) }, () => dice.pick(RATES)) } : null,
    draws: Array.from({ length: 1 + dice.below(dice.chance(0.3) ? 10 : 4) }, () => drawOf(dice, looks, hasRates)),
  };
}

export function frameOf(seed: number): Frame {
  const dice = new Dice(seed);
  const { setup, looks: all } = dice.pick(familyOf(seed));
  const [width, height] = dice.pick(dice.chance(0.1) ? LARGE : SIZES);
  const first = dice.below(all.length);
  const count = 1 + dice.below(4);
  const looks = Array.from({ length: count }, (_, i) => all[(first + i) % all.length]!);
  const passes = [passOf(dice, looks, true)];
  while (passes.length < 3 && dice.chance(0.3)) passes.push(passOf(dice, looks, false));
  const delays = Array.from({ length: 1 + dice.below(3) }, () => dice.below(4) - 1);
  return {
    width,
    height,
    setup,
    looks,
    passes,
    computes: dice.chance(0.3),
    waits: dice.chance(0.3),
    stream: looks.some(readsMap) && dice.chance(0.5) ? { maxConcurrentLoads: 1 + dice.below(8), delays } : null,
  };
}
