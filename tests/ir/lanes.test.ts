// Static analysis of addresses: what is known before a shader runs holds in every lane, for the numbers of every
// workgroup.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLanes, findQuadUniform, optimize, type IrProgram, type Lanes } from '../../src/ir';
import { lower } from '../lower/source';
import { evaluate, hostMath } from './evaluate';

const programOf = (body: string, size: readonly number[]): IrProgram =>
  optimize(
    lower(`
  @group(0) @binding(0) var<storage, read_write> out: array<u32, 4096>;
  @compute @workgroup_size(${size.join()}) fn main(
    @builtin(local_invocation_index) l: u32, @builtin(local_invocation_id) p: vec3u,
    @builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) w: vec3u
  ) { ${body} }`),
    hostMath
  );

/** Bits of the inputs of a lane, by local_invocation_index. */
function inputsOf({ inputs, workgroupSize }: IrProgram, lane: number, group: number): number[] {
  const [x, y] = workgroupSize!;
  const local = [lane % x, Math.floor(lane / x) % y, Math.floor(lane / x / y)];
  return inputs.map((input) => {
    if (input.kind !== 'builtin') throw new Error(input.kind);
    if (input.builtin === 'local_invocation_index') return lane;
    const component = 'component' in input ? input.component : 0;
    const number = component === 0 ? group : 0;
    switch (input.builtin) {
      case 'local_invocation_id':
        return local[component]!;
      case 'workgroup_id':
        return number;
      default:
        return (number * workgroupSize![component]! + local[component]!) >>> 0;
    }
  });
}

function check(program: IrProgram, lanes: Lanes, first: number, group: number): void {
  const seen = [0, 1, 2, 3].map((lane) => {
    const values = new Map<string, number>();
    evaluate(program, {
      inputs: inputsOf(program, first + lane, group),
      buffers: new Map([[0, new Uint8Array(4 * 4096)]]),
      math: hostMath,
      trace: (id, bits, moment) => {
        values.set(moment, bits);
        const { minimum: least, maximum: most } = lanes.rangeOf(id);
        if (bits < least || bits > most) expect.fail(`%${id} is ${bits}, and not ${least} to ${most}`);
      },
    });
    return values;
  });
  for (const [moment, start] of seen[0]!) {
    const step = lanes.stepOf(Number(moment.split(':')[0]));
    if (step === undefined) continue;
    seen.forEach((values, lane) => {
      const bits = values.get(moment);
      const wanted = (start + lane * step) >>> 0;
      if (bits !== undefined && bits !== wanted) expect(bits, `%${moment} in lane ${lane}`).toBe(wanted);
    });
  }
}

const NUMBERS = [1, 2, 3, 4, 8, 15, 16, 63, 1000, 4294967295];
/** By name, so that no expression is constant, which might be rejected. */
const leaf = fc.constantFrom(
  'l',
  'p.x',
  'p.y',
  'id.x',
  'id.y',
  'w.x',
  'k',
  'j',
  ...NUMBERS.map((number) => `c${number}`)
);
const { term } = fc.letrec<{ term: string }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    fc
      .tuple(tie('term'), fc.constantFrom('+', '-', '*', '&', '|', '^', '/', '%'), tie('term'))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(tie('term'), fc.constantFrom('<<', '>>'), fc.nat(31)).map(([a, op, n]) => `(${a} ${op} ${n}u)`),
    fc.tuple(fc.constantFrom('min', 'max'), tie('term'), tie('term')).map(([op, a, b]) => `${op}(${a}, ${b})`)
  ),
}));
const size = fc.constantFrom(
  [64, 1, 1],
  [8, 8, 1],
  [3, 5, 1],
  [1, 64, 1],
  [16, 4, 4],
  [4, 1, 1],
  [2, 2, 1],
  [12, 3, 2],
  [6, 1, 1]
);

test('expressions of lanes and loop counters', () => {
  const lists = fc.array(term, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(lists, size, fc.nat(9), fc.nat(1000), fc.nat(15), (terms, extents, rounds, group, quad) => {
      const body = terms.map((each) => `sum += ${each}; out[${each}] = sum;`).join('\n');
      const program = programOf(
        `
        ${NUMBERS.map((number) => `let c${number} = ${number}u;`).join(' ')}
        var sum = 0u; var j = 3u;
        for (var k = 0u; k < c2 * ${rounds}u + w.x % 3u; k++) {
          ${body} if (k > 2u) { j = k * 2u; } if (l == 5u) { break; }
        }`,
        extents
      );
      const invocations = extents.reduce<number>((product, extent) => product * extent, 1);
      // Lane numbers continue after the last invocation of a group.
      const first = 4 * (quad % Math.ceil(invocations / 4));
      if (first + 4 > invocations) return;
      check(program, findLanes(program, findQuadUniform(program)), first, group);
    }),
    { numRuns: 150 }
  );
});

