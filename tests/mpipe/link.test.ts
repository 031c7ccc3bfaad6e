import { describe, expect, it } from 'vitest';
import type { IrInput, IrNode, IrOutput, IrProgram } from '../../src/ir';
import { link, onlyProgram, renderPipelineTables } from '../../src/mpipe';

const program = (part: Partial<IrProgram>): IrProgram => ({
  name: 'p', stage: 'vertex', values: [], variables: [], arrays: [], inputs: [], outputs: [], resources: [], body: [],
  usesDiscard: false, usesDerivatives: false, ...part,
});
const output = (slot: number, value: number): IrNode => ({
  kind: 'op', op: 'output', results: [], args: [value], imm: slot,
});
const input = (slot: number, value: number): IrNode => ({
  kind: 'op', op: 'input', results: [value], args: [], imm: slot,
});
const position = (component: number): IrOutput => ({ kind: 'position', component, type: 'f32' });
const varying = (
  location: number, component: number, interpolation: 'perspective' | 'linear' | 'flat' = 'perspective'
): IrOutput & IrInput =>
  ({ kind: 'varying', location, component, type: 'f32', interpolation, sampling: 'center' });

describe('link', () => {
  const vertex = program({
    values: Array.from({ length: 8 }, () => 'f32' as const),
    outputs: [
      varying(1, 0), position(3), position(2), position(1), position(0), varying(0, 0, 'flat'), varying(2, 0),
      varying(0, 1, 'flat'),
    ],
    body: Array.from({ length: 8 }, (_, i) => output(i, i)),
  });
  const fragment = program({
    stage: 'fragment', values: ['f32', 'f32', 'f32', 'bool'],
    inputs: [
      { kind: 'builtin', builtin: 'front_facing', type: 'bool' }, varying(0, 1, 'flat'), varying(2, 0), varying(1, 0),
    ],
    body: [
      input(0, 3),
      {
        kind: 'if', condition: 3, then: [input(1, 0), input(2, 1)],
        otherwise: [{ kind: 'block', label: 0, body: [input(3, 2)] }],
      },
    ],
  });

  it('orders fragment inputs by interpolation, then location, and puts builtins last', () => {
    const linked = link(vertex, fragment);
    expect(linked.fragment!.inputs).toEqual([varying(1, 0), varying(2, 0), varying(0, 1, 'flat'), fragment.inputs[0]]);
    expect(linked.groups).toEqual([2, 0, 0, 0, 0, 0, 1]);
    expect(linked.fragment!.body).toEqual([
      input(3, 3),
      {
        kind: 'if', condition: 3, then: [input(2, 0), input(1, 1)],
        otherwise: [{ kind: 'block', label: 0, body: [input(0, 2)] }],
      },
    ]);
  });

  it('keeps of the vertex outputs what is read: position x, y, z, w first, the rest in packet order', () => {
    const linked = link(vertex, fragment);
    expect(linked.vertex.outputs).toEqual([
      position(0), position(1), position(2), position(3), varying(1, 0), varying(2, 0), varying(0, 1, 'flat'),
    ]);
    // Output 5 (location 0, component 0) has no reader and is gone.
    expect(linked.vertex.body).toEqual([
      output(4, 0), output(3, 1), output(2, 2), output(1, 3), output(0, 4), output(5, 6), output(6, 7),
    ]);
  });

  it('keeps only the position for a pipeline without fragment stage', () => {
    expect(link(vertex, null).vertex.outputs).toHaveLength(4);
    expect(link(vertex, null).fragment).toBeNull();
  });
});

describe('renderPipelineTables', () => {
  it('makes two tables, and takes the programs of enabled slots only', () => {
    const v = program({});
    const tables = renderPipelineTables(v, null);
    expect(onlyProgram(tables.geometry)).toBe(v);
    expect(onlyProgram(tables.pixel)).toBeNull();
    const other = program({ name: 'other' });
    expect(onlyProgram({ slots: [{ program: v, enabled: false }, { program: other, enabled: true }] })).toBe(other);
    expect(() => onlyProgram({ slots: [{ program: v, enabled: true }, { program: other, enabled: true }] })).toThrow(
      '2 programs where one is linked'
    );
  });
});
