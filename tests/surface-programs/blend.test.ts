// Programmable blending: the loop over sample sets gives the same as fixed-function blending of the same triangles, and
// runs once per set.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { mulberry32 } from '../support/floats';
import { emptyPass, open, samplesOf, SIZE, surface, USAGE, vertices, VERTEX, VERTICES, type Triangle } from './kit';
import { firstDifference } from '../support/first-difference';

interface Blend {
  readonly format: GPUTextureFormat;
  /** Blends `color` over `before`, in WGSL. */
  readonly wgsl: string;
  readonly state: GPUBlendState;
  /** Colors of a triangle. */
  readonly color: (random: () => number) => number[];
}
const component = (srcFactor: GPUBlendFactor, dstFactor: GPUBlendFactor): GPUBlendComponent => ({
  operation: 'add',
  srcFactor,
  dstFactor,
});
const both = (c: GPUBlendComponent): GPUBlendState => ({ color: c, alpha: c });
const blends: Record<string, Blend> = {
  'bytes added up': {
    format: 'rgba8unorm',
    wgsl: 'min(before + color, vec4f(1))',
    state: both(component('one', 'one')),
    color: (random) => Array.from({ length: 4 }, () => Math.fround((random() % 40) / 255)),
  },
  'halves, premultiplied over': {
    format: 'rgba16float',
    wgsl: 'color + before * (1 - color.a)',
    state: both(component('one', 'one-minus-src-alpha')),
    color: (random) => [0, 1, 2].map(() => (random() % 64) / 16).concat((random() % 9) / 8),
  },
};

/** Some of them share edges, some cover everything before. */
function randomTriangles(seed: number, count: number, color: Blend['color']): Triangle[] {
  const random = mulberry32(seed);
  const coordinate = (): number => (random() % 321) / 128 - 1.25;
  const triangles: Triangle[] = [];
  for (let i = 0; i < count; i++) {
    const last = triangles[i - 1]?.corners;
    const shares = last !== undefined && random() % 3 === 0;
    const corners = shares ? [...last.slice(2, 6), coordinate(), coordinate()] : Array.from({ length: 6 }, coordinate);
    triangles.push({ corners, color: color(random) });
  }
  return triangles;
}

const program = ({ format, wgsl }: Blend): string => `
  enable multisample_storage_textures;
  @group(0) @binding(0) var surface: texture_storage_multisampled_2d<${format}, read_write>;
  @group(0) @binding(1) var counts: texture_storage_multisampled_2d<r32uint, write>;
  ${VERTEX}
  @fragment fn blend(corner: Corner, @builtin(sample_mask) coverage: u32) {
    let at = vec2u(corner.position.xy);
    let color = corner.color;
    var rounds = 0u;
    var left = coverage;
    while (left != 0) {
      let known = textureLoadSamples(surface, at, left);
      let before = known.value;
      textureStoreSamples(surface, at, known.mask & left, ${wgsl});
      left &= ~known.mask;
      rounds += 1;
    }
    textureStoreSamples(counts, at, coverage, vec4u(rounds));
  }
  @fragment fn color(corner: Corner) -> @location(0) vec4f { return corner.color; }`;

class Blender {
  private readonly programmed: GPURenderPipeline;
  private readonly fixed: GPURenderPipeline;
  constructor(
    private readonly device: GPUDevice,
    private readonly blend: Blend,
    private readonly samples = 4
  ) {
    const module = device.createShaderModule({ code: program(blend) });
    const common = {
      layout: 'auto' as const,
      vertex: { module, buffers: [VERTICES] },
      multisample: { count: samples },
    };
    this.programmed = device.createRenderPipeline({
      ...common,
      fragment: { module, entryPoint: 'blend', targets: [] },
    });
    this.fixed = device.createRenderPipeline({
      ...common,
      fragment: { module, entryPoint: 'color', targets: [{ format: blend.format, blend: blend.state }] },
    });
  }

  private draw(
    pipeline: GPURenderPipeline,
    triangles: readonly Triangle[],
    descriptor: GPURenderPassDescriptor,
    group: GPUBindGroup | null
  ): void {
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginRenderPass(descriptor);
    pass.setPipeline(pipeline);
    if (group) pass.setBindGroup(0, group);
    pass.setVertexBuffer(0, vertices(this.device, triangles));
    pass.draw(3 * triangles.length);
    pass.end();
    this.device.queue.submit([encoder.finish()]);
  }

  byProgram(triangles: readonly Triangle[], target: GPUTexture, counts: GPUTexture): void {
    const group = this.device.createBindGroup({
      layout: this.programmed.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: target.createView() },
        { binding: 1, resource: counts.createView() },
      ],
    });
    this.draw(this.programmed, triangles, emptyPass('blend', this.samples), group);
  }

  byFixedFunction(triangles: readonly Triangle[]): GPUTexture {
    const target = surface(this.device, this.blend.format, USAGE.ATTACHMENT | USAGE.SAMPLED, this.samples);
    this.draw(
      this.fixed,
      triangles,
      {
        colorAttachments: [{ view: target.createView(), loadOp: 'clear', clearValue: [0, 0, 0, 0], storeOp: 'store' }],
      },
      null
    );
    return target;
  }
}

