// Runs a program on a device and on the model, call by call. Everything that the device returns must agree with the
// model.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mulberry32 } from '../support/floats';
import type { Renderer } from './model.device';
import {
  execute,
  Memory,
  ModelBuffer,
  ModelTexture,
  resolveInto,
  usesOf,
  writeTexels,
  type Slots,
} from './model.oracle';
import { BUFFERS, TEXTURES, type Call, type Command, type Step } from './model.program';
import { GPUBufferUsage } from '../support/flags';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MAP_READ = 1;
const MAP_WRITE = 2;
/** Time in which a promise must settle. */
const PATIENCE_MS = 20_000;

/**
 * Words by seed: noise, or small numbers close together, which are useful as indices. Those of `args` are indirect
 * draws with little work.
 */
function wordsOf(slot: number | null, seed: number, count: number): Uint32Array<ArrayBuffer> {
  const next = mulberry32(seed + 1);
  const small = seed % 3 === 0;
  const least = next() % 50;
  return Uint32Array.from({ length: count }, () => {
    const word = next();
    if (slot !== null && BUFFERS[slot]!.role === 'args') return word % 5 < 2 ? 0 : (word >>> 8) % 10;
    return small ? least + ((word >>> 8) % 8) : word;
  });
}

interface Mapping {
  readonly slot: number;
  readonly at: number;
  readonly writes: boolean;
  /** The contents of the range as of the call: nothing can change the buffer until it is unmapped. */
  readonly bytes: Uint8Array;
  /** The result of getMappedRange. */
  array: ArrayBuffer | null;
}
interface Recorded {
  readonly list: readonly Command[];
  readonly slots: Slots;
  readonly buffer: GPUCommandBuffer;
}
interface Awaited {
  readonly what: string;
  readonly settled: Promise<void>;
  isSettled: boolean;
}

export class Lockstep {
  private readonly memory = new Memory();
  private readonly buffers: GPUBuffer[];
  private readonly textures: GPUTexture[];
  /** By the buffer in the model. */
  private readonly mappings = new Map<ModelBuffer, Mapping>();
  private kept: Recorded[] = [];
  private readonly promises: Awaited[] = [];
  /** Numbers of promises in the order of their fulfillment. */
  private readonly order: number[] = [];
  private readonly expectedErrors: string[] = [];
  private readonly errors: string[] = [];
  private failure: Error | null = null;
  private isLost = false;
  /** All created resources, to be destroyed at the end. */
  private readonly made: (GPUBuffer | GPUTexture)[] = [];

  constructor(private readonly renderer: Renderer) {
    renderer.device.onuncapturederror = (event) => {
      event.preventDefault();
      this.errors.push(event.error.message);
    };
    void renderer.device.lost.then(({ reason, message }) =>
      this.check(this.isLost, () => `the device is lost (${reason}): ${message}`)
    );
    this.buffers = BUFFERS.map((_, slot) => this.keep(renderer.createBuffer(slot, false)));
    this.textures = TEXTURES.map((_, slot) => this.keep(renderer.createTexture(slot)));
    // While all words are 0, every triangle is too small to be visible.
    for (const [buffer, { role }] of BUFFERS.entries())
      if (role === 'data' || role === 'args') this.newBuffer({ buffer, destroys: false, mapped: true });
  }

  /** Throws the first difference. */
  async run(steps: readonly Step[]): Promise<void> {
    await this.perform(steps);
    await this.everySettled();
    await this.compareAll();
    this.throwFailure('at the end');
    for (const each of this.made) each.destroy();
    await patient(this.renderer.device.queue.onSubmittedWorkDone(), 'onSubmittedWorkDone');
    this.check(
      String(this.expectedErrors)
        === String(
          this.errors.map((message, i) =>
            message.includes(` ${this.expectedErrors[i]}: `) ? this.expectedErrors[i] : message
          )
        ),
      () => `errors were expected of ${String(this.expectedErrors)}, and came: ${this.errors.join('; ')}`
    );
    this.throwFailure('at the end');
  }

