// Draw calls that discard all, some or none of a block's pixels, with every kind of blending and depth test: the
// vector kernel, compiled and interpreted, gives the bits of the scalar kernel, and occlusion queries agree.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { globals } from '../../src/index';
import { open } from '../compute/engines';
import { firstDifference } from '../support/first-difference';
import { rounds } from '../support/rounds';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 5);
const [WIDTH, HEIGHT] = [136, 80];
const ENGINES = [
  { simd: false, threads: 0 },
  { engine: 'jit', threads: 0 },
  { engine: 'interpreter', threads: 0 },
  { engine: 'jit', threads: 2 },
] as const;

const sum = (src: GPUBlendFactor, dst: GPUBlendFactor, operation: GPUBlendOperation = 'add'): GPUBlendComponent => ({
  srcFactor: src,
  dstFactor: dst,
  operation,
});
const OVER = sum('one', 'one-minus-src-alpha');
/** Sums by the source alpha, and states that are not. */
const BLENDS = {
  none: undefined,
  over: { color: OVER, alpha: OVER },
  straight: { color: sum('src-alpha', 'one-minus-src-alpha'), alpha: OVER },
  'keeps alpha': { color: sum('src-alpha', 'one-minus-src-alpha'), alpha: sum('zero', 'one') },
  adds: { color: sum('src-alpha', 'one'), alpha: sum('one', 'one') },
  'one of two': { color: sum('one-minus-src-alpha', 'src-alpha'), alpha: sum('src-alpha', 'zero') },
  'by colour': { color: sum('src', 'one-minus-src'), alpha: OVER },
  subtracts: { color: sum('src-alpha', 'one', 'reverse-subtract'), alpha: sum('one', 'one', 'subtract') },
  least: { color: sum('one', 'one', 'min'), alpha: sum('one', 'one', 'max') },
} as const satisfies Record<string, GPUBlendState | undefined>;
const SHAPES = { all: [-1, -3, -1, 1, 3, 1], part: [-1.2, -1, 0.9, 0.7, 0.4, -0.95] } as const;

interface Draw {
  readonly blend: keyof typeof BLENDS;
  readonly shape: keyof typeof SHAPES;
  /** Pixels are discarded by squares of this many pixels, of which `share` of 8 go. */
  readonly side: number;
  readonly share: number;
  readonly depth: 'tested' | 'written' | 'computed' | 'ignored';
  readonly writeMask: number;
  readonly z: number;
}
interface Scene {
  readonly samples: 1 | 4;
  readonly draws: readonly Draw[];
}

const codeOf = ({ shape, side, share, depth, z }: Draw): string => `
struct Out { @location(0) color: vec4f${depth === 'computed' ? ', @builtin(frag_depth) depth: f32' : ''} }
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  var corners = array<f32, 6>(${SHAPES[shape].join()});
  return vec4f(corners[2 * i], corners[2 * i + 1], ${z} + 0.1 * f32(i), 1);
}
fn hash(at: vec2u) -> u32 {
  let n = (at.x * 0x9e3779b1u) ^ (at.y * 0x85ebca6bu);
  return ((n ^ (n >> 15u)) * 0x2c1b3c6du) >> 7u;
}
@fragment fn fs(@builtin(position) at: vec4f) -> Out {
  let pixel = vec2u(at.xy);
  if (hash(pixel / ${side}u) % 8u < ${share}u) { discard; }
  let n = hash(pixel + 7u);
  let color = vec4f(vec4u(n, n >> 3u, n >> 6u, n >> 9u) & vec4u(255u)) / 230.0;
  return Out(color${depth === 'computed' ? ', fract(at.z + f32(n & 15u) / 40)' : ''});
}`;

