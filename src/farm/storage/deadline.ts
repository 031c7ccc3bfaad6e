// Ends a transfer when its time is over, or when its job is cancelled.

/** A signal that is aborted after a time, or with another one. (`AbortSignal.any` exists from Node 20.3 on.) */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #parent: AbortSignal | undefined;

  constructor(ms: number, parent?: AbortSignal) {
    this.#parent = parent;
    this.#timer = setTimeout(() => this.#controller.abort(new DOMException('It took too long', 'TimeoutError')), ms);
    if (parent?.aborted) this.#cancel();
    parent?.addEventListener('abort', this.#cancel);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#parent?.removeEventListener('abort', this.#cancel);
  }

  readonly #cancel = (): void => this.#controller.abort(this.#parent?.reason);
}