  /** Destroys the device after some steps: all promises settle, and later calls raise no errors. */
  async runLost(steps: readonly Step[], later: readonly Step[]): Promise<void> {
    await this.perform(steps);
    this.renderer.device.destroy();
    this.isLost = true;
    await this.perform(later);
    await this.everySettled();
    const { reason } = await patient(this.renderer.device.lost, 'device.lost');
    this.check(reason === 'destroyed', () => `device.lost says "${reason}"`);
    this.throwFailure('on the lost device');
  }

  private async perform(steps: readonly Step[]): Promise<void> {
    for (const [i, step] of steps.entries()) {
      try {
        if (step.call === 'wait') await this.wait(step.for);
        else this.call(step);
      } catch (error) {
        this.fail(error);
      }
      this.throwFailure(`at step ${i}, ${step.call}`);
    }
  }

  private fail(error: unknown): void {
    this.failure ??= error instanceof Error ? error : new Error(String(error));
  }

  private check(holds: boolean, message: () => string): void {
    if (!holds) this.fail(new Error(message()));
  }

  private keep<T extends GPUBuffer | GPUTexture>(made: T): T {
    this.made.push(made);
    return made;
  }

  private async wait(what: (Step & { call: 'wait' })['for']): Promise<void> {
    if (what === 'a microtask') await Promise.resolve();
    else if (what === 'a turn') await new Promise((turn) => setImmediate(turn));
    else if (what === 'a millisecond') await new Promise((timeout) => setTimeout(timeout, 1));
    else if (what === 'all promises') await this.everySettled();
    else {
      const oldest = this.promises.find(({ isSettled }) => !isSettled);
      if (oldest) await patient(oldest.settled, oldest.what);
    }
  }

  private async everySettled(): Promise<void> {
    // Reactions may map more buffers.
    for (let i = 0; i < this.promises.length; i++) await patient(this.promises[i]!.settled, this.promises[i]!.what);
    this.throwFailure('while promises are awaited');
  }

  private throwFailure(where: string): void {
    if (this.failure) throw new Error(`${where}: ${this.failure.message}`, { cause: this.failure });
  }

  private call(call: Call): void {
    switch (call.call) {
      case 'writeBuffer':
        return this.writeBuffer(call);
      case 'writeTexture':
        return this.writeTexture(call);
      case 'submit':
        return this.submit(call.lists.map((list) => this.record(list)));
      case 'encode':
        return void this.kept.push(this.record(call.list));
      case 'submit kept':
        return this.submitKept();
      case 'mapAsync':
        return this.mapAsync(call);
      case 'use':
        return this.use(call.buffer, call.seed);
      case 'unmap':
        return this.unmap(call.buffer);
      case 'destroy buffer':
        return this.destroyBuffer(call.buffer);
      case 'destroy texture':
        return this.destroyTexture(call.texture);
      case 'new buffer':
        return this.newBuffer(call);
      case 'new texture':
        return this.newTexture(call.texture, call.destroys);
      case 'replace what is destroyed': {
        for (const [buffer, { destroyed }] of this.memory.buffers.entries())
          if (destroyed) this.newBuffer({ buffer, destroys: true, mapped: false });
        for (const [texture, { destroyed }] of this.memory.textures.entries())
          if (destroyed) this.newTexture(texture, true);
        return;
      }
      case 'onSubmittedWorkDone':
        return this.follow('onSubmittedWorkDone', this.renderer.device.queue.onSubmittedWorkDone(), () => undefined);
      case 'forget pipelines':
        return this.renderer.forgetPipelines();
      case 'collect garbage':
        return collectGarbage();
    }
  }

  private forget(what: GPUBuffer | GPUTexture): void {
    const at = this.made.indexOf(what);
    if (at >= 0) this.made.splice(at, 1);
  }

  private expectError(call: string): void {
    if (!this.isLost) this.expectedErrors.push(call);
  }

  /** Neither destroyed nor mapped nor with a pending mapping. */
  private usable(buffer: ModelBuffer): boolean {
    return !buffer.destroyed && !this.mappings.has(buffer);
  }

