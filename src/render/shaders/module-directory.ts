// Stores a device's emitted WASM modules in its memory, in a list that workers read (layout/program/modules.ts).
import { alignUp, WORD } from '../../base/bits';
import type { StageSlots } from '../../mpipe';
import { ModuleDirectory as ModuleDirectoryRecord, ModuleRecord, SiteDescription } from '../../../build/layout';
import type { JitModule } from '../../codegen/jit';
import type { Allocator } from '../../memory';

/** Addresses of the parts of a module. */
export interface ModuleRecords {
  /** Address of the MODULE record. */
  readonly address: number;
  readonly constants: number;
  readonly sites: number;
}

export class ModuleDirectory {
  /** Address of the DIRECTORY record. */
  readonly address: number;

  /** Changes of the list that wait until no worker reads it. */
  private readonly changes: (() => void)[] = [];

  /** `isRead`: whether workers may be reading the list now. */
  constructor(
    private readonly allocator: Allocator,
    private readonly memory: WebAssembly.Memory,
    private readonly isRead: () => boolean
  ) {
    this.address = allocator.allocate(ModuleDirectoryRecord.bytes, 'directory of compiled shaders');
  }

  /** Bytes of device memory that a module takes. */
  static bytesOf(module: JitModule): number {
    return (
      ModuleRecord.bytes + module.sites.byteLength + alignUp(module.constants.byteLength, 16) + module.bytes.length
    );
  }

  /** Copies a module into device memory. It joins the list in `publish`. Throws OutOfMemoryError. */
  write(module: JitModule, label: string): ModuleRecords {
    const address = this.allocator.allocate(ModuleDirectory.bytesOf(module), label);
    const sites = address + ModuleRecord.bytes;
    const constants = sites + module.sites.byteLength;
    const binary = constants + alignUp(module.constants.byteLength, 16);
    const u32 = this.words();
    u32.set(module.sites, sites / WORD);
    u32.set(module.constants, constants / WORD);
    new Uint8Array(this.memory.buffer).set(module.bytes, binary);
    const put = (field: number, value: number): void => {
      u32[(address + field) / WORD] = value;
    };
    put(ModuleRecord.binary, binary);
    put(ModuleRecord.binaryBytes, module.bytes.length);
    put(ModuleRecord.constants, constants);
    put(ModuleRecord.sites, sites);
    put(ModuleRecord.siteCount, module.sites.byteLength / SiteDescription.bytes);
    return { address, constants, sites };
  }

  /** Applies the pending changes. No worker may be reading the list. */
  settle(): void {
    for (const change of this.changes.splice(0)) change();
  }

  /** Adds a module and its slots to the list, at the latest in `settle`. */
  publish(records: ModuleRecords, slots: StageSlots): void {
    this.change(() => this.link(records, slots));
  }

  /** Removes a module from the list and frees its memory, at the latest in `settle`. */
  remove(records: ModuleRecords): void {
    this.change(() => this.unlink(records));
  }

  private change(act: () => void): void {
    this.changes.push(act);
    // Changes apply in order, because a module may be removed before it was ever added.
    if (!this.isRead()) this.settle();
  }

  private link({ address }: ModuleRecords, slots: StageSlots): void {
    const u32 = this.words();
    const first = u32[(this.address + ModuleDirectoryRecord.first) / WORD]!;
    const put = (field: number, value: number): void => {
      u32[(address + field) / WORD] = value;
    };
    put(ModuleRecord.registersSlot, slots.registers);
    put(ModuleRecord.quadsSlot, slots.quads);
    put(ModuleRecord.next, first);
    put(ModuleRecord.generation, this.nextGeneration(u32));
    if (first) u32[(first + ModuleRecord.previous) / WORD] = address;
    u32[(this.address + ModuleDirectoryRecord.first) / WORD] = address;
  }

  private unlink({ address }: ModuleRecords): void {
    const u32 = this.words();
    const next = u32[(address + ModuleRecord.next) / WORD]!;
    const previous = u32[(address + ModuleRecord.previous) / WORD]!;
    if (previous) u32[(previous + ModuleRecord.next) / WORD] = next;
    else u32[(this.address + ModuleDirectoryRecord.first) / WORD] = next;
    if (next) u32[(next + ModuleRecord.previous) / WORD] = previous;
    this.nextGeneration(u32);
    this.allocator.free(address);
  }

  /** Frees records that were never published. */
  withdraw({ address }: ModuleRecords): void {
    this.allocator.free(address);
  }

  private nextGeneration(u32: Uint32Array): number {
    return (u32[(this.address + ModuleDirectoryRecord.generation) / WORD]! += 1);
  }

  private words(): Uint32Array {
    return new Uint32Array(this.memory.buffer);
  }
}
