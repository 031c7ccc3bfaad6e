// Shaders are linked and encoded once, however many pipelines use them, and with whichever partner.
import { describe, expect, test } from 'vitest';
import { RATE_LOCATION, type IrInput, type IrOutput, type IrProgram } from '../../../src/ir';
import { chain, type StageShader } from '../../../src/mpipe';
import { Linker, type LinkedState } from '../../../src/render/shaders/linker';
import type { OutputState, TargetState } from '../../../src/render/types';
import { formatInfo } from '../../../src/surface';
import { hostMath } from '../../ir/evaluate';
import { both } from '../../lower/source';

const optimized = (source: string) => both(source)[1]!;
const INPUTS = '@location(0) a: f32, @location(1) b: f32';
const VERTEX = optimized(`struct V { @builtin(position) p: vec4f, @location(0) a: f32, @location(1) b: f32 }
  @vertex fn main(@location(0) x: f32) -> V { return V(vec4f(x), x + 1, sin(x)); }`);
const OTHER = optimized(`struct V { @location(1) b: f32, @location(0) a: f32, @builtin(position) p: vec4f }
  @vertex fn main(@location(0) x: f32) -> V { return V(x * 3, x, vec4f(x)); }`);
const fragment = (result: string, type = 'f32') =>
  optimized(`@fragment fn main(${INPUTS}) -> @location(0) ${type} { return ${result}; }`);
const BOTH = fragment('a * b');
const FIRST = fragment('a * 2');

const target = (format: string, part: Partial<TargetState> = {}): TargetState => ({
  format: formatInfo(format)!,
  blend: null,
  writeMask: 15,
  ...part,
});
const whole = (program: IrProgram): StageShader => ({ program, scalars: new Set(), emission: null });
const state = (
  vertex: IrProgram,
  pixel: IrProgram | null,
  targets: readonly (TargetState | null)[] = [target('rgba8unorm')],
  alphaToCoverageEnabled = false
): LinkedState => {
  const primitive = { topology: 'triangle-list', frontFace: 'ccw', cullMode: 'none', unclippedDepth: false } as const;
  const output: OutputState = {
    fragment: pixel && whole(pixel),
    staged: null,
    isUnordered: false,
    targets,
    primitive,
    depthStencil: null,
    multisample: { count: 1, mask: -1, alphaToCoverageEnabled },
  };
  return { tree: chain([whole(vertex)], { number: 0, kind: 'raster', output }), source: null };
};
const ops = (program: IrProgram, named: RegExp) =>
  program.body.flatMap((node) => (node.kind === 'op' && named.test(node.op) ? [node.op] : []));

test('a stage is encoded once for all pipelines, with any partner', () => {
  const linker = new Linker(hostMath);
  const link = (vertex: IrProgram, pixel: IrProgram | null) => {
    const linked = linker.link(state(vertex, pixel));
    return [linked.stages[0]!, linked.leaf!.pixel.stages[0]];
  };
  const [vertex, pixel] = link(VERTEX, BOTH);
  expect(link(VERTEX, BOTH)).toEqual([vertex, pixel]);
  expect(link(VERTEX, BOTH)[0]).toBe(vertex);
  expect(link(OTHER, BOTH)[1]).toBe(pixel);
  // Another shader that reads the same outputs.
  expect(link(VERTEX, fragment('b - a'))[0]).toBe(vertex);
  expect(link(VERTEX, FIRST)[0]).not.toBe(vertex);
  expect(link(VERTEX, null)[1]).toBeUndefined();
  expect(link(VERTEX, null)[0]).toBe(link(VERTEX, null)[0]);
});

test('outputs that the fragment shader does not read are not computed', () => {
  const linker = new Linker(hostMath);
  const computes = (partner: IrProgram | null) =>
    ops(linker.link(state(VERTEX, partner)).stages[0]!.program, /sin|add/);
  expect(computes(BOTH)).toEqual(['f32.add', 'f32.sin']);
  expect(computes(FIRST)).toEqual(['f32.add']);
  expect(computes(null)).toEqual([]);
});

