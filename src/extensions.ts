/**
 * Types of Rasterloom's own features for programs that use them:
 *
 *     import type {} from 'rasterloom/extensions';
 *
 * adds them to the declarations of WebGPU that the program has, TypeScript's or those of `@webgpu/types`. Nothing of
 * this is there at run time.
 */
import type {
  EmptyRenderPassMembers, ExtensionFeatureName, FragmentStagesMembers, ModularPipelineDevice, MultisampleTextureMembers,
  ProcessingOrderCommands, ProcessingOrderMembers, ShadingRateCommands, ShadingRatePassMembers, StatisticsDevice,
  StatisticsRenderPassMembers, StreamedTextureMembers, TableCommands, TraceDevice, ViewportCommands,
} from './index';

type Counting = 'statistics' | 'statistics-times';
/** What a device has besides, if it was asked for by one of these names. */
type With<Wanted, Names, Members> = [Extract<Wanted, Names>] extends [never] ? unknown : Members;

declare global {
  interface GPUAdapter {
    /** With the names of our own features, of which some give a device more members. */
    requestDevice<Name extends GPUFeatureName | ExtensionFeatureName>(
      descriptor: Omit<GPUDeviceDescriptor, 'requiredFeatures'> & { requiredFeatures: Iterable<Name> }
    ): Promise<GPUDevice & With<Name, Counting, StatisticsDevice>
      & With<Name, 'modular-pipelines', ModularPipelineDevice> & With<Name, 'trace', TraceDevice>>;
  }
  interface GPUTextureDescriptor extends MultisampleTextureMembers, StreamedTextureMembers {}
  interface GPURenderPassDescriptor
    extends Partial<EmptyRenderPassMembers>, StatisticsRenderPassMembers, ShadingRatePassMembers {}
  interface GPUFragmentState extends FragmentStagesMembers {}
  interface GPURenderPipelineDescriptor extends ProcessingOrderMembers {}
  interface GPURenderPassEncoder
    extends TableCommands, ViewportCommands, ShadingRateCommands, ProcessingOrderCommands {}
  interface GPURenderBundleEncoder extends TableCommands {}
  interface GPUStorageTextureBindingLayout {
    /** With the feature "multisample-storage-textures". */
    multisampled?: boolean;
  }
}
