// Generated programs for both engines: a seed determines a program, its inputs, and the active lanes.
import {
  FORMAT_BGRA8UNORM,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R8UNORM,
  FORMAT_RG8UNORM,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
} from '../../assembly/layout/texture/formats';
import { WARP_QUADS } from '../../assembly/layout/limits';
import { STATUS_DONE } from '../../assembly/layout/status';
import {
  DIMENSION_1D,
  DIMENSION_2D,
  DIMENSION_2D_ARRAY,
  DIMENSION_3D,
  DIMENSION_CUBE,
  DIMENSION_CUBE_ARRAY,
} from '../../assembly/layout/texture/texture-codes';
import { Sampler } from '../../build/layout';
import { encodeBytecode } from '../../src/codegen';
import { accessUse, optimize, print, type IrProgram } from '../../src/ir';
import { arbitraryProgram, exactOps, inexactOps } from '../ir/arbitrary';
import { BUFFER_BYTES, SAMPLERS, TEXEL, TEXTURES } from '../ir/arbitrary.resources';
import { randomBits } from '../ir/arbitrary.writer';
import { f32 } from '../ir/words';
import { reduce } from '../ir/reduce';
import type { TestKernel } from '../support/kernel';
import { kernelMath } from '../support/kernel-math';
import { Random } from '../support/random';
import { buildTexture, generator, writeSampler } from '../texture/harness';
import { compileProgram, LANES, SURFACE_SIDE, type WarpRunner, type WarpOptions, type WarpResult } from './warp';

interface GeneratedCase {
  readonly seed: number;
  readonly program: IrProgram;
}

/** Generates a program of any size, optimized or not. */
export function generateCase(seed: number): GeneratedCase {
  const random = new Random(seed);
  const names = random.chance(25) ? [...exactOps, ...inexactOps, ...inexactOps] : exactOps;
  const wide = random.chance(75);
  const raw = arbitraryProgram(random.bits(), {
    statements: 5 + random.below(random.chance(20) ? 120 : 50),
    names,
    wide,
    textures: wide && random.chance(40),
    surfaces: seed % 4 === 0,
    storage: seed % 4 === 2,
    lanes: seed % 4 === 1,
  });
  return { seed, program: random.chance(75) ? optimize(raw, kernelMath) : raw };
}

/** Inputs by meaning, so that a reduced program gets the same ones. */
function inputsOf(program: IrProgram, seed: number): readonly (readonly number[])[] {
  return program.inputs.map((input) => {
    // Each lane has its own pixel.
    if (input.kind === 'varying' && input.location === TEXEL.x)
      return Array.from({ length: LANES }, (_, lane) => lane % SURFACE_SIDE);
    if (input.kind === 'varying' && input.location === TEXEL.y)
      return Array.from({ length: LANES }, (_, lane) => Math.floor(lane / SURFACE_SIDE));
    const random = new Random(seed ^ Math.imul(input.kind === 'varying' ? input.location + 1 : 99, 0x9e3779b1));
    return Array.from({ length: LANES }, () => randomBits(random, input.type));
  });
}

/** A NaN of any sign and payload. */
const randomNaN = (random: Random): number =>
  ((random.bits() & 0x80000000) | 0x7f800000 | (random.below(0x7fffff) + 1)) >>> 0;

function withOtherNaNs(
  program: IrProgram,
  inputs: readonly (readonly number[])[],
  seed: number
): readonly (readonly number[])[] {
  const random = new Random(~seed);
  return inputs.map((lanes, k) =>
    program.inputs[k]!.type === 'f32'
      ? lanes.map((bits) => (Number.isNaN(f32(bits)) ? randomNaN(random) : bits))
      : lanes
  );
}

/** Active lanes and quads, by seed. Derivatives need whole quads. */
function lanesOf(program: IrProgram, seed: number): Required<Pick<WarpOptions, 'exec' | 'quads' | 'garbage'>> {
  const random = new Random(seed ^ 0x51ed270b);
  // The interpreter runs one quad at a time if they write.
  const most = accessUse(program).shares ? 1 : WARP_QUADS;
  const quads = random.chance(50) ? most : 1 + random.below(most);
  const kind = random.below(3);
  const mask = random.bits();
  const unit = program.usesDerivatives ? 4 : 1;
  const exec = (lane: number): boolean => kind === 0 || ((mask >>> (Math.floor(lane / unit) % 32)) & 1) === 1;
  return { quads, exec, garbage: random.pick([0, 0x7fa00001, 0xffffffff, 0x3f800000]) };
}

const DIMENSIONS = {
  '1d': DIMENSION_1D,
  '2d': DIMENSION_2D,
  '2d-array': DIMENSION_2D_ARRAY,
  '3d': DIMENSION_3D,
  cube: DIMENSION_CUBE,
  'cube-array': DIMENSION_CUBE_ARRAY,
} as const;
const FORMATS = [
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
  FORMAT_BGRA8UNORM,
  FORMAT_R8UNORM,
  FORMAT_RG8UNORM,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA16FLOAT,
];

