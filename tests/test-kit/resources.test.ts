// wgsl(): textures, samplers, pointers to buffers and workgroups, and functions that need pixels.
import { describe, expect, test } from 'vitest';
import { wgsl } from '../../src/test-kit/testing';

const LINEAR = { magFilter: 'linear', minFilter: 'linear' } as const;

describe('textures and samplers', () => {
  test('are arguments, from texels and descriptors', async () => {
    const module = wgsl(`
      fn texel(t: texture_2d<f32>, at: vec2u) -> vec4f { return textureLoad(t, at, 0); }
      fn sampled(t: texture_2d<f32>, s: sampler, uv: vec2f) -> f32 { return textureSampleLevel(t, s, uv, 0).r; }
      fn ints(t: texture_2d_array<i32>, layer: u32) -> vec4i { return textureLoad(t, vec2u(1, 0), layer, 0); }
      fn line(t: texture_1d<u32>) -> vec2u { return vec2u(textureDimensions(t), textureLoad(t, 2, 0).g); }
      fn block(t: texture_3d<f32>) -> vec3f {
        return vec3f(textureDimensions(t)) + textureLoad(t, vec3u(0, 0, 1), 0).r;
      }
      fn side(t: texture_cube<f32>, s: sampler, d: vec3f) -> f32 { return textureSampleLevel(t, s, d, 0).x; }
      fn lit(t: texture_depth_2d, s: sampler_comparison, z: f32) -> f32 {
        return textureSampleCompareLevel(t, s, vec2f(0.5), z);
      }
      fn level(t: texture_2d<f32>, s: sampler, l: f32) -> f32 { return textureSampleLevel(t, s, vec2f(0.5), l).r; }
      fn levels(t: texture_2d<f32>) -> u32 { return textureNumLevels(t); }`);
    const bytes = { width: 2, height: 1, data: Uint8Array.of(255, 0, 51, 255, 0, 102, 0, 0) };
    expect(
      await module.function('texel').batch([
        [bytes, [0, 0]],
        [bytes, [1, 0]],
      ])
    ).toEqual([
      [1, 0, Math.fround(0.2), 1],
      [0, Math.fround(0.4), 0, 0],
    ]);
    const floats = { width: 2, data: [10, 20] };
    expect(await module.function('sampled')(floats, LINEAR, [0.5, 0.5])).toBe(15);
    expect(await module.function('sampled')(floats, {}, [0.51, 0.5])).toBe(20);
    const layers = { width: 2, layers: 2, data: Int16Array.of(1, -2, 3, -4) };
    expect(await module.function('ints')(layers, 1)).toEqual([-4, 0, 0, 1]);
    expect(await module.function('line')({ width: 3, data: new Uint32Array([1, 2, 3, 4, 5, 6]) })).toEqual([3, 6]);
    expect(await module.function('block')({ width: 1, layers: 2, data: [7, 8] })).toEqual([9, 9, 10]);
    const cube = { width: 1, data: [1, 2, 3, 4, 5, 6] };
    expect(
      await module.function('side').batch([
        [cube, {}, [0, 1, 0]],
        [cube, {}, [0, 0, -1]],
      ])
    ).toEqual([3, 6]);
    const depths = { width: 1, data: [0.5] };
    expect(
      await module.function('lit').batch([
        [depths, {}, 0.4],
        [depths, {}, 0.6],
      ])
    ).toEqual([1, 0]);
    expect(await module.function('lit')(depths, { compare: 'greater' }, 0.6)).toBe(1);
    const mips = { width: 4, height: 2, data: new Float32Array(8), levels: [[8, 8], [16]] };
    expect(
      await module.function('level').batch([0, 1, 1.5, 2].map((l) => [mips, { mipmapFilter: 'linear' }, l]))
    ).toEqual([0, 8, 12, 16]);
    expect(await module.function('levels')({ width: 1, format: 'rgba8unorm-srgb' })).toBe(1);
  });

  test('are variables at module scope', async () => {
    const module = wgsl(`
      @group(0) @binding(0) var colours: texture_2d<f32>;
      @group(0) @binding(1) var nearest: sampler;
      fn at(uv: vec2f) -> vec4f { return textureSampleLevel(colours, nearest, uv, 0); }`);
    const colours = { width: 1, height: 2, data: new Uint8Array([0, 0, 0, 255, 255, 255, 255, 255]) };
    const at = module.function('at', { variables: { colours, nearest: {} } });
    expect(await at.batch([[[0, 0.2]], [[0, 0.8]]])).toEqual([
      [0, 0, 0, 1],
      [1, 1, 1, 1],
    ]);
    await expect(module.function('at', { variables: { colours } })([0, 0])).rejects.toThrow(
      'nearest, which the layout does not have; pass its value: { variables: { nearest: … } }'
    );
  });

  test('may be objects of the application', async () => {
    const { create } = await import('../../src/index');
    const device = await (await create({ threads: 0 }).requestAdapter())!.requestDevice();
    const texture = device.createTexture({ size: [1, 1], format: 'rgba8unorm', usage: 2 | 4 });
    device.queue.writeTexture({ texture }, Uint8Array.of(0, 255, 0, 255), {}, [1, 1]);
    const code = 'fn f(t: texture_2d<f32>, s: sampler) -> f32 { return textureSampleLevel(t, s, vec2f(), 0).g; }';
    const f = wgsl(code, { device }).function('f');
    expect(await f(texture, device.createSampler())).toBe(1);
    expect(await f(texture.createView(), {})).toBe(1);
    device.destroy();
  });

  test('that a compute entry point writes are returned as pixels', async () => {
    const { compute } = wgsl(`
      @group(0) @binding(0) var out: texture_storage_2d<rgba8unorm, write>;
      @group(0) @binding(1) var heights: texture_storage_2d<r32float, read_write>;
      @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
        textureStore(out, id.xy, vec4f(f32(id.x) / 3, 0, 1, 1));
        textureStore(heights, id.xy, textureLoad(heights, id.xy) * 2);
      }`);
    const variables = { out: { width: 4 }, heights: { width: 4, data: [1, 2, 3, 4] } };
    expect(await compute('main', { variables })).toEqual({
      out: {
        width: 4,
        height: 1,
        data: Uint8ClampedArray.of(0, 0, 255, 255, 85, 0, 255, 255, 170, 0, 255, 255, 255, 0, 255, 255),
      },
      heights: { width: 4, height: 1, data: Float32Array.of(2, 4, 6, 8) },
    });
  });
});

