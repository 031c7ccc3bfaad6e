// Shader modules through the API: messages, entry points, constants, default layouts, asynchronous pipelines.
import { describe, expect, test } from 'vitest';
import { ProgramTooLargeError } from '../../../src/base/errors';
import { apiDevice, classes, validationError } from '../fake';
import { GPUBufferUsage, GPUTextureUsage } from '../../support/flags';

const TARGET: GPUColorTargetState = { format: 'rgba8unorm' };

describe('getCompilationInfo', () => {
  test('reports every error, with offsets in UTF-16 units', async () => {
    const { device } = await apiDevice();
    const code = '// ü 😀\nfn a() { let x: i32 = 1.5; }\n/* 😀 */ fn b() -> i32 { return nope; }\n';
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ label: 'two errors', code });
    const error = await device.popErrorScope();
    expect(error!.message).toMatch(
      /^\[ShaderModule "two errors"\] createShaderModule: 2 errors in the WGSL\n\nerror\[/
    );
    expect(error!.message).toMatch(/3 \| \/\* 😀 \*\/ fn b\(\) -> i32 \{ return nope; \}\n/);
    const { messages } = await module.getCompilationInfo();
    expect(messages).toHaveLength(2);
    expect(Object.isFrozen(messages)).toBe(true);
    const last = messages[1]!;
    expect(last).toBeInstanceOf(classes['GPUCompilationMessage']);
    const offset = code.indexOf('nope');
    expect([last.type, last.lineNum, last.linePos, last.offset, last.length]).toEqual([
      'error',
      3,
      offset - code.indexOf('/*') + 1,
      offset,
      4,
    ]);
    expect(last.message).toMatch(/nope/);
    expect(messages[0]!.lineNum).toBe(2);
  });
  test('is empty for a valid module', async () => {
    const { device } = await apiDevice();
    const info = await device.createShaderModule({ code: 'const x = 1;' }).getCompilationInfo();
    expect(info).toBeInstanceOf(classes['GPUCompilationInfo']);
    expect(info.messages).toEqual([]);
  });
  test('an invalid module makes pipelines invalid', async () => {
    const { device } = await apiDevice();
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ label: 'bad', code: 'fn' });
    await device.popErrorScope();
    expect(
      await validationError(device, () =>
        device.createRenderPipeline({ label: 'p', layout: 'auto', vertex: { module } })
      )
    ).toMatch(/^\[RenderPipeline "p"\] createRenderPipeline: \[ShaderModule "bad"\] is invalid/);
  });
});

