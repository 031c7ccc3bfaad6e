// The view of `rasterloom farm status --watch`, which is drawn over itself.
import { plain } from '../../base/printable';
import type { FarmQueue, QueueStatus } from '../../farm';
import type { Terminal } from '../progress';
import { describeStatus } from './describe';

const INTERVAL_MS = 1000;
/** Statuses from which the speed is computed. */
const SPAN = 30;

/** Draws the status each second until the signal. */
export async function watchQueue(queue: FarmQueue, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const history: { at: number; ended: number }[] = [];
  while (!signal.aborted) {
    const status = await queue.status();
    history.push({ at: Date.now(), ended: status.counts.completed + status.counts.failed });
    if (history.length > SPAN) history.shift();
    const lines = [...describeStatus(status), '', progressOf(status, history, terminal.columns ?? 80)];
    const width = Math.max(20, (terminal.columns ?? 80) - 1);
    // From the top left corner, each line up to its end, then everything below.
    terminal.write(`\x1b[H${lines.map((line) => `${plain(line, width)}\x1b[K\r\n`).join('')}\x1b[J`);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, INTERVAL_MS);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done);
    });
  }
}

function progressOf(
  { counts }: QueueStatus,
  history: readonly { at: number; ended: number }[],
  columns: number
): string {
  const ended = counts.completed + counts.failed;
  const open = counts.waiting + counts.delayed + counts.active;
  const share = ended + open === 0 ? 0 : ended / (ended + open);
  const cells = Math.max(10, Math.min(40, columns - 45));
  const full = Math.round(share * cells);
  const [first] = history;
  const last = history[history.length - 1];
  // Redis removes old jobs, so the count may fall.
  const speed = last.at > first.at ? Math.max(0, ((last.ended - first.ended) * 1000) / (last.at - first.at)) : 0;
  const left = speed > 0 && open > 0 ? `, ${Math.ceil(open / speed)} s left` : '';
  const bar = `${'█'.repeat(full)}${'░'.repeat(cells - full)}`;
  return `${bar} ${(share * 100).toFixed(0)} %, ${speed.toFixed(1)} jobs/s${left}`;
}
