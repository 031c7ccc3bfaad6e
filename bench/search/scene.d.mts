// Types for the tests, which are written in TypeScript.
import type { CreatePipeline, Frames } from '../support/frames.mjs';
import type { Configuration } from './generate.mjs';
export function make(device: GPUDevice, configuration: Configuration, createPipeline: CreatePipeline): Promise<Frames>;
