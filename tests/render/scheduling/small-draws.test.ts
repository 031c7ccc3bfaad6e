// Many small draw calls in one pass: of pipelines that run per pixel, per sample or read their target, at several
// sample counts and shading rates, that differ in dynamic offsets or in bind groups and vertex buffers. They draw the
// same bits as passes of one draw call each. The devices have no statistics, which count stages in separate records.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openBuiltWith } from '../../images/open';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../../support/flags';
import { rounds } from '../../support/rounds';

const SIZE = 96;
const MAX_DRAWS = 64;
const STRIDE = 256;
const RATES = ['1x1', '2x1', '2x2', '4x4'] as const;
const KINDS = ['pixel', 'sample', 'reading'] as const;
const FEATURES = ['extended-sample-counts', 'multisample-32bit', 'fragment-stages', 'shading-rate'];
const FORMAT = 'rgba16float';
const CODE = `
  enable fragment_stages;
  struct Draw { at: vec2f, size: f32, value: f32 }
  struct Out { @builtin(position) p: vec4f, @location(0) c: vec3f }
  @group(0) @binding(0) var<uniform> d: Draw;
  @group(1) @binding(0) var tint: texture_2d<f32>;
  @group(1) @binding(5) var<uniform> shade: f32;
  @vertex fn vs(@builtin(vertex_index) i: u32, @location(0) lift: f32) -> Out {
    let corner = vec2f(f32(i & 1), f32((i >> 1) & 1)) + f32(i / 3) * 0.31;
    return Out(vec4f(d.at + corner * d.size + lift, 0.5, 1), vec3f(corner * 16, d.value));
  }
  @fragment fn pixel(v: Out) -> @location(0) vec4f {
    return vec4f(floor(v.c), v.c.z) + textureLoad(tint, vec2u(0), 0) * shade + d.value;
  }
  @fragment fn sample(v: Out, @builtin(sample_index) s: u32) -> @location(0) vec4f {
    return vec4f(f32(s), floor(v.c.yz), v.c.z);
  }
  @fragment fn reading(v: Out, @color(0) before: vec4f) -> @location(0) vec4f {
    return vec4f(v.c.z, before.xyz * 0.5);
  }`;

interface DrawCall {
  readonly kind: number;
  readonly at: readonly [number, number];
  readonly size: number;
  readonly vertices: number;
  /** Which texture and which vertex buffer it has. */
  readonly texture: number;
  readonly lift: number;
  readonly rate: number;
}
type RatePass = GPURenderPassEncoder & { setShadingRate(rate: string): void };

const OPTIONS = [
  { engine: 'jit', threads: 0 },
  { engine: 'jit', threads: 2, distribution: 'any' },
  { engine: 'interpreter', threads: 2 },
] as const;

