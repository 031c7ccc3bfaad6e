// More of the arena where a slab is full and there are others: geometry that could go on only from its beginning need
// not return for it. What the chunk may take, and who waits for whom, is the executor's to say (src/schedule).
import { Arena, Job } from '../layout';

/** Bytes that the arena's owner may still take. */
function left(arena: Arena): i64 { return <i64>arena.allowed - arena.taken - (arena.cursor - arena.start); }

// The next free slab, with `kept` bytes behind it; 0: there is none.
function takeSlab(job: Job, kept: u32): usize {
  const bytes = job.slabBytes;
  const word = changetype<usize>(job) + offsetof<Job>('slab');
  while (true) {
    const slab = ASC_FEATURE_THREADS ? atomic.load<u32>(word) : load<u32>(word);
    if (<u64>slab + <u32>bytes + kept > <u64>(<u32>job.slabsEnd)) return 0;
    if (!ASC_FEATURE_THREADS) {
      store<u32>(word, slab + bytes);
      return slab;
    }
    if (atomic.cmpxchg<u32>(word, slab, slab + bytes) == slab) return slab;
  }
}

/** Whether the arena, full, was given another slab. */
export function extendArena(arena: Arena): bool {
  const job = changetype<Job>(arena.job);
  if (!job) return false;
  // The task is to stop here, or may have more of this slab.
  if (left(arena) <= <i64>arena.slabEnd - arena.cursor) return false;
  const slab = takeSlab(job, arena.kept);
  if (!slab) return false;
  arena.taken += arena.cursor - arena.start;
  arena.start = <u32>slab;
  arena.cursor = <u32>slab;
  arena.slabEnd = <u32>slab + job.slabBytes;
  arena.end = <u32>min<i64>(arena.slabEnd, <i64>slab + left(arena));
  return true;
}
