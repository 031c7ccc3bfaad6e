// Draws the scenes of reference.ts on a device with the shader that both sides implement, and reads back every sample.
import { expect } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { builtPackage } from '../images/open';
import { RATES, type Combiner, type Rate } from './rates';
import { TARGETS, type ByRate, type Draw, type Picture, type Scene } from './reference';
import { GPUMapMode } from '../support/flags';
import { firstDifference } from '../support/first-difference';

const USAGE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 } as const;
const BUFFER = { MAP_READ: 1, COPY_DST: 8, VERTEX: 32 } as const;
const PATIENCE_MS = 20_000;

export const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  'by default, one worker': { threads: 1 },
  'compiled, two workers': { engine: 'jit', threads: 2 },
  'interpreted by three, a chunk after every draw': { engine: 'interpreter', threads: 3, chunkEveryDraw: true },
  'compiled, four workers, a small arena': { engine: 'jit', threads: 4, arenaBytes: 1024 },
  'the scalar kernel': { simd: false, threads: 0 },
  'warps put aside': { engine: 'jit', threads: 0, forcedParking: { every: 2, during: 5, warps: 5 } },
  'compiled, three workers at every tile': { engine: 'jit', threads: 3, distribution: 'any', alwaysShareTiles: true },
  'interpreted, two at every tile': { engine: 'interpreter', threads: 2, distribution: 'any', alwaysShareTiles: true },
};
/**
 * Whether each tile is shaded once per pass. Otherwise, or when it is shaded triangle by triangle, invocations run that
 * are occluded later.
 */
export const runsOnce = ({ arenaBytes, chunkEveryDraw, alwaysShareTiles }: CreateOptions): boolean =>
  !arenaBytes && !chunkEveryDraw && !alwaysShareTiles;

/** Opens a device whose workers render from the first frame on. */
export async function open(options: CreateOptions): Promise<StatisticsDevice> {
  const { create } = await builtPackage();
  const adapter = await create({ alwaysUseWorkers: true, ...options }).requestAdapter();
  const features: readonly string[] = [
    'statistics',
    'extended-sample-counts',
    'multisample-storage-textures',
    'shading-rate',
  ];
  const device = (await adapter!.requestDevice({ requiredFeatures: features as GPUFeatureName[] })) as StatisticsDevice;
  const until = performance.now() + PATIENCE_MS;
  while (device.statistics().workers < (options.threads ?? 0)) {
    if (performance.now() > until) throw new Error(`workers are not up after ${PATIENCE_MS / 1000} s`);
    await new Promise((turn) => setTimeout(turn, 1));
  }
  return device;
}

/** Counters since the creation of the device. */
interface Counts {
  readonly threads: ByRate;
  readonly pixels: ByRate;
  readonly lookUps: number;
}
interface RateStatistics {
  readonly rates: Readonly<Record<Rate, { readonly threads: number; readonly warps: number; readonly pixels: number }>>;
  readonly lookUps: number;
}
export function countsOf(device: StatisticsDevice): Counts {
  const {
    shadingRates: { rates, lookUps },
  } = device.statistics() as unknown as { shadingRates: RateStatistics };
  const of = (what: 'threads' | 'pixels'): ByRate =>
    Object.fromEntries(RATES.map((rate) => [rate, rates[rate][what]])) as ByRate;
  return { threads: of('threads'), pixels: of('pixels'), lookUps };
}
function less(now: Counts, before: Counts): Counts {
  const of = (what: 'threads' | 'pixels'): ByRate =>
    Object.fromEntries(RATES.map((rate) => [rate, now[what][rate] - before[what][rate]])) as ByRate;
  return { threads: of('threads'), pixels: of('pixels'), lookUps: now.lookUps - before.lookUps };
}

function lanesOf(device: StatisticsDevice): { readonly shaded: number; readonly run: number } {
  const { lanesShaded, quadsShaded } = device.statistics().counters;
  return { shaded: lanesShaded!, run: 4 * quadsShaded! };
}

