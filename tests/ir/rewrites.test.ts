// The result of optimization passes on small programs, line by line.
import { describe, expect, test } from 'vitest';
import {
  countNodes,
  dropUnused,
  findQuadUniform,
  findUniform,
  forEachInstruction,
  forEachNode,
  isSameForTriangle,
  print,
  texelSources,
  validate,
  type IrNode,
  type IrProgram,
} from '../../src/ir';
import { propagate } from '../../src/ir/passes/propagate';
import { both } from '../lower/source';
import { evaluate, hostMath } from './evaluate';
import { f32 } from './words';

const optimized = (source: string): IrProgram => both(source)[1]!;

/** The optimized body. Constants are inlined; values are numbered from the first one that is not constant. */
function bodyOf(source: string): string {
  const program = optimized(source);
  const constants = new Map<string, string>();
  const numbers = new Map<string, string>();
  return print(program)
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .flatMap((line) => {
      const constant = /^ *(%\d+): \w+ = const (.*)$/.exec(line);
      if (constant) constants.set(constant[1]!, constant[2]!);
      if (constant) return [];
      return [
        line.slice(2).replace(/%\d+/g, (id) => {
          if (constants.has(id)) return constants.get(id)!;
          if (!numbers.has(id)) numbers.set(id, `%${numbers.size}`);
          return numbers.get(id)!;
        }),
      ];
    })
    .join('\n');
}

const OF_X = (result: string): string =>
  `
    @fragment fn main(@location(0) x: f32, @location(1) @interpolate(flat) n: i32) -> @location(0) f32 {
      return ${result};
    }
  `;
/** Lines between the inputs and the outputs. */
const expression = (result: string): string =>
  bodyOf(OF_X(result))
    .split('\n')
    .filter((line) => !/= input|^output/.test(line))
    .join('\n');
const outputOf = (result: string): string =>
  bodyOf(OF_X(result))
    .split('\n')
    .filter((line) => line.startsWith('output'))
    .join();

