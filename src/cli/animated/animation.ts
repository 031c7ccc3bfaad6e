// A file with all frames of a model. Frames are encoded and written one by one, so that two of them are in memory.
import { WholeFile } from '../output-file';
import { AnimatedWebpEncoder } from './animated-webp';
import { ApngEncoder } from './apng';
import type { AnimationShape, FrameEncoder, Part } from './frame-encoder';

export class AnimatedFile {
  readonly #file: WholeFile;
  readonly #encoder: FrameEncoder;
  #bytes = 0;

  private constructor(file: WholeFile, encoder: FrameEncoder) {
    this.#file = file;
    this.#encoder = encoder;
  }

  /**
   * Creates the file, in the format that the ending of its name says.
   * @param quality of WebP, 1 to 100
   */
  static async create(path: string, shape: AnimationShape, quality: number): Promise<AnimatedFile> {
    const encoder = /\.webp$/i.test(path) ? new AnimatedWebpEncoder(shape, quality) : new ApngEncoder(shape);
    const animated = new AnimatedFile(await WholeFile.create(path), encoder);
    await animated.#write(encoder.start());
    return animated;
  }

  async add(pixels: Uint8Array): Promise<void> {
    await this.#write(await this.#encoder.frame(pixels));
  }

  /** Gives the file its name. @returns its size in bytes, and its SHA-256 if that is asked for */
  async end(isHashed: boolean): Promise<{ bytes: number; hash: string }> {
    await this.#write(this.#encoder.end());
    const hash = isHashed ? await this.#file.hash() : '';
    await this.#file.commit();
    return { bytes: this.#bytes, hash };
  }

  /** Removes what was written. */
  discard(): Promise<void> {
    return this.#file.discard();
  }

  async #write(parts: readonly Part[]): Promise<void> {
    for (const { bytes, position } of parts) {
      await this.#file.write(bytes, position);
      if (position === undefined) this.#bytes += bytes.length;
    }
  }
}
