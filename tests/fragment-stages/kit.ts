// Draws the scenes of reference.ts on a device and reads back every sample.
import type { StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { builtPackage } from '../images/open';
import { COMPONENTS, type Draw, type Scene, type Staged } from './reference';
import { GPUMapMode } from '../support/flags';

const USAGE = { COPY_SRC: 1, SAMPLED: 4, ATTACHMENT: 16 } as const;
const BUFFER = { MAP_READ: 1, COPY_DST: 8, VERTEX: 32 } as const;
const PATIENCE_MS = 20_000;
const FEATURES: readonly string[] = [
  'statistics',
  'extended-sample-counts',
  'multisample-32bit',
  'fragment-stages',
  'shading-rate',
];

/** Opens a device whose workers render from the first frame on. */
export async function open(options: CreateOptions): Promise<StatisticsDevice> {
  const { create } = await builtPackage();
  const adapter = await create({ alwaysUseWorkers: true, ...options }).requestAdapter();
  const device = (await adapter!.requestDevice({ requiredFeatures: FEATURES as GPUFeatureName[] })) as StatisticsDevice;
  const until = performance.now() + PATIENCE_MS;
  while (device.statistics().workers < (options.threads ?? 0)) {
    if (performance.now() > until) throw new Error(`workers are not up after ${PATIENCE_MS / 1000} s`);
    await new Promise((turn) => setTimeout(turn, 1));
  }
  return device;
}

const HASH = `let pixel = vec2u(corner.position.xy);
    let hash = (pixel.x * 5 + pixel.y * 3) & 7;`;

/** See valuesOf in reference.ts. */
function codeOf({ kind, reads, each, coverage, writesBoth, discards, staged }: Draw): string {
  const isProgram = kind === 'program';
  const both = writesBoth || kind === 'opaque';
  const stored = `
    ${isProgram && reads[0] ? '@color(0) first: vec3f,' : ''}
    ${isProgram && reads[1] ? '@color(1) second: u32,' : ''}
    ${isProgram && each ? '@builtin(sample_index) sample: u32,' : ''}
    ${staged?.readsDepth ? '@builtin(sample_depth) depth: f32,' : ''}`;
  const coarse = staged?.coarse;
  const ofPixel = `${coarse ? 'base + hash * 5' : 'corner.id * 7 + hash * 3'} ${coverage ? '+ 23 * covered' : ''}`;
  const ofSample = `${reads[0] ? '+ u32(first.x) * 5 + u32(first.y)' : ''} ${reads[1] ? '+ 11 * (second & 63)' : ''}
    ${each ? '+ 19 * sample' : ''} ${staged?.varies ? '+ 3 * u32(round(corner.x))' : ''}
    ${staged?.readsDepth ? '+ u32(depth * 16)' : ''}`;
  const other = `${writesBoth ? `value * 3 + ${reads[1] ? '(second & 255)' : '0'}` : ''}`;
  const gives = writesBoth && !staged?.givesSecond && !coarse?.givesSecond;
  const givesSecond = writesBoth && staged?.givesSecond && !coarse?.givesSecond;
  const coarseStage = coarse
    ? `
  struct Base {
    @link(7) base: u32, @link(2) same: f32, ${writesBoth && coarse.givesSecond ? '@location(1) second: u32' : ''}
  }
  @fragment fn coarse(corner: Corner) -> Base {
    ${HASH}
    ${coarse.discards ? 'if (hash > 5) { discard; }' : ''}
    return Base(
      corner.id * 7 + hash * 3
        ${coarse.derives ? '+ 11 * u32(dpdx(corner.position.x)) + 13 * u32(dpdy(corner.position.y))' : ''}
        ${coarse.varies ? '+ 5 * u32(round(corner.same))' : ''},
      f32(corner.id), ${writesBoth && coarse.givesSecond ? 'corner.id * 5 + hash' : ''}
    );
  }`
    : '';
  const fromCoarse = coarse ? '@link(7) base: u32, @link(2) same: f32,' : '';
  const derived = coarse?.isDerived ? '+ u32(abs(dpdx(same)) + abs(dpdy(same)))' : '';
  const ending = coarse?.endsInPixels
    ? `
  struct Values {
    @location(0) first: vec4f, ${writesBoth && !coarse.givesSecond ? '@location(1) second: u32,' : ''}
    ${staged?.masks ? '@builtin(sample_mask) mask: u32' : ''}
  }
  @fragment fn pixel(corner: Corner, ${fromCoarse} ${coverage ? '@builtin(sample_mask) covered: u32' : ''}) -> Values {
    ${HASH}
    ${discards ? 'if (hash < 2) { discard; }' : ''}
    let value = (${ofPixel} ${derived}) % 61;
    return Values(
      vec4f(f32(value), f32(value * value % 13), same, 1), ${writesBoth && !coarse.givesSecond ? `${other},` : ''}
      ${staged?.masks ? 'hash * 5 + 3' : ''}
    );
  }`
    : null;
  const pixelStage =
    coarseStage
    + (ending
      ?? (staged
        ? `
  struct Links {
    @link(3) partial: u32, @link(0) id: f32,
    ${givesSecond ? '@location(1) second: u32,' : ''}
    ${staged.masks ? '@builtin(sample_mask) mask: u32' : ''}
  }
  @fragment fn pixel(corner: Corner, ${fromCoarse} ${coverage ? '@builtin(sample_mask) covered: u32' : ''}) -> Links {
    ${HASH}
    ${discards ? 'if (hash < 2) { discard; }' : ''}
    return Links(${[
      `${ofPixel} ${derived}`,
      coarse ? 'same' : 'f32(corner.id)',
      ...(givesSecond ? ['corner.id * 5 + hash'] : []),
      ...(staged.masks ? ['hash * 5 + 3'] : []),
    ].join()});
  }
  struct Values { @location(0) first: vec4f, ${gives ? '@location(1) second: u32' : ''} }
  @fragment fn samples(corner: Corner, ${stored} @link(3) partial: u32, @link(0) id: f32) -> Values {
    let value = (partial ${ofSample}) % 61;
    ${staged.discardsSets ? 'if ((value & 7) == 3) { discard; }' : ''}
    ${staged.derives ? 'let slope = dpdx(id) * 0;' : 'let slope = 0.0;'}
    return Values(
      vec4f(f32(value), f32(value * value % 13), id + slope, 1), ${gives ? other : ''}
    );
  }`
        : ''));
  const result =
    kind === 'opaque'
      ? 'return Texels(vec4f(f32(corner.id), f32(hash), f32(corner.id), 1), corner.id * 9);'
      : kind === 'add'
        ? `return Texels(vec4f(1, 0, 0, 0)${writesBoth ? ', 0' : ''});`
        : `let value = (${ofPixel} ${ofSample}) % 61;
      return Texels(vec4f(f32(value), f32(value * value % 13), f32(corner.id), 1), ${other});`;
  return `
  ${isProgram ? 'enable fragment_stages;' : ''}
  ${coarse ? 'enable shading_rate;' : ''}
  struct Corner {
    @builtin(position) position: vec4f, @location(0) @interpolate(flat) id: u32,
    @location(1) @interpolate(linear, ${staged?.varies ? 'sample' : 'center'}) x: f32,
    @location(2) same: f32, ${coarse ? '@builtin(shading_rate) rate: u32' : ''}
  }
  override width: f32 = 1;
  @vertex fn vs(@location(0) position: vec3f, @location(1) id: u32) -> Corner {
    return Corner(
      vec4f(position, 1), id & 255, (position.x + 1) * width * 8, f32(id & 255), ${coarse ? 'id >> 8' : ''}
    );
  }
  struct Texels { @location(0) first: vec4f, ${both ? '@location(1) second: u32,' : ''} }
  ${
    staged
      ? pixelStage
      : `@fragment fn fs(
    corner: Corner, ${stored} ${isProgram && coverage ? '@builtin(sample_mask) covered: u32,' : ''}
  ) -> Texels {
    ${HASH}
    ${discards ? 'if (hash < 2) { discard; }' : ''}
    ${result}
  }`
  }`;
}

const READER = (samples: number): string => `
  @group(0) @binding(0) var a: texture_${samples > 1 ? 'multisampled_' : ''}2d<f32>;
  @group(0) @binding(1) var b: texture_${samples > 1 ? 'multisampled_' : ''}2d<u32>;
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
  }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let at = vec2u(p.xy);
    let width = textureDimensions(a).x;
    let source = vec2u(at.x % width, at.y);
    return vec4f(textureLoad(a, source, at.x / width).xyz, f32(textureLoad(b, source, at.x / width).x));
  }`;

const VERTICES: GPUVertexBufferLayout = {
  arrayStride: 16,
  attributes: [
    { shaderLocation: 0, offset: 0, format: 'float32x3' },
    { shaderLocation: 1, offset: 12, format: 'uint32' },
  ],
};
const STAGES = [
  { entryPoint: 'coarse', rate: 'coarse' },
  { entryPoint: 'pixel', rate: 'pixel' },
  { entryPoint: 'samples', rate: 'sample' },
] as const;
/** The stages of a draw call. */
const stagesOf = ({ coarse }: Staged): readonly (typeof STAGES)[number][] =>
  STAGES.slice(coarse ? 0 : 1, coarse?.endsInPixels ? 2 : 3);
const ADD = { operation: 'add', srcFactor: 'one', dstFactor: 'one' } as const;

function verticesOf({ width, height, draws }: Scene): Uint32Array<ArrayBuffer> {
  const triangles = draws.flatMap((draw) => draw.triangles);
  const words = new Uint32Array(triangles.length * 12);
  const floats = new Float32Array(words.buffer);
  triangles.forEach(({ corners, depth, id, rate }, i) => {
    for (let k = 0; k < 3; k++) {
      const at = (i * 3 + k) * 4;
      floats.set([(2 * corners[2 * k]!) / width - 1, 1 - (2 * corners[2 * k + 1]!) / height, depth], at);
      words[at + 3] = id | (rate << 8);
    }
  });
  return words;
}

type RatePass = GPURenderPassEncoder & { setShadingRate(rate: string, combiners: { primitive: string }): void };

export class Painter {
  private readonly pipelines = new Map<string, GPURenderPipeline>();

  constructor(readonly device: StatisticsDevice) {}

  async draw(scene: Scene): Promise<Float32Array> {
    const { device } = this;
    const { width, height, samples } = scene;
    const size = [width, height];
    device.pushErrorScope('validation');
    const texture = (format: GPUTextureFormat): GPUTexture =>
      device.createTexture({ size, sampleCount: samples, format, usage: USAGE.ATTACHMENT | USAGE.SAMPLED });
    const targets = [texture('rgba16float'), texture('r32uint')];
    const depth = texture('depth32float');
    const words = verticesOf(scene);
    const vertices = device.createBuffer({ size: words.byteLength, usage: BUFFER.VERTEX | BUFFER.COPY_DST });
    device.queue.writeBuffer(vertices, 0, words);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: targets.map((view) => ({ view, loadOp: 'clear', storeOp: 'store' })),
      depthStencilAttachment: { view: depth, depthClearValue: 1, depthLoadOp: 'clear', depthStoreOp: 'discard' },
    });
    pass.setVertexBuffer(0, vertices);
    // With per-primitive rates.
    (pass as RatePass).setShadingRate('1x1', { primitive: 'replace' });
    let first = 0;
    for (const draw of scene.draws) {
      pass.setPipeline(this.pipeline(draw, scene));
      pass.draw(draw.triangles.length * 3, 1, first);
      first += draw.triangles.length * 3;
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    const texels = await this.read(scene, targets);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    for (const resource of [...targets, depth, vertices]) resource.destroy();
    return texels;
  }

  private pipeline(draw: Draw, { samples, width }: Scene): GPURenderPipeline {
    const code = codeOf(draw);
    const key = [code, draw.compare, draw.mask, samples, width].join();
    let pipeline = this.pipelines.get(key);
    if (pipeline) return pipeline;
    const module = this.device.createShaderModule({ code });
    const writesSecond = draw.writesBoth || draw.kind === 'opaque';
    pipeline = this.device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, buffers: [VERTICES], constants: { width } },
      fragment: {
        module,
        ...(draw.staged && { stages: stagesOf(draw.staged) }),
        targets: [
          { format: 'rgba16float', ...(draw.kind === 'add' && { blend: { color: ADD, alpha: ADD } }) },
          { format: 'r32uint', writeMask: writesSecond && draw.kind !== 'add' ? 0xf : 0 },
        ],
      },
      multisample: { count: samples, mask: draw.mask },
      depthStencil: { format: 'depth32float', depthCompare: draw.compare, depthWriteEnabled: draw.compare === 'less' },
    });
    this.pipelines.set(key, pipeline);
    return pipeline;
  }

  private async read({ width, height, samples }: Scene, textures: readonly GPUTexture[]): Promise<Float32Array> {
    const { device } = this;
    const columns = width * samples;
    const bytesPerRow = Math.ceil((columns * 16) / 256) * 256;
    const buffer = device.createBuffer({ size: bytesPerRow * height, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
    const size = [columns, height];
    const key = `read ${samples}`;
    let pipeline = this.pipelines.get(key);
    if (!pipeline) {
      const module = device.createShaderModule({ code: READER(samples) });
      pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format: 'rgba32float' }] },
      });
      this.pipelines.set(key, pipeline);
    }
    const picture = device.createTexture({ size, format: 'rgba32float', usage: USAGE.ATTACHMENT | USAGE.COPY_SRC });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: picture, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: textures.map((texture, binding) => ({ binding, resource: texture.createView() })),
      })
    );
    pass.draw(3);
    pass.end();
    encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow }, size);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const rows = new Float32Array(buffer.getMappedRange());
    const texels = new Float32Array(columns * height * COMPONENTS);
    for (let y = 0; y < height; y++)
      for (let at = 0; at < columns; at++) {
        const x = at % width;
        const sample = Math.floor(at / width);
        const from = (y * bytesPerRow) / 4 + at * 4;
        texels.set(rows.subarray(from, from + 4), ((y * width + x) * samples + sample) * COMPONENTS);
      }
    for (const resource of [picture, buffer]) resource.destroy();
    return texels;
  }
}
