// Uploads the images of a scene as textures, and makes samplers.
/// <reference types="@webgpu/types" />
import type { Texture } from '@gltf-transform/core';
import { globals } from '../constants';
import type { StreamedTextureMembers } from '../../index';
import type { SceneImage, TiledChain } from '../images/image-set';
import type { MipChain } from '../images/mips';
import type { SamplerSettings } from '../materials/material';
import { memo } from './pipelines';

const { GPUTextureUsage } = globals;

/** Maximum number of concurrent page loads of a texture. */
const MAX_CONCURRENT_LOADS = 8;

export class Textures {
  count = 0;
  bytes = 0;
  readonly #device: GPUDevice;
  readonly #views = new Map<Texture, { srgb: boolean; view: GPUTextureView }[]>();
  readonly #samplers = new Map<string, GPUSampler>();
  readonly #made: GPUTexture[] = [];

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  add({ texture, chains }: SceneImage): void {
    const views = memo(this.#views, texture, () => []);
    for (const chain of chains) views.push({ srgb: chain.srgb, view: this.#texture(texture.getName(), chain) });
  }

  has(image: Texture, srgb: boolean): boolean {
    return this.#views.get(image)?.some((each) => each.srgb === srgb) ?? false;
  }

  view(image: Texture, srgb: boolean): GPUTextureView {
    return this.#views.get(image)!.find((each) => each.srgb === srgb)!.view;
  }

  sampler(settings: SamplerSettings): GPUSampler {
    const { mips, ...descriptor } = settings;
    return memo(this.#samplers, JSON.stringify(settings), () =>
      this.#device.createSampler({ ...descriptor, lodMaxClamp: mips ? 32 : 0 })
    );
  }

  destroy(): void {
    for (const texture of this.#made) texture.destroy();
  }

  #texture(name: string, chain: MipChain | TiledChain): GPUTextureView {
    this.count++;
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
    return this.#keep(this.#device.createTexture(descriptor)).createView();
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
      this.bytes += level.data.byteLength;
    });
    return this.#keep(texture).createView();
  }

  #keep(texture: GPUTexture): GPUTexture {
    this.#made.push(texture);
    return texture;
  }
}
