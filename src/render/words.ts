// Views of a memory that may grow, made anew only when it has.

/** Device memory in words. */
export class Words {
  private buffer: ArrayBufferLike | null = null;
  u32 = new Uint32Array(0);
  f32 = new Float32Array(0);

  constructor(private readonly memory: WebAssembly.Memory) {}

  /** As large as the memory is now. */
  now(): this {
    const { buffer } = this.memory;
    if (buffer === this.buffer) return this;
    this.buffer = buffer;
    this.u32 = new Uint32Array(buffer);
    this.f32 = new Float32Array(buffer);
    return this;
  }
}