type RatePass = GPURenderPassEncoder & {
  setShadingRate(rate: Rate, combiners?: Partial<Record<'primitive' | 'region' | 'depth', Combiner>>): void;
};

/** See valuesOf in reference.ts. */
const codeOf = ({ blend, discards, derivatives, readsRate, primitiveRates }: Draw): string => `
  enable shading_rate;
  struct Corner {
    @builtin(position) position: vec4f,
    ${primitiveRates ? '@builtin(shading_rate) rate: u32,' : ''}
    @location(0) at: vec2f, @location(1) @interpolate(linear, centroid) centroid: vec2f,
    @location(2) @interpolate(flat) how: vec3u,
  }
  struct Texels { @location(0) a: vec4f, @location(1) b: vec4f, @location(2) c: vec4f }
  @vertex fn vs(
    @location(0) position: vec3f, @location(1) at: vec2f, @location(2) how: vec3u, @location(3) rate: u32
  ) -> Corner {
    return Corner(vec4f(position, 1), ${primitiveRates ? 'rate, ' : ''}at, at, how);
  }
  @fragment fn fs(corner: ${primitiveRates ? 'Pixel' : 'Corner'}
    ${readsRate ? ', @builtin(shading_rate) ran: u32' : ''}) -> Texels {
    let p = corner.position.xy;
    ${discards ? 'if (((u32(p.x) * 5 + u32(p.y) * 3) & 7) < corner.how.z) { discard; }' : ''}
    let away = round(16 * (corner.centroid - p * f32(corner.how.y)));
    let alpha = ${blend === 'over' ? '0.5' : '1.0'};
    return Texels(
      vec4f(p, f32(corner.how.x * 16 + ${readsRate ? 'ran' : '0'}), alpha),
      vec4f(round(2 * corner.at), away.x * 64 + away.y, alpha),
      ${
        derivatives
          ? `vec4f(
          dpdx(p.x) + 16 * dpdy(p.x), dpdy(p.y) + 16 * dpdx(p.y),
          round(dpdx(corner.at.x)) * 8 + round(dpdy(corner.at.y)), alpha
        )`
          : 'vec4f(1, 2, 3, alpha)'
      });
  }
  ${
    primitiveRates
      ? `struct Pixel {
      @builtin(position) position: vec4f, @location(0) at: vec2f,
      @location(1) @interpolate(linear, centroid) centroid: vec2f, @location(2) @interpolate(flat) how: vec3u,
    }`
      : ''
  }`;

const WORDS = 9;
const VERTICES: GPUVertexBufferLayout = {
  arrayStride: WORDS * 4,
  attributes: [
    { shaderLocation: 0, offset: 0, format: 'float32x3' },
    { shaderLocation: 1, offset: 12, format: 'float32x2' },
    { shaderLocation: 2, offset: 20, format: 'uint32x3' },
    { shaderLocation: 3, offset: 32, format: 'uint32' },
  ],
};
const FACTORS: Readonly<Record<Draw['blend'], GPUBlendFactor | null>> = {
  none: null,
  over: 'one-minus-src-alpha',
  add: 'one',
};

function verticesOf({ width, height, draws }: Scene): Uint32Array<ArrayBuffer> {
  const triangles = draws.flatMap((draw) => draw.triangles);
  const words = new Uint32Array(Math.max(1, triangles.length * 3 * WORDS));
  const floats = new Float32Array(words.buffer);
  triangles.forEach(({ corners, depths, id, slope, threshold, rates }, i) => {
    for (let k = 0; k < 3; k++) {
      const at = (i * 3 + k) * WORDS;
      const x = corners[2 * k]!;
      const y = corners[2 * k + 1]!;
      floats.set([(2 * x) / width - 1, 1 - (2 * y) / height, depths[k]!, x * slope, y * slope], at);
      words.set([id, slope, threshold, rates[k]!], at + 5);
    }
  });
  return words;
}

