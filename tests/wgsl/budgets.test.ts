// Adversarial modules that try to take unbounded time or memory: each finishes soon, with an error or successfully.

import { describe, expect, it } from 'vitest';
import { defaultShaderLimits } from '../../src/base/shader-limits';
import { checkModule, parseModule } from '../../src/wgsl';
import { shapes } from './shapes';
import { simpleMath } from './simple-math';

const FEATURES = new Set(['modular-pipelines']);

function messages(source: string, limits = defaultShaderLimits): string[] {
  const { module, diagnostics } = parseModule(source, limits);
  return [...diagnostics, ...checkModule(module, simpleMath, FEATURES, limits).diagnostics].map(
    ({ code, message }) => `${code}: ${message}`
  );
}

const list = (count: number, write: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => write(i)).join('\n');

describe('constants', () => {
  it('nested arrays of four elements each are rejected where one is too large', () => {
    const [first, ...others] = messages(
      `const a0 = array(1, 2);\n${list(40, (i) => `const a${i + 1} = array(a${i}, a${i}, a${i}, a${i});`)}`
    );
    expect(first).toMatch(/^value-too-large: a value of array<.* has more than 65536 parts$/);
    expect(others).toEqual([]);
  });

  it('many large arrays end in one error that names the option', () => {
    expect(messages(`${list(200, (i) => `const a${i} = array<f32, 65536>();`)}`)).toEqual([
      'too-many-constants: the constant expressions up to here exceed 4194304 scalars in total: '
        + 'create({ shaderLimits: { constants } }) raises the limit',
    ]);
    expect(
      messages('const a = array<i32, 100>(); const b = a;', { ...defaultShaderLimits, constants: 99 })
    ).toHaveLength(1);
    expect(messages('const a = array<i32, 100>(); const b = a;', { ...defaultShaderLimits, constants: 100 })).toEqual(
      []
    );
  });

  it('parts of large constants count as well', () => {
    const parts = list(400, () => 'const_assert a[1][2] == 0; _ = a[0];');
    expect(messages(`const a = array<array<i32, 30000>, 2>();\nfn f() { ${parts} }`)[0]).toMatch(/^too-many-constants/);
  });

  it('a text that is too long is not parsed', () => {
    expect(messages('fn f() { }', { ...defaultShaderLimits, characters: 9 })).toEqual([
      'text-too-long: this module has 10 characters, exceeding the limit of 9: create({ shaderLimits: '
        + '{ characters } }) raises the limit',
    ]);
  });
});

describe('declarations in any order', () => {
  const chains: Record<string, (count: number, end: string) => string> = {
    constants: (count, end) =>
      `${list(count, (i) => `const c${i} = c${i + 1} + 1;`)} const c${count} = ${end === '' ? '1' : 'c0'};`,
    overrides: (count, end) =>
      `${list(count, (i) => `override c${i} = c${i + 1} + 1;`)} override c${count} = ${end === '' ? '1' : 'c0'};`,
    aliases: (count, end) =>
      `${list(count, (i) => `alias c${i} = c${i + 1};`)} alias c${count} = ${end === '' ? 'f32' : 'c0'};`,
    'sizes of arrays': (count, end) =>
      `
        ${list(count, (i) => `alias c${i} = array<f32, d${i + 1}>; const d${i} = d${i + 1};`)}
        const d${count} = ${end === '' ? '1' : 'd0'};
      `,
  };
  it.each(Object.entries(chains))('a chain of 20 000 %s is resolved, a cycle is one error', (_, write) => {
    expect(messages(write(20_000, ''))).toEqual([]);
    const [first, ...others] = messages(write(20_000, 'cycle'));
    expect(first).toMatch(/^cyclic-declaration/);
    expect(others).toEqual([]);
  });

  it('structs nest as deeply as types may', () => {
    const structs = (count: number): string =>
      `${list(count, (i) => `struct S${i} { a: S${i + 1} }`)} struct S${count} { a: f32 }`;
    expect(messages(structs(14))).toEqual([]);
    expect(messages(structs(20_000))).toEqual(['type-too-deep: types nest deeper than 15 levels']);
    expect(messages(structs(20_000).replace('a: f32', 'a: S0'))[0]).toMatch(/^cyclic-declaration/);
  });

  it('arrays nest as deeply as types may', () => {
    const aliases = `alias A0 = f32; ${list(20_000, (i) => `alias A${i + 1} = array<A${i}, 1>;`)}`;
    expect(messages(aliases)).toEqual(['type-too-deep: types nest deeper than 15 levels']);
    expect(messages(`const a0 = 1; ${list(20_000, (i) => `const a${i + 1} = array(a${i});`)}`)).toHaveLength(1);
  });

  it('predeclared names are dependencies where declarations may shadow them', () => {
    expect(messages('alias read = ptr<private, write>; alias write = vec4f; const position = 1;')).toEqual([]);
    expect(
      messages('struct position { @builtin(position) flat: vec4f, @interpolate(flat) @location(0) a: u32 }')
    ).toEqual([]);
    expect(messages('alias rgba8unorm = texture_storage_2d<rgba8unorm, write>;')[0]).toMatch(/^cyclic-declaration/);
  });
});

describe('expressions', () => {
  it('chains nested in parentheses count with their total depth', () => {
    const once = (inner: string): string => `(${inner}${' + 1'.repeat(600)})`;
    expect(messages(`const a = ${once('1')};`)).toEqual([]);
    expect(messages(`const a = ${once(once('1'))};`)).toEqual(['too-deep: nesting is deeper than 1000 levels']);
    expect(messages(`fn f(a: f32) -> f32 { return ${'abs('.repeat(150)}a${')'.repeat(150)}; }`)).toEqual([]);
  });
});

