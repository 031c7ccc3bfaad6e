// Sampled views and samplers as records in device memory (layout/texture.ts), and views as attachments.
import { FORMAT_STENCIL8 } from '../../assembly/layout/formats';
import * as T from '../../assembly/layout/texture';
import { unreachable } from '../base/assert';
import type { Allocator } from '../memory';
import type { LevelLayout, Plane, TextureMemory } from '../surface';
import { addressNumber, compareNumber, dimensionNumber, filterNumber } from './enums';
import { writeLevel } from './level';
import type { SamplerShape, SamplerStore, TextureShape, TextureStore, ViewShape, ViewStore } from './types';

export class Texture implements TextureStore {
  /** Subresources that read as zero (discarded.ts). */
  readonly discarded = new Set<string>();
  constructor(readonly shape: TextureShape, readonly memory: TextureMemory) {}
  get bytes(): number { return this.memory.bytes; }
  destroy(): void { this.memory.destroy(); }
}

class Record {
  private alive = true;
  readonly address: number;
  constructor(private readonly allocator: Allocator, bytes: number, label: string) {
    this.address = allocator.allocate(bytes, label);
  }
  destroy(): void {
    if (!this.alive) return;
    this.alive = false;
    this.allocator.free(this.address);
  }
}

export class View extends Record implements ViewStore {
  constructor(allocator: Allocator, memory: WebAssembly.Memory, readonly texture: Texture, readonly shape: ViewShape) {
    super(allocator, T.TEXTURE_BYTES, `a view of ${texture.shape.label}`);
    const plane = this.plane;
    const words = new DataView(memory.buffer, this.address, T.TEXTURE_BYTES);
    const put = (field: number, value: number): void => words.setInt32(field, value, true);
    const base = plane.levels[shape.baseMipLevel]!;
    put(T.TEXTURE_FORMAT, shape.aspect === 'stencil-only' ? FORMAT_STENCIL8 : shape.format.id);
    put(T.TEXTURE_DIMENSION, dimensionNumber[shape.dimension]);
    put(T.TEXTURE_WIDTH, base.width);
    put(T.TEXTURE_HEIGHT, base.height);
    put(T.TEXTURE_DEPTH, shape.dimension === '3d' ? base.layers : 1);
    put(T.TEXTURE_LAYERS, shape.dimension === '3d' ? 1 : shape.arrayLayerCount);
    put(T.TEXTURE_LEVELS, shape.mipLevelCount);
    put(T.TEXTURE_SAMPLES, texture.shape.sampleCount);
    put(T.TEXTURE_SURFACE, plane.surface?.address ?? 0);
    for (let i = 0; i < shape.mipLevelCount; i++) {
      const level = plane.levels[shape.baseMipLevel + i]!;
      writeLevel(words, i, level, plane.address + level.offset + shape.baseArrayLayer * level.layerBytes);
    }
  }

  /** Address of the SURFACE record of a multisampled view. */
  get surface(): number { return this.plane.surface?.address ?? unreachable('render: a surface of one sample'); }

  /** Colour, depth, or stencil where only that is viewed. */
  get plane(): Plane { return this.texture.memory.plane(this.shape.aspect); }
  get level(): LevelLayout { return this.plane.levels[this.shape.baseMipLevel]!; }

  /** Address of the first texel of a plane as an attachment; `slice` chooses one of a 3d level. */
  attachmentAddress(plane: Plane, slice: number): number {
    const level = plane.levels[this.shape.baseMipLevel]!;
    return plane.address + level.offset + (this.shape.baseArrayLayer + slice) * level.layerBytes;
  }
}

export class Sampler extends Record implements SamplerStore {
  constructor(allocator: Allocator, memory: WebAssembly.Memory, shape: SamplerShape) {
    super(allocator, T.SAMPLER_BYTES, '[Sampler]');
    const view = new DataView(memory.buffer, this.address, T.SAMPLER_BYTES);
    const put = (field: number, value: number): void => view.setInt32(field, value, true);
    put(T.SAMPLER_MAG, filterNumber[shape.magFilter]);
    put(T.SAMPLER_MIN, filterNumber[shape.minFilter]);
    put(T.SAMPLER_MIPMAP, filterNumber[shape.mipmapFilter]);
    put(T.SAMPLER_ADDRESS_U, addressNumber[shape.addressModeU]);
    put(T.SAMPLER_ADDRESS_V, addressNumber[shape.addressModeV]);
    put(T.SAMPLER_ADDRESS_W, addressNumber[shape.addressModeW]);
    view.setFloat32(T.SAMPLER_LOD_MIN, shape.lodMinClamp, true);
    view.setFloat32(T.SAMPLER_LOD_MAX, shape.lodMaxClamp, true);
    put(T.SAMPLER_COMPARE, shape.compare ? compareNumber[shape.compare] : 0);
  }
}
