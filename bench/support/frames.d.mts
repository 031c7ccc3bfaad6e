// Types for the tests, which are written in TypeScript.
/** What a module of support/side-frames.mjs makes. */
export interface Frames {
  frame(repeats: number): void;
  picture(): Promise<Uint8Array>;
  destroy(): void;
}
export type CreatePipeline = (
  descriptor: GPURenderPipelineDescriptor
) => GPURenderPipeline | Promise<GPURenderPipeline>;
