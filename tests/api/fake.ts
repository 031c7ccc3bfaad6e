// A test double for the RenderDevice interface: it records what the API passes to it, holds buffers in its own memory,
// and draws nothing.

import { Statistics } from '../../build/layout';
import { Trace } from '../../src/schedule';
import { defaultShaderLimits } from '../../src/base/shader-limits';
import { LoadStoreCounters } from '../../src/render/statistics/load-store';
import { RateCounters } from '../../src/render/statistics/rate-counters';
import type {
  BufferStore,
  DrawCommand,
  DynamicState,
  PassState,
  PipelineState,
  RenderDevice,
  TextureShape,
  TextureStore,
  ViewStore,
  Work,
} from '../../src/render/types';
import { globals, makeGpu } from '../../src/api';
import { opened } from '../support/engine';

export interface FakeDevice extends RenderDevice {
  /** One line per call that affects memory, in order. */
  readonly log: string[];
  readonly passes: PassState[];
  readonly pipelines: PipelineState[];
  /** Number of stores that exist. */
  alive: number;
  destroyed: boolean;
  /** Runs a pass; tests can replace it. */
  runPass: (state: PassState) => Work;
}

/** The draw calls of a pass, with their dynamic state. */
export const drawsOf = ({ runs }: PassState): (DrawCommand & DynamicState)[] =>
  runs.flatMap(({ dynamic, list, begin, end }) =>
    Array.from({ length: end - begin }, (_, i) => ({ ...list.at(begin + i), ...dynamic }))
  );

