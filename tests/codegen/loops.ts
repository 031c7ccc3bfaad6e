// Loops that bench/kernels measures, for any number of iterations: emitted programs of one built-in function, texture
// sites, and chains of integer operations with known latency. Bundled to build/testing/loops.js with the testing build
// of the kernels.
import { FORMAT_RGBA8UNORM } from '../../assembly/layout/texture/formats';
import { LOOP_CHECK_INTERVAL, REGISTER_BYTES, WARP_QUADS } from '../../assembly/layout/limits';
import {
  ADDRESS_REPEAT,
  DIMENSION_2D,
  FILTER_LINEAR,
  FILTER_NEAREST,
  MODE_IMPLICIT,
} from '../../assembly/layout/texture/texture-codes';
import { Program, Resource, Sampler, Site, SiteDescription, Texture, Warp } from '../../build/layout';
import { encodeBytecode } from '../../src/codegen';
import { ModuleWriter } from '../../src/codegen/wasm/writer';
import { optimize } from '../../src/ir';
import { writeLevel } from '../../src/render/resources/level';
import { parseModule, resolveEntryPoint } from '../../src/wgsl';
import { lowerEntryPoint } from '../../src/wgsl/lower';
import { mulberry32 } from '../support/floats';
import { TestKernel } from '../support/kernel';
import { kernelMath } from '../support/kernel-math';
import { StackWriter } from '../support/stack-writer';
import { writeSampler } from '../texture/harness';
import { compileProgram } from './warp';

/** `run` processes all its quads `rounds` times. */
export interface QuadLoop {
  readonly quads: number;
  run(rounds: number): void;
}
/** A chain in which each operation waits for the previous one; `run` executes `operations` of them `rounds` times. */
export interface Chain {
  readonly operations: number;
  run(rounds: number): void;
}

// 32 MiB: a texture of 5 MiB with its levels, and operands.
const kernel = new TestKernel({ pages: 512 });
const uniform = (
  (words) => () =>
    words() / 2 ** 32
)(mulberry32(1));

const CHAIN = 64;
const driver = makeDriver();

interface Driver {
  /** Calls the function `(warp) → status` in a slot, like the kernel does. */
  warps(rounds: number, warp: number, slot: number): void;
  adds(rounds: number, x: number, y: number): number;
  multiplies(rounds: number, x: number, y: number): number;
}

function makeDriver(): Driver {
  const module = new ModuleWriter();
  module.importMemory('env', 'memory', true);
  module.importTable('env', 'table');
  const program = module.type(['i32'], ['i32']);
  // Parameters: rounds, then two more. The loop's body leaves nothing on the stack.
  const loop = (name: string, result: boolean, body: (writer: StackWriter) => void): void => {
    const writer = new StackWriter(['i32', 'i32', 'i32'], result ? ['i32'] : []);
    writer.begin('loop');
    body(writer);
    writer.get(0);
    writer.i32(1);
    writer.op('i32.sub');
    writer.tee(0);
    writer.branchIf(0);
    writer.end();
    if (result) writer.get(1);
    module.add(writer, name);
  };
  loop('warps', false, (writer) => {
    writer.get(1);
    writer.get(2);
    writer.callIndirect(program);
    writer.op('drop');
  });
  for (const [name, op] of [
    ['adds', 'i32.add'],
    ['multiplies', 'i32.mul'],
  ] as const)
    loop(name, true, (writer) => {
      for (let i = 0; i < CHAIN; i++) {
        writer.get(1);
        writer.get(2);
        writer.op(op);
        writer.set(1);
      }
    });
  return new WebAssembly.Instance(new WebAssembly.Module(module.bytes()), {
    env: { memory: kernel.memory, table: kernel.table },
  }).exports as unknown as Driver;
}

/** One cycle per operation on every processor. */
export const addChain: Chain = {
  operations: CHAIN,
  run: (rounds) => {
    driver.adds(rounds, 1, 3);
  },
};
/** Three cycles per operation on most. */
export const multiplyChain: Chain = {
  operations: CHAIN,
  run: (rounds) => {
    driver.multiplies(rounds, 1, 3);
  },
};

