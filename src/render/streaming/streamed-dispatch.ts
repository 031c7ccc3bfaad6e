// A dispatch that reads streamed textures. Workgroups write while they run, so everything that a job of workgroups may
// write is copied before the job begins. If the job reads non-resident pages, its writes are undone, and it is replayed
// once the pages are resident. The result has the same bits as if they had always been resident. A job whose pages do
// not fit into the textures' budgets is split in half.
import { LateWork, Statistics } from '../../../build/layout';
import { MissLists, WaitingWork, type WaitCounts } from '../../late';
import type { Allocator } from '../../memory';
import type { CommandMemory } from '../memory/command-memory';
import type { Stream } from '../resources/streams';
import { WriteBackup, type Writer } from './write-backup';
import type { Workspace } from '../workspace/workspace';

/** The number under which all workgroups of the current job wait together. */
const JOB = 0;

interface StreamedDispatchParts {
  readonly memory: WebAssembly.Memory;
  readonly allocator: Allocator;
  readonly workspace: Workspace;
  readonly late: WaitCounts;
}

export class StreamedDispatch {
  readonly pages: WaitingWork;
  /** Address of the first worker's MISSES. */
  readonly records: number;
  private readonly writeBackup: WriteBackup;
  private readonly misses: MissLists;

  constructor(
    private readonly parts: StreamedDispatchParts,
    commands: CommandMemory,
    readonly streams: readonly Stream[],
    pass: number
  ) {
    const {
      memory,
      late,
      workspace: { threads },
    } = parts;
    this.records = commands.take(threads * MissLists.BYTES);
    this.misses = new MissLists(memory, this.records, threads);
    this.pages = new WaitingWork(memory, commands.take(LateWork.bytes), streams, late, () => 'one workgroup');
    this.pages.states.renew(JOB);
    this.writeBackup = new WriteBackup(parts, 'saved results of a dispatch that waits for pages');
    for (const stream of streams) stream.begin(pass);
  }

  /** Starts a job whose shader may write. Throws OutOfMemoryError. */
  begin(writer: Writer): void {
    // A replayed job begins with the restored contents, so the copy is still valid.
    if (!this.pages.isWaiting) this.writeBackup.save([writer]);
    this.misses.clear();
    this.pages.begins(JOB);
    this.pages.beginReads();
  }

  /** Called when the job has run. Returns false if its writes were undone. */
  ended(): boolean {
    const {
      pages,
      misses,
      parts: { memory, workspace },
    } = this;
    const { waits } = misses;
    const missed = misses.take();
    if (waits) pages.isUndone(JOB, missed);
    else {
      for (const entry of missed) pages.noteSubstituted(entry);
      pages.ends(JOB);
    }
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