/** Copies samples to pictures of 32-bit floats, side by side. */
const readingCode = (samples: number): string => `
  @group(0) @binding(0) var t: texture_${samples > 1 ? 'multisampled_' : ''}2d<f32>;
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
  }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let at = vec2u(p.xy);
    let width = textureDimensions(t).x;
    return textureLoad(t, vec2u(at.x % width, at.y), at.x / width);
  }`;

/** The drawing of a scene by a device: texels in the order of Picture, and the share of lanes with invocations. */
interface Drawn extends Counts {
  readonly texels: Float32Array;
  readonly busy: number;
}

export class Painter {
  private readonly pipelines = new Map<string, GPURenderPipeline>();

  constructor(readonly device: StatisticsDevice) {}

  async draw(scene: Scene): Promise<Drawn> {
    const { device } = this;
    const { width, height, samples, region } = scene;
    device.pushErrorScope('validation');
    const common = { size: [width, height], sampleCount: samples };
    const targets = Array.from({ length: TARGETS }, () =>
      device.createTexture({ ...common, format: 'rgba16float', usage: USAGE.ATTACHMENT | USAGE.SAMPLED })
    );
    const depth = device.createTexture({ ...common, format: 'depth32float', usage: USAGE.ATTACHMENT });
    const codes = region ? this.region(scene, region) : null;
    const words = verticesOf(scene);
    const vertices = device.createBuffer({ size: words.byteLength, usage: BUFFER.VERTEX | BUFFER.COPY_DST });
    device.queue.writeBuffer(vertices, 0, words);
    const before = countsOf(device);
    const lanesBefore = lanesOf(device);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: targets.map((view) => ({ view, loadOp: 'clear', storeOp: 'store' })),
      depthStencilAttachment: { view: depth, depthClearValue: 1, depthLoadOp: 'clear', depthStoreOp: 'discard' },
      ...ratesOf(scene, codes),
    } as GPURenderPassDescriptor) as RatePass;
    pass.setVertexBuffer(0, vertices);
    pass.setViewport(0, 0, width, height, ...scene.range);
    this.record(scene, pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const counts = less(countsOf(device), before);
    const lanes = lanesOf(device);
    const busy = (lanes.shaded - lanesBefore.shaded) / (lanes.run - lanesBefore.run);
    const texels = await this.read(scene, targets);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    for (const resource of [...targets, depth, vertices, codes]) resource?.destroy();
    return { ...counts, texels, busy };
  }

  private record({ draws, samples }: Scene, pass: RatePass): void {
    let first = 0;
    for (const draw of draws) {
      pass.setPipeline(this.pipeline(draw, samples));
      pass.setScissorRect(...draw.scissor);
      pass.setShadingRate(draw.rate, draw.combiners);
      pass.draw(draw.triangles.length * 3, 1, first);
      first += draw.triangles.length * 3;
    }
  }

  private region({ width, height }: Scene, { blockSize, codes }: NonNullable<Scene['region']>): GPUTexture {
    const size = [Math.ceil(width / blockSize), Math.ceil(height / blockSize)];
    const texture = this.device.createTexture({ size, format: 'r8uint', usage: USAGE.SAMPLED | USAGE.COPY_DST });
    this.device.queue.writeTexture({ texture }, Uint8Array.from(codes), { bytesPerRow: size[0]! }, size);
    return texture;
  }

  private pipeline(draw: Draw, samples: Scene['samples']): GPURenderPipeline {
    const { blend, compare, writesDepth, mask } = draw;
    const code = codeOf(draw);
    const key = [code, blend, compare, writesDepth, mask, samples].join();
    let pipeline = this.pipelines.get(key);
    if (pipeline === undefined) {
      const module = this.device.createShaderModule({ code });
      const dstFactor = FACTORS[blend];
      const component = { operation: 'add', srcFactor: 'one', dstFactor: dstFactor ?? 'zero' } as const;
      const target = {
        format: 'rgba16float',
        ...(dstFactor && { blend: { color: component, alpha: component } }),
      } as const;
      pipeline = this.device.createRenderPipeline({
        layout: 'auto',
        vertex: { module, buffers: [VERTICES] },
        fragment: { module, targets: Array.from({ length: TARGETS }, () => target) },
        multisample: { count: samples, mask },
        depthStencil: { format: 'depth32float', depthCompare: compare, depthWriteEnabled: writesDepth },
      });
      this.pipelines.set(key, pipeline);
    }
    return pipeline;
  }

  private reader(samples: number): GPURenderPipeline {
    const key = `samples: ${samples}`;
    const made = this.pipelines.get(key);
    if (made) return made;
    const module = this.device.createShaderModule({ code: readingCode(samples) });
    const pipeline = this.device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba32float' }] },
    });
    this.pipelines.set(key, pipeline);
    return pipeline;
  }

  private async read({ width, height, samples }: Scene, textures: readonly GPUTexture[]): Promise<Float32Array> {
    const { device } = this;
    const columns = width * samples;
    const bytesPerRow = Math.ceil((columns * 16) / 256) * 256;
    const buffer = device.createBuffer({
      size: bytesPerRow * height * TARGETS,
      usage: BUFFER.MAP_READ | BUFFER.COPY_DST,
    });
    const size = [columns, height];
    const encoder = device.createCommandEncoder();
    const pipeline = this.reader(samples);
    const pictures = textures.map((texture, i) => {
      const picture = device.createTexture({ size, format: 'rgba32float', usage: USAGE.ATTACHMENT | USAGE.COPY_SRC });
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: picture, loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: texture.createView() }],
        })
      );
      pass.draw(3);
      pass.end();
      encoder.copyTextureToBuffer(
        { texture: picture },
        { buffer, bytesPerRow, offset: bytesPerRow * height * i },
        size
      );
      return picture;
    });
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const rows = new Float32Array(buffer.getMappedRange());
    const texels = new Float32Array(columns * height * TARGETS * 4);
    for (let target = 0; target < TARGETS; target++)
      for (let y = 0; y < height; y++)
        for (let at = 0; at < columns; at++) {
          const x = at % width;
          const sample = Math.floor(at / width);
          const from = ((target * height + y) * bytesPerRow) / 4 + at * 4;
          texels.set(rows.subarray(from, from + 4), ((y * width + x) * samples + sample) * TARGETS * 4 + target * 4);
        }
    for (const resource of [...pictures, buffer]) resource.destroy();
    return texels;
  }
}

/** The rate member of a pass descriptor. */
function ratesOf({ depth, region }: Scene, codes: GPUTexture | null): object {
  if (!depth && !region) return {};
  return {
    shadingRates: {
      ...(depth && {
        depth: { near: depth.near, far: depth.far, rates: depth.rates, rounding: depth.rounding, at: depth.at },
      }),
      ...(region && { region: { view: codes!.createView(), blockSize: region.blockSize } }),
    },
  };
}

/** Expects every sample to equal the reference. */
export function expectPicture({ width, samples }: Scene, drawn: Drawn, wanted: Picture): void {
  const at = firstDifference(drawn.texels, wanted.texels);
  if (at < 0) return;
  const components = TARGETS * 4;
  const sample = Math.floor(at / components);
  const pixel = Math.floor(sample / samples);
  const of = (texels: ArrayLike<number>): number[] =>
    Array.from({ length: components }, (_, i) => texels[sample * components + i]!);
  const where = { x: pixel % width, y: Math.floor(pixel / width), sample: sample % samples };
  expect({ ...where, values: of(drawn.texels) }).toEqual({ ...where, values: of(wanted.texels) });
}
