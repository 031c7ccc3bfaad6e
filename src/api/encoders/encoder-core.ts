// State that a command encoder collects, independent of the passes that it opens.

import { isNamed } from '../../base/errors';
import type { BufferCore } from '../resources/buffer';
import { CommandBufferCore, Uses, type Command } from './command-buffer';
import type { Caller } from '../resources/copies';
import { DebugGroups } from './debug-groups';
import { ApiObject, Refusal, refuse, type DeviceCore } from '../core/device-core';

export class CommandEncoderCore extends ApiObject {
  readonly commands: Command[] = [];
  readonly uses = new Uses();
  readonly debugGroups = new DebugGroups();
  /** The open pass. No other command may be encoded while it is open. */
  #pass: ApiObject | null = null;
  #finished = false;
  /** The first error; finish() reports it. */
  #error: string | null = null;

  constructor(device: DeviceCore, label: string) {
    super(device, 'CommandEncoder', label, true);
  }

  /** Keeps the first error for finish(). */
  fail(message: string): void {
    this.#error ??= message;
  }
  get failed(): boolean {
    return this.#error !== null;
  }

  /** Encodes one command: checks the encoder's state, then calls `act`, which may refuse. */
  encode(call: string, act: () => void): void {
    if (this.#finished) {
      this.device.report('validation', `${this.called} ${call}: the encoder is finished; create a new one`);
      return;
    }
    try {
      if (this.#pass !== null) refuse(this, call, `${this.#pass.called} is open; call its end() first`);
      act();
    } catch (error) {
      if (isNamed(error, 'OutOfMemoryError')) this.device.report('out-of-memory', error.message);
      else if (!(error instanceof Refusal)) throw error;
      this.fail(error.message);
    }
  }

  lock(pass: ApiObject): void {
    this.#pass = pass;
  }
  /** Ends `pass`, which must be the open pass. A pass that was begun while another one was open never began. */
  endPass(pass: ApiObject): void {
    const no = (why: string): void => this.device.report('validation', `${pass.called} end: ${why}`);
    if (this.#finished) no(`${this.called} is finished already`);
    else if (this.#pass !== pass) no(`it was begun while another pass of ${this.called} was open`);
    else this.#pass = null;
  }

  finish(label: string): CommandBufferCore {
    const valid = this.device.guard(() => {
      if (this.#finished) refuse(this, 'finish', 'the encoder is finished already');
      this.#finished = true;
      if (this.#error !== null) throw new Refusal(this.#error);
      if (this.#pass !== null) refuse(this, 'finish', `${this.#pass.called} is still open; call its end() first`);
      if (this.debugGroups.open > 0)
        refuse(this, 'finish', `${this.debugGroups.open} debug group(s) are open; call popDebugGroup()`);
      return true;
    });
    const done = valid === true && !this.device.isLost;
    return new CommandBufferCore(this.device, label, done ? this.commands : [], done ? this.uses : new Uses(), done);
  }

  caller(call: string): Caller {
    return { device: this.device, caller: this, call, no: (message) => refuse(this, call, message) };
  }
  useBuffers(...buffers: BufferCore[]): void {
    for (const buffer of buffers) this.uses.buffers.add(buffer);
  }
}
