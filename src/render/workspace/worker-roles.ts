// Which workers take part in a chunk, and what they run: by their kinds, by budgets, and by the workers that the
// pipelines of the chunk name. Their memory is allocated before the pass begins, so that no worker waits for another.
import { EXECUTOR_NO_TASKS, EXECUTOR_NO_TILES } from '../../../assembly/layout/job/job-codes';
import { ExecutorRecord, Geometry } from '../../../build/layout';
import type { WorkerKind } from '../budgets';
import type { Words } from '../memory/words';
import type { WorkerSet } from '../pipeline/pipeline-types';
import type { WorkerRecords } from './worker-records';

/** Memory for inputs that wait for stages, in parts of `bytes`, one for each of `holders` workers. */
interface InputMemory {
  readonly address: number;
  readonly bytes: number;
  readonly holders: number;
}

/** Whether two draw calls run on the same workers. */
export const sameWorkers = (a: WorkerSet, b: WorkerSet): boolean =>
  a === b || (a !== null && b !== null && a.size === b.size && [...a].every((worker) => b.has(worker)));

export class WorkerRoles {
  private inputs: InputMemory = { address: 0, bytes: 0, holders: 1 };
  private assigned: WorkerSet = null;

  constructor(
    private readonly kinds: readonly WorkerKind[],
    private readonly workers: WorkerRecords,
    private readonly words: Words
  ) {}

  /** Prepares for a pass. All workers take part until `assign` says otherwise. */
  begin(inputs: InputMemory): void {
    this.inputs = inputs;
    this.write(null);
  }

  /** Sets which workers take part in the next chunk. */
  assign(set: WorkerSet): void {
    if (!sameWorkers(set, this.assigned)) this.write(set);
  }

  /** Of the workers that may run geometry, the first ones do, up to the number that have memory for it. */
  private write(set: WorkerSet): void {
    const { address, bytes, holders } = this.inputs;
    const { u32 } = this.words.now();
    this.assigned = set;
    let taken = 0;
    this.kinds.forEach((kind, index) => {
      const takesPart = set?.has(index) ?? true;
      const rank = takesPart && kind !== 'pixels' && taken < holders ? taken++ : -1;
      // The calling thread uses the first worker's records. If that worker has no memory for inputs, it uses another
      // worker's, which is safe because it then works alone.
      const geometry = this.workers.own(index, ExecutorRecord.geometry);
      u32[(geometry + Geometry.stageInputs) >>> 2] = address && address + Math.max(0, rank) * bytes;
      u32[(this.workers.executorOf(index) + ExecutorRecord.flags) >>> 2] =
        (rank < 0 ? EXECUTOR_NO_TASKS : 0) | (takesPart && kind !== 'vertices' ? 0 : EXECUTOR_NO_TILES);
    });
  }
}
