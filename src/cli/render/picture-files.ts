// Writes the pictures of a model: each to a separate file, or all to an animated one.
import type { PassPicture } from '../../gltf/passes/kinds';
import { AnimatedFile } from '../animated/animation';
import { writePicture } from '../output-file';
import type { Terminal } from '../progress';
import { hashOf, type Resumed } from '../resume/resume';
import { encodeAs, type PictureReport } from './encode';
import type { Task } from './plan';

export class PictureFiles {
  readonly #task: Task;
  readonly #stdout: Terminal;
  readonly #reports: PictureReport[] = [];
  #animated: AnimatedFile | undefined;
  readonly #resumed: Resumed | undefined;

  /** @param resumed records what was written; undefined: nothing is recorded */
  constructor(task: Task, stdout: Terminal, resumed: Resumed | undefined) {
    this.#task = task;
    this.#stdout = stdout;
    this.#resumed = resumed;
  }

  /** What was written. */
  get reports(): readonly PictureReport[] {
    return this.#reports;
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#reports.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether a picture is in a file that is kept. */
  isKept(number: number): boolean {
    return this.#resumed?.kept.has(this.#task.settings.isAnimated ? 0 : number) ?? false;
  }

  /** Adds a picture. @param number of the picture, in ascending order @throws OutputError */
  async add(number: number, picture: PassPicture): Promise<void> {
    const { settings, pictures } = this.#task;
    if (!settings.isStored) return;
    const shot = pictures[number];
    const { output, frame } = shot;
    const { pass } = shot.settings;
    if (!settings.isAnimated) {
      const { file, ...values } = await encodeAs(shot, picture);
      await writePicture(output, file, this.#stdout);
      this.#reports.push({ output, pass, frame, bytes: file.length, ...values });
      await this.#resumed?.written(number, hashOf(file));
      return;
    }
    const { width, height } = picture;
    const { fps, loop } = settings.frames!;
    const transparent = settings.background[3] < 255 || pass === 'albedo';
    const shape = { width, height, count: pictures.length, fps, loop, transparent };
    this.#animated ??= await AnimatedFile.create(output, shape, settings.quality);
    // Animated pictures are of colours with 8 bits (options/pass-options.ts).
    await this.#animated.add(picture.pixels as Uint8Array);
  }

  /** Completes an animated file. @throws OutputError */
  async end(): Promise<void> {
    if (!this.#animated) return;
    const { bytes, hash } = await this.#animated.end(this.#resumed !== undefined);
    const { output, settings } = this.#task;
    this.#reports.push({ output, pass: settings.pass, frame: 0, bytes });
    this.#animated = undefined;
    await this.#resumed?.written(0, hash);
  }

  /** Removes an animated file that is not complete. */
  async discard(): Promise<void> {
    await this.#animated?.discard();
  }
}
