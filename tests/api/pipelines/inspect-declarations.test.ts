// The functions and variables that inspectShader lists, with their types and layouts.
import { expect, test } from 'vitest';
import { inspectShader } from '../../../src/index';

test('lists functions and variables at module scope, if asked', async () => {
  const code = `struct S { a: vec3f, b: array<mat2x3f, 2> }
    override count: u32;
    @group(1) @binding(2) var<storage> lights: array<S>;
    var<private> seed: u32;
    @group(0) @binding(0) var<storage, read_write> count_: atomic<u32>;
    @group(0) @binding(1) var map: texture_depth_cube_array;
    @group(0) @binding(2) var out: texture_storage_2d<rgba8unorm, write>;
    @group(0) @binding(3) var soft: sampler_comparison;
    fn unused(s: ptr<function, S>, on: bool) -> vec2i { return vec2i(); }
    fn none() { _ = count; }`;
  const of = async (constants: Record<string, number>) =>
    (await inspectShader(code, { declarations: true, constants })).declarations;
  const scalar = (name: string) => ({ name, kind: 'scalar', scalar: name });
  const struct = {
    name: 'S',
    kind: 'struct',
    size: 80,
    members: [
      { name: 'a', offset: 0, type: { name: 'vec3f', kind: 'vector', size: 3, scalar: 'f32' } },
      {
        name: 'b',
        offset: 16,
        type: {
          name: 'array<mat2x3f, 2>',
          kind: 'array',
          count: 2,
          stride: 32,
          element: { name: 'mat2x3f', kind: 'matrix', columns: 2, rows: 3, scalar: 'f32' },
        },
      },
    ],
  };
  const list = await of({ count: 3 });
  expect(list!.functions).toEqual([
    {
      name: 'unused',
      offset: code.indexOf('unused'),
      parameters: [
        {
          name: 's',
          type: { name: 'ptr<function, S>', kind: 'pointer', space: 'function', access: 'read_write', target: struct },
        },
        { name: 'on', type: scalar('bool') },
      ],
      returns: { name: 'vec2i', kind: 'vector', size: 2, scalar: 'i32' },
    },
    { name: 'none', offset: code.indexOf('none'), parameters: [], returns: null },
  ]);
  expect(list!.variables).toMatchObject([
    { name: 'lights', space: 'storage', access: 'read', group: 1, binding: 2, type: { element: struct, count: null } },
    { name: 'seed', space: 'private', access: 'read_write', group: null, binding: null, type: scalar('u32') },
    { name: 'count_', type: { name: 'atomic<u32>', kind: 'atomic', scalar: 'u32' } },
    { name: 'map', type: { kind: 'texture', dimension: 'cube-array', sampled: 'depth', multisampled: false } },
    { name: 'out', type: { kind: 'storage-texture', dimension: '2d', format: 'rgba8unorm', access: 'write' } },
    { name: 'soft', space: 'handle', type: { kind: 'sampler', comparison: true } },
  ]);
  expect(await of({})).toBeNull();
  expect((await inspectShader('fn f( {', { declarations: true })).declarations).toBeNull();
  expect(await inspectShader(code)).not.toHaveProperty('declarations');
});
