// The features "statistics" and "statistics-times": additional members of the device and of the render pass descriptor.
// Applications that do not request them in requestDevice() get a standard GPUDevice.
import type {
  LoadStoreStatistics,
  PartTimes,
  PassMemory,
  ProgramStatistics,
  RenderDevice,
  ShadingRateStatistics,
  StreamStatistics,
  WorkerStatistics,
} from '../../render/types';
import type { SurfaceStatistics } from '../../surface/surfaces';
import type { Device, RenderPassDescriptor, Texture, TextureView } from '../idl/declared';
import { refuse, requireUsable, type DeviceCore } from '../core/device-core';
import { textureSlot } from '../resources/texture';

/**
 * Kernel time in milliseconds by part of the work. The time of fragment warps is estimated from every eighth warp; the
 * other parts are measured.
 */
export type DeviceTimes = PartTimes;

/** Statistics since the creation of the device. */
export interface DeviceStatistics {
  /**
   * Device memory in bytes: used by resources, reserved from the engine, and the most that resources may use. `passes`
   * is the part of the used memory that passes have allocated and keep, by the names of `create({ budgets })`.
   */
  readonly memory: {
    readonly bytesUsed: number;
    readonly bytesReserved: number;
    readonly bytesBudget: number;
    readonly passes: PassMemory;
  };
  /**
   * Counters of all finished passes, by name. Each worker counts with 32 bits until its chunk of a render pass, or its
   * dispatch, has finished. A counter that exceeds 2³² − 1 in that time loses 2³².
   *
   * Render passes and vertices:
   *
   * - `passes`: render passes.
   * - `tilesRun`: tiles with something to draw.
   * - `chunks`: runs over the tiles of a pass.
   * - `verticesUsed`: distinct vertices that draw calls use, per instance. For strips, lines and points, and for lists
   *   whose indices are far apart, they are counted once per batch of about a thousand.
   * - `verticesShaded`: vertex shader invocations, in `vertexWarps` warps of up to 64.
   * - `trianglesIn`: assembled primitives. `trianglesClipped` of them were clipped.
   *
   * Culling (each piece of a clipped triangle counts separately, and a line or point counts as two):
   *
   * - `trianglesBinned`: triangles that reached tiles.
   * - `trianglesCulledByFace`: triangles that face away.
   * - `trianglesCulledByArea`: triangles without area.
   * - `trianglesCulledBetweenSamples`: triangles that cover no sample.
   * - `trianglesCulledOutside`: triangles outside the clip volume, viewport, scissor rectangle or attachments.
   * - `trianglesCulledBehind`: triangles behind the eye, or with positions that are not finite.
   *
   * Blocks of 8×8 pixels, when their tile has finished:
   *
   * - `blocksClear`: no colour was written.
   * - `blocksPlane`: all samples hold one triangle's shading at the end of the tile.
   * - `blocksPixel`: one colour per pixel.
   * - `blocksSample`: separate colours per sample.
   * - `depthBlocksClear`, `depthBlocksPlane`, `depthBlocksStored`: the same blocks by the state of their depths.
   *
   * Visibility and fragments:
   *
   * - `blocksHidden`: blocks in which a triangle was completely occluded.
   * - `quadsTested`: pairs of a triangle and a 2×2 quad that it covers at least in part, without partially hidden
   *   blocks.
   * - `quadsHidden`: those of them without a sample that passed the depth and stencil tests before the shader.
   * - `quadsShaded`: groups of four lanes that ran, in `fragmentWarps` warps.
   * - `lanesShaded`: their lanes that were fragment invocations; the others were helper invocations or empty. The share
   *   of busy lanes is lanesShaded / (4 · quadsShaded).
   * - `dividedWarps`: fragment warps with pixels that hold several values in a multisampled storage texture, of shaders
   *   that load the samples of their pixel in a loop. Other warps run the loop body once.
   * - `positionHazards`: 2×2 quads of draw calls with framebuffer fetch that waited for another quad at their position.
   * - `surfaceFaults`: ignored accesses to multisampled storage textures, outside the texture or its samples.
   *
   * Parked warps and streamed textures:
   *
   * - `warpsParked`: fragment warps that were parked. In passes that read streamed textures, they waited for pages, or
   *   for other warps that did.
   * - `warpsOvertaken`: parked warps that later warps overtook.
   * - `warpsReplayed`: repeated runs of parked warps.
   * - `warpsStopped`: warps that stopped in the middle of their shader and resumed there.
   * - `tilesParked`: tiles that were kept meanwhile.
   * - `tilesOverdue`: kept tiles that were resumed before others because they had waited too long
   *   (`create({ scheduler })`).
   * - `tilesReplayed`: runs of tiles that were discarded because pages were missing, and replayed later. Other counters
   *   do not include these runs.
   * - `chunksPrefetched`: chunks whose vertices ran while tiles of the previous chunk waited. Depends on timing.
   *
   * Order and shared tiles:
   *
   * - `independentDraws`: draw calls whose fragments could overtake others, or that stored vertices or primitives in
   *   any order.
   * - `foundIndependent`: those of them that neither the pipeline nor the pass declared so; their order cannot be
   *   observed.
   * - `tilesShared`: how often a worker opened a tile to others (`create({ distribution: 'any' })`). Depends on timing.
   * - `tilesJoined`: how often a worker joined such a tile. Depends on timing.
   * - `blockWaits`: how often a worker of a shared tile found all blocks with remaining work taken. Depends on timing.
   *
   * Fragment shaders with coarse or sample stages:
   *
   * - `pixelRuns`, `sampleRuns`: invocations of the pixel part and of the sample part. `lanesShaded` counts the sample
   *   part.
   * - `sampleSets`: sets of equal samples. `wholePixelSets` of them were all samples of a pixel.
   * - `dispatches`: dispatches that were sent to the render targets.
   * - `mergedDispatches`: sets whose results equalled those of another set of their pixel, and were sent with them.
   *
   * Compute passes:
   *
   * - `workgroups`: workgroups that ran, with `invocations` in `computeWarps` warps of up to 64 lanes. The share of
   *   busy lanes, without divergence, is invocations / (64 · computeWarps).
   * - `partsAfterBarriers`: parts of shaders that workgroups reached after their first part.
   * - `partWarps`: warps that ran for parts of shaders with barriers, including first parts.
   *
   * The following counters are compiled into shaders, only on devices with this feature. They count all invocations of
   * the optimised shader, without values loaded once per dispatch, atomic operations and texels of sampled textures.
   *
   * - `atomics`: atomic operations of invocations.
   * - `barriers`: barriers that workgroups reached.
   * - `bytesLoaded`, `bytesStored`: bytes of buffers, and of storage textures that a shader may write.
   * - `workgroupBytesLoaded`, `workgroupBytesStored`: bytes of workgroup memory.
   */
  readonly counters: Readonly<Record<string, number>>;
  /** Loads and stores of shaders in multisampled storage textures, and how they access memory. */
  readonly loadStoreUnit: LoadStoreStatistics;
  /** Fragment shader invocations by shading rate. Without shading rates, all of them are at 1×1. */
  readonly shadingRates: ShadingRateStatistics;
  /**
   * Number of worker threads that render; 0 if the calling thread renders, for example until the workers have started.
   */
  readonly workers: number;
  /** Work of each worker. Its distribution depends on timing. */
  readonly work: readonly WorkerStatistics[];
  /**
   * Memory of multisampled textures and how it is used, by plane. While work is running, the values are those of some
   * moment during it.
   */
  readonly surfaces: readonly SurfaceStatistics[];
  /** Statistics of all streamed textures: the pages that their sources delivered. */
  readonly streams: StreamStatistics;
  /** Pipelines by engine, and the cost of compiling them. */
  readonly programs: ProgramStatistics;
  /**
   * Kernel times, only with the feature "statistics-times", added up over all workers: n workers add up to n
   * milliseconds per millisecond. The queue and the API are not included. `prepare` and `finish` are times of the
   * calling thread, before the tasks of render passes and after their tiles.
   */
  readonly times?: DeviceTimes;
}
/** A device with the feature "statistics". */
export interface StatisticsDevice extends Device {
  /** Returns the statistics at the time of the call. */
  statistics(): DeviceStatistics;
  /**
   * Returns how the pixels of a multisampled texture are stored when all work submitted before has finished. The result
   * has one byte per pixel, row by row; for depth-stencil formats, it describes the depth.
   *
   * - 0: the clear value
   * - 1: one value
   * - 2: sets of samples with one value each
   * - 3: one value per sample
   *
   * Rejects with the validation error for other textures, and with an Error if the texture is destroyed or the device
   * is lost.
   */
  encodingStates(texture: Texture): Promise<Uint8Array>;
}
/** Additional members of a render pass's descriptor, with the feature "statistics". */
export interface StatisticsRenderPassMembers {
  /**
   * An r32uint texture (or view) of the size of the attachments, with usage RENDER_ATTACHMENT. Every fragment shader
   * invocation adds 1 to the texel of its pixel, even if it is overdrawn later. Helper invocations do not count. At
   * coarser shading rates, an invocation counts for each pixel whose samples it covers. The sum is then a number of
   * pixels; `shadingRates` in the statistics has the number of invocations.
   */
  invocationCounts?: Texture | TextureView;
}
export type StatisticsRenderPassDescriptor = RenderPassDescriptor & StatisticsRenderPassMembers;

export function installStatistics(device: object, core: DeviceCore, render: RenderDevice, times: boolean): void {
  render.measure(times);
  const statistics = (): DeviceStatistics => ({
    memory: render.memoryStatistics(),
    counters: render.statistics(),
    workers: render.workers,
    work: render.workerStatistics(),
    shadingRates: render.shadingRateStatistics(),
    programs: render.programStatistics(),
    loadStoreUnit: render.loadStoreStatistics(),
    streams: render.streamStatistics(),
    surfaces: render.surfaceStatistics(),
    ...(times ? { times: render.times() } : {}),
  });
  const encodingStates = (value: unknown): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      const texture = textureSlot.find(value);
      if (texture === undefined) throw new TypeError('encodingStates: texture must be a GPUTexture');
      requireUsable(texture, texture, core, 'encodingStates');
      if (texture.descriptor.sampleCount === 1)
        refuse(texture, 'encodingStates', 'it has one sample; only multisampled textures are encoded');
      const fail = (why: string): void => reject(new Error(`${texture.called} encodingStates: ${why}`));
      const read = (): void =>
        texture.destroyed ? fail('it was destroyed') : resolve(render.surfaceStates(texture.store));
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
