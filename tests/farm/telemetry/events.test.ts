import { expect, test } from 'vitest';
import { FarmEvents, type FarmEvent } from '../../../src/farm/telemetry/events';

const active: FarmEvent = { type: 'job', id: 'a', state: 'active', attempt: 1 };

test('every listener gets every event until it is removed', () => {
  const events = new FarmEvents();
  const first: FarmEvent[] = [];
  const second: FarmEvent[] = [];
  const remove = events.on((event) => first.push(event));
  events.on((event) => second.push(event));
  events.emit(active);
  remove();
  events.emit({ ...active, state: 'completed' });
  expect(first).toEqual([active]);
  expect(second.map((event) => event.type === 'job' && event.state)).toEqual(['active', 'completed']);
});

test('a listener that throws is removed and stops no other', () => {
  const broken: unknown[] = [];
  const events = new FarmEvents((error) => broken.push(error));
  let count = 0;
  events.on(() => {
    throw new Error('no space left');
  });
  events.on(() => count++);
  events.emit(active);
  events.emit(active);
  expect(count).toBe(2);
  expect(broken).toEqual([new Error('no space left')]);
});