type Range = readonly [from: number, to: number];
const ANY: Range = [-10, 10];
const POSITIVE: Range = [0.01, 100];
/** By name: an expression of x and y, and their ranges. `nothing`: the cost of the loop itself. */
const FUNCTIONS: Readonly<Record<string, { readonly code: string; readonly x: Range; readonly y: Range }>> = {
  nothing: { code: 'x', x: ANY, y: ANY },
  pow: { code: 'pow(x, y)', x: [0.01, 4], y: [0.3, 5] },
  exp2: { code: 'exp2(x)', x: ANY, y: ANY },
  sin: { code: 'sin(x)', x: ANY, y: ANY },
  inverseSqrt: { code: 'inverseSqrt(x)', x: POSITIVE, y: ANY },
  log2: { code: 'log2(x)', x: POSITIVE, y: ANY },
};
export const functionNames: readonly string[] = Object.keys(FUNCTIONS);

/** A program of one function over a warp of inputs in memory, as emitted by the JIT. */
export function functionLoop(name: string): QuadLoop {
  const { code, ...ranges } = FUNCTIONS[name]!;
  const { module } = parseModule(
    `@fragment fn main(@location(0) x: f32, @location(1) y: f32) -> @location(0) f32 { return ${code}; }`
  );
  const program = optimize(
    lowerEntryPoint(resolveEntryPoint(module, { entryPoint: 'main', math: kernelMath }).hir!, 0),
    kernelMath
  );
  const encoded = encodeBytecode(program);
  const compiled = compileProgram(program, encoded);
  const constants = kernel.alloc(Math.max(16, compiled.constants.byteLength));
  kernel.u32(constants, compiled.constants.length).set(compiled.constants);
  const instance = new WebAssembly.Instance(compiled.module, {
    env: { memory: kernel.memory, constants: new WebAssembly.Global({ value: 'i32' }, constants) },
    host: { timeExpired: () => 0 },
    kernel: kernel.functions,
  });
  const slot = kernel.table.grow(1);
  kernel.table.set(slot, instance.exports['registers']);
  const registers = kernel.alloc(compiled.bytes);
  program.inputs.forEach((input, index) => {
    const [from, to] = input.kind === 'varying' && input.location === 1 ? ranges.y : ranges.x;
    kernel
      .f32(registers + index * REGISTER_BYTES, WARP_QUADS * 4)
      .set(Float32Array.from({ length: WARP_QUADS * 4 }, () => from + (to - from) * uniform()));
  });
  const warp = kernel.alloc(Warp.bytes);
  for (const [field, value] of [
    [Warp.registers, registers],
    [Warp.quadCount, WARP_QUADS],
    [Warp.loopBudget, LOOP_CHECK_INTERVAL],
  ] as const)
    kernel.u32(warp + field, 1)[0] = value;
  kernel.u32(warp + Warp.exec, WARP_QUADS * 4).fill(0xffffffff);
  return {
    quads: WARP_QUADS,
    run: (rounds) => {
      driver.warps(rounds, warp, slot);
    },
  };
}

/** `trilinear` is halfway between two levels unless magnified. */
export const filterNames = ['nearest', 'bilinear', 'trilinear'] as const;
export type FilterName = (typeof filterNames)[number];
/** Neighboring pixels read neighboring texels, or are an eighth of one apart; or each quad reads at a random place. */
export const patternNames = ['1:1', 'magnified', 'random'] as const;
export type PatternName = (typeof patternNames)[number];

const TEXELS = 1024;
/** Quads of 128×128 pixels. */
const SIDE = 64;
const made: number[] = [];
const textureNumber = (index: number): number => (made[index] ??= makeTexture());