describe('expressions', () => {
  test.each<[string, string]>([
    ['pow(x, 2.0)', '%1: f32 = f32.mul %0, %0'],
    ['pow(x, 5.0)', '%1: f32 = f32.mul %0, %0\n%2: f32 = f32.mul %1, %1\n%3: f32 = f32.mul %2, %0'],
    ['pow(x, 0.5)', '%1: f32 = f32.sqrt %0'],
    ['pow(x, 2.2)', '%1: f32 = f32.pow %0, 2.200000047683716'],
    ['pow(x, -2.0)', '%1: f32 = f32.pow %0, -2.0'],
    ['x / 8.0', '%1: f32 = f32.mul %0, 0.125'],
    ['x / 3.0', '%1: f32 = f32.div %0, 3.0'],
    ['-(-x) * -1.0', '%1: f32 = f32.neg %0'],
    ['x + -(x * x)', '%1: f32 = f32.mul %0, %0\n%2: f32 = f32.sub %0, %1'],
    ['f32((n + 3) + 4)', '%1: i32 = int.add %0, 7\n%2: f32 = f32.fromI32 %1'],
    ['f32(u32(n) / 16u)', '%1: u32 = int.cast %0\n%2: u32 = u32.shr %1, 4u\n%3: f32 = f32.fromU32 %2'],
    ['select(0.0, 1.0, x < 0.5)', '%1: bool = f32.lt %0, 0.5\n%2: f32 = f32.fromBool %1'],
    // min is b < a ? b : a, and max a < b ? b : a: the comparison decides between two zeros, and between NaN and a
    // number.
    ['select(x, 0.5, x > 0.5)', '%1: f32 = f32.min %0, 0.5'],
    ['select(0.5, x, x < 0.5)', '%1: f32 = f32.min 0.5, %0'],
    ['select(0.5, x, x > 0.5)', '%1: f32 = f32.max 0.5, %0'],
    ['select(x, 0.5, 0.5 > x)', '%1: f32 = f32.max %0, 0.5'],
    ['select(x, 0.5, x >= 0.5)', '%1: bool = f32.ge %0, 0.5\n%2: f32 = select %1, 0.5, %0'],
    ['f32(select(n, 7, n >= 7))', '%1: i32 = i32.min %0, 7\n%2: f32 = f32.fromI32 %1'],
    ['f32(select(7, n, 7 < n))', '%1: i32 = i32.max 7, %0\n%2: f32 = f32.fromI32 %1'],
    // Only a comparison with zero ignores an f32's sign of zero.
    ['x + 0.0', '%1: f32 = f32.add %0, 0.0'],
    ['fract(x + 0.0)', '%1: f32 = f32.fract %0'],
    [
      'abs(floor(x + 0.0) * 0.1)',
      '%1: f32 = f32.floor %0\n%2: f32 = f32.mul %1, 0.10000000149011612\n%3: f32 = f32.abs %2',
    ],
    ['1.0 / (x + 0.0)', '%1: f32 = f32.add %0, 0.0\n%2: f32 = f32.div 1.0, %1'],
    ['(x + 0.0) * x + 1.0', '%1: f32 = f32.mul %0, %0\n%2: f32 = f32.add %1, 1.0'],
    ['(1.0 - x) + 0.0', '%1: f32 = f32.sub 1.0, %0'],
    ['(x - f32(n)) + 0.0', '%2: f32 = f32.fromI32 %1\n%3: f32 = f32.sub %0, %2\n%4: f32 = f32.add %3, 0.0'],
    ['x * x + 0.0', '%1: f32 = f32.mul %0, %0'],
    [
      'min(x + 0.0, 2.0) - x * x',
      '%1: f32 = f32.add %0, 0.0\n%2: f32 = f32.min 2.0, %1\n%3: f32 = f32.mul %0, %0\n%4: f32 = f32.sub %2, %3',
    ],
    // Neither sum may be removed because of the other.
    [
      '(x + 0.0) + (f32(n) * x + 0.0)',
      '%2: f32 = f32.add %0, 0.0\n%3: f32 = f32.fromI32 %1\n%4: f32 = f32.mul %3, %0\n%5: f32 = f32.add %4, '
        + '0.0\n%6: f32 = f32.add %2, %5',
    ],
  ])('%s', (source, lines) => expect(expression(source)).toBe(lines));

  test.each<[string, string]>([
    ['x * 1.0', 'output out0, %0'],
    ['x - 0.0', 'output out0, %0'],
    ['f32(n - n)', 'output out0, 0.0'],
    ['f32(n ^ n)', 'output out0, 0.0'],
    ['select(x, 2.0, n != n)', 'output out0, %0'],
    ['select(x, x, n > 3)', 'output out0, %0'],
    ['pow(2.5, 6.0)', 'output out0, 244.140625'],
    ['bitcast<f32>(bitcast<u32>(x))', 'output out0, %0'],
    ['f32(max(n, 4) * 0)', 'output out0, 0.0'],
  ])('%s is removed', (source, output) => expect(outputOf(source)).toBe(output));
});

const nodes = (program: IrProgram, kind: IrNode['kind']): number => {
  let count = 0;
  forEachNode(program.body, (node) => {
    if (node.kind === kind) count++;
  });
  return count;
};
const operations = (program: IrProgram, op: string): number => {
  let count = 0;
  forEachInstruction(program.body, (instruction) => {
    if (instruction.op === op) count++;
  });
  return count;
};

