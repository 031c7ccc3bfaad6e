// Copies everything that shaders may write before they run, so that the writes can be undone if they have read
// non-resident pages (texture-stream.ts).
import type { IrProgram, IrResource } from '../../ir';
import type { Allocator } from '../../memory';
import { dynamicOffset } from '../resources/bound-groups';
import type { BoundGroup } from '../types';
import type { View } from '../resources/views';

/** A shader, its resources, and their bindings. */
export interface Writer {
  readonly program: IrProgram;
  readonly resources: readonly IrResource[];
  readonly groups: readonly (BoundGroup | null)[];
}
export interface WriteBackupParts {
  readonly memory: WebAssembly.Memory;
  readonly allocator: Allocator;
}

/** A range of device memory, and the address of its copy. */
interface Copy {
  readonly from: number;
  readonly bytes: number;
  readonly to: number;
}

export class WriteBackup {
  private copies: readonly Copy[] = [];

  /** `what`: the owner of the copies, for out-of-memory messages. */
  constructor(
    private readonly parts: WriteBackupParts,
    private readonly what: string
  ) {}

  /** Copies everything that the writers may write. Throws OutOfMemoryError. */
  save(writers: readonly Writer[]): void {
    const { memory, allocator } = this.parts;
    if (this.copies.length === 0) {
      const copies: Copy[] = [];
      this.copies = copies;
      for (const [from, bytes] of written(writers))
        copies.push({ from, bytes, to: allocator.allocate(bytes, this.what) });
    }
    const all = new Uint8Array(memory.buffer);
    for (const { from, bytes, to } of this.copies) all.copyWithin(to, from, from + bytes);
  }

  /** Restores the copied contents. */
  restore(): void {
    const all = new Uint8Array(this.parts.memory.buffer);
    for (const { from, bytes, to } of this.copies) all.copyWithin(from, to, to + bytes);
  }

  free(): void {
    for (const { to } of this.copies) this.parts.allocator.free(to);
    this.copies = [];
  }
}

/** Addresses and sizes of everything that shaders may write. */
function written(writers: readonly Writer[]): (readonly [number, number])[] {
  const all = new Map<number, number>();
  for (const { resources, groups } of writers)
    for (const resource of resources) {
      const writes = resource.kind === 'image' || (resource.kind === 'storage' && resource.writable);
      if (!writes) continue;
      const bound = groups[resource.group]!;
      const found = bound.group.entries.get(resource.binding)!;
      if (found.kind === 'image') {
        const {
          plane,
          shape: { baseMipLevel, baseArrayLayer, arrayLayerCount, dimension },
        } = found.view as View;
        const { offset, layers, layerBytes } = plane.levels[baseMipLevel]!;
        const count = dimension === '3d' ? layers : arrayLayerCount;
        const from = plane.address + offset + baseArrayLayer * layerBytes;
        all.set(from, Math.max(all.get(from) ?? 0, count * layerBytes));
      } else if (found.kind === 'buffer') {
        const from = found.buffer.address + found.offset + dynamicOffset(bound, resource.binding);
        all.set(from, Math.max(all.get(from) ?? 0, found.size));
      }
    }
  return [...all].filter(([, bytes]) => bytes > 0);
}
