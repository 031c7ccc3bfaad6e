// Uniform loop counters are scalars in compiled programs: conditions and addresses need no lane extraction, and
// contiguous words are read from one address.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { encodeBytecode } from '../../src/codegen';
import { emitModule } from '../../src/codegen/jit';
import { parseInlines } from '../../src/codegen/wasm/inlines';
import { printModule } from '../../src/codegen/wasm/print';
import { both } from '../lower/source';

const inlines = parseInlines(readFileSync(new URL('../../build/inlines.wasm', import.meta.url)));

const DECIDES = /i32\.lt_u\n(\s+local\.\w+ \d+\n)*\s+if/;

function loopOf(round: string, width: 1 | 2, before = ''): string {
  const program = both(`
    struct Light { at: vec4f, c: vec4f };
    @group(0) @binding(0) var<uniform> count: u32;
    @group(0) @binding(1) var<uniform> lights: array<Light, 60>;
    @fragment fn main(@location(0) p: vec3f) -> @location(0) vec4f {
      var sum = vec4f(); ${before}
      for (var k = 0u; k < count; k++) { ${round} }
      return sum;
    }`)[1]!;
  const { bytes } = emitModule({ program, encoded: encodeBytecode(program) }, { inlines, sharedMemory: true, width });
  const loops = printModule(bytes).split('loop $');
  return loops.find((loop) => DECIDES.test(loop))!;
}

test.each([1, 2] as const)('a counter used as an index, %i quads at a time', (width) => {
  const loop = loopOf('sum += lights[k].c * lights[k].at.x;', width);
  expect(loop).toMatch(DECIDES);
  expect(loop).not.toContain('i32x4.');
  expect(loop).toContain('v128.load32_splat offset=28');
});

test.each([1, 2] as const)('a counter used in lane computations is splatted, %i quads at a time', (width) => {
  const loop = loopOf('sum += vec4f(f32(k)) * p.x;', width);
  expect(loop).toMatch(DECIDES);
  expect(loop.match(/i32x4\.splat/g)).toHaveLength(width);
});

test('long chains of dependent variables are skipped', () => {
  // Each round of the search would find one of them.
  const names = Array.from({ length: 40 }, (_, i) => `v${i}`).reverse();
  const rowOf = (first: string): string =>
    [
      ...names.slice(0, -1).map((name, i) => `${name} = ${names[i + 1]!};`),
      `v0 = ${first};`,
      'if (v39 > 2) { sum += vec4f(p.x); }',
    ].join(' ');
  const before = names.map((name) => `var ${name} = 0u;`).join(' ');
  expect(loopOf(rowOf('u32(sqrt(f32(k * k)))'), 1, before)).toBeUndefined();
});
