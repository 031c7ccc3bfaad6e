// What a program is compiled from, as one text: equal texts give equal code.
import type { IrProgram } from '../ir';

/**
 * All that `emitModule` is given: the linked program, whose inputs and outputs are those of its edges, and of the
 * kernel `inlines`, which names its mathematics, and its kind of memory.
 */
export interface VariantSource {
  readonly program: IrProgram;
  readonly inlines: number;
  readonly sharedMemory: boolean;
}

export const variantKey = (source: VariantSource): string => JSON.stringify(source);