const engines = {
  'the interpreter': { engine: 'interpreter', threads: 0 },
  'compiled programs': { engine: 'jit', threads: 0 },
  'compiled programs on two threads': { engine: 'jit', threads: 2 },
  'the scalar kernel': { simd: false, threads: 0 },
} as const;

for (const [engine, options] of Object.entries(engines)) {
  describe(`programmable blending with ${engine}`, () => {
    let device: StatisticsDevice;
    beforeAll(async () => {
      device = await open(options);
    });
    afterAll(() => device.destroy());

    for (const [name, blend] of Object.entries(blends)) {
      test.each([
        [1, 4],
        [2, 4],
        [3, 4],
      ])(`${name}, triangles %i at %i samples`, async (seed, samples) => {
        const blender = new Blender(device, blend, samples);
        const triangles = randomTriangles(seed, 60, blend.color);
        const [target, counts] = ([blend.format, 'r32uint'] as const).map((format) =>
          surface(device, format, USAGE.STORAGE | USAGE.SAMPLED, samples)
        ) as [GPUTexture, GPUTexture];
        blender.byProgram(triangles, target, counts);
        const wanted = await samplesOf(device, blender.byFixedFunction(triangles));
        expect(new Set(wanted).size).toBeGreaterThan(16);
        expect(firstDifference(await samplesOf(device, target), wanted)).toBe(-1);
      });

      test.each([2, 8, 16])(`${name}, once at %i samples`, async (samples) => {
        const blender = new Blender(device, blend, samples);
        const [target, counts] = ([blend.format, 'r32uint'] as const).map((format) =>
          surface(device, format, USAGE.STORAGE | USAGE.SAMPLED, samples)
        ) as [GPUTexture, GPUTexture];
        blender.byProgram([{ corners: [-1, -0.75, 0.75, -0.75, -1, 0.9], color: [1, 0, 1, 1] }], target, counts);
        const bytes = await samplesOf(device, target);
        const rounds = new Uint32Array((await samplesOf(device, counts)).buffer);
        const texel = bytes.length / rounds.length;
        const values = new Set(
          Array.from(rounds, (_, at) => `${rounds[at]}: ${bytes.subarray(at * texel, (at + 1) * texel).join()}`)
        );
        // Covered once, or not at all.
        expect(values.size).toBe(2);
        const covered = rounds.filter((round) => round === 1).length / rounds.length;
        expect(Math.abs(covered - (1.75 * 1.65) / 8)).toBeLessThan(0.003);
        // Edges cut pixels.
        const ofSample = (sample: number): string =>
          Array.from({ length: SIZE }, (_, y) =>
            rounds.subarray((y * samples + sample) * SIZE, (y * samples + sample + 1) * SIZE).join('')
          ).join();
        expect(new Set(Array.from({ length: samples }, (_, sample) => ofSample(sample))).size).toBeGreaterThan(
          samples / 2
        );
      });

      test(`${name}: an iteration per sample set`, async () => {
        const blender = new Blender(device, blend);
        const triangles = randomTriangles(7, 30, blend.color);
        const target = surface(device, blend.format);
        const first = surface(device, 'r32uint');
        const counts = surface(device, 'r32uint');
        blender.byProgram(triangles.slice(0, -1), target, first);
        const before = await samplesOf(device, target);
        blender.byProgram([{ corners: [-1, -1, 1, -1, 0, 1], color: triangles[29]!.color }], target, counts);
        const rounds = new Uint32Array((await samplesOf(device, counts)).buffer);
        expect(setsAndRounds(before, rounds)).toEqual({ wrong: [], mixed: expect.any(Number) as number });
        expect(setsAndRounds(before, rounds).mixed).toBeGreaterThan(50);
      });
    }
  });
}

/**
 * Pixels whose iterations differ from the number of distinct texels among the stored samples, and the number of pixels
 * with more than one.
 */
function setsAndRounds(
  before: Uint8Array,
  rounds: Uint32Array
): { readonly wrong: readonly string[]; readonly mixed: number } {
  const texel = before.length / (SIZE * SIZE * 4);
  const wrong: string[] = [];
  let mixed = 0;
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++) {
      const covered = [0, 1, 2, 3].map((sample) => (y * 4 + sample) * SIZE + x).filter((at) => rounds[at] !== 0);
      const sets = new Set(covered.map((at) => before.subarray(at * texel, (at + 1) * texel).join())).size;
      if (sets > 1) mixed++;
      if (covered.some((at) => rounds[at] !== sets))
        wrong.push(`${x}, ${y}: ${covered.map((at) => rounds[at]).join()} rounds for ${sets} sets`);
    }
  return { wrong, mixed };
}