/** Textures and samplers by seed; the two that may be read together often have the same size. */
function textures(kernel: TestKernel, seed: number): ReadonlyMap<number, number> {
  const random = new Random(seed ^ 0x2c1b3c6d);
  const pick = generator(seed);
  const bound = new Map<number, number>();
  const side = (): number => 1 + random.below(random.chance(30) ? 2 : 12);
  let [width, height] = [side(), side()];
  TEXTURES.forEach(({ binding, dimension, sampled }) => {
    if (binding > 2 || random.chance(30)) [width, height] = [side(), dimension === 'cube' ? width : side()];
    if (dimension === 'cube') height = width;
    const depth = dimension === '3d' ? side() : 1;
    const layers = dimension === 'cube' ? 6 : dimension === '2d-array' ? 1 + random.below(4) : 1;
    const most = 32 - Math.clz32(Math.max(width, height, depth));
    const levels = random.chance(60) ? most : 1 + random.below(most);
    const format = sampled === 'depth' ? FORMAT_DEPTH32FLOAT : random.pick(FORMATS);
    const base = kernel.alloc(64 * 1024);
    buildTexture(
      { buffer: kernel.memory.buffer, base },
      { format, dimension: DIMENSIONS[dimension], width, height, depth, layers, levels },
      pick
    );
    bound.set(binding, base);
  });
  for (const sampler of SAMPLERS) {
    const base = kernel.alloc(Sampler.bytes);
    const [mag, min, mip] = [random.below(2), random.below(2), random.below(2)];
    const compare = sampler.kind === 'sampler' && sampler.comparison ? 1 + random.below(8) : 0;
    writeSampler(
      { buffer: kernel.memory.buffer, base },
      {
        mag,
        min,
        mip,
        u: random.below(3),
        v: random.below(3),
        w: random.below(3),
        lodMin: random.below(2) / 2,
        lodMax: random.chance(70) ? 32 : 1.5,
        compare,
      }
    );
    if ('binding' in sampler) bound.set(sampler.binding, base);
  }
  return bound;
}

/** Describes the difference of two results. NaNs count as equal where bits of floats are stored. */
function difference(
  program: IrProgram,
  a: WarpResult,
  b: WarpResult,
  { quads, exec }: { quads: number; exec: (lane: number) => boolean }
): string | null {
  if (a.status !== b.status) return `status ${a.status} and ${b.status}`;
  if (a.status !== STATUS_DONE) return null;
  for (let lane = 0; lane < quads * 4; lane++) {
    if (!exec(lane)) continue;
    for (const [k, { type }] of program.outputs.entries()) {
      const [x, y] = [a.outputs[k]![lane]!, b.outputs[k]![lane]!];
      if (x !== y && !(type === 'f32' && Number.isNaN(f32(x)) && Number.isNaN(f32(y))))
        return `output ${k} of lane ${lane}: ${x.toString(16)} and ${y.toString(16)}`;
    }
    if (a.killed[lane] !== b.killed[lane])
      return `discard of lane ${lane}: ${a.killed[lane]!.toString(16)} and ${b.killed[lane]!.toString(16)}`;
  }
  if (a.surface.some((word, i) => word !== b.surface[i])) return 'what was stored to the surface';
  if (a.buffers.some((byte, i) => byte !== b.buffers[i])) return 'what was stored to buffers and images';
  return null;
}

/** Runs a program on the interpreter, compiled, and compiled with other NaNs. Returns the difference, or null. */
export function disagreement(runner: WarpRunner, program: IrProgram, seed: number): string | null {
  const encoded = encodeBytecode(program);
  // Surface accesses are in the order of quads, so two quads are never compiled together.
  const compiled = compileProgram(program, encoded, seed % 2 === 1 && !accessUse(program).accesses ? 2 : 1);
  const inputs = inputsOf(program, seed);
  const random = new Random(seed ^ 0x7feb352d);
  const buffers = new Map([
    [0, Uint8Array.from({ length: BUFFER_BYTES }, () => random.below(256) & (random.chance(50) ? 3 : 255))],
  ]);
  const words = program.resources.findIndex((resource) => resource.kind === 'storage' && resource.writable);
  if (words >= 0)
    buffers.set(
      words,
      Uint8Array.from({ length: random.pick([4, 48, 64]) }, () => random.below(256))
    );
  const lanes = {
    ...lanesOf(program, seed),
    ...(program.resources.some(({ kind }) => kind === 'texture')
      ? { bind: (kernel: TestKernel) => textures(kernel, seed) }
      : {}),
    surface: program.resources.findIndex(({ kind }) => kind === 'surface'),
    image: program.resources.findIndex(({ kind }) => kind === 'image'),
  };
  const interpreted = runner.run(encoded, inputs, buffers, lanes);
  const different = difference(
    program,
    interpreted,
    runner.run(encoded, inputs, buffers, { ...lanes, compiled }),
    lanes
  );
  if (different !== null) return `interpreter and compiled code: ${different}`;
  const faces = withOtherNaNs(program, inputs, seed);
  const seen = difference(program, interpreted, runner.run(encoded, faces, buffers, { ...lanes, compiled }), lanes);
  return seen === null ? null : `a NaN's bits are seen: ${seen}`;
}

/** Reduces a failing case. Returns its message with the program. */
export function explain(runner: WarpRunner, { program, seed }: GeneratedCase): string {
  /** An exception counts as a disagreement like any other of its kind. */
  const outcome = (candidate: IrProgram): string | null => {
    try {
      return disagreement(runner, candidate, seed);
    } catch (error) {
      return `exception: ${(error as Error).message}`;
    }
  };
  const kind = (text: string | null): string | undefined => text?.split(/[:%\d]/, 1)[0];
  const first = outcome(program);
  const small = reduce(program, (candidate) => kind(outcome(candidate)) === kind(first), 4000);
  const lines = print(small)
    .split('\n')
    .filter((line) => !/^(out|v|a)\d/.test(line));
  return `seed ${seed}: ${outcome(small)}\n${lines.join('\n')}`;
}

/** Runs a case; throws with a reduced program if the engines disagree. */
export function expectAgreement(runner: WarpRunner, seed: number): void {
  const generated = generateCase(seed);
  let failed: boolean;
  try {
    failed = disagreement(runner, generated.program, seed) !== null;
  } catch {
    failed = true;
  }
  if (failed) throw new Error(explain(runner, generated));
}
