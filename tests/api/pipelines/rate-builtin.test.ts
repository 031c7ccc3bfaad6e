// Pipelines whose shaders use @builtin(shading_rate): the feature, and the limit of variables between stages.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipelineDevice } from '../../../src/index';
import { builtPackage } from '../../images/open';
import { open } from '../../threads/open';

type Device = GPUDevice & ModularPipelineDevice;

const outputs = (count: number): string =>
  Array.from({ length: count }, (_, i) => `@location(${i}) l${i}: f32,`).join(' ');
const CODE = `enable modular_pipelines; enable shading_rate;
  struct Most { @builtin(position) p: vec4f, @builtin(shading_rate) rate: u32, ${outputs(15)} }
  struct TooMany { @builtin(position) p: vec4f, @builtin(shading_rate) rate: u32, ${outputs(16)} }
  @vertex fn most() -> Most { return Most(); }
  @vertex fn tooMany() -> TooMany { return TooMany(); }
  @fragment fn fs() -> @location(0) vec4f { return vec4f(); }
  @fragment fn all(@builtin(shading_rate) rate: u32, ${outputs(15)}) -> @location(0) vec4f { return vec4f(l0); }
  @fragment fn more(
    @builtin(shading_rate) rate: u32, @builtin(front_facing) front: bool, ${outputs(15)}
  ) -> @location(0) vec4f { return vec4f(l0); }`;

describe('@builtin(shading_rate)', () => {
  let device: Device;
  let module: GPUShaderModule;
  beforeAll(async () => {
    device = (await open({ threads: 0 })) as unknown as Device;
    module = device.createShaderModule({ code: CODE });
  });
  afterAll(() => device.destroy());

  async function errorOf(act: () => unknown): Promise<string | undefined> {
    device.pushErrorScope('validation');
    act();
    return (await device.popErrorScope())?.message;
  }
  const fragment = (entryPoint: string): GPUFragmentState => ({
    module,
    entryPoint,
    targets: [{ format: 'rgba8unorm' }],
  });
  const made = (
    vertex: string,
    shades = 'fs',
    topology: GPUPrimitiveTopology = 'triangle-list'
  ): Promise<string | undefined> =>
    errorOf(() =>
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module, entryPoint: vertex },
        fragment: fragment(shades),
        primitive: { topology },
      })
    );
  const table = (entryPoint: string, topology: GPUPrimitiveTopology = 'triangle-list'): Promise<string | undefined> =>
    errorOf(() =>
      device.createModularPipeline({
        layout: 'auto',
        input: { topology },
        stages: [{ kind: 'vertex', module, entryPoint }],
        sinks: [{ raster: { fragment: fragment('fs') } }],
      })
    );

  test('requires the feature', async () => {
    const other = await (await (await builtPackage()).create({ threads: 0 }).requestAdapter())!.requestDevice();
    other.pushErrorScope('validation');
    other.createShaderModule({ code: 'enable shading_rate;' });
    expect((await other.popErrorScope())!.message).toContain(
      "extension 'shading_rate' needs the device feature 'shading-rate'"
    );
    other.destroy();
  });

  test('counts as an inter-stage variable', async () => {
    const written = 'writes 16 locations and @builtin(shading_rate), which counts as one; there are 16';
    expect(await made('most')).toBeUndefined();
    expect(await made('tooMany')).toContain(`entry point "tooMany" ${written} (maxInterStageShaderVariables)`);
    expect(await made('most', 'fs', 'point-list')).toContain(
      'writes 15 locations and @builtin(shading_rate), which counts as one; there are 15'
    );
    expect(await table('most')).toBeUndefined();
    expect(await table('tooMany')).toContain(`slot 0 ("tooMany") ${written}`);
    expect(await table('most', 'point-list')).toContain(
      'writes 15 locations and @builtin(shading_rate), which counts as one; for points there are 15'
    );
  });

  test('counts as an input of a fragment shader', async () => {
    expect(await made('most', 'all')).toBeUndefined();
    expect(await made('most', 'more')).toContain(
      'entry point "more" reads 17 locations and builtins; there are 16 (maxInterStageShaderVariables)'
    );
  });
});
