// What Rasterloom adds to WebGPU's dictionaries for multisampled textures: types for programs that use it.
import type { RenderPassDescriptor, StorageTextureBindingLayout, TextureDescriptor } from './declared';

/** A multisampled texture: what it may take, and what may be lost. */
export interface MultisampleTextureMembers {
  /**
   * Takes of the device's memory budget only what the content takes, not its uncompressed size. A pass whose results
   * find no memory loses the device, with a message that names the texture. Default: false.
   */
  overcommit?: boolean;
  /**
   * Samples of a pixel whose channels all differ by no more than this (of float and normalized colours; in linear light
   * where they are sRGB) may be stored as one value. No sample is ever farther from what it was given. Finite and at
   * least 0, or creation fails. Default: 0, only equal ones.
   */
  colorMergeThreshold?: number;
  /** The same for depth, 0 … 1. */
  depthMergeThreshold?: number;
}
export type MultisampleTextureDescriptor = TextureDescriptor & MultisampleTextureMembers;

/** With the feature "multisample-storage-textures": a layout entry's `storageTexture`, multisampled. */
export type MultisampleStorageTextureBindingLayout = StorageTextureBindingLayout & { multisampled: true };

/**
 * With the same feature: a pass without attachments, for pipelines without targets whose fragment programs store to
 * storage textures.
 */
export interface EmptyRenderPassMembers {
  /** Pixels, width and height. */
  size: readonly [number, number];
  /** That of its pipelines. */
  sampleCount: number;
}
export type EmptyRenderPassDescriptor = RenderPassDescriptor & EmptyRenderPassMembers;
