// State that the objects of a device share: the renderer, the queue, the error scopes, and whether the device is lost.

import { isNamed } from '../../base/errors';
import { labelled } from '../../base/printable';
import type { RenderDevice } from '../../render/types';
import type { QueueEntry, WorkQueue } from '../../schedule';
import type { Engine } from './engine';
import { GPUUncapturedErrorEvent, lostSlot, makeError, isHandled, type ErrorKind, type GPUError } from './errors';
import type { ReadImage } from './image-source';
import type { Labelled } from '../idl/interface';
import type { Limits } from './limits';
import { MappedRanges } from './mapped-ranges';

/**
 * A call that breaks a rule of WebGPU. Validation throws it; the API function catches it and reports it to the error
 * scope.
 */
export class Refusal extends Error {}

interface ErrorScope {
  readonly filter: ErrorKind;
  error: GPUError | null;
}

class Task implements QueueEntry {
  readonly #act: () => void;
  readonly keeps: ApiObject | null;
  readonly bytes: number;
  constructor(act: () => void, keeps: ApiObject | null, bytes: number) {
    this.#act = act;
    this.keeps = keeps;
    this.bytes = bytes;
  }
  step(): boolean {
    this.#act();
    return true;
  }
}

/** The engine, and the renderer that it made for one device. */
export interface OpenedEngine {
  readonly engine: Engine;
  readonly render: RenderDevice;
}

export class DeviceCore implements Labelled {
  label: string;
  readonly features: ReadonlySet<string>;
  readonly limits: Limits;
  readonly engine: Engine;
  readonly render: RenderDevice;
  readonly queue: WorkQueue;
  readonly mapped = new MappedRanges();
  readonly lost: Promise<object>;
  /** Dispatches an event to the listeners; set by GPUDevice. */
  dispatch: (event: Event) => void = () => undefined;
  #lostReason: 'unknown' | 'destroyed' | null = null;
  #resolveLost: (info: object) => void = () => undefined;
  readonly #scopes: ErrorScope[] = [];
  /** Reads images of the platform. */
  readonly readImage: ReadImage;

  constructor(
    label: string,
    features: ReadonlySet<string>,
    limits: Limits,
    { engine, render }: OpenedEngine,
    readImage: ReadImage
  ) {
    this.label = label;
    this.features = features;
    this.limits = limits;
    this.engine = engine;
    this.render = render;
    this.readImage = readImage;
    this.queue = new engine.WorkQueue(
      (error) => this.#workFailed(error),
      undefined,
      (held) => render.hold(held),
      () => render.block()
    );
    render.wake = () => this.queue.wake();
    render.fault = (message) => this.reportUncaptured('validation', message);
    render.fail = (message) => this.reportUncaptured('internal', message);
    this.lost = new Promise((resolve) => (this.#resolveLost = resolve));
  }

  get isLost(): boolean {
    return this.#lostReason !== null;
  }

  /** Whether destroy() was called, which unmaps all buffers. */
  get wasDestroyed(): boolean {
    return this.#lostReason === 'destroyed';
  }

  get called(): string {
    return describe('Device', this.label);
  }

  pushScope(filter: ErrorKind): void {
    this.#scopes.push({ filter, error: null });
  }

  /** Ends the innermost scope and returns its first error or null; undefined if no scope is open. */
  popScope(): GPUError | null | undefined {
    const scope = this.#scopes.pop();
    return scope === undefined ? undefined : scope.error;
  }

  /**
   * Reports an error to the innermost scope that filters for its kind, or else to the device's listeners. A lost device
   * reports nothing.
   */
  report(kind: ErrorKind, message: string): void {
    if (this.isLost) return;
    const error = makeError(kind, message);
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const scope = this.#scopes[i]!;
      if (scope.filter !== kind) continue;
      scope.error ??= error;
      return;
    }
    queueMicrotask(() => this.#uncaptured(error));
  }

  /**
   * Reports an error found while a pass runs to the device's listeners. Scopes that are open now do not apply to it.
   */
  reportUncaptured(kind: ErrorKind, message: string): void {
    if (!this.isLost) queueMicrotask(() => this.#uncaptured(makeError(kind, message)));
  }

  #uncaptured(error: GPUError): void {
    const event = new GPUUncapturedErrorEvent('uncapturederror', { error, cancelable: true });
    this.dispatch(event);
    if (!isHandled(event)) console.warn(`Rasterloom: uncaptured ${error.constructor.name}: ${error.message}`);
  }

  /** Runs a call. If it is refused or memory is exhausted, reports the error and returns undefined. */
  guard<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      if (error instanceof Refusal) this.report('validation', error.message);
      else if (isNamed(error, 'OutOfMemoryError')) this.report('out-of-memory', error.message);
      else throw error;
      return undefined;
    }
  }

