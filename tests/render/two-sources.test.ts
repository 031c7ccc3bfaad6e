// Dual-source blending: every factor and operation compared with plain TypeScript, alpha-to-coverage compared with
// shaders of one source, and the rules of the API.
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { create } from '../../src/index';
import { forCreate } from '../support/options';
import { openDevice } from '../images/scenes';
import { engines, KERNELS } from '../storage-programs/kit';
import { apiDevice } from '../api/fake';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';
import { rounds } from '../support/rounds';

type Vec = readonly [number, number, number, number];
interface Component {
  readonly operation: GPUBlendOperation;
  readonly srcFactor: string;
  readonly dstFactor: string;
}
interface Drawn {
  readonly color: Component;
  readonly alpha: Component;
  readonly first: Vec;
  readonly second: Vec;
  readonly held: Vec;
  readonly constant: Vec;
}

const names = ['compiled', 'compiled, on this thread', 'interpreted', 'scalar', 'overtaking'] as const;
const devices = new Map<string, Promise<GPUDevice>>();
const deviceOf = (name: string): Promise<GPUDevice> => {
  const device =
    devices.get(name)
    ?? openDevice(create(forCreate({ ...engines[name]!, kernelUrl: KERNELS })), {}, [
      'dual-source-blending',
      'float32-blendable',
    ]);
  devices.set(name, device);
  return device;
};
afterAll(async () => {
  for (const device of devices.values()) (await device).destroy();
});

const FACTORS = [
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
const SECOND = ['src1', 'one-minus-src1', 'src1-alpha', 'one-minus-src1-alpha'];

const WGSL = `enable dual_source_blending;
  struct Out {
    @location(0) @blend_src(1) second: vec4f, @builtin(frag_depth) depth: f32, @location(0) @blend_src(0) first: vec4f
  }
  var<immediate> given: mat2x4f;
  @vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }
  @vertex fn edge(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 1.7 - 1, f32(i >> 1) * 1.9 - 1, 0.5, 1);
  }
  @fragment fn fragment() -> Out { return Out(given[1], 0.25, given[0]); }
  struct One { @location(0) first: vec4f, @builtin(frag_depth) depth: f32 }
  @fragment fn one() -> One { return One(given[0], 0.25); }`;
interface Output {
  readonly format: GPUTextureFormat;
  readonly samples?: 1 | 4;
  readonly coverage?: boolean;
  readonly entry?: 'one' | 'fragment';
}

/**
 * Returns a texel after one draw call that covers a 4×4 target, or all texels after a triangle that covers a part of
 * it.
 */
async function draw(
  name: string,
  d: Drawn,
  { format, samples = 1, coverage = false, entry = 'fragment' }: Output
): Promise<Float32Array> {
  const device = await deviceOf(name);
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: WGSL });
  const blend = { color: d.color, alpha: d.alpha } as GPUBlendState;
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, entryPoint: samples > 1 ? 'edge' : 'vertex' },
    fragment: { module, entryPoint: entry, targets: [{ format, ...(entry === 'fragment' && { blend }) }] },
    multisample: { count: samples, alphaToCoverageEnabled: coverage },
    depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' },
  });
  const size = [4, 4];
  const usage = 16 | 1 | 4;
  const target = device.createTexture({ size, format, usage: samples > 1 ? 16 : usage, sampleCount: samples });
  const whole = samples > 1 ? device.createTexture({ size, format, usage }) : target;
  const depth = device.createTexture({
    size,
    format: 'depth32float',
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
    sampleCount: samples,
  });
  const copy = device.createBuffer({ size: 4 * 256, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      {
        view: target.createView(),
        loadOp: 'clear',
        storeOp: 'store',
        clearValue: [...d.held],
        ...(samples > 1 && { resolveTarget: whole.createView() }),
      },
    ],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'discard',
      depthClearValue: 0.4,
    },
  });
  pass.setPipeline(pipeline);
  pass.setBlendConstant(d.constant);
  pass.setImmediates(0, Float32Array.of(...d.first, ...d.second));
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture: whole }, { buffer: copy, bytesPerRow: 256 }, size);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  const bytes = copy.getMappedRange().slice(0);
  for (const each of [target, whole, depth, copy]) each.destroy();
  const row = (y: number): number[] =>
    format === 'rgba8unorm'
      ? [...new Uint8Array(bytes, y * 256, 16)].map((byte) => byte / 255)
      : [...new Float32Array(bytes, y * 256, 16)];
  return Float32Array.from(samples > 1 ? [0, 1, 2, 3].flatMap(row) : row(0).slice(0, 4));
}

