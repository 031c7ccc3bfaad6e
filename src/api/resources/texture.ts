// GPUTexture and GPUTextureView: https://www.w3.org/TR/webgpu/#textures
import { labelled } from '../../base/printable';
import type { TextureStore, ViewShape, ViewStore } from '../../render/types';
import { formatInfo, hasDepth, hasStencil, type FormatInfo } from '../../surface/formats';
import { TextureUsage, flagNames } from '../idl/constants';
import {
  ApiObject,
  describe,
  freeWithCore,
  cancelFreeWithCore,
  refuse,
  requireUsable,
  type DeviceCore,
} from '../core/device-core';
import { textureAspect, viewDimension } from '../idl/enums';
import { requireFormats } from './format-support';
import { dictionary, optional, text, u32, type Convert } from '../idl/idl';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import { exposePrefetch, streamShape } from './texture-streams';
import { type TextureDescriptor, textureFormat, descriptorOf, checkTexture } from './texture-descriptor';

export class TextureCore extends ApiObject {
  readonly descriptor: TextureDescriptor;
  readonly #store: TextureStore | null;
  /** Views of the same part share a store. */
  readonly #views = new Map<string, ViewStore>();
  /** Set by destroy(), or when the texture's frame has ended. */
  destroyed = false;
  /** The reason for `destroyed`, for messages. */
  fate = 'is destroyed';
  #defaultView: ViewCore | null = null;

  /**
   * @param isReleased whether `release` is called eventually, so that garbage collection need not account for the
   * memory
   */
  constructor(device: DeviceCore, descriptor: TextureDescriptor, store: TextureStore | null, isReleased: boolean) {
    super(device, 'Texture', descriptor.label, store !== null);
    this.descriptor = descriptor;
    this.#store = store;
    const views = this.#views;
    if (store !== null) freeWithCore(this, { destroy: () => freeTexture(views, store) }, isReleased ? 0 : store.bytes);
  }

