// Extends the arena by another slab when one is full, for geometry that could only continue by starting again. The
// scheduler (src/schedule) decides how much a chunk may take and which tasks wait.
import { Arena, Job } from '../layout';

/** Number of bytes that the arena's owner may still take. */
function left(arena: Arena): i64 {
  return <i64>arena.allowed - arena.taken - (arena.cursor - arena.start);
}

// Takes the next free slab such that `kept` bytes remain after it. Returns 0 if there is none.
function takeSlab(job: Job, kept: u32): usize {
  const bytes = job.slabBytes;
  const word = changetype<usize>(job) + offsetof<Job>('slab');
  while (true) {
    const slab = atomic.load<u32>(word);
    if (<u64>slab + <u32>bytes + kept > <u64>(<u32>job.slabsEnd)) return 0;
    if (atomic.cmpxchg<u32>(word, slab, slab + bytes) == slab) return slab;
  }
}

/** Gives a full arena another slab. Returns whether it did. */
export function extendArena(arena: Arena): bool {
  const job = changetype<Job>(arena.job);
  if (!job) return false;
  // The task must stop here, or may use more of this slab.
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
