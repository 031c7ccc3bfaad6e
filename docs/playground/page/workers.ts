// The workers of the page: the renderer and the checker. One that does not answer in time is ended and started again.
import type { Order, Report } from '../protocol';
import type { CheckMessage, CheckRequest, CheckResponse } from '../worker/check';

const CHECK_MS = 5000;
/** A picture takes at most some steps of a shader with the device's own limit, and the renderer has to start. */
const RENDER_MS = 20_000;

export class Checker {
  #worker: Worker | null = null;
  #id = 0;
  #settle: ((messages: readonly CheckMessage[]) => void) | null = null;

  /** @returns null if another check has been started meanwhile */
  async check(code: string): Promise<readonly CheckMessage[] | null> {
    const id = ++this.#id;
    const worker = (this.#worker ??= this.#start());
    const messages = await new Promise<readonly CheckMessage[]>((settle) => {
      this.#settle = settle;
      worker.postMessage({ id, code } satisfies CheckRequest);
      setTimeout(() => {
        if (this.#id !== id || this.#settle !== settle) return;
        worker.terminate();
        this.#worker = null;
        const message = `The shader could not be checked within ${CHECK_MS / 1000} seconds`;
        settle([{ type: 'error', message, line: 1, column: 1, offset: 0, length: 0 }]);
      }, CHECK_MS);
    });
    return id === this.#id ? messages : null;
  }

  #start(): Worker {
    const worker = new Worker(new URL('../worker/check.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<CheckResponse>) => {
      if (data.id !== this.#id) return;
      this.#settle?.(data.messages);
      this.#settle = null;
    };
    return worker;
  }
}

export class RendererClient {
  readonly #onReport: (report: Report) => void;
  #worker: Worker;
  #timer = 0;
  #isPlaying = false;

  constructor(onReport: (report: Report) => void) {
    this.#onReport = onReport;
    this.#worker = this.#start();
  }

  /** Orders after which a report comes are watched. */
  send(order: Order): void {
    if (order.type === 'play') this.#isPlaying = order.isPlaying;
    this.#worker.postMessage(order);
    if (order.type === 'show' || order.type === 'probe') this.#watch(order.type === 'show' ? order.id : 0);
  }

  #watch(id: number): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      // A page that is hidden shows no pictures, so that none are drawn for it.
      if (document.hidden) return this.#watch(id);
      this.#worker.terminate();
      this.#worker = this.#start();
      this.#worker.postMessage({ type: 'play', isPlaying: this.#isPlaying } satisfies Order);
      const message = `There was no picture within ${RENDER_MS / 1000} seconds. The renderer was started again`;
      this.#onReport({ type: 'failed', id, message });
    }, RENDER_MS);
  }

  #start(): Worker {
    const worker = new Worker(new URL('../worker/render.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Report>) => {
      clearTimeout(this.#timer);
      this.#onReport(data);
    };
    worker.onerror = ({ message }) => {
      clearTimeout(this.#timer);
      this.#onReport({ type: 'failed', id: 0, message: message || 'The renderer could not be loaded' });
    };
    return worker;
  }
}
