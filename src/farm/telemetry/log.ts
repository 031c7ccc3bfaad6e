// Structured logs: one JSON object per line.
import { redacted } from '../redact';
import type { FarmEvent, FarmEvents } from './events';

/** How serious an entry is. */
type Level = 'info' | 'warn' | 'error';

function levelOf(event: FarmEvent): Level {
  if (event.type === 'job') return event.state === 'failed' ? 'error' : event.code === undefined ? 'info' : 'warn';
  return event.type === 'worker' && event.reason !== undefined ? 'warn' : 'info';
}

/** An event as a line without its line break. Passwords and query strings of addresses are left out. */
function logLine(event: FarmEvent, time: Date): string {
  return JSON.stringify({ time: time.toISOString(), level: levelOf(event), ...event }, (_, value: unknown) =>
    typeof value === 'string' ? redacted(value) : value
  );
}

/** Writes every event as a line. @returns ends it */
export const logFarm = (events: FarmEvents, write: (line: string) => void): (() => void) =>
  events.on((event) => write(`${logLine(event, new Date())}\n`));