describe('loops', () => {
  const TABLE = `@fragment fn main(@location(0) x: vec3f, @location(1) @interpolate(flat) n: i32) -> @location(0) f32 {
    var dirs = array(vec3f(1, 2, 3), vec3f(4, 5, 6), vec3f(7, 8, 9)); var s = 0.0;
    for (var i = 0; i < COUNT; i++) { s += dot(x, dirs[i]); BREAK } return s; }`;
  const table = (count: string, exit = ''): readonly IrProgram[] =>
    both(TABLE.replace('COUNT', count).replace('BREAK', exit));

  test('of few iterations are unrolled, and their arrays become variables', () => {
    const [, program] = table('3');
    expect([
      nodes(program!, 'loop'),
      nodes(program!, 'block'),
      program!.arrays.length,
      program!.variables.length,
    ]).toEqual([0, 0, 0, 0]);
    // The first sum: 0 + dot.
    expect(operations(program!, 'f32.mul')).toBe(8);
  });

  test('that were unrolled are forwarded through in the same round of passes', () => {
    // Only its last node leaves the block: its stores are known afterwards, and equal values inside are shared with
    // what follows.
    const program: IrProgram = {
      name: 'straight',
      kind: 'fragment',
      values: ['f32', 'f32', 'f32', 'f32', 'f32'],
      variables: [{ name: 'v', type: 'f32' }],
      arrays: [],
      resources: [],
      usesDiscard: false,
      usesDerivatives: false,
      inputs: [
        { kind: 'varying', location: 0, component: 0, type: 'f32', interpolation: 'perspective', sampling: 'center' },
      ],
      outputs: [{ kind: 'color', location: 0, component: 0, type: 'f32' }],
      body: [
        { kind: 'op', op: 'input', results: [0], args: [], imm: 0 },
        {
          kind: 'block',
          label: 1,
          body: [
            {
              kind: 'block',
              label: 2,
              body: [
                { kind: 'op', op: 'f32.mul', results: [1], args: [0, 0], imm: 0 },
                { kind: 'op', op: 'var.set', results: [], args: [1], imm: 0 },
              ],
            },
            { kind: 'leave', label: 1 },
          ],
        },
        { kind: 'op', op: 'var.get', results: [2], args: [], imm: 0 },
        { kind: 'op', op: 'f32.mul', results: [3], args: [0, 0], imm: 0 },
        { kind: 'op', op: 'f32.add', results: [4], args: [2, 3], imm: 0 },
        { kind: 'op', op: 'output', results: [], args: [4], imm: 0 },
      ],
    };
    validate(program);
    const shared = dropUnused(propagate(program, hostMath));
    validate(shared);
    expect(shared.body.map((node) => (node.kind === 'op' ? `${node.op} ${node.args.join(' ')}` : node.kind))).toEqual([
      'input ',
      'f32.mul 0 0',
      'f32.add 1 1',
      'output 2',
    ]);
  });

  test('whose iterations depend on the lane stay', () => {
    const [, program] = table('n');
    expect(nodes(program!, 'loop')).toBe(1);
  });

  test('that single lanes leave early are unrolled and still correct', () => {
    const [lowered, program] = table('3', 'if (i32(s) == n) { break; }');
    expect(nodes(program!, 'loop')).toBe(0);
    expect(program!.arrays).toHaveLength(0);
    for (const n of [6, 21, 45, 99]) {
      const inputs = (of: IrProgram): number[] => of.inputs.map((input) => (input.type === 'i32' ? n : 0x3f800000));
      const [a, b] = [lowered!, program!].map((of) =>
        f32(evaluate(of, { inputs: inputs(of), math: hostMath }).outputs[0]!)
      );
      expect(b).toBe(a);
      expect(b).toBe(n === 6 ? 6 : n === 21 ? 21 : 45);
    }
  });

  test('with many nodes or iterations stay, and so do those of a program that has grown large', () => {
    const rounds = (count: number): string =>
      `
        @fragment fn main(@location(0) x: f32) -> @location(0) f32 {
          var s = x; for (var i = 0; i < ${count}; i++) { s = sin(s); } return s;
        }
      `;
    expect(nodes(optimized(rounds(16)), 'loop')).toBe(0);
    expect(nodes(optimized(rounds(40)), 'loop')).toBe(1);
    const many = Array.from(
      { length: 40 },
      (_, k) => `for (var i = 0; i < 16; i++) { s = sin(s) * fract(s + ${k}.5) + x; }`
    ).join('\n');
    const program = optimized(
      `@fragment fn main(@location(0) x: f32) -> @location(0) f32 { var s = x; ${many} return s; }`
    );
    expect(nodes(program, 'loop')).toBeGreaterThan(5);
    expect(nodes(program, 'loop')).toBeLessThan(40);
    expect(countNodes(program.body)).toBeLessThan(2400);
  });
});

