// A flat scene as GPU objects: buffers, textures with their mips, pipelines and bind groups.
/// <reference types="@webgpu/types" />
import type { Texture } from '@gltf-transform/core';
import { globals } from '../index';
import type { Camera } from './camera';
import type { Pixels } from './codecs';
import type { Geometry } from './geometry';
import type { MaterialData, SamplerSettings } from './material';
import { drawUniforms, interleave, materialUniforms } from './pack';
import { halve, mipCount } from './mips';
import type { Draw, FlatScene } from './scene';
import { FRAME_BYTES, samplerBinding, shaderCode, textureBinding } from './shader';
import { drawOrder, trianglesBackToFront } from './sort';
import { KEY_DIRECTION, KEY_STRENGTH, STUDIO_LEVELS, STUDIO_SIZE, studioHarmonics, studioLevel } from './studio';
import { variantOf, vertexAttributes, type Variant } from './variant';

const { GPUBufferUsage, GPUShaderStage, GPUTextureUsage } = globals;

/** The format of the picture: stored as sRGB, blended as light. */
export const COLOR_FORMAT = 'rgba8unorm-srgb';
export const DEPTH_FORMAT = 'depth32float';

/** One draw call with all it needs. */
export interface GpuDraw {
  pipeline: GPURenderPipeline;
  drawGroup: GPUBindGroup;
  materialGroup: GPUBindGroup;
  vertices: GPUBuffer;
  indices: GPUBuffer;
  indexCount: number;
}

/** A scene ready to be drawn, opaque draws first, then blended ones from back to front. */
export interface GpuScene {
  frameGroup: GPUBindGroup;
  draws: GpuDraw[];
  counts: { textures: number; pipelines: number; textureBytes: number; bufferBytes: number };
}

/** Uploads a scene as seen by one camera. Errors go to the device's error scopes. */
export function uploadScene(device: GPUDevice, scene: FlatScene, images: Map<Texture, Pixels>, camera: Camera, samples: 1 | 4): GpuScene {
  return new Uploader(device, images, samples).upload(scene, camera);
}

class Uploader {
  readonly #device: GPUDevice;
  readonly #images: Map<Texture, Pixels>;
  readonly #samples: 1 | 4;
  readonly #counts = { textures: 0, pipelines: 0, textureBytes: 0, bufferBytes: 0 };
  readonly #frameLayout: GPUBindGroupLayout;
  readonly #drawLayout: GPUBindGroupLayout;
  readonly #textures = new Map<string, Map<Texture, GPUTextureView>>();
  readonly #samplers = new Map<string, GPUSampler>();
  readonly #materialLayouts = new Map<string, GPUBindGroupLayout>();
  readonly #pipelines = new Map<string, GPURenderPipeline>();
  readonly #materialGroups = new Map<MaterialData, Map<string, GPUBindGroup>>();
  readonly #vertices = new Map<Geometry, Map<string, GPUBuffer>>();
  readonly #indices = new Map<Geometry, GPUBuffer>();

