// Macro-tasks: how the queue gets its turns from the engine that it runs in.

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
/** Taken at once, as the clock's timers are. */
const immediate = globalThis.setImmediate as typeof setImmediate | undefined;

/**
 * Runs `task` in a macro-task of its own, after events that wait already. In Node a pending task keeps the process
 * alive, and nothing does when none is pending. In browsers a message has no minimum delay, as time-outs do.
 */
export const later: Later = (task) => {
  chosen ??= immediate !== undefined ? (run) => void immediate(run)
    : typeof MessageChannel === 'function' ? byMessage() : (run) => void startTimer(run, 0);
  chosen(task);
};

/** Milliseconds of steps in a row, after which others have their turn; a step of the helmet's programs adds up to 4. */
const SLICE_MS = 3;

/** Runs steps in turns, the first ones now. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let until = clockMs() + SLICE_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (clockMs() < until) continue;
    await new Promise<void>((turn) => later(turn));
    until = clockMs() + SLICE_MS;
  }
}