describe('common subexpressions', () => {
  test('a value visible to nested lists is shared with them', () => {
    const program =
      optimized(`@fragment fn main(@location(0) x: vec2f, @location(1) @interpolate(flat) n: i32) -> @location(0) f32 {
      var r = sin(x.x); if (n > 3) { r += sin(x.x) * tan(x.y) * atan2(x.x, x.y); } return r; }`);
    expect(nodes(program, 'if')).toBe(1);
    expect(operations(program, 'f32.sin')).toBe(1);
  });

  test('equal texture reads are shared; reads with another sampler are not', () => {
    const program = optimized(`
        @group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
        @group(0) @binding(2) var z: sampler;
      @fragment fn main(@location(0) x: vec2f) -> @location(0) vec4f {
      return textureSample(t, s, x) + textureSample(t, s, x).bgra + textureSample(t, z, x)
        + textureSample(t, s, x, vec2i(1, 0));
    }`);
    expect(operations(program, 'texture.sample')).toBe(3);
  });

  test('variables set once, overwritten stores and unused inputs are removed', () => {
    const program =
      optimized(`@fragment fn main(@location(0) x: vec4f, @location(1) unused: vec4f) -> @location(0) f32 {
      var a = x.x; var b = 3.0; b = a * 2.0; var c: array<f32, 4>; c[1] = b; c[2] = x.y; return c[1] + x.x; }`);
    expect(program.variables).toHaveLength(0);
    expect(program.arrays).toHaveLength(0);
    expect(program.inputs).toHaveLength(1);
  });

  test('uniform values: buffers, tables and sizes at uniform offsets, and what follows', () => {
    const program = optimized(`
        struct U { k: u32, v: array<vec4f, 8> }
        @group(0) @binding(0) var<uniform> u: U; @group(0) @binding(1) var t: texture_2d<f32>;
      @group(0) @binding(2) var<storage> d: array<f32>;
      @fragment fn main(@location(0) x: f32) -> @location(0) f32 {
        let table = array(1.0, 2.5, 7.25, 3.0);
        return x + u.v[u.k].y * table[u.k]
          + f32(textureDimensions(t, u.k).x + textureNumLevels(t) + arrayLength(&d)) * d[u.k];
      }`);
    const uniform = findUniform(program);
    const lanes: string[] = [];
    forEachInstruction(program.body, ({ op, results }) => {
      if (results.some((id) => !uniform.has(id))) lanes.push(op);
    });
    expect(lanes).toEqual(['input', 'f32.add', 'f32.add']);
  });

  test.each<[same: boolean, body: string]>([
    [true, 'return vec4f(0.3, sin(u.x), f32(n), select(0.5, 1.0, front));'],
    [true, 'return vec4f(dpdx(f32(n)));'],
    // Control flow is not analyzed.
    [false, 'if (u.x > 1.0) { return u; } return u * u.y;'],
    [false, 'return vec4f(x);'],
    [false, 'return vec4f(p.x);'],
    [false, 'return vec4f(f32(s));'],
    [false, 'if (x > 2.0) { discard; } return u;'],
    [false, 'return textureSampleLevel(t, w, u.xy, 0.0);'],
    [false, 'var r = u; for (var i = 0; i < n; i++) { r = r.yzwx + u; } return r;'],
  ])('constant per triangle: %s, %s', (same, body) => {
    const program = optimized(`
        @group(0) @binding(0) var<uniform> u: vec4f; @group(0) @binding(1) var t: texture_2d<f32>;
        @group(0) @binding(2) var w: sampler;
      @fragment fn main(@builtin(position) p: vec4f, @builtin(front_facing) front: bool, @builtin(sample_index) s: u32,
        @location(0) x: f32, @location(1) @interpolate(flat) n: i32) -> @location(0) vec4f {
        ${body} }`);
    expect(isSameForTriangle(program)).toBe(same);
  });

  test.each<[sources: 'position' | 'varyings' | null, body: string]>([
    ['position', 'return textureSample(t, w, p.xy / u.xy);'],
    ['position', 'let c = textureLoad(t, vec2i(floor(p.xy * 0.5)), 0); return select(u, pow(c, u), c.a > u.x);'],
    ['varyings', 'return textureSampleLevel(t, w, u.xy - x, 0.0) * textureSample(t, w, p.xy * u.zw + 3);'],
    ['varyings', 'return textureSample(t, w, textureSample(t, w, x).xy) * f32(n);'],
    [null, 'return u;'],
    [null, 'return textureSample(t, w, u.xy / p.xy);'],
    [null, 'return textureSample(t, w, x + x.yx);'],
    [null, 'return textureSample(t, w, fract(x));'],
    [null, 'return textureSample(t, w, x) * p.x;'],
    [null, 'return textureSampleBias(t, w, x, 1.0);'],
    [null, 'return textureLoad(t, vec2i(p.xy) & vec2i(7), 0);'],
    [null, 'let c = textureSample(t, w, x); if (c.a > 0.5) { discard; } return c;'],
  ])('results from texels by %s: %s', (sources, body) => {
    const program = optimized(`
        @group(0) @binding(0) var<uniform> u: vec4f; @group(0) @binding(1) var t: texture_2d<f32>;
        @group(0) @binding(2) var w: sampler;
      @fragment fn main(@builtin(position) p: vec4f, @location(0) x: vec2f, @location(1) @interpolate(flat) n: i32)
        -> @location(0) vec4f { ${body} }`);
    expect(texelSources(program)).toBe(sources);
  });
});

