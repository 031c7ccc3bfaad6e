// Layout of a texture's memory (layout/texture/texture.ts): one canonical store. Single-sampled levels are stored in
// rows, level after level, each with all its layers. Multisampled planes are surfaces (surfaces.ts). Compressed
// textures store their blocks (block-memory.ts).
import { formatInfo, hasStencil, type BlockInfo, type FormatInfo } from './formats';
import type { Surface, Surfaces } from './surfaces';

export interface LevelLayout {
  /** Bytes from the plane's address. */
  readonly offset: number;
  readonly width: number;
  readonly height: number;
  /** Layers, or slices of a 3D level. */
  readonly layers: number;
  /** `rowBytes` and `layerBytes` are 0 in multisampled planes. */
  readonly rowBytes: number;
  readonly layerBytes: number;
}
/** `surface`: used by multisampled planes instead of the address. */
export interface Plane {
  readonly texelBytes: number;
  readonly levels: readonly LevelLayout[];
  readonly bytes: number;
  address: number;
  surface: Surface | null;
}
export interface PlaneShape {
  readonly format: FormatInfo;
  readonly dimension: GPUTextureDimension;
  readonly width: number;
  readonly height: number;
  readonly depthOrArrayLayers: number;
  readonly mipLevelCount: number;
  readonly sampleCount: number;
  /** Multisampled textures only: whether no memory is reserved; how much samples that are stored as one may differ. */
  readonly overcommit: boolean;
  readonly colorMergeThreshold: number;
  readonly depthMergeThreshold: number;
}

/** Vector loads may read this far beyond the last texel. */
const SLACK_BYTES = 32;

/** Computes the layout of a plane. With `block`, the plane stores blocks, each treated like a texel. */
export function layOut(shape: PlaneShape, texelBytes: number, block: BlockInfo | null = null): Plane {
  const levels: LevelLayout[] = [];
  let offset = 0;
  for (let level = 0; level < shape.mipLevelCount; level++) {
    const width = Math.ceil(Math.max(1, shape.width >> level) / (block?.width ?? 1));
    const height = shape.dimension === '1d' ? 1 : Math.ceil(Math.max(1, shape.height >> level) / (block?.height ?? 1));
    const layers = shape.dimension === '3d' ? Math.max(1, shape.depthOrArrayLayers >> level) : shape.depthOrArrayLayers;
    const rowBytes = shape.sampleCount > 1 ? 0 : width * texelBytes;
    const layerBytes = rowBytes * height;
    levels.push({ offset, width, height, layers, rowBytes, layerBytes });
    offset = Math.ceil((offset + layerBytes * layers) / 64) * 64;
  }
  return { texelBytes, levels, bytes: offset + SLACK_BYTES, address: 0, surface: null };
}

/** The planes of a texture, whatever they store. */
export interface TexturePlanes {
  readonly planes: readonly Plane[];
  readonly bytes: number;
  /** The plane that holds an aspect; 'all' means the first one. */
  plane(aspect: GPUTextureAspect): Plane;
  destroy(): void;
}

/** Memory of one texture: a plane of colour or depth, and one of stencil if the format has it. */
export class TextureMemory implements TexturePlanes {
  readonly planes: readonly Plane[];
  readonly bytes: number;
  private alive = true;

  /**
   * @throws OutOfMemoryError
   */
  constructor(
    private readonly surfaces: Surfaces,
    readonly shape: PlaneShape,
    label: string
  ) {
    const planes = [layOut(shape, shape.format.bytes)];
    if (hasStencil(shape.format) && shape.format.aspect === 'depth-stencil') planes.push(layOut(shape, 1));
    const placed: Plane[] = [];
    try {
      for (const plane of planes) {
        if (shape.sampleCount > 1)
          plane.surface = this.createSurface(plane.texelBytes, planes.indexOf(plane) > 0, label);
        else plane.address = surfaces.parts.allocator.allocate(plane.bytes, label);
        placed.push(plane);
      }
    } catch (error) {
      for (const plane of placed) this.give(plane);
      throw error;
    }
    this.planes = planes;
    this.bytes = planes.reduce((sum, plane) => sum + (plane.surface?.bytesUncompressed ?? plane.bytes), 0);
  }

  private createSurface(texelBytes: number, isStencil: boolean, label: string): Surface {
    const { format, width, height, sampleCount, overcommit, colorMergeThreshold, depthMergeThreshold } = this.shape;
    const mergeThreshold =
      isStencil || format.aspect === 'stencil'
        ? 0
        : format.aspect === 'color'
          ? colorMergeThreshold
          : depthMergeThreshold;
    return this.surfaces.create({
      label,
      format: isStencil ? formatInfo('stencil8')! : format,
      texelBytes,
      samples: sampleCount,
      width,
      height,
      overcommit,
      mergeThreshold,
    });
  }

  private give(plane: Plane): void {
    if (plane.surface) plane.surface.destroy();
    else this.surfaces.parts.allocator.free(plane.address);
  }

  /** The plane that holds an aspect; 'all' means the first one. */
  plane(aspect: GPUTextureAspect): Plane {
    return aspect === 'stencil-only' ? this.planes[this.planes.length - 1]! : this.planes[0]!;
  }

  destroy(): void {
    if (!this.alive) return;
    this.alive = false;
    for (const plane of this.planes) this.give(plane);
  }
}