async function drawn(device: GPUDevice, { samples, draws }: Scene): Promise<[Uint8Array, readonly boolean[]]> {
  const format = 'rgba8unorm';
  const size = [WIDTH, HEIGHT];
  const target = device.createTexture({
    size,
    format,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const usage = GPUTextureUsage.RENDER_ATTACHMENT;
  const depth = device.createTexture({ size, format: 'depth32float', usage, sampleCount: samples });
  const many = samples > 1 ? device.createTexture({ size, format, usage, sampleCount: samples }) : undefined;
  const occlusionQuerySet = device.createQuerySet({ type: 'occlusion', count: draws.length });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      {
        view: many ?? target,
        ...(many && { resolveTarget: target }),
        loadOp: 'clear',
        storeOp: 'store',
        clearValue: [0.2, 0.6, 0.4, 0.7],
      },
    ],
    depthStencilAttachment: { view: depth, depthLoadOp: 'clear', depthStoreOp: 'discard', depthClearValue: 0.7 },
    occlusionQuerySet,
  });
  draws.forEach((draw, index) => {
    const module = device.createShaderModule({ code: codeOf(draw) });
    const blend = BLENDS[draw.blend];
    const depthCompare = draw.depth === 'ignored' ? 'always' : 'less-equal';
    pass.setPipeline(
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format, writeMask: draw.writeMask, ...(blend && { blend }) }] },
        depthStencil: {
          format: 'depth32float',
          depthCompare,
          depthWriteEnabled: draw.depth === 'written' || draw.depth === 'computed',
        },
        multisample: { count: samples },
      })
    );
    pass.beginOcclusionQuery(index);
    pass.draw(3);
    pass.endOcclusionQuery();
  });
  pass.end();
  const bytesPerRow = Math.ceil((WIDTH * 4) / 256) * 256;
  const pixels = bytesPerRow * HEIGHT;
  const buffer = device.createBuffer({
    size: pixels + 8 * draws.length,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const results = device.createBuffer({
    size: 8 * draws.length,
    usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
  });
  encoder.resolveQuerySet(occlusionQuerySet, 0, draws.length, results, 0);
  encoder.copyBufferToBuffer(results, 0, buffer, pixels, 8 * draws.length);
  encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow }, size);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const all = buffer.getMappedRange().slice(0);
  for (const made of [target, depth, buffer, results, occlusionQuerySet]) made.destroy();
  many?.destroy();
  return [new Uint8Array(all, 0, pixels), Array.from(new BigUint64Array(all, pixels), (count) => count > 0n)];
}

const keyOf = <T extends object>(from: T): fc.Arbitrary<keyof T> =>
  fc.constantFrom(...(Object.keys(from) as (keyof T)[]));
const draw: fc.Arbitrary<Draw> = fc.record({
  blend: keyOf(BLENDS),
  shape: fc.constantFrom('all', 'all', 'part'),
  side: fc.constantFrom(1, 2, 8, 8, 64, 512),
  share: fc.constantFrom(0, 1, 4, 8),
  depth: fc.constantFrom('tested', 'written', 'computed', 'ignored', 'ignored'),
  writeMask: fc.constantFrom(15, 15, 7, 10),
  z: fc.constantFrom(0.1, 0.3, 0.55),
});
const scenes: fc.Arbitrary<Scene> = fc.record({
  samples: fc.constantFrom(1, 4),
  draws: fc.array(draw, { minLength: 1, maxLength: 4 }),
});

const devices: GPUDevice[] = [];
beforeAll(async () => {
  for (const options of ENGINES) {
    const device = await open(options);
    device.addEventListener('uncapturederror', ({ error }) => {
      throw new Error(error.message);
    });
    devices.push(device);
  }
});
afterAll(() => {
  for (const device of devices) device.destroy();
});

test('discarded blocks leave the same bits with every engine', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      const [[pixels, seen], ...others] = await Promise.all(devices.map((device) => drawn(device, scene)));
      for (const [found, foundSeen] of others) {
        expect(firstDifference(pixels!, found)).toBe(-1);
        expect(foundSeen).toEqual(seen);
      }
    }),
    { numRuns: rounds(80), seed: SEED }
  );
});
