// What an application waits for in real time: requests, images, decoders and work of the GPU. The virtual clock stands
// until it is there, so that no picture depends on how fast it comes.
import { startTimer, stopTimer } from '../base/clock';
import type { Definitions } from '../base/definitions';

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Turns of the event loop without a load after which an application is assumed to wait for time only. */
const QUIET_TURNS = 2;

/** Resolves in a later turn of the event loop, in real time. */
const nextTurn: () => Promise<void> =
  typeof setImmediate === 'function'
    ? (
        (later) => (): Promise<void> =>
          new Promise((done) => void later(done))
      )(setImmediate)
    : () =>
        new Promise((done) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => {
            port1.close();
            done();
          };
          port2.postMessage(null);
        });

/** Methods that return promises, by the global class to whose prototype they belong. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  Blob: ['arrayBuffer', 'bytes', 'text'],
  GPU: ['requestAdapter'],
  GPUAdapter: ['requestDevice'],
  GPUDevice: ['createComputePipelineAsync', 'createRenderPipelineAsync', 'popErrorScope'],
  GPUBuffer: ['mapAsync'],
  GPUQueue: ['onSubmittedWorkDone'],
  GPUShaderModule: ['getCompilationInfo'],
};
const BODY_METHODS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'];

const describe = (value: unknown): string => {
  const url = (value as { readonly url?: unknown } | null)?.url;
  const text = typeof value === 'string' || value instanceof URL ? String(value) : typeof url === 'string' ? url : '';
  return text.length > 100 ? `${text.slice(0, 97)}…` : text;
};

export class PendingLoads {
  readonly #pending = new Map<object, string>();
  readonly #timeoutMs: number;
  /** Settles after all ordered loads that have begun. */
  #last: Promise<unknown> = Promise.resolve();
  /** Callbacks of the callers that wait for the end of a load. */
  readonly #waiting = new Set<() => void>();

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** What is pending, for messages. */
  get names(): string[] {
    return [...this.#pending.values()];
  }

  /** Lets the clock stand until `promise` is settled. */
  hold<T>(promise: Promise<T>, name: string): Promise<T> {
    const end = this.#begin({}, name);
    // The result is a promise of its own: a rejection that the application does not handle is reported as such.
    return promise.then(
      (value) => {
        end();
        return value;
      },
      (error: unknown) => {
        end();
        throw error;
      }
    );
  }

  /** Resolves when nothing is pending, also nothing that results of earlier loads have begun. */
  async whenQuiet(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS;) {
      await nextTurn();
      if (this.#pending.size === 0) quiet++;
      else {
        quiet = 0;
        await this.#nextChange();
      }
    }
  }

  /** Replaces functions that load, so that their results count. */
  define(names: Definitions): void {
    const target = globalThis as unknown as Record<string, unknown>;
    this.#replace(names, target, ['fetch'], (promise, name) => this.#inOrder(promise, name));
    this.#replace(names, target, ['createImageBitmap']);
    const wasm = ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming'];
    this.#replace(names, WebAssembly as unknown as Record<string, unknown>, wasm, undefined, 'WebAssembly.');
    this.#replace(names, prototypeOf('Response'), BODY_METHODS, (promise, name) => this.#inOrder(promise, name));
    for (const [name, methods] of Object.entries(METHODS))
      this.#replace(names, prototypeOf(name), methods, undefined, `${name}.`);
    this.#holdRequests(names, prototypeOf('XMLHttpRequest'));
    this.#holdImages(names, prototypeOf('HTMLImageElement'));
  }

  #begin(key: object, name: string): () => void {
    this.#pending.set(key, name);
    return () => {
      this.#pending.delete(key);
      this.#changed();
    };
  }

  /** As hold. The result waits for those of earlier calls: the order in which servers answer has no effect. */
  #inOrder<T>(promise: Promise<T>, name: string): Promise<T> {
    // A rejection before its turn is no unhandled one.
    promise.catch(() => undefined);
    const settled = this.#last.then(() => promise);
    this.#last = settled.catch(() => undefined);
    return this.hold(settled, name);
  }

  #replace(
    names: Definitions,
    target: Record<string, unknown> | undefined,
    methods: readonly string[],
    hold: (promise: Promise<unknown>, name: string) => Promise<unknown> = (promise, name) => this.hold(promise, name),
    owner = ''
  ): void {
    for (const name of methods) {
      const method = target?.[name];
      if (typeof method !== 'function') continue;
      const held: Method = function (...values) {
        const result = (method as Method).apply(this, values);
        // A function of the application that has replaced it may return anything.
        if (typeof (result as Promise<unknown> | undefined)?.then !== 'function') return result;
        return hold(result as Promise<unknown>, `${owner}${name} ${describe(values[0]) || describe(this)}`.trim());
      };
      names.put(target!, { [name]: held });
    }
  }

  #holdRequests(names: Definitions, prototype: Record<string, unknown> | undefined): void {
    const send = prototype?.send as Method | undefined;
    if (prototype === undefined || send === undefined) return;
    const begin = (request: object, name: string): (() => void) => this.#begin(request, name);
    names.put(prototype, {
      send(this: XMLHttpRequest, ...values: unknown[]): void {
        const end = begin(this, 'XMLHttpRequest');
        this.addEventListener('loadend', end, { once: true });
        send.apply(this, values);
      },
    });
  }

  #holdImages(names: Definitions, prototype: object | undefined): void {
    const src = prototype && Object.getOwnPropertyDescriptor(prototype, 'src');
    if (src?.set === undefined) return;
    const begin = (image: object, name: string): (() => void) => this.#begin(image, name);
    names.define(prototype!, 'src', {
      ...src,
      set(this: HTMLImageElement, value: unknown): void {
        const end = begin(this, `image ${describe(value)}`);
        this.addEventListener('load', end, { once: true });
        this.addEventListener('error', end, { once: true });
        src.set!.call(this, value);
        // Nothing is loaded, and no event comes.
        if (String(value) === '') end();
      },
    });
  }

  /** Resolves when a load has ended. */
  /** Several callers can wait at the same time. */
  #nextChange(): Promise<void> {
    return new Promise((done, failed) => {
      const timer = startTimer(() => {
        this.#waiting.delete(changed);
        failed(
          new Error(
            `virtualTime: nothing was loaded for ${this.#timeoutMs} ms (loadTimeoutMs); still pending: `
              + this.names.join(', ')
          )
        );
      }, this.#timeoutMs);
      const changed = (): void => {
        stopTimer(timer);
        done();
      };
      this.#waiting.add(changed);
    });
  }

  #changed(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const changed of waiting) changed();
  }
}

function prototypeOf(name: string): Record<string, unknown> | undefined {
  const type = (globalThis as unknown as Record<string, { prototype?: Record<string, unknown> } | undefined>)[name];
  return type?.prototype;
}
