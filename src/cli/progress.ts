// A progress line for long renderings. It appears after one second, and only on terminals.

import { plain, printed } from '../base/printable';

/** Where the line is drawn: standard error or a substitute. */
export interface Terminal {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  /** `written` is called when the stream has accepted the data. */
  write(text: string | Uint8Array, written?: (error?: Error | null) => void): unknown;
}

/** Writes text to a terminal; escape sequences in names are escaped. */
export const writeTextTo =
  (terminal: Terminal) =>
  (text: string): void =>
    void terminal.write(printed(text));

/** The parts of a rendering with their shares of the progress bar. */
const SHARES = { load: 0.05, decode: 0.25, upload: 0.1, render: 0.5, encode: 0.1 } as const;
export type Part = keyof typeof SHARES;
/** Characters of a model's name; the line must not wrap. */
const MAX_NAME_LENGTH = 16;
const DELAY_MS = 1000;
const INTERVAL_MS = 100;

export class Progress {
  readonly #terminal: Terminal;
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #part: Part = 'load';
  #done = 0;
  #shown = false;
  /** Number of renderings, of those that have ended, and the name of the current one. */
  readonly #count: number;
  #index = 0;
  #name = '';

  constructor(terminal: Terminal, count = 1) {
    this.#terminal = terminal;
    this.#count = count;
    if (!terminal.isTTY) return;
    this.#timer = setInterval(() => this.#draw(), INTERVAL_MS);
    this.#timer.unref();
  }

  /** Reports that a part has begun, or its progress from 0 to 1. */
  at(part: Part, done = 0): void {
    this.#part = part;
    this.#done = done;
    if (this.#timer) this.#draw();
  }

  /** Reports that a rendering has begun. */
  begin(index: number, name: string): void {
    this.#index = index;
    this.#name = plain(name, MAX_NAME_LENGTH);
    this.at('load');
  }

  /** Removes the line for ever. */
  end(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  /** Removes the line, so that something can be printed. */
  clear(): void {
    if (this.#shown) this.#terminal.write('\r\x1b[K');
    this.#shown = false;
  }

  #draw(): void {
    const elapsed = performance.now() - this.#started;
    if (elapsed < DELAY_MS) return;
    let share = 0;
    for (const [part, size] of Object.entries(SHARES)) {
      if (part === this.#part) {
        share += size * this.#done;
        break;
      }
      share += size;
    }
    if (this.#count > 1) share = (this.#index + share) / this.#count;
    const cells = Math.max(10, Math.min(40, (this.#terminal.columns ?? 80) - 30));
    const full = Math.round(share * cells);
    const what = this.#count > 1 ? `${this.#index + 1}/${this.#count} ${this.#name}` : this.#part;
    this.#terminal.write(
      `\r\x1b[K${'█'.repeat(full)}${'░'.repeat(cells - full)} ${what} ${(elapsed / 1000).toFixed(1)} s`
    );
    this.#shown = true;
  }
}
