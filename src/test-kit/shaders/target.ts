// A module under test, as its calls see it.
import type { ShaderDeclarations } from '../../index';

/** A module with the device on which it runs. */
export interface Target {
  readonly code: string;
  /** The code with functions instead of entry points. */
  readonly plain: string;
  declarations(): Promise<ShaderDeclarations>;
  device(): Promise<GPUDevice>;
  readonly constants: Readonly<Record<string, number>>;
  /** Adds what the user can do about an error of the device. @param shift characters before the first line */
  explain(error: unknown, shift?: number): Error;
}
