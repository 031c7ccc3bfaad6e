// Types for the tests, which are written in TypeScript.
import type { CreatePipeline, Frames } from '../support/frames.mjs';
export function make(
  device: GPUDevice,
  request: {
    readonly row: string;
    readonly format: GPUTextureFormat;
    readonly samples: number;
    readonly size: readonly number[];
  },
  createPipeline: CreatePipeline
): Promise<Frames>;
