// Installs a device's emitted WASM modules (layout/program/modules.ts) in the function table of a worker thread. The
// main thread has compiled them.
import { ModuleDirectory, ModuleRecord } from '../../build/layout';
import { WORD } from '../base/bits';
import type { Kernel, KernelHost } from '../kernels';

/** The function table slots of an installed module, and the module's generation. */
interface Installed {
  readonly generation: number;
  readonly slots: readonly number[];
}

export class ModuleCopies {
  private generation = 0;
  private readonly installed = new Map<number, Installed>();

  constructor(
    private readonly kernel: Kernel,
    private readonly memory: WebAssembly.Memory,
    private readonly host: KernelHost
  ) {}

  /**
   * Updates the table to match the directory. Returns whether anything changed. The directory must not change
   * meanwhile.
   */
  update(directory: number): boolean {
    const u32 = new Uint32Array(this.memory.buffer);
    const generation = u32[(directory + ModuleDirectory.generation) / WORD]!;
    if (generation === this.generation) return false;
    const there = new Map<number, number>();
    for (
      let module = u32[(directory + ModuleDirectory.first) / WORD]!;
      module !== 0;
      module = u32[(module + ModuleRecord.next) / WORD]!
    )
      there.set(module, u32[(module + ModuleRecord.generation) / WORD]!);
    // Remove old modules before adding new ones, because slots are reused.
    for (const [address, { generation: known, slots }] of this.installed) {
      if (there.get(address) === known) continue;
      for (const slot of slots) this.kernel.table.set(slot, null);
      this.installed.delete(address);
    }
    for (const [address, its] of there)
      if (!this.installed.has(address))
        this.installed.set(address, { generation: its, slots: this.install(u32, address) });
    this.generation = generation;
    return true;
  }

  private install(u32: Uint32Array, module: number): number[] {
    const field = (offset: number): number => u32[(module + offset) / WORD]!;
    const start = field(ModuleRecord.binary);
    // Compilers do not accept shared memory, so the bytes are copied. The main thread has compiled the same bytes, and
    // engines cache the result.
    const bytes = new Uint8Array(this.memory.buffer, start, field(ModuleRecord.binaryBytes)).slice();
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
      env: { memory: this.memory, constants: field(ModuleRecord.constants) },
      host: { timeExpired: this.host.timeExpired },
      kernel: this.kernel.functions,
    });
    const slots: number[] = [];
    for (const [name, offset] of [
      ['registers', ModuleRecord.registersSlot],
      ['quads', ModuleRecord.quadsSlot],
    ] as const) {
      const slot = field(offset);
      if (slot === 0) continue;
      const { table } = this.kernel;
      if (slot >= table.length) table.grow(slot + 1 - table.length);
      table.set(slot, exports[name] as CallableFunction);
      slots.push(slot);
    }
    return slots;
  }
}
