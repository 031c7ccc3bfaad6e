// Limits the total memory of image elements and bitmaps. A file of a few kilobytes may hold 64 million pixels.
import { startTimer } from '../base/clock';
import { MIB } from './resource-options';
import { imageBytesLimit } from './resources';

/** A number of bytes that counts against the limit until it is released. */
export class PixelReservation {
  static #taken = 0;
  /** Releases the bytes of collected owners. */
  static readonly #forgotten = new FinalizationRegistry<PixelReservation>((hold) => hold.release());
  #bytes: number;

  private constructor(bytes: number) {
    this.#bytes = bytes;
    PixelReservation.#taken += bytes;
  }

  /** @throws RangeError if the total would exceed the limit */
  static async take(width: number, height: number): Promise<PixelReservation> {
    const bytes = width * height * 4;
    const most = imageBytesLimit();
    // Waits a moment, because dropped images may not have been collected yet.
    for (let looks = 0; PixelReservation.#taken + bytes > most && bytes <= most && looks < RETRIES; looks++)
      await new Promise((later) => startTimer(later, RETRY_MS));
    if (PixelReservation.#taken + bytes <= most) return new PixelReservation(bytes);
    throw new RangeError(
      `with another ${width} × ${height} pixels, images would take `
        + `${Math.ceil((PixelReservation.#taken + bytes) / MIB)} MiB; the limit is ${Math.floor(most / MIB)} MiB: `
        + 'close() bitmaps that are no longer needed, or raise install({ resources: { maxImageBytes } })'
    );
  }

  /** Releases the bytes when the owner is collected, unless they have been released before. */
  ownedBy(owner: object): void {
    PixelReservation.#forgotten.register(owner, this);
  }
  release(): void {
    PixelReservation.#taken -= this.#bytes;
    this.#bytes = 0;
  }
}

const RETRIES = 5;
const RETRY_MS = 10;

/** See PixelReservation.take. */
export const reservePixels = (width: number, height: number): Promise<PixelReservation> =>
  PixelReservation.take(width, height);
