// The compiler's input as a text. Equal texts give equal code.
import type { IrProgram } from '../../ir';

/**
 * The complete input of `emitModule`: the linked shader, whose inputs and outputs match its edges; `inlines`, which
 * identifies the kernel's math functions; the kind of memory; and the limit on code, which larger shaders exceed.
 */
export interface VariantSource {
  readonly program: IrProgram;
  readonly inlines: number;
  readonly sharedMemory: boolean;
  /** ShaderLimits.codeBytes. */
  readonly codeBytes: number;
}

export const variantKey = (source: VariantSource): string => JSON.stringify(source);
