// GPUError and related classes: https://www.w3.org/TR/webgpu/#errors-and-debugging

import { dictionary, needArguments, required, text } from '../idl/idl';
import { errorReason } from '../idl/enums';
import { rejectConstruction, expose, slot } from '../idl/interface';

/** Lets the subclasses, which have public constructors, construct their base class. */
const subclass = Symbol('GPUError subclass');

export class GPUError {
  readonly #message: string;
  constructor(...args: unknown[]) {
    if (args[0] !== subclass) rejectConstruction(args);
    this.#message = String(args[1]);
  }
  get message(): string {
    return this.#message;
  }
}

const messageOf = (name: string, args: readonly unknown[]): string => {
  needArguments(`new ${name}`, args.length, 1);
  return text(args[0], `new ${name}: message`);
};
class GPUValidationError extends GPUError {
  constructor(...args: unknown[]) {
    super(subclass, messageOf('GPUValidationError', args));
  }
}
class GPUOutOfMemoryError extends GPUError {
  constructor(...args: unknown[]) {
    super(subclass, messageOf('GPUOutOfMemoryError', args));
  }
}
class GPUInternalError extends GPUError {
  constructor(...args: unknown[]) {
    super(subclass, messageOf('GPUInternalError', args));
  }
}

const pipelineErrorInit = dictionary('GPUPipelineErrorInit', { reason: required(errorReason) });
export class GPUPipelineError extends DOMException {
  readonly #reason: string;
  constructor(...args: unknown[]) {
    needArguments('new GPUPipelineError', args.length, 2);
    super(args[0] === undefined ? '' : text(args[0], 'new GPUPipelineError: message'), 'GPUPipelineError');
    this.#reason = pipelineErrorInit(args[1], 'new GPUPipelineError: options').reason;
  }
  get reason(): string {
    return this.#reason;
  }
}

/** Events whose `error` a listener has read. Reading it counts as handling, like preventDefault(). */
const seen = new WeakSet<Event>();
export const isHandled = (event: Event): boolean => event.defaultPrevented || seen.has(event);

function anyError(value: unknown, at: string): GPUError {
  if (value instanceof GPUError) return value;
  throw new TypeError(`${at} must be a GPUError`);
}
const uncapturedInit = dictionary('GPUUncapturedErrorEventInit', { error: required(anyError) });
export class GPUUncapturedErrorEvent extends Event {
  readonly #error: GPUError;
  constructor(...args: unknown[]) {
    needArguments('new GPUUncapturedErrorEvent', args.length, 2);
    super(text(args[0], 'new GPUUncapturedErrorEvent: type'), args[1] as EventInit);
    this.#error = uncapturedInit(args[1], 'new GPUUncapturedErrorEvent: options').error;
  }
  get error(): GPUError {
    seen.add(this);
    return this.#error;
  }
}

interface LostCore {
  readonly reason: 'unknown' | 'destroyed';
  readonly message: string;
}
export const lostSlot = slot<LostCore>('GPUDeviceLostInfo');
class GPUDeviceLostInfo {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  get reason(): string {
    return lostSlot.of(this).reason;
  }
  get message(): string {
    return lostSlot.of(this).message;
  }
}

expose('GPUError', GPUError, null);
expose('GPUValidationError', GPUValidationError, null);
expose('GPUOutOfMemoryError', GPUOutOfMemoryError, null);
expose('GPUInternalError', GPUInternalError, null);
expose('GPUPipelineError', GPUPipelineError, null);
expose('GPUUncapturedErrorEvent', GPUUncapturedErrorEvent, null);
expose('GPUDeviceLostInfo', GPUDeviceLostInfo, lostSlot);

export type ErrorKind = 'validation' | 'out-of-memory' | 'internal';
export function makeError(kind: ErrorKind, message: string): GPUError {
  if (kind === 'validation') return new GPUValidationError(message);
  return kind === 'out-of-memory' ? new GPUOutOfMemoryError(message) : new GPUInternalError(message);
}