/** Statements. `inLoop`: those that may leave the enclosing loop. */
const { statements } = fc.letrec<{ statements: string; inLoop: string }>((tie) => {
  const several = (isInLoop: boolean): fc.Arbitrary<string> => {
    const same = tie(isInLoop ? 'inLoop' : 'statements');
    const condition = fc.tuple(term, fc.constantFrom('<', '>=', '=='), term);
    const choices = [
      term.map((value) => `sum += ${value}; out[${value}] = sum;`),
      term.map((value) => `j = ${value};`),
      fc
        .tuple(condition, same, same)
        .map(([test, then, other]) => `if (${test.join(' ')}) { ${then} } else { ${other} }`),
      fc
        .tuple(fc.nat(3), tie('inLoop'))
        .map(([rounds, body]) => `for (var k = 0u; k < c1 * ${rounds}u + w.x % 2u; k++) { ${body} }`),
      fc
        .tuple(condition, fc.constantFrom('break', 'continue'))
        .map(([test, word]) => `if (${test.join(' ')}) { ${word}; }`),
    ];
    const each = fc.oneof({ maxDepth: 4, depthSize: 'small' }, ...(isInLoop ? choices : choices.slice(0, 4)));
    return fc.array(each, { minLength: 1, maxLength: 3 }).map((list) => list.join('\n'));
  };
  return { statements: several(false), inLoop: several(true) };
});

test('nested branches and loops', () => {
  fc.assert(
    fc.property(statements, size, fc.nat(1000), fc.nat(15), (body, extents, group, quad) => {
      const program = programOf(
        `
      ${NUMBERS.map((number) => `let c${number} = ${number}u;`).join(' ')}
      var sum = 0u; var j = 3u; var k = w.x; ${body}`,
        extents
      );
      const invocations = extents.reduce<number>((product, extent) => product * extent, 1);
      const first = 4 * (quad % Math.ceil(invocations / 4));
      if (first + 4 <= invocations) check(program, findLanes(program, findQuadUniform(program)), first, group);
    }),
    { numRuns: 150 }
  );
});

test('conditions with common parts do not double the time', () => {
  const shared = Array.from(
    { length: 24 },
    (_, i) => `let b${i + 1} = (b${i} & (w.y < ${i + 5}u)) & (b${i} & (w.z > ${i}u));`
  );
  const program = programOf(`let b0 = w.x < 5u; ${shared.join(' ')} if (b24) { out[w.x] = l; }`, [64, 1, 1]);
  const before = process.cpuUsage();
  findLanes(program, findQuadUniform(program));
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
});

test.each([
  ['id.x', [64, 1, 1], 4],
  ['id.y * 100u + id.x', [8, 8, 1], 4],
  ['(l >> 3u) * 100u + l % 8u', [64, 1, 1], 4],
  ['l * 4u + 2u', [64, 1, 1], 16],
  ['(l & 7u) * 2u + 1u', [32, 1, 1], 8],
  ['p.y', [1, 64, 1], 4],
  ['id.y * 100u + id.x', [6, 6, 1], undefined],
  ['l * l', [64, 1, 1], undefined],
  ['w.x * 3u', [64, 1, 1], 0],
] as const)('out[%s] of %j has a stride of %s bytes between lanes', (index, extents, step) => {
  // The index is clamped to the array: the result is the offset after clamping.
  const program = programOf(`if (w.x < 1000u) { out[(${index}) & 4095u] = l; }`, extents);
  const lanes = findLanes(program, findQuadUniform(program));
  const steps: (number | undefined)[] = [];
  const visit = (nodes: IrProgram['body']): void => {
    for (const node of nodes) {
      if (node.kind === 'op' && node.op === 'storage.store') steps.push(lanes.stepOf(node.args[0]!));
      else if (node.kind === 'if') visit(node.then);
    }
  };
  visit(program.body);
  expect(steps).toEqual([step]);
});

test('a loop counter is within its bounds, and so is what it indexes', () => {
  const program = programOf('for (var k = 0u; k < 60u; k++) { out[k * 64u + p.x] = k; }', [16, 4, 1]);
  const lanes = findLanes(program, findQuadUniform(program));
  let found = false;
  const visit = (nodes: IrProgram['body']): void => {
    for (const node of nodes) {
      if (node.kind === 'op' && node.op === 'storage.store') {
        expect(lanes.stepOf(node.args[0]!)).toBe(4);
        expect(lanes.rangeOf(node.args[0]!)).toEqual({ minimum: 0, maximum: 4 * (59 * 64 + 15) });
        found = true;
      } else if (node.kind === 'block' || node.kind === 'loop') visit(node.body);
    }
  };
  visit(program.body);
  expect(found).toBe(true);
});
