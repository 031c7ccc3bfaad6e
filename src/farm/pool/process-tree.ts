// Processes that a process has started, and their resident memory. Only Linux tells them without another program.
import { readdirSync, readFileSync } from 'node:fs';

/** All processes below a process; none on systems without /proc. */
export function descendantsOf(pid: number): number[] {
  const found: number[] = [];
  const open = [pid];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const children = childrenOf(each);
    found.push(...children);
    open.push(...children);
  }
  return found;
}

/** Ends all processes below a process. */
export function killDescendants(pid: number): void {
  for (const each of descendantsOf(pid)) {
    try {
      process.kill(each, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
}

/** Processes that any thread of a process has started. */
function childrenOf(pid: number): number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) => readNumbers(`/proc/${pid}/task/${thread}/children`));
}

/** Resident memory of a process in bytes, 0 if it has ended; undefined on systems without /proc. */
export function residentBytes(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const [, pages = 0] = readNumbers(`/proc/${pid}/statm`);
  return pages * PAGE_BYTES;
}

function readNumbers(path: string): number[] {
  try {
    return readFileSync(path, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    // The process or thread has ended.
    return [];
  }
}

/** Bytes of a page, from the same figure in pages and in bytes, which may change a little between the two readings. */
const PAGE_BYTES = pageBytes();

function pageBytes(): number {
  const [, pages = 0] = readNumbers(`/proc/${process.pid}/statm`);
  const average = process.memoryUsage.rss() / Math.max(1, pages);
  return [65536, 16384].find((bytes) => average > bytes / 2) ?? 4096;
}
