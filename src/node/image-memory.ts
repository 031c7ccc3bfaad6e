// How much the pixels of image elements and bitmaps take together: a file of some kilobytes may hold 64 million.
import { imageBytesLimit } from './resources';

/** Bytes that are counted until they are released. */
export class Hold {
  static #taken = 0;
  /** Of owners that nobody has any more. */
  static readonly #forgotten = new FinalizationRegistry<Hold>((hold) => hold.release());
  #bytes: number;

  private constructor(bytes: number) {
    this.#bytes = bytes;
    Hold.#taken += bytes;
  }

  /** @throws RangeError where all together are too many */
  static async take(width: number, height: number): Promise<Hold> {
    const bytes = width * height * 4, most = imageBytesLimit();
    // Images that were dropped may not have been collected yet.
    for (let looks = 0; Hold.#taken + bytes > most && bytes <= most && looks < LOOKS; looks++)
      await new Promise((later) => startTimer(later, LOOK_MS));
    if (Hold.#taken + bytes <= most) return new Hold(bytes);
    throw new RangeError(
      `with ${width} × ${height} pixels more, images would take ${Math.ceil((Hold.#taken + bytes) / MIB)} MiB; the limit is ${
        Math.floor(most / MIB)} MiB: close() bitmaps that are done with, or install({ resources: { maxImageBytes } })`
    );
  }

  /** Releases the bytes when the owner is collected, if not before. */
  ownedBy(owner: object): void {
    Hold.#forgotten.register(owner, this);
  }
  release(): void {
    Hold.#taken -= this.#bytes;
    this.#bytes = 0;
  }
}

const MIB = 1024 * 1024, LOOKS = 5, LOOK_MS = 10;
const startTimer = globalThis.setTimeout;

/** See Hold.take. */
export const takePixels = (width: number, height: number): Promise<Hold> => Hold.take(width, height);
