// Compute shaders on another implementation: SwiftShader, as in Debian's Chromium, through the `webgpu` package. It
// agrees with the plain TypeScript evaluation; floats are compared where no NaN, infinity or denormal occurs, whose
// bits WGSL leaves open. Each float function differs from ours by no more than WGSL permits between two implementations
// (§15.7.4.1, Floating point accuracy). Its subgroups have four invocations, too; it does not support `shader-f16`.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deviceOf, read, run, storage } from '../kit';
import { cases, exactCases } from './case';
import { difference, executed, runOn } from './execute';

const MODULES = process.env.PEER_MODULES ?? `${homedir()}/.cache/rasterloom-peers`;
const DRIVER = '/usr/lib/chromium/vk_swiftshader_icd.json';
/** The Vulkan loader that Dawn opens, Debian's package libvulkan1. */
const LOADERS = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/libvulkan.so.1`);
const isThere = existsSync(`${MODULES}/node_modules/webgpu`) && existsSync(DRIVER) && LOADERS.some(existsSync);

/** The permitted distance from the exact result: in units in the last place, absolute, or relative to another value. */
interface Accuracy {
  readonly ulps?: number;
  readonly absolute?: number;
}
interface Operation extends Accuracy {
  readonly text: string;
  /** First operands x and y. */
  readonly from: readonly [number, number];
}
const ANY = [-1000, 1000] as const;
const POSITIVE = [0.01, 1000] as const;
const UNIT = [-1, 1] as const;
const ROUND = [-Math.PI, Math.PI] as const;
const EXPONENT = [-20, 20] as const;
const OPERATIONS: readonly Operation[] = [
  ...[
    'x + y',
    'x - y',
    'x * y',
    'abs(x)',
    'floor(x)',
    'ceil(x)',
    'trunc(x)',
    'round(x)',
    'sign(x)',
    'min(x, y)',
    'max(x, y)',
    'clamp(x, 0.0, abs(y))',
    'select(x, y, x < y)',
    'step(x, y)',
    'saturate(x)',
    'f32(i32(x))',
  ].map(
    // Correctly rounded, to either neighbor.
    (text) => ({ text, from: ANY, ulps: 0.5 })
  ),
  { text: 'x / y', from: POSITIVE, ulps: 2.5 },
  { text: '1 / x', from: POSITIVE, ulps: 2.5 },
  { text: 'sqrt(x)', from: POSITIVE, ulps: 4.5 },
  { text: 'inverseSqrt(x)', from: POSITIVE, ulps: 2 },
  // 3 + 2 · |x| ULP.
  { text: 'exp(x)', from: EXPONENT, ulps: 43 },
  { text: 'exp2(x)', from: EXPONENT, ulps: 43 },
  { text: 'log(x)', from: [2.5, 1000], ulps: 3 },
  { text: 'log(x)', from: [0.5, 2], absolute: 2 ** -21 },
  { text: 'log2(x)', from: [2.5, 1000], ulps: 3 },
  { text: 'log2(x)', from: [0.5, 2], absolute: 2 ** -21 },
  { text: 'sin(x)', from: ROUND, absolute: 2 ** -11 },
  { text: 'cos(x)', from: ROUND, absolute: 2 ** -11 },
  { text: 'atan(x)', from: ANY, ulps: 4096 },
  { text: 'atan2(x, y)', from: POSITIVE, ulps: 4096 },
  { text: 'asin(x)', from: UNIT, absolute: 6.77e-5 },
  { text: 'acos(x)', from: UNIT, absolute: 6.77e-5 },
  // exp2(y · log2(x)), whose operand is off by three ULP, for products up to 20.
  { text: 'pow(x, y)', from: [1, 2], ulps: 64 },
  { text: 'mix(x, y, 0.25)', from: UNIT, absolute: 2 ** -21 },
  { text: 'fract(x)', from: ANY, absolute: 2 ** -21 },
  { text: 'smoothstep(-1.0, 1.0, x)', from: UNIT, absolute: 2 ** -20 },
];
const COUNT = 1024;

describe.skipIf(!isThere)('SwiftShader (needs the packages of ../shared/peers/README.md)', () => {
  /** Keeps the GPU alive: if the first one were collected, the other's queue would end, too. */
  let gpu: GPU | null;
  let device: GPUDevice;
  beforeAll(async () => {
    process.env.VK_ICD_FILENAMES = DRIVER;
    process.env.XDG_RUNTIME_DIR ??= tmpdir();
    const { create } = createRequire(`${MODULES}/`)('webgpu') as { create: (flags: string[]) => GPU };
    gpu = create(['backend=vulkan']);
    const adapter = (await gpu.requestAdapter())!;
    device = await adapter.requestDevice({ requiredFeatures: ['subgroups'] });
  });
  afterAll(() => {
    device?.destroy();
    gpu = null;
  });

  /** The SwiftShader device, and our compiled engine. */
  const both = async (): Promise<[GPUDevice, GPUDevice]> => [device, await deviceOf('compiled')];

  test.each([
    ['of integers', exactCases, 60],
    ['of all types', cases, 60],
  ] as const)('random shaders %s agree with plain TypeScript', async (_, programs, numRuns) => {
    await fc.assert(
      fc.asyncProperty(programs, async (one) => {
        const { left, isClear } = executed(one);
        fc.pre(isClear);
        for (const [i, each] of (await both()).entries()) {
          const different = difference(left, await runOn(each, one));
          if (different !== null) expect.fail(`${i ? 'compiled' : 'SwiftShader'}: ${different}\n${one.program.wgsl}`);
        }
      }),
      { numRuns, seed: 21, maxSkipsPerRun: 10 }
    );
  });

  test.each(OPERATIONS)('$text of $from', async ({ text, from: [least, most], ulps, absolute }) => {
    const operands = Float32Array.from(
      { length: 2 * COUNT },
      (_, i) => least + ((most - least) * (Math.imul(i + 1, 0x9e3779b1) >>> 0)) / 2 ** 32
    );
    const program = {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> operands: array<vec2f>;
        @group(0) @binding(1) var<storage, read_write> results: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
          let x = operands[id.x].x;
          let y = operands[id.x].y;
          results[id.x] = ${text};
        }`,
      buffers: [operands, new Float32Array(COUNT)],
      groups: [COUNT / 64] as const,
    };
    const [ours, theirs] = await Promise.all(
      [await deviceOf('compiled'), device].map(async (each) => {
        const [, results] = await run(each, program);
        return new Float32Array(results!.buffer);
      })
    );
    for (let i = 0; i < COUNT; i++) {
      const a = ours![i]!;
      const b = theirs![i]!;
      // Each result may be off in its own direction.
      const may = 2 * (absolute ?? ulps! * unitOf(Math.max(Math.abs(a), Math.abs(b))));
      if (!(Math.abs(a - b) <= may)) expect.fail(`of ${operands[2 * i]}, ${operands[2 * i + 1]}: ${a} and ${b}`);
    }
  });

  test.each(['u32', 'i32', 'f32'])('subgroup operations: %s', async (type) => {
    const from = Uint32Array.from({ length: 64 }, (_, i) => Math.imul(i + 3, 0x9e3779b1) >>> 7);
    const anywhere = type === 'f32' ? SUBGROUPS : [...SUBGROUPS, ...SUBGROUP_BITS];
    for (const operations of [anywhere, EXCHANGES]) {
      const wgsl = subgroupProgram(type, operations);
      const rows = operations === EXCHANGES ? 1 : 3;
      const count = 64 * operations.length * 3;
      const [theirs, ours] = await Promise.all(
        (await both()).map(
          async (each) => (await run(each, { wgsl, buffers: [from, new Uint32Array(count)], groups: [1] }))[1]!
        )
      );
      for (let i = 0; i < 64 * operations.length * rows; i++)
        if (ours![i] !== theirs![i])
          expect.fail(`${operations[(i >> 6) % operations.length]} of lane ${i % 64}: ${ours![i]} and ${theirs![i]}`);
    }
  });

  test.each(TEXTURES)(
    'a texture of $format: loads, stores, gathers, out-of-bounds accesses',
    async ({ format, bytes, type, steps }) => {
      const side = `${SIDE}u`;
      const isWhole = type !== 'f32' || bytes === 16 || /32/.test(format);
      const wgsl = `
      @group(0) @binding(0) var t: texture_2d<${type}>;
      @group(0) @binding(1) var to: texture_storage_2d<${format}, write>;
      @group(0) @binding(2) var<storage, read_write> results: array<vec4<${type}>>;
      @group(0) @binding(3) var s: sampler;
      @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
        let own = textureLoad(t, id.xy, 0); let far = textureLoad(t, (id.yx * 7u) % ${side}, 0);
        let place = (vec2f(id.xy) + 0.75) / ${SIDE};
        results[(id.y * ${side} + id.x) * 2u] = own;
        results[(id.y * ${side} + id.x) * 2u + 1u] = ${
          isWhole ? 'textureGather(0, t, s, place)' : 'textureSampleLevel(t, s, place, 0)'
        };
        textureStore(to, id.yx, ${type === 'f32' ? 'mix(own, far, vec4f(0.5))' : 'own ^ far'});
        // Nothing is there.
        textureStore(to, id.xy + ${side}, own);
      }`;
      const texels = new Uint8Array(SIDE * SIDE * bytes);
      const floats = new Float32Array(texels.buffer);
      const halves = new Uint16Array(texels.buffer);
      for (let i = 0; i < texels.length; i++) texels[i] = Math.imul(i + 1, 0x9e3779b1) >>> 20;
      // Normal numbers from −8 to 8, and half floats from 1 to 16.
      if (/32float/.test(format))
        floats.forEach((_, i) => {
          floats[i] = (((i * 37) % 129) - 64) / 8;
        });
      if (/16float/.test(format))
        halves.forEach((_, i) => {
          halves[i] = 0x3c00 + ((i * 37) & 0xfff);
        });
      const made = await Promise.all(
        (await both()).map(async (each) => {
          const [texture, target] = [6, 11].map((usage) => each.createTexture({ size: [SIDE, SIDE], format, usage }));
          each.queue.writeTexture({ texture: texture! }, texels, { bytesPerRow: SIDE * bytes }, [SIDE, SIDE]);
          const visibility = 4;
          const layout = each.createBindGroupLayout({
            entries: [
              {
                binding: 0,
                visibility,
                texture: {
                  sampleType:
                    type === 'u32' ? 'uint' : type === 'i32' ? 'sint' : isWhole ? 'unfilterable-float' : 'float',
                },
              },
              { binding: 1, visibility, storageTexture: { format } },
              { binding: 2, visibility, buffer: { type: 'storage' } },
              { binding: 3, visibility, sampler: { type: isWhole ? 'non-filtering' : 'filtering' } },
            ],
          });
          const pipeline = each.createComputePipeline({
            layout: each.createPipelineLayout({ bindGroupLayouts: [layout] }),
            compute: { module: each.createShaderModule({ code: wgsl }) },
          });
          const results = storage(each, new Uint32Array(SIDE * SIDE * 8));
          const filter = isWhole ? 'nearest' : 'linear';
          const entries = [
            texture!.createView(),
            target!.createView(),
            { buffer: results },
            each.createSampler({
              minFilter: filter,
              magFilter: filter,
              addressModeU: 'repeat',
              addressModeV: 'mirror-repeat',
            }),
          ].map((resource, binding) => ({ binding, resource }));
          const encoder = each.createCommandEncoder();
          const pass = encoder.beginComputePass();
          pass.setPipeline(pipeline);
          pass.setBindGroup(0, each.createBindGroup({ layout, entries }));
          pass.dispatchWorkgroups(2, 2);
          pass.end();
          const copied = storage(each, new Uint32Array(SIDE * 64));
          encoder.copyTextureToBuffer({ texture: target! }, { buffer: copied, bytesPerRow: 256 }, [SIDE, SIDE]);
          each.queue.submit([encoder.finish()]);
          const left = { results: await read(each, results), copied: await read(each, copied) };
          for (const one of [texture!, target!, results, copied]) one.destroy();
          return left;
        })
      );
      const [theirs, ours] = made as [(typeof made)[0], (typeof made)[0]];
      if (type !== 'f32') expect(ours.results).toEqual(theirs.results);
      const read32 = [ours, theirs].map(({ results }) => new Float32Array(results.buffer));
      // Bytes are converted by division or multiplication; filter weights have eight or more fraction bits.
      read32[0]!.forEach((value, i) => {
        const may = isWhole ? 0 : (i >> 2) % 2 === 0 ? 2 ** -24 : Math.max(1, Math.abs(value)) / 128;
        if (type === 'f32' && !(Math.abs(value - read32[1]![i]!) <= may))
          expect.fail(`value ${i}: ${value} and ${read32[1]![i]}`);
      });
      if (steps === 0) expect(ours.copied).toEqual(theirs.copied);
      const channels = [ours, theirs].map(({ copied }) =>
        /16/.test(format)
          ? new Int16Array(copied.buffer)
          : /snorm/.test(format)
            ? new Int8Array(copied.buffer)
            : new Uint8Array(copied.buffer)
      );
      if (steps > 0)
        channels[0]!.forEach((value, i) => {
          if (!(Math.abs(value - channels[1]![i]!) <= steps))
            expect.fail(`channel ${i}: ${value} and ${channels[1]![i]}`);
        });
    }
  );
});