/** An rgba8 texture with all its levels: 5 MiB of noise. */
function makeTexture(): number {
  const levels = Math.log2(TEXELS) + 1;
  const record = kernel.alloc(Texture.bytes);
  const set = (field: number, value: number): void => {
    kernel.i32(record + field, 1)[0] = value;
  };
  set(Texture.format, FORMAT_RGBA8UNORM);
  set(Texture.dimension, DIMENSION_2D);
  for (const field of [Texture.width, Texture.height]) set(field, TEXELS);
  for (const field of [Texture.depth, Texture.layers, Texture.samples]) set(field, 1);
  set(Texture.levelCount, levels);
  const words = mulberry32(2);
  for (let level = 0; level < levels; level++) {
    const size = TEXELS >> level;
    const texels = kernel.alloc(size * size * 4 + 16);
    kernel.u32(texels, size * size).set(Uint32Array.from({ length: size * size }, words));
    writeLevel(
      new DataView(kernel.memory.buffer, record),
      level,
      { width: size, height: size, layers: 1, rowBytes: size * 4, layerBytes: size * size * 4 },
      texels
    );
  }
  return record;
}

/** Opens a site that samples all channels of textures of one size at u and v, with the level from their derivatives. */
function openSite(sampler: number, textures: number): number {
  const description = kernel.alloc(SiteDescription.bytes);
  const program = kernel.alloc(Program.bytes);
  const warp = kernel.alloc(Warp.bytes);
  const resources = kernel.alloc((1 + textures) * Resource.bytes);
  const site = kernel.alloc(Site.bytes);
  const put = (address: number, value: number): void => {
    kernel.u32(address, 1)[0] = value;
  };
  put(resources, sampler);
  for (let i = 1; i <= textures; i++) {
    put(resources + i * Resource.bytes, textureNumber(i - 1));
    put(description + SiteDescription.textures + (i - 1) * 4, i | (15 << 16));
  }
  put(description + SiteDescription.count, textures);
  put(description + SiteDescription.mode, MODE_IMPLICIT);
  put(description + SiteDescription.operands, 0b11);
  put(program + Program.sites, description);
  put(program + Program.siteCount, 1);
  put(warp + Warp.program, program);
  put(warp + Warp.resources, resources);
  put(warp + Warp.sites, site);
  kernel.call.openSites!(warp);
  return site;
}

/** Texture coordinates of all quads: u, then v of each. */
function coordinates(stepTexels: number, scattered: boolean): number {
  const quads = SIDE * SIDE;
  const address = kernel.alloc(quads * 32);
  const words = kernel.f32(address, quads * 8);
  for (let quad = 0; quad < quads; quad++) {
    const [x, y] = scattered
      ? [uniform() * TEXELS, uniform() * TEXELS]
      : ([(quad % SIDE) * 2, Math.floor(quad / SIDE) * 2].map((pixel) => pixel * stepTexels) as [number, number]);
    for (let lane = 0; lane < 4; lane++) {
      words[quad * 8 + lane] = (x + ((lane & 1) + 0.5) * stepTexels) / TEXELS;
      words[quad * 8 + 4 + lane] = (y + ((lane >> 1) + 0.5) * stepTexels) / TEXELS;
    }
  }
  return address;
}

/** A site of some textures, called for each quad like in compiled code. */
export function siteLoop(filter: FilterName, pattern: PatternName, textures = 1): QuadLoop {
  const linear = filter === 'nearest' ? FILTER_NEAREST : FILTER_LINEAR;
  const sampler = kernel.alloc(Sampler.bytes);
  writeSampler(
    { buffer: kernel.memory.buffer, base: sampler },
    {
      mag: linear,
      min: linear,
      mip: filter === 'trilinear' ? FILTER_LINEAR : FILTER_NEAREST,
      u: ADDRESS_REPEAT,
      v: ADDRESS_REPEAT,
      w: ADDRESS_REPEAT,
      lodMin: 0,
      lodMax: 32,
      compare: 0,
    }
  );
  const site = openSite(sampler, textures);
  const quads = SIDE * SIDE;
  const stepTexels = (pattern === 'magnified' ? 1 / 8 : 1) * (filter === 'trilinear' ? Math.SQRT2 : 1);
  const operands = coordinates(stepTexels, pattern === 'random');
  return {
    quads,
    run: (rounds) => {
      for (let i = 0; i < rounds; i++) kernel.call.readSite!(site, quads, 0b11, operands, 0);
    },
  };
}
