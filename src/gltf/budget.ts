// Limits the memory for reading a model. A file of a few hundred bytes can refer to the same numbers thousands of
// times, and images can decompress to a thousand times their size.
import { ModelError } from './errors';

/**
 * Default limit for a model in bytes: its JSON, the files it refers to, numbers as stored, floats of each primitive,
 * images with their mips, and draws. With it, a process stays below 1 GB.
 */
export const DEFAULT_MODEL_BYTES = 512 * 1024 * 1024;

/** Bytes of a draw besides its geometry, here and on the GPU. With 100 000 draws, a process took 820 MB. */
export const DRAW_BYTES = 8192;

const MIB = 1024 * 1024;

/** The memory account of a model, from its file to its draws. */
export class ModelBudget {
  #spent = 0;
  readonly #most: number;

  /** @param most limit in bytes */
  constructor(most = DEFAULT_MODEL_BYTES) {
    this.#most = most;
  }

  /** An account with the same limit and expenses so far, for work whose memory is freed again. */
  copy(): ModelBudget {
    const copy = new ModelBudget(this.#most);
    copy.#spent = this.#spent;
    return copy;
  }

  /**
   * Counts bytes before they are allocated.
   * @param what allocates them, as the beginning of a sentence
   * @throws ModelError if the limit would be exceeded
   */
  spend(bytes: number, what: string): void {
    this.check(bytes, what);
    this.#spent += bytes;
  }

  /** Throws a ModelError if `spend` would throw one, but does not count the bytes. */
  check(bytes: number, what: string): void {
    const all = this.#spent + bytes;
    if (all <= this.#most) return;
    throw new ModelError(
      `${what} would make the model take ${Math.ceil(all / MIB)} MiB of memory; the limit is ${Math.floor(
        this.#most / MIB
      )} MiB, and --model-memory raises it.`,
      { code: 'too-large' }
    );
  }
}