describe('pointers', () => {
  test('to private and workgroup variables hold values after the call', async () => {
    const module = wgsl(`
      struct Sum { count: atomic<u32>, parts: array<atomic<i32>, 2>, scale: f32 }
      fn next(p: ptr<private, vec2u>) -> u32 { (*p).x += 1; return (*p).x * (*p).y; }
      fn add(p: ptr<workgroup, Sum>, by: i32) {
        atomicAdd(&(*p).count, 1u);
        atomicAdd(&(*p).parts[1], by);
        (*p).scale *= 2;
      }`);
    expect(await module.function('next').batch([[[1, 3]], [[5, 2]]])).toEqual([
      { value: 6, pointers: { p: [2, 3] } },
      { value: 12, pointers: { p: [6, 2] } },
    ]);
    const sum = (count: number) => ({ count, parts: [7, -1], scale: 0.5 });
    expect(
      await module.function('add').batch([
        [sum(1), -4],
        [sum(8), 9],
      ])
    ).toEqual([
      { value: undefined, pointers: { p: { count: 2, parts: [7, -5], scale: 1 } } },
      { value: undefined, pointers: { p: { count: 9, parts: [7, 8], scale: 1 } } },
    ]);
  });

  test('to storage and uniform buffers, also with arrays of any length', async () => {
    const module = wgsl(`
      struct Light { place: vec3f, power: f32 }
      fn total(list: ptr<storage, array<f32>>) -> f32 {
        var sum = 0f;
        for (var i = 0u; i < arrayLength(list); i++) { sum += (*list)[i]; }
        return sum;
      }
      fn shift(light: ptr<storage, Light, read_write>, by: f32) -> f32 {
        (*light).place.y += by;
        return (*light).power;
      }
      fn power(light: ptr<uniform, Light>) -> f32 { return (*light).power; }
      fn count(n: ptr<storage, atomic<u32>, read_write>) -> u32 { return atomicAdd(n, 2u); }`);
    const list = [1, 2, 3.5];
    expect(await module.function('total').batch([[list], [[4]], [list]])).toEqual([6.5, 4, 6.5]);
    const light = { place: [1, 2, 3], power: 5 };
    expect(
      await module.function('shift').batch([
        [light, 1],
        [light, 4],
      ])
    ).toEqual([
      { value: 5, pointers: { light: { place: [1, 3, 3], power: 5 } } },
      { value: 5, pointers: { light: { place: [1, 6, 3], power: 5 } } },
    ]);
    expect(await module.function('power')(light)).toBe(5);
    expect(await module.function('count')(40)).toEqual({ value: 40, pointers: { n: 42 } });
  });
});

