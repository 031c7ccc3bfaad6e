// The page pool for stored tiles: a lock-free stack that all workers pop from and push to. The upper half of the head
// is a version that changes with every exchange. A page that was taken and returned in the meantime is therefore not
// mistaken for one that never left (the ABA problem).

import { PAGE_SHIFT, Pool } from '../layout';

function linkOf(pool: Pool, page: usize): usize {
  return pool.links + ((page >> PAGE_SHIFT) << 2);
}

function exchanged(pool: Pool, head: u64, first: u32): u64 {
  const wanted = (((head >> 32) + 1) << 32) | (<u64>first);
  return atomic.cmpxchg<u64>(changetype<usize>(pool) + offsetof<Pool>('head'), head, wanted);
}

function headOf(pool: Pool): u64 {
  return atomic.load<u64>(changetype<usize>(pool) + offsetof<Pool>('head'));
}

/** Pops a page and returns its address, with its old contents; 0 when the pool is empty. */
export function takePage(pool: Pool): usize {
  let head = headOf(pool);
  while (true) {
    const page = <u32>head;
    if (!page) return 0;
    // Another worker may take the page before the exchange, which then fails; the link read here is then discarded.
    const seen = exchanged(pool, head, load<u32>(linkOf(pool, page)));
    if (seen == head) {
      atomic.add<i32>(changetype<usize>(pool) + offsetof<Pool>('free'), -1);
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
  atomic.add<i32>(changetype<usize>(pool) + offsetof<Pool>('free'), 1);
}
