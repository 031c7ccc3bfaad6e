// What the feature "multisample-storage-textures" adds to WebGPU's dictionaries: types for programs that use it.

/** A layout entry's `storageTexture`, of several samples. */
export interface MultisampleStorageTextureBindingLayout extends GPUStorageTextureBindingLayout {
  multisampled: true;
}

/** A pass without attachments, for pipelines without targets whose fragment programs store to storage textures. */
export interface EmptyRenderPassDescriptor extends GPURenderPassDescriptor {
  /** Pixels, width and height. */
  size: readonly [number, number];
  /** That of its pipelines. */
  sampleCount: number;
}
