import { expect, test } from 'vitest';
import { FarmEvents } from '../../../src/farm/telemetry/events';
import { logFarm } from '../../../src/farm/telemetry/log';

test('every event is one line of JSON with its level, and without secrets', () => {
  const events = new FarmEvents();
  const lines: string[] = [];
  const stop = logFarm(events, (line) => lines.push(line));
  events.emit({ type: 'job', id: 'a', state: 'active', attempt: 1 });
  const message = 'It failed\nat https://u:p@h/a?X-Amz-Signature=5';
  events.emit({ type: 'job', id: 'a', state: 'delayed', attempt: 1, code: 'timeout', message });
  events.emit({ type: 'job', id: 'a', state: 'failed', attempt: 2, code: 'timeout', message });
  events.emit({ type: 'worker', worker: 'w', state: 'replaced', reason: 'It hung' });
  stop();
  events.emit({ type: 'job', id: 'b', state: 'active', attempt: 1 });
  expect(lines.every((line) => /^\{.*\}\n$/.test(line))).toBe(true);
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries.map(({ level }) => level)).toEqual(['info', 'warn', 'error', 'warn']);
  expect(entries[2]).toMatchObject({ id: 'a', code: 'timeout', message: 'It failed\nat https://…@h/a?…' });
  expect(entries[0].time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
});
