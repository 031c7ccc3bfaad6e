// Surfaces that passes load, draw to and store, whose pixels hold one value or many: every sample must hold the same
// bits as on a device without encoding.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { openBuiltWith } from '../images/open';
import { GPUBufferUsage, GPUTextureUsage } from '../support/flags';
import { rounds } from '../support/rounds';

const WIDTH = 100;
const HEIGHT = 72;
const FORMAT = 'rgba8unorm';
const FEATURES = ['extended-sample-counts', 'fragment-stages', 'statistics'];

/** Draw calls of one pass each, which loads the surface. `seed` differs from step to step. */
const STEPS = ['values', 'noise', 'cover', 'half', 'blend', 'blendHalf', 'fetch', 'fetchHalf', 'resolve'] as const;
interface Step {
  readonly kind: (typeof STEPS)[number];
  readonly seed: number;
  /** Number of values of a pixel. */
  readonly count: number;
}

const CORNERS = `
@vertex fn all(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.5, 1);
}
@vertex fn half(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 2.3 - 1.1, f32(i >> 1u) * 2.1 - 1.05, 0.5, 1);
}
fn colorOf(n: u32) -> vec4f { return unpack4x8unorm(n * 2654435761u + (n >> 7u) * 40503u); }`;

/** Few colours, so that values of a pixel become equal now and then. */
const shaderOf = ({ kind, seed, count }: Step, samples: number, k: number): string => {
  if (kind === 'noise')
    return `${CORNERS}
      @fragment fn fs(@builtin(position) p: vec4f, @builtin(sample_index) s: u32) -> @location(0) vec4f {
        return colorOf((u32(p.x) * 16u + s + u32(p.y) * 1600u + ${seed}u) % 5000u); }`;
  if (kind === 'values')
    return `${CORNERS}
      struct Out { @location(0) color: vec4f, @builtin(sample_mask) mask: u32 }
      @fragment fn fs(@builtin(position) p: vec4f) -> Out {
        let pixel = u32(p.x) + u32(p.y) * ${WIDTH}u;
        let turn = (pixel * 73856093u + ${seed}u) >> 7u;
        var mask = 0u;
        for (var s = 0u; s < ${samples}u; s++) {
          if (((s ^ turn) & ${samples - 1}u) * ${count}u / ${samples}u == ${k}u) { mask |= 1u << s; }
        }
        return Out(colorOf((pixel / 3u + ${k * 11}u + (pixel % 7u) * ${k}u) % 40u), mask);
      }`;
  const color = `colorOf((u32(p.x) / 5u + u32(p.y) / 9u + ${seed}u) % 6u)`;
  if (kind.startsWith('fetch'))
    return `enable fragment_stages; ${CORNERS}
      @fragment fn fs(@builtin(position) p: vec4f, @color(0) below: vec4f) -> @location(0) vec4f {
        return below * 0.5 + ${color} * 0.5; }`;
  return `${CORNERS}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return ${color} * 0.6; }`;
};

const OVER: GPUBlendState = {
  color: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};

class Drawing {
  private readonly pipelines = new Map<string, GPURenderPipeline>();
  constructor(private readonly device: StatisticsDevice) {}

  private pipeline(step: Step, samples: number, k: number): GPURenderPipeline {
    const code = shaderOf(step, samples, k);
    const key = `${step.kind} ${samples} ${code}`;
    const known = this.pipelines.get(key);
    if (known) return known;
    const module = this.device.createShaderModule({ code });
    const made = this.device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint: /[hH]alf/.test(step.kind) ? 'half' : 'all' },
      fragment: {
        module,
        targets: [step.kind.startsWith('blend') ? { format: FORMAT, blend: OVER } : { format: FORMAT }],
      },
      multisample: { count: samples },
    });
    this.pipelines.set(key, made);
    return made;
  }

  /** Draws the steps, and returns all samples of all pixels. */
  async draw(samples: number, steps: readonly Step[]): Promise<Uint8Array> {
    const { device } = this;
    const size = [WIDTH, HEIGHT];
    const { RENDER_ATTACHMENT, TEXTURE_BINDING, COPY_SRC } = GPUTextureUsage;
    const surface = device.createTexture({
      size,
      format: FORMAT,
      sampleCount: samples,
      usage: RENDER_ATTACHMENT | TEXTURE_BINDING,
    });
    const resolved = device.createTexture({ size, format: FORMAT, usage: RENDER_ATTACHMENT }).createView();
    const encoder = device.createCommandEncoder();
    steps.forEach((step, i) => {
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          {
            view: surface.createView(),
            loadOp: i === 0 ? 'clear' : 'load',
            storeOp: 'store',
            ...(step.kind === 'resolve' ? { resolveTarget: resolved } : {}),
          },
        ],
      });
      const draws = step.kind === 'values' ? step.count : step.kind === 'resolve' ? 0 : 1;
      for (let k = 0; k < draws; k++) {
        pass.setPipeline(this.pipeline(step, samples, k));
        pass.draw(3);
      }
      pass.end();
    });
    const target = device.createTexture({
      size: [WIDTH * samples, HEIGHT],
      format: FORMAT,
      usage: RENDER_ATTACHMENT | COPY_SRC,
    });
    const module = device.createShaderModule({
      code: `${CORNERS}
        @group(0) @binding(0) var surface: texture_multisampled_2d<f32>;
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
          let x = u32(p.x);
          return textureLoad(surface, vec2u(x / ${samples}u, u32(p.y)), i32(x % ${samples}u)); }`,
    });
    const reader = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint: 'all' },
      fragment: { module, targets: [{ format: FORMAT }] },
    });
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(reader);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: reader.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: surface.createView() }],
      })
    );
    pass.draw(3);
    pass.end();
    const bytesPerRow = Math.ceil((WIDTH * samples * 4) / 256) * 256;
    const buffer = device.createBuffer({
      size: bytesPerRow * HEIGHT,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow }, [WIDTH * samples, HEIGHT]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(1);
    const bytes = new Uint8Array(buffer.getMappedRange()).slice();
    for (const resource of [surface, target, buffer]) resource.destroy();
    return bytes;
  }
}

const stepFor = (samples: number): fc.Arbitrary<Step> =>
  fc.record({
    kind: fc.constantFrom(...STEPS),
    seed: fc.integer({ min: 0, max: 3 }),
    count: fc.integer({ min: 2, max: Math.min(8, samples) }),
  });

describe.each([0, 2])('with %i threads', (threads) => {
  let devices: StatisticsDevice[];
  let encoded: Drawing;
  let plain: Drawing;
  beforeAll(async () => {
    const open = async (surfaceEncoding: boolean): Promise<StatisticsDevice> =>
      (await openBuiltWith(FEATURES, { threads, surfaceEncoding })) as StatisticsDevice;
    devices = [await open(true), await open(false)];
    [encoded, plain] = devices.map((device) => new Drawing(device)) as [Drawing, Drawing];
  });
  afterAll(() => devices.forEach((device) => device.destroy()));

  it.each([4, 8, 16])('surfaces of %i samples hold what surfaces without encoding do', async (samples) => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepFor(samples), { minLength: 2, maxLength: 5 }), async (steps) => {
        const [one, other] = [await encoded.draw(samples, steps), await plain.draw(samples, steps)];
        const at = one.findIndex((byte, i) => byte !== other[i]);
        expect(at, `byte ${at} of the samples`).toBe(-1);
      }),
      { numRuns: rounds(threads ? 15 : 40), seed: samples }
    );
  });
});