describe('values that lanes agree on', () => {
  const source = (body: string): string =>
    `struct U { n: u32, k: u32, v: array<vec4f, 64> } @group(0) @binding(0) var<uniform> u: U;
    @fragment fn main(@location(0) x: f32) -> @location(0) f32 { var s = x; ${body} return s; }`;
  /** Whether the loop's counter (the only variable of type u32) is unanimous, and the number of unanimous loads. */
  const agreement = (body: string): readonly [boolean, number] => {
    const program = optimized(source(body));
    const { values, variables } = findQuadUniform(program);
    let loads = 0;
    const uniform = findUniform(program);
    forEachInstruction(program.body, ({ op, results }) => {
      if (op === 'buffer.load' && values.has(results[0]!) && !uniform.has(results[0]!)) loads++;
    });
    return [program.variables.every(({ type }, index) => type !== 'u32' || variables.has(index)), loads];
  };

  test('the counter of a loop with a uniform end, and what it indexes', () => {
    expect(agreement('for (var i = 0u; i < u.n; i++) { s += u.v[i].x * x; }')).toEqual([true, 1]);
  });
  test('also if single lanes leave the loop, which do not read it again', () => {
    expect(agreement('for (var i = 0u; i < u.n; i++) { s += u.v[i].x * x; if (s > 4.0) { break; } }')).toEqual([
      true,
      1,
    ]);
    expect(agreement('for (var i = 0u; i < u.n; i++) { if (sin(s) > 0.5) { continue; } s += u.v[i].x * x; }')).toEqual([
      true,
      1,
    ]);
  });
  test('also inside a divergent branch', () => {
    expect(agreement('if (x > 0.5) { for (var i = 0u; i < u.n; i++) { s += u.v[i].x * x; } }')).toEqual([true, 1]);
  });
  test('not if lanes that left read it afterwards', () => {
    expect(
      agreement('var i = 0u; for (; i < u.n; i++) { s += u.v[i].x * x; if (s > 4.0) { break; } } s += f32(i);')
    ).toEqual([false, 0]);
  });
  test('not if lanes that left wait while others continue counting', () => {
    expect(
      agreement(
        'var i = 0u; loop { if (i >= u.n) { break; } i++; s += u.v[i].x * x; if (s > 4.0) { break; } } s += f32(i);'
      )
    ).toEqual([false, 0]);
  });
  test('not if each lane has its own count', () => {
    expect(
      agreement(
        `
          for (var i = 0u; i < u.n;) {
            s += u.v[i].x * x; if (s > 4.0) { i += 2u; s = tan(s); } else { i++; s = sin(s); }
          }
        `
      )
    ).toEqual([false, 0]);
    expect(agreement('for (var i = u32(x); i < u.n; i++) { s += u.v[i].x * x; }')).toEqual([false, 0]);
  });
});
