// Device memory in which workgroups are run: a COMPUTE UNIT for each worker, with its warps.
import { ComputeUnit, Job, Warp, WarpLanes } from '../../build/layout';
import type { Allocator } from '../memory';
import { Piece, type Workspace } from './workspace';

const aligned = (bytes: number): number => (bytes + 63) & ~63;

export interface UnitShape {
  /** Address of the DISPATCH record. */
  readonly dispatch: number;
  readonly warps: number;
  readonly groupsPerWarp: number;
  readonly fileBytes: number;
  readonly resourceBytes: number;
  readonly workgroupBytes: number;
  /** MISSES of each worker; none where the program reads no streamed textures. */
  readonly misses: readonly number[];
}

export class ComputeSpace {
  private readonly piece: Piece;

  constructor(
    allocator: Allocator, private readonly memory: WebAssembly.Memory, private readonly workspace: Workspace
  ) {
    this.piece = new Piece(allocator, 'workgroups');
  }

  get bytes(): number { return this.piece.bytes; }

  /** Gives back what no dispatch needs now; whether there was any. */
  release(): boolean { return this.piece.release(); }

  /** A unit for each worker, and the JOB record names them. Throws OutOfMemoryError. */
  provide({ dispatch, warps, groupsPerWarp, fileBytes, resourceBytes, workgroupBytes, misses }: UnitShape): void {
    const { workspace } = this, { threads } = workspace;
    const fileAt = aligned(Warp.bytes), lanesAt = fileAt + fileBytes, warpBytes = aligned(lanesAt + WarpLanes.bytes);
    const resourcesAt = aligned(ComputeUnit.bytes), workgroupAt = resourcesAt + aligned(resourceBytes);
    const warpsAt = workgroupAt + aligned(workgroupBytes), unitBytes = warpsAt + warps * warpBytes;
    const first = this.piece.atLeast(threads * unitBytes), u32 = new Uint32Array(this.memory.buffer);
    for (let index = 0; index < threads; index++) {
      const unit = first + index * unitBytes;
      const put = (field: number, value: number): void => { u32[(unit + field) >>> 2] = value; };
      put(ComputeUnit.dispatch, dispatch);
      put(ComputeUnit.statistics, workspace.statisticsOf(index));
      put(ComputeUnit.warps, unit + warpsAt);
      put(ComputeUnit.warpBytes, warpBytes);
      put(ComputeUnit.fileAt, fileAt);
      put(ComputeUnit.lanesAt, lanesAt);
      put(ComputeUnit.resources, unit + resourcesAt);
      put(ComputeUnit.workgroup, unit + workgroupAt);
      put(ComputeUnit.misses, misses[index] ?? 0);
    }
    workspace.put(Job.units, first);
    workspace.put(Job.unitCount, threads);
    workspace.put(Job.unitBytes, unitBytes);
    workspace.put(Job.groupsPerWarp, groupsPerWarp);
  }
}
