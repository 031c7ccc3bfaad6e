// Web workers in Node, each in a thread.
// https://html.spec.whatwg.org/multipage/workers.html#dedicated-workers-and-the-worker-interface
import { createRequire } from 'node:module';
import { messageOf } from '../../gltf/errors';
import { CanvasElement } from '../canvas';
import { tell, type Handler } from '../events';
import { withProcess } from '../host';
import { fetchResource, moduleUrl, resolveName, workerLimits } from '../resources';
import type { WorkerNews, WorkerOrder } from './worker-order';

type Thread = import('node:worker_threads').Worker;
type Transfers = Transferable[] | { readonly transfer?: Transferable[] };

const own = (name: string): URL => new URL(name, import.meta.url);
/** Loaded for the first worker. */
const threads = (): typeof import('node:worker_threads') =>
  createRequire(import.meta.url)('node:worker_threads') as typeof import('node:worker_threads');

const running = new Set<WebWorker>();
/** Ends the workers that are left when install() is undone. */
export const terminateWorkers = (): void => {
  for (const worker of running) worker.terminate();
};

/** Resolves when a worker has nothing left to do. The runner of pages waits for it. */
const SETTLED = Symbol.for('rasterloom.settled');

/** Replaces `Worker`. A worker that has nothing left to do does not keep the process alive. */
export class WebWorker extends EventTarget {
  onmessage: Handler = null;
  onmessageerror: Handler = null;
  onerror: Handler = null;
  #thread: Thread | null = null;
  #isEnded = false;
  /** Whether somebody has listened to errors. */
  #hasListener = false;
  /** Messages before the thread exists. */
  #early: unknown[] = [];
  /** Number of messages that were sent. */
  #sent = 0;
  #settled: (() => void)[] = [];

  /**
   * @throws TypeError if the type is unknown
   * @throws SyntaxError if the address is not a URL
   */
  constructor(address: string | URL, { type = 'classic', name = '' }: WorkerOptions = {}) {
    super();
    if (type !== 'classic' && type !== 'module')
      throw new TypeError(`Worker: type must be 'classic' or 'module', not ${String(type)}`);
    running.add(this);
    void this.#start(resolveName(String(address)), type, name).catch((error: unknown) =>
      this.#fail(error, `the worker ${String(address).slice(0, 200)} could not be loaded: ${messageOf(error)}`)
    );
  }

  override addEventListener(...values: Parameters<EventTarget['addEventListener']>): void {
    this.#hasListener ||= values[0] === 'error';
    super.addEventListener(...values);
  }

  postMessage(data: unknown, transfers: Transfers = []): void {
    const list = Array.isArray(transfers) ? transfers : (transfers.transfer ?? []);
    if (list.some((each) => CanvasElement.of(each) !== null))
      throw new DOMException(
        'postMessage: an OffscreenCanvas cannot go to a worker in Node; draw on the thread that made it',
        'DataCloneError'
      );
    if (this.#isEnded) return;
    this.#sent++;
    if (this.#thread === null) {
      // Later changes of the data must not be seen.
      this.#early.push(structuredClone(data, { transfer: list }));
      return;
    }
    this.#thread.ref();
    this.#thread.postMessage({ data }, list as never);
  }

  terminate(): void {
    this.#isEnded = true;
    running.delete(this);
    void this.#thread?.terminate();
    this.#settle();
  }

  [SETTLED](): Promise<void> {
    return new Promise((done) => void this.#settled.push(done));
  }

  async #start(url: URL, type: WorkerType, name: string): Promise<void> {
    const text = type === 'module' ? null : await textOf(url);
    if (this.#isEnded) return;
    const order: WorkerOrder = {
      url: type === 'module' ? moduleUrl(url) : url.href,
      name,
      text,
      rasterloom: own('./index.js').href,
      limits: workerLimits(),
    };
    const thread = withProcess(
      () => new (threads().Worker)(own('./web-worker.js'), { workerData: order, execArgv: [], name })
    );
    this.#thread = thread;
    thread.on('message', (news: WorkerNews) => this.#hear(news));
    thread.on('error', (error) => this.#fail(error, messageOf(error)));
    thread.on('exit', () => this.terminate());
    for (const data of this.#early.splice(0)) thread.postMessage({ data });
  }

  #hear(news: WorkerNews): void {
    if (this.#isEnded) return;
    if (news.kind === 'message') tell(this, this.onmessage, new MessageEvent('message', { data: news.data }));
    else if (news.kind === 'error') this.#fail(news.error, news.text);
    else if (news.received === this.#sent) {
      this.#thread?.unref();
      this.#settle();
    }
  }

  #settle(): void {
    for (const done of this.#settled.splice(0)) done();
  }

  /** Tells an error; one that nobody listens to is printed, as by the console of a browser. */
  #fail(error: unknown, message: string): void {
    tell(this, this.onerror, Object.assign(new Event('error', { cancelable: true }), { error, message }));
    if (this.onerror === null && !this.#hasListener) console.error(`Worker: ${message}`);
    this.#settle();
  }
}

async function textOf(url: URL): Promise<string> {
  const { status, body } = await fetchResource(url.href);
  if (status !== 200) throw new Error(`the status is ${status}`);
  return body.text();
}
