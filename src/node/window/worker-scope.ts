// The thread of a web worker: defines the names of its global object, and runs its script.
import { resolve as resolvePath } from 'node:path';
import { runInThisContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { tell, WindowEvents, type Handler } from '../events';
import type { InstallOptions } from '../install';
import { readTextNow, setResourceLimits } from '../resources';
import type { WorkerNews, WorkerOrder } from './worker-order';

interface Rasterloom {
  install(options: InstallOptions): () => void;
}

const order = workerData as WorkerOrder;
const port = parentPort!;
/** Taken before Node is hidden from the script. */
const { process } = globalThis;
const scope = globalThis as unknown as Record<string, unknown> & EventTarget;
const limits = { ...order.limits, onMissing: (): void => undefined };

const send = (news: WorkerNews, transfers: readonly Transferable[] = []): void =>
  port.postMessage(news, transfers as never);

function fail(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  send({ kind: 'error', error: error instanceof Error ? error : null, text });
}

/** Marks the class of the global object, by which scripts find out that they run in a worker. */
class WorkerGlobalScope {
  static [Symbol.hasInstance](value: unknown): boolean {
    return value === globalThis;
  }
}
class DedicatedWorkerGlobalScope extends WorkerGlobalScope {}

function importScripts(...addresses: string[]): void {
  for (const address of addresses) {
    const { href } = new URL(address, order.url);
    runInThisContext(readTextNow(href, limits), { filename: href });
  }
}

function defineNames(): void {
  const { hostname, href, origin, pathname, protocol, search } = new URL(order.url);
  for (const name of ['window', 'document', 'localStorage', 'sessionStorage']) Reflect.deleteProperty(scope, name);
  const names = {
    WorkerGlobalScope,
    DedicatedWorkerGlobalScope,
    importScripts,
    name: order.name,
    location: { hostname, href, origin, pathname, protocol, search, toString: () => href },
    onmessage: null,
    onerror: null,
    close: () => process.exit(),
    postMessage: (data: unknown, transfers: Transferable[] | { transfer?: Transferable[] } = []) =>
      send({ kind: 'message', data }, Array.isArray(transfers) ? transfers : (transfers.transfer ?? [])),
    ...new WindowEvents().names,
  };
  for (const [name, value] of Object.entries(names))
    Object.defineProperty(scope, name, { value, writable: true, enumerable: false, configurable: true });
}

/** Receives messages. The port keeps the thread alive until it has nothing else to do, and the object is told that. */
function listen(): void {
  let received = 0;
  port.on('message', ({ data }: { data: unknown }) => {
    received++;
    tell(scope, scope.onmessage as Handler, new MessageEvent('message', { data }));
    port.unref();
  });
  process.on('beforeExit', () => {
    send({ kind: 'idle', received });
    port.ref();
  });
}

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
setResourceLimits(limits);
const { install } = (await import(order.rasterloom)) as Rasterloom;
const { folder, origin, ...others } = order.limits;
install({
  platform: 'browser',
  resources: { ...others, folder: folder ?? resolvePath('.'), ...(origin !== null && { origin }) },
});
defineNames();
try {
  if (order.text === null) await import(order.url);
  else runInThisContext(order.text, { filename: order.url });
} catch (error) {
  fail(error);
}
listen();
port.unref();
