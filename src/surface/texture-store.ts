// Where the texels of a texture lie (layout/texture.ts): one canonical store. Single-sample levels lie in rows, level after
// level, each level with all its layers; multi-sample surfaces lie in whole tiles, each in the order of a tile context.
import { TILE_PIXELS } from '../../assembly/layout/tile';
import { TILE_SIZE } from '../../assembly/layout/limits';
import type { Allocator } from '../memory';
import { hasStencil, type FormatInfo } from './formats';

export interface LevelPlace {
  /** From the plane's address. */
  readonly offset: number;
  readonly width: number;
  readonly height: number;
  /** Layers, or slices of a 3d level. */
  readonly layers: number;
  /** 0 in multi-sample planes. */
  readonly rowBytes: number;
  readonly layerBytes: number;
}
export interface Plane { readonly texelBytes: number; readonly levels: readonly LevelPlace[]; readonly bytes: number; address: number }
export interface PlaneShape {
  readonly format: FormatInfo; readonly dimension: GPUTextureDimension; readonly width: number; readonly height: number;
  readonly depthOrArrayLayers: number; readonly mipLevelCount: number; readonly sampleCount: number;
}

/** Vector loads may read this far beyond the last texel. */
const SLACK_BYTES = 32;

function layOut(shape: PlaneShape, texelBytes: number): Plane {
  const levels: LevelPlace[] = [];
  let offset = 0;
  for (let level = 0; level < shape.mipLevelCount; level++) {
    const width = Math.max(1, shape.width >> level);
    const height = shape.dimension === '1d' ? 1 : Math.max(1, shape.height >> level);
    const layers = shape.dimension === '3d' ? Math.max(1, shape.depthOrArrayLayers >> level) : shape.depthOrArrayLayers;
    const multisampled = shape.sampleCount > 1;
    const tiles = Math.ceil(width / TILE_SIZE) * Math.ceil(height / TILE_SIZE);
    const rowBytes = multisampled ? 0 : width * texelBytes;
    const layerBytes = multisampled ? tiles * TILE_PIXELS * shape.sampleCount * texelBytes : rowBytes * height;
    levels.push({ offset, width, height, layers, rowBytes, layerBytes });
    // Levels start at multiples of 64 bytes, as the tiles of multi-sample surfaces must.
    offset = Math.ceil((offset + layerBytes * layers) / 64) * 64;
  }
  return { texelBytes, levels, bytes: offset + SLACK_BYTES, address: 0 };
}

/** Memory of one texture: a plane of colour or depth, and one of stencil where the format has it. */
export class TextureMemory {
  readonly planes: readonly Plane[];
  readonly bytes: number;
  private alive = true;

  /** Throws OutOfMemoryError. */
  constructor(private readonly allocator: Allocator, readonly shape: PlaneShape, label: string) {
    const planes = [layOut(shape, shape.format.bytes)];
    if (hasStencil(shape.format) && shape.format.aspect === 'depth-stencil') planes.push(layOut(shape, 1));
    const placed: Plane[] = [];
    try {
      for (const plane of planes) {
        plane.address = allocator.allocate(plane.bytes, label);
        placed.push(plane);
      }
    } catch (error) {
      for (const plane of placed) allocator.free(plane.address);
      throw error;
    }
    this.planes = planes;
    this.bytes = planes.reduce((sum, plane) => sum + plane.bytes, 0);
  }

  /** The plane that holds an aspect; 'all' is the first. */
  plane(aspect: GPUTextureAspect): Plane {
    return aspect === 'stencil-only' ? this.planes[this.planes.length - 1]! : this.planes[0]!;
  }

  destroy(): void {
    if (!this.alive) return;
    this.alive = false;
    for (const plane of this.planes) this.allocator.free(plane.address);
  }
}
