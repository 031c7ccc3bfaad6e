// Writes the pictures of a model: each to a file of its own, or all to an animated one.
import { encodeJpeg, encodeWebp } from '../../node/models/encoders';
import { encodePicture } from '../../node/png';
import { AnimatedFile } from '../animated/animation';
import { writePicture } from '../output-file';
import type { Terminal } from '../progress';
import { hashOf, type Resumed } from '../resume/resume';
import type { Drawn } from './passes';
import type { Task } from './plan';

export class PictureFiles {
  readonly #task: Task;
  readonly #stdout: Terminal;
  #animated: AnimatedFile | undefined;
  #bytes = 0;

  readonly #resumed: Resumed | undefined;

  /** @param resumed records what was written; undefined: nothing is recorded */
  constructor(task: Task, stdout: Terminal, resumed: Resumed | undefined) {
    this.#task = task;
    this.#stdout = stdout;
    this.#resumed = resumed;
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a picture is in a file that is kept. */
  isKept(number: number): boolean {
    return this.#resumed?.kept.has(this.#task.settings.isAnimated ? 0 : number) ?? false;
  }

  /** Adds a picture. @param number of the picture, in ascending order @throws OutputError */
  async add(number: number, drawn: Drawn): Promise<void> {
    const { settings, pictures } = this.#task;
    const { output } = pictures[number];
    if (!settings.isAnimated) {
      const file = await encodeAs(output, drawn, settings.quality);
      await writePicture(output, file, this.#stdout);
      this.#bytes += file.length;
      await this.#resumed?.written(number, hashOf(file));
      return;
    }
    const { width, height, pixels } = drawn;
    const { fps, loop } = settings.frames!;
    const transparent = settings.background[3] < 255;
    const shape = { width, height, count: pictures.length, fps, loop, transparent };
    this.#animated ??= await AnimatedFile.create(output, shape, settings.quality);
    await this.#animated.add(pixels);
  }

  /** Completes an animated file. @throws OutputError */
  async end(): Promise<void> {
    if (!this.#animated) return;
    const { bytes, hash } = await this.#animated.end(this.#resumed !== undefined);
    this.#animated = undefined;
    this.#bytes += bytes;
    await this.#resumed?.written(0, hash);
  }

  /** Removes an animated file that is not complete. */
  async discard(): Promise<void> {
    await this.#animated?.discard();
  }
}

/** Encodes a picture in the format that the ending of its file says; PNG for standard output. */
async function encodeAs(path: string, { pixels, width, height }: Drawn, quality: number): Promise<Uint8Array> {
  if (/\.jpe?g$/i.test(path)) return encodeJpeg(pixels, width, height, quality);
  if (/\.webp$/i.test(path)) return encodeWebp(pixels, width, height, quality);
  return encodePicture(pixels, width, height);
}
