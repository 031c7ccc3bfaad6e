import { expect, test } from 'vitest';
import { LruSet } from '../../src/base/lru-set';

test('keeps the most recently used within its bytes, and counts what it evicts', () => {
  const recent = new LruSet<{ name: string }>(100);
  const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
  recent.use(a, 40);
  recent.use(b, 40);
  recent.use(a, 50);
  expect([recent.size, recent.bytes, recent.dropped]).toEqual([2, 90, 0]);
  // b is the least recently used.
  recent.use(c, 30);
  expect([recent.size, recent.bytes, recent.dropped]).toEqual([2, 80, 1]);
  recent.use(a, 50);
  expect([recent.size, recent.bytes, recent.dropped]).toEqual([2, 80, 1]);
  // Too large alone: nothing stays.
  recent.use(b, 101);
  expect([recent.size, recent.bytes, recent.dropped]).toEqual([0, 0, 4]);
});
