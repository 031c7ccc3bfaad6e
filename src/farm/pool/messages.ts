// What a pool and its warm workers tell each other.

/** To a worker. */
export type Order<Work> =
  | { readonly work: Work }
  /** The worker aborts what it does, and ends. */
  | { readonly cancel: true };

/** From a worker. */
export type Report<Answer> =
  | { readonly ready: true }
  /** With the resident memory of its process after the work, in bytes. */
  | { readonly answer: Answer; readonly residentBytes: number }
  /** A file under a temporary name, which is removed if the worker ends before it is closed. */
  | { readonly temporary: string; readonly isOpen: boolean };

/** Argument of a script that is started as a warm worker. */
export const WORKER_ARGUMENT = 'render-worker';
/** Argument after it of a worker that keeps V8's code of the package in the shader cache. */
export const CODE_ARGUMENT = 'code-cache';

/** Time in milliseconds that a cancelled worker has before it is killed. */
export const GRACE_MS = 500;
