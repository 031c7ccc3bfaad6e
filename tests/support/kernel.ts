// The testing build of the kernels on a memory of its own, for the tests of all rooms of assembly/.
// `npm run build:kernels` makes it (build/testing.wasm).
import { readFileSync } from 'node:fs';
import { instantiateSync } from '@assemblyscript/loader';

const path = new URL('../../build/testing.wasm', import.meta.url);
let compiled: WebAssembly.Module | undefined;

/** Exports take and return numbers: addresses, counts, statuses. */
export type KernelFunctions = Record<string, (...args: number[]) => number>;

export interface KernelOptions {
  /** Size of the memory in pages of 64 KiB. */
  readonly pages?: number;
  /** The host's clock; by default the time is never up. */
  readonly timeExpired?: () => number;
}

/** A kernel with a memory from which tests take what they need; nothing is given back but all at once. */
export class TestKernel {
  readonly memory: WebAssembly.Memory;
  readonly call: KernelFunctions;
  readonly table: WebAssembly.Table;
  private top: number;

  constructor({ pages = 256, timeExpired = () => 0 }: KernelOptions = {}) {
    compiled ??= new WebAssembly.Module(readFileSync(path));
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: 65536, shared: true });
    const instance = instantiateSync<Record<string, unknown>>(compiled, { env: { memory: this.memory }, host: { timeExpired } });
    this.call = instance.exports as unknown as KernelFunctions;
    this.table = instance.exports.table as unknown as WebAssembly.Table;
    this.top = this.call.heapBase();
  }

  /** Zeroed bytes; addresses are multiples of `align`. */
  alloc(bytes: number, align = 64): number {
    const address = Math.ceil(this.top / align) * align;
    this.top = address + bytes;
    if (this.top > this.memory.buffer.byteLength) throw new RangeError(`the test kernel has ${this.memory.buffer.byteLength} bytes, asked for ${this.top}`);
    this.u8(address, bytes).fill(0);
    return address;
  }

  /** Takes everything back that was allocated. */
  reset(): void { this.top = this.call.heapBase(); }

  u8(address: number, length: number): Uint8Array { return new Uint8Array(this.memory.buffer, address, length); }
  u16(address: number, length: number): Uint16Array { return new Uint16Array(this.memory.buffer, address, length); }
  i32(address: number, length: number): Int32Array { return new Int32Array(this.memory.buffer, address, length); }
  u32(address: number, length: number): Uint32Array { return new Uint32Array(this.memory.buffer, address, length); }
  f32(address: number, length: number): Float32Array { return new Float32Array(this.memory.buffer, address, length); }
}

/** The bits of `value` as f32. */
export function bitsOf(value: number): number {
  scratch.setFloat32(0, value);
  return scratch.getUint32(0);
}

/** The f32 with these bits. */
export function floatOf(bits: number): number {
  scratch.setUint32(0, bits);
  return scratch.getFloat32(0);
}

const scratch = new DataView(new ArrayBuffer(4));
