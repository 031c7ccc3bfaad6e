// Lowering of geometry stages: vertices of the primitive as inputs, emitted vertices in order, and the results after
// optimization.
import { describe, expect, test } from 'vitest';
import { optimize, print, type IrProgram } from '../../src/ir';
import { bits } from '../ir/words';
import { evaluate, hostMath } from '../ir/evaluate';
import { both, lower } from './source';

const HEAD = `enable modular_pipelines;
  struct V { @location(1) p: vec2f, @location(0) id: u32 }
  struct W { @builtin(position) position: vec4f, @location(2) @interpolate(flat) id: u32 }`;

/** Component c of location 1 at vertex k is 10 k + c + 1; the ids are 7, 8, 9 …; primitive 5 of instance 3. */
function inputsOf({ inputs }: IrProgram): number[] {
  return inputs.map((input) => {
    if (input.kind === 'builtin') return input.builtin === 'primitive_index' ? 5 : 3;
    if (input.kind !== 'attribute') throw new Error(`an input of kind ${input.kind}`);
    return input.location === 0 ? 7 + input.corner! : bits(10 * input.corner! + input.component + 1);
  });
}

/** What both programs emit: x, y and the id of each vertex; `/` ends a strip. */
function emitted(source: string): string {
  const [first, second] = both(`${HEAD} ${source}`).map((program) =>
    evaluate(program, { inputs: inputsOf(program), math: hostMath })
      .stores.map((line) => {
        if (line === 'cut') return '/';
        const words = Uint32Array.from(line.split(' ').slice(1), Number);
        const [x, y] = new Float32Array(words.buffer);
        return `${x},${y}:${words[4]}`;
      })
      .join(' ')
  );
  expect(second).toBe(first);
  return first!;
}

const vertex = (j: string): string => `emitVertex(W(vec4f(v[${j}].p, 0, 1), v[${j}].id));`;

test('inputs come vertex by vertex, then built-in values; outputs are written before each emitted vertex', () => {
  const source = `${HEAD}
    @geometry fn main(@builtin(primitive_index) i: u32, v: array<V, 2>, @builtin(instance_index) k: u32) {
      emitVertex(W(vec4f(v[0].p, v[1].p), v[1].id + i + k));
      endStrip();
    }`;
  expect(print(optimize(lower(source), hostMath))).toBe(`geometry main
in0 attribute 1.x f32 of corner 0
in1 attribute 1.y f32 of corner 0
in2 attribute 1.x f32 of corner 1
in3 attribute 1.y f32 of corner 1
in4 attribute 0.x u32 of corner 1
in5 primitive_index u32
in6 instance_index u32
out0 position.x
out1 position.y
out2 position.z
out3 position.w
out4 varying 2.x u32 flat center
  %0: f32 = input in0
  %1: f32 = input in1
  %2: f32 = input in2
  %3: f32 = input in3
  %4: u32 = input in4
  %5: u32 = input in5
  %6: u32 = input in6
  %7: u32 = int.add %4, %5
  %8: u32 = int.add %7, %6
  output out0, %0
  output out1, %1
  output out2, %2
  output out3, %3
  output out4, %8
  emit
  cut`);
});

describe('emitted vertices are in order', () => {
  test.each<[string, string, string]>([
    [
      'straight',
      `@geometry fn main(v: array<V, 2>) { ${vertex('1')} ${vertex('0')} endStrip(); ${vertex('1')} }`,
      '11,12:8 1,2:7 / 11,12:8',
    ],
    [
      'a loop that is written out',
      `@geometry fn main(v: array<V, 3>) { for (var j = 0; j < 3; j++) { ${vertex('j')} } endStrip(); }`,
      '1,2:7 11,12:8 21,22:9 /',
    ],
    [
      'a loop whose length is data, with what skips and ends it',
      `@geometry fn main(v: array<V, 3>, @builtin(primitive_index) n: u32) {
         for (var j = 0u; j < 4 * n; j++) {
           if (j % 2 == 1) { continue; }
           ${vertex('j % 3')}
           if (j == n + 1) { endStrip(); break; }
         }
       }`,
      '1,2:7 21,22:9 11,12:8 1,2:7 /',
    ],
    [
      'branches that do the same, and one that does nothing',
      `@geometry fn main(v: array<V, 1>, @builtin(primitive_index) n: u32) {
         if (n == 5) { ${vertex('0')} } else { ${vertex('0')} endStrip(); }
         if (n == 4) { endStrip(); }
         if (v[0].p.x > 0) { ${vertex('0')} }
         endStrip(); endStrip();
       }`,
      '1,2:7 1,2:7 / /',
    ],
    [
      'functions, early returns, corners of six by a dynamic index',
      `
        fn give(v: V, twice: bool) {
          emitVertex(W(v.p.xyxy, v.id)); if (!twice) { return; } emitVertex(W(v.p.yxyx, v.id));
        }
       fn strip(v: array<V, 6>, from_: u32) { for (var j = from_; j < 6; j += 2) { give(v[j], j == 3); } endStrip(); }
       @geometry fn main(v: array<V, 6>, @builtin(primitive_index) n: u32) {
         strip(v, n - 4);
         if (n > 4) { return; }
         strip(v, 0);
       }`,
      '11,12:8 31,32:10 32,31:10 51,52:12 /',
    ],
    [
      'private variables and arrays of vertices',
      `var<private> made: array<W, 5>;
       @geometry fn main(v: array<V, 4>, @builtin(instance_index) n: u32) {
         for (var j = 0u; j < 4; j++) { made[(j + n) % 5] = W(v[j].p.xyxy, j); }
         for (var j = 0; j < 5; j++) { emitVertex(made[j]); }
       }`,
      '21,22:2 31,32:3 0,0:0 1,2:0 11,12:1',
    ],
  ])('%s', (_, source, expected) => expect(emitted(source)).toBe(expected));
});

test('a stage of a modular pipeline may emit vertices without a position', () => {
  const program = lower(`enable modular_pipelines;
    struct V { @location(0) a: vec4f }
    @geometry fn main(v: array<V, 1>) { emitVertex(v[0]); }`);
  expect(program.outputs.map(({ kind }) => kind)).toEqual(Array(4).fill('varying'));
});
