// Macro-tasks: how the queue yields to the event loop and gets its turns.

import { clockMs, startTimer } from '../base/clock';
import type { Steps } from '../base/steps';

export type Later = (task: () => void) => void;

function byMessage(): Later {
  const { port1, port2 } = new MessageChannel();
  const tasks: (() => void)[] = [];
  port1.onmessage = () => tasks.shift()?.();
  return (task) => {
    tasks.push(task);
    port2.postMessage(null);
  };
}

let chosen: Later | null = null;
/** Captured when the module loads, like the clock's timers. */
const immediate = globalThis.setImmediate as typeof setImmediate | undefined;

/**
 * Runs `task` in a separate macro-task, after events that are already waiting. In Node, a pending task keeps the
 * process alive. In browsers, a message has no minimum delay, unlike a timeout.
 */
export const later: Later = (task) => {
  chosen ??=
    immediate !== undefined
      ? (run) => void immediate(run)
      : typeof MessageChannel === 'function'
        ? byMessage()
        : (run) => void startTimer(run, 0);
  chosen(task);
};

/** Milliseconds after which a sequence of steps yields. One step of the helmet's shaders adds up to 4 ms. */
const SLICE_MS = 3;

/** Runs steps in slices, starting with the first one immediately. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  let until = clockMs() + SLICE_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (clockMs() < until) continue;
    await new Promise<void>((turn) => later(turn));
    until = clockMs() + SLICE_MS;
  }
}
