// wgsl(): calls of functions and entry points with values of every type, and messages about mistakes.
import { describe, expect, test } from 'vitest';
import { ulps } from '../../src/test-kit/ulp';
import { wgsl, type ShaderArgument } from '../../src/test-kit/testing';

describe('a function', () => {
  test('is called with scalars', async () => {
    const code = `
      fn mix2(a: f32, b: f32, t: f32) -> f32 { return mix(a, b, t); }
      fn signed(a: i32, b: u32) -> i32 { return a - i32(b); }
      fn flip(a: bool) -> bool { return !a; }
      fn constant() -> u32 { return 0xffffffffu; }`;
    const module = wgsl(code);
    expect(await module.function('mix2')(1, 3, 0.25)).toBe(1.5);
    expect(await module.function('signed')(-5, 7)).toBe(-12);
    expect(await module.function('flip')(false)).toBe(true);
    expect(await module.function('constant')()).toBe(0xffff_ffff);
  });

  test('is called with vectors, matrices, arrays and structs', async () => {
    const module = wgsl(`
      struct Light { position: vec3f, on: bool, powers: array<f32, 2> }
      alias Two = array<vec2u, 2>;
      fn turn(m: mat2x3f, v: vec2f) -> vec3f { return m * v; }
      fn transposed(m: mat2x3<f32>) -> mat3x2f { return transpose(m); }
      fn swap(a: Two) -> Two { return Two(a[1], a[0].yx); }
      fn both(a: vec2<bool>, b: vec2<bool>) -> vec2<bool> { return a & b; }
      fn moved(light: Light, by: vec3f) -> Light {
        return Light(light.position + by, !light.on, array(light.powers[1], f32(light.on)));
      }`);
    expect(await module.function('turn')([1, 2, 3, 4, 5, 6], new Float32Array([1, 10]))).toEqual([41, 52, 63]);
    expect(await module.function('transposed')([1, 2, 3, 4, 5, 6])).toEqual([1, 4, 2, 5, 3, 6]);
    expect(
      await module.function('swap')([
        [1, 2],
        [3, 4],
      ])
    ).toEqual([
      [3, 4],
      [2, 1],
    ]);
    expect(await module.function('both')([true, false], [true, true])).toEqual([true, false]);
    const light = { position: [1, 2, 3], on: true, powers: [0.5, 8] };
    expect(await module.function('moved')(light, [1, 0, 0])).toEqual({
      position: [2, 2, 3],
      on: false,
      powers: [8, 1],
    });
  });

  test('passes every bit of floats, and f16', async () => {
    const module = wgsl(`enable f16;
      struct Halves { a: f16, b: vec3h, c: f32 }
      @group(0) @binding(0) var<storage, read_write> halves: Halves;
      @group(0) @binding(1) var<storage, read_write> list: array<f16>;
      fn same(a: f32) -> f32 { return a; }
      fn half(a: f16) -> f16 { return a * 2h; }
      @compute @workgroup_size(1) fn main() { halves.b *= halves.a; list[2] = f16(halves.c); }`);
    const variables = { halves: { a: 0.5, b: [1, 2, -3], c: 1.1 }, list: [1, 2, 3, 65504] };
    expect(await module.compute('main', { variables })).toEqual({
      halves: { a: 0.5, b: [0.5, 1, -1.5], c: Math.fround(1.1) },
      list: [1, 2, 1.099609375, 65504],
    });
    const values = [0, -0, 1e-45, -3.4e38, Infinity, NaN, 0.1].map(Math.fround);
    expect(await module.function('same').batch(values.map((value) => [value]))).toEqual(values);
    expect(await module.function('half')(0.25)).toBe(0.5);
  });

  test('gets pointers, and variables at module scope', async () => {
    const module = wgsl(`
      struct Camera { scale: f32, offset: vec3f }
      var<private> seed: u32 = 1;
      @group(0) @binding(2) var<uniform> camera: Camera;
      @group(1) @binding(0) var<storage, read> weights: array<vec3f>;
      fn next(state: ptr<function, u32>) -> u32 { *state = *state * 5u + 1u; return *state >> 1u; }
      fn reset(state: ptr<function, vec2f>) { *state = vec2f(9); }
      fn seeded(by: u32) -> u32 { seed += by; return seed; }
      fn project(i: u32) -> vec3f { return weights[i] * camera.scale + camera.offset; }
      fn count() -> u32 { return arrayLength(&weights); }`);
    expect(await module.function('next')(10)).toEqual({ value: 25, pointers: { state: 51 } });
    expect(await module.function('reset')([1, 2])).toEqual({ value: undefined, pointers: { state: [9, 9] } });
    expect(await module.function('seeded', { variables: { seed: 40 } }).batch([[1], [2]])).toEqual([41, 42]);
    const variables = {
      camera: { scale: 2, offset: [0, 1, 0] },
      weights: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    };
    expect(await module.function('project', { variables })(1)).toEqual([8, 11, 12]);
    expect(await module.function('count', { variables })()).toBe(2);
  });

  test('may be an entry point, which gets its built-ins and inputs as arguments', async () => {
    const module = wgsl(`
      struct Out { @builtin(position) place: vec4f, @location(0) @interpolate(flat) tint: u32 }
      @vertex fn vs(@builtin(vertex_index) i: u32, @location(1) shift: vec2f) -> Out {
        return Out(vec4f(f32(i) + shift.x, shift.y, 0, 1), i * 3u); // @vertex fn in a comment (
      }
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return p / 2; }
      override size = 4;
      @compute @workgroup_size(size, (1 + 1)) fn cs(@builtin(global_invocation_id) id: vec3u) { _ = id; }`);
    expect(await module.function('vs')(2, [0.5, 1])).toEqual({ place: [2.5, 1, 0, 1], tint: 6 });
    expect(await module.function('fs')([2, 4, 6, 8])).toEqual([1, 2, 3, 4]);
  });

  test('uses values of overrides', async () => {
    const code = 'override quality: f32; @id(7) override steps = 2u; fn f() -> f32 { return quality * f32(steps); }';
    expect(await wgsl(code, { constants: { quality: 1.5, 7: 4 } }).function('f')()).toBe(6);
    await expect(wgsl(code).function('f')()).rejects.toThrow('overrides without defaults need values: wgsl(code, {');
  });

  test('is called many times in one dispatch', async () => {
    const square = wgsl('fn square(x: f32) -> f32 { return x * x; }').function<number>('square');
    const inputs = Array.from({ length: 10_001 }, (_, i) => [i / 16]);
    const results = await square.batch(inputs);
    expect(results).toHaveLength(10_001);
    expect(Math.max(...results.map((value, i) => ulps(value, inputs[i]![0]! ** 2)))).toBe(0);
    expect(await square.batch([])).toEqual([]);
  });

  test('runs on the device of the application', async () => {
    const { create } = await import('../../src/index');
    const device = await (await create({ threads: 0 }).requestAdapter())!.requestDevice();
    expect(await wgsl('fn f() -> i32 { return 3; }', { device }).function('f')()).toBe(3);
    device.destroy();
  });
});

