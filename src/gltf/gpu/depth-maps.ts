// Depth maps of a scene: the layers of a texture, each drawn from another place. Shadows of lights are found with them.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import { PLAIN_SCENE } from '../materials/scene-shader';
import type { Mat4 } from '../math';
import { encodeDraw, type GpuDraw } from './draw-list';
import { DEPTH_FORMAT, pipelinesOf, type Pipelines } from './pipelines';
import type { Strokes } from './pack';

const { GPUBufferUsage, GPUTextureUsage } = globals;

/** Distance of the uniforms of two layers, which is the alignment of bindings. */
const VIEW_STRIDE = 256;
const VIEW_BYTES = 80;

/** The pipelines of depth maps. */
export const depthPipelines = (device: GPUDevice): Pipelines =>
  pipelinesOf(device, { outputKind: 'depth', samples: 1 }, PLAIN_SCENE);

/** A draw call in depth maps. */
export type Caster = Omit<GpuDraw, 'behindPipeline'>;

export class DepthMaps {
  readonly size: number;
  readonly bytes: number;
  readonly view: GPUTextureView;
  readonly #device: GPUDevice;
  readonly #clips: readonly Mat4[];
  readonly #texture: GPUTexture;
  readonly #buffer: GPUBuffer;
  readonly #groups: GPUBindGroup[];
  #strokes: string | undefined;
  #isDrawn = false;

  /** @param clips world to clip space of each layer; @param size width of a layer in texels */
  constructor(device: GPUDevice, label: string, clips: readonly Mat4[], size: number) {
    const { RENDER_ATTACHMENT, TEXTURE_BINDING } = GPUTextureUsage;
    this.#device = device;
    this.#clips = clips;
    this.size = size;
    this.bytes = 4 * size * size * clips.length;
    this.#texture = device.createTexture({
      label,
      size: [size, size, clips.length],
      format: DEPTH_FORMAT,
      usage: RENDER_ATTACHMENT | TEXTURE_BINDING,
    });
    this.view = this.#texture.createView({ dimension: '2d-array' });
    this.#buffer = device.createBuffer({
      label,
      size: VIEW_STRIDE * clips.length,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    const layout = depthPipelines(device).frameLayout;
    this.#groups = clips.map((_, i) =>
      device.createBindGroup({
        label,
        layout,
        entries: [{ binding: 0, resource: { buffer: this.#buffer, offset: i * VIEW_STRIDE, size: VIEW_BYTES } }],
      })
    );
  }

  /** Lines and points are as many texels wide as they are pixels wide in the picture. */
  setStrokes({ lineWidth, pointSize }: Strokes): void {
    const key = `${lineWidth} ${pointSize}`;
    if (this.#strokes === key) return;
    this.#strokes = key;
    this.#isDrawn = false;
    const data = new Float32Array((VIEW_STRIDE / 4) * this.#clips.length);
    const [line, point] = [lineWidth / this.size, pointSize / this.size];
    this.#clips.forEach((clip, i) => data.set([...clip, line, line, point, point], (i * VIEW_STRIDE) / 4));
    this.#device.queue.writeBuffer(this.#buffer, 0, data);
  }

  /**
   * Draws the maps once: they do not depend on the camera. Returns whether they were drawn.
   */
  encode(encoder: GPUCommandEncoder, drawGroup: GPUBindGroup, casters: readonly Caster[]): boolean {
    if (this.#isDrawn) return false;
    this.#isDrawn = true;
    this.#groups.forEach((group, baseArrayLayer) => {
      const pass = encoder.beginRenderPass({
        label: this.#texture.label,
        colorAttachments: [],
        depthStencilAttachment: {
          view: this.#texture.createView({ dimension: '2d', baseArrayLayer, arrayLayerCount: 1 }),
          depthLoadOp: 'clear',
          depthStoreOp: 'store',
          depthClearValue: 1,
        },
      });
      pass.setBindGroup(0, group);
      let pipeline: GPURenderPipeline | undefined;
      for (const caster of casters) {
        if (caster.pipeline !== pipeline) pass.setPipeline((pipeline = caster.pipeline));
        encodeDraw(pass, { drawGroup }, caster);
      }
      pass.end();
    });
    return true;
  }

  destroy(): void {
    this.#texture.destroy();
    this.#buffer.destroy();
  }
}
