/**
 * Types of Rasterloom's own features for programs that use them:
 *
 *     import type {} from 'rasterloom/extensions';
 *
 * adds them to the declarations of WebGPU that the program has, TypeScript's or those of `@webgpu/types`. Nothing of
 * this is there at run time.
 */
import type {
  EmptyRenderPassMembers, ExtensionFeatureName, MultisampleTextureMembers, StatisticsDevice,
  StatisticsRenderPassMembers,
} from './index';

type Counting = 'statistics' | 'statistics-times';

declare global {
  interface GPUAdapter {
    /** With the names of our own features, of which `statistics` and `statistics-times` give a device more members. */
    requestDevice<Name extends GPUFeatureName | ExtensionFeatureName>(
      descriptor: Omit<GPUDeviceDescriptor, 'requiredFeatures'> & { requiredFeatures: Iterable<Name> }
    ): Promise<[Extract<Name, Counting>] extends [never] ? GPUDevice : StatisticsDevice>;
  }
  interface GPUTextureDescriptor extends MultisampleTextureMembers {}
  interface GPURenderPassDescriptor extends Partial<EmptyRenderPassMembers>, StatisticsRenderPassMembers {}
  interface GPUStorageTextureBindingLayout {
    /** With the feature "multisample-storage-textures". */
    multisampled?: boolean;
  }
}
