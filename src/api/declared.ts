// The types of WebGPU as the program that imports the package has them: TypeScript's DOM library declares them from
// version 6 on, `@webgpu/types` for all versions, and some programs have neither. The published types name none of them
// outright, so that they compile in all three: they are found by the classes on the global object.

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- there is nothing to check by
type Undeclared = any;

/** An interface, by the name of its class. */
export type Declared<Name extends string> = typeof globalThis extends Record<Name, { readonly prototype: infer T }>
  ? T : Undeclared;

/** What a method of an interface takes: descriptors have no class. */
export type ArgumentOf<Name extends string, Method extends string> =
  typeof globalThis extends Record<Name, {
    readonly prototype: Record<Method, (argument: infer T, ...more: never[]) => unknown>;
  }> ? NonNullable<T> : Undeclared;

export type Device = Declared<'GPUDevice'>;
export type Texture = Declared<'GPUTexture'>;
export type TextureView = Declared<'GPUTextureView'>;
export type TextureDescriptor = ArgumentOf<'GPUDevice', 'createTexture'>;
export type RenderPassDescriptor = ArgumentOf<'GPUCommandEncoder', 'beginRenderPass'>;
export type StorageTextureBindingLayout =
  ArgumentOf<'GPUDevice', 'createBindGroupLayout'> extends { readonly entries: Iterable<infer Entry> }
    ? Entry extends { storageTexture?: infer T } ? NonNullable<T> : Undeclared
    : Undeclared;
