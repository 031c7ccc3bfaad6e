import { expect, test } from 'vitest';
import { Recent } from '../../src/base/recent';

test('keeps what was used last within its bytes, and counts what it lets go', () => {
  const recent = new Recent<{ name: string }>(100), [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
  recent.use(a, 40);
  recent.use(b, 40);
  recent.use(a, 50);
  expect([recent.size, recent.bytes, recent.dropped]).toEqual([2, 90, 0]);
  // b was not used for the longest time.
  recent.use(c, 30);
  expect([recent.size, recent.bytes, recent.dropped]).toEqual([2, 80, 1]);
  recent.use(a, 50);
  expect([recent.size, recent.bytes, recent.dropped]).toEqual([2, 80, 1]);
  // Too large alone: nothing stays.
  recent.use(b, 101);
  expect([recent.size, recent.bytes, recent.dropped]).toEqual([0, 0, 4]);
});