/** Rows of an operation's results: with all lanes active, with some, and in a loop that lanes leave one by one. */
const subgroupProgram = (type: string, operations: readonly string[]): string => `
  enable subgroups;
  diagnostic(off, subgroup_uniformity);
  @group(0) @binding(0) var<storage, read> from_: array<u32>;
  @group(0) @binding(1) var<storage, read_write> results: array<${type}>;
  @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
    let x = ${type}(from_[l] % 17u); let k = from_[l] % 4u; let b = (from_[l] & 8u) != 0u;
    ${operations.map((text, row) => `results[${row}u * 64u + l] = ${type}(${text});`).join('\n')}
    if (from_[l] % 3u != 0u) {
      ${operations.map((text, row) => `results[${operations.length + row}u * 64u + l] = ${type}(${text});`).join('\n')}
    }
    for (var round = 0u; round <= k; round++) {
      ${operations
        .map((text, row) => `results[${2 * operations.length + row}u * 64u + l] = ${type}(${text});`)
        .join('\n')}
    }
  }`;
const SUBGROUPS = [
  'subgroupAdd(x)',
  'subgroupMul(x)',
  'subgroupMin(x)',
  'subgroupMax(x)',
  'subgroupInclusiveAdd(x)',
  'subgroupExclusiveAdd(x)',
  'subgroupInclusiveMul(x)',
  'subgroupExclusiveMul(x)',
  'subgroupBroadcastFirst(x)',
  'subgroupElect()',
  'subgroupAll(b)',
  'subgroupAny(b)',
  'subgroupBallot(b).x',
];
/** Integers only. */
const SUBGROUP_BITS = ['subgroupAnd(x)', 'subgroupOr(x)', 'subgroupXor(x)'];
/** Requires all lanes to be active. */
const EXCHANGES = [
  'subgroupBroadcast(x, 2u)',
  'subgroupShuffle(x, k)',
  'subgroupShuffleXor(x, 1u)',
  'subgroupShuffleXor(x, 3u)',
  'quadBroadcast(x, 3u)',
  'quadSwapX(x)',
  'quadSwapY(x)',
  'quadSwapDiagonal(x)',
];

