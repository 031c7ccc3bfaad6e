// Where a warm worker runs: in a process or in a thread.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { thrown } from '../../base/printable';
import { CODE_ARGUMENT, WORKER_ARGUMENT } from './messages';
import { killDescendants } from './process-tree';

export type Isolation = 'process' | 'thread';

/** How a process or thread ended. */
export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The error that prevented its start, or ended the thread. */
  readonly error: Error | undefined;
}

/** What was thrown, as the end of a sentence without its full stop. */
export const reasonOf = (error: unknown): string => thrown(error).replace(/\.$/, '');

/** How a process or thread ended, as the end of a sentence. */
export function describeEnd({ code, signal, error }: End): string {
  if (error) return `failed: ${reasonOf(error)}`;
  return signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
}

export interface Executor {
  /** Undefined for a thread, or if the process could not be started. */
  readonly pid: number | undefined;
  /** Sends a message; it is lost if the other side has ended. */
  send(message: unknown): void;
  /** Ends it at once, even in an endless loop. */
  kill(): void;
  /** Whether it keeps this process running. */
  keep(isKept: boolean): void;
}

interface Listeners {
  message(message: unknown): void;
  end(end: End): void;
}

/** How a worker is started. */
export interface Start {
  readonly script: URL;
  readonly isolation: Isolation;
  /** Whether the code that V8 compiles for the package is kept in the shader cache, for the next worker. */
  readonly keepsCode: boolean;
}

export const start = (how: Start, listeners: Listeners): Executor =>
  how.isolation === 'process' ? startProcess(how, listeners) : startThread(how, listeners);

const argumentsFor = ({ keepsCode }: Start): string[] => [WORKER_ARGUMENT, ...(keepsCode ? [CODE_ARGUMENT] : [])];

function startProcess(how: Start, listeners: Listeners): Executor {
  const child = fork(fileURLToPath(how.script), argumentsFor(how), {
    serialization: 'advanced',
    // What a module prints goes to standard error: standard output may be a picture or JSON.
    stdio: ['inherit', process.stderr.fd, 'inherit', 'ipc'],
  });
  let error: Error | undefined;
  child.on('message', (message) => listeners.message(message));
  child.on('error', (reason) => {
    error = reason;
    // A process that could not be started has no exit event.
    if (child.pid === undefined) listeners.end({ code: null, signal: null, error });
  });
  child.on('exit', (code, signal) => listeners.end({ code, signal, error }));
  return {
    pid: child.pid,
    send(message) {
      if (child.connected) child.send(message as object, () => undefined);
    },
    kill() {
      // Processes that a module has started end with it.
      if (child.pid !== undefined) killDescendants(child.pid);
      child.kill('SIGKILL');
    },
    keep(isKept) {
      if (isKept) child.ref();
      else child.unref();
      if (isKept) child.channel?.ref();
      else child.channel?.unref();
    },
  };
}

function startThread(how: Start, listeners: Listeners): Executor {
  const thread = new Worker(how.script, { argv: argumentsFor(how) });
  let error: Error | undefined;
  thread.on('message', (message) => listeners.message(message));
  thread.on('error', (reason) => (error = reason as Error));
  thread.on('exit', (code) => listeners.end({ code, signal: null, error }));
  return {
    pid: undefined,
    send: (message) => thread.postMessage(message),
    kill: () => void thread.terminate(),
    keep(isKept) {
      if (isKept) thread.ref();
      else thread.unref();
    },
  };
}
