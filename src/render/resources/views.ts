// Textures, views and samplers as records in device memory (layout/texture/texture.ts), and views as attachments.
import { FORMAT_STENCIL8 } from '../../../assembly/layout/texture/formats';
import { SWIZZLE_BITS, SWIZZLE_SET } from '../../../assembly/layout/texture/texture-codes';
import { Sampler as SamplerRecord, Texture as TextureRecord } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import type { Allocator } from '../../memory';
import { BlockMemory, type BlockPages, type LevelLayout, type Plane, type TexturePlanes } from '../../surface';
import { addressNumber, compareNumber, dimensionNumber, filterNumber } from '../enums';
import { writeLevel } from './level';
import type { Stream } from './streams';
import type {
  LevelRegion,
  PrefetchedPages,
  SamplerShape,
  SamplerStore,
  TextureShape,
  TextureStore,
  ViewShape,
  ViewStore,
} from '../types';

export class Texture implements TextureStore {
  /** Subresources that read as zero (discarded.ts). */
  readonly discarded = new Set<string>();
  /**
   * For compressed textures: the views, whose records contain texel addresses; the pages, if the texture is read
   * through pages.
   */
  readonly views = new Set<View>();
  pages: BlockPages | null = null;

  /** `stream`: for streamed textures, the stream whose pages `memory` holds. */
  constructor(
    readonly shape: TextureShape,
    readonly memory: TexturePlanes,
    readonly stream: Stream | null = null
  ) {}

  /**
   * For compressed textures: updates the views when the texels have moved into these pages, or into one decoded piece
   * (null). No kernel may be reading the texture.
   */
  place(pages: BlockPages | null): void {
    this.pages = pages;
    for (const view of this.views) view.place();
  }

  get bytes(): number {
    return this.memory.bytes;
  }
  prefetch(region: LevelRegion): Promise<PrefetchedPages> {
    return this.stream?.prefetch(region) ?? unreachable('render: a texture without pages');
  }
  stop(): void {
    this.stream?.stop();
  }
  destroy(): void {
    if (this.stream) this.stream.destroy();
    else this.memory.destroy();
  }
}

/** Encodes Texture.swizzle. */
const swizzleWord = (swizzle: string): number =>
  swizzle === 'rgba'
    ? 0
    : [...swizzle].reduce((word, channel, i) => word | ('rgba01'.indexOf(channel) << (i * SWIZZLE_BITS)), SWIZZLE_SET);

/** Maximum number of anisotropic probes in a footprint. */
const MOST_PROBES = 16;

class Record {
  private alive = true;
  readonly address: number;
  constructor(
    private readonly allocator: Allocator,
    bytes: number,
    label: string
  ) {
    this.address = allocator.allocate(bytes, label);
  }
  destroy(): void {
    if (!this.alive) return;
    this.alive = false;
    this.allocator.free(this.address);
  }
}

export class View extends Record implements ViewStore {
  constructor(
    allocator: Allocator,
    private readonly device: WebAssembly.Memory,
    readonly texture: Texture,
    readonly shape: ViewShape
  ) {
    super(allocator, TextureRecord.bytes, `a view of ${texture.shape.label}`);
    const plane = this.plane;
    const words = new DataView(device.buffer, this.address, TextureRecord.bytes);
    const put = (field: number, value: number): void => words.setInt32(field, value, true);
    const base = plane.levels[shape.baseMipLevel]!;
    put(TextureRecord.format, shape.aspect === 'stencil-only' ? FORMAT_STENCIL8 : shape.format.id);
    put(TextureRecord.dimension, dimensionNumber[shape.dimension]);
    put(TextureRecord.width, base.width);
    put(TextureRecord.height, base.height);
    put(TextureRecord.depth, shape.dimension === '3d' ? base.layers : 1);
    put(TextureRecord.layers, shape.dimension === '3d' ? 1 : shape.arrayLayerCount);
    put(TextureRecord.levelCount, shape.mipLevelCount);
    put(TextureRecord.samples, texture.shape.sampleCount);
    put(TextureRecord.surface, plane.surface?.address ?? 0);
    put(TextureRecord.swizzle, swizzleWord(shape.swizzle));
    if (texture.memory instanceof BlockMemory) texture.views.add(this);
    this.place();
  }

  /** Writes the addresses of the texels. */
  place(): void {
    const {
      texture: { pages, stream },
      shape,
      plane,
      device,
    } = this;
    const words = new DataView(device.buffer, this.address, TextureRecord.bytes);
    words.setInt32(TextureRecord.stream, pages?.record ?? stream?.table.record ?? 0, true);
    const levels = pages?.levels ?? plane.levels;
    const address = pages?.table ?? plane.address;
    for (let i = 0; i < shape.mipLevelCount; i++) {
      const level = levels[shape.baseMipLevel + i]!;
      writeLevel(words, i, level, address + level.offset + shape.baseArrayLayer * level.layerBytes);
    }
  }

  override destroy(): void {
    this.texture.views.delete(this);
    super.destroy();
  }

  /** Address of the SURFACE record of a multisampled view. */
  get surface(): number {
    return this.plane.surface?.address ?? unreachable('render: a surface of one sample');
  }

  /** The viewed plane: colour or depth, or stencil if only that aspect is viewed. */
  get plane(): Plane {
    return this.texture.memory.plane(this.shape.aspect);
  }
  get level(): LevelLayout {
    return this.plane.levels[this.shape.baseMipLevel]!;
  }

  /** Address of a plane's first texel as an attachment. `slice` selects a slice of a 3D level. */
  attachmentAddress(plane: Plane, slice: number): number {
    const level = plane.levels[this.shape.baseMipLevel]!;
    return plane.address + level.offset + (this.shape.baseArrayLayer + slice) * level.layerBytes;
  }
}

export class Sampler extends Record implements SamplerStore {
  constructor(allocator: Allocator, memory: WebAssembly.Memory, shape: SamplerShape) {
    super(allocator, SamplerRecord.bytes, '[Sampler]');
    const view = new DataView(memory.buffer, this.address, SamplerRecord.bytes);
    const put = (field: number, value: number): void => view.setInt32(field, value, true);
    put(SamplerRecord.mag, filterNumber[shape.magFilter]);
    put(SamplerRecord.min, filterNumber[shape.minFilter]);
    put(SamplerRecord.mipmap, filterNumber[shape.mipmapFilter]);
    put(SamplerRecord.addressU, addressNumber[shape.addressModeU]);
    put(SamplerRecord.addressV, addressNumber[shape.addressModeV]);
    put(SamplerRecord.addressW, addressNumber[shape.addressModeW]);
    view.setFloat32(SamplerRecord.lodMin, shape.lodMinClamp, true);
    view.setFloat32(SamplerRecord.lodMax, shape.lodMaxClamp, true);
    put(SamplerRecord.compare, shape.compare ? compareNumber[shape.compare] : 0);
    // Clamped to the maximum that most implementations support (WebGPU: GPUSamplerDescriptor.maxAnisotropy).
    view.setFloat32(SamplerRecord.anisotropy, Math.min(shape.maxAnisotropy, MOST_PROBES), true);
  }
}
