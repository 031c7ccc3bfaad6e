// The side of a warm worker in its channel to the pool that has started it: the channel of a process, or of a thread.
import { isMainThread, parentPort } from 'node:worker_threads';
import { CODE_ARGUMENT, WORKER_ARGUMENT } from '../../farm/pool/messages';

/** Whether a pool has started this process or thread. */
export const isWarmWorker = (): boolean =>
  process.argv[2] === WORKER_ARGUMENT && (isMainThread ? process.send !== undefined : parentPort !== null);

/** Whether the pool lets this worker keep V8's code of the package in the shader cache. */
export const keepsCode = (): boolean => process.argv[3] === CODE_ARGUMENT;

export interface Channel {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called when the pool has ended. */
  onClose(listener: () => void): void;
  /** Lets the process or thread end when it has nothing else to do. */
  close(): void;
}

export function openChannel(): Channel {
  if (isMainThread)
    return {
      // The pool may have been killed; its process then ends this one.
      send: (message) => void process.send?.(message, () => undefined),
      onMessage: (listener) => void process.on('message', listener),
      onClose: (listener) => void process.on('disconnect', listener),
      // Node 20 fails if a channel is closed while it delivers its first messages.
      close: () => setImmediate(() => process.connected && process.disconnect()),
    };
  const port = parentPort!;
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', listener),
    onClose: (listener) => void port.on('close', listener),
    close: () => port.close(),
  };
}
