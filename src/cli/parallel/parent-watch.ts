// Ends a warm process whose pool was killed while a module loops and cannot hear that the channel has closed.
import { once } from 'node:events';
import { isMainThread, Worker } from 'node:worker_threads';

const SCRIPT = `
const { ppid } = process;
setInterval(() => {
  if (process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
}, 1000);
`;

let isWatched: Promise<unknown> | undefined;

/** Watches the parent process from a thread, which nothing in this thread can block once it has started. */
export async function watchParent(): Promise<void> {
  // Threads end with their process.
  if (!isMainThread) return;
  if (!isWatched) {
    const watch = new Worker(SCRIPT, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } });
    watch.unref();
    isWatched = once(watch, 'online');
  }
  await isWatched;
}
