// The pages of a streamed texture: their entries, sizes, and when they were read last.
import { expect, test } from 'vitest';
import { PageEntry, TextureStream } from '../../build/layout';
import { Allocator, createMemory } from '../../src/memory';
import { EntryNumbers, formatInfo, PageTable } from '../../src/surface';

const PAGE = 16;
interface Made {
  readonly table: PageTable;
  readonly allocator: Allocator;
  words(): Uint32Array;
}
function make(
  size: readonly [number, number, number],
  mipLevelCount: number,
  { pageSize = PAGE, numbers = new EntryNumbers(), budget = 1 << 20 } = {}
): Made {
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
    pageSize,
    waits: true,
  } as const;
  const allocator = new Allocator(device, 1024, budget);
  const parts = { allocator, memory: device.memory, decodeRow: null, numbers };
  return { table: new PageTable(parts, shape, 'test'), allocator, words: () => new Uint32Array(device.memory.buffer) };
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

/** Where a kernel finds the entry with a number (assembly/texture/addresses/pages.ts). */
function entryAt({ table, words }: Made, number: number): number {
  const directory = words()[(table.record + TextureStream.directory) >>> 2]!;
  if (directory === 0) return number;
  const slot = (directory + ((number >>> 9) << 2)) >>> 0;
  return words()[slot >>> 2]! + (number & 0x1f8);
}

test('a large table grows with the pages that are resident, and shrinks when they are evicted', () => {
  const made = make([65536, 65536, 1], 17, { pageSize: 32, budget: 32 << 20 });
  const { table, allocator, words } = made;
  const before = { free: allocator.uncommitted, bytes: table.bytes };
  expect(table.bytes).toBeLessThan(400_000);
  const texels = new Uint8Array(32 * 32 * 4).fill(9);
  const isResident = (number: number): boolean => words()[(entryAt(made, number) + PageEntry.page) >>> 2] !== 0;
  // Far apart, so that each page has a chunk of its own.
  const numbers = Array.from({ length: 1000 }, (_, i) =>
    table.entryOf({ level: 0, x: (i * 997) % 2048, y: (i * 613) % 2048, layer: 0 })
  );
  table.now = 3;
  for (const number of numbers) table.install(number, texels);
  expect(table.bytes).toBeLessThan(2e6);
  const all = new Set(numbers);
  for (const number of numbers) {
    expect([isResident(number), table.usedAt(number), table.has(number)]).toEqual([true, 3, true]);
    for (const other of [number - 8, number + 8, number + 8 * 2048])
      if (table.has(other)) expect(isResident(other)).toBe(all.has(other));
  }
  for (const [i, number] of numbers.entries()) {
    table.evict(number);
    expect(isResident(number)).toBe(false);
    if (i + 1 < numbers.length) expect(isResident(numbers[i + 1]!)).toBe(true);
  }
  expect({ free: allocator.uncommitted, bytes: table.bytes }).toEqual(before);
});

test('pages of the same chunk share it', () => {
  const made = make([65536, 65536, 1], 1, { pageSize: 32 });
  const { table } = made;
  const texels = new Uint8Array(32 * 32 * 4);
  const [first, second] = [4, 5].map((x) => table.entryOf({ level: 0, x, y: 7, layer: 0 })) as [number, number];
  const before = table.bytes;
  table.install(first, texels);
  const one = table.bytes;
  table.install(second, texels);
  expect([one - before, table.bytes - one]).toEqual([512, 0]);
  table.evict(first);
  expect(made.words()[(entryAt(made, second) + PageEntry.page) >>> 2]).not.toBe(0);
  expect(table.bytes).toBe(one);
});

test('numbers of sparse tables belong to one table only, and are used again', () => {
  const numbers = new EntryNumbers();
  const tables = [0, 1, 2].map(() => make([4096, 4096, 1], 1, { numbers }).table);
  const [small] = [make([64, 64, 1], 1, { numbers }).table];
  const place = { level: 0, x: 3, y: 3, layer: 0 };
  for (const table of [...tables, small!])
    for (const other of [...tables, small!]) expect(other.has(table.entryOf(place))).toBe(other === table);
  const number = tables[1]!.entryOf(place);
  tables[1]!.destroy();
  expect(make([4096, 4096, 1], 1, { numbers }).table.entryOf(place)).toBe(number);
  expect(() => numbers.take(2 ** 32, 'the map')).toThrow('the map has too many pages');
});
