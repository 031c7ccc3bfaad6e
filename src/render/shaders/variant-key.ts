// The compiler's input as a text. Equal texts give equal code.
import type { IrProgram } from '../../ir';

/**
 * The complete input of `emitModule`: the linked shader, whose inputs and outputs match its edges; `inlines`, which
 * identifies the kernel's math functions; and the kind of memory.
 */
export interface VariantSource {
  readonly program: IrProgram;
  readonly inlines: number;
  readonly sharedMemory: boolean;
}

export const variantKey = (source: VariantSource): string => JSON.stringify(source);
