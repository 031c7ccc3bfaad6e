// Runs a program on a device and on the model, call by call. Everything that the device returns must agree with the
// model.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mulberry32 } from '../support/floats';
import { BUFFERS, TEXTURES, type Call, type Command, type Step } from './model.calls';
import { compareContents } from './model.contents';
import type { Renderer } from './model.device';
import { Findings } from './model.findings';
import { execute, Memory, ModelBuffer, ModelTexture, usesOf, writeTexels, type Slots } from './model.oracle';
import { FollowedPromises, patient } from './model.promises';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MAP_READ = 1;
const MAP_WRITE = 2;

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

export class Lockstep {
  private readonly memory = new Memory();
  private readonly buffers: GPUBuffer[];
  private readonly textures: GPUTexture[];
  /** By the buffer in the model. */
  private readonly mappings = new Map<ModelBuffer, Mapping>();
  private kept: Recorded[] = [];
  private readonly findings = new Findings();
  private readonly promises = new FollowedPromises(this.findings, () => this.isLost);
  /** Numbers of the promises of mappings. */
  private readonly promiseOf = new Map<Mapping, number>();
  /** Promises of mappings of destroyed buffers: rejected, but pending until the device's answer arrives. */
  private readonly refusedOf = new Map<ModelBuffer, number>();
  private readonly expectedErrors: string[] = [];
  private readonly errors: string[] = [];
  private isLost = false;
  /** All created resources, to be destroyed at the end. */
  private readonly made: (GPUBuffer | GPUTexture)[] = [];

  constructor(private readonly renderer: Renderer) {
    renderer.device.onuncapturederror = (event) => {
      event.preventDefault();
      this.errors.push(event.error.message);
    };
    void renderer.device.lost.then(({ reason, message }) =>
      this.findings.check(this.isLost, () => `the device is lost (${reason}): ${message}`)
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
    this.findings.throwFailure('at the end');
    for (const each of this.made) each.destroy();
    await patient(this.renderer.device.queue.onSubmittedWorkDone(), 'onSubmittedWorkDone');
    this.findings.check(
      String(this.expectedErrors)
        === String(
          this.errors.map((message, i) =>
            message.includes(` ${this.expectedErrors[i]}: `) ? this.expectedErrors[i] : message
          )
        ),
      () => `errors were expected of ${String(this.expectedErrors)}, and came: ${this.errors.join('; ')}`
    );
    this.findings.throwFailure('at the end');
  }

  /** Destroys the device after some steps: all promises settle, and later calls raise no errors. */
  async runLost(steps: readonly Step[], later: readonly Step[]): Promise<void> {
    await this.perform(steps);
    this.renderer.device.destroy();
    this.isLost = true;
    await this.perform(later);
    await this.everySettled();
    const { reason } = await patient(this.renderer.device.lost, 'device.lost');
    this.findings.check(reason === 'destroyed', () => `device.lost says "${reason}"`);
    this.findings.throwFailure('on the lost device');
  }

  private async perform(steps: readonly Step[]): Promise<void> {
    for (const [i, step] of steps.entries()) {
      try {
        if (step.call === 'wait') await this.wait(step.for);
        else this.call(step);
      } catch (error) {
        this.findings.fail(error);
      }
      this.findings.throwFailure(`at step ${i}, ${step.call}`);
    }
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
    else await this.promises.oldestSettled();
  }

  private async everySettled(): Promise<void> {
    await this.promises.everySettled();
    this.findings.throwFailure('while promises are awaited');
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
        return void this.promises.follow(
          'onSubmittedWorkDone',
          this.renderer.device.queue.onSubmittedWorkDone(),
          () => undefined
        );
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

  private mapAsync({ buffer: slot, at, bytes, then }: Call & { call: 'mapAsync' }): void {
    const buffer = this.memory.buffers[slot]!;
    const real = this.buffers[slot]!;
    const writes = BUFFERS[slot]!.role === 'upload';
    const what = `mapAsync(${writes ? 'WRITE' : 'READ'}, ${at}, ${bytes}) of buffer ${slot}`;
    const before = real.mapState;
    const promise = real.mapAsync(writes ? MAP_WRITE : MAP_READ, at, bytes);
    if (this.isLost) return void this.promises.follow(what, promise, () => undefined, 'AbortError');
    if (!this.usable(buffer)) {
      this.expectError('mapAsync');
      const refused = this.promises.follow(what, promise, () => undefined, 'OperationError');
      // A second one does not wait for the answer to the first.
      if (before === 'unmapped') this.refusedOf.set(buffer, refused);
      return;
    }
    const mapping: Mapping = { slot, at, writes, bytes: buffer.bytes.slice(at, at + bytes), array: null };
    this.mappings.set(buffer, mapping);
    const id = this.promises.follow(what, promise, () => {
      if (this.mappings.get(buffer) === mapping && !this.isLost)
        this.findings.check(real.mapState === 'mapped', () => `${what} is kept, but mapState is "${real.mapState}"`);
      for (const each of then) this.call(each);
    });
    this.promiseOf.set(mapping, id);
  }

  private use(slot: number, seed: number): void {
    const real = this.buffers[slot]!;
    const mapping = this.mappings.get(this.memory.buffers[slot]!);
    if (this.isLost || this.memory.buffers[slot]!.destroyed) return;
    this.findings.check(
      (mapping === undefined) === (real.mapState === 'unmapped'),
      () => `buffer ${slot}: mapState is "${real.mapState}"`
    );
    if (mapping === undefined || real.mapState !== 'mapped') return;
    mapping.array ??= real.getMappedRange(mapping.at, mapping.bytes.length);
    const array = new Uint8Array(mapping.array);
    this.findings.compare(`buffer ${slot}, mapped from ${mapping.at}`, array, mapping.bytes);
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
    this.findings.check(
      real.mapState === 'unmapped',
      () => `buffer ${slot} is unmapped, but mapState is "${real.mapState}"`
    );
  }

  private endMapping(buffer: ModelBuffer, before: GPUBufferMapState, keeps: boolean): void {
    const mapping = this.mappings.get(buffer);
    const refused = this.refusedOf.get(buffer);
    if (before === 'pending' && refused !== undefined) this.promises.abort(refused);
    if (mapping === undefined || this.isLost) return;
    this.mappings.delete(buffer);
    const id = this.promiseOf.get(mapping);
    if (before === 'pending') this.promises.abort(id!);
    if (mapping.array === null) return;
    const { array } = mapping;
    this.findings.check(
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

  private async compareAll(): Promise<void> {
    if (this.findings.hasFailed()) return;
    for (const slot of BUFFERS.keys()) this.unmap(slot);
    const { renderer, memory, buffers, textures } = this;
    await compareContents({ renderer, memory, buffers, textures, keep: (made) => this.keep(made) }, this.findings);
  }
}
