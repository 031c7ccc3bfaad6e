// One request to the source of a streamed texture's pages. It ends once: by the page's bytes, by an error, or by its
// time limit. A request that is cancelled also runs until then, because sources may ignore the signal.
import { startTimer, stopTimer } from '../base/clock';

/** Returns a page's bytes, directly or as a promise. An exception or a rejection is a failure. */
export type LoadPage = (entry: number, signal: AbortSignal) => Uint8Array | PromiseLike<Uint8Array>;

/**
 * Starts a request. When it ends, `ended` is called with a function that returns the bytes or throws the error, or with
 * null if the request was cancelled before. Returns a function that cancels the request and aborts its signal.
 */
export function startRequest(
  load: (signal: AbortSignal) => ReturnType<LoadPage>,
  timeoutMs: number | null,
  ended: (texels: (() => Uint8Array) | null) => void
): () => void {
  const abort = new AbortController();
  let isEnded = false;
  let isCancelled = false;
  const end = (texels: () => Uint8Array): void => {
    if (isEnded) return;
    isEnded = true;
    if (timer !== null) stopTimer(timer);
    ended(isCancelled ? null : texels);
  };
  const fail = (error: unknown): void =>
    end(() => {
      throw error;
    });
  const expire = (): void => {
    fail(new Error(`no answer in ${timeoutMs} ms`));
    abort.abort();
  };
  const timer = timeoutMs === null ? null : startTimer(expire, timeoutMs);
  // A source that throws synchronously behaves like one that rejects. Neither runs in the caller's stack.
  void Promise.resolve()
    .then(() => load(abort.signal))
    .then((texels) => end(() => texels), fail);
  return () => {
    isCancelled = true;
    abort.abort();
  };
}
