// What programs may write, copied before they are run, so that it can be put back where they have read pages that are
// not there (texture-stream.ts).
import type { IrProgram, IrResource } from '../ir';
import type { Allocator } from '../memory';
import { dynamicOffset } from './bound-groups';
import type { BoundGroup } from './types';
import type { View } from './views';

/** A program, its resources, and what is bound to them. */
export interface Writer {
  readonly program: IrProgram;
  readonly resources: readonly IrResource[];
  readonly groups: readonly (BoundGroup | null)[];
}
export interface TakenBackParts { readonly memory: WebAssembly.Memory; readonly allocator: Allocator }

/** Bytes of device memory, and where they are copied. */
interface Copy { readonly from: number; readonly bytes: number; readonly to: number }

export class TakenBack {
  private copies: readonly Copy[] = [];

  /** `what`: whose it is, for messages that memory is short. */
  constructor(private readonly parts: TakenBackParts, private readonly what: string) {}

  /** Copies all that these may write. Throws OutOfMemoryError. */
  keep(writers: readonly Writer[]): void {
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

  /** Puts back what was there. */
  putBack(): void {
    const all = new Uint8Array(this.parts.memory.buffer);
    for (const { from, bytes, to } of this.copies) all.copyWithin(from, to, to + bytes);
  }

  free(): void {
    for (const { to } of this.copies) this.parts.allocator.free(to);
    this.copies = [];
  }
}

/** Address and bytes of whatever programs may write. */
function written(writers: readonly Writer[]): (readonly [number, number])[] {
  const all = new Map<number, number>();
  for (const { resources, groups } of writers)
    for (const resource of resources) {
      const writes = resource.kind === 'image' || (resource.kind === 'storage' && resource.writable);
      if (!writes) continue;
      const bound = groups[resource.group]!, found = bound.group.entries.get(resource.binding)!;
      if (found.kind === 'image') {
        const { plane, shape: { baseMipLevel, baseArrayLayer, arrayLayerCount, dimension } } = found.view as View;
        const { offset, layers, layerBytes } = plane.levels[baseMipLevel]!;
        const count = dimension === '3d' ? layers : arrayLayerCount, from = plane.address + offset + baseArrayLayer * layerBytes;
        all.set(from, Math.max(all.get(from) ?? 0, count * layerBytes));
      } else if (found.kind === 'buffer') {
        const from = found.buffer.address + found.offset + dynamicOffset(bound, resource.binding);
        all.set(from, Math.max(all.get(from) ?? 0, found.size));
      }
    }
  return [...all].filter(([, bytes]) => bytes > 0);
}
