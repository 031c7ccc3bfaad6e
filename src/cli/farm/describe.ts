// Texts about a queue for people.
import { plain } from '../../base/printable';
import type { FailedJob, QueueStatus } from '../../farm';
import { number } from '../format-figures';

/** A line of JSON, or with `indent` several. */
export const jsonOf = (value: object, indent = 0): string => [JSON.stringify(value, null, indent), ''].join('\n');

/** A time as one number: 12 s, 3 min, 5 h. */
function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}

/** Animations that are listed. */
const MAX_FLOWS = 10;

/** Lines of the status. */
export function describeStatus(status: QueueStatus): string[] {
  const { queue, redis, isPaused, counts, ageMs, versions, workers, flows } = status;
  const oldest = counts.waiting > 0 ? `, the oldest for ${duration(ageMs)}` : '';
  const lines = [
    `Queue ${queue} at ${plain(redis, 200)}${isPaused ? ', paused' : ''}`,
    '',
    `waiting    ${number(counts.waiting)}${oldest}`,
    `delayed    ${number(counts.delayed)}`,
    `active     ${number(counts.active)}`,
    `done       ${number(counts.completed)}`,
    `failed     ${number(counts.failed)}`,
  ];
  for (const { version, counts: of, workers: count } of versions)
    if (count === 0 && of.waiting + of.delayed > 0)
      lines.push(`${number(of.waiting + of.delayed)} jobs wait for a worker with version ${plain(version)}`);
  if (flows.length > 0) lines.push('', 'Animations in chunks');
  for (const { name, output, chunks, drawn } of flows.slice(0, MAX_FLOWS))
    lines.push(`  ${plain(name ?? output, 60)}: ${number(drawn)} of ${number(chunks)} chunks drawn`);
  if (flows.length > MAX_FLOWS) lines.push(`  and ${number(flows.length - MAX_FLOWS)} more`);
  lines.push('', workers.length === 0 ? 'No worker runs.' : 'Workers');
  for (const { id, version, busy, concurrency, done, failed, startedAt } of workers) {
    const up = duration(Date.now() - startedAt);
    const jobs = `${number(done)} done, ${number(failed)} failed`;
    lines.push(`  ${plain(id, 60)}, version ${plain(version)}: ${busy} of ${concurrency} busy, ${jobs}, for ${up}`);
  }
  return lines;
}

/** A line about a quarantined job. */
export function describeFailed({ identity, name, output, code, message, attempts }: FailedJob): string {
  const what = plain(name ?? output ?? '', 100);
  const tries = `${attempts} ${attempts === 1 ? 'try' : 'tries'}`;
  return `${identity.slice(0, 12)}  ${what}: ${plain(code)} after ${tries}: ${plain(message, 500)}`;
}