export function fakeDevice(): FakeDevice {
  const living = <T extends object>(store: T): T & { destroy(): void } => {
    fake.alive++;
    let alive = true;
    const destroy = (): void => {
      if (alive) fake.alive--;
      alive = false;
    };
    return Object.assign(store, { destroy });
  };
  const log: string[] = [];
  const fake: FakeDevice = {
    log,
    passes: [],
    pipelines: [],
    alive: 0,
    destroyed: false,
    workers: 0,
    wake: () => undefined,
    fault: () => undefined,
    fail: () => undefined,
    streamStatistics: () => ({
      pagesRequested: 0,
      pagesLoaded: 0,
      pagesFailed: 0,
      pagesCancelled: 0,
      pagesRetried: 0,
      pagesEvicted: 0,
      pageBytes: 0,
      parked: 0,
      undone: 0,
      replayed: 0,
      divided: 0,
      waiting: 0,
      stalls: { source: 0, loadLimit: 0, room: 0 },
    }),
    hold: () => undefined,
    block: () => false,
    budgets: { arenaBytes: null, stageInputBytes: null, vertexBytes: null, decodedBytes: 64 << 20 },
    minArenaBytes: () => 0,
    workerStatistics: () => [],
    texels: (texture) => new Uint8Array(texture.bytes),
    runPass: () => ({ step: () => true }),
    createBuffer: (size) => {
      const bytes = new Uint8Array(size);
      return living({ address: 0, size, bytes: () => bytes });
    },
    createTexture: (shape: TextureShape): TextureStore =>
      living({
        prefetch: () => Promise.resolve({ resident: 0, missing: 0 }),
        stop: () => undefined,
        shape,
        bytes: shape.width * shape.height * shape.depthOrArrayLayers * shape.sampleCount * shape.format.bytes,
      }),
    hints: { onPass: () => undefined, onShaders: () => undefined },
    createView: (texture, shape): ViewStore => ({ texture, shape, destroy: () => undefined }),
    createSampler: () => living({}),
    *createPipeline(state) {
      fake.pipelines.push(state);
      const flow = { stages: [], bytesCopied: 0, bytesMoved: 0, pixels: [] };
      return living({
        state,
        bytes: 4096,
        edges: [],
        registersOfStages: [],
        flow,
        compiled: [],
        inputBytes: 0,
        needsOrder: false,
        inputsOfStages: [],
      });
    },
    *createComputePipeline() {
      return living({ bytes: 4096, compiled: [] });
    },
    computePass: ({ dispatches }) => {
      log.push(`computePass ${dispatches.map(({ count }) => count.join('×')).join(' ')}`);
      return { step: () => true };
    },
    compile: () => void log.push('compile'),
    prepare: () => {
      log.push('prepare');
      return Promise.resolve();
    },
    writeBuffer: (buffer, offset, data) => {
      log.push(`writeBuffer ${offset} ${data.length}`);
      buffer.bytes().set(data, offset);
    },
    clearBuffer: (buffer, offset, size) => {
      log.push(`clearBuffer ${offset} ${size}`);
      buffer.bytes().fill(0, offset, offset + size);
    },
    copyBufferToBuffer: (source: BufferStore, from, target: BufferStore, to, size) => {
      log.push(`copyBufferToBuffer ${from} ${to} ${size}`);
      target.bytes().set(source.bytes().subarray(from, from + size), to);
    },
    writeTexture: (_target, data, bytesPerRow, rowsPerImage, size) =>
      void log.push(`writeTexture ${data.length} ${bytesPerRow} ${rowsPerImage} ${size.join('×')}`),
    copyBufferToTexture: (source, _target, size) =>
      void log.push(
        `copyBufferToTexture ${source.offset} ${source.bytesPerRow} ${source.rowsPerImage} ${size.join('×')}`
      ),
    copyTextureToBuffer: (_source, target, size) =>
      void log.push(
        `copyTextureToBuffer ${target.offset} ${target.bytesPerRow} ${target.rowsPerImage} ${size.join('×')}`
      ),
    copyTextureToTexture: (source, target, size) =>
      void log.push(`copyTextureToTexture ${source.origin.join()} ${target.origin.join()} ${size.join('×')}`),
    renderPass: (state) => {
      log.push(`renderPass ${drawsOf(state).length}`);
      fake.passes.push(state);
      return fake.runPass(state);
    },
    pipelineCache: null,
    // Constant folding of the tests' shaders needs none of the kernel's functions.
    shaderLimits: defaultShaderLimits,
    constantMath: { unary: (_name, x) => x, binary: (_name, x) => x },
    memoryStatistics: () => ({
      bytesUsed: 0,
      bytesReserved: 0,
      bytesBudget: 0,
      passes: { arenaBytes: 0, stageInputBytes: 0, vertexBytes: 0, decodedBytes: 0 },
    }),
    statistics: () => ({}),
    loadStoreStatistics: () => new LoadStoreCounters().read(),
    shadingRateStatistics: () => new RateCounters().read(new Float64Array(Statistics.flags / 4)),
    surfaceStatistics: () => [],
    surfaceStates: () => new Uint8Array(),
    programStatistics: () => ({
      engine: 'interpreter',
      compiled: 0,
      interpreted: fake.pipelines.length,
      emitted: 0,
      fromCache: 0,
      fromStore: 0,
      shared: 0,
      cachedModules: 0,
      keptBytes: 0,
      dropped: 0,
      moduleBytes: 0,
      functionTableSlots: 1,
      times: { emit: 0, compile: 0, instantiate: 0, warmUp: 0 },
      stages: [],
    }),
    startTrace: () => new Trace(0),
    measure: (times) => void log.push(`measure ${times}`),
    times: () => ({ vertex: 0, setup: 0, raster: 0, pack: 0, shade: 0, blend: 0, resolve: 0, prepare: 0, finish: 0 }),
    destroy: () => {
      fake.destroyed = true;
    },
  };
  return fake;
}

/** Creates a device of the API on a fake. Uncaptured errors fail the test that reads `uncaptured`. */
export async function apiDevice(
  descriptor?: GPUDeviceDescriptor
): Promise<{ device: GPUDevice; fake: FakeDevice; uncaptured: string[] }> {
  const fake = fakeDevice();
  const gpu = makeGpu(() => opened(fake));
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error('no adapter');
  const device = await adapter.requestDevice(descriptor);
  const uncaptured: string[] = [];
  device.onuncapturederror = (event) => void uncaptured.push(event.error.message);
  return { device, fake, uncaptured };
}

/** Returns the message of the first validation error of `run`, or null. */
export async function validationError(device: GPUDevice, run: () => unknown): Promise<string | null> {
  device.pushErrorScope('validation');
  run();
  return (await device.popErrorScope())?.message ?? null;
}

type Constructors = Record<string, { prototype: object }>;
export const classes = globals as unknown as Constructors;
