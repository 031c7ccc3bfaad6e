/**
 * Type declarations for Rasterloom's own features:
 *
 *     import type {} from 'rasterloom/extensions';
 *
 * adds the members of these features to the WebGPU declarations that the application uses: those of TypeScript's DOM
 * library or those of `@webgpu/types`. The module contains types only and has no effect at run time.
 */
import type {
  EmptyRenderPassMembers,
  ExtensionFeatureName,
  FragmentStagesMembers,
  ModularPipelineDevice,
  MultisampleTextureMembers,
  ProcessingOrderCommands,
  ProcessingOrderMembers,
  ShadingRateCommands,
  ShadingRatePassMembers,
  StatisticsDevice,
  StatisticsRenderPassMembers,
  StreamedTextureMembers,
  ModularPipelineCommands,
  TraceDevice,
  ViewportCommands,
} from './index';

type Counting = 'statistics' | 'statistics-times';
/** Members that a device has if `Wanted` includes one of the feature names in `Names`. */
type With<Wanted, Names, Members> = [Extract<Wanted, Names>] extends [never] ? unknown : Members;

declare global {
  interface GPUAdapter {
    /** Accepts the names of Rasterloom's own features; some of them add members to the device. */
    requestDevice<Name extends GPUFeatureName | ExtensionFeatureName>(
      descriptor: Omit<GPUDeviceDescriptor, 'requiredFeatures'> & { requiredFeatures: Iterable<Name> }
    ): Promise<
      GPUDevice
        & With<Name, Counting, StatisticsDevice>
        & With<Name, 'modular-pipelines', ModularPipelineDevice>
        & With<Name, 'trace', TraceDevice>
    >;
  }
  interface GPUTextureDescriptor extends MultisampleTextureMembers, StreamedTextureMembers {}
  interface GPURenderPassDescriptor
    extends Partial<EmptyRenderPassMembers>, StatisticsRenderPassMembers, ShadingRatePassMembers {}
  interface GPUFragmentState extends FragmentStagesMembers {}
  interface GPURenderPipelineDescriptor extends ProcessingOrderMembers {}
  interface GPURenderPassEncoder
    extends ModularPipelineCommands, ViewportCommands, ShadingRateCommands, ProcessingOrderCommands {}
  interface GPURenderBundleEncoder extends ModularPipelineCommands {}
  interface GPUStorageTextureBindingLayout {
    /** Declares a multisampled storage texture. Requires the feature "multisample-storage-textures". */
    multisampled?: boolean;
  }
}
