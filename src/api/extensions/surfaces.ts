// Public types of Rasterloom's additions to WebGPU's dictionaries for multisampled textures.
import type { RenderPassDescriptor, StorageTextureBindingLayout, TextureDescriptor } from '../idl/declared';

/** Members of the descriptor of a multisampled texture that control its memory. */
export interface MultisampleTextureMembers {
  /**
   * Counts only the memory of the texture's content against the device's memory budget, not its uncompressed size. If a
   * pass's results do not fit in memory, the device is lost with a message that names the texture. Default: false.
   */
  overcommit?: boolean;
  /**
   * Largest difference between samples of a pixel, in every channel, that may be stored as one value. Requires a float
   * or normalized colour format; sRGB values are compared in linear light. No stored sample differs more than this from
   * its original value. Must be finite and at least 0; other values are a validation error. Default: 0, which merges
   * only equal samples.
   */
  colorMergeThreshold?: number;
  /** As `colorMergeThreshold`, for depth formats and in window depth. Must be finite and at least 0. Default: 0. */
  depthMergeThreshold?: number;
}
export type MultisampleTextureDescriptor = TextureDescriptor & MultisampleTextureMembers;

/**
 * A multisampled `storageTexture` of a bind group layout entry. Requires the feature "multisample-storage-textures".
 */
export type MultisampleStorageTextureBindingLayout = StorageTextureBindingLayout & { multisampled: true };

/**
 * Members of the descriptor of a render pass without attachments. Its pipelines have no targets, and their fragment
 * shaders write to storage textures. Requires the feature "multisample-storage-textures".
 */
export interface EmptyRenderPassMembers {
  /** Width and height in pixels. */
  size: readonly [number, number];
  /** Number of samples of the pass's pipelines. */
  sampleCount: number;
}
export type EmptyRenderPassDescriptor = RenderPassDescriptor & EmptyRenderPassMembers;
