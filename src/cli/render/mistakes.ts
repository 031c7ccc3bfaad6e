// Collects what is wrong with the lines of a file of jobs, so that all of it is reported at once.
import { CommandError, InputError, OutputError } from '../errors';

/** Mistakes that are named; the others are counted. */
const MAX_NAMED = 20;

export class Mistakes {
  readonly #found: { place: string; error: CommandError }[] = [];

  /** Does something for a place in a file. Its mistake is kept for `check`; without a place, it is thrown. */
  async of<T>(place: string | undefined, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (place === undefined || !(error instanceof CommandError)) throw error;
      this.#found.push({ place, error });
      return undefined;
    }
  }

  /** @throws CommandError with all mistakes, if there are any */
  check(): void {
    const [first] = this.#found;
    if (first === undefined) return;
    const lines = this.#found.slice(0, MAX_NAMED).map(({ place, error }) => `${place}: ${error.message}`);
    const rest = this.#found.length - lines.length;
    if (rest > 0) lines.push(`${rest} more ${rest === 1 ? 'line is' : 'lines are'} wrong.`);
    const isOf = (kind: typeof CommandError): boolean => this.#found.every(({ error }) => error instanceof kind);
    // The exit code is that of the mistakes if they have one cause.
    const Kind = isOf(InputError) ? InputError : isOf(OutputError) ? OutputError : CommandError;
    throw new Kind(lines.join('\n'));
  }
}