test('colors without a target are neither computed nor are their inputs read', () => {
  const linker = new Linker(hostMath);
  const two = optimized(`struct F { @location(0) first: vec4f, @location(1) second: vec4f }
    @fragment fn main(${INPUTS}) -> F { return F(vec4f(a, sqrt(a), 0.5, floor(a)), vec4f(exp2(b))); }`);
  const linked = (targets: readonly (TargetState | null)[], coverage = false) => {
    const {
      stages: [vertex],
      leaf,
    } = linker.link(state(VERTEX, two, targets, coverage));
    const [pixel] = leaf!.pixel.stages;
    return [pixel!.outputs.length, ops(pixel!.program, /sqrt|floor|exp2/).join(), ops(vertex!.program, /sin/).length];
  };
  const all = target('rgba8unorm');
  const none = target('rgba8unorm', { writeMask: 0 });
  expect(linked([all, all])).toEqual([8, 'f32.sqrt,f32.floor,f32.exp2', 1]);
  expect(linked([all, null])).toEqual([4, 'f32.sqrt,f32.floor', 0]);
  expect(linked([none, all])).toEqual([4, 'f32.exp2', 1]);
  expect(linked([none, all], true)).toEqual([5, 'f32.floor,f32.exp2', 1]);
  expect(linked([target('r8unorm'), null])).toEqual([1, '', 0]);
  expect(linked([target('rgba8unorm', { writeMask: 4 }), null])).toEqual([2, '', 0]);
  // Blend factors may read the alpha.
  const over = { operation: 'add', srcFactor: 'src-alpha', dstFactor: 'one' } as const;
  expect(linked([target('r8unorm', { blend: { color: over, alpha: over } }), null])).toEqual([2, 'f32.floor', 0]);
});

test('a constant alpha of 1 is not an output', () => {
  const opaque = fragment('vec4f(a, b, a, 1)', 'vec4f');
  const [stage] = new Linker(hostMath).link(state(VERTEX, opaque)).leaf!.pixel.stages;
  expect(stage!.outputs).toHaveLength(3);
});

test('a shader that violates a rule is not encoded', () => {
  const broken = { ...FIRST, body: FIRST.body.filter((node) => node.kind !== 'op' || node.op !== 'input') };
  expect(() => new Linker(hostMath).link(state(VERTEX, broken))).toThrow(/ir: main: %\d+ is visible where/);
});

describe('shading rates written by vertices', () => {
  const RATED = optimized(`enable shading_rate;
    struct V {
      @builtin(shading_rate) rate: u32, @location(1) b: f32, @builtin(position) p: vec4f,
      @location(5) @interpolate(flat) n: u32, @location(0) a: f32
    }
    @vertex fn main(@location(0) x: f32) -> V { return V(u32(x), sin(x), vec4f(x), u32(x * 2), x + 1); }`);
  const mixed = optimized(`@fragment fn main(
      @builtin(front_facing) front: bool, @location(5) @interpolate(flat) n: u32, @location(0) a: f32
    ) -> @location(0) f32 { return select(a, f32(n), front); }`);
  const linked = (vertex: IrProgram, pixel: IrProgram | null, linker = new Linker(hostMath)) => {
    const {
      stages: [first],
      leaf,
    } = linker.link(state(vertex, pixel));
    return { vertex: first!, pixel: leaf!.pixel.stages[0] };
  };
  const places = (slots: readonly (IrInput | IrOutput)[] = []) =>
    slots.map((slot) => ('location' in slot ? slot.location : slot.kind));

  test('are the last varying of the fragment shader, which does not read it', () => {
    const { vertex, pixel } = linked(RATED, mixed);
    expect(places(pixel!.inputs)).toEqual([0, 5, RATE_LOCATION, 'builtin']);
    expect(pixel!.inputs[2]).toMatchObject({ kind: 'varying', type: 'u32', interpolation: 'flat' });
    expect(
      pixel!.program.body.flatMap((node) => (node.kind === 'op' && node.op === 'input' ? [node.imm] : [])).sort()
    ).toEqual([0, 1, 3]);
    expect(places(vertex.outputs)).toEqual(['position', 'position', 'position', 'position', 0, 5, RATE_LOCATION]);
  });

  test('are dropped without a fragment shader', () => {
    expect(places(linked(RATED, null).vertex.outputs)).toEqual(['position', 'position', 'position', 'position']);
  });

  test('leave the stages of others unchanged, and are shared as well', () => {
    const linker = new Linker(hostMath);
    const pixelOf = (vertex: IrProgram) => linked(vertex, BOTH, linker).pixel;
    expect(pixelOf(RATED)).toBe(pixelOf(RATED));
    expect(pixelOf(VERTEX)).toBe(pixelOf(OTHER));
    expect(pixelOf(RATED)).not.toBe(pixelOf(VERTEX));
    expect(places(pixelOf(VERTEX)!.inputs)).toEqual([0, 1]);
  });
});
