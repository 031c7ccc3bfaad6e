// Devices of the library call: the one that models share, and errors of the GPU as exceptions.
/// <reference types="@webgpu/types" />
import { GltfError, messageOf } from '../errors';

/** Opens a GPU of this package. @param threads undefined: the number of processor cores */
type CreateGpu = (options: { threads?: number; extensions: true }) => unknown;

const WANTED = ['extended-sample-counts', 'shading-rate'];

/** Devices that models share, by their number of threads. A device is opened again after it was lost or destroyed. */
const SHARED = new Map<number | undefined, SharedDevice>();

class SharedDevice {
  readonly opening: Promise<GPUDevice>;
  readonly #threads: number | undefined;
  #users = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(create: CreateGpu, threads: number | undefined) {
    this.#threads = threads;
    this.opening = openDevice(create, threads);
    const forget = (): void => this.#forget();
    this.opening.then(({ lost }) => lost.then(forget), forget);
  }

  #forget(): void {
    if (SHARED.get(this.#threads) === this) SHARED.delete(this.#threads);
  }

  /** @param idleMs see `useSharedDevice`. Returns a function that ends the use; later calls have no effect */
  use(idleMs: number | null): () => void {
    clearTimeout(this.#timer);
    this.#users++;
    let isUsing = true;
    return () => {
      if (!isUsing) return;
      isUsing = false;
      if (--this.#users > 0 || idleMs === null) return;
      this.#timer = setTimeout(() => {
        this.#forget();
        void this.opening.then((device) => device.destroy());
      }, idleMs);
    };
  }
}

/**
 * Opens the device of this package that models share, or adds a user to it. Rejections are those of the device.
 * @param idleMs how long the device outlives its last user, with its workers; null: as long as the process or page
 */
export function useSharedDevice(
  create: CreateGpu,
  threads: number | undefined,
  idleMs: number | null
): { device: Promise<GPUDevice>; release: () => void } {
  let shared = SHARED.get(threads);
  if (!shared) {
    shared = new SharedDevice(create, threads);
    SHARED.set(threads, shared);
  }
  return { device: shared.opening, release: shared.use(idleMs) };
}

async function openDevice(create: CreateGpu, threads: number | undefined): Promise<GPUDevice> {
  const gpu = create({ extensions: true, ...(threads === undefined ? {} : { threads }) }) as GPU;
  try {
    const adapter = await gpu.requestAdapter();
    if (!adapter) throw new Error('there is no adapter');
    const { maxTextureDimension2D, maxBufferSize } = adapter.limits;
    return await adapter.requestDevice({
      // Rasterloom's own features: @webgpu/types only knows those of the specification.
      requiredFeatures: WANTED.filter((name) => adapter.features.has(name)) as unknown as GPUFeatureName[],
      requiredLimits: { maxTextureDimension2D, maxBufferSize },
    });
  } catch (error) {
    throw new GltfError(`No GPU is available: ${messageOf(error)}.`, { code: 'device', cause: error });
  }
}

/** The last work of each device. */
const LAST = new WeakMap<GPUDevice, Promise<unknown>>();

/**
 * Runs work on a device after all earlier work, so that errors can be told apart. Errors that it causes, immediately or
 * later, become exceptions.
 */
export function runOn<T>(device: GPUDevice, what: string, work: () => Promise<T>): Promise<T> {
  const turn = (LAST.get(device) ?? Promise.resolve()).then(() => withErrors(device, what, work));
  LAST.set(
    device,
    turn.catch(() => undefined)
  );
  return turn;
}

async function withErrors<T>(device: GPUDevice, what: string, work: () => Promise<T>): Promise<T> {
  watch(device);
  // Scopes are popped in reverse order: a lack of memory is reported before the validation errors that it causes.
  const filters = ['validation', 'internal', 'out-of-memory'] as const;
  for (const filter of filters) device.pushErrorScope(filter);
  const outcome = await work().then(
    (result) => ({ result }),
    (error: unknown) => ({ error })
  );
  let failure: string | undefined;
  for (const filter of [...filters].reverse()) {
    const error = await device.popErrorScope().catch(() => null);
    if (!error) continue;
    failure ??= filter === 'out-of-memory' ? 'the device has too little memory for it' : error.message;
  }
  // A failed pipeline rejects its promise; no scope gets the error.
  if ('error' in outcome && isPipelineError(outcome.error)) failure ??= messageOf(outcome.error);
  if (failure === undefined && LOST.has(device)) failure = 'the device was lost';
  if (failure !== undefined)
    throw new GltfError(`${what} failed: ${failure}.`, {
      code: 'device',
      cause: 'error' in outcome ? outcome.error : undefined,
    });
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

const isPipelineError = (error: unknown): boolean => (error as Error | null)?.name === 'GPUPipelineError';

/** Devices that were lost, of those that are watched. */
const LOST = new WeakSet<GPUDevice>();
const WATCHED = new WeakSet<GPUDevice>();

/** Remembers when a device is lost. Each device is watched once: it keeps all callbacks that wait for its end. */
function watch(device: GPUDevice): void {
  if (WATCHED.has(device)) return;
  WATCHED.add(device);
  void device.lost.then(() => LOST.add(device));
}
