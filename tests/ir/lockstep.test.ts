// Whether a workgroup executes part by part together: by graphs of parts, and by shaders.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutAtBarriers, optimize } from '../../src/ir';
import { isLockstep, type PartTransition } from '../../src/ir/passes/parts/lockstep';
import { lower } from '../lower/source';
import { hostMath } from './evaluate';

const open = (to: number): PartTransition => ({ to, crossesBarrier: false });
const barred = (to: number): PartTransition => ({ to, crossesBarrier: true });

test.each<[string, boolean, PartTransition[][]]>([
  ['one after the other', true, [[barred(1)], [open(2)]]],
  ['a loop that ends or comes to a barrier', true, [[open(1)], [open(3), barred(2)], [open(1)]]],
  ['two ways to the end', true, [[barred(1)], [open(2), open(2)]]],
  ['lanes that meet without a barrier', false, [[barred(1)], [open(2), open(3)], [open(3)], [barred(4)]]],
  ['lanes that meet at the end', false, [[barred(1)], [open(2), open(3)], [open(3)]]],
  ['round again or out, with a barrier in the round', true, [[open(1)], [barred(2)], [open(1), open(3)], [barred(4)]]],
  ['lanes that meet two parts further on', false, [[open(1), open(2)], [open(3)], [open(3)], [barred(4)]]],
])('%s: %j', (_, wanted, ways) => {
  expect(isLockstep(ways)).toBe(wanted);
});

/** The same by its definition: parts from which all paths lead to a meeting point, for each such point. */
function togetherByDefinition(ways: readonly (readonly PartTransition[])[]): boolean {
  return [...ways.keys(), ways.length].every((meeting) => {
    const leading = new Set([...ways.keys()].filter((part) => part !== meeting));
    const leads = ({ to, crossesBarrier }: PartTransition): boolean =>
      !crossesBarrier && (to === meeting || leading.has(to));
    for (let known = -1; known !== leading.size;) {
      known = leading.size;
      for (const part of leading) if (!ways[part]!.every(leads)) leading.delete(part);
    }
    return ways.every((list) => new Set(list.filter(leads).map(({ to }) => to)).size < 2);
  });
}

test('random graphs of parts give the result of the definition', () => {
  const graphs = fc
    .integer({ min: 1, max: 7 })
    .chain((parts) =>
      fc.array(fc.array(fc.record({ to: fc.nat(parts), crossesBarrier: fc.boolean() }), { maxLength: 3 }), {
        minLength: parts,
        maxLength: parts,
      })
    );
  const counts = { true: 0, false: 0 };
  fc.assert(
    fc.property(graphs, (ways) => {
      const wanted = togetherByDefinition(ways);
      counts[`${wanted}`]++;
      expect(isLockstep(ways)).toBe(wanted);
    }),
    { numRuns: 3000 }
  );
  expect(Math.min(counts.true, counts.false)).toBeGreaterThan(300);
});

const cut = (body: string, more = ''): ReturnType<typeof cutAtBarriers> =>
  cutAtBarriers(
    optimize(
      lower(`
  @group(0) @binding(0) var<storage, read_write> data: array<u32>;
  var<workgroup> own: array<u32, 64>;
  ${more}
  @compute @workgroup_size(64) fn main(
    @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) n: vec3u
  ) { ${body} }`),
      hostMath
    )
  );

test('uniform loops and branches with barriers keep a workgroup together', () => {
  const program = cut(`
    var sum = data[l];
    for (var k = n.y; k < n.x; k++) {
      own[l] = sum;
      workgroupBarrier();
      if (l >= k) { sum += own[l - k]; }
      if (w.x % 2 == 0) { workgroupBarrier(); own[l] = sum; }
      workgroupBarrier();
    }
    if (l > 3u) { return; }
    data[l] = sum;`);
  expect(program.partsInLockstep).toBe(true);
  // The counter and its limit are uniform; the sum is not.
  expect(program.arrays.find(({ name }) => name === 'agreed u32')).toMatchObject({ length: 2, quadUniform: true });
  expect(program.arrays.find(({ name }) => name === 'kept u32')).toBeDefined();
});

test('values cheaply computed from inputs are not saved', () => {
  const program = cut('let at = l * 5u + w.x * 320u; data[at] = 1u; workgroupBarrier(); data[at + 1u] = own[at % 7u];');
  expect(program.arrays.filter(({ kept }) => kept).map(({ name }) => name)).toEqual(['next part']);
});

test('lanes that leave a function and a switch after the same barrier rejoin in its part', () => {
  const program = cut(
    'own[l] = data[l]; data[l] = several(l); workgroupBarrier(); data[l] += own[0];',
    `
    fn several(x: u32) -> u32 {
      var y = x;
      switch 0 {
        default: {
          workgroupBarrier();
          if (own[x % 64u] % 3u == 0u) { return y + 100u; }
          if (own[x % 64u] % 3u == 1u) { break; }
          y += own[(x + 1u) % 64u];
        }
      }
      y *= 2u;
      return y;
    }`
  );
  expect(program).toMatchObject({ partsInLockstep: true, parts: 3 });
});
