// A dispatch that reads streamed textures. Workgroups write while they run, so everything that a job of workgroups may
// write is copied before the job begins. If the job reads non-resident pages, its writes are undone, and it is replayed
// once the pages are resident. The result has the same bits as if they had always been resident. A job whose pages do
// not fit into the textures' budgets is split in half.
import { Misses, Statistics } from '../../../build/layout';
import type { Allocator } from '../../memory';
import type { CommandMemory } from '../memory/command-memory';
import { WaitingTiles } from './waiting-tiles';
import type { WaitCounts, Stream } from '../resources/streams';
import { WriteBackup, type Writer } from './write-backup';
import type { Workspace } from '../workspace/workspace';

/** Maximum number of missed pages that a worker notes in a job. The replay finds the others. */
const MAX_PAGES = 4096;
/** The number under which all workgroups of the current job wait together. */
const JOB = 0;

interface StreamedDispatchParts {
  readonly memory: WebAssembly.Memory;
  readonly allocator: Allocator;
  readonly workspace: Workspace;
  readonly late: WaitCounts;
}

export class StreamedDispatch {
  readonly pages: WaitingTiles;
  private readonly writeBackup: WriteBackup;
  private misses: readonly number[] = [];

  constructor(
    private readonly parts: StreamedDispatchParts,
    readonly streams: readonly Stream[],
    pass: number
  ) {
    this.pages = new WaitingTiles(parts.memory, streams, parts.late, () => 'one workgroup');
    this.writeBackup = new WriteBackup(parts, 'saved results of a dispatch that waits for pages');
    for (const stream of streams) stream.begin(pass);
  }

  /** Allocates a MISSES record for each worker. Returns the address of the first one, and their distance in bytes. */
  provide(commands: CommandMemory): { readonly address: number; readonly bytes: number } {
    const bytes = (Misses.bytes + MAX_PAGES * 4 + 63) & ~63;
    const { threads } = this.parts.workspace;
    const address = commands.take(threads * bytes);
    this.misses = Array.from({ length: threads }, (_, index) => address + index * bytes);
    return { address, bytes };
  }

  /** Starts a job whose shader may write. Throws OutOfMemoryError. */
  begin(writer: Writer): void {
    // A replayed job begins with the restored contents, so the copy is still valid.
    if (!this.pages.isWaiting) this.writeBackup.save([writer]);
    const words = new Uint32Array(this.parts.memory.buffer);
    for (const misses of this.misses) {
      words[(misses + Misses.waits) >>> 2] = words[(misses + Misses.count) >>> 2] = 0;
      words[(misses + Misses.limit) >>> 2] = MAX_PAGES;
    }
    this.pages.beginReads();
  }

  /** Called when the job has run. Returns false if its writes were undone. */
  ended(): boolean {
    const {
      pages,
      misses,
      parts: { memory, workspace },
    } = this;
    const words = new Uint32Array(memory.buffer);
    const entries = new Set<number>();
    let waits = false;
    for (const record of misses) {
      if (words[(record + Misses.waits) >>> 2] !== 0) waits = true;
      const first = (record + Misses.entries) >>> 2;
      for (const entry of words.subarray(first, first + words[(record + Misses.count) >>> 2]!)) entries.add(entry);
    }
    if (waits) pages.note(JOB, [...entries]);
    else for (const entry of entries) pages.noteSubstituted(entry);
    pages.jobEnded();
    if (!waits) return true;
    this.writeBackup.restore();
    const all = new Uint8Array(memory.buffer);
    for (let index = 0; index < workspace.threads; index++)
      all.fill(0, workspace.workers.statisticsOf(index), workspace.workers.statisticsOf(index) + Statistics.flags);
    return false;
  }

  /** Called when the dispatch is done or has failed. */
  end(): void {
    this.writeBackup.free();
    this.pages.end();
  }
}
