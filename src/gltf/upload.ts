// Uploads a flat scene as GPU objects: buffers, textures with their mips, pipelines and bind groups.
/// <reference types="@webgpu/types" />
import type { Texture } from '@gltf-transform/core';
import { globals, type StreamedTextureMembers } from '../index';
import type { Camera } from './camera';
import type { Geometry } from './geometry';
import type { MaterialData, SamplerSettings } from './material';
import { drawUniforms, interleave, materialUniforms } from './pack';
import type { SceneImage, TiledChain } from './image-set';
import type { MipChain } from './images/mips';
import { memo, Pipelines, type PipelineOutput } from './pipelines';
import type { Draw, FlatScene } from './scene';
import { FRAME_BYTES, samplerBinding, textureBinding } from './shader';
import { drawOrder, trianglesBackToFront } from './sort';
import { KEY_DIRECTION, KEY_STRENGTH, STUDIO_LEVELS, STUDIO_SIZE, type Studio } from './studio';
import { variantOf, vertexAttributes, type Variant } from './variant';

const { GPUBufferUsage, GPUTextureUsage } = globals;

/** Maximum number of concurrent page loads of a texture. */
const MAX_CONCURRENT_LOADS = 8;

/** One draw call with all its resources. */
interface GpuDraw {
  pipeline: GPURenderPipeline;
  drawGroup: GPUBindGroup;
  materialGroup: GPUBindGroup;
  vertices: GPUBuffer;
  indices: GPUBuffer;
  indexCount: number;
}

/** A scene ready to be drawn: opaque draws first, then blended ones from back to front. */
export interface GpuScene {
  frameGroup: GPUBindGroup;
  draws: GpuDraw[];
  counts: { textures: number; pipelines: number; textureBytes: number; bufferBytes: number };
}

/**
 * Uploads a scene as seen by one camera, and images as they arrive. Pipelines are compiled concurrently. If one fails,
 * it rejects with a GPUPipelineError; all other errors go to the device's error scopes.
 */
export function uploadScene(
  device: GPUDevice,
  scene: FlatScene,
  studio: Studio,
  images: AsyncIterable<SceneImage>,
  camera: Camera,
  output: PipelineOutput
): Promise<GpuScene> {
  return new Uploader(device, output).upload(scene, studio, images, camera);
}

class Uploader {
  readonly #device: GPUDevice;
  readonly #pipelines: Pipelines;
  readonly #counts = { textures: 0, textureBytes: 0, bufferBytes: 0 };
  readonly #textures = new Map<Texture, { srgb: boolean; view: GPUTextureView }[]>();
  readonly #samplers = new Map<string, GPUSampler>();
  readonly #materialGroups = new Map<MaterialData, Map<string, GPUBindGroup>>();
  readonly #vertices = new Map<Geometry, Map<string, GPUBuffer>>();
  readonly #indices = new Map<Geometry, GPUBuffer>();

  constructor(device: GPUDevice, output: PipelineOutput) {
    this.#device = device;
    this.#pipelines = new Pipelines(device, output);
  }

