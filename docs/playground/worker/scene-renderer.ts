// Draws the frames of a scene: compute passes, a pass into the scene's own surface, and the pass of the picture.
// It also runs on the browser's own WebGPU, for scenes that use nothing else.
import type { Scene } from '../scenes/recipe';
import {
  COLOR_FORMAT,
  DEPTH_FORMAT,
  encodeDraw,
  Pipelines,
  type PreparedCompute,
  type PreparedDraw,
} from './pipelines';
import { Resources } from './resources';

/** What a frame is drawn with. */
export interface FrameOptions {
  readonly seconds: number;
  /** Number of the frame; the same number again repeats the frame without its compute passes. */
  readonly count: number;
  readonly pointer: readonly [x: number, y: number];
  /** Options of this package only. */
  readonly own?: {
    readonly rate: string;
    readonly order: 'received' | 'independent';
    /** Counts the invocations of each pixel. */
    readonly counts: GPUTexture | null;
  };
  /** Whether the samples are read afterwards. */
  readonly keepsSamples: boolean;
}

/** Pixels of a block that has one rate. */
const BLOCK = 16;
/** Codes of 1x1, 2x2 and 4x4, and the shares of the height up to which they are used. */
const FOVEA = [
  { code: 0, upTo: 0.28 },
  { code: 5, upTo: 0.5 },
  { code: 10, upTo: Infinity },
] as const;

export class SceneRenderer {
  /** The picture, with one sample. */
  readonly picture: GPUTexture;
  /** What is drawn to: with several samples, a texture of its own. */
  readonly samples: GPUTexture;
  readonly depth: GPUTexture;
  readonly surface: GPUTexture | null;
  readonly #device: GPUDevice;
  readonly #scene: Scene;
  readonly #resources: Resources;
  readonly #pipelines: Pipelines;
  readonly #compute: readonly PreparedCompute[];
  readonly #draws: readonly PreparedDraw[];
  readonly #regions: GPUTexture | null;
  #ratePass: { draws: readonly PreparedDraw[]; color: GPUTexture; depth: GPUTexture } | null = null;
  #lastCount = -1;

  constructor(
    device: GPUDevice,
    scene: Scene,
    module: GPUShaderModule,
    { width, height, samples }: { width: number; height: number; samples: number }
  ) {
    this.#device = device;
    this.#scene = scene;
    this.#resources = new Resources(device, scene, width, height, samples);
    this.surface = this.#resources.surface;
    const { RENDER_ATTACHMENT, TEXTURE_BINDING, COPY_SRC, COPY_DST } = GPUTextureUsage;
    const texture = (label: string, format: GPUTextureFormat, sampleCount: number, usage: number): GPUTexture =>
      device.createTexture({ label, size: [width, height], format, sampleCount, usage });
    const drawn = RENDER_ATTACHMENT | TEXTURE_BINDING;
    this.picture = texture('picture', COLOR_FORMAT, 1, drawn | COPY_SRC);
    this.samples = samples === 1 ? this.picture : texture('samples', COLOR_FORMAT, samples, drawn);
    this.depth = texture('depth', DEPTH_FORMAT, samples, drawn);
    this.#regions = scene.isFoveated
      ? device.createTexture({
          label: 'shading rates',
          size: [Math.ceil(width / BLOCK), Math.ceil(height / BLOCK)],
          format: 'r8uint',
          usage: TEXTURE_BINDING | COPY_DST,
        })
      : null;
    this.#pipelines = new Pipelines(device, module, this.#resources, samples);
    this.#compute = this.#pipelines.compute(scene);
    this.#draws = this.#pipelines.draws(scene);
  }