  constructor(device: GPUDevice, images: Map<Texture, Pixels>, samples: 1 | 4) {
    this.#device = device;
    this.#images = images;
    this.#samples = samples;
    const { VERTEX, FRAGMENT } = GPUShaderStage;
    this.#frameLayout = device.createBindGroupLayout({
      label: 'frame',
      entries: [
        { binding: 0, visibility: FRAGMENT, buffer: {} },
        { binding: 1, visibility: FRAGMENT, texture: { viewDimension: 'cube' } },
        { binding: 2, visibility: FRAGMENT, sampler: {} },
      ],
    });
    this.#drawLayout = device.createBindGroupLayout({ label: 'draw', entries: [{ binding: 0, visibility: VERTEX, buffer: {} }] });
  }

  upload(scene: FlatScene, camera: Camera): GpuScene {
    const frameGroup = this.#frameGroup(camera);
    const draws = drawOrder(scene.draws, camera).map((draw, i) => this.#draw(draw, camera, i));
    return { frameGroup, draws, counts: this.#counts };
  }

  #draw(draw: Draw, camera: Camera, number: number): GpuDraw {
    const variant = variantOf(draw.material, draw.geometry);
    const blended = draw.material.alphaMode === 'BLEND';
    const indices = blended ? trianglesBackToFront(draw, camera) : draw.geometry.indices;
    return {
      pipeline: this.#pipeline(variant, draw.mirrored),
      drawGroup: this.#drawGroup(draw, camera, number),
      materialGroup: this.#materialGroup(draw.material, variant),
      vertices: this.#vertexBuffer(draw.geometry, variant),
      indices: blended ? this.#buffer('sorted indices', indices, GPUBufferUsage.INDEX) : this.#indexBuffer(draw.geometry),
      indexCount: indices.length,
    };
  }

  #buffer(label: string, data: Float32Array | Uint32Array, usage: number): GPUBuffer {
    const buffer = this.#device.createBuffer({ label, size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
    this.#device.queue.writeBuffer(buffer, 0, data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
    this.#counts.bufferBytes += data.byteLength;
    return buffer;
  }

  #frameGroup(camera: Camera): GPUBindGroup {
    const [one, x, y, z, xy, yz, zx, zz, xxyy] = studioHarmonics();
    const frame = new Float32Array(FRAME_BYTES / 4);
    frame.set([...camera.eye, xxyy, ...KEY_DIRECTION, KEY_STRENGTH, x, y, z, one, xy, yz, zx, zz]);
    const studio = this.#device.createTexture({
      label: 'studio', size: [STUDIO_SIZE, STUDIO_SIZE, 6], mipLevelCount: STUDIO_LEVELS, format: 'rgba16float',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    for (let level = 0; level < STUDIO_LEVELS; level++) {
      const { size, faces } = studioLevel(level);
      faces.forEach((texels, face) => {
        this.#device.queue.writeTexture({ texture: studio, mipLevel: level, origin: [0, 0, face] }, texels, { bytesPerRow: size * 8 }, [size, size]);
        this.#counts.textureBytes += texels.byteLength;
      });
    }
    const sampler = this.#device.createSampler({ label: 'studio', magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' });
    return this.#device.createBindGroup({
      label: 'frame', layout: this.#frameLayout,
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
      label, layout: this.#drawLayout, entries: [{ binding: 0, resource: { buffer: this.#buffer(label, drawUniforms(draw, camera), GPUBufferUsage.UNIFORM) } }],
    });
  }

  #materialGroup(material: MaterialData, variant: Variant): GPUBindGroup {
    const groups = memo(this.#materialGroups, material, () => new Map<string, GPUBindGroup>());
    return memo(groups, variant.key, () => {
      const uniforms = this.#buffer('material', materialUniforms(material, variant), GPUBufferUsage.UNIFORM);
      return this.#device.createBindGroup({
        label: 'material', layout: this.#materialLayout(variant),
        entries: [
          { binding: 0, resource: { buffer: uniforms } },
          ...variant.reads.map(({ use }, i) => ({ binding: textureBinding(i), resource: this.#textureView(use.image, use.srgb) })),
          ...variant.samplers.map((settings, i) => ({ binding: samplerBinding(variant, i), resource: this.#sampler(settings) })),
        ],
      });
    });
  }

  #materialLayout(variant: Variant): GPUBindGroupLayout {
    return memo(this.#materialLayouts, variant.key, () => this.#device.createBindGroupLayout({
      label: 'material',
      entries: [
        { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} },
        ...variant.reads.map((_, i) => ({ binding: textureBinding(i), visibility: GPUShaderStage.FRAGMENT, texture: {} })),
        ...variant.samplers.map((_, i) => ({ binding: samplerBinding(variant, i), visibility: GPUShaderStage.FRAGMENT, sampler: {} })),
      ],
    }));
  }

  #textureView(image: Texture, srgb: boolean): GPUTextureView {
    const views = memo(this.#textures, srgb ? 'srgb' : 'data', () => new Map<Texture, GPUTextureView>());
    return memo(views, image, () => {
      let pixels = this.#images.get(image)!;
      // An image larger than the device takes begins at the first of its mips that fits.
      const limit = this.#device.limits.maxTextureDimension2D;
      while (pixels.width > limit || pixels.height > limit) pixels = halve(pixels, srgb);
      const levels = mipCount(pixels.width, pixels.height);
      const texture = this.#device.createTexture({
        label: image.getName() || 'texture', size: [pixels.width, pixels.height], mipLevelCount: levels, format: srgb ? 'rgba8unorm-srgb' : 'rgba8unorm',
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
      });
      for (let mipLevel = 0; mipLevel < levels; mipLevel++) {
        if (mipLevel > 0) pixels = halve(pixels, srgb);
        const { width, height, data } = pixels;
        this.#device.queue.writeTexture({ texture, mipLevel }, data as Uint8Array<ArrayBuffer>, { bytesPerRow: width * 4 }, [width, height]);
        this.#counts.textureBytes += data.byteLength;
      }
      this.#counts.textures++;
      return texture.createView();
    });
  }

  #sampler(settings: SamplerSettings): GPUSampler {
    const { mips, ...descriptor } = settings;
    return memo(this.#samplers, JSON.stringify(settings), () => this.#device.createSampler({ ...descriptor, lodMaxClamp: mips ? 32 : 0 }));
  }

  #pipeline(variant: Variant, mirrored: boolean): GPURenderPipeline {
    return memo(this.#pipelines, `${mirrored} ${variant.key}`, () => {
      this.#counts.pipelines++;
      const module = this.#device.createShaderModule({ label: 'material', code: shaderCode(variant) });
      const attributes = vertexAttributes(variant);
      let offset = 0;
      const layout = attributes.map(({ location, components }) => {
        const attribute = { shaderLocation: location, offset, format: `float32x${components}` as const };
        offset += components * 4;
        return attribute;
      });
      const blended = variant.alphaMode === 'BLEND';
      const over = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' } as const;
      return this.#device.createRenderPipeline({
        label: 'material',
        layout: this.#device.createPipelineLayout({ bindGroupLayouts: [this.#frameLayout, this.#drawLayout, this.#materialLayout(variant)] }),
        vertex: { module, entryPoint: 'vs', buffers: [{ arrayStride: offset, attributes: layout }] },
        fragment: { module, entryPoint: 'fs', targets: [{ format: COLOR_FORMAT, ...(blended ? { blend: { color: over, alpha: over } } : {}) }] },
        primitive: { topology: 'triangle-list', frontFace: mirrored ? 'cw' : 'ccw', cullMode: variant.doubleSided ? 'none' : 'back' },
        depthStencil: { format: DEPTH_FORMAT, depthCompare: 'less', depthWriteEnabled: !blended },
        multisample: { count: this.#samples },
      });
    });
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

function memo<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
