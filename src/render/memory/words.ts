// Typed views of a memory that may grow. They are recreated only when it has grown.

/** Device memory as words. */
export class Words {
  private buffer: ArrayBufferLike | null = null;
  u32 = new Uint32Array(0);
  f32 = new Float32Array(0);
  u8 = new Uint8Array(0);

  constructor(private readonly memory: WebAssembly.Memory) {}

  /** Updates the views to the current size of the memory. */
  now(): this {
    const { buffer } = this.memory;
    if (buffer === this.buffer) return this;
    this.buffer = buffer;
    this.u32 = new Uint32Array(buffer);
    this.f32 = new Float32Array(buffer);
    this.u8 = new Uint8Array(buffer);
    return this;
  }
}

/** Writes floats. TypedArray.set with a plain array takes several times as long. */
export function put(words: Float32Array, address: number, values: readonly number[]): void {
  for (let i = 0; i < values.length; i++) words[(address >>> 2) + i] = values[i]!;
}
