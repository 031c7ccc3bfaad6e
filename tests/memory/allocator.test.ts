import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Allocator, createMemory, OutOfMemoryError } from '../../src/memory';

const make = (budget = 1 << 24): { allocator: Allocator; bytes: () => Uint8Array } => {
  const device = createMemory(1);
  return { allocator: new Allocator(device, 1000, budget), bytes: () => new Uint8Array(device.memory.buffer) };
};

describe('Allocator', () => {
  it('allocates zeroed, aligned, disjoint ranges and frees all of them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 70_000 }), fc.boolean()), { maxLength: 60 }),
        (requests) => {
          const { allocator, bytes } = make();
          const live: { address: number; size: number }[] = [];
          for (const [size, release] of requests) {
            const address = allocator.allocate(size, 'test');
            expect(address % 64).toBe(0);
            expect(address).toBeGreaterThanOrEqual(1000);
            for (const other of live)
              expect(address + size <= other.address || other.address + other.size <= address).toBe(true);
            expect(
              bytes()
                .subarray(address, address + size)
                .every((byte) => byte === 0)
            ).toBe(true);
            bytes().fill(0xaa, address, address + size);
            live.push({ address, size });
            if (release) allocator.free(live.splice(live.length >> 1, 1)[0]!.address);
          }
          for (const { address } of live) allocator.free(address);
          expect(allocator.statistics().bytesUsed).toBe(0);
        }
      ),
      { numRuns: 50, seed: 1 }
    );
  });

  it('reuses memory: ten thousand allocations of changing size do not grow the memory', () => {
    const { allocator } = make();
    const sizes = [100, 5000, 64, 70_000, 333];
    for (let i = 0; i < 100; i++) allocator.free(allocator.allocate(sizes[i % 5]!, 'warm'));
    const before = allocator.statistics().bytesReserved;
    const live: number[] = [];
    for (let i = 0; i < 10_000; i++) {
      live.push(allocator.allocate(sizes[i % 5]!, 'test'));
      if (live.length > 4) allocator.free(live.shift()!);
    }
    expect(allocator.statistics().bytesReserved).toBeLessThanOrEqual(before + 4 * 65536);
  });

  it('names what did not fit, and changes nothing', () => {
    const { allocator } = make(4096);
    const kept = allocator.allocate(2048, 'kept');
    expect(() => allocator.allocate(4096, '[Buffer "vertices"]')).toThrow(OutOfMemoryError);
    expect(() => allocator.allocate(4096, '[Buffer "vertices"]')).toThrow(
      '[Buffer "vertices"] needs 4096 bytes; 2048 of the device\'s 4096 are in use'
    );
    expect(allocator.statistics().bytesUsed).toBe(2048);
    allocator.free(kept);
    expect(allocator.allocate(4096, 'now')).toBe(kept);
  });
});
