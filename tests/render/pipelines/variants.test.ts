// The life cycle of compiled shaders: they are shared by pipelines and devices, limited in size, and freed with their
// slots and memory.
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ModuleDirectory as ModuleDirectoryRecord, ModuleRecord, SiteDescription } from '../../../build/layout';
import type { JitModule } from '../../../src/codegen/jit';
import type { StatisticsDevice } from '../../../src/index';
import { Allocator, createMemory } from '../../../src/memory';
import { FunctionTable } from '../../../src/render/shaders/function-table';
import { ModuleDirectory } from '../../../src/render/shaders/module-directory';
import { variantKey, type VariantSource } from '../../../src/render/shaders/variant-key';
import { Code, VariantCache, type Variant } from '../../../src/render/shaders/variants';
import { compiled, descriptor, drawInto, frame, moduleOf, open, target } from './engines.kit';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** Runs garbage collections and the macrotasks in which finalizers run. */
async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    collect();
    await new Promise((done) => setTimeout(done, 10));
  }
}
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const emitted = (bytes: number, words = 1): JitModule => ({
  bytes: Uint8Array.from({ length: bytes }, (_, i) => i),
  constants: Uint32Array.from({ length: words }, (_, i) => 1000 + i),
  exports: ['registers'],
  sites: new Uint32Array(SiteDescription.bytes / 4).fill(7),
  fileBytes: 256,
  quadsMasks: false,
});

describe('the function table', () => {
  const anyFunction = new WebAssembly.Instance(
    new WebAssembly.Module(readFileSync(new URL('../../../build/kernel.wasm', import.meta.url))),
    { env: { memory: createMemory(16).memory }, host: { timeExpired: () => 0, now: () => 0 } }
  ).exports['heapBase'] as CallableFunction;

  test('grows on demand and reuses freed slots', () => {
    const raw = new WebAssembly.Table({ element: 'anyfunc', initial: 5 });
    const table = new FunctionTable(raw);
    expect(table.put([anyFunction, anyFunction])).toEqual([5, 6]);
    expect(table.put([anyFunction])).toEqual([7]);
    table.remove([5, 6]);
    expect([raw.get(4), raw.get(5), raw.get(6)]).toEqual([null, null, null]);
    expect(raw.get(7)).toBe(anyFunction);
    expect(table.put([anyFunction, anyFunction, anyFunction]).sort()).toEqual([5, 6, 8]);
    expect(table.length).toBe(9);
  });
});