  private writeBuffer({ buffer: slot, at, words, seed, scribble }: Call & { call: 'writeBuffer' }): void {
    const data = wordsOf(slot, seed, words + 3);
    const target = this.memory.buffers[slot]!;
    // From its second element on.
    this.renderer.device.queue.writeBuffer(this.buffers[slot]!, at, data, 1, words);
    if (!this.usable(target)) this.expectError('writeBuffer');
    else target.words.set(data.subarray(1, 1 + words), at / 4);
    if (scribble) data.fill(0xdeadbeef);
  }

  private writeTexture({ texture: slot, box, seed, scribble }: Call & { call: 'writeTexture' }): void {
    const [x, y, width, height] = box;
    const data = wordsOf(null, seed, width * height);
    const target = this.memory.textures[slot]!;
    this.renderer.device.queue.writeTexture(
      { texture: this.textures[slot]!, origin: [x, y] },
      data,
      { bytesPerRow: width * 4 },
      [width, height]
    );
    if (target.destroyed) this.expectError('writeTexture');
    else writeTexels(target, box, data);
    if (scribble) data.fill(0xdeadbeef);
  }

  private record(list: readonly Command[]): Recorded {
    return {
      list,
      slots: this.memory.snapshot(),
      buffer: this.renderer.encode(list, { buffers: [...this.buffers], textures: [...this.textures] }),
    };
  }

  private submitKept(): void {
    const { kept } = this;
    this.kept = [];
    this.submit(kept);
  }

  private submit(recorded: readonly Recorded[]): void {
    this.renderer.device.queue.submit(recorded.map(({ buffer }) => buffer));
    const valid = recorded.every(({ list, slots }) =>
      list.every((command) => {
        const { buffers, textures } = usesOf(command);
        return (
          buffers.every((slot) => this.usable(slots.buffers[slot]!))
          && textures.every((slot) => !slots.textures[slot]!.destroyed)
        );
      })
    );
    if (!valid) this.expectError('submit');
    else for (const { list, slots } of recorded) for (const command of list) execute(command, slots);
  }

  /** Observes a promise; `done` runs in its reaction when it is fulfilled. */
  private follow(what: string, promise: Promise<unknown>, done: () => void, rejected?: string): void {
    const id = this.promises.length;
    const followed: Awaited = {
      what,
      isSettled: false,
      settled: promise
        .then(
          () => {
            followed.isSettled = true;
            this.check(rejected === undefined, () => `${what} should have been rejected: ${rejected}`);
            this.check(
              this.order.length === 0 || this.order.at(-1)! < id,
              () => `${what} (promise ${id}) is kept after promise ${this.order.at(-1)}, which was asked for later`
            );
            this.order.push(id);
            done();
          },
          (error: unknown) => {
            followed.isSettled = true;
            const { name } = error as DOMException;
            const expected = this.aborted.has(id) ? 'AbortError' : (rejected ?? 'AbortError');
            this.check(name === expected, () => `${what} is rejected with ${String(error)}, not with ${expected}`);
            if (rejected === undefined)
              this.check(
                this.aborted.has(id) || this.isLost,
                () => `${what} is aborted without a reason: ${String(error)}`
              );
          }
        )
        .catch((error: unknown) => this.fail(error)),
    };
    this.promises.push(followed);
  }
  /** Promises of mappings that were aborted before they were ready. */
  private readonly aborted = new Set<number>();
  private readonly promiseOf = new Map<Mapping, number>();
  /** Promises of mappings of destroyed buffers: rejected, but pending until the device's answer arrives. */
  private readonly refusedOf = new Map<ModelBuffer, number>();

