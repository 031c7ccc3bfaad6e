// The builds of the kernels, and the testing build with its own memory, for the tests of all folders of assembly/. `npm
// run build` makes them.
import { readFileSync } from 'node:fs';

export type KernelName = 'testing' | 'kernel' | 'kernel.scalar';
const compiled = new Map<KernelName, WebAssembly.Module>();

/** Exports take and return numbers: addresses, counts, statuses. */
export type KernelFunctions = Record<string, (...args: number[]) => number>;

/** A build of the kernels on `memory`: `functions` are its exports as modules import them. */
export function instantiate(
  name: KernelName,
  memory: WebAssembly.Memory,
  timeExpired: () => number
): { call: KernelFunctions; functions: WebAssembly.ModuleImports; table: WebAssembly.Table } {
  const module =
    compiled.get(name) ?? new WebAssembly.Module(readFileSync(new URL(`../../build/${name}.wasm`, import.meta.url)));
  compiled.set(name, module);
  const { exports } = new WebAssembly.Instance(module, {
    env: { memory },
    host: { timeExpired, now: () => performance.now() },
  });
  return {
    call: exports as KernelFunctions,
    functions: exports as WebAssembly.ModuleImports,
    table: exports.table as WebAssembly.Table,
  };
}

interface KernelOptions {
  /** Size of the memory in pages of 64 KiB. */
  readonly pages?: number;
  /** The host's clock; by default the time never expires. */
  readonly timeExpired?: () => number;
}

/** A kernel with a memory from which tests allocate; everything is freed at once. */
export class TestKernel {
  readonly memory: WebAssembly.Memory;
  readonly call: KernelFunctions;
  readonly functions: WebAssembly.ModuleImports;
  /** Its function table, for calls by number. */
  readonly table: WebAssembly.Table;
  private top: number;

  constructor({ pages = 256, timeExpired = () => 0 }: KernelOptions = {}) {
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: 65536, shared: true });
    ({
      call: this.call,
      functions: this.functions,
      table: this.table,
    } = instantiate('testing', this.memory, timeExpired));
    this.top = this.call.heapBase();
  }

  /** Allocates zeroed bytes; addresses are multiples of `align`. */
  alloc(bytes: number, align = 64): number {
    const address = Math.ceil(this.top / align) * align;
    this.top = address + bytes;
    if (this.top > this.memory.buffer.byteLength)
      throw new RangeError(`the test kernel has ${this.memory.buffer.byteLength} bytes, asked for ${this.top}`);
    // In shared memory, V8 fills element by element. What follows the allocation in its last word is free.
    if (address % 8 === 0) new BigUint64Array(this.memory.buffer, address, Math.ceil(bytes / 8)).fill(0n);
    else this.u8(address, bytes).fill(0);
    return address;
  }

  /** Bytes of surfaces' pages that were read and written, counted at each access. */
  get touched(): number {
    return Number(new DataView(this.memory.buffer).getBigUint64(this.call.touchedBytes!(), true));
  }

  /** Frees everything that was allocated. */
  reset(): void {
    this.top = this.call.heapBase();
  }

  u8(address: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, address, length);
  }
  u16(address: number, length: number): Uint16Array {
    return new Uint16Array(this.memory.buffer, address, length);
  }
  i32(address: number, length: number): Int32Array {
    return new Int32Array(this.memory.buffer, address, length);
  }
  u32(address: number, length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, address, length);
  }
  f32(address: number, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, address, length);
  }
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
