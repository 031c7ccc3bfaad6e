// GPUBuffer: https://www.w3.org/TR/webgpu/#buffers

import type { BufferStore } from '../../render/types';
import { BufferUsage, MapMode, flagNames } from '../idl/constants';
import { ApiObject, describe, freeWithCore, cancelFreeWithCore, refuse, type DeviceCore } from '../core/device-core';
import { boolean, dictionary, needArguments, optional, promising, required, text, u32, u64 } from '../idl/idl';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import { limitText } from '../core/limits';

interface MappedRange {
  readonly offset: number;
  readonly size: number;
  readonly array: ArrayBuffer;
  readonly known: WeakRef<ArrayBuffer>;
}
interface Mapping {
  readonly mode: 'read' | 'write';
  readonly offset: number;
  readonly size: number;
  readonly ranges: MappedRange[];
}
interface PendingMap {
  readonly reject: (error: Error) => void;
  /**
   * Whether the device has already refused the mapping, but the promise is not rejected yet. The device treats it as
   * unmapped.
   */
  readonly refused: boolean;
}

const operationError = (message: string): DOMException => new DOMException(message, 'OperationError');

export class BufferCore extends ApiObject {
  readonly size: number;
  readonly usage: number;
  readonly #store: BufferStore | null;
  destroyed = false;
  #mapping: Mapping | null = null;
  #pending: PendingMap | null = null;

  constructor(device: DeviceCore, label: string, size: number, usage: number, store: BufferStore | null) {
    super(device, 'Buffer', label, store !== null);
    this.size = size;
    this.usage = usage;
    this.#store = store;
    if (store !== null) freeWithCore(this, store, store.size);
  }

