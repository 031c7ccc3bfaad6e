// Traces the calling thread's work for the queue: passes, their waits for pages, writes and copies.
import { clockMs } from '../../base/clock';
import type { Trace } from '../../schedule';
import type { RenderDevice, TextureStore, Work } from '../types';

/** Traces a pass and its steps. */
export class TracedWork implements Work {
  private began = -1;
  /** When the pass began to wait for pages; -1 if it does not wait. */
  private waitBegan = -1;

  constructor(
    private readonly work: Work,
    private readonly trace: Trace,
    private readonly name: string
  ) {}

  get waits(): boolean {
    return this.work.waits === true;
  }

  step(deadline: number): boolean {
    const { work, trace, name } = this;
    const now = clockMs();
    if (this.began < 0) this.began = now;
    if (this.waitBegan >= 0) trace.passed('wait for pages', 'wait', this.waitBegan, { pass: name });
    this.waitBegan = -1;
    try {
      const isDone = work.step(deadline);
      if (isDone) trace.passed(name, 'pass', this.began);
      else if (work.waitsForPages) this.waitBegan = clockMs();
      return isDone;
    } finally {
      trace.did(`step of ${name}`, 'queue', now);
    }
  }
}

const bytesOf = (value: unknown): number => (value instanceof Uint8Array ? value.length : 0);
const sizeOf = (value: unknown): string => (value as readonly number[]).join('×');
const labelOf = (value: unknown): string => (value as { readonly texture: TextureStore }).texture.shape.label;

type Call = (...args: unknown[]) => unknown;
/** The trace arguments of each traced method, by name. */
const calls: Readonly<Record<string, (...args: readonly unknown[]) => Record<string, string | number>>> = {
  writeBuffer: (_buffer, offset, data) => ({ offset: offset as number, bytes: bytesOf(data) }),
  clearBuffer: (_buffer, offset, bytes) => ({ offset: offset as number, bytes: bytes as number }),
  copyBufferToBuffer: (_source, _from, _target, _to, bytes) => ({ bytes: bytes as number }),
  writeTexture: (target, _data, _row, _rows, size) => ({ texture: labelOf(target), size: sizeOf(size) }),
  copyBufferToTexture: (_source, target, size) => ({ texture: labelOf(target), size: sizeOf(size) }),
  copyTextureToBuffer: (source, _target, size) => ({ texture: labelOf(source), size: sizeOf(size) }),
  copyTextureToTexture: (source, _target, size) => ({ texture: labelOf(source), size: sizeOf(size) }),
};

/** Wraps `device` so that its writes and copies appear in the trace. */
export function traceCalls(device: RenderDevice, trace: Trace): void {
  const methods = device as unknown as Record<string, Call>;
  for (const [name, describe] of Object.entries(calls)) {
    const call = methods[name]!.bind(device);
    methods[name] = (...args) => {
      const began = clockMs();
      const result = call(...args);
      trace.did(name, 'upload', began, describe(...args));
      return result;
    };
  }
}