test('a compute entry point runs over arrays', async () => {
  const module = wgsl(`
    struct Particle { place: vec3f, speed: f32 }
    @group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
    @group(0) @binding(1) var<uniform> step: f32;
    @group(0) @binding(2) var<storage, read_write> total: array<u32, 3>;
    @compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u) {
      if (id.x >= arrayLength(&particles)) { return; }
      particles[id.x].place += vec3f(particles[id.x].speed * step);
      total[id.x] = id.x + 1;
    }`);
  const particles = [
    { place: [0, 1, 2], speed: 4 },
    { place: [5, 5, 5], speed: -2 },
    { place: [0, 0, 0], speed: 0 },
  ];
  const variables = { particles, step: 0.5, total: [0, 0, 0] };
  expect(await module.compute('main', { variables, workgroups: 2 })).toEqual({
    particles: [
      { place: [2, 3, 4], speed: 4 },
      { place: [4, 4, 4], speed: -2 },
      { place: [0, 0, 0], speed: 0 },
    ],
    total: [1, 2, 3],
  });
  expect((await module.compute('main', { variables })).total).toEqual([1, 2, 0]);
});

describe('an error', () => {
  test('in the module is placed in the file that contains it', async () => {
    const broken = wgsl(`fn fine() -> f32 { return 1; }
      fn broken(x: f32) -> f32 { return nothing; }`);
    const lines = (await import('node:fs')).readFileSync('tests/test-kit/shaders.test.ts', 'utf8').split('\n');
    const line = lines.findIndex((each) => each.includes('return nothing')) + 1;
    const column = lines[line - 1]!.indexOf('nothing') + 1;
    await expect(broken.function('fine')()).rejects.toThrow(
      `unknown identifier 'nothing'\n --> tests/test-kit/shaders.test.ts:${line}:${column}`
    );
    const other = wgsl('fn f() -> u32 { return 1.5; }', { file: 'shaders/light.wgsl' });
    await expect(other.function('f')()).rejects.toThrow(' --> shaders/light.wgsl:1:24');
    const both = 'var<workgroup> w: f32; fn f(x: f32) -> f32 { return dpdx(x) + w; }';
    await expect(wgsl(both, { file: 'shaders/edge.wgsl' }).function('f')(1)).rejects.toThrow(
      ' --> shaders/edge.wgsl:1:63'
    );
    await expect(wgsl(['fn f', '( {'].join('')).function('f')()).rejects.toThrow(' --> shader:1:');
  });

  test.each<[string, string, readonly unknown[], string]>([
    ['fn f(a: f32, b: vec2u) {}', 'f', [1], 'f takes 2 arguments (a: f32, b: vec2u), not 1'],
    ['fn f(a: f32) {}', 'g', [1], 'the module has no function "g"; it has f'],
    ['fn f(a: f32) {}', 'f', ['x' as unknown as number], 'f: a must be a number for f32, not "x"'],
    ['fn f(a: u32) {}', 'f', [-1], 'f: a must be an integer of u32, not -1'],
    ['fn f(a: bool) {}', 'f', [1], 'f: a must be true or false, not 1'],
    ['fn f(a: vec3f) {}', 'f', [[1, 2]], 'f: a must be an array of 3 for vec3f, not one of 2'],
    ['struct S { x: f32 } fn f(a: S) {}', 'f', [{ y: 1 }], 'f: a has a member "y", which S has not'],
    ['struct S { x: f32 } fn f(a: S) {}', 'f', [{}], 'f: a.x must be a number for f32, not undefined'],
    [
      'fn f(t: texture_2d<f32>) {}',
      'f',
      [1],
      'f: t must be a texture for texture_2d<f32>: a GPUTexture, a GPUTextureV',
    ],
    ['fn f(s: sampler) {}', 'f', [1], 'f: s must be a sampler for sampler: a GPUSampler or its descriptor'],
    ['fn f(t: texture_2d<f32>) {}', 'f', [{ width: 2, data: [1] }], 'f: t: 2 texels must have 1, 2 or 4 numbers each'],
    [
      'fn f(t: texture_2d<f32>) {}',
      'f',
      [{ width: 2, data: [1, 2], format: 'bc1-rgba-unorm' }],
      'f: t: texels of the format bc1-rgba-unorm cannot be given; pass a texture of your own device',
    ],
    [
      'fn f(t: texture_2d<u32>) {}',
      'f',
      [{ width: 1, data: Float32Array.of(1) }],
      'f: t: a texture_2d<u32> cannot be made of a Float32Array; pass a plain array',
    ],
    [
      'fn f(t: texture_2d<f32>) {}',
      'f',
      [{ width: 2, height: 2, data: [1, 2, 3, 4], levels: [[5, 6]] }],
      'f: t: level 1 must have 1 numbers for 1×1×1 texels of r32float, not 2',
    ],
    [
      'fn f(t: texture_depth_multisampled_2d) {}',
      'f',
      [{ width: 2 }],
      'f: t is a texture_depth_multisampled_2d, which cannot be made of texels; pass one of your own device',
    ],
    ['fn f(a: array<f32, 5000>) {}', 'f', [[]], 'the type array<f32, 5000> of 5000 words; the most is 4096'],
    [
      'fn f(x: f32) -> f32 { workgroupBarrier(); return dpdx(x); }',
      'f',
      [1],
      'or in a fragment stage if it uses derivatives, implicit levels or discard; this one needs something of either',
    ],
    [
      '@group(0) @binding(0) var<uniform> k: f32; fn f() -> f32 { return k; }',
      'f',
      [],
      'k, which the layout does not have; pass its value: { variables: { k: … } }',
    ],
  ])('in a call of %s is named', async (code, name, values, message) => {
    await expect(wgsl(code).function(name)(...(values as ShaderArgument[]))).rejects.toThrow(message);
  });

  test('in variables is named', async () => {
    const module = wgsl('var<workgroup> w: f32; @group(0) @binding(0) var<uniform> k: vec2f; fn f() {}');
    const entry = wgsl('var<workgroup> w: f32; @compute @workgroup_size(1) fn f() { w = 1; }');
    const call = (variables: Record<string, ShaderArgument>): Promise<unknown> => module.function('f', { variables })();
    await expect(call({ q: 1 })).rejects.toThrow('the module has no variable "q"');
    await expect(entry.compute('f', { variables: { w: 1 } })).rejects.toThrow(
      'w is workgroup, and an entry point starts with its own value'
    );
    await expect(call({ k: 1 })).rejects.toThrow('the variable k must be an array of 2 for vec2f, not 1');
    const immediate = wgsl('requires immediate_address_space; var<immediate> i: u32; fn f() {}');
    await expect(immediate.function('f', { variables: { i: 1 } })()).rejects.toThrow(
      'i is in the address space immediate, which cannot have values here'
    );
    await expect(module.compute('f')).rejects.toThrow('wgsl: f cannot run');
    expect(() => wgsl(5 as unknown as string)).toThrow('wgsl: the code must be a string');
    expect(() => wgsl('', { files: '' } as object)).toThrow(
      'unknown option files; options are file, constants, device'
    );
  });

  test('in one of many calls names the call', async () => {
    const f = wgsl('fn f(a: f32) {}').function('f');
    await expect(f.batch([[1], [true]])).rejects.toThrow('call 1: f: a must be a number for f32, not true');
  });
});