  private mapAsync({ buffer: slot, at, bytes, then }: Call & { call: 'mapAsync' }): void {
    const buffer = this.memory.buffers[slot]!;
    const real = this.buffers[slot]!;
    const writes = BUFFERS[slot]!.role === 'upload';
    const what = `mapAsync(${writes ? 'WRITE' : 'READ'}, ${at}, ${bytes}) of buffer ${slot}`;
    const before = real.mapState;
    const promise = real.mapAsync(writes ? MAP_WRITE : MAP_READ, at, bytes);
    if (this.isLost) return this.follow(what, promise, () => undefined, 'AbortError');
    if (!this.usable(buffer)) {
      this.expectError('mapAsync');
      // A second one does not wait for the answer to the first.
      if (before === 'unmapped') this.refusedOf.set(buffer, this.promises.length);
      return this.follow(what, promise, () => undefined, 'OperationError');
    }
    const mapping: Mapping = { slot, at, writes, bytes: buffer.bytes.slice(at, at + bytes), array: null };
    this.mappings.set(buffer, mapping);
    this.promiseOf.set(mapping, this.promises.length);
    this.follow(what, promise, () => {
      if (this.mappings.get(buffer) === mapping && !this.isLost)
        this.check(real.mapState === 'mapped', () => `${what} is kept, but mapState is "${real.mapState}"`);
      for (const each of then) this.call(each);
    });
  }

  private use(slot: number, seed: number): void {
    const real = this.buffers[slot]!;
    const mapping = this.mappings.get(this.memory.buffers[slot]!);
    if (this.isLost || this.memory.buffers[slot]!.destroyed) return;
    this.check(
      (mapping === undefined) === (real.mapState === 'unmapped'),
      () => `buffer ${slot}: mapState is "${real.mapState}"`
    );
    if (mapping === undefined || real.mapState !== 'mapped') return;
    mapping.array ??= real.getMappedRange(mapping.at, mapping.bytes.length);
    const array = new Uint8Array(mapping.array);
    this.compare(`buffer ${slot}, mapped from ${mapping.at}`, array, mapping.bytes);
    const words = wordsOf(slot, seed, array.length / 4);
    const start = (seed % array.length) & ~3;
    const data = new Uint8Array(words.buffer).subarray(start);
    // The model has its own copy: what a reader writes stays in the range and is dropped with it.
    array.set(data, start);
    mapping.bytes.set(data, start);
  }

  private unmap(slot: number): void {
    const buffer = this.memory.buffers[slot]!;
    const real = this.buffers[slot]!;
    const before = real.mapState;
    real.unmap();
    this.endMapping(buffer, before, true);
    this.check(real.mapState === 'unmapped', () => `buffer ${slot} is unmapped, but mapState is "${real.mapState}"`);
  }

  private endMapping(buffer: ModelBuffer, before: GPUBufferMapState, keeps: boolean): void {
    const mapping = this.mappings.get(buffer);
    const refused = this.refusedOf.get(buffer);
    if (before === 'pending' && refused !== undefined) this.aborted.add(refused);
    if (mapping === undefined || this.isLost) return;
    this.mappings.delete(buffer);
    const id = this.promiseOf.get(mapping);
    if (before === 'pending') this.aborted.add(id!);
    if (mapping.array === null) return;
    const { array } = mapping;
    this.check(
      array.byteLength === 0,
      () => `buffer ${mapping.slot}: the mapped range is still there after the mapping's end`
    );
    if (mapping.writes && keeps) buffer.bytes.set(mapping.bytes, mapping.at);
  }

  private destroyBuffer(slot: number): void {
    const buffer = this.memory.buffers[slot]!;
    const before = this.buffers[slot]!.mapState;
    this.buffers[slot]!.destroy();
    this.endMapping(buffer, before, false);
    buffer.destroyed = true;
  }

  private destroyTexture(slot: number): void {
    this.textures[slot]!.destroy();
    this.memory.textures[slot]!.destroyed = true;
  }

  private newTexture(slot: number, destroys: boolean): void {
    if (destroys) this.destroyTexture(slot);
    // A resource without references may be collected at any time, but not while queued work uses it.
    else this.forget(this.textures[slot]!);
    this.memory.textures[slot] = new ModelTexture(TEXTURES[slot]!);
    this.textures[slot] = this.keep(this.renderer.createTexture(slot));
  }

