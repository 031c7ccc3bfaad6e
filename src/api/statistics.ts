// The optional features "statistics" and "statistics-times" (design §9): a member of the device, and one of a render
// pass's descriptor, that WebGPU does not have. A program that does not ask for them in requestDevice sees a GPUDevice
// without them.
import type {
  LoadStoreStatistics, PartTimes, PassMemory, ProgramStatistics, RenderDevice, ShadingRateStatistics, StreamStatistics,
  WorkerWork,
} from '../render/types';
import type { SurfaceStatistics } from '../surface/surfaces';
import type { Device, RenderPassDescriptor, Texture, TextureView } from './declared';
import { refuse, requireUsable, type DeviceCore } from './device-core';
import { textureSlot } from './texture';

/**
 * Milliseconds of kernel time by part of the work: parts that are measured, and the work of fragment warps estimated
 * from one in eight.
 */
export type DeviceTimes = PartTimes;

/** Counted since the device was created. */
export interface DeviceStatistics {
  /**
   * Bytes of device memory: in use by resources, reserved from the engine, and the most that resources may take;
   * `passes`: of what is in use, that which passes took, by the names of `create({ budgets })`, and keep.
   */
  readonly memory: {
    readonly bytesUsed: number; readonly bytesReserved: number; readonly bytesBudget: number;
    readonly passes: PassMemory;
  };
  /**
   * Of passes that are done, by name. Each worker counts in 32 bits until its chunk of a render pass, or its dispatch,
   * is done, and these are the sums: of a count that goes beyond 2³² − 1 within one of them, 2³² are not in its sum.
   * - `passes`, `tilesRun`, `chunks`: render passes; tiles with something to draw; runs over the tiles of a pass.
   * - `verticesUsed`, `verticesShaded`, `vertexWarps`: different vertices that draws name, once an instance (once a
   *   batch of about a thousand for strips, lines and points, and for lists whose indices are far apart); invocations
   *   of vertex programs, in warps of up to 64.
   * - `trianglesIn`: primitives assembled, of which `trianglesClipped` were clipped. `trianglesBinned` reached tiles;
   *   the others were culled:
   *   `trianglesCulledByFace` (facing away), `ByArea` (none), `BetweenSamples`, `Outside` (the clip volume, viewport,
   *   scissor or target),
   *   `Behind` (the eye, or positions that are not finite). Here the pieces of a clipped triangle count each, and two
   *   for a line or point.
   * - `blocksClear`, `blocksPlane`, `blocksPixel`, `blocksSample`: 8×8 blocks of tiles run, as their tile was
   *   finished: no colour written; all
   *   samples of one triangle's shading at the tile's end; one colour a pixel; colours of samples stored one by one.
   *   `depthBlocksClear`,
   *   `depthBlocksPlane`, `depthBlocksStored`: the same blocks by where their depths were.
   * - `surfaceFaults`: accesses of multi-sample storage textures by shaders that were ignored: outside of the texture,
   *   or of samples that it does not have.
   * - `blocksHidden`: 8×8 blocks in which a triangle lay behind all that was there. `quadsTested`: pairs of a triangle
   *   and a 2×2 quad that it
   *   covers, at least in part, blocks hidden in part left out; of which `quadsHidden` had no sample that passed depth
   *   and stencil before
   *   the program. `quadsShaded`: groups of four lanes run, in `fragmentWarps`; `lanesShaded` of their lanes were
   *   fragment
   *   invocations, the others helpers or empty: lanesShaded / (4 · quadsShaded) is the share of lanes busy.
   * - `dividedWarps`: the fragment warps of pixels that hold several values in a multi-sample storage texture, of
   *   programs that load the samples of their own pixel in a loop: others go round it once.
   * - `warpsAside`: fragment warps that were put aside because they had to wait; `warpsOvertaken`: those of them that
   *   others were done before.
   *   In passes that read streamed textures, `warpsAside` waited for pages, or for others that did: `warpsReplayed` is
   *   how often they were run once more; `warpsSuspended`, how often one stopped in the middle of its program, to go on
   *   from there. `tilesKept`: tiles that stood meanwhile; of these `tilesOverdue` were taken up
   *   before others, since they had waited for long (`create({ scheduler })`).
   *   `chunksAhead`: chunks whose vertices were run while tiles of the one before waited, which is a matter of time.
   * - `tilesAgain`: runs of tiles that read pages of streamed textures which were not there, and were thrown away: the
   *   tile was run again when these had come. What it did the first time is in no other counter.
   * - `independentDraws`: draws whose fragments needed not follow those of others, or that stored vertices or
   *   primitives in any order; `foundIndependent`: those of them of which neither pipeline nor pass had said so, since
   *   their order cannot show.
   * - `tilesShared`: tiles that a worker has opened to others (`create({ distribution: 'any' })`), each time it has;
   *   `tilesJoined`: how often one came to them; `blockWaits`: how often one of those at a tile found all blocks taken
   *   in which it had something to do. These are a matter of time.
   * - `positionHazards`: 2×2 quads of draws that read the render target, which had to wait for another at their
   *   position.
   * - Of fragment programs of which a part is run for sets of samples, or behind coarse stages: `pixelRuns` and
   *   `sampleRuns`, invocations of the part of pixels and of that of samples; `sampleSets` that were found, of which
   *   `wholePixelSets` were all samples of a pixel; `dispatches` that went to the targets, and `mergedDispatches`, sets
   *   whose results were those of another of their pixel, with which they went. `lanesShaded` counts the runs of the
   *   part of samples.
   * - Of compute passes: `workgroups` run and their `invocations`, in `computeWarps` of up to 64 lanes:
   *   invocations / (64 · computeWarps) is the share of lanes busy before invocations part ways. Of programs with
   *   barriers: `partsBehindBarriers`, parts that workgroups came to after their first; `warpsOfParts`, warps run for
   *   parts, the first as well. Programs count these by themselves, on devices with this feature alone: `atomics`,
   *   atomic operations of invocations; `barriers` that workgroups came to; `bytesLoaded` from and `bytesStored` to
   *   buffers, and storage textures that a program may write, `workgroupBytesLoaded` and
   *   `workgroupBytesStored` of workgroup memory, by all invocations together: as the optimised program does it,
   *   without what is loaded once for a whole dispatch, without atomic operations, and without texels of textures.
   */
  readonly counters: Readonly<Record<string, number>>;
  /** What shaders load from and store to multi-sample storage textures, and how it goes to memory. */
  readonly loadStoreUnit: LoadStoreStatistics;
  /** Runs of fragment programs by shading rate; without rates all are at 1×1. */
  readonly shadingRates: ShadingRateStatistics;
  /** Worker threads that render; 0 where the calling thread does, as it does until they are up. */
  readonly workers: number;
  /** Of each of them, what it has done. Who does how much is a matter of time. */
  readonly work: readonly WorkerWork[];
  /**
   * Multi-sample textures, a plane each: what they cost by what they hold. While work is under way, of some moment of
   * it.
   */
  readonly surfaces: readonly SurfaceStatistics[];
  /** Of streamed textures: what their sources brought. */
  readonly streams: StreamStatistics;
  /** How pipelines are run, by which engine, and what compiling them took. */
  readonly programs: ProgramStatistics;
  /**
   * With the feature "statistics-times" alone, added up over all workers: n of them work up to n milliseconds in one.
   * Queue and API are not in them.
   */
  readonly times?: DeviceTimes;
}
/** What requestDevice({ requiredFeatures: ['statistics'] }) gives. */
export interface StatisticsDevice extends Device {
  statistics(): DeviceStatistics;
  /**
   * How a multi-sample texture's pixels are stored (of depth and stencil: the depth's) when the work submitted before
   * is done: a byte a pixel, row by row, 0: the clear value, 1: one value, 2: sets of samples with a value each, 3: a
   * value a sample. Rejects with the validation error for others, and with an Error when the texture is destroyed or
   * the device lost before.
   */
  encodingStates(texture: Texture): Promise<Uint8Array>;
}
/** With the feature "statistics". */
export interface StatisticsRenderPassMembers {
  /**
   * An r32uint texture (or view) of the size of the attachments, with usage RENDER_ATTACHMENT: each texel grows by one
   * for every invocation of a fragment program for that pixel. What draws over it later does not take it back; helper
   * lanes do not count. With shading rates, an invocation counts for each of the pixels whose samples it was run for:
   * the sum is that of pixels, and `shadingRates` in the statistics has how many threads they took.
   */
  invocationCounts?: Texture | TextureView;
}
export type StatisticsRenderPassDescriptor = RenderPassDescriptor & StatisticsRenderPassMembers;

