// Ends a warm process whose pool was killed while a module loops and cannot hear that the channel has closed.
import { isMainThread, Worker } from 'node:worker_threads';

const SCRIPT = `
const { ppid } = process;
setInterval(() => {
  if (process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
}, 1000);
`;

let watch: Worker | undefined;

/** Watches the parent process from a thread, which nothing in this thread can block. */
export function watchParent(): void {
  // Threads end with their process.
  if (!isMainThread || watch) return;
  watch = new Worker(SCRIPT, { eval: true, stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: 8 } });
  watch.unref();
}
