// A plane under the model that is dark where the model hides the sky: a contact shadow.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import { dot, sinCosDegrees, subtract, type Axes, type Mat4 } from '../math';
import type { Bounds } from '../scene/bounds';
import { composeCamera, type Camera } from '../scene/camera';
import { DepthMaps, type Caster } from './depth-maps';
import { GROUND_SIZE, GROUND_WAYS, OCCLUSION, PLANE, SMOOTHING } from './ground-shader';
import type { Strokes } from './pack';
import { colorFormatOf, DEPTH_FORMAT, LIGHT_FORMAT, memo, type PipelineOutput } from './pipelines';

const { GPUBufferUsage, GPUTextureUsage } = globals;

/** Half the width of the plane in radii of the model. */
const HALF = 1.6;
/** Share of the model's height by which maps show more, and of its radius by which the plane is below its floor. */
const SPARE = 0.01;
const BELOW = 5e-4;
/** Format of what is hidden. */
const FORMAT = 'r8unorm';

type Target = 'color' | 'light';

/** Views of the model from below and from above, in which u grows with x and v with z. */
function viewsOf({ center, radius, floor }: Bounds): Mat4[] {
  const height = center[1] + radius - floor;
  const range = { near: -SPARE * height, far: (1 + SPARE) * height, middle: 0, orthographic: true };
  const half = HALF * radius;
  const view = (side: 1 | -1, y: number): Mat4 => {
    const axes: Axes = { right: [1, 0, 0], up: [0, 0, -1], back: [0, side, 0] };
    return composeCamera(axes, [center[0], y, center[2]], [half, half], range).viewProjection;
  };
  return [view(-1, floor), view(1, floor + height)];
}

/**
 * Directions to the sky, as many for equal shares of its light on the plane: texels per height of the model, and the
 * height at which a ray has left the map.
 */
function waysOf({ center, radius, floor }: Bounds): number[] {
  const texelsPerHeight = ((center[1] + radius - floor) / (2 * HALF * radius)) * GROUND_SIZE;
  return Array.from({ length: GROUND_WAYS }, (_, i) => {
    const square = (i + 0.5) / GROUND_WAYS;
    const slope = Math.sqrt(square / (1 - square)) * texelsPerHeight;
    const angle = sinCosDegrees(i * 137.50776405003785); // The golden angle distributes them evenly.
    return [slope * angle.cos, slope * angle.sin, Math.min(1, GROUND_SIZE / slope), 0];
  }).flat();
}

/** Radii of the model within which it and its ground are. */
export function groundReach(model: Bounds, { center, radius, floor }: Bounds): number {
  const way = subtract([center[0], floor - BELOW * radius, center[2]], model.center);
  return Math.max(1, (Math.sqrt(dot(way, way)) + 1.5 * HALF * radius) / model.radius);
}

export class Ground {
  readonly bytes: number;
  readonly #device: GPUDevice;
  readonly #bounds: Bounds;
  readonly #output: PipelineOutput;
  readonly #maps: DepthMaps;
  readonly #textures: Record<'result' | 'other', GPUTexture>;
  readonly #sampler: GPUSampler;
  readonly #buffers: Record<'heights' | 'plane', GPUBuffer>;
  readonly #pipelines = new Map<Kind, GPURenderPipeline>();
  #isDrawn = false;

