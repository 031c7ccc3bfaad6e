// Pages for stored tiles: a stack that all workers take from and give to. The number above the address in its head
// changes with every exchange, so that a page that was taken and given back meanwhile is not mistaken for one that
// never left.

import { PAGE_SHIFT, Pool } from '../layout';

function linkOf(pool: Pool, page: usize): usize {
  return pool.links + (page >> PAGE_SHIFT << 2);
}

function exchanged(pool: Pool, head: u64, first: u32): u64 {
  const wanted = (((head >> 32) + 1) << 32) | <u64>first;
  if (ASC_FEATURE_THREADS) return atomic.cmpxchg<u64>(changetype<usize>(pool) + offsetof<Pool>('head'), head, wanted);
  pool.head = wanted;
  return head;
}

/** Adds to a counter that others may add to. */
export function addTo<T extends number>(at: usize, value: T): void {
  if (ASC_FEATURE_THREADS) atomic.add<T>(at, value);
  else store<T>(at, <T>(load<T>(at) + value));
}

function headOf(pool: Pool): u64 {
  if (ASC_FEATURE_THREADS) return atomic.load<u64>(changetype<usize>(pool) + offsetof<Pool>('head'));
  return pool.head;
}

/** Address of a page that nobody else holds, with whatever it held before; 0 when there is none. */
export function takePage(pool: Pool): usize {
  let head = headOf(pool);
  while (true) {
    const page = <u32>head;
    if (!page) return 0;
    // Another may take the page before the exchange, which then fails: what is read here meanwhile does not matter.
    const seen = exchanged(pool, head, load<u32>(linkOf(pool, page)));
    if (seen == head) {
      addTo<i32>(changetype<usize>(pool) + offsetof<Pool>('free'), -1);
      return page;
    }
    head = seen;
  }
}

export function givePage(pool: Pool, page: usize): void {
  let head = headOf(pool);
  while (true) {
    store<u32>(linkOf(pool, page), <u32>head);
    const seen = exchanged(pool, head, page);
    if (seen == head) break;
    head = seen;
  }
  addTo<i32>(changetype<usize>(pool) + offsetof<Pool>('free'), 1);
}