  private newBuffer({ buffer: slot, destroys, mapped }: Omit<Call & { call: 'new buffer' }, 'call'>): void {
    const { role, size } = BUFFERS[slot]!;
    if (destroys) this.destroyBuffer(slot);
    else this.forget(this.buffers[slot]!);
    const buffer = (this.memory.buffers[slot] = new ModelBuffer(size));
    this.buffers[slot] = this.keep(this.renderer.createBuffer(slot, mapped));
    if (!mapped) return;
    this.mappings.set(buffer, { slot, at: 0, writes: true, bytes: new Uint8Array(size), array: null });
    // If no call maps it, it stays mapped.
    if (role === 'read' || role === 'upload') return;
    this.use(slot, slot + 1);
    this.unmap(slot);
  }

  private compare(what: string, given: Uint8Array, expected: Uint8Array): void {
    if (Buffer.compare(given, expected) === 0) return;
    const at = expected.findIndex((byte, i) => byte !== given[i]);
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(at, at + 8)).toString('hex');
    const count = expected.reduce((sum, byte, i) => sum + Number(byte !== given[i]), 0);
    this.fail(
      new Error(
        `${what}: ${given.length} bytes, of which ${count} differ; from ${at} on they are ${hex(given)}, `
          + `not ${hex(expected)}`
      )
    );
  }

  /** Reads all remaining contents through buffers that the program does not use. */
  private async compareAll(): Promise<void> {
    if (this.failure) return;
    for (const slot of BUFFERS.keys()) this.unmap(slot);
    const reads = [...this.readBuffers(), ...this.readTextures()];
    await Promise.all(
      reads.map(async ({ what, buffer, expected, row, pitch }) => {
        await patient(buffer.mapAsync(MAP_READ), what);
        const bytes = new Uint8Array(buffer.getMappedRange());
        const given = new Uint8Array(expected.length);
        for (let i = 0; i * row < expected.length; i++) given.set(bytes.subarray(i * pitch, i * pitch + row), i * row);
        this.compare(what, given, expected);
      })
    );
  }

  private *readBuffers(): Generator<Read> {
    const { device } = this.renderer;
    for (const [slot, { role, size }] of BUFFERS.entries()) {
      const { destroyed, bytes } = this.memory.buffers[slot]!;
      // Buffers that can be read only by mapping are compared while they are mapped.
      if (destroyed) continue;
      if (role === 'read') {
        yield { what: `buffer ${slot}`, buffer: this.buffers[slot]!, expected: bytes, row: size, pitch: size };
        continue;
      }
      const buffer = this.keep(device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }));
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(this.buffers[slot]!, 0, buffer, 0, size);
      device.queue.submit([encoder.finish()]);
      yield { what: `buffer ${slot}`, buffer, expected: bytes, row: size, pitch: size };
    }
  }

  private *readTextures(): Generator<Read> {
    const { device } = this.renderer;
    for (const [slot, { format, width, height, samples }] of TEXTURES.entries()) {
      let texture = this.textures[slot]!;
      let model = this.memory.textures[slot]!;
      if (model.destroyed || (samples === 4 && format === 'depth32float')) continue;
      const encoder = device.createCommandEncoder();
      if (samples === 4) {
        const from = texture.createView();
        const all = model;
        texture = this.keep(this.renderer.createTexture(0));
        model = new ModelTexture(TEXTURES[0]!);
        resolveInto(all, model);
        encoder
          .beginRenderPass({
            colorAttachments: [{ view: from, resolveTarget: texture.createView(), loadOp: 'load', storeOp: 'store' }],
          })
          .end();
      }
      const pitch = Math.ceil((width * 4) / 256) * 256;
      const buffer = this.keep(
        device.createBuffer({ size: pitch * height, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
      );
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: pitch }, [width, height]);
      device.queue.submit([encoder.finish()]);
      yield { what: `texture ${slot}`, buffer, expected: new Uint8Array(model.words.buffer), row: width * 4, pitch };
    }
  }
}
interface Read {
  readonly what: string;
  readonly buffer: GPUBuffer;
  readonly expected: Uint8Array;
  /** Significant bytes of a row, and the distance between rows. */
  readonly row: number;
  readonly pitch: number;
}

async function patient<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const never = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} does not settle within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([promise, never]);
  } finally {
    clearTimeout(timer);
  }
}