test('workgroups and subgroups belong to one call', async () => {
  const module = wgsl(`enable subgroups;
    var<workgroup> shared_: array<f32, 2>;
    var<workgroup> hits: atomic<u32>;
    fn sum(x: f32) -> f32 { shared_[0] += x; workgroupBarrier(); return shared_[0] + shared_[1]; }
    fn hit() -> u32 { return atomicAdd(&hits, 1u); }
    fn grouped(x: u32) -> u32 { return subgroupAdd(x); }`);
  const sum = module.function('sum', { variables: { shared_: [0, 10] } });
  expect(await sum.batch([[1], [2], [3]])).toEqual([11, 12, 13]);
  expect(await module.function('hit', { variables: { hits: 5 } }).batch([[], []])).toEqual([5, 5]);
  expect(await module.function('hit').batch([[], []])).toEqual([0, 0]);
  expect(await module.function('grouped').batch([[4], [6]])).toEqual([4, 6]);
  const many = await module.function<number>('grouped').batch(Array.from({ length: 65_540 }, (_, i) => [i]));
  expect(many.every((value, i) => value === i)).toBe(true);
});

describe('functions that need pixels', () => {
  const module = wgsl(`enable f16;
    @group(0) @binding(0) var<storage, read_write> calls: atomic<u32>;
    fn slope(x: f32) -> vec3f { return vec3f(dpdxFine(x), dpdyFine(x), fwidthFine(x)); }
    fn inBranch(x: f32) -> f32 { if (x > 1) { return dpdxFine(x); } return -1; }
    fn look(t: texture_2d<f32>, s: sampler, uv: vec2f) -> f32 { return textureSample(t, s, uv).r; }
    fn cut(x: f32) -> f32 { if (x < 0) { discard; } return sqrt(x); }
    fn counted(x: f32, p: ptr<function, f32>) -> f32 { atomicAdd(&calls, 1u); *p += 1; return dpdx(x) + x; }
    @fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f { return vec4f(fwidth(uv), uv); }`);

  test('have no derivatives in single calls', async () => {
    const slope = module.function('slope');
    expect(await slope(5)).toEqual([0, 0, 0]);
    expect(await module.function('inBranch').batch([[1], [2]])).toEqual([-1, 0]);
    const mips = { width: 2, height: 2, data: [1, 1, 1, 1], levels: [[9]] };
    expect(await module.function('look')(mips, LINEAR, [0.5, 0.5])).toBe(1);
    expect(await module.function('main')([1, 2])).toEqual([0, 0, 1, 2]);
    const many = await module.function<number>('cut').batch(Array.from({ length: 2001 }, (_, i) => [i * i]));
    expect(many.every((value, i) => value === i)).toBe(true);
  });

  test('have the derivatives of a quad', async () => {
    expect(await module.function('slope').quad([[1], [3], [11], [14]])).toEqual([
      [2, 10, 12],
      [2, 11, 13],
      [3, 10, 13],
      [3, 11, 14],
    ]);
    const mips = { width: 2, height: 2, data: [1, 1, 1, 1], levels: [[9]] };
    const sampler = { mipmapFilter: 'nearest' } as const;
    const at = (u: number, v: number): [typeof mips, typeof sampler, number[]] => [mips, sampler, [u, v]];
    expect(await module.function('look').quad([at(0, 0), at(1, 0), at(0, 1), at(1, 1)])).toEqual([9, 9, 9, 9]);
    expect(await module.function('look').quad([at(0, 0), at(0.5, 0), at(0, 0.5), at(0.5, 0.5)])).toEqual([1, 1, 1, 1]);
    expect(
      await wgsl('fn f(x: u32) -> u32 { return x + 1; }')
        .function('f')
        .quad([[1], [2], [3], [4]])
    ).toEqual([2, 3, 4, 5]);
  });

  test('that discard return undefined', async () => {
    expect(await module.function('cut').batch([[4], [-1], [9]])).toEqual([2, undefined, 3]);
  });

  test('write once for each call', async () => {
    const counted = module.function('counted', { variables: { calls: 7 } });
    expect(
      await counted.batch([
        [1, 2],
        [3, 4],
      ])
    ).toEqual([
      { value: 1, pointers: { p: 3 } },
      { value: 3, pointers: { p: 5 } },
    ]);
    const code = `
      fn hit(n: ptr<storage, atomic<u32>, read_write>, x: f32) -> f32 { atomicAdd(n, 1u); return dpdx(x); }`;
    expect(await wgsl(code).function('hit')(7, 1)).toEqual({ value: 0, pointers: { n: 8 } });
  });

  test('are called with four calls and the same resources', async () => {
    await expect(module.function('slope').quad([[1]])).rejects.toThrow(
      'slope: a quad has 4 calls: top left, top right, bottom left and bottom right'
    );
    const look = (width: number): [object, object, number[]] => [{ width }, {}, [0, 0]];
    await expect(module.function('look').quad([look(1), look(2), look(1), look(1)] as never)).rejects.toThrow(
      'call 1: look must have the same textures, samplers and buffers as the other calls of its quad'
    );
  });
});
