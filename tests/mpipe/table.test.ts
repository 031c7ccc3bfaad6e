import { describe, expect, it } from 'vitest';
import type { IrInput, IrNode, IrOutput, IrProgram } from '../../src/ir';
import {
  arrangeInputs,
  arrangeOutputs,
  edgeLayout,
  chain,
  edgeBefore,
  edgeInputs,
  linkStageTable,
  linkStageTree,
  packetBefore,
  placesIn,
  stageOf,
  withDefaults,
  writtenBy,
  type Branch,
  type LinkedStages,
  type Slot,
  type Stage,
  type StageShader,
  type VertexSink,
} from '../../src/mpipe';

const program = (part: Partial<IrProgram>): IrProgram => ({
  name: 'p',
  kind: 'vertex',
  values: [],
  variables: [],
  arrays: [],
  inputs: [],
  outputs: [],
  resources: [],
  body: [],
  usesDiscard: false,
  usesDerivatives: false,
  ...part,
});
const output = (slot: number, value: number): IrNode => ({
  kind: 'op',
  op: 'output',
  results: [],
  args: [value],
  imm: slot,
});
const input = (slot: number, value: number): IrNode => ({
  kind: 'op',
  op: 'input',
  results: [value],
  args: [],
  imm: slot,
});
const position = (component: number): IrOutput => ({ kind: 'position', component, type: 'f32' });
const varying = (
  location: number,
  component: number,
  interpolation: 'perspective' | 'linear' | 'flat' = 'perspective'
): IrOutput & IrInput => ({ kind: 'varying', location, component, type: 'f32', interpolation, sampling: 'center' });

const attribute = (location: number, component: number): IrInput => ({
  kind: 'attribute',
  location,
  component,
  type: 'f32',
});

const slot = (of: IrProgram): Slot => ({ program: of, scalars: new Set(), emission: null, enabled: true });
const reduce = (of: StageShader, outputs: readonly number[], missing: readonly number[]): Stage =>
  stageOf(arrangeInputs(arrangeOutputs(withDefaults(of, missing), outputs)));
const pixel = (...programs: readonly IrProgram[]): LinkedStages =>
  linkStageTable({ slots: programs.map(slot), source: null, sink: { kind: 'output', takes: () => true } }, reduce);
const geometry = (behind: LinkedStages | null, ...programs: readonly IrProgram[]): LinkedStages =>
  linkStageTable({ slots: programs.map(slot), source: null, sink: { kind: 'setup', behind } }, reduce);