  lose(reason: 'unknown' | 'destroyed', message: string): void {
    if (this.#lostReason !== null) return;
    this.#lostReason = reason;
    if (reason === 'destroyed') this.mapped.detachAll();
    this.queue.close();
    this.render.destroy();
    // Promises of earlier calls settle first, so that their errors are seen before the loss.
    this.engine.later(() => this.#resolveLost(lostSlot.make({ reason, message })));
  }

  #workFailed(error: unknown): void {
    if (isNamed(error, 'OutOfMemoryError')) this.report('out-of-memory', error.message);
    else if (isNamed(error, 'DeviceLostError')) this.lose('unknown', error.message);
    else {
      // This is a bug in Rasterloom. Losing the device settles the application's promises; the log keeps the stack
      // trace.
      console.error(error);
      const message = error instanceof Error ? error.message : String(error);
      this.lose(
        'unknown',
        isNamed(error, 'InternalError') ? message : `internal error (a bug in Rasterloom, please report it): ${message}`
      );
    }
  }

  /**
   * Runs `act` in queue order. Until then, `keeps` stays alive and `bytes` count as queued memory. Does nothing if the
   * device is lost.
   */
  enqueue(act: () => void, keeps: ApiObject | null, bytes = 0): void {
    this.queue.push(new Task(act, keeps, bytes));
  }

  push(entry: QueueEntry): void {
    this.queue.push(entry);
  }
}

export function describe(kind: string, label: string): string {
  return `[${labelled(kind, label)}]`;
}

/** The implementation of a GPU object. If its creation failed, it is invalid, and so is every object made from it. */
export class ApiObject implements Labelled {
  readonly device: DeviceCore;
  readonly kind: string;
  label: string;
  readonly valid: boolean;
  /** Makes garbage collection account for the object's memory; see freeWithCore. */
  ballast: ArrayBuffer | null = null;

  constructor(device: DeviceCore, kind: string, label: string, valid: boolean) {
    this.device = device;
    this.kind = kind;
    this.label = label;
    this.valid = valid;
  }

  /** Kind and label, as in messages. */
  get called(): string {
    return describe(this.kind, this.label);
  }
}

/** An object, or a call that creates one, as messages name it. */
export interface Named {
  readonly called: string;
}

/** Reports a mistake of the caller. */
export type Fail = (message: string) => never;

/** Refuses `call` on `who`. */
export function refuse(who: Named, call: string, message: string): never {
  throw new Refusal(`${who.called} ${call}: ${message}`);
}

/** Requires that `object` is valid and belongs to `device`, to be used in `call` on `who`. */
export function requireUsable(object: ApiObject, who: Named, device: DeviceCore, call: string): void {
  if (object.device !== device)
    refuse(
      who,
      call,
      `${object.called} belongs to another device (${object.device.called}); use objects of one device together`
    );
  if (!object.valid)
    refuse(who, call, `${object.called} is invalid, because its creation failed; the error reported then says why`);
}

interface Destroyable {
  destroy(): void;
}
const forgotten = new FinalizationRegistry<Destroyable>((store) => store.destroy());

/**
 * The ballast is the store's size shifted right by this; smaller stores than MIN_BALLAST_STORE_BYTES bytes get none.
 */
const BALLAST_SHIFT = 3;
const MIN_BALLAST_STORE_BYTES = 4096;

/**
 * Frees the store's memory when `core` is no longer reachable. Queued work references the cores that it uses.
 *
 * The JavaScript engine sees only a small object and no reason to collect it: 10 000 dropped textures of 256 KiB filled
 * a device before the first collection. The core therefore holds an ArrayBuffer of an eighth of the store's `bytes`. It
 * is never accessed, so none of its pages is committed, but the garbage collector counts it. V8 collects after 64 MiB
 * of such buffers, which is half a GiB of stores.
 */
export function freeWithCore(core: ApiObject, store: Destroyable, bytes: number): void {
  forgotten.register(core, store, core);
  if (bytes < MIN_BALLAST_STORE_BYTES) return;
  try {
    core.ballast = new ArrayBuffer(bytes >>> BALLAST_SHIFT);
  } catch {
    // Without address space for the ballast, garbage collection only happens later.
  }
}
/** Cancels freeWithCore; destroy() calls it because it frees the store itself. */
export function cancelFreeWithCore(core: ApiObject): void {
  forgotten.unregister(core);
  core.ballast = null;
}
