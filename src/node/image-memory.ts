// Limits the total memory of image elements and bitmaps. A file of a few kilobytes may hold 64 million pixels.
import { imageBytesLimit } from './resources';

/** A number of bytes that counts against the limit until it is released. */
export class Hold {
  static #taken = 0;
  /** Releases the bytes of collected owners. */
  static readonly #forgotten = new FinalizationRegistry<Hold>((hold) => hold.release());
  #bytes: number;

  private constructor(bytes: number) {
    this.#bytes = bytes;
    Hold.#taken += bytes;
  }

  /** @throws RangeError if the total would exceed the limit */
  static async take(width: number, height: number): Promise<Hold> {
    const bytes = width * height * 4;
    const most = imageBytesLimit();
    // Waits a moment, because dropped images may not have been collected yet.
    for (let looks = 0; Hold.#taken + bytes > most && bytes <= most && looks < LOOKS; looks++)
      await new Promise((later) => startTimer(later, LOOK_MS));
    if (Hold.#taken + bytes <= most) return new Hold(bytes);
    throw new RangeError(
      `with another ${width} × ${height} pixels, images would take ${Math.ceil((Hold.#taken + bytes) / MIB)} MiB; the limit is ${Math.floor(
        most / MIB
      )} MiB: close() bitmaps that are no longer needed, or raise install({ resources: { maxImageBytes } })`
    );
  }

  /** Releases the bytes when the owner is collected, unless they have been released before. */
  ownedBy(owner: object): void {
    Hold.#forgotten.register(owner, this);
  }
  release(): void {
    Hold.#taken -= this.#bytes;
    this.#bytes = 0;
  }
}

const MIB = 1024 * 1024;
const LOOKS = 5;
const LOOK_MS = 10;
const startTimer = globalThis.setTimeout;

/** See Hold.take. */
export const takePixels = (width: number, height: number): Promise<Hold> => Hold.take(width, height);
