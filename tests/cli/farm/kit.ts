// Runs `rasterloom farm` with a Redis of its own, to its end or until a test has seen enough.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Workshop } from '../program';

const CLI = fileURLToPath(new URL('../../../build/cli.js', import.meta.url));
const SEEN_MS = 15_000;

/** A command that runs until it is ended. */
export class RunningCommand {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #text = '';

  constructor({ folder }: Workshop, ...words: string[]) {
    this.#child = spawn(process.execPath, [CLI, ...words], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on('data', (data: Buffer) => (this.#text += data.toString()));
    this.#exited = once(this.#child, 'close');
  }

  /** All that it has printed. */
  get text(): string {
    return this.#text;
  }

  /** Waits until it has printed something. @returns the first group of the pattern, or all */
  async sees(pattern: RegExp): Promise<string> {
    const end = Date.now() + SEEN_MS;
    for (;;) {
      const found = pattern.exec(this.#text);
      if (found) return found[1] ?? found[0];
      if (Date.now() > end || this.#child.exitCode !== null)
        throw new Error(`the command has not printed ${pattern}, but:\n${this.#text}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Asks it to end. @returns its exit code */
  async end(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    await this.#exited;
    return this.#child.exitCode;
  }
}
