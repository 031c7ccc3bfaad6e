// What devices of one process share: checked modules, linked stages and compiled code.
import { describe, expect, test } from 'vitest';
import { sharedPrograms } from '../../src/engine';
import { defaultShaderLimits } from '../../src/base/shader-limits';
import { create, type CreateOptions } from '../../src/index';
import { scenes } from '../images/scenes';
import { openDevice } from '../images/scenes/kit';
import { draw, modulesChecked, newFolder, open, programsOf } from '../render/shader-cache/kit';

const SCENES = Object.keys(scenes).slice(0, 6);
const drawAll = async (device: GPUDevice): Promise<Uint8Array[]> => {
  const pictures: Uint8Array[] = [];
  for (const name of SCENES) pictures.push(await draw(device, name));
  return pictures;
};

const COMPUTE = (i: number): string => `@group(0) @binding(0) var<storage, read_write> v: array<u32>;
  @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { v[i] = i * ${i}u; }`;
async function dispatch(device: GPUDevice, code: string): Promise<number> {
  const module = device.createShaderModule({ code });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  const [buffer, copy] = [128 | 4, 1 | 8].map((usage) => device.createBuffer({ size: 16, usage }));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [{ binding: 0, resource: { buffer: buffer! } }];
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(buffer!, 0, copy!, 0, 16);
  device.queue.submit([encoder.finish()]);
  await copy!.mapAsync(1);
  return new Uint32Array(copy!.getMappedRange())[3]!;
}

describe('a second device', () => {
  const options: Record<string, () => CreateOptions> = {
    'compiled shaders': () => ({ engine: 'jit' }),
    'interpreted shaders': () => ({ engine: 'interpreter' }),
    'a shader cache that is empty': () => ({ engine: 'jit', shaderCache: newFolder() }),
  };
  for (const [name, make] of Object.entries(options))
    test(`compiles nothing that the first one has compiled, and draws the same bits (${name})`, async () => {
      const given = make();
      const gpu = create({ threads: 0, extensions: ['statistics'], ...given });
      const [first, second] = [await openDevice(gpu, {}, ['statistics']), await openDevice(gpu, {}, ['statistics'])];
      const wanted = await drawAll(first);
      const checked = await modulesChecked(async () => expect(await drawAll(second)).toEqual(wanted));
      expect(checked).toBe(0);
      expect(programsOf(second).emitted).toBe(0);
      for (const device of [first, second]) device.destroy();
    });

  test('runs after the first one is gone', async () => {
    const first = await open({ engine: 'jit' });
    expect(await dispatch(first, COMPUTE(5))).toBe(15);
    first.destroy();
    const second = await open({ engine: 'jit' });
    expect(await modulesChecked(async () => expect(await dispatch(second, COMPUTE(5))).toBe(15))).toBe(0);
    expect(programsOf(second).emitted).toBe(0);
  });

  test('with another engine, kernel or limit compiles its own code', async () => {
    expect(await dispatch(await open({ engine: 'jit' }), COMPUTE(6))).toBe(18);
    for (const given of [{ engine: 'interpreter' }, { simd: false }] as const)
      expect(await dispatch(await open(given), COMPUTE(6))).toBe(18);
    const small = await open({ engine: 'jit', shaderLimits: { codeBytes: 10 } });
    await expect(dispatch(small, COMPUTE(6))).rejects.toThrow(/code/);
    const limited = await open({ engine: 'jit', shaderLimits: { characters: 20 } });
    limited.pushErrorScope('validation');
    limited.createShaderModule({ code: COMPUTE(6) });
    expect((await limited.popErrorScope())!.message).toContain('20');
  });
});

describe('shared modules', () => {
  const programs = sharedPrograms(null);
  test('depend on text, features and limits', () => {
    const find = (code: string, features: readonly string[], characters = 1000): object =>
      programs.find(code, new Set(features), { ...defaultShaderLimits, characters });
    const first = find('const a = 1;', ['x', 'y']);
    expect(find('const a = 1;', ['y', 'x'])).toBe(first);
    expect(find('const a = 2;', ['x', 'y'])).not.toBe(first);
    expect(find('const a = 1;', ['x'])).not.toBe(first);
    expect(find('const a = 1;', ['x', 'y'], 999)).not.toBe(first);
  });
});
