// Tessellation stages: which inputs belong to control points and which to the patch, and the outputs of control stages.
import { expect, test } from 'vitest';
import { optimize, print } from '../../src/ir';
import { hostMath } from '../ir/evaluate';
import { lower } from './source';

const HEAD = `enable modular_pipelines;
  struct V { @location(1) p: vec2f, @location(0) id: u32 }
  struct C { @location(0) more: f32, @builtin(tess_inner) inner: vec2f, @builtin(tess_outer) outer: vec4f }`;
const interfaceOf = (source: string): string[] =>
  print(optimize(lower(`${HEAD} ${source}`), hostMath))
    .split('\n')
    .filter((line) => /^(in|out|tess)/.test(line));

test('control takes vertices like geometry stages, and outputs levels by number', () => {
  expect(
    interfaceOf(`@tess_control fn main(v: array<V, 2>, @builtin(primitive_index) i: u32) -> C {
    return C(v[1].p.y, v[0].p, vec4f(f32(i)));
  }`)
  ).toEqual([
    'tess_control main',
    'in0 attribute 1.x f32 of corner 0',
    'in1 attribute 1.y f32 of corner 0',
    'in2 attribute 1.y f32 of corner 1',
    'in3 primitive_index u32',
    'out0 varying 0.x f32 perspective center',
    'out1 tess_level 4',
    'out2 tess_level 5',
    'out3 tess_level 0',
    'out4 tess_level 1',
    'out5 tess_level 2',
    'out6 tess_level 3',
  ]);
});

test('evaluation has locations of its patch, and the same ones of control points', () => {
  expect(
    interfaceOf(`@tess_evaluation fn main(
    @location(0) more: f32, v: array<V, 2>, @builtin(tess_coord) at: vec3f
  ) -> @builtin(position) vec4f { return vec4f(v[1].p * more, at.z, f32(v[0].id)); }`)
  ).toEqual([
    'tess_evaluation main',
    'in0 control_point 0.x u32 of corner 0',
    'in1 control_point 1.x f32 of corner 1',
    'in2 control_point 1.y f32 of corner 1',
    'in3 attribute 0.x f32',
    'in4 tess_coord.z',
    'out0 position.x',
    'out1 position.y',
    'out2 position.z',
    'out3 position.w',
  ]);
});
