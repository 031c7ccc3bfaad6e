// Pipeline-overridable constants: an entry point is resolved again with the values of its overrides.

import { describe, expect, it } from 'vitest';
import { checkModule, parseModule, resolveEntryPoint } from '../../src/wgsl';
import { simpleMath } from './simple-math';

const source = `
  @id(7) override scale: f32 = 2.0;
  override count = 3u;
  override twice = scale * 2.0;
  override flag: bool;
  override unused: i32;
  fn helper() -> f32 { return twice; }
  @fragment fn scaled() -> @location(0) vec4f { return vec4f(scale, helper(), f32(10u / count), 1.0); }
  @fragment fn flagged() -> @location(0) vec4f { return vec4f(select(0.0, 1.0, flag)); }
  @vertex fn other() -> @builtin(position) vec4f { return vec4f(); }
`;
const { module } = parseModule(source);

function resolve(entryPoint: string, constants: Record<string, number> = {}) {
  return resolveEntryPoint(module, { entryPoint, constants, math: simpleMath });
}

/** The components that `scaled` returns; calls are not folded. */
function returned(result: ReturnType<typeof resolve>): unknown {
  const { hir, entryPoint } = result;
  return hir!.functions[entryPoint!.fn]!.body[0];
}

describe('overrides', () => {
  it('are listed, and leave a module without HIR until a pipeline is created', () => {
    const checked = checkModule(module, simpleMath);
    expect(checked).toMatchObject({ valid: true, hir: null, diagnostics: [] });
    expect(checked.entryPoints).toEqual([
      { name: 'scaled', stage: 'fragment' },
      { name: 'flagged', stage: 'fragment' },
      { name: 'other', stage: 'vertex' },
    ]);
    expect(checked.overrides.map(({ name, id, hasDefault }) => [name, id, hasDefault])).toEqual([
      ['scale', 7, true],
      ['count', null, true],
      ['twice', null, true],
      ['flag', null, false],
      ['unused', null, false],
    ]);
  });

  it('have default values', () => {
    expect(returned(resolve('scaled'))).toMatchObject({
      value: {
        op: 'construct',
        args: [{ op: 'const', data: [2] }, { op: 'call' }, { op: 'const', data: [3] }, { data: [1] }],
      },
    });
  });

  it('are set by id and by name, and dependent values follow', () => {
    const result = resolve('scaled', { 7: 0.5, count: 5 });
    expect(returned(result)).toMatchObject({ value: { args: [{ data: [0.5] }, { op: 'call' }, { data: [2] }, {}] } });
    expect(result.hir!.functions.find(({ name }) => name === 'helper')!.body).toMatchObject([
      { kind: 'return', value: { op: 'const', data: [1] } },
    ]);
  });

  it('are rounded to f32 and converted to bool', () => {
    expect(returned(resolve('scaled', { 7: 0.1 }))).toMatchObject({
      value: { args: [{ data: [Math.fround(0.1)] }, {}, {}, {}] },
    });
    expect(returned(resolve('flagged', { flag: 5 }))).toMatchObject({ value: { op: 'const', data: [1, 1, 1, 1] } });
    expect(returned(resolve('flagged', { flag: 0 }))).toMatchObject({ value: { op: 'const', data: [0, 0, 0, 0] } });
  });

  it('are resolved only if the entry point reaches them', () => {
    const { hir, diagnostics } = resolve('other');
    expect(diagnostics).toEqual([]);
    expect(hir!.functions.map(({ name }) => name)).toEqual(['other']);
    expect(hir!.overrides).toEqual([]);
  });

  it.each([
    [
      'no value for an override without default',
      'flagged',
      {},
      'override-without-value',
      "override 'flag' has no default, and the pipeline gives no value",
    ],
    [
      'a negative value for u32',
      'scaled',
      { count: -1 },
      'constant-not-representable',
      "the pipeline constant -1 for 'count' cannot be represented as u32",
    ],
    [
      'a value that is no number',
      'scaled',
      { 7: NaN },
      'constant-not-representable',
      "the pipeline constant NaN for 'scale' cannot be represented as f32",
    ],
    [
      'a value beyond f32',
      'scaled',
      { 7: 1e39 },
      'constant-not-representable',
      "the pipeline constant 1e+39 for 'scale' cannot be represented as f32",
    ],
    ['a division by an override that is zero', 'scaled', { count: 0 }, 'division-by-zero', 'division by zero: 10 / 0'],
    ['an overflow of what depends on it', 'scaled', { 7: 3e38 }, 'not-finite', 'the value of 3e+38 * 2 is not finite'],
    ['a name that is no entry point', 'helper', {}, 'unknown-entry-point', "there is no entry point 'helper'"],
    ['a name that does not exist', 'nothing', {}, 'unknown-entry-point', "there is no entry point 'nothing'"],
  ])('errors: %s', (_, entryPoint, constants, code, message) => {
    const { hir, diagnostics } = resolve(entryPoint, constants as Record<string, number>);
    expect(hir).toBeNull();
    expect(diagnostics).toMatchObject([{ code, message }]);
  });
});
