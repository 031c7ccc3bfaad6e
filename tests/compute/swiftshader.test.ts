// Compute programs on another implementation: SwiftShader, as Debian's Chromium has it, by the `webgpu` package. What
// plain TypeScript takes programs of integers for it leaves as well; of floats, each function differs from ours by no
// more than WGSL lets two implementations differ (§15.7.4.1, Floating point accuracy).
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deviceOf, run } from './kit';
import { exactCases } from './random/case';
import { difference, execute, runOn } from './random/execute';

const MODULES = process.env.PEER_MODULES ?? `${homedir()}/.cache/rasterloom-peers`;
const DRIVER = '/usr/lib/chromium/vk_swiftshader_icd.json';
const isThere = existsSync(`${MODULES}/node_modules/webgpu`) && existsSync(DRIVER);

/** How far a result may be from the exact one: in units of the last place, in absolute terms, or of another value. */
interface Accuracy { readonly ulps?: number; readonly absolute?: number }
interface Operation extends Accuracy {
  readonly text: string;
  /** Operands x and y, the first of each. */
  readonly from: readonly [number, number];
}
const ANY = [-1000, 1000] as const, POSITIVE = [0.01, 1000] as const, UNIT = [-1, 1] as const;
const ROUND = [-Math.PI, Math.PI] as const, EXPONENT = [-20, 20] as const;
const OPERATIONS: readonly Operation[] = [
  ...['x + y', 'x - y', 'x * y', 'abs(x)', 'floor(x)', 'ceil(x)', 'trunc(x)', 'round(x)', 'sign(x)', 'min(x, y)',
    'max(x, y)', 'clamp(x, 0.0, abs(y))', 'select(x, y, x < y)', 'step(x, y)', 'saturate(x)', 'f32(i32(x))'].map(
    // Rounded correctly, which is to either neighbour.
    (text) => ({ text, from: ANY, ulps: 0.5 })
  ),
  { text: 'x / y', from: POSITIVE, ulps: 2.5 }, { text: '1 / x', from: POSITIVE, ulps: 2.5 },
  { text: 'sqrt(x)', from: POSITIVE, ulps: 4.5 }, { text: 'inverseSqrt(x)', from: POSITIVE, ulps: 2 },
  // 3 + 2 · |x| units.
  { text: 'exp(x)', from: EXPONENT, ulps: 43 }, { text: 'exp2(x)', from: EXPONENT, ulps: 43 },
  { text: 'log(x)', from: [2.5, 1000], ulps: 3 }, { text: 'log(x)', from: [0.5, 2], absolute: 2 ** -21 },
  { text: 'log2(x)', from: [2.5, 1000], ulps: 3 }, { text: 'log2(x)', from: [0.5, 2], absolute: 2 ** -21 },
  { text: 'sin(x)', from: ROUND, absolute: 2 ** -11 }, { text: 'cos(x)', from: ROUND, absolute: 2 ** -11 },
  { text: 'atan(x)', from: ANY, ulps: 4096 }, { text: 'atan2(x, y)', from: POSITIVE, ulps: 4096 },
  { text: 'asin(x)', from: UNIT, absolute: 6.77e-5 }, { text: 'acos(x)', from: UNIT, absolute: 6.77e-5 },
  // exp2(y · log2(x)), whose operand is off by three units: of a product up to 20.
  { text: 'pow(x, y)', from: [1, 2], ulps: 64 },
  { text: 'mix(x, y, 0.25)', from: UNIT, absolute: 2 ** -21 }, { text: 'fract(x)', from: ANY, absolute: 2 ** -21 },
  { text: 'smoothstep(-1.0, 1.0, x)', from: UNIT, absolute: 2 ** -20 },
];
const COUNT = 1024;

describe.skipIf(!isThere)('SwiftShader (needs the packages of ../shared/peers/README.md)', () => {
  /** Collected, the first would end with the other's queue. */
  let gpu: GPU | null, device: GPUDevice;
  beforeAll(async () => {
    process.env.VK_ICD_FILENAMES = DRIVER;
    process.env.XDG_RUNTIME_DIR ??= tmpdir();
    const { create } = createRequire(`${MODULES}/`)('webgpu') as { create: (flags: string[]) => GPU };
    gpu = create(['backend=vulkan']);
    device = await (await gpu.requestAdapter())!.requestDevice();
  });
  afterAll(() => {
    device?.destroy();
    gpu = null;
  });

  test('random programs of integers leave what plain TypeScript leaves', async () => {
    await fc.assert(fc.asyncProperty(exactCases, async (one) => {
      const wanted = execute(one);
      for (const [name, each] of [['SwiftShader', device], ['compiled', await deviceOf('compiled')]] as const) {
        const different = difference(wanted, await runOn(each, one));
        if (different !== null) expect.fail(`${name}: ${different}\n${one.program.wgsl}`);
      }
    }), { numRuns: 60, seed: 21 });
  });

  test.each(OPERATIONS)('$text of $from', async ({ text, from: [least, most], ulps, absolute }) => {
    const operands = Float32Array.from({ length: 2 * COUNT }, (_, i) => (
      least + (most - least) * (Math.imul(i + 1, 0x9e3779b1) >>> 0) / 2 ** 32
    ));
    const program = {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> operands: array<vec2f>;
        @group(0) @binding(1) var<storage, read_write> results: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
          let x = operands[id.x].x;
          let y = operands[id.x].y;
          results[id.x] = ${text};
        }`,
      buffers: [operands, new Float32Array(COUNT)], groups: [COUNT / 64] as const,
    };
    const [ours, theirs] = await Promise.all([await deviceOf('compiled'), device].map(async (each) => {
      const [, results] = await run(each, program);
      return new Float32Array(results!.buffer);
    }));
    for (let i = 0; i < COUNT; i++) {
      const a = ours![i]!, b = theirs![i]!;
      // Each may be off to its side.
      const may = 2 * (absolute ?? ulps! * unitOf(Math.max(Math.abs(a), Math.abs(b))));
      if (!(Math.abs(a - b) <= may)) expect.fail(`of ${operands[2 * i]}, ${operands[2 * i + 1]}: ${a} and ${b}`);
    }
  });
});

/** The unit of the last place. */
const unitOf = (value: number): number => 2 ** (Math.max(Math.floor(Math.log2(value)), -126) - 23);