test.each(OPTIONS.flatMap((options) => [true, false].map((dynamic) => ({ ...options, dynamic }))))(
  'small draw calls draw the same as one at a time with %o',
  async ({ dynamic, ...options }) => {
    const device = await openBuiltWith(FEATURES, options);
    const errors: string[] = [];
    device.onuncapturederror = ({ error }) => void errors.push(error.message);
    const module = device.createShaderModule({ code: CODE });
    const visibility = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
    const groupLayout = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility, buffer: { hasDynamicOffset: dynamic } }],
    });
    const tintLayout = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility, texture: { sampleType: 'unfilterable-float' } },
        { binding: 5, visibility, buffer: {} },
      ],
    });
    const layout = device.createPipelineLayout({ bindGroupLayouts: [groupLayout, tintLayout] });
    const uniforms = device.createBuffer({
      size: MAX_DRAWS * STRIDE,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    const groups = Array.from({ length: dynamic ? 1 : MAX_DRAWS }, (_, i) =>
      device.createBindGroup({
        layout: groupLayout,
        entries: [{ binding: 0, resource: { buffer: uniforms, offset: i * STRIDE, size: 16 } }],
      })
    );
    const tints = [0.25, 0.5, 4].map((value, i) => {
      const texture = device.createTexture({
        size: [1, 1],
        format: 'r32float',
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
      });
      device.queue.writeTexture({ texture }, Float32Array.of(value), {}, [1, 1]);
      const buffer = device.createBuffer({ size: 4, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
      device.queue.writeBuffer(buffer, 0, Float32Array.of(2 ** i));
      const entries = [
        { binding: 0, resource: texture.createView() },
        { binding: 5, resource: { buffer } },
      ];
      // The order of the entries has no meaning.
      return device.createBindGroup({ layout: tintLayout, entries: i === 1 ? entries.toReversed() : entries });
    });
    const lifts = [0, 0.125].map((value) => {
      const usage = GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST;
      const buffer = device.createBuffer({ size: 48 + value * 32, usage });
      device.queue.writeBuffer(buffer, 0, new Float32Array(9).fill(value));
      return buffer;
    });
    const pipelines = new Map(
      [1, 4, 8].map((count) => [
        count,
        KINDS.map((entryPoint) =>
          device.createRenderPipeline({
            layout,
            vertex: {
              module,
              buffers: [{ arrayStride: 4, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32' }] }],
            },
            fragment: { module, entryPoint, targets: [{ format: FORMAT }] },
            multisample: { count },
          })
        ),
      ])
    );
    const bytes = SIZE * SIZE * 8;
    const copy = device.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });

    /** Encodes a draw call after another one of the same pass. It sets only what changes, so that states are shared. */
    const encodeDraw = (
      pass: GPURenderPassEncoder,
      { kind, texture, lift, rate, vertices }: DrawCall,
      before: DrawCall | undefined,
      i: number,
      samples: number
    ): void => {
      if (rate !== before?.rate) (pass as RatePass).setShadingRate(RATES[rate]!);
      if (kind !== before?.kind) pass.setPipeline(pipelines.get(samples)![kind]!);
      if (texture !== before?.texture) pass.setBindGroup(1, tints[texture]!);
      if (lift !== before?.lift) pass.setVertexBuffer(0, lifts[lift]!);
      pass.setBindGroup(0, groups[dynamic ? 0 : i]!, dynamic ? [i * STRIDE] : []);
      pass.draw(vertices);
    };
    /** Draws in passes of `perPass` draw calls, and returns the resolved picture. */
    const picture = async (draws: readonly DrawCall[], samples: number, perPass: number): Promise<Uint16Array> => {
      const target = device.createTexture({
        size: [SIZE, SIZE],
        sampleCount: samples,
        format: FORMAT,
        usage: GPUTextureUsage.RENDER_ATTACHMENT | (samples === 1 ? GPUTextureUsage.COPY_SRC : 0),
      });
      const resolved = device.createTexture({
        size: [SIZE, SIZE],
        format: FORMAT,
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
      });
      const encoder = device.createCommandEncoder();
      for (let first = 0; first < draws.length; first += perPass) {
        const isLast = first + perPass >= draws.length;
        const pass = encoder.beginRenderPass({
          colorAttachments: [
            {
              view: target.createView(),
              loadOp: first === 0 ? 'clear' : 'load',
              storeOp: 'store',
              ...(isLast && samples > 1 && { resolveTarget: resolved.createView() }),
            },
          ],
        });
        draws
          .slice(first, first + perPass)
          .forEach((draw, i, all) => encodeDraw(pass, draw, all[i - 1], first + i, samples));
        pass.end();
      }
      const texture = samples === 1 ? target : resolved;
      encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: SIZE * 8 }, [SIZE, SIZE]);
      device.queue.submit([encoder.finish()]);
      await copy.mapAsync(GPUMapMode.READ);
      const words = new Uint16Array(copy.getMappedRange().slice(0));
      copy.unmap();
      for (const each of [target, resolved]) each.destroy();
      return words;
    };

    const coordinate = fc.integer({ min: -12, max: 10 }).map((n) => n / 10);
    /** A number that most draw calls share. */
    const rarely = (count: number): fc.Arbitrary<number> =>
      fc.oneof({ weight: 7, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(count - 1) });
    const drawCall: fc.Arbitrary<DrawCall> = fc.record({
      kind: rarely(KINDS.length),
      at: fc.tuple(coordinate, coordinate),
      size: fc.integer({ min: 1, max: 12 }).map((n) => n / 10),
      vertices: fc.constantFrom(3, 3, 3, 6, 9),
      texture: rarely(3),
      lift: rarely(2),
      rate: rarely(RATES.length),
    });
    let pictures = 0;
    const draws = fc.array(drawCall, { minLength: 4, maxLength: MAX_DRAWS, size: 'max' });
    await fc.assert(
      fc.asyncProperty(draws, fc.constantFrom(1, 4, 8), async (calls, samples) => {
        calls.forEach(({ at, size }, i) =>
          device.queue.writeBuffer(uniforms, i * STRIDE, new Float32Array([...at, size, i + 1]))
        );
        const together = await picture(calls, samples, calls.length);
        expect(errors).toEqual([]);
        if (together.some((word) => word !== 0)) pictures++;
        expect(together).toEqual(await picture(calls, samples, 1));
      }),
      { numRuns: rounds(10), seed: 31 }
    );
    expect(pictures).toBeGreaterThan(rounds(10) / 2);
    device.destroy();
  },
  60_000
);
