// One request to the source of a streamed texture's pages. It ends once: by the page's bytes, by an error, by its time
// limit, or by being cancelled.
import { startTimer, stopTimer } from '../base/clock';

/** Returns a page's bytes, directly or as a promise. An exception or a rejection is a failure. */
export type LoadPage = (entry: number, signal: AbortSignal) => Uint8Array | PromiseLike<Uint8Array>;

/**
 * Starts a request. `ended` is called with a function that returns the bytes or throws the error, unless the request
 * was cancelled before. Returns a function that cancels the request and aborts its signal.
 */
export function startRequest(
  load: (signal: AbortSignal) => ReturnType<LoadPage>,
  timeoutMs: number | null,
  ended: (texels: () => Uint8Array) => void
): () => void {
  const abort = new AbortController();
  let isEnded = false;
  const end = (texels: (() => Uint8Array) | null): void => {
    if (isEnded) return;
    isEnded = true;
    if (timer !== null) stopTimer(timer);
    if (texels) ended(texels);
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
    end(null);
    abort.abort();
  };
}