describe('the directory in device memory', () => {
  const makeDirectory = (): {
    directory: ModuleDirectory;
    allocator: Allocator;
    walk(): { address: number; generation: number; binary: number[]; slots: number[] }[];
    generation(): number;
  } => {
    const device = createMemory(1);
    const allocator = new Allocator(device, 1024, 1 << 20);
    const directory = new ModuleDirectory(allocator, device.memory, () => false);
    const word = (address: number): number => new Uint32Array(device.memory.buffer)[address / 4]!;
    const walk = (): ReturnType<ReturnType<typeof makeDirectory>['walk']> => {
      const modules = [];
      let previous = 0;
      for (
        let at = word(directory.address + ModuleDirectoryRecord.first);
        at !== 0;
        at = word(at + ModuleRecord.next)
      ) {
        expect(word(at + ModuleRecord.previous)).toBe(previous);
        previous = at;
        modules.push({
          address: at,
          generation: word(at + ModuleRecord.generation),
          binary: [
            ...new Uint8Array(
              device.memory.buffer,
              word(at + ModuleRecord.binary),
              word(at + ModuleRecord.binaryBytes)
            ),
          ],
          slots: [word(at + ModuleRecord.registersSlot), word(at + ModuleRecord.quadsSlot)],
        });
        expect(word(at + ModuleRecord.constants) % 16).toBe(0);
        expect(word(word(at + ModuleRecord.constants))).toBe(1000);
        const last = word(at + ModuleRecord.sites) + SiteDescription.bytes - 4;
        expect([word(at + ModuleRecord.siteCount), word(last)]).toEqual([1, 7]);
      }
      return modules;
    };
    return { directory, allocator, walk, generation: () => word(directory.address + ModuleDirectoryRecord.generation) };
  };

  test('lists published entries, newest first, each with its generation', () => {
    const { directory, walk, generation } = makeDirectory();
    const [a, b] = [directory.write(emitted(5), 'a'), directory.write(emitted(300, 9), 'b')];
    expect([walk(), generation()]).toEqual([[], 0]);
    directory.publish(a, { registers: 3, quads: 4 });
    directory.publish(b, { registers: 5, quads: 0 });
    expect(generation()).toBe(2);
    expect(walk()).toEqual([
      { address: b.address, generation: 2, binary: [...emitted(300).bytes], slots: [5, 0] },
      { address: a.address, generation: 1, binary: [0, 1, 2, 3, 4], slots: [3, 4] },
    ]);
  });

  test('removes entries at the front, in the middle and at the end', () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
      [1, 2, 0],
    ]) {
      const { directory, allocator, walk, generation } = makeDirectory();
      const before = allocator.statistics().bytesUsed;
      const modules = [0, 1, 2].map((i) => directory.write(emitted(10 * i + 1), ''));
      for (const each of modules) directory.publish(each, { registers: 1, quads: 0 });
      const left = new Set(modules.map((each) => each.address));
      for (const i of order) {
        directory.remove(modules[i]!);
        left.delete(modules[i]!.address);
        expect(new Set(walk().map((module) => module.address))).toEqual(left);
      }
      expect([generation(), allocator.statistics().bytesUsed]).toEqual([6, before]);
      directory.withdraw(directory.write(emitted(9), ''));
      expect([generation(), allocator.statistics().bytesUsed]).toEqual([6, before]);
    }
  });
});

