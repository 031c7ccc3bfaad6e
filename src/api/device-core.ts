// What the objects of a device share: the renderer behind it, its queue, its error scopes and whether it is lost.

import { DeviceLostError } from '../base/lost';
import { InternalError } from '../base/assert';
import { labelled } from '../base/printable';
import { Weakly } from '../base/weakly';
import { OutOfMemoryError } from '../memory';
import type { RenderDevice } from '../render/types';
import { later, WorkQueue, type QueueEntry } from '../schedule';
import { GPUUncapturedErrorEvent, lostSlot, makeError, wasSeen, type ErrorKind, type GPUError } from './errors';
import type { ShaderProgram } from './front-end';
import type { ReadImage } from './image-source';
import type { Labelled } from './interface';
import type { Limits } from './limits';
import { MappedRanges } from './mapped-ranges';

/**
 * A rule of WebGPU that a call breaks. Thrown by validation, caught at the border of the call, reported to the error
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

export class DeviceCore implements Labelled {
  label: string;
  readonly features: ReadonlySet<string>;
  readonly limits: Limits;
  readonly render: RenderDevice;
  readonly queue: WorkQueue;
  /** By their texts. */
  readonly programs = new Weakly<ShaderProgram>();
  readonly mapped = new MappedRanges();
  readonly lost: Promise<object>;
  /** Set by GPUDevice: dispatches to its listeners. */
  dispatch: (event: Event) => void = () => undefined;
  #lostReason: 'unknown' | 'destroyed' | null = null;
  #resolveLost: (info: object) => void = () => undefined;
  readonly #scopes: ErrorScope[] = [];
  /** Reads the platform's images. */
  readonly readImage: ReadImage;

  constructor(
    label: string, features: ReadonlySet<string>, limits: Limits, render: RenderDevice, readImage: ReadImage
  ) {
    this.label = label;
    this.features = features;
    this.limits = limits;
    this.render = render;
    this.readImage = readImage;
    this.queue = new WorkQueue(
      (error) => this.#workFailed(error), undefined, (held) => render.hold(held), () => render.block()
    );
    render.wake = () => this.queue.wake();
    render.fault = (message) => this.reportLate('validation', message);
    render.fail = (message) => this.reportLate('internal', message);
    this.lost = new Promise((resolve) => (this.#resolveLost = resolve));
  }

  get isLost(): boolean {
    return this.#lostReason !== null;
  }

  /** By destroy(), which unmaps all buffers. */
  get wasDestroyed(): boolean {
    return this.#lostReason === 'destroyed';
  }

  get called(): string {
    return describe('Device', this.label);
  }

  pushScope(filter: ErrorKind): void {
    this.#scopes.push({ filter, error: null });
  }

  /** Ends the innermost scope and gives its first error, if any; undefined when there is no scope. */
  popScope(): GPUError | null | undefined {
    const scope = this.#scopes.pop();
    return scope === undefined ? undefined : scope.error;
  }

  /**
   * Gives an error to the innermost scope that takes its kind, else to the device's listeners. A lost device tells
   * nothing.
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

  /** Tells the device's listeners of what a pass found out when it ran: no scope that is open now asked for it. */
  reportLate(kind: ErrorKind, message: string): void {
    if (!this.isLost) queueMicrotask(() => this.#uncaptured(makeError(kind, message)));
  }

  #uncaptured(error: GPUError): void {
    const event = new GPUUncapturedErrorEvent('uncapturederror', { error, cancelable: true });
    this.dispatch(event);
    if (!wasSeen(event)) console.warn(`Rasterloom: uncaptured ${error.constructor.name}: ${error.message}`);
  }

  /** Runs validation and what follows it; a refusal or a lack of memory is reported, and undefined is returned. */
  guard<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      if (error instanceof Refusal) this.report('validation', error.message);
      else if (error instanceof OutOfMemoryError) this.report('out-of-memory', error.message);
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
    // After the promises of calls that came before: what they found wrong is told first.
    later(() => this.#resolveLost(lostSlot.make({ reason, message })));
  }

  #workFailed(error: unknown): void {
    if (error instanceof OutOfMemoryError) this.report('out-of-memory', error.message);
    else if (error instanceof DeviceLostError) this.lose('unknown', error.message);
    else {
      // Our bug: the program's promises settle, and the trace is not lost.
      console.error(error);
      const message = error instanceof Error ? error.message : String(error);
      this.lose(
        'unknown',
        error instanceof InternalError ? message : `internal error (a bug in Rasterloom, please report it): ${message}`
      );
    }
  }

  /**
   * Does something in queue order; `keeps` is not collected before, and `bytes` are held until then. Lost devices do
   * nothing.
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

/** The core of a GPU object. One that could not be created is invalid, and makes invalid what is made of it. */
export class ApiObject implements Labelled {
  readonly device: DeviceCore;
  readonly kind: string;
  label: string;
  readonly valid: boolean;
  /** See freeWithCore. */
  ballast: ArrayBuffer | null = null;

  constructor(device: DeviceCore, kind: string, label: string, valid: boolean) {
    this.device = device;
    this.kind = kind;
    this.label = label;
    this.valid = valid;
  }

  /** Kind and label, as messages name it. */
  get called(): string {
    return describe(this.kind, this.label);
  }
}

/** Refuses `call` on `who`. */
export function refuse(who: { readonly called: string }, call: string, message: string): never {
  throw new Refusal(`${who.called} ${call}: ${message}`);
}

/** `object` must be valid and of the same device to be used in `call` on `who`. */
export function requireUsable(
  object: ApiObject, who: { readonly called: string }, device: DeviceCore, call: string
): void {
  if (object.device !== device)
    refuse(
      who, call,
      `${object.called} belongs to another device (${object.device.called}); use objects of one device together`
    );
  if (!object.valid)
    refuse(who, call, `${object.called} is invalid, because its creation failed; the error reported then says why`);
}

interface Destroyable {
  destroy(): void;
}
const forgotten = new FinalizationRegistry<Destroyable>((store) => store.destroy());

/** Share of a store's size that its ballast has, and the least store that gets one. */
const BALLAST_SHIFT = 3;
const BALLAST_LEAST = 4096;

/**
 * Gives the store's memory back when nothing can reach `core` any more. Queued work reaches the cores that it uses.
 *
 * The engine sees a small object and no reason to collect it: 10 000 dropped textures of 256 KiB filled a device before
 * the first collection. So the core holds an ArrayBuffer of an eighth of the store's `bytes`, which nobody touches (no
 * page of it is ever committed) but which the collector counts: V8 collects after 64 MiB of them, half a GiB of stores.
 */
export function freeWithCore(core: ApiObject, store: Destroyable, bytes: number): void {
  forgotten.register(core, store, core);
  if (bytes < BALLAST_LEAST) return;
  try {
    core.ballast = new ArrayBuffer(bytes >>> BALLAST_SHIFT);
  } catch {
    // No address space for it: collections are later, nothing else.
  }
}
/** For destroy(): the store is given back by the caller. */
export function keepCore(core: ApiObject): void {
  forgotten.unregister(core);
  core.ballast = null;
}
