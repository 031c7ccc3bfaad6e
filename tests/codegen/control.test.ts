// Divergence and reconvergence of lanes, as both code generators print it.
import { describe, expect, test } from 'vitest';
import { findControl, type Place, type Step } from '../../src/codegen/control';
import type { IrNode, IrProgram } from '../../src/ir';

const SAME = 0;
const OWN = 1;
const set = (variable: number): IrNode => ({ kind: 'op', op: 'var.set', results: [], args: [OWN], imm: variable });
const when = (condition: number, then: IrNode[], otherwise: IrNode[] = []): IrNode => ({
  kind: 'if',
  condition,
  then,
  otherwise,
});
const block = (label: number, ...body: IrNode[]): IrNode => ({ kind: 'block', label, body });
const loop = (label: number, ...body: IrNode[]): IrNode => ({ kind: 'loop', label, body });
const leave = (label: number): IrNode => ({ kind: 'leave', label });

/** The lowering as lines: masks are m0, m1 … and points p0, p1 … in the order of their appearance. */
function lowered(...body: IrNode[]): string[] {
  const program: IrProgram = {
    name: 'lanes',
    kind: 'fragment',
    values: ['bool', 'bool'],
    variables: [],
    arrays: [],
    inputs: [],
    outputs: [],
    resources: [],
    usesDiscard: false,
    usesDerivatives: false,
    body: [
      { kind: 'op', op: 'const', results: [SAME], args: [], imm: 0 },
      { kind: 'op', op: 'input', results: [OWN], args: [], imm: 0 },
      ...body,
    ],
  };
  const lines: string[] = [];
  const masks: Place[] = [];
  const points: Place[] = [];
  const nameOf = (list: Place[], letter: string, place: Place): string => {
    if (!list.includes(place)) list.push(place);
    return `${letter}${list.indexOf(place)}`;
  };
  const mask = (place: Place | null): string => (place === null ? '' : ` saves ${nameOf(masks, 'm', place)}`);
  const point = (place: Place | null): string => (place === null ? 'nowhere' : nameOf(points, 'p', place));
  const behind = ({ left, reactivation }: { left: boolean; reactivation: Place | null }): string =>
    left ? `, then looks, else ${point(reactivation)}` : '';
  const print = (list: readonly Step[], indent: string): void => {
    for (const step of list) {
      switch (step.kind) {
        case 'op':
          if (step.position > 1) lines.push(`${indent}set ${step.full ? 'all' : 'some'}`);
          break;
        case 'if':
          lines.push(`${indent}if${mask(step.save)}${step.divides ? behind(step) : ''}`);
          print(step.then, `${indent}  `);
          if (step.otherwise.length > 0) lines.push(`${indent}else`);
          print(step.otherwise, `${indent}  `);
          break;
        case 'leave':
          lines.push(
            indent
              + (step.jumps
                ? `jump ${point(step.target.end)}`
                : `leave ${step.saves.map((save) => nameOf(masks, 'm', save)).join(' ')} `
                  + `to ${point(step.reactivation)}`)
          );
          break;
        case 'leaveWhere': {
          const left = step.saves.map((save) => nameOf(masks, 'm', save)).join(' ');
          lines.push(`${indent}leave ${step.negated ? 'unless' : 'where'} ${left} to ${point(step.reactivation)}`);
          break;
        }
        default:
          lines.push(
            `${indent}${step.kind} `
              + `${point(step.kind === 'loop' ? step.check : step.end)}`
              + `${mask(step.save)}${step.kind === 'block' && step.divides ? behind(step) : ''}`
          );
          print(step.body, `${indent}  `);
      }
    }
  };
  print(findControl(program, new Set([SAME])).steps, '');
  return lines;
}

describe('control flow', () => {
  test('uniform control flow needs only branches: all lanes are active, in a loop and after it', () => {
    expect(lowered(block(0, loop(1, when(SAME, [leave(0)]), set(0))), set(0))).toEqual([
      'block p0',
      '  loop p1 saves m0',
      '    if',
      '      jump p0',
      '    set all',
      'set all',
    ]);
  });

  test('a loop that lanes leave one at a time shares the mask of the enclosing block', () => {
    expect(lowered(block(0, loop(1, when(OWN, [leave(0)]), set(0))), set(0))).toEqual([
      'block p0 saves m0',
      '  loop p1',
      '    leave where  to p1',
      '    set some',
      'set all',
    ]);
  });

  test('a continuing lane waits for the end of the iteration; a breaking lane leaves the masks in between', () => {
    expect(
      lowered(block(0, loop(1, block(2, when(OWN, [leave(2)]), when(OWN, [], [set(0), leave(0)]), set(0)))))
    ).toEqual([
      'block p0 saves m0',
      '  loop p1',
      '    block p2 saves m1, then looks, else p1',
      '      leave where  to p2',
      '      if saves m2, then looks, else p2',
      '      else',
      '        set some',
      '        leave m2 m1 to p3',
      '      set some',
    ]);
  });

  test('a jump skips no point where lanes rejoin', () => {
    // Some have left the loop before the others leave together.
    expect(lowered(loop(0, when(OWN, [leave(0)]), when(SAME, [leave(0)])), set(0))).toEqual([
      'loop p0 saves m0',
      '  leave where  to p0',
      '  if',
      '    leave  to p0',
      'set all',
    ]);
  });

  test('a return in a divergent conditional removes the lane from its mask', () => {
    expect(lowered(block(0, when(OWN, [set(0), leave(0)], [set(0)]), set(0)), set(0))).toEqual([
      'block p0 saves m0',
      '  if saves m1, then looks, else p0',
      '    set some',
      '    leave m1 to p1',
      '  else',
      '    set some',
      '  set some',
      'set all',
    ]);
  });

  test('leaving a block that does not enclose the statement is an internal error', () => {
    expect(() => lowered(leave(3))).toThrow('codegen: leave of label 3 outside it');
  });
});