  /** Throws for invalid buffers. */
  get store(): BufferStore {
    if (this.#store === null) throw new TypeError('an invalid buffer has no memory');
    return this.#store;
  }

  get mapState(): GPUBufferMapState {
    if (this.#isMapped()) return 'mapped';
    return this.#pending !== null ? 'pending' : 'unmapped';
  }

  /** The reason why queued work must not use the buffer; null if it may. */
  get held(): 'mapped' | 'being mapped' | null {
    if (this.#isMapped()) return 'mapped';
    return this.#pending !== null && !this.#pending.refused ? 'being mapped' : null;
  }

  #isMapped(): boolean {
    // device.destroy() unmaps all buffers.
    return this.#mapping !== null && !this.device.wasDestroyed;
  }

  mapAtCreation(): void {
    this.#mapping = { mode: 'write', offset: 0, size: this.size, ranges: [] };
  }

  map(mode: number, offset: number, wanted: number | undefined): Promise<undefined> {
    if (this.mapState !== 'unmapped') {
      const reason = this.#isMapped()
        ? 'it is mapped already; call unmap() first'
        : 'a mapping is pending already; await its promise first';
      const message = `${this.called} mapAsync: ${reason}`;
      this.device.report('validation', message);
      return Promise.reject(operationError(message));
    }
    if (this.device.isLost)
      return this.#refused(new DOMException(`${this.called} mapAsync: the device is lost`, 'AbortError'));
    const size = wanted ?? Math.max(0, this.size - offset);
    let message = '';
    this.device.guard(() => {
      try {
        this.#checkMap(mode, offset, size);
      } catch (error) {
        message = (error as Error).message;
        throw error;
      }
    });
    if (message !== '') return this.#refused(operationError(message));
    return new Promise((resolve, reject) => this.#whenReached(mode, offset, size, resolve, reject));
  }

  /** A refused mapping is pending until the device answers, like any other mapping. Until then, unmap() aborts it. */
  #refused(error: Error): Promise<undefined> {
    return new Promise((_, reject) => {
      const pending: PendingMap = { reject, refused: true };
      this.#pending = pending;
      queueMicrotask(() => {
        if (this.#pending !== pending) return;
        this.#pending = null;
        reject(error);
      });
    });
  }

  #whenReached(
    mode: number,
    offset: number,
    size: number,
    resolve: (value: undefined) => void,
    reject: (error: Error) => void
  ): void {
    const pending: PendingMap = { reject, refused: false };
    this.#pending = pending;
    this.device.push({
      settles: true,
      step: () => {
        if (this.#pending !== pending) return true;
        this.#pending = null;
        this.#mapping = { mode: mode === MapMode.READ ? 'read' : 'write', offset, size, ranges: [] };
        resolve(undefined);
        return true;
      },
      dropped: () => this.#abort('the device was lost'),
    });
  }

  #abort(why: string): void {
    const pending = this.#pending;
    this.#pending = null;
    pending?.reject(new DOMException(`${this.called} mapAsync: ${why} before the mapping was ready`, 'AbortError'));
  }

  #checkMap(mode: number, offset: number, size: number): void {
    const no = (message: string): never => refuse(this, 'mapAsync', message);
    if (!this.valid) no('the buffer is invalid, because its creation failed');
    if (this.destroyed) no('the buffer is destroyed');
    if (mode !== MapMode.READ && mode !== MapMode.WRITE)
      no(`mode must be GPUMapMode.READ or GPUMapMode.WRITE, not ${mode}`);
    const needed = mode === MapMode.READ ? 'MAP_READ' : 'MAP_WRITE';
    if ((this.usage & BufferUsage[needed]) === 0)
      no(
        `mode ${needed.slice(4)} needs a buffer with usage ${needed}; this one has `
          + `${flagNames(this.usage, BufferUsage)}`
      );
    if (offset % 8 !== 0) no(`offset ${offset} is not a multiple of 8`);
    if (size % 4 !== 0) no(`size ${size} is not a multiple of 4`);
    if (offset + size > this.size) no(`offset ${offset} + size ${size} exceeds the buffer's size ${this.size}`);
  }

  range(offset: number, wanted: number | undefined): ArrayBuffer {
    const size = wanted ?? Math.max(0, this.size - offset);
    const no = (message: string): never => {
      throw operationError(`${this.called} getMappedRange: ${message}`);
    };
    const mapping = this.#mapping;
    if (mapping === null || !this.#isMapped())
      return no('the buffer is not mapped; await mapAsync() or create it with mappedAtCreation');
    if (offset % 8 !== 0) no(`offset ${offset} is not a multiple of 8`);
    if (size % 4 !== 0) no(`size ${size} is not a multiple of 4`);
    if (offset < mapping.offset || offset + size > mapping.offset + mapping.size)
      no(
        `range ${offset}…${offset + size} is outside the mapped range `
          + `${mapping.offset}…${mapping.offset + mapping.size}`
      );
    const other = mapping.ranges.find((range) => offset < range.offset + range.size && range.offset < offset + size);
    if (other !== undefined)
      no(
        `range ${offset}…${offset + size} overlaps ${other.offset}…${other.offset + other.size}, `
          + 'which an earlier getMappedRange() returned'
      );
    const array = new ArrayBuffer(size);
    if (this.#store !== null && !this.destroyed && !this.device.isLost)
      new Uint8Array(array).set(this.#store.bytes().subarray(offset, offset + size));
    mapping.ranges.push({ offset, size, array, known: this.device.mapped.add(array) });
    return array;
  }

  unmap(): void {
    this.#abort('unmap() was called');
    this.#endMapping();
  }

  #endMapping(): void {
    const mapping = this.#mapping;
    this.#mapping = null;
    if (mapping === null) return;
    for (const { offset, array, known } of mapping.ranges) {
      // Earlier work on the buffer has finished, and later work runs later. The bytes can therefore be written
      // immediately.
      if (
        mapping.mode === 'write'
        && this.#store !== null
        && !this.destroyed
        && !this.device.isLost
        && array.byteLength > 0
      )
        this.device.render.writeBuffer(this.#store, offset, new Uint8Array(array));
      this.device.mapped.detach(known);
    }
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#abort('destroy() was called');
    this.#endMapping();
    const store = this.#store;
    if (store === null) return;
    cancelFreeWithCore(this);
    this.device.enqueue(() => store.destroy(), null);
  }
}

export const bufferSlot = slot<BufferCore>('GPUBuffer');
class GPUBuffer {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  get size(): number {
    return bufferSlot.of(this).size;
  }
  get usage(): number {
    return bufferSlot.of(this).usage;
  }
  get mapState(): GPUBufferMapState {
    return bufferSlot.of(this).mapState;
  }
  mapAsync(...args: unknown[]): Promise<undefined> {
    return promising(() => {
      const core = bufferSlot.of(this);
      needArguments('mapAsync', args.length, 1);
      const offset = args[1] === undefined ? 0 : u64(args[1], 'mapAsync: offset');
      return core.map(
        u32(args[0], 'mapAsync: mode'),
        offset,
        args[2] === undefined ? undefined : u64(args[2], 'mapAsync: size')
      );
    });
  }
  getMappedRange(...args: unknown[]): ArrayBuffer {
    const core = bufferSlot.of(this);
    const offset = args[0] === undefined ? 0 : u64(args[0], 'getMappedRange: offset');
    return core.range(offset, args[1] === undefined ? undefined : u64(args[1], 'getMappedRange: size'));
  }
  unmap(): undefined {
    bufferSlot.of(this).unmap();
  }
  destroy(): undefined {
    bufferSlot.of(this).destroy();
  }
}
exposeLabelled('GPUBuffer', GPUBuffer, bufferSlot);

const descriptorOf = dictionary('GPUBufferDescriptor', {
  label: optional(text, ''),
  size: required(u64),
  usage: required(u32),
  mappedAtCreation: optional(boolean, false),
});

function checkDescriptor(device: DeviceCore, label: string, size: number, usage: number): void {
  const no = (message: string): never => refuse({ called: describe('Buffer', label) }, 'createBuffer', message);
  const all = Object.values(BufferUsage).reduce((a, b) => a | b, 0);
  if (usage === 0) no('usage is 0; set what the buffer is for, e.g. GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST');
  if ((usage & ~all) !== 0) no(`usage has unknown bits 0x${(usage & ~all).toString(16)}`);
  if ((usage & BufferUsage.MAP_READ) !== 0 && (usage & ~(BufferUsage.MAP_READ | BufferUsage.COPY_DST)) !== 0)
    no(
      `MAP_READ can only be combined with COPY_DST, not with ${flagNames(usage & ~9, BufferUsage)}; `
        + 'copy into a second buffer to read it'
    );
  if ((usage & BufferUsage.MAP_WRITE) !== 0 && (usage & ~(BufferUsage.MAP_WRITE | BufferUsage.COPY_SRC)) !== 0)
    no(
      `MAP_WRITE can only be combined with COPY_SRC, not with ${flagNames(usage & ~6, BufferUsage)}; `
        + 'copy from a second buffer, or use queue.writeBuffer'
    );
  if (size > device.limits.maxBufferSize)
    no(`size ${size} exceeds the device's ${limitText(device.limits, 'maxBufferSize')}`);
}

export function createBuffer(device: DeviceCore, value: unknown): object {
  const { label, size, usage, mappedAtCreation } = descriptorOf(value, 'createBuffer: descriptor');
  // A buffer whose creation fails is mapped nevertheless, with as many bytes outside the device's memory.
  if (mappedAtCreation && size > device.limits.maxBufferSize)
    throw new RangeError(`createBuffer: out of memory for ${size} bytes that are mapped at creation`);
  if (mappedAtCreation && size % 4 !== 0)
    throw new RangeError(`createBuffer: size ${size} of a buffer that is mapped at creation must be a multiple of 4`);
  const store = device.guard(() => {
    checkDescriptor(device, label, size, usage);
    return device.isLost
      ? null
      : device.render.createBuffer(Math.max(4, Math.ceil(size / 4) * 4), describe('Buffer', label));
  });
  const core = new BufferCore(device, label, size, usage, store ?? null);
  if (mappedAtCreation) core.mapAtCreation();
  return bufferSlot.make(core);
}
