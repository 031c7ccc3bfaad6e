// The WebGPU types as the importing application declares them. TypeScript's DOM library declares them since version 6,
// `@webgpu/types` for all versions, and some applications have neither. The published types look them up by the classes
// on the global object instead of naming them, so that they compile in all three cases.

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- there is nothing to check by
type UndeclaredWebGpuType = any;

/** The interface of a class on the global object. */
export type WebGpuType<Name extends string> =
  typeof globalThis extends Record<Name, { readonly prototype: infer T }> ? T : UndeclaredWebGpuType;

/** The argument type of a method. Descriptors have no class, so they are found this way. */
export type ArgumentOf<Name extends string, Method extends string> =
  typeof globalThis extends Record<
    Name,
    { readonly prototype: Record<Method, (argument: infer T, ...more: never[]) => unknown> }
  >
    ? NonNullable<T>
    : UndeclaredWebGpuType;

export type Device = WebGpuType<'GPUDevice'>;
export type Texture = WebGpuType<'GPUTexture'>;
export type TextureView = WebGpuType<'GPUTextureView'>;
export type TextureDescriptor = ArgumentOf<'GPUDevice', 'createTexture'>;
export type RenderPassDescriptor = ArgumentOf<'GPUCommandEncoder', 'beginRenderPass'>;
export type StorageTextureBindingLayout =
  ArgumentOf<'GPUDevice', 'createBindGroupLayout'> extends { readonly entries: Iterable<infer Entry> }
    ? Entry extends { storageTexture?: infer T }
      ? NonNullable<T>
      : UndeclaredWebGpuType
    : UndeclaredWebGpuType;