describe('linkStageTable', () => {
  const vertex = program({
    values: Array.from({ length: 8 }, () => 'f32' as const),
    outputs: [
      varying(1, 0),
      position(3),
      position(2),
      position(1),
      position(0),
      varying(0, 0, 'flat'),
      varying(2, 0),
      varying(0, 1, 'flat'),
    ],
    body: Array.from({ length: 8 }, (_, i) => output(i, i)),
  });
  const fragment = program({
    kind: 'fragment',
    values: ['f32', 'f32', 'f32', 'bool'],
    inputs: [
      { kind: 'builtin', builtin: 'front_facing', type: 'bool' },
      varying(0, 1, 'flat'),
      varying(2, 0),
      varying(1, 0),
    ],
    body: [
      input(0, 3),
      {
        kind: 'if',
        condition: 3,
        then: [input(1, 0), input(2, 1)],
        otherwise: [{ kind: 'block', label: 0, body: [input(3, 2)] }],
      },
    ],
  });

  it('orders inputs by interpolation, then location, and puts builtins last', () => {
    const {
      stages: [stage],
    } = pixel(fragment);
    expect(stage!.inputs).toEqual([varying(1, 0), varying(2, 0), varying(0, 1, 'flat'), fragment.inputs[0]]);
    expect(edgeBefore(stage!).groups).toEqual([2, 0, 0, 0, 0, 0, 1]);
    expect(stage!.program.body).toEqual([
      input(3, 3),
      {
        kind: 'if',
        condition: 3,
        then: [input(2, 0), input(1, 1)],
        otherwise: [{ kind: 'block', label: 0, body: [input(0, 2)] }],
      },
    ]);
  });

  it('keeps of the outputs before setup what is read: position x, y, z, w first, the rest in packet order', () => {
    const {
      stages: [stage],
    } = geometry(pixel(fragment), vertex);
    expect(stage!.outputs).toEqual([
      position(0),
      position(1),
      position(2),
      position(3),
      varying(1, 0),
      varying(2, 0),
      varying(0, 1, 'flat'),
    ]);
    // Output 5 (location 0, component 0) has no reader and is removed.
    expect(stage!.program.body).toEqual([
      output(4, 0),
      output(3, 1),
      output(2, 2),
      output(1, 3),
      output(0, 4),
      output(5, 6),
      output(6, 7),
    ]);
  });

  it('keeps only the position without a stage after setup', () => {
    expect(geometry(null, vertex).stages[0]!.outputs).toHaveLength(4);
    expect(geometry(pixel(), vertex).stages[0]!.outputs).toHaveLength(4);
    expect(edgeBefore(null).groups).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('names inputs that no stage writes', () => {
    const short = program({ outputs: vertex.outputs.slice(1), body: [] });
    expect(() => geometry(pixel(fragment), short)).toThrow('nothing writes location 1 component 0');
    expect(() => geometry(null, fragment)).toThrow('nothing writes a position that setup takes');
  });

  it('drops outputs that the sink does not accept', () => {
    const colors = program({
      kind: 'fragment',
      values: ['f32', 'f32'],
      outputs: [0, 1].map((location) => ({ kind: 'color', location, component: 0, type: 'f32' })),
      body: [output(0, 0), output(1, 1)],
    });
    const {
      stages: [stage],
    } = linkStageTable(
      { slots: [slot(colors)], source: null, sink: { kind: 'output', takes: (_, index) => index === 1 } },
      reduce
    );
    expect(stage!.outputs).toEqual([colors.outputs[1]]);
    expect(stage!.program.body).toEqual([output(0, 1)]);
  });

  // displace reads location 3 and writes what the fragment shader reads; of the preceding stages, only that remains.
  const source = program({
    name: 'source',
    outputs: [0, 1, 2, 3].map((component) => position(component)).concat([varying(3, 0), varying(4, 0)]),
    body: Array.from({ length: 6 }, (_, i) => output(i, i)),
  });
  const displace = program({
    ...vertex,
    name: 'displace',
    inputs: [attribute(3, 0)],
    body: [input(0, 0), ...vertex.body],
  });

  it('links each stage to the next one, and skips empty and disabled slots', () => {
    const slots = [slot(source), null, { ...slot(vertex), enabled: false }, slot(displace), null];
    const { stages } = linkStageTable(
      { slots, source: null, sink: { kind: 'setup', behind: pixel(fragment) } },
      reduce
    );
    expect(stages.map((stage) => stage.program.name)).toEqual(['source', 'displace']);
    expect(stages[0]!.outputs).toEqual([varying(3, 0)]);
    expect(stages[0]!.program.body).toEqual([output(0, 4)]);
    expect(stages[1]!.outputs).toHaveLength(7);
    expect(edgeInputs(stages[1]!)).toEqual([attribute(3, 0)]);
  });
});

describe('edge layouts', () => {
  // The reference's two cases: `first` writes a, b and c, `second` reads b, c and d. (Locations 0 to 3.)
  const [A, B, C, D] = [0, 1, 2, 3] as const;
  const first = program({
    name: 'first',
    values: ['f32', 'f32', 'f32'],
    outputs: [A, B, C].map((location) => varying(location, 0)),
    body: [output(0, 0), output(1, 1), output(2, 2)],
  });
  const second = program({
    name: 'second',
    values: Array.from({ length: 7 }, () => 'f32' as const),
    inputs: [
      attribute(B, 0),
      attribute(C, 0),
      attribute(D, 0),
      attribute(D, 1),
      attribute(D, 2),
      attribute(D, 3),
      { kind: 'attribute', location: 5, component: 0, type: 'u32' },
    ],
    outputs: [0, 1, 2, 3].map((component) => position(component)),
    body: [...[0, 1, 2, 3, 4, 5, 6].map((i) => input(i, i)), output(0, 0), output(1, 1), output(2, 2), output(3, 5)],
  });
  const link = (scalars: readonly number[] = []): LinkedStages =>
    linkStageTable(
      {
        slots: [slot(first), { ...slot(second), scalars: new Set(scalars) }],
        source: null,
        sink: { kind: 'setup', behind: null },
      },
      reduce
    );
  const constants = ({ stages }: LinkedStages): (readonly [number, number])[] =>
    stages[1]!.program.body.flatMap((node) =>
      node.kind === 'op' && node.op === 'const' ? [[node.results[0]!, node.imm] as const] : []
    );

  it('omit unread outputs: a has no memory, and is not computed', () => {
    const { stages } = link();
    expect(stages[0]!.outputs).toEqual([varying(B, 0), varying(C, 0)]);
    expect(stages[0]!.program.body).toEqual([output(0, 1), output(1, 2)]);
  });

  it('fill unwritten inputs: d is (0, 0, 0, 1), a single float 1, an integer 0', () => {
    expect(constants(link())).toEqual([
      [2, 0],
      [3, 0],
      [4, 0],
      [5, 0x3f800000],
      [6, 0],
    ]);
    expect(constants(link([D]))[0]).toEqual([2, 0x3f800000]);
  });

  it('report what is in packets, what was dropped, and what has its default', () => {
    const taken = { hasPosition: false, places: edgeInputs(link().stages[1]!) };
    expect(edgeLayout(first, writtenBy(first), slot(second), taken, taken)).toEqual({
      live: [
        { location: B, components: 'x' },
        { location: C, components: 'x' },
      ],
      dropped: [{ location: A, components: 'x' }],
      defaulted: [
        { location: D, components: 'xyzw' },
        { location: 5, components: 'x' },
      ],
    });
  });

  // Several consumers: produced AND (any consumed).
  type Leaf = { readonly sink: VertexSink };
  const reads = (...locations: readonly number[]): StageShader =>
    slot(
      program({
        values: locations.map(() => 'f32' as const),
        inputs: locations.map((location) => attribute(location, 0)),
        outputs: [varying(9, 0)],
        body: [...locations.map((_, i) => input(i, i)), output(0, 0)],
      })
    );
  const end: Leaf = { sink: { kind: 'buffer', takes: [{ location: 9, component: 0 }] } };
  const forked = (...consumers: readonly StageShader[]): Branch<StageShader, Leaf> => ({
    stages: [slot(first)],
    branches: consumers.map((consumer) => chain([consumer], end)),
    leaf: null,
  });

  it('contain, where a table forks, what any of the following stages reads, once', () => {
    const { stages, packet, branches } = linkStageTree(forked(reads(C), reads(B, D), reads(C, B)), null, reduce);
    expect(packet!.places.map(({ location }) => location)).toEqual([B, C]);
    expect(stages[0]!.outputs).toEqual([varying(B, 0), varying(C, 0)]);
    // Unread outputs are not computed.
    expect(stages[0]!.program.body).toEqual([output(0, 1), output(1, 2)]);
    expect(branches.map((branch) => placesIn(packet!, packetBefore(branch)))).toEqual([[1], [0], [0, 1]]);
    // D has its default there.
    expect(branches[1]!.stages[0]!.inputs).toEqual([attribute(B, 0)]);
  });

  it('let a sink after the fork take what it needs of the same packet', () => {
    const written = program({
      values: Array.from({ length: 5 }, () => 'f32' as const),
      outputs: [varying(B, 0), ...[0, 1, 2, 3].map(position)],
      body: [0, 1, 2, 3, 4].map((i) => output(i, i)),
    });
    const setup: Leaf = { sink: { kind: 'setup', behind: null } };
    const { packet, stages, branches } = linkStageTree<Stage, Leaf>(
      { stages: [slot(written)], leaf: null, branches: [chain([], setup), chain([reads(B)], end)] },
      null,
      reduce
    );
    expect(stages[0]!.outputs).toEqual([0, 1, 2, 3].map(position).concat(varying(B, 0)));
    expect(branches.map((branch) => placesIn(packet!, packetBefore(branch)))).toEqual([[0, 1, 2, 3], [4]]);
  });
});

describe('a stage', () => {
  const { builtin, type } = { builtin: 'sample_index', type: 'u32' } as const;
  const rateOf = (part: Partial<IrProgram>) => stageOf(program(part)).rate;
  it('runs once per vertex, primitive, pixel or sample, depending on its program', () => {
    expect(rateOf({})).toBe('vertex');
    expect(rateOf({ kind: 'geometry' })).toBe('primitive');
    expect(rateOf({ kind: 'fragment', inputs: [varying(0, 0)] })).toBe('pixel');
    expect(rateOf({ kind: 'fragment', inputs: [{ kind: 'builtin', builtin, type }] })).toBe('sample');
    expect(rateOf({ kind: 'fragment', inputs: [{ ...varying(0, 0), sampling: 'sample' } as IrInput] })).toBe('sample');
    // Flat values are equal at all samples.
    expect(rateOf({ kind: 'fragment', inputs: [{ ...varying(0, 0, 'flat'), sampling: 'sample' } as IrInput] })).toBe(
      'pixel'
    );
  });
});