  /** Throws for invalid textures. */
  get store(): TextureStore {
    if (this.#store === null) throw new TypeError('an invalid texture has no memory');
    return this.#store;
  }

  get format(): FormatInfo {
    return this.descriptor.format;
  }
  /** Number of array layers; 1 for 3d textures, whose depth shrinks with the mip level. */
  get layers(): number {
    return this.descriptor.dimension === '3d' ? 1 : this.descriptor.depthOrArrayLayers;
  }

  /** Size of a mip level in texels; the third value is the number of layers or depth slices. */
  mipSize(level: number): readonly [number, number, number] {
    const { width, height, depthOrArrayLayers, dimension } = this.descriptor;
    return [
      Math.max(1, width >>> level),
      Math.max(1, height >>> level),
      dimension === '3d' ? Math.max(1, depthOrArrayLayers >>> level) : depthOrArrayLayers,
    ];
  }

  viewStore(shape: ViewShape): ViewStore {
    const key =
      `${shape.format.name} ${shape.dimension} ${shape.aspect} ${shape.baseMipLevel} ${shape.mipLevelCount} `
      + `${shape.baseArrayLayer} ${shape.arrayLayerCount} ${shape.swizzle}`;
    let view = this.#views.get(key);
    if (view === undefined) {
      view = this.device.render.createView(this.store, shape);
      this.#views.set(key, view);
      // Views of destroyed textures may be created and used in commands; submit() refuses them.
      const made = view;
      if (this.destroyed) this.device.enqueue(() => made.destroy(), null);
    }
    return view;
  }

  /** The view that represents the texture where a call expects a view. */
  get defaultView(): ViewCore {
    this.#defaultView ??= makeView(this, viewDescriptor(undefined, 'createView'));
    return this.#defaultView;
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    // Otherwise queued work that waits for pages would never finish.
    this.#store?.stop();
    if (this.#store !== null) this.device.enqueue(() => this.release(), null);
  }

  /** Frees the memory immediately. No queued work may use it. */
  release(): void {
    cancelFreeWithCore(this);
    freeTexture(this.#views, this.store);
  }
}

function freeTexture(views: Map<string, ViewStore>, store: TextureStore): void {
  for (const view of views.values()) view.destroy();
  store.destroy();
}

export class ViewCore extends ApiObject {
  readonly texture: TextureCore;
  readonly shape: ViewShape;
  readonly usage: number;
  #store: ViewStore | null = null;

  constructor(texture: TextureCore, label: string, shape: ViewShape, usage: number, valid: boolean) {
    super(texture.device, 'TextureView', label, valid);
    this.texture = texture;
    this.shape = shape;
    this.usage = usage;
  }
  override get called(): string {
    return this.label === '' ? `[TextureView (unlabeled) of ${labelled('Texture', this.texture.label)}]` : super.called;
  }
  /** Only for valid views. Created at first use, because most views of a frame are used several times. */
  get store(): ViewStore {
    this.#store ??= this.texture.viewStore(this.shape);
    return this.#store;
  }
  get samples(): number {
    return this.texture.descriptor.sampleCount;
  }
  /** Width and height of the first mip level. */
  get size(): readonly [number, number] {
    const [width, height] = this.texture.mipSize(this.shape.baseMipLevel);
    return [width, height];
  }
}

export const textureSlot = slot<TextureCore>('GPUTexture');
export const viewSlot = slot<ViewCore>('GPUTextureView');

/** Converts a `GPUTexture or GPUTextureView`. */
export const textureOrView: Convert<ViewCore> = (value, at) => {
  const view = viewSlot.find(value) ?? textureSlot.find(value)?.defaultView;
  if (view === undefined) throw new TypeError(`${at} must be a GPUTextureView or a GPUTexture`);
  return view;
};

/** Converts a view's swizzle: https://www.w3.org/TR/webgpu/#texture-component-swizzle */
const swizzle: Convert<string> = (value, at) => {
  const channels = text(value, at);
  if (!/^[rgba01]{4}$/.test(channels))
    throw new TypeError(`${at} must be four characters of "rgba01", one for each of red, green, blue and alpha`);
  return channels;
};

/** Requires the swizzle `rgba` for attachments and writable storage textures. */
export function requireOwnChannels({ called, shape }: ViewCore, what: string, no: (message: string) => never): void {
  if (shape.swizzle !== 'rgba')
    no(
      `${what}: ${called} has swizzle "${shape.swizzle}"; only views that `
        + 'are sampled or loaded may have another swizzle than "rgba"'
    );
}

const viewDescriptor = dictionary('GPUTextureViewDescriptor', {
  label: optional(text, ''),
  format: optional(textureFormat),
  dimension: optional(viewDimension),
  usage: optional(u32, 0),
  aspect: optional(textureAspect, 'all'),
  baseMipLevel: optional(u32, 0),
  mipLevelCount: optional(u32),
  baseArrayLayer: optional(u32, 0),
  arrayLayerCount: optional(u32),
  swizzle: optional(swizzle, 'rgba'),
});
type ViewDescriptor = ReturnType<typeof viewDescriptor>;

/** Returns the format of one aspect of a depth-stencil format. */
export function aspectFormat(format: FormatInfo, aspect: GPUTextureAspect): FormatInfo | undefined {
  if (aspect === 'all' || format.aspect === 'depth' || format.aspect === 'stencil') return format;
  if (format.aspect === 'color') return undefined;
  return formatInfo(
    aspect === 'stencil-only' ? 'stencil8' : format.name.startsWith('depth32') ? 'depth32float' : 'depth24plus'
  );
}
export function hasAspect(format: FormatInfo, aspect: GPUTextureAspect): boolean {
  if (aspect === 'all') return true;
  return aspect === 'depth-only' ? hasDepth(format) : hasStencil(format);
}

function resolveShape(texture: TextureCore, d: ViewDescriptor): ViewShape {
  const { dimension: kind, depthOrArrayLayers, mipLevelCount, format } = texture.descriptor;
  const dimension = d.dimension ?? (kind === '2d' && depthOrArrayLayers > 1 ? '2d-array' : kind);
  const left = Math.max(0, texture.layers - d.baseArrayLayer);
  const layers = dimension === 'cube' ? 6 : dimension === '2d-array' || dimension === 'cube-array' ? left : 1;
  return {
    format: d.format ?? aspectFormat(format, d.aspect) ?? format,
    dimension,
    aspect: d.aspect,
    baseMipLevel: d.baseMipLevel,
    mipLevelCount: d.mipLevelCount ?? Math.max(0, mipLevelCount - d.baseMipLevel),
    baseArrayLayer: d.baseArrayLayer,
    arrayLayerCount: d.arrayLayerCount ?? layers,
    swizzle: d.swizzle,
  };
}

function checkView(texture: TextureCore, shape: ViewShape, usage: number): void {
  const { descriptor } = texture;
  const no = (message: string): never => refuse(texture, 'createView', message);
  requireUsable(texture, texture, texture.device, 'createView');
  if (!hasAspect(descriptor.format, shape.aspect))
    no(`format ${descriptor.format.name} has no aspect "${shape.aspect}"`);
  checkViewFormat(texture, shape, no);
  if (shape.swizzle !== 'rgba' && !texture.device.features.has('texture-component-swizzle'))
    no(
      `swizzle "${shape.swizzle}" needs the feature "texture-component-swizzle"; `
        + 'ask for it in requestDevice({ requiredFeatures })'
    );
  if ((descriptor.usage & TextureUsage.TRANSIENT_ATTACHMENT) !== 0 && usage !== 0 && usage !== descriptor.usage)
    no(`usage ${flagNames(usage, TextureUsage)} of a view of a transient texture must be the texture's own`);
  if ((usage & ~descriptor.usage) !== 0)
    no(`usage ${flagNames(usage & ~descriptor.usage, TextureUsage)} is not among the texture's own`);
  if (shape.mipLevelCount === 0) no('mipLevelCount is 0, or baseMipLevel is past the last level');
  if (shape.baseMipLevel + shape.mipLevelCount > descriptor.mipLevelCount)
    no(
      `levels ${shape.baseMipLevel}…${shape.baseMipLevel + shape.mipLevelCount - 1} `
        + `exceed the texture's ${descriptor.mipLevelCount}`
    );
  if (shape.arrayLayerCount === 0) no('arrayLayerCount is 0, or baseArrayLayer is past the last layer');
  if (shape.baseArrayLayer + shape.arrayLayerCount > texture.layers)
    no(
      `layers ${shape.baseArrayLayer}…${shape.baseArrayLayer + shape.arrayLayerCount - 1} `
        + `exceed the texture's ${texture.layers}`
    );
  if (descriptor.sampleCount > 1 && shape.dimension !== '2d')
    no(
      `a texture of ${descriptor.sampleCount} samples can only have views of dimension "2d", not "${shape.dimension}"`
    );
  checkViewDimension(texture, shape, no);
}

function checkViewFormat(texture: TextureCore, shape: ViewShape, no: (message: string) => never): void {
  const { format, viewFormats } = texture.descriptor;
  if (shape.aspect !== 'all') {
    const expected = aspectFormat(format, shape.aspect) ?? format;
    if (shape.format !== expected)
      no(`aspect "${shape.aspect}" of ${format.name} has format ${expected.name}, not ${shape.format.name}`);
  } else if (shape.format !== format && !viewFormats.includes(shape.format))
    no(
      `format ${shape.format.name} is neither the texture's ${format.name} nor in its viewFormats; `
        + 'list it there at creation'
    );
}

function checkViewDimension(texture: TextureCore, shape: ViewShape, no: (message: string) => never): void {
  const { dimension, arrayLayerCount: layers } = shape;
  const base = dimension === '1d' || dimension === '3d' ? dimension : '2d';
  if (texture.descriptor.dimension !== base)
    no(`a ${texture.descriptor.dimension} texture cannot have views of dimension "${dimension}"`);
  if ((dimension === '1d' || dimension === '2d' || dimension === '3d') && layers !== 1)
    no(`dimension "${dimension}" takes one layer, not ${layers}; use "2d-array" or arrayLayerCount: 1`);
  if (dimension === 'cube' && layers !== 6) no(`dimension "cube" takes 6 layers, not ${layers}`);
  if (dimension === 'cube-array' && layers % 6 !== 0)
    no(`dimension "cube-array" takes a multiple of 6 layers, not ${layers}`);
  const { width, height } = texture.descriptor;
  if (dimension.startsWith('cube') && width !== height) no(`a cube needs square faces, not ${width}×${height}`);
}

function makeView(texture: TextureCore, descriptor: ViewDescriptor): ViewCore {
  const shape = resolveShape(texture, descriptor);
  const valid = texture.device.guard(() => {
    checkView(texture, shape, descriptor.usage);
    return true;
  });
  return new ViewCore(
    texture,
    descriptor.label,
    shape,
    descriptor.usage === 0 ? texture.descriptor.usage : descriptor.usage,
    valid === true
  );
}

class GPUTexture {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  get width(): number {
    return textureSlot.of(this).descriptor.width;
  }
  get height(): number {
    return textureSlot.of(this).descriptor.height;
  }
  get depthOrArrayLayers(): number {
    return textureSlot.of(this).descriptor.depthOrArrayLayers;
  }
  get mipLevelCount(): number {
    return textureSlot.of(this).descriptor.mipLevelCount;
  }
  get sampleCount(): number {
    return textureSlot.of(this).descriptor.sampleCount;
  }
  get dimension(): GPUTextureDimension {
    return textureSlot.of(this).descriptor.dimension;
  }
  get format(): GPUTextureFormat {
    return textureSlot.of(this).descriptor.format.name;
  }
  get usage(): number {
    return textureSlot.of(this).descriptor.usage;
  }
  /** Attribute of compatibility mode; undefined on core devices. */
  get textureBindingViewDimension(): undefined {
    textureSlot.of(this);
    return undefined;
  }
  createView(descriptor?: unknown): object {
    const core = textureSlot.of(this);
    const d = viewDescriptor(descriptor, 'createView: descriptor');
    requireFormats(core.device, 'createView', d.format);
    return viewSlot.make(makeView(core, d));
  }
  destroy(): undefined {
    textureSlot.of(this).destroy();
  }
}
exposeLabelled('GPUTexture', GPUTexture, textureSlot);

class GPUTextureView {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
}
exposeLabelled('GPUTextureView', GPUTextureView, viewSlot);

export function createTexture(device: DeviceCore, value: unknown): object {
  const { size, ...rest } = descriptorOf(value, 'createTexture: descriptor');
  requireFormats(device, 'createTexture', rest.format, ...rest.viewFormats);
  const core = makeTexture(device, { ...rest, ...size }, false);
  const texture = textureSlot.make(core);
  if (rest.stream) exposePrefetch(texture, core);
  return texture;
}

export function makeTexture(device: DeviceCore, d: TextureDescriptor, isReleased: boolean): TextureCore {
  const store = device.guard(() => {
    checkTexture(device, d);
    const {
      label,
      format,
      dimension,
      width,
      height,
      depthOrArrayLayers,
      mipLevelCount,
      sampleCount,
      overcommit,
      colorMergeThreshold = 0,
      depthMergeThreshold = 0,
    } = d;
    return device.isLost
      ? null
      : device.render.createTexture({
          label: describe('Texture', label),
          format,
          dimension,
          width,
          height,
          depthOrArrayLayers,
          mipLevelCount,
          sampleCount,
          overcommit,
          colorMergeThreshold,
          depthMergeThreshold,
          stream: streamShape(device, d),
        });
  });
  return new TextureCore(device, d, store ?? null, isReleased);
}