/** A shader that reads a texture of 16 texels and writes another one of the same format. */
interface TextureCase {
  readonly format: GPUTextureFormat;
  readonly bytes: number;
  readonly type: 'f32' | 'u32' | 'i32';
  /** Steps of the format by which conversions may differ: they may round either way. */
  readonly steps: number;
}
const TEXTURES: readonly TextureCase[] = [
  { format: 'rgba8unorm', bytes: 4, type: 'f32', steps: 1 },
  { format: 'rgba8snorm', bytes: 4, type: 'f32', steps: 1 },
  { format: 'rgba8uint', bytes: 4, type: 'u32', steps: 0 },
  { format: 'rgba8sint', bytes: 4, type: 'i32', steps: 0 },
  { format: 'rgba16uint', bytes: 8, type: 'u32', steps: 0 },
  { format: 'rgba16sint', bytes: 8, type: 'i32', steps: 0 },
  { format: 'rgba16float', bytes: 8, type: 'f32', steps: 1 },
  { format: 'r32float', bytes: 4, type: 'f32', steps: 0 },
  { format: 'r32uint', bytes: 4, type: 'u32', steps: 0 },
  { format: 'r32sint', bytes: 4, type: 'i32', steps: 0 },
  { format: 'rg32float', bytes: 8, type: 'f32', steps: 0 },
  { format: 'rg32uint', bytes: 8, type: 'u32', steps: 0 },
  { format: 'rgba32float', bytes: 16, type: 'f32', steps: 0 },
  { format: 'rgba32sint', bytes: 16, type: 'i32', steps: 0 },
];
const SIDE = 16;

/** One unit in the last place. */
const unitOf = (value: number): number => 2 ** (Math.max(Math.floor(Math.log2(value)), -126) - 23);
