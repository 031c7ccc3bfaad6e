// Which texture reads may follow writes of the shader, and which decide the number of loop iterations.
import { describe, expect, test } from 'vitest';
import { streamedReads, type IrNode, type OpName } from '../../src/ir';

const op = (name: OpName, results: number[], args: number[], imm = 0): IrNode => ({
  kind: 'op',
  op: name,
  results,
  args,
  imm,
});
const read = (texture: number, result: number): IrNode => ({
  kind: 'op',
  op: 'texture.load',
  results: [result],
  args: [0],
  imm: 0,
  texture: { mode: 'load', texture, sampler: -1, offset: [0, 0, 0], compare: false },
});
const WRITE = op('atomic.add', [99], [0, 0], 7);
const on = (condition: number, then: IrNode[], otherwise: IrNode[] = []): IrNode => ({
  kind: 'if',
  condition,
  then,
  otherwise,
});
const loop = (...body: IrNode[]): IrNode => ({ kind: 'block', label: 1, body: [{ kind: 'loop', label: 2, body }] });
const LEAVE: IrNode = { kind: 'leave', label: 1 };
const after = (...body: IrNode[]): number[] => [...streamedReads({ body }).afterWrites].sort();
const ends = (...body: IrNode[]): boolean => streamedReads({ body }).endsLoops;

describe('texture reads after writes', () => {
  test('in sequence', () => {
    expect(after(read(1, 1), WRITE)).toEqual([]);
    expect(after(read(1, 1), WRITE, read(2, 2))).toEqual([2]);
    expect(after(op('discard', [], []), read(1, 1))).toEqual([]);
  });

  test('a branch may follow the other one, because lanes of both wait together', () => {
    expect(after(on(0, [read(1, 1)], [WRITE]))).toEqual([]);
    expect(after(on(0, [WRITE], [read(1, 1)]))).toEqual([1]);
    expect(after(on(0, [], [WRITE]), read(1, 1))).toEqual([1]);
  });

  test('an iteration may follow another', () => {
    expect(after(loop(read(1, 1), on(1, [LEAVE])), WRITE)).toEqual([]);
    expect(after(loop(read(1, 1), on(1, [LEAVE]), WRITE))).toEqual([1]);
    expect(after(loop(read(1, 1), on(1, [WRITE, LEAVE])), read(2, 2))).toEqual([1, 2]);
  });
});

describe('texture reads that end loops', () => {
  test('directly, or by what they decide', () => {
    expect(ends(read(1, 1), loop(on(0, [LEAVE])))).toBe(false);
    expect(ends(loop(read(1, 1), on(1, [LEAVE])))).toBe(true);
    expect(ends(read(1, 1), on(1, [op('var.set', [], [0], 3)]), loop(op('var.get', [2], [], 3), on(2, [LEAVE])))).toBe(
      true
    );
    expect(ends(read(1, 1), op('var.set', [], [1], 4), loop(op('var.get', [2], [], 3), on(2, [LEAVE])))).toBe(false);
    // The value set in the previous iteration.
    expect(ends(loop(op('var.get', [2], [], 3), on(2, [LEAVE]), read(1, 1), op('var.set', [], [1], 3)))).toBe(true);
    expect(
      ends(read(1, 1), op('array.store', [], [0, 1], 5), loop(op('array.load', [2], [0], 5), on(2, [LEAVE])))
    ).toBe(true);
  });
});