describe('the cache of the process', () => {
  test('keeps recently used entries within its bytes, and all entries in use', async () => {
    const cache = new VariantCache(1000);
    const add = (key: string, bytes: number): Variant => cache.add(key, emitted(bytes));
    const used = add('a', 400);
    add('b', 400);
    expect([cache.find('a'), cache.find('b')?.key, cache.find('c')]).toEqual([used, 'b', null]);
    add('c', 400);
    add('d', 400);
    await settle();
    // b and c are outside of the last thousand bytes. So is a, but it is in use.
    expect([cache.find('b'), cache.find('d')?.key, cache.find('a')]).toEqual([null, 'd', used]);
    expect(cache.size).toBeLessThanOrEqual(3);
    expect(used.emitted.bytes.length).toBe(400);
  });

  test('shaders that differ only in constants have the same code', () => {
    const cache = new VariantCache(1000);
    const [a, b, c] = [cache.add('a', emitted(10, 1)), cache.add('b', emitted(10, 2)), cache.add('c', emitted(11, 1))];
    expect([a.code === b.code, a.code === c.code, a.emitted === b.emitted]).toEqual([true, false, false]);
  });

  test('large modules are compiled asynchronously, once', async () => {
    const compile = vi.spyOn(WebAssembly, 'compile');
    // A custom section of zeros after the module's header.
    const module = (bytes: number): Uint8Array<ArrayBuffer> =>
      Uint8Array.from([
        0,
        0x61,
        0x73,
        0x6d,
        1,
        0,
        0,
        0,
        0,
        ...[0, 7, 14].map((shift) => ((bytes >> shift) & 127) | (shift < 14 ? 128 : 0)),
        ...new Uint8Array(bytes),
      ]);
    const [small, large] = [new Code(module(100)), new Code(module(200_000))];
    const [a, b, c, d] = await Promise.all([small.compile(), small.compile(), large.compile(), large.compile()]);
    expect(a).toBeInstanceOf(WebAssembly.Module);
    expect([a === b, c === d, large.compileSync() === c]).toEqual([true, true, true]);
    expect(compile).toHaveBeenCalledOnce();
  });

  test('a key contains everything that the code depends on', () => {
    const program: VariantSource['program'] = {
      name: 'vs',
      kind: 'vertex',
      values: ['f32', 'f32'],
      variables: [],
      arrays: [],
      inputs: [],
      outputs: [{ kind: 'position', component: 0, type: 'f32' }],
      resources: [],
      usesDiscard: false,
      usesDerivatives: false,
      body: [
        { kind: 'op', op: 'const', results: [0], args: [], imm: 5 },
        {
          kind: 'loop',
          label: 1,
          body: [{ kind: 'if', condition: 0, then: [{ kind: 'leave', label: 1 }], otherwise: [] }],
        },
        { kind: 'op', op: 'output', results: [], args: [0], imm: 0 },
      ],
    };
    const source: VariantSource = { program, inlines: 0, sharedMemory: true, codeBytes: 1000 };
    const [constant, loop, output] = program.body;
    const access = { mode: 'implicit', texture: 0, sampler: 1, offset: [0, 0, 0], compare: false } as const;
    const body = (...nodes: VariantSource['program']['body']): VariantSource => ({
      ...source,
      program: { ...program, body: nodes },
    });
    const others: VariantSource[] = [
      { ...source, inlines: 1 },
      { ...source, sharedMemory: false },
      { ...source, codeBytes: 999 },
      { ...source, program: { ...program, kind: 'fragment' } },
      { ...source, program: { ...program, usesDerivatives: true } },
      { ...source, program: { ...program, outputs: [] } },
      { ...source, program: { ...program, values: ['i32', 'f32'] } },
      body(constant!, output!),
      body(constant!, output!, loop!),
      body({ ...constant!, imm: 6 } as never, loop!, output!),
      body({ ...constant!, texture: access } as never, loop!, output!),
      body({ ...constant!, texture: { ...access, offset: [1, 0, 0] } } as never, loop!, output!),
      body(
        constant!,
        {
          kind: 'block',
          label: 1,
          body: [{ kind: 'if', condition: 0, then: [{ kind: 'leave', label: 1 }], otherwise: [] }],
        },
        output!
      ),
      body(
        constant!,
        {
          kind: 'loop',
          label: 1,
          body: [{ kind: 'if', condition: 0, then: [], otherwise: [{ kind: 'leave', label: 1 }] }],
        },
        output!
      ),
      body(
        constant!,
        {
          kind: 'loop',
          label: 1,
          body: [{ kind: 'if', condition: 1, then: [{ kind: 'leave', label: 1 }], otherwise: [] }],
        },
        output!
      ),
    ];
    const keys = [source, ...others].map(variantKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(variantKey(structuredClone(source))).toBe(variantKey(source));
  });

  test('devices share modules, and pipelines of a device share functions', async () => {
    const SEED = 2000;
    const [one, two] = [await open({ engine: 'auto' }), await open({ engine: 'auto' })];
    let compilations = 0;
    const Module = new Proxy(WebAssembly.Module, {
      construct: (target, args) => (compilations++, new target(...(args as [BufferSource]))),
    });
    vi.stubGlobal(
      'WebAssembly',
      new Proxy(WebAssembly, { get: (all, name) => (name === 'Module' ? Module : Reflect.get(all, name)) })
    );
    for (const device of [one, two]) {
      const pipelines = [0, 1].map(() => device.createRenderPipeline(descriptor(moduleOf(device, SEED))));
      const before = device.statistics().programs.functionTableSlots;
      const programs = await compiled(device, 2);
      // A module per stage, made for the first device; the second pipeline finds both stages on its device.
      expect(programs).toMatchObject({
        compiled: 2,
        emitted: device === one ? 2 : 0,
        fromCache: device === one ? 0 : 2,
        shared: 2,
      });
      const alone = await device.createRenderPipelineAsync(descriptor(moduleOf(device, SEED)));
      expect(device.statistics().programs).toMatchObject({
        compiled: 3,
        shared: 4,
        functionTableSlots: programs.functionTableSlots,
        moduleBytes: programs.moduleBytes,
      });
      expect(programs.functionTableSlots).toBeGreaterThan(before);
      expect(await frame(device, [alone, alone])).toEqual(await frame(device, pipelines));
    }
    expect(compilations).toBe(2);
    one.destroy();
    two.destroy();
  });
});

describe('pipelines that are created, used and dropped', () => {
  const steady = (device: StatisticsDevice): { bytesUsed: number; functionTableSlots: number; moduleBytes: number } => {
    const { memory, programs } = device.statistics();
    return {
      bytesUsed: memory.bytesUsed,
      functionTableSlots: programs.functionTableSlots,
      moduleBytes: programs.moduleBytes,
    };
  };
  test.each([
    ['auto', 225],
    ['jit', 150],
  ] as const)(
    'leave memory and table size constant: %s, %i of them',
    async (engine, all) => {
      const device = await open({ engine });
      const texture = target(device);
      /** In a separate function, so that no reference on the stack keeps the pipelines alive. */
      const some = async (from: number, count: number): Promise<void> => {
        for (let i = 0; i < count; i++) {
          const seed = 3000 + (from + i) * 2 + (engine === 'jit' ? 1 : 0);
          const pipeline = device.createRenderPipeline(descriptor(moduleOf(device, seed)));
          drawInto(device, texture, [pipeline]);
          await device.queue.onSubmittedWorkDone();
          // A pipeline that is dropped before its turn is not compiled.
          await compiled(device, from + i + 1);
          expect(pipeline.label).toBe('');
        }
      };
      const BATCH = 75;
      await some(0, BATCH);
      await settle();
      const before = steady(device);
      expect(before.moduleBytes).toBe(0);
      for (let from = BATCH; from < all; from += BATCH) {
        await some(from, BATCH);
        await settle();
      }
      const after = steady(device);
      expect(after).toEqual({ ...before, functionTableSlots: after.functionTableSlots });
      // Slots of the previous batch may not have been returned yet.
      expect(after.functionTableSlots).toBeLessThanOrEqual(before.functionTableSlots * 2);
      expect(device.statistics().programs.compiled).toBe(all);
      device.destroy();
    },
    120_000
  );

  test('code used by a queued pass stays', async () => {
    const device = await open({ engine: 'jit' });
    const texture = target(device);
    ((): void => drawInto(device, texture, [device.createRenderPipeline(descriptor(moduleOf(device, 9000)))]))();
    collect();
    expect(device.statistics().programs.moduleBytes).toBeGreaterThan(0);
    await device.queue.onSubmittedWorkDone();
    await settle();
    expect(device.statistics().programs.moduleBytes).toBe(0);
    device.destroy();
  });
});

test("a shader whose code finds no memory is interpreted, or an error with 'jit'", async () => {
  const url = new URL('../../../build/', import.meta.url).href;
  // Room for a device with its arena, and for bytecode.
  for (const engine of ['auto', 'jit'] as const) {
    const device = await open({ engine, kernelUrl: url });
    const module = moduleOf(device, 9100);
    const { write } = ModuleDirectory.prototype;
    vi.spyOn(ModuleDirectory.prototype, 'write').mockImplementation(function (
      this: ModuleDirectory,
      emittedModule,
      label
    ) {
      // Fails like the allocator when the budget is exhausted.
      return write.call(
        this,
        { ...emittedModule, bytes: { length: 0xf0000000 } as unknown as Uint8Array<ArrayBuffer> },
        label
      );
    });
    const errors: string[] = [];
    device.onuncapturederror = ({ error }) => void errors.push(error.message);
    const pipeline = device.createRenderPipeline(descriptor(module, 'large'));
    if (engine === 'jit')
      await expect
        .poll(() => errors)
        .toEqual([expect.stringMatching(/compiled vertex shader of pipeline "large" needs \d+ bytes/)]);
    else {
      await expect.poll(() => device.statistics().programs.interpreted).toBe(1);
      expect(errors).toEqual([]);
      await frame(device, [pipeline]);
    }
    vi.restoreAllMocks();
    device.destroy();
  }
});
