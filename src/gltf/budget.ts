// What reading a model may take: a file of some hundred bytes can name the same numbers thousands of times, and
// images unpack to a thousand times their size.
import { ModelError } from './errors';

/**
 * Bytes of a model when it is read: its JSON, the files beside it, numbers as they are stored, floats of each
 * primitive, images with their mips, what a draw takes. A process stays below 1 GB with it.
 */
export const DEFAULT_MODEL_BYTES = 512 * 1024 * 1024;

/** What a draw takes besides its geometry, here and on the GPU: 100 000 of them made a process of 820 MB. */
export const DRAW_BYTES = 8192;

const MIB = 1024 * 1024;

/** The one account of a model, from its file to its draws. */
export class ModelBudget {
  #spent = 0;
  readonly #most: number;

  /** @param most bytes in all */
  constructor(most = DEFAULT_MODEL_BYTES) {
    this.#most = most;
  }

  /**
   * Counts bytes before they are taken.
   * @param what takes them, as the beginning of a sentence
   * @throws ModelError where they are too many
   */
  spend(bytes: number, what: string): void {
    this.check(bytes, what);
    this.#spent += bytes;
  }

  /** Refuses bytes that `spend` would refuse, without counting them. @throws ModelError */
  check(bytes: number, what: string): void {
    const all = this.#spent + bytes;
    if (all <= this.#most) return;
    throw new ModelError(
      `${what} would make the model take ${Math.ceil(all / MIB)} MiB when it is read; the limit is ${
        Math.floor(this.#most / MIB)} MiB, and --model-memory raises it.`
    );
  }
}