export function installStatistics(device: object, core: DeviceCore, render: RenderDevice, times: boolean): void {
  render.measure(times);
  const statistics = (): DeviceStatistics => ({
    memory: render.memoryStatistics(), counters: render.statistics(), workers: render.workers,
    work: render.workStatistics(),
    shadingRates: render.shadingRateStatistics(), programs: render.programStatistics(),
    loadStoreUnit: render.loadStoreStatistics(), streams: render.streamStatistics(),
    surfaces: render.surfaceStatistics(), ...(times ? { times: render.times() } : {}),
  });
  const encodingStates = (value: unknown): Promise<Uint8Array> => new Promise((resolve, reject) => {
    const texture = textureSlot.find(value);
    if (texture === undefined) throw new TypeError('encodingStates: texture must be a GPUTexture');
    requireUsable(texture, texture, core, 'encodingStates');
    if (texture.descriptor.sampleCount === 1)
      refuse(texture, 'encodingStates', 'it has one sample; only multisampled textures are encoded');
    const fail = (why: string): void => reject(new Error(`${texture.called} encodingStates: ${why}`));
    const read = (): void => (texture.destroyed
      ? fail('it was destroyed')
      : resolve(render.surfaceStates(texture.store)));
    core.push({
      settles: true,
      step: () => {
        try {
          read();
        } catch (error) {
          reject(error);
        }
        return true;
      },
      dropped: () => fail('the device is lost'),
    });
  });
  Object.defineProperty(device, 'encodingStates', { value: encodingStates, enumerable: false, configurable: true });
  Object.defineProperty(device, 'statistics', { value: statistics, enumerable: false, configurable: true });
}
