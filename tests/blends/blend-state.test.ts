// Blend states as shaders compared with fixed-function blending: the same bits in float targets, and within one step
// where fixed function blends bytes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromBlendState } from '../../src/blends';
import { engines, HEIGHT, open, WIDTH } from '../storage-programs/kit';
import { runsAll } from '../support/combinations';
import { mulberry32 } from '../support/floats';
import { evaluate, PAIRS, someColors, type Color } from './kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

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
const OPERATIONS: readonly GPUBlendOperation[] = ['add', 'subtract', 'reverse-subtract', 'min', 'max'];
const CONSTANT = [0.25, 0.8125, 0, 1] as const;
type Component = Required<GPUBlendComponent>;
interface State {
  color: Component;
  alpha: Component;
}

/**
 * Every pair of factors for color or for alpha, or for both in a run of all combinations, with alternating operations.
 */
const STATES = FACTORS.flatMap((srcFactor, i) =>
  (runsAll ? FACTORS : FACTORS.slice(0, i + 1)).map((dstFactor, k): State => ({
    color: { operation: OPERATIONS[(i + k) % 3]!, srcFactor, dstFactor },
    alpha: { operation: OPERATIONS[(i + 2 * k) % 3]!, srcFactor: dstFactor, dstFactor: srcFactor },
  }))
);
const EXTREMES = OPERATIONS.slice(3).map((operation) => {
  const each = { operation, srcFactor: 'one', dstFactor: 'one' } as const;
  return { color: each, alpha: { ...each, operation: operation === 'min' ? 'max' : 'min' } as const };
});

const next = mulberry32(11);
const eighths = (): number => (next() % 33) / 16 - 0.5;
const tame = someColors(next, PAIRS * 2);
/** Values representable as half floats, some outside of 0 … 1. */
const wide = Array.from({ length: PAIRS * 2 }, (_, i): Color =>
  i % 3
    ? (tame[i]!.map((x) => Math.round(x * 512) / 512) as unknown as Color)
    : [eighths(), eighths(), eighths(), eighths()]
);
const pairsOf = (colors: readonly Color[]): [Color, Color][] =>
  Array.from({ length: PAIRS }, (_, i) => [colors[i]!, colors[PAIRS + i]!]);

let device: GPUDevice;
beforeAll(async () => {
  device = await open(engines['compiled, on this thread']!);
});
afterAll(() => device.destroy());

/** Draws `below`, then `source` with the blend state. Returns the texels. */
async function fixed(
  format: 'rgba16float' | 'rgba8unorm',
  state: GPUBlendState,
  pairs: readonly (readonly [Color, Color])[]
): Promise<ArrayBuffer> {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({
    code: `
    @group(0) @binding(0) var<storage> colors: array<vec4f>;
    @vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
    }
    fn at(position: vec4f) -> u32 { return (u32(position.y) * ${WIDTH} + u32(position.x)) * 2; }
    @fragment fn source(@builtin(position) p: vec4f) -> @location(0) vec4f { return colors[at(p)]; }
    @fragment fn below(@builtin(position) p: vec4f) -> @location(0) vec4f { return colors[at(p) + 1]; }`,
  });
  const bytes = format === 'rgba16float' ? 8 : 4;
  const bytesPerRow = Math.ceil((WIDTH * bytes) / 256) * 256;
  const buffer = device.createBuffer({ size: PAIRS * 32, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.STORAGE });
  device.queue.writeBuffer(buffer, 0, new Float32Array(pairs.flat(2)));
  const target = device.createTexture({
    size: [WIDTH, HEIGHT],
    format,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const copy = device.createBuffer({
    size: bytesPerRow * HEIGHT,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  for (const [entryPoint, blend] of [
    ['below', undefined],
    ['source', state],
  ] as const) {
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, entryPoint, targets: [{ format, blend }] },
    });
    pass.setPipeline(pipeline);
    pass.setBlendConstant([...CONSTANT]);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer } }],
      })
    );
    pass.draw(3);
  }
  pass.end();
  encoder.copyTextureToBuffer({ texture: target }, { buffer: copy, bytesPerRow }, [WIDTH, HEIGHT]);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  const rows = new Uint8Array(copy.getMappedRange());
  const texels = new Uint8Array(PAIRS * bytes);
  for (let y = 0; y < HEIGHT; y++)
    texels.set(rows.subarray(y * bytesPerRow, y * bytesPerRow + WIDTH * bytes), y * WIDTH * bytes);
  for (const made of [buffer, target, copy]) made.destroy();
  return texels.buffer;
}

/** The half floats of a color, as two words in the first two floats. */
const HALVES = `
  fn halves(c: vec4f) -> vec4f { return bitcast<vec4f>(vec4u(pack2x16float(c.rg), pack2x16float(c.ba), 0, 0)); }`;
const name = ({ color, alpha }: State): string =>
  [color, alpha].map(({ operation, srcFactor, dstFactor }) => `${operation} ${srcFactor} ${dstFactor}`).join(', ');

describe('a blend state as a shader', () => {
  test('has the bits of fixed-function blending in half floats', async () => {
    const pairs = pairsOf(wide);
    for (const state of [...STATES, ...EXTREMES]) {
      const drawn = new Uint16Array(await fixed('rgba16float', state, pairs));
      const text = fromBlendState(state, { constant: CONSTANT }) + HALVES;
      const found = await evaluate(device, text, 'halves(blend(source, below))', pairs);
      const program = new Uint16Array(Float32Array.from(found.flatMap(([a, b]) => [a!, b!])).buffer);
      const wrong = pairs.flatMap((pair, i) =>
        drawn.subarray(i * 4, i * 4 + 4).every((half, k) => half === program[i * 4 + k])
          ? []
          : [{ pair, drawn: [...drawn.subarray(i * 4, i * 4 + 4)], program: [...program.subarray(i * 4, i * 4 + 4)] }]
      );
      expect([name(state), wrong.length, wrong.slice(0, 2)]).toEqual([name(state), 0, []]);
    }
  });

  test('is within a step of fixed-function blending in bytes', async () => {
    const bytes = tame.map((color) => color.map((x) => Math.fround(Math.round(x * 255) / 255)) as unknown as Color);
    const pairs = pairsOf(bytes);
    for (const state of [...STATES.filter((_, i) => i % 4 === 0), ...EXTREMES]) {
      const drawn = new Uint8Array(await fixed('rgba8unorm', state, pairs));
      const text = fromBlendState(state, { constant: CONSTANT, clamp: true });
      const found = (await evaluate(device, text, 'blend(source, below)', pairs)).flat();
      const steps = found.map((x, i) => Math.abs(Math.round(Math.min(Math.max(x, 0), 1) * 255) - drawn[i]!));
      expect([name(state), steps.findIndex((step) => step > 1)]).toEqual([name(state), -1]);
    }
  });
});
