// Statistics of a device since its creation: counters of the calling thread, and sums of the kernels' counters.
import { Statistics } from '../../../build/layout';

const FIELDS: Readonly<Record<string, number>> = {
  verticesUsed: Statistics.verticesUsed,
  verticesShaded: Statistics.verticesShaded,
  trianglesIn: Statistics.trianglesIn,
  trianglesCulledByFace: Statistics.trianglesCulledFace,
  trianglesCulledByArea: Statistics.trianglesCulledArea,
  trianglesCulledBetweenSamples: Statistics.trianglesCulledBetween,
  trianglesCulledOutside: Statistics.trianglesCulledOutside,
  trianglesCulledBehind: Statistics.trianglesCulledBehind,
  trianglesClipped: Statistics.trianglesClipped,
  trianglesBinned: Statistics.trianglesBinned,
  blocksClear: Statistics.blocksClear,
  blocksPlane: Statistics.blocksPlane,
  blocksPixel: Statistics.blocksPixel,
  blocksSample: Statistics.blocksSample,
  depthBlocksClear: Statistics.depthClear,
  depthBlocksPlane: Statistics.depthPlane,
  depthBlocksStored: Statistics.depthStored,
  quadsTested: Statistics.quadsTested,
  quadsHidden: Statistics.quadsHidden,
  blocksHidden: Statistics.blocksHidden,
  quadsShaded: Statistics.quadsShaded,
  lanesShaded: Statistics.lanesShaded,
  fragmentWarps: Statistics.warpsFragment,
  dividedWarps: Statistics.warpsDivided,
  vertexWarps: Statistics.warpsVertex,
  warpsParked: Statistics.warpsParked,
  warpsOvertaken: Statistics.warpsOvertaken,
  warpsReplayed: Statistics.warpsReplayed,
  warpsStopped: Statistics.warpsStopped,
  tilesParked: Statistics.tilesParked,
  tilesOverdue: Statistics.tilesOverdue,
  positionHazards: Statistics.positionHazards,
  pixelRuns: Statistics.pixelRuns,
  sampleRuns: Statistics.sampleRuns,
  sampleSets: Statistics.sampleSets,
  wholePixelSets: Statistics.wholeSets,
  dispatches: Statistics.dispatches,
  mergedDispatches: Statistics.mergedDispatches,
  tilesRun: Statistics.tilesRun,
  workgroups: Statistics.workgroups,
  invocations: Statistics.invocations,
  computeWarps: Statistics.warpsCompute,
  partsAfterBarriers: Statistics.partsAfterBarrier,
  tilesShared: Statistics.tilesShared,
  tilesJoined: Statistics.tilesJoined,
  blockWaits: Statistics.blockWaits,
  partWarps: Statistics.partWarps,
  atomics: Statistics.atomics,
  barriers: Statistics.barriers,
  bytesLoaded: Statistics.bytesLoaded,
  bytesStored: Statistics.bytesStored,
  workgroupBytesLoaded: Statistics.groupBytesLoaded,
  workgroupBytesStored: Statistics.groupBytesStored,
};
/** Counters of whole KiB that have been carried over from byte counters. */
const KIB_FIELDS: Readonly<Record<string, number>> = {
  bytesLoaded: Statistics.kibLoaded,
  bytesStored: Statistics.kibStored,
  workgroupBytesLoaded: Statistics.groupKibLoaded,
  workgroupBytesStored: Statistics.groupKibStored,
};
const KIB = 1024;
/** Number of counters in a STATISTICS record. */
const WORDS = Statistics.flags / 4;

export class Counters {
  /** Counted by the calling thread. */
  readonly totals = {
    passes: 0,
    chunks: 0,
    surfaceFaults: 0,
    tilesReplayed: 0,
    independentDraws: 0,
    foundIndependent: 0,
    chunksPrefetched: 0,
  };
  /** Sums of the workers' counters, in the order of a STATISTICS record. */
  readonly words = new Float64Array(WORDS);

  /** Adds the counters of a STATISTICS record. */
  add(counters: ArrayLike<number>): void {
    for (let i = 0; i < WORDS; i++) this.words[i]! += counters[i]!;
  }

  /** All counters by name. */
  read(): Record<string, number> {
    const of = (field: number | undefined): number => (field === undefined ? 0 : this.words[field / 4]!);
    return {
      ...this.totals,
      ...Object.fromEntries(
        Object.entries(FIELDS).map(([name, field]) => [name, of(field) + KIB * of(KIB_FIELDS[name])])
      ),
    };
  }
}