  async upload(scene: FlatScene, studio: Studio, images: AsyncIterable<SceneImage>, camera: Camera): Promise<GpuScene> {
    const draws = drawOrder(scene.draws, camera).map((draw) => ({
      draw,
      variant: variantOf(draw.material, draw.geometry),
    }));
    // Pipelines are requested first, so that they are compiled while images are decoded.
    const pipelines = draws.map(({ draw, variant }) => this.#pipelines.pipeline(variant, draw.mirrored));
    const frameGroup = this.#frameGroup(studio, camera);
    for await (const { texture, chains } of images) {
      this.#textures.set(
        texture,
        chains.map((chain) => ({ srgb: chain.srgb, view: this.#texture(texture.getName(), chain) }))
      );
    }
    const gpuDraws = draws.map(({ draw, variant }, i) => this.#draw(draw, variant, camera, i));
    const ready = await Promise.all(pipelines);
    return {
      frameGroup,
      draws: gpuDraws.map((draw, i) => ({ ...draw, pipeline: ready[i] })),
      counts: { ...this.#counts, pipelines: this.#pipelines.count },
    };
  }

  #draw(draw: Draw, variant: Variant, camera: Camera, number: number): Omit<GpuDraw, 'pipeline'> {
    const blended = draw.material.alphaMode === 'BLEND';
    const indices = blended ? trianglesBackToFront(draw, camera) : draw.geometry.indices;
    return {
      drawGroup: this.#drawGroup(draw, camera, number),
      materialGroup: this.#materialGroup(draw.material, variant),
      vertices: this.#vertexBuffer(draw.geometry, variant),
      indices: blended
        ? this.#buffer('sorted indices', indices, GPUBufferUsage.INDEX)
        : this.#indexBuffer(draw.geometry),
      indexCount: indices.length,
    };
  }

  #buffer(label: string, data: Float32Array | Uint32Array, usage: number): GPUBuffer {
    const buffer = this.#device.createBuffer({ label, size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
    this.#device.queue.writeBuffer(buffer, 0, data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
    this.#counts.bufferBytes += data.byteLength;
    return buffer;
  }

  #frameGroup({ levels, harmonics }: Studio, camera: Camera): GPUBindGroup {
    const [one, x, y, z, xy, yz, zx, zz, xxyy] = harmonics;
    const frame = new Float32Array(FRAME_BYTES / 4);
    frame.set([...camera.eye, xxyy, ...KEY_DIRECTION, KEY_STRENGTH, x, y, z, one, xy, yz, zx, zz]);
    const studio = this.#device.createTexture({
      label: 'studio',
      size: [STUDIO_SIZE, STUDIO_SIZE, 6],
      mipLevelCount: STUDIO_LEVELS,
      format: 'rgba16float',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    levels.forEach(({ size, faces }, mipLevel) => {
      faces.forEach((texels, face) => {
        this.#device.queue.writeTexture(
          { texture: studio, mipLevel, origin: [0, 0, face] },
          texels,
          { bytesPerRow: size * 8 },
          [size, size]
        );
        this.#counts.textureBytes += texels.byteLength;
      });
    });
    const sampler = this.#device.createSampler({
      label: 'studio',
      magFilter: 'linear',
      minFilter: 'linear',
      mipmapFilter: 'linear',
    });
    return this.#device.createBindGroup({
      label: 'frame',
      layout: this.#pipelines.frameLayout,
      entries: [
        { binding: 0, resource: { buffer: this.#buffer('frame', frame, GPUBufferUsage.UNIFORM) } },
        { binding: 1, resource: studio.createView({ dimension: 'cube' }) },
        { binding: 2, resource: sampler },
      ],
    });
  }

  #drawGroup(draw: Draw, camera: Camera, number: number): GPUBindGroup {
    const label = `draw ${number}`;
    return this.#device.createBindGroup({
      label,
      layout: this.#pipelines.drawLayout,
      entries: [
        { binding: 0, resource: { buffer: this.#buffer(label, drawUniforms(draw, camera), GPUBufferUsage.UNIFORM) } },
      ],
    });
  }

  #materialGroup(material: MaterialData, variant: Variant): GPUBindGroup {
    const groups = memo(this.#materialGroups, material, () => new Map<string, GPUBindGroup>());
    return memo(groups, variant.key, () => {
      const uniforms = this.#buffer('material', materialUniforms(material, variant), GPUBufferUsage.UNIFORM);
      return this.#device.createBindGroup({
        label: 'material',
        layout: this.#pipelines.materialLayout(variant),
        entries: [
          { binding: 0, resource: { buffer: uniforms } },
          ...variant.reads.map(({ use }, i) => ({
            binding: textureBinding(i),
            resource: this.#textureView(use.image, use.srgb),
          })),
          ...variant.samplers.map((settings, i) => ({
            binding: samplerBinding(variant, i),
            resource: this.#sampler(settings),
          })),
        ],
      });
    });
  }

  #texture(name: string, chain: MipChain | TiledChain): GPUTextureView {
    this.#counts.textures++;
    return 'loadPage' in chain ? this.#tiled(name, chain) : this.#whole(name, chain);
  }

  /** Makes a streamed texture, whose pages are loaded when a pixel needs them. */
  #tiled(name: string, { srgb, width, height, levels, pageSize, loadPage }: TiledChain): GPUTextureView {
    const descriptor: GPUTextureDescriptor & StreamedTextureMembers = {
      label: name || 'texture',
      size: [width, height],
      mipLevelCount: levels,
      format: srgb ? 'rgba8unorm-srgb' : 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING,
      stream: { pageSize, maxConcurrentLoads: MAX_CONCURRENT_LOADS, loadPage },
    };
    return this.#device.createTexture(descriptor).createView();
  }

  /** Makes a complete texture. If the image exceeds the device's limit, it begins at the first mip level that fits. */
  #whole(name: string, { srgb, levels: all }: MipChain): GPUTextureView {
    const limit = this.#device.limits.maxTextureDimension2D;
    const levels = all.filter((level) => level.width <= limit && level.height <= limit);
    const [{ width, height }] = levels;
    const texture = this.#device.createTexture({
      label: name || 'texture',
      size: [width, height],
      mipLevelCount: levels.length,
      format: srgb ? 'rgba8unorm-srgb' : 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    levels.forEach((level, mipLevel) => {
      this.#device.queue.writeTexture(
        { texture, mipLevel },
        level.data as Uint8Array<ArrayBuffer>,
        { bytesPerRow: level.width * 4 },
        [level.width, level.height]
      );
      this.#counts.textureBytes += level.data.byteLength;
    });
    return texture.createView();
  }

  #textureView(image: Texture, srgb: boolean): GPUTextureView {
    return this.#textures.get(image)!.find((each) => each.srgb === srgb)!.view;
  }

  #sampler(settings: SamplerSettings): GPUSampler {
    const { mips, ...descriptor } = settings;
    return memo(this.#samplers, JSON.stringify(settings), () =>
      this.#device.createSampler({ ...descriptor, lodMaxClamp: mips ? 32 : 0 })
    );
  }

  #vertexBuffer(geometry: Geometry, variant: Variant): GPUBuffer {
    const attributes = vertexAttributes(variant);
    const buffers = memo(this.#vertices, geometry, () => new Map<string, GPUBuffer>());
    const key = attributes.map(({ name }) => name).join();
    return memo(buffers, key, () => this.#buffer('vertices', interleave(geometry, variant), GPUBufferUsage.VERTEX));
  }

  #indexBuffer(geometry: Geometry): GPUBuffer {
    return memo(this.#indices, geometry, () => this.#buffer('indices', geometry.indices, GPUBufferUsage.INDEX));
  }
}
