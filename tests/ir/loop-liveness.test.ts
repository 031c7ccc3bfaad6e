// Liveness of values between iterations of nested loops, at any depth.
import { describe, expect, test } from 'vitest';
import { cutAtBarriers, forEachInstruction, type IrProgram } from '../../src/ir';
import { lower } from '../lower/source';

/** Nested loops around `body`, `levels` deep. */
const nest = (levels: number, body: string): string =>
  `${Array.from({ length: levels }, (_, k) => `for (var k${k} = 0u; k${k} < n; k${k}++) {`).join(
    ' '
  )} ${body} ${'}'.repeat(levels)}`;

const lowered = (body: string): IrProgram =>
  lower(`
  @group(0) @binding(0) var<storage, read_write> data: array<u32>;
  @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32, @builtin(num_workgroups) count: vec3u) {
    let n = count.x;
    var x = data[l];
    var y = 1u;
    ${body}
    data[l] = x;
  }`);

function setsIn(program: IrProgram): number {
  let count = 0;
  forEachInstruction(program.body, ({ op }) => {
    if (op === 'var.set') count++;
  });
  return count;
}

describe('nested loops', () => {
  // Each level visited the inner levels twice, so 40 never finished.
  test.each([40, 100])('%d of them next to a barrier are analyzed quickly', (levels) => {
    const program = lowered(`workgroupBarrier(); ${nest(levels, 'x += data[k0];')} workgroupBarrier();`);
    const before = process.cpuUsage();
    expect(cutAtBarriers(program).parts).toBe(3);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });

  test('a store stays if an outer loop reads it in its next iteration, and is removed if unused', () => {
    const inner = (body: string): number => setsIn(lowered(nest(3, body)));
    expect(inner('x += y; y = x * 3u;')).toBe(inner('x += 1u;') + 2);
    expect(inner('y = 2u; x += y; y = x * 3u;')).toBe(inner('x += 2u;'));
  });

  test('a store stays if the next iteration sets the variable again on some paths only', () => {
    const sets = (otherwise: string, last: string): number =>
      setsIn(
        lowered(`for (var k = 0u; k < n; k++) {
          switch (data[k]) { default: { if (data[k + 1u] > 3u) { y = 5u; break; } ${otherwise} } }
          x += y;
          ${last}
        }`)
      );
    expect(sets('x += 1u;', 'y = x * 3u;')).toBe(sets('x += 1u;', '') + 1);
    expect(sets('y = x;', 'y = x * 3u;')).toBe(sets('y = x;', ''));
  });
});
