// What is seen through materials that let light pass (KHR_materials_transmission): the opaque draws of the scene before
// tone mapping, in a texture whose smaller levels stand for rough surfaces.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import { encodeDraw, type DrawList } from './draw-list';
import { DEPTH_FORMAT, LIGHT_FORMAT, type Pipelines } from './pipelines';

const { GPUTextureUsage } = globals;

/** The whole picture. */
export interface BehindPicture {
  width: number;
  height: number;
  /** Linear light of the background, premultiplied by its alpha. */
  background: GPUColorDict;
}

const HALVE = `
@group(0) @binding(0) var larger: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;
struct Corner { @builtin(position) position: vec4f, @location(0) at: vec2f }
@vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
  let at = vec2f(vec2u(i & 1, i >> 1) * 2);
  return Corner(vec4f(at * vec2f(2, -2) + vec2f(-1, 1), 0, 1), at);
}
@fragment fn fs(in: Corner) -> @location(0) vec4f { return textureSampleLevel(larger, linear, in.at, 0); }`;

export class Behind {
  readonly pipelines: Pipelines;
  /** The uniforms of the scene for these pipelines. */
  frameGroup!: GPUBindGroup;
  readonly #device: GPUDevice;
  readonly #samples: number;
  #texture: GPUTexture | undefined;
  #attachments: { samples: GPUTexture | undefined; depth: GPUTexture } | undefined;
  readonly #halve: GPURenderPipeline;
  readonly #sampler: GPUSampler;

  constructor(device: GPUDevice, samples: number, pipelines: Pipelines) {
    this.#device = device;
    this.#samples = samples;
    this.pipelines = pipelines;
    const module = device.createShaderModule({ label: 'halve', code: HALVE });
    this.#halve = device.createRenderPipeline({
      label: 'halve',
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: LIGHT_FORMAT }] },
    });
    this.#sampler = device.createSampler({ label: 'halve', magFilter: 'linear', minFilter: 'linear' });
  }

  /** Draws the texture for a scene in the order of its camera. */
  encode(encoder: GPUCommandEncoder, picture: BehindPicture, scene: DrawList): GPUTexture {
    const texture = this.#textureFor(picture);
    const { samples, depth } = this.#attachments!;
    const resolved = texture.createView({ baseMipLevel: 0, mipLevelCount: 1 });
    const pass = encoder.beginRenderPass({
      label: 'behind',
      colorAttachments: [
        {
          ...(samples ? { view: samples.createView(), resolveTarget: resolved } : { view: resolved }),
          loadOp: 'clear',
          storeOp: samples ? 'discard' : 'store',
          clearValue: picture.background,
        },
      ],
      depthStencilAttachment: {
        view: depth.createView(),
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
        depthClearValue: 1,
      },
    });
    scene.backdrop?.encode(pass, 'light');
    pass.setBindGroup(0, this.frameGroup);
    for (const draw of scene.draws) {
      if (!draw.behindPipeline) continue;
      pass.setPipeline(draw.behindPipeline);
      encodeDraw(pass, scene, draw);
    }
    scene.ground?.encode(pass, 'light');
    pass.end();
    for (let level = 1; level < texture.mipLevelCount; level++) this.#encodeHalf(encoder, texture, level);
    return texture;
  }

  destroy(): void {
    this.#texture?.destroy();
    this.#attachments?.samples?.destroy();
    this.#attachments?.depth.destroy();
  }

  #encodeHalf(encoder: GPUCommandEncoder, texture: GPUTexture, level: number): void {
    const view = (baseMipLevel: number): GPUTextureView => texture.createView({ baseMipLevel, mipLevelCount: 1 });
    const pass = encoder.beginRenderPass({
      label: `behind, level ${level}`,
      colorAttachments: [{ view: view(level), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(this.#halve);
    pass.setBindGroup(
      0,
      this.#device.createBindGroup({
        layout: this.#halve.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: view(level - 1) },
          { binding: 1, resource: this.#sampler },
        ],
      })
    );
    pass.draw(3);
    pass.end();
  }

  /** The texture is kept for pictures of the same size. */
  #textureFor({ width, height }: BehindPicture): GPUTexture {
    if (this.#texture?.width === width && this.#texture.height === height) return this.#texture;
    this.destroy();
    const { RENDER_ATTACHMENT, TEXTURE_BINDING } = GPUTextureUsage;
    const texture = this.#device.createTexture({
      label: 'behind',
      size: [width, height],
      mipLevelCount: 32 - Math.clz32(Math.max(width, height)),
      format: LIGHT_FORMAT,
      usage: RENDER_ATTACHMENT | TEXTURE_BINDING,
    });
    const attachment = (label: string, format: GPUTextureFormat): GPUTexture =>
      this.#device.createTexture({
        label,
        size: [width, height],
        sampleCount: this.#samples,
        format,
        usage: RENDER_ATTACHMENT,
      });
    this.#attachments = {
      samples: this.#samples > 1 ? attachment('samples behind', LIGHT_FORMAT) : undefined,
      depth: attachment('depth behind', DEPTH_FORMAT),
    };
    this.#texture = texture;
    return texture;
  }
}
