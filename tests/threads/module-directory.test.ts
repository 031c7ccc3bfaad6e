// The directory of compiled modules, which workers read at the beginning of a job. Changes wait while workers may read
// it, and stay in order.
import { expect, test } from 'vitest';
import { ModuleDirectory as ModuleDirectoryRecord, ModuleRecord } from '../../build/layout';
import type { JitModule } from '../../src/codegen/jit';
import { Allocator, createMemory } from '../../src/memory';
import { ModuleDirectory } from '../../src/render/shaders/module-directory';

const NO_SLOTS = { registers: 1, quads: 2 };

function open(): {
  readonly directory: ModuleDirectory;
  readonly write: () => ReturnType<ModuleDirectory['write']>;
  readonly listed: () => number[];
  readonly bytesUsed: () => number;
  readonly read: (now: boolean) => void;
} {
  const device = createMemory(16);
  const allocator = new Allocator(device, 1024, 1 << 20);
  let isRead = false;
  const directory = new ModuleDirectory(allocator, device.memory, () => isRead);
  const module = {
    sites: new Uint32Array(0),
    constants: new Uint32Array(4),
    bytes: new Uint8Array(32),
  } as unknown as JitModule;
  return {
    directory,
    write: () => directory.write(module, 'a'),
    bytesUsed: () => allocator.statistics().bytesUsed,
    read: (now) => {
      isRead = now;
    },
    listed: () => {
      const words = new Uint32Array(device.memory.buffer);
      const all: number[] = [];
      for (
        let at = words[(directory.address + ModuleDirectoryRecord.first) / 4]!;
        at !== 0 && all.length < 10;
        at = words[(at + ModuleRecord.next) / 4]!
      )
        all.push(at);
      return all;
    },
  };
}

test('additions and removals take effect at once while no worker reads', () => {
  const { directory, write, listed, bytesUsed } = open();
  const [a, b] = [write(), write()];
  const before = bytesUsed();
  directory.publish(a, NO_SLOTS);
  directory.publish(b, NO_SLOTS);
  expect(listed()).toEqual([b.address, a.address]);
  directory.remove(a);
  expect(listed()).toEqual([b.address]);
  expect(bytesUsed()).toBeLessThan(before);
});

test('while workers read, nothing changes until it is settled', () => {
  const { directory, write, listed, read } = open();
  const [a, b] = [write(), write()];
  directory.publish(a, NO_SLOTS);
  read(true);
  directory.remove(a);
  directory.publish(b, NO_SLOTS);
  expect(listed()).toEqual([a.address]);
  read(false);
  directory.settle();
  expect(listed()).toEqual([b.address]);
});

test('a module added while workers read is removed after they have left, and the others stay', () => {
  const { directory, write, listed, read } = open();
  const [a, b, c] = [write(), write(), write()];
  directory.publish(a, NO_SLOTS);
  read(true);
  directory.publish(b, NO_SLOTS);
  read(false);
  directory.remove(b);
  expect(listed()).toEqual([a.address]);
  directory.publish(c, NO_SLOTS);
  directory.settle();
  expect(listed()).toEqual([c.address, a.address]);
});
