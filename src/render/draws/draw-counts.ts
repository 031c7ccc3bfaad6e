// The counts of a draw call: reads them, from the indirect buffer if there is one, and writes them into DRAW records.
import { Draw } from '../../../build/layout';
import type { IndexUse } from '../resources/index-ranges';
import type { DrawCommand } from '../types';

/** The counts of a draw call, read from the indirect buffer if there is one. */
export interface DrawCounts {
  readonly count: number;
  readonly instanceCount: number;
  readonly first: number;
  readonly baseVertex: number;
  readonly firstInstance: number;
}

export function putCounts(
  u32: Uint32Array,
  record: number,
  command: DrawCommand,
  counts: DrawCounts,
  use: IndexUse | null
): void {
  const { index } = command.state;
  u32[(record + Draw.count) >>> 2] = counts.count;
  u32[(record + Draw.instanceCount) >>> 2] = counts.instanceCount;
  u32[(record + Draw.firstInstance) >>> 2] = counts.firstInstance;
  u32[(record + Draw.rangeFirst) >>> 2] = use?.first ?? 0;
  u32[(record + Draw.rangeCount) >>> 2] = use?.count ?? 0;
  u32[(record + Draw.distinct) >>> 2] = use?.distinct ?? 0;
  if (command.indexed && index) {
    const start = Math.min(counts.first * index.bytes, index.size);
    u32[(record + Draw.indexBytes) >>> 2] = index.bytes;
    u32[(record + Draw.indexAddress) >>> 2] = index.buffer.address + index.offset + start;
    u32[(record + Draw.indexLimit) >>> 2] = Math.floor((index.size - start) / index.bytes);
    u32[(record + Draw.baseVertex) >>> 2] = counts.baseVertex;
  } else {
    u32[(record + Draw.indexBytes) >>> 2] = 0;
    u32[(record + Draw.baseVertex) >>> 2] = counts.first;
  }
}

/**
 * Reads the counts of a draw call. Indirect draw calls whose indices exceed the index buffer draw nothing, as WebGPU
 * requires.
 */
export function readDrawCounts(memory: WebAssembly.Memory, command: DrawCommand): DrawCounts {
  const { indirect } = command;
  if (!indirect) return command;
  const u32 = new Uint32Array(memory.buffer, indirect.buffer.address + indirect.offset, command.indexed ? 5 : 4);
  const [count, instanceCount, first] = [u32[0]!, u32[1]!, u32[2]!];
  const nothing: DrawCounts = { count: 0, instanceCount: 0, first: 0, baseVertex: 0, firstInstance: 0 };
  // Without the feature indirect-first-instance, a nonzero first instance makes the draw call do nothing (WebGPU
  // §17.1.3).
  const firstInstance = u32[command.indexed ? 4 : 3]!;
  if (firstInstance !== 0 && !indirect.firstInstance) return nothing;
  if (!command.indexed) return { count, instanceCount, first, baseVertex: 0, firstInstance };
  const index = command.state.index;
  if (!index || (first + count) * index.bytes > index.size) return nothing;
  return { count, instanceCount, first, baseVertex: u32[3]! | 0, firstInstance };
}
