// Device memory in which workgroups run: one COMPUTE UNIT per worker, including its warps. The dispatches of a job use
// it one after the other, each with the layout in its COMPUTE STEP.
import { alignUp } from '../../base/bits';
import { ComputeStep, Job, Warp, WarpLanes } from '../../../build/layout';
import type { Allocator } from '../../memory';
import { UNIT_BYTES } from '../../schedule';
import { ScratchBuffer } from '../memory/scratch-buffer';
import type { Workspace } from '../workspace/workspace';

/** The sizes of what a dispatch needs in a unit. */
interface UnitShape {
  readonly warps: number;
  readonly fileBytes: number;
  readonly resourceBytes: number;
  readonly workgroupBytes: number;
}

/** Writes the COMPUTE STEP fields with the unit's layout. Returns the bytes of the unit. */
export function placeInUnit(
  { warps, fileBytes, resourceBytes, workgroupBytes }: UnitShape,
  put: (field: number, value: number) => void
): number {
  const fileAt = alignUp(Warp.bytes, 64);
  const lanesAt = fileAt + fileBytes;
  const warpBytes = alignUp(lanesAt + WarpLanes.bytes, 64);
  const workgroupAt = UNIT_BYTES + alignUp(resourceBytes, 64);
  const warpsAt = workgroupAt + alignUp(workgroupBytes, 64);
  put(ComputeStep.workgroupAt, workgroupAt);
  put(ComputeStep.warpsAt, warpsAt);
  put(ComputeStep.warpBytes, warpBytes);
  put(ComputeStep.fileAt, fileAt);
  put(ComputeStep.lanesAt, lanesAt);
  return warpsAt + warps * warpBytes;
}

export class ComputeSpace {
  private readonly piece: ScratchBuffer;

  constructor(
    allocator: Allocator,
    private readonly workspace: Workspace
  ) {
    this.piece = new ScratchBuffer(allocator, 'workgroups');
  }

  /** Frees the memory, which no dispatch needs now. Returns whether there was any. */
  release(): boolean {
    return this.piece.release();
  }

  /**
   * Provides a unit of `unitBytes` for each worker, and writes the addresses to the JOB record. Throws
   * OutOfMemoryError.
   */
  provide(unitBytes: number): void {
    const { workspace } = this;
    const { threads } = workspace;
    workspace.put(Job.units, this.piece.reserve(threads * unitBytes));
    workspace.put(Job.unitCount, threads);
    workspace.put(Job.unitBytes, unitBytes);
  }
}
