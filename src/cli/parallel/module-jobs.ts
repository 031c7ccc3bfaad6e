// Jobs of the farm for modules of the user's own, which are loaded once and share a device.
/// <reference types="@webgpu/types" />
import { quoted } from '../../base/printable';
import type { FarmCode } from '../../farm/codes';
import type { JobAnswer, JobShare, JobWork, ModuleWork } from '../../farm/jobs';
import { reasonOf } from '../../farm/pool/executor';
import type { RenderContext, RenderFunction } from '../../farm/types';
import { openGpu, type Gpu } from '../gpu';
import { writeWhole } from '../output-file';
import type { RenderEnvironment } from '../render/session';
import { hashOf } from '../resume/resume';
import { failureFor } from './failure';
import { Stopwatch } from './stopwatch';
import { watchParent } from './parent-watch';

/** What `rasterloom/gltf` needs of a device. */
const FEATURES = ['extended-sample-counts', 'shading-rate'];

/** A failed job. */
class JobFailure extends Error {
  readonly code: FarmCode;
  readonly retryable: boolean | undefined;

  constructor(message: string, code: FarmCode, retryable?: boolean) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}

export class ModuleJobs {
  readonly #environment: RenderEnvironment;
  readonly #functions = new Map<string, Promise<RenderFunction>>();
  #gpu: Promise<GPU> | undefined;
  #device: Promise<Gpu> | undefined;
  #isBusy = false;

  constructor(environment: RenderEnvironment) {
    this.#environment = environment;
  }

  /** Whether a function of a module is running. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  async run({ share, ...work }: Extract<JobWork, { kind: 'module' }>, signal: AbortSignal): Promise<JobAnswer> {
    await watchParent();
    const stopwatch = new Stopwatch();
    this.#isBusy = true;
    try {
      const render = await this.#load(work);
      const bytes = bytesOf(await call(render, work, this.#context(work, share, signal)), work.module);
      if (work.output !== undefined && bytes) await writeWhole(work.output, bytes, 'The output');
      return {
        sha256: hashOf(bytes ?? new Uint8Array()),
        bytes: bytes?.length ?? 0,
        ...(work.output === undefined ? bytes && { data: bytes } : { output: work.output }),
        stats: stopwatch.stats(),
      };
    } catch (error) {
      if (!(error instanceof JobFailure)) return failureFor(error, false);
      const { code, message, retryable } = error;
      return { code, message, ...(retryable === undefined ? {} : { retryable }) };
    } finally {
      this.#isBusy = false;
    }
  }

  close(): void {
    this.#device?.then(
      ({ device }) => device.destroy(),
      () => undefined
    );
  }

  /** @throws JobFailure */
  #load({ module, url }: ModuleWork): Promise<RenderFunction> {
    let render = this.#functions.get(url);
    if (!render) {
      render = load(module, url);
      this.#functions.set(url, render);
    }
    return render;
  }

  #context({ id, attempt, output, frames }: ModuleWork, share: JobShare, signal: AbortSignal): RenderContext {
    const { threads, memoryBytes } = share;
    const gpu = (): Promise<GPU> =>
      (this.#gpu ??= Promise.resolve(
        this.#environment.createGPU({ engine: 'auto', extensions: true, threads, memoryBudget: memoryBytes })
      ));
    return { id, attempt, output, frames, signal, threads, memoryBytes, gpu, device: () => this.#openDevice(gpu) };
  }

  async #openDevice(gpu: () => Promise<GPU>): Promise<GPUDevice> {
    const before = await this.#device?.catch(() => undefined);
    if (!before || before.isLost()) this.#device = openGpu(gpu, FEATURES);
    return (await this.#device!).device;
  }
}

/** Loads a module. @throws JobFailure */
async function load(name: string, url: string): Promise<RenderFunction> {
  let loaded: { render?: unknown };
  try {
    loaded = (await import(url)) as { render?: unknown };
  } catch (error) {
    throw new JobFailure(`The module ${quoted(name)} cannot be loaded: ${reasonOf(error)}.`, 'invalid-module');
  }
  if (typeof loaded.render !== 'function')
    throw new JobFailure(`The module ${quoted(name)} exports no function "render".`, 'invalid-module');
  return loaded.render as RenderFunction;
}

/** @throws JobFailure with what the function throws */
async function call(render: RenderFunction, { module, data }: ModuleWork, context: RenderContext): Promise<unknown> {
  try {
    return await render(data, context);
  } catch (error) {
    const { retryable } = Object(error) as { retryable?: unknown };
    throw new JobFailure(
      `The module ${quoted(module)} failed: ${reasonOf(error)}.`,
      'module',
      typeof retryable === 'boolean' ? retryable : undefined
    );
  }
}

/** @throws JobFailure */
function bytesOf(result: unknown, module: string): Uint8Array | undefined {
  if (result === undefined) return undefined;
  if (ArrayBuffer.isView(result)) return new Uint8Array(result.buffer, result.byteOffset, result.byteLength);
  if (result instanceof ArrayBuffer) return new Uint8Array(result);
  throw new JobFailure(
    `The module ${quoted(module)} must return bytes or nothing, not ${quoted(result)}.`,
    'invalid-module'
  );
}