describe('pipelines', async () => {
  const { device, fake } = await apiDevice();
  const build = (
    code: string,
    more: Partial<GPURenderPipelineDescriptor> = {},
    constants?: Record<string, number>
  ): GPURenderPipeline => {
    const module = device.createShaderModule({ code });
    return device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [TARGET], ...(constants ? { constants } : {}) },
      ...more,
    });
  };
  const VS = '@vertex fn v() -> @builtin(position) vec4f { return vec4f(); }';

  test('the only entry point of a stage need not be named', async () => {
    expect(
      await validationError(device, () => build(`${VS} @fragment fn f() -> @location(0) vec4f { return vec4f(); }`))
    ).toBeNull();
    expect(await validationError(device, () => build(VS))).toMatch(
      /fragment: \[ShaderModule \(unlabeled\)\]: entryPoint is omitted, but it has no @fragment entry point/
    );
  });

  const overrides = `
    ${VS}
    @id(7) override a: f32 = 0.5; override b: u32;
    @fragment fn f() -> @location(0) vec4f { return vec4f(a, f32(b), 0, 1); }
  `;
  test('constants by name and by id', async () => {
    expect(await validationError(device, () => build(overrides, {}, { 7: 0.25, b: 3 }))).toBeNull();
    expect(await validationError(device, () => build(overrides, {}, { b: 3 }))).toBeNull();
  });
  test.each<[string, Record<string, number>, RegExp]>([
    ['missing', {}, /override 'b'/],
    ['unknown', { b: 1, c: 1 }, /has no override "c"; it has "7", "b"/],
    ['by name in spite of @id', { a: 1, b: 1 }, /"a" has @id\(7\); use that number as the key/],
    ['does not fit', { b: -1 }, /-1/],
  ])('invalid constants: %s', async (_name, constants, message) => {
    expect(await validationError(device, () => build(overrides, {}, constants))).toMatch(message);
  });

  test('a default layout merges the bindings of both stages', async () => {
    const code = `
      struct A { x: vec4f }; @group(0) @binding(3) var<uniform> a: A;
      @group(1) @binding(0) var t: texture_cube<f32>; @group(1) @binding(1) var s: sampler;
      @group(1) @binding(2) var<storage> list: array<vec2u>;
      @vertex fn v() -> @builtin(position) vec4f { return a.x; }
      @fragment fn f() -> @location(0) vec4f { return textureSample(t, s, a.x.xyz) + f32(list[0].x); }`;
    const pipeline = build(code);
    const cube = device
      .createTexture({ size: [4, 4, 6], format: 'rgba8unorm', usage: GPUTextureUsage.TEXTURE_BINDING })
      .createView({ dimension: 'cube' });
    const uniform = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM });
    const storage = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
    expect(
      await validationError(device, () => {
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding: 3, resource: uniform }],
        });
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(1),
          entries: [
            { binding: 0, resource: cube },
            { binding: 1, resource: device.createSampler() },
            { binding: 2, resource: { buffer: storage } },
          ],
        });
      })
    ).toBeNull();
    const small = device.createBuffer({ size: 12, usage: GPUBufferUsage.UNIFORM });
    expect(
      await validationError(device, () =>
        device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 3, resource: small }] })
      )
    ).toMatch(/size 12 is less than the 16 bytes/);
  });
  test('one binding cannot have two resource types', async () => {
    const code = `
      @group(0) @binding(0) var<uniform> a: vec4f; @group(0) @binding(0) var s: sampler;
      @group(0) @binding(1) var t: texture_2d<f32>;
      @vertex fn v() -> @builtin(position) vec4f { return a; }
      @fragment fn f() -> @location(0) vec4f { return textureSampleLevel(t, s, vec2f(), 0); }`;
    expect(await validationError(device, () => build(code))).toMatch(
      /is a different kind of resource in the other stage/
    );
  });

  test('asynchronous: errors reject, and reach no error scope', async () => {
    const module = device.createShaderModule({
      code: `${VS} @fragment fn f() -> @location(0) vec4f { return vec4f(); }`,
    });
    const good = await device.createRenderPipelineAsync({
      label: 'x',
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [TARGET] },
    });
    expect(good).toBeInstanceOf(classes['GPURenderPipeline']);
    expect(good.label).toBe('x');
    device.pushErrorScope('validation');
    const error: unknown = await device
      .createRenderPipelineAsync({ label: 'y', layout: 'auto', vertex: { module, entryPoint: 'g' } })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(classes['GPUPipelineError']);
    expect(error).toMatchObject({
      reason: 'validation',
      message: expect.stringMatching(
        /^\[RenderPipeline "y"\] createRenderPipelineAsync: .*has no entry point "g"/
      ) as string,
    });
    expect(await device.popErrorScope()).toBeNull();
  });
  test('a shader that is too large is an internal error', async () => {
    const module = device.createShaderModule({
      code: `${VS} @fragment fn f() -> @location(0) vec4f { return vec4f(); }`,
    });
    const descriptor: GPURenderPipelineDescriptor = {
      label: 'huge',
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [TARGET] },
    };
    const { createPipeline } = fake;
    fake.createPipeline = () => {
      throw new ProgramTooLargeError('it needs 70000 registers');
    };
    device.pushErrorScope('internal');
    device.createRenderPipeline(descriptor);
    const error = await device.popErrorScope();
    expect(error).toBeInstanceOf(classes['GPUInternalError']);
    expect(error!.message).toMatch(/\[RenderPipeline "huge"\] createRenderPipeline: it needs 70000 registers/);
    await expect(device.createRenderPipelineAsync(descriptor)).rejects.toMatchObject({ reason: 'internal' });
    fake.createPipeline = createPipeline;
  });
  test('a compute pipeline rejects with the error', async () => {
    const module = device.createShaderModule({ code: '@compute @workgroup_size(512) fn c() {}' });
    await expect(device.createComputePipelineAsync({ layout: 'auto', compute: { module } })).rejects.toThrow(
      /@workgroup_size\(512, 1, 1\): 512 exceeds maxComputeWorkgroupSizeX 256/
    );
  });
});