describe('totals per module', () => {
  it('are limited where everything is examined per declaration', () => {
    expect(messages(`struct S { ${list(5000, (i) => `m${i}: f32,`)} }`)).toEqual([
      "too-many-members: struct 'S' has more than 1023 members",
    ]);
    expect(messages(list(1100, (i) => `@fragment fn entry${i}() { }`))).toEqual([
      'too-many-entry-points: this module has more than 1024 entry points',
    ]);
  });
});

describe('what entry points reach', () => {
  const functions = (write: (i: number) => string): string =>
    `${list(8000, write)}\nfn root() { ${list(8000, (i) => `q${i}();`)} }`;
  const entries = list(1000, (i) => `@fragment fn entry${i}() { root(); }`);
  const REFUSED = [
    expect.stringMatching(
      /^too-much-reached: the entry points up to this one reach more than 1048576 functions/
    ) as string,
  ];
  // Separate lists for each of them took half a minute.
  it('is counted for each: functions, and variables', () => {
    expect(messages(`${functions((i) => `fn q${i}() { }`)}\n${entries}`)).toEqual(REFUSED);
    expect(messages(`${functions((i) => `var<private> v${i}: f32; fn q${i}() { v${i} = 1; }`)}\n${entries}`)).toEqual(
      REFUSED
    );
    expect(
      messages(`${functions((i) => `fn q${i}() { }`)}\n${list(50, (i) => `@fragment fn entry${i}() { root(); }`)}`)
    ).toEqual([]);
  });

  it('is counted for unreachable functions, which use their declared effects', () => {
    const alone = list(1000, (i) => `fn alone${i}() { root(); }`);
    expect(messages(`${functions((i) => `fn q${i}() { _ = dpdx(1.0); }`)}\n${alone}`)).toEqual([]);
  });

  it('is counted for textures and samplers combined through nested calls', () => {
    const layer = (l: number): string =>
      list(
        30,
        (i) => `@group(0) @binding(${l * 30 + i}) var t${l}_${i}: texture_2d<f32>;
      fn q${l}_${i}() {
        _ = textureSampleLevel(t${l}_${i}, s, vec2f(), 0); ${l === 0 ? '' : list(30, (k) => `q${l - 1}_${k}();`)}
      }`
      );
    const code = `
      @group(1) @binding(0) var s: sampler; ${list(100, layer)} @fragment fn fs() { ${list(30, (i) => `q99_${i}();`)} }
    `;
    expect(messages(code)).toEqual(REFUSED);
  });
});

describe('number literals', () => {
  it('of a million digits are too large or too small', () => {
    const before = process.cpuUsage();
    const ones = '1'.repeat(1e6);
    const zeros = '0'.repeat(1e6);
    expect(messages(`const a = ${ones};`)).toEqual([expect.stringMatching(/^literal-out-of-range/)]);
    expect(messages(`const a = 0x${ones};`)).toEqual([expect.stringMatching(/^literal-out-of-range/)]);
    expect(messages(`const a = 0x${zeros}ff; const_assert a == 255;`)).toEqual([]);
    expect(messages(`const a = 0.${ones}; const_assert a < 1.0;`)).toEqual([]);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });
});

describe('compile time', () => {
  // CPU time: machines are busy while tests run.
  const milliseconds = (source: string): number => {
    const start = process.cpuUsage();
    messages(source);
    return process.cpuUsage(start).user / 1000;
  };
  // Generous, because compilation and garbage collection count as well. Without bounds, these shapes are a hundred
  // times as slow.
  it.each(Object.entries(shapes))('%s take time proportional to their text', (_, write) => {
    milliseconds(write(10_000));
    const small = Math.min(...[1, 2, 3].map(() => milliseconds(write(20_000))));
    const large = Math.min(...[1, 2].map(() => milliseconds(write(200_000))));
    expect(large / (small + 5)).toBeLessThan(50);
  });

  it('values that pass from variable to variable in a loop of long sums are followed in time', () => {
    const sums = list(450, (i) => `v${i} = v${i + 1}${' + 1.0'.repeat(300)};`);
    expect(
      milliseconds(`@fragment fn fs(@location(0) x: f32) { ${list(451, (i) => `var v${i} = 0.0;`)} v450 = x;
      loop { ${sums} if x > 3 { break; } } _ = dpdx(x); }`)
    ).toBeLessThan(4000);
  });

  it('variables used by nested functions are found in time', () => {
    const layer = (l: number): string =>
      list(
        30,
        (i) => `var<private> g${l}_${i}: f32;
      fn q${l}_${i}() { through(&g${l}_${i}); ${l === 0 ? '' : list(30, (k) => `q${l - 1}_${k}();`)} }`
      );
    const code = `fn through(p: ptr<private, f32>) { *p = 1; } ${list(150, layer)}`;
    expect(milliseconds(code)).toBeLessThan(4000);
  });

  it('long names with common prefixes are not compared', () => {
    const name = 'n'.repeat(20_000);
    expect(milliseconds(`fn f() { let ${name}a = 1; ${`_ = ${name}b;`.repeat(20)} }`)).toBeLessThan(1000);
  });

  it('thousands of unknown names among thousands of names are reported in time', () => {
    expect(
      milliseconds(`${list(3000, (i) => `const known${i} = 1;`)} fn f() { ${list(3000, (i) => `unknwn${i}();`)} }`)
    ).toBeLessThan(2000);
  });
});