function blended(d: Drawn, isUnorm: boolean): number[] {
  const clamp = (v: Vec): Vec => (isUnorm ? (v.map((x) => Math.min(1, Math.max(0, x))) as unknown as Vec) : v);
  const [s, t, h, c] = [clamp(d.first), clamp(d.second), d.held, clamp(d.constant)];
  const factor = (name: string, k: number): number => {
    if (name.startsWith('one-minus-')) return 1 - factor(name.slice(10), k);
    if (name === 'src-alpha-saturated') return k === 3 ? 1 : Math.min(s[3], 1 - h[3]);
    const of = name.startsWith('src1') ? t : name.startsWith('src') ? s : name.startsWith('dst') ? h : c;
    return name === 'zero' ? 0 : name === 'one' ? 1 : of[name.endsWith('-alpha') ? 3 : k]!;
  };
  return [0, 1, 2, 3].map((k) => {
    const { operation, srcFactor, dstFactor } = k === 3 ? d.alpha : d.color;
    if (operation === 'min' || operation === 'max') return Math[operation](s[k]!, h[k]!);
    const a = factor(srcFactor, k) * s[k]!;
    const b = factor(dstFactor, k) * h[k]!;
    const sum = operation === 'add' ? a + b : operation === 'subtract' ? a - b : b - a;
    return isUnorm ? Math.min(1, Math.max(0, sum)) : sum;
  });
}

const eighths = (least: number, most: number): fc.Arbitrary<Vec> =>
  fc.tuple(
    ...[0, 1, 2, 3].map(() => fc.integer({ min: least * 8, max: most * 8 }).map((n) => n / 8))
  ) as unknown as fc.Arbitrary<Vec>;
const component = (factors: readonly string[]): fc.Arbitrary<Component> =>
  fc.record({
    operation: fc.constantFrom<GPUBlendOperation[]>('add', 'subtract', 'reverse-subtract'),
    srcFactor: fc.constantFrom(...factors),
    dstFactor: fc.constantFrom(...factors, ...SECOND),
  });
const minmax = fc
  .constantFrom<GPUBlendOperation[]>('min', 'max')
  .map((operation): Component => ({ operation, srcFactor: 'one', dstFactor: 'one' }));
const any = component([...FACTORS, ...SECOND]);

test.each(['rgba8unorm', 'rgba32float'] as const)('%s', async (format) => {
  const isUnorm = format === 'rgba8unorm';
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        // At least one component uses the second source.
        color: component(SECOND),
        alpha: fc.oneof({ weight: 4, arbitrary: any }, minmax),
        first: eighths(-0.5, 1.5),
        second: eighths(-0.5, 1.5),
        held: eighths(0, 1),
        constant: eighths(-0.5, 1.5),
      }),
      async (d) => {
        const held = isUnorm ? (d.held.map((x) => Math.round(x * 255) / 255) as unknown as Vec) : d.held;
        const wanted = blended({ ...d, held }, isUnorm);
        const found = await Promise.all(names.map((name) => draw(name, d, { format })));
        for (const each of found) expect([...each]).toEqual([...found[0]!]);
        found[0]!.forEach((value, k) => expect(Math.abs(value - wanted[k]!)).toBeLessThan(isUnorm ? 0.51 / 255 : 1e-5));
      }
    ),
    { numRuns: rounds(30), seed: 5 }
  );
});

const OVER: Component = { operation: 'add', srcFactor: 'one', dstFactor: 'one-minus-src1' };
const NONE: Component = { operation: 'add', srcFactor: 'one', dstFactor: 'zero' };

test('alpha-to-coverage uses the first source', async () => {
  for (const alpha of [0, 0.1, 0.125, 0.3, 0.375, 0.5, 0.625, 0.7, 0.875, 1]) {
    // Replaces, because the second source is multiplied by zero.
    const d: Drawn = {
      color: { operation: 'add', srcFactor: 'one-minus-src1', dstFactor: 'src1' },
      alpha: NONE,
      first: [0.25, 0.5, 1, alpha],
      second: [0, 0, 0, 0],
      held: [1, 0, 0, 1],
      constant: [0, 0, 0, 0],
    };
    for (const name of names) {
      const [two, one] = await Promise.all(
        (['fragment', 'one'] as const).map((entry) =>
          draw(name, d, { format: 'rgba8unorm', samples: 4, coverage: true, entry })
        )
      );
      expect([...two!], `${name} ${alpha}`).toEqual([...one!]);
    }
  }
});

