// Ends a run whose input takes too long or too much memory, from another thread: a hanging input blocks the event loop.
import { Worker } from 'node:worker_threads';

const SCRIPT = `
const { workerData: { words, maxAttemptMs, maxBytes, how } } = require('node:worker_threads');
let seen = -1, since = Date.now();
setInterval(() => {
  const now = Atomics.load(words, 0);
  if (now !== seen) { seen = now; since = Date.now(); }
  const bytes = process.memoryUsage.rss(), ms = Date.now() - since;
  if (ms < maxAttemptMs && bytes < maxBytes) return;
  const why = ms < maxAttemptMs ? 'has taken ' + Math.round(bytes / 2 ** 20) + ' MiB of memory' : 'takes more than '
    + maxAttemptMs + ' ms';
  require('node:fs').writeSync(2, '\\nseed ' + words[1] + ' ' + why + ': ' + how + ' 1 ' + words[1] + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, 200);
`;

interface Watch {
  /** An attempt begins. */
  begin(seed: number): void;
  end(): void;
}

/** `how`: the command that repeats a seed, without its last two arguments. */
export function watchOver(maxAttemptMs: number, maxBytes: number, how: string): Watch {
  const words = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(SCRIPT, { eval: true, workerData: { words, maxAttemptMs, maxBytes, how }, execArgv: [] });
  worker.unref();
  return {
    begin(seed) {
      Atomics.store(words, 1, seed);
      Atomics.add(words, 0, 1);
    },
    end: () => void worker.terminate(),
  };
}
