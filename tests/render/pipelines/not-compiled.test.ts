// Shaders that cannot be compiled: the platform forbids it, or they are too large. The tests load modules anew.
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { StatisticsDevice } from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { compiled, descriptor, frame, moduleOf, open } from './engines.kit';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const reference = await (async (): Promise<string> => {
  const device = await open({ engine: 'interpreter' });
  const pixels = await frame(device, [device.createRenderPipeline(descriptor(moduleOf(device)))]);
  device.destroy();
  return pixels;
})();

describe('where the platform forbids compilation', () => {
  /** Forbids compilation from now on, like a Content-Security-Policy; kernels are already compiled. */
  function forbid(): void {
    const refusal = (): never => {
      throw new WebAssembly.CompileError('Wasm code generation disallowed by embedder');
    };
    const Module = new Proxy(WebAssembly.Module, { construct: refusal });
    const forbidden: Record<string | symbol, unknown> = { Module, compile: () => Promise.resolve().then(refusal) };
    vi.stubGlobal(
      'WebAssembly',
      new Proxy(WebAssembly, { get: (all, name) => forbidden[name] ?? Reflect.get(all, name) })
    );
  }
  /** Returns `open` of freshly loaded modules, which have not issued the warning yet. */
  async function fresh(): Promise<(options: CreateOptions) => Promise<StatisticsDevice>> {
    vi.resetModules();
    const kit = await import('./engines.kit');
    // One GPU object for all devices, so that a kernel is loaded once.
    (await kit.open({ engine: 'interpreter' })).destroy();
    return kit.open;
  }

  test("'auto' interprets and warns once; 'jit' is an error with advice", async () => {
    const openFresh = await fresh();
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    forbid();
    const devices = [await openFresh({ engine: 'auto' }), await openFresh({ engine: 'auto' })];
    for (const device of devices) {
      expect(await frame(device, [device.createRenderPipeline(descriptor(moduleOf(device)))])).toEqual(reference);
      expect(device.statistics().programs).toMatchObject({ engine: 'interpreter', interpreted: 1 });
      device.destroy();
    }
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(
        /^Rasterloom: shaders are interpreted.*Wasm code generation disallowed by embedder.*Content-Security-Policy/
      )
    );
    await expect(openFresh({ engine: 'jit' })).rejects.toThrow(
      new RegExp(
        /create\(\{ engine: 'jit' \}\): this platform does not compile WebAssembly at run time /.source
          + /.*'wasm-unsafe-eval'.* or use engine: 'auto'/.source
      )
    );
    await expect(openFresh({ engine: 'interpreter' })).resolves.toBeDefined();
  });

  test('a pipeline whose later compilation fails is interpreted', async () => {
    const openFresh = await fresh();
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const device = await openFresh({ engine: 'auto' });
    forbid();
    const pipeline = await device.createRenderPipelineAsync(descriptor(moduleOf(device)));
    expect(device.statistics().programs).toMatchObject({ engine: 'jit', compiled: 0, interpreted: 1 });
    expect(warn).toHaveBeenCalledOnce();
    expect(await frame(device, [pipeline])).toEqual(reference);
    device.destroy();
  });
});

test("a shader too large to compile is interpreted, or an error with 'jit'", async () => {
  vi.resetModules();
  const { ProgramTooLargeError } = await import('../../../src/base/errors');
  const emittingModule = (): never => {
    throw new ProgramTooLargeError("the fragment shader 'fs' is too large to be compiled");
  };
  vi.doMock('../../../src/codegen/jit', async (original) => ({ ...(await original<object>()), emittingModule }));
  const { open: openSmall } = await import('./engines.kit');
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const [auto, forced] = [await openSmall({ engine: 'auto' }), await openSmall({ engine: 'jit' })];
  const pipelines = [
    auto.createRenderPipeline(descriptor(moduleOf(auto))),
    await auto.createRenderPipelineAsync(descriptor(moduleOf(auto))),
  ];
  expect(await compiled(auto, 2)).toMatchObject({ engine: 'jit', compiled: 0, interpreted: 2 });
  for (const pipeline of pipelines) expect(await frame(auto, [pipeline])).toEqual(reference);
  expect(warn).not.toHaveBeenCalled();
  forced.pushErrorScope('internal');
  forced.createRenderPipeline(descriptor(moduleOf(forced), 'big'));
  expect((await forced.popErrorScope())?.message).toBe(
    '[RenderPipeline "big"] createRenderPipeline: the fragment shader \'fs\' is too large to be compiled'
  );
  const before = forced.statistics().memory.bytesUsed;
  await expect(forced.createRenderPipelineAsync(descriptor(moduleOf(forced), 'big'))).rejects.toMatchObject({
    name: 'GPUPipelineError',
    reason: 'internal',
  });
  expect(forced.statistics().memory.bytesUsed).toBe(before);
  vi.doUnmock('../../../src/codegen/jit');
  auto.destroy();
  forced.destroy();
});