  constructor(device: GPUDevice, bounds: Bounds, output: PipelineOutput) {
    this.#device = device;
    this.#bounds = bounds;
    this.#output = output;
    this.#maps = new DepthMaps(device, 'ground', viewsOf(bounds), GROUND_SIZE);
    const texture = (label: string): GPUTexture =>
      device.createTexture({
        label,
        size: [GROUND_SIZE, GROUND_SIZE],
        format: FORMAT,
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
      });
    this.#textures = { result: texture('ground'), other: texture('ground, rough') };
    this.bytes = this.#maps.bytes + 2 * GROUND_SIZE * GROUND_SIZE;
    this.#sampler = device.createSampler({ label: 'ground', magFilter: 'linear', minFilter: 'linear' });
    const buffer = (label: string, size: number): GPUBuffer =>
      device.createBuffer({ label, size, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    this.#buffers = { heights: buffer('ground, heights', 16 + 16 * GROUND_WAYS), plane: buffer('ground', 80) };
    const heights = Float32Array.of(-SPARE, 1 + SPARE, 0, 0, ...waysOf(bounds));
    device.queue.writeBuffer(this.#buffers.heights, 0, heights);
  }

  /** Compiles what it is drawn with. Must have ended before it is drawn. */
  async compile(): Promise<void> {
    const compiled = KINDS.map((kind) => pipelineOf(this.#device, kind, this.#output));
    for (const [i, pipeline] of (await Promise.all(compiled)).entries()) this.#pipelines.set(KINDS[i], pipeline);
  }

  setCamera(camera: Camera, strokes: Strokes): void {
    this.#maps.setStrokes(strokes);
    const { center, radius, floor } = this.#bounds;
    const place = [center[0], floor - BELOW * radius, center[2], HALF * radius];
    this.#device.queue.writeBuffer(this.#buffers.plane, 0, Float32Array.of(...camera.viewProjection, ...place));
  }

  /** Finds out what is hidden, unless it is known: it does not depend on the camera. */
  prepare(encoder: GPUCommandEncoder, drawGroup: GPUBindGroup, casters: readonly Caster[]): void {
    const isNew = this.#maps.encode(encoder, drawGroup, casters);
    if (this.#isDrawn && !isNew) return;
    this.#isDrawn = true;
    const { result, other } = this.#textures;
    this.#fill(encoder, 'occlusion', result, [{ buffer: this.#buffers.heights }, this.#maps.view]);
    this.#fill(encoder, 'smoothing', other, [result.createView(), this.#sampler]);
    this.#fill(encoder, 'smoothing', result, [other.createView(), this.#sampler]);
  }

  /** Draws the plane. It sets group 0 and the pipeline. */
  encode(pass: GPURenderPassEncoder, target: Target): void {
    const pipeline = this.#pipelines.get(target)!;
    pass.setPipeline(pipeline);
    const resources = [{ buffer: this.#buffers.plane }, this.#textures.result.createView(), this.#sampler];
    pass.setBindGroup(0, groupOf(this.#device, pipeline, resources));
    pass.draw(4);
  }

  destroy(): void {
    this.#maps.destroy();
    for (const each of [...Object.values(this.#textures), ...Object.values(this.#buffers)]) each.destroy();
  }

  #fill(
    encoder: GPUCommandEncoder,
    kind: 'occlusion' | 'smoothing',
    texture: GPUTexture,
    resources: GPUBindingResource[]
  ): void {
    const pipeline = this.#pipelines.get(kind)!;
    const pass = encoder.beginRenderPass({
      label: texture.label,
      colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, groupOf(this.#device, pipeline, resources));
    pass.draw(3);
    pass.end();
  }
}

function groupOf(device: GPUDevice, pipeline: GPURenderPipeline, resources: GPUBindingResource[]): GPUBindGroup {
  const entries = resources.map((resource, binding) => ({ binding, resource }));
  return device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
}

const KINDS = ['occlusion', 'smoothing', 'color', 'light'] as const;
type Kind = (typeof KINDS)[number];
const PIPELINES = new WeakMap<GPUDevice, Map<string, Promise<GPURenderPipeline>>>();

function pipelineOf(device: GPUDevice, kind: Kind, output: PipelineOutput): Promise<GPURenderPipeline> {
  const { samples } = output;
  const format = kind === 'color' ? colorFormatOf(output) : LIGHT_FORMAT;
  let known = PIPELINES.get(device);
  if (!known) PIPELINES.set(device, (known = new Map()));
  return memo(known, `${kind} ${samples} ${format}`, () => {
    const isPlane = kind === 'color' || kind === 'light';
    const code = isPlane ? PLANE : kind === 'occlusion' ? OCCLUSION : SMOOTHING;
    const module = device.createShaderModule({ label: `ground, ${kind}`, code });
    const common = { label: `ground, ${kind}`, layout: 'auto' as const, vertex: { module } };
    if (!isPlane)
      return device.createRenderPipelineAsync({ ...common, fragment: { module, targets: [{ format: FORMAT }] } });
    const over = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' } as const;
    return device.createRenderPipelineAsync({
      ...common,
      fragment: { module, targets: [{ format, blend: { color: over, alpha: over } }] },
      // It is seen from above only.
      primitive: { topology: 'triangle-strip', frontFace: 'cw', cullMode: 'back' },
      depthStencil: { format: DEPTH_FORMAT, depthCompare: 'less', depthWriteEnabled: true },
      multisample: { count: samples },
    });
  });
}