test('samples along an edge are blended individually', async () => {
  const d: Drawn = {
    color: OVER,
    alpha: OVER,
    first: [0.25, 0.5, 0, 1],
    second: [0.5, 0.25, 1, 0],
    held: [1, 1, 1, 1],
    constant: [0, 0, 0, 0],
  };
  const wanted = blended(d, true);
  const found = await Promise.all(names.map((name) => draw(name, d, { format: 'rgba8unorm', samples: 4 })));
  for (const each of found) expect([...each]).toEqual([...found[0]!]);
  const shares = new Set<number>();
  for (let pixel = 0; pixel < 16; pixel++) {
    const texel = found[0]!.subarray(pixel * 4, pixel * 4 + 4);
    const share = (1 - texel[0]!) / (1 - wanted[0]!);
    shares.add(Math.round(share * 4));
    texel.forEach((value, k) => expect(value).toBeCloseTo(1 + (wanted[k]! - 1) * share, 1));
  }
  expect(shares.size).toBeGreaterThan(2);
});

test('a shader with two sources works where only the first is used', async () => {
  const d: Drawn = {
    color: { operation: 'add', srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
    alpha: NONE,
    first: [1, 0.5, 0, 0.5],
    second: [1, 1, 1, 1],
    held: [0, 0.5, 1, 1],
    constant: [0, 0, 0, 0],
  };
  for (const name of names) expect([...(await draw(name, d, { format: 'rgba32float' }))]).toEqual([0.5, 0.5, 0.5, 0.5]);
});

describe('validation rules', () => {
  const make = (
    features: GPUFeatureName[],
    o: { entryPoint?: string; factor?: string; targets?: number; at?: 'srcFactor' | 'dstFactor'; alpha?: boolean }
  ): Promise<string | null> =>
    apiDevice({ requiredFeatures: features }).then(async ({ device }) => {
      const { entryPoint = 'two', factor = 'src1', targets = 1, at = 'srcFactor', alpha = false } = o;
      const code = `${
        features.length > 0
          ? `enable dual_source_blending;
      struct Out { @location(0) @blend_src(0) first: vec4f, @location(0) @blend_src(1) second: vec4f }
      struct Thin { @location(0) @blend_src(0) first: vec3f, @location(0) @blend_src(1) second: vec3f }
      @fragment fn two() -> Out { return Out(); }
      @fragment fn thin() -> Thin { return Thin(); }`
          : ''
      }
      @vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
      @fragment fn one() -> @location(0) vec4f { return vec4f(); }`;
      device.pushErrorScope('validation');
      const module = device.createShaderModule({ code });
      const plain: GPUBlendComponent = {};
      const asks = { [at]: factor } as GPUBlendComponent;
      const blend: GPUBlendState = alpha ? { color: plain, alpha: asks } : { color: asks, alpha: plain };
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module, entryPoint: 'vs' },
        fragment: {
          module,
          entryPoint,
          targets: Array.from(
            { length: targets },
            (_, i) =>
              ({
                format: entryPoint === 'thin' ? 'r8unorm' : 'rgba8unorm',
                ...(i === 0 && { blend }),
                writeMask: i === 0 ? 15 : 0,
              }) as const
          ),
        },
      });
      return (await device.popErrorScope())?.message ?? null;
    });
  const all: GPUFeatureName[] = ['dual-source-blending'];
  test('valid descriptors', async () => {
    for (const factor of SECOND)
      for (const at of ['srcFactor', 'dstFactor'] as const)
        for (const alpha of [true, false]) expect(await make(all, { factor, at, alpha })).toBeNull();
    expect(await make(all, { factor: 'one' })).toBeNull();
    expect(await make(all, { entryPoint: 'thin' })).toBeNull();
    expect(await make([], { entryPoint: 'one', factor: 'one', targets: 2 })).toBeNull();
  });
  test('invalid descriptors', async () => {
    for (const factor of SECOND)
      expect(await make([], { entryPoint: 'one', factor })).toMatch(/needs the feature "dual-source-blending"/);
    expect(await make(all, { entryPoint: 'one' })).toMatch(
      /blends with a second source, but entry point "one" has no output @blend_src\(1\)/
    );
    expect(await make(all, { targets: 2 })).toMatch(/2 fragment.targets: dual-source blending supports only one/);
    expect(await make(all, { factor: 'one', targets: 2 })).toMatch(
      /2 fragment.targets: dual-source blending supports only one/
    );
    expect(await make(all, { entryPoint: 'thin', factor: 'src1-alpha' })).toMatch(/reads the source's alpha/);
  });
});