  /** Records a frame. */
  encode(encoder: GPUCommandEncoder, options: FrameOptions): void {
    const { count } = options;
    this.#writeFrame(options);
    if (count !== this.#lastCount && this.#compute.length > 0) {
      const pass = encoder.beginComputePass();
      for (const { pipeline, group, workgroups } of this.#compute) {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(...workgroups);
      }
      pass.end();
    }
    this.#lastCount = count;
    this.#encodeSurface(encoder);
    const pass = encoder.beginRenderPass(this.#passOf(options));
    this.#setOwn(pass, options);
    for (const draw of this.#draws) if (!draw.step.intoSurface) encodeDraw(pass, draw);
    pass.end();
  }

  /**
   * Records a pass that draws shading rates: red holds codes, alpha what is covered. @param ignoring steps whose own
   * shader ignores rates
   */
  encodeRates(encoder: GPUCommandEncoder, options: FrameOptions, ignoring: ReadonlySet<number>): GPUTexture {
    const { width, height } = this.picture;
    this.#ratePass ??= {
      draws: this.#draws.flatMap(({ step }, k) =>
        step.intoSurface || step.writesNothing ? [] : [this.#pipelines.rate(step, ignoring.has(k))]
      ),
      color: this.#device.createTexture({
        size: [width, height],
        format: COLOR_FORMAT,
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
      }),
      depth: this.#device.createTexture({
        size: [width, height],
        format: DEPTH_FORMAT,
        usage: GPUTextureUsage.RENDER_ATTACHMENT,
      }),
    };
    const { draws, color, depth } = this.#ratePass;
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: color.createView(), loadOp: 'clear', storeOp: 'store' }],
      depthStencilAttachment: depthAttachment(depth, 'discard'),
      ...this.#rateMembers(),
    });
    this.#setOwn(pass, options);
    for (const draw of draws) encodeDraw(pass, draw);
    pass.end();
    return color;
  }

  /** Records one step of the scene alone, at the coarsest rate, to see whether its shader can be shaded coarsely. */
  encodeStep(encoder: GPUCommandEncoder, k: number, options: FrameOptions): void {
    const draw = this.#draws[k]!;
    if (draw.step.intoSurface) return;
    const pass = encoder.beginRenderPass(this.#passOf(options));
    pass.setShadingRate('4x4');
    encodeDraw(pass, draw);
    pass.end();
  }

  get stepCount(): number {
    return this.#draws.length;
  }

  destroy(): void {
    this.#resources.destroy();
    const rates = this.#ratePass;
    for (const texture of [this.picture, this.samples, this.depth, this.#regions, rates?.color, rates?.depth])
      texture?.destroy();
  }

  #encodeSurface(encoder: GPUCommandEncoder): void {
    const { surface } = this;
    if (surface === null) return;
    const { width, height, sampleCount } = surface;
    const pass = encoder.beginRenderPass({
      label: 'surface',
      colorAttachments: [],
      size: [width, height],
      sampleCount,
    });
    for (const draw of this.#draws) if (draw.step.intoSurface) encodeDraw(pass, draw);
    pass.end();
  }

  #passOf({ keepsSamples, own }: FrameOptions): GPURenderPassDescriptor {
    const [r, g, b] = this.#scene.background;
    const isMultisampled = this.samples !== this.picture;
    return {
      label: 'picture',
      colorAttachments: [
        {
          view: this.samples.createView(),
          ...(isMultisampled ? { resolveTarget: this.picture.createView() } : {}),
          loadOp: 'clear',
          storeOp: isMultisampled && !keepsSamples ? 'discard' : 'store',
          clearValue: [r, g, b, 1],
        },
      ],
      depthStencilAttachment: depthAttachment(this.depth, keepsSamples ? 'store' : 'discard'),
      ...(own?.counts ? { invocationCounts: own.counts } : {}),
      ...(own ? this.#rateMembers() : {}),
    } as GPURenderPassDescriptor;
  }

  #rateMembers(): object {
    return this.#regions ? { shadingRates: { region: { view: this.#regions.createView(), blockSize: BLOCK } } } : {};
  }

  #setOwn(pass: GPURenderPassEncoder, { own }: FrameOptions): void {
    if (!own) return;
    pass.setShadingRate(own.rate as '1x1');
    pass.setProcessingOrder('pixel', own.order);
  }

  #writeFrame({ seconds, count, pointer }: FrameOptions): void {
    const { width, height } = this.picture;
    const bytes = new ArrayBuffer(32);
    new Float32Array(bytes).set([width, height, ...pointer, seconds]);
    new Uint32Array(bytes)[5] = count;
    this.#device.queue.writeBuffer(this.#resources.frame, 0, bytes);
    if (this.#regions) this.#writeRegions(this.#regions, pointer, height);
  }

  #writeRegions(regions: GPUTexture, [x, y]: readonly [number, number], height: number): void {
    const codes = new Uint8Array(regions.width * regions.height);
    for (let row = 0; row < regions.height; row++)
      for (let column = 0; column < regions.width; column++) {
        const away = Math.hypot((column + 0.5) * BLOCK - x, (row + 0.5) * BLOCK - y) / height;
        codes[row * regions.width + column] = FOVEA.find(({ upTo }) => away < upTo)!.code;
      }
    this.#device.queue.writeTexture({ texture: regions }, codes, { bytesPerRow: regions.width }, [
      regions.width,
      regions.height,
    ]);
  }
}

const depthAttachment = (texture: GPUTexture, depthStoreOp: GPUStoreOp): GPURenderPassDepthStencilAttachment => ({
  view: texture.createView(),
  depthLoadOp: 'clear',
  depthStoreOp,
  depthClearValue: 1,
});
