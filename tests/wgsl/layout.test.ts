// Memory layout: the table of WGSL §14.4, and structs compared with wgsl_reflect, an independent WGSL reader.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';
import { checkModule, parseModule } from '../../src/wgsl';
import { alignOf, sizeOf } from '../../src/wgsl/layout';
import type { StructType, Type } from '../../src/wgsl/types';
import { simpleMath } from './simple-math';

/** Type of the storage variable `v` in a module. */
function storedType(source: string): Type {
  const { module } = parseModule(source);
  const { hir, diagnostics } = checkModule(module, simpleMath);
  expect(diagnostics).toEqual([]);
  return hir!.globals.find(({ name }) => name === 'v')!.type;
}

const declare = (type: string, before = ''): string => `${before}\n@group(0) @binding(0) var<storage> v: ${type};`;

describe('alignment and size (WGSL §14.4.1)', () => {
  it.each([
    ['f32', 4, 4],
    ['i32', 4, 4],
    ['u32', 4, 4],
    ['vec2f', 8, 8],
    ['vec3f', 16, 12],
    ['vec4u', 16, 16],
    ['mat2x2f', 8, 16],
    ['mat3x2f', 8, 24],
    ['mat4x2f', 8, 32],
    ['mat2x3f', 16, 32],
    ['mat3x3f', 16, 48],
    ['mat4x3f', 16, 64],
    ['mat2x4f', 16, 32],
    ['mat4x4f', 16, 64],
    ['array<f32, 5>', 4, 20],
    ['array<vec3f, 3>', 16, 48],
    ['array<array<vec2f, 2>, 3>', 8, 48],
    ['array<vec3f>', 16, 16],
  ])('%s', (type, align, size) => {
    const stored = storedType(declare(type));
    expect([alignOf(stored), sizeOf(stored)]).toEqual([align, size]);
  });
});

describe('structs', () => {
  it('honours @align and @size', () => {
    const struct = storedType(
      declare('S', 'struct S { a: f32, @align(32) b: f32, @size(20) c: f32, d: vec2f, e: array<f32> }')
    ) as StructType;
    expect(struct.members.map(({ offset }) => offset)).toEqual([0, 32, 36, 56, 64]);
    expect([struct.align, struct.size]).toEqual([32, 96]);
  });

  const leaf = fc.constantFrom('f32', 'u32', 'vec2f', 'vec3f', 'vec4i', 'mat2x2f', 'mat3x3f', 'mat4x3f', 'mat3x2f');
  const member = fc.oneof(
    leaf,
    fc.tuple(leaf, fc.integer({ min: 1, max: 5 })).map(([type, count]) => `array<${type}, ${count}>`)
  );
  const members = fc.array(member, { minLength: 1, maxLength: 8 });

  it('agrees with wgsl_reflect on random structs', () => {
    const write = (name: string, types: readonly string[]): string =>
      `struct ${name} { ${types.map((type, i) => `m${i}: ${type}`).join(', ')} }\n`;
    fc.assert(
      fc.property(members, members, (inner, outer) => {
        const source = declare(
          'Outer',
          write('Inner', inner) + write('Outer', [...outer, 'Inner', 'array<Inner, 2>', 'f32'])
        );
        const ours = storedType(source) as StructType;
        const theirs = new WgslReflect(source).structs.find(({ name }) => name === 'Outer')!;
        expect(ours.size).toBe(theirs.size);
        expect(ours.members.map(({ offset }) => offset)).toEqual(theirs.members.map(({ offset }) => offset));
      }),
      { numRuns: 200, seed: 20 }
    );
  });
});
