// The pages of a streamed texture: their entries, sizes, and when they were read last.
import { expect, test } from 'vitest';
import { PageEntry } from '../../build/layout';
import { Allocator, createMemory } from '../../src/memory';
import { formatInfo, PageTable } from '../../src/surface';

const PAGE = 16;
function make(
  size: readonly [number, number, number],
  mipLevelCount: number
): { table: PageTable; words(): Int32Array } {
  const device = createMemory(1);
  const shape = {
    format: formatInfo('rgba8unorm')!,
    dimension: '2d',
    width: size[0],
    height: size[1],
    depthOrArrayLayers: size[2],
    mipLevelCount,
    sampleCount: 1,
    overcommit: false,
    colorMergeThreshold: 0,
    depthMergeThreshold: 0,
    pageSize: PAGE,
    waits: true,
  } as const;
  const parts = { allocator: new Allocator(device, 1024, 1 << 20), memory: device.memory, decodeRow: null };
  return { table: new PageTable(parts, shape, 'test'), words: () => new Int32Array(device.memory.buffer) };
}

test('each page of each level and layer has an entry of its own', () => {
  const { table } = make([40, 24, 2], 3);
  const entries = new Set<number>();
  for (let level = 0; level < 3; level++) {
    const [columns, rows] = table.extentOf(level);
    for (let layer = 0; layer < 2; layer++)
      for (let y = 0; y < rows; y++)
        for (let x = 0; x < columns; x++) {
          const entry = table.entryOf({ level, x, y, layer });
          expect(table.placeOf(entry)).toEqual({ level, x, y, layer });
          expect(table.has(entry)).toBe(true);
          entries.add(entry);
        }
  }
  expect([entries.size, table.count]).toEqual([2 * (6 + 2 + 1), 2 * (6 + 2 + 1)]);
  expect(table.sizeOf({ level: 0, x: 2, y: 1, layer: 0 })).toEqual([8, 8]);
});

test('a page that arrives counts as read by the current pass, and also when it arrives again', () => {
  const { table, words } = make([32, 16, 1], 1);
  const entry = table.entryOf({ level: 0, x: 1, y: 0, layer: 0 });
  const texels = new Uint8Array(PAGE * PAGE * 4).fill(7);
  const isResident = (): boolean => words()[(entry + PageEntry.page) >>> 2] !== 0;
  for (const pass of [5, 9]) {
    table.now = pass;
    table.install(entry, texels);
    expect([table.usedAt(entry), isResident()]).toEqual([pass, true]);
    table.evict(entry);
    expect(isResident()).toBe(false);
  }
});
