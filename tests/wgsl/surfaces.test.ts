// Multisampled storage textures in the front end. For errors see errors/surfaces.txt.
import { describe, expect, it } from 'vitest';
import { optimize, print, valueLoops, type IrProgram } from '../../src/ir';
import { formatInfo } from '../../src/surface/formats';
import { checkModule, parseModule, resolveEntryPoint } from '../../src/wgsl';
import { lowerEntryPoint } from '../../src/wgsl/lower';
import { MULTISAMPLED_TEXEL_FORMATS } from '../../src/wgsl/predeclared';
import { hostMath } from '../ir/evaluate';
import { simpleMath } from './simple-math';

const features = new Set(['multisample-storage-textures']);

function optimized(body: string, declarations = ''): IrProgram {
  const { module, diagnostics } = parseModule(
    `
      enable multisample_storage_textures; ${declarations}
      @fragment fn main(@builtin(position) p: vec4f, @builtin(sample_mask) coverage: u32) { ${body} }
    `
  );
  const { hir, diagnostics: found } = resolveEntryPoint(module, { entryPoint: 'main', math: simpleMath, features });
  expect([...diagnostics, ...found]).toEqual([]);
  return optimize(lowerEntryPoint(hir!, 0), hostMath);
}

const programOf = (body: string, declarations = ''): string =>
  print(optimized(body, declarations))
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
    .join('\n');

describe('multisampled storage textures', () => {
  it('support every renderable color format, and no other', () => {
    const names =
      'r8unorm r8snorm r8uint r8sint rg8unorm rg8snorm rg8uint rg8sint rgba8unorm rgba8unorm-srgb rgba8snorm '
      + 'rgba8uint rgba8sint bgra8unorm bgra8unorm-srgb r16uint r16sint r16float '
      + 'rg16uint rg16sint rg16float rgba16uint rgba16sint rgba16float r32uint r32sint r32float rg32uint '
      + 'rg32sint rg32float rgba32uint rgba32sint rgba32float rgb10a2unorm rgb10a2uint '
      + 'r16unorm r16snorm rg16unorm rg16snorm rgba16unorm rgba16snorm rg11b10ufloat rgb9e5ufloat depth32float '
      + 'depth24plus depth24plus-stencil8 depth16unorm stencil8';
    const scalars = { uint: 'u32', sint: 'i32', float: 'f32', 'unfilterable-float': 'f32', depth: 'f32' } as const;
    const renderable = names
      .split(' ')
      .map((name) => formatInfo(name)!)
      .filter((format) => format.aspect === 'color' && format.renderable);
    expect(new Map(MULTISAMPLED_TEXEL_FORMATS)).toEqual(
      new Map(renderable.map(({ name, sampleType }) => [name, scalars[sampleType]]))
    );
  });

  it.each([
    ['rgba8unorm', 'vec4f'],
    ['rgba8unorm_srgb', 'vec4f'],
    ['rg16uint', 'vec4u'],
    ['r32sint', 'vec4i'],
    ['rgba32float', 'vec4f'],
  ])('%s has texels of %s', (format, texel) => {
    const { module } = parseModule(`enable multisample_storage_textures;
      @group(0) @binding(0) var s: texture_storage_multisampled_2d<${format}, read_write>;
      fn at(t: texture_storage_multisampled_2d<${format}, read_write>, p: vec2i) -> ${texel} {
        return textureLoadSample(t, p, 1).value;
      }
      @fragment fn main() {
        let a = textureLoadSamples(s, vec2i(1), 3u);
        let mask: u32 = a.mask; let state: u32 = a.state;
        textureStoreSamples(s, vec2u(1), mask, at(s, vec2i(2)) + a.value);
      }`);
    expect(checkModule(module, simpleMath, features)).toMatchObject({ valid: true, diagnostics: [] });
  });

  it('keep every load and store in its place: none is shared, hoisted out of a loop or dropped', () => {
    const text = programOf(
      `
      let at = vec2u(p.xy);
      for (var i = 0u; i < coverage; i++) {
        let a = textureLoadSample(s, at, 1).mask;
        textureStoreSamples(s, at, 1, vec4f(0.5));
        textureStoreSamples(s, at, 1, vec4f(0.5));
        let b = textureLoadSample(s, at, 1).mask;
        textureStoreSamples(s, at, a & b, vec4f(0));
      }`,
      '@group(0) @binding(0) var s: texture_storage_multisampled_2d<rgba8unorm, read_write>;'
    );
    expect(text.match(/surface\.\w+/g)).toEqual([
      'surface.load',
      'surface.store',
      'surface.store',
      'surface.load',
      'surface.store',
    ]);
    expect(text.indexOf('surface.load')).toBeGreaterThan(text.indexOf('loop'));
    expect(text).toContain('r0 @group(0) @binding(0) s: surface rgba8unorm read_write');
  });

  it.each([
    ['texture_multisampled_2d<f32>', 'vec4f'],
    ['texture_multisampled_2d<i32>', 'vec4i'],
    ['texture_multisampled_2d<u32>', 'vec4u'],
    ['texture_depth_multisampled_2d', 'f32'],
  ])('%s is loaded by mask in every stage, and has values of %s', (type, value) => {
    const { module } = parseModule(`enable multisample_storage_textures;
      @group(0) @binding(0) var t: ${type};
      fn at(u: ${type}, mask: u32) -> ${value} {
        let a = textureLoadSamples(u, vec2i(1), mask);
        let known: u32 = a.mask; let state: u32 = a.state;
        return a.value + textureLoadSample(u, vec2u(1), known & state).value;
      }
      @vertex fn vs() -> @builtin(position) vec4f { _ = at(t, 1); return vec4f(); }
      @fragment fn fs() { _ = at(t, 2); }
      @compute @workgroup_size(1) fn cs() { _ = at(t, 3); }`);
    expect(checkModule(module, simpleMath, features)).toMatchObject({ valid: true, diagnostics: [] });
  });

  it('share equal loads by mask from a sampled texture, which no shader writes meanwhile', () => {
    const text = programOf(
      `let at = vec2u(p.xy);
      textureStoreSamples(s, at, textureLoadSamples(t, at, coverage).mask, textureLoadSamples(t, at, coverage).value);`,
      `@group(0) @binding(0) var s: texture_storage_multisampled_2d<rgba8unorm, write>;
      @group(0) @binding(1) var t: texture_multisampled_2d<f32>;`
    );
    expect(text.match(/texture\.loadSamples/g)).toHaveLength(1);
    expect(text).toContain('t: texture 2d f32 multisampled');
  });

  it('drop a load whose results are unused', () => {
    expect(
      programOf(
        '_ = textureLoadSample(s, vec2i(), 0);',
        '@group(0) @binding(0) var s: texture_storage_multisampled_2d<rgba8unorm, read>;'
      )
    ).not.toContain('surface.load');
  });
});

describe('loops over the values of a pixel', () => {
  const DECLARATIONS = `@group(0) @binding(0) var a: texture_storage_multisampled_2d<rgba8unorm, read_write>;
    @group(0) @binding(1) var b: texture_storage_multisampled_2d<rgba8unorm, read>;
    @group(0) @binding(2) var<uniform> offset: vec2u;`;
  const loop = (at: string, more = ''): string => `var left = coverage; var sum = vec4f();
    while (left != 0) { let s = textureLoadSamples(b, ${at}, left); sum += s.value; ${more} left &= ~s.mask; }
    textureStoreSamples(a, vec2u(p.xy), coverage, sum);`;
  const found = (body: string): { surfaces: string[]; cost: number } => {
    const program = optimized(body, DECLARATIONS);
    const { surfaces, cost } = valueLoops(program);
    return {
      surfaces: [...surfaces].map((index) => {
        const resource = program.resources[index]!;
        return 'name' in resource ? resource.name : '';
      }),
      cost,
    };
  };

  it.each(['vec2u(p.xy)', 'vec2i(p.xy)', 'vec2i(floor(p.xy))', 'vec2u(u32(p.x), u32(p.y))'])('at %s', (at) => {
    expect(found(loop(at)).surfaces).toEqual(['b']);
  });
  it.each(['vec2u(p.yx)', 'vec2u(p.xy) + offset', 'vec2u(p.xy + 1)', 'offset'])('not at %s', (at) => {
    expect(found(loop(at))).toEqual({ surfaces: [], cost: 0 });
  });
  it('not without a loop', () => {
    expect(
      found('textureStoreSamples(a, vec2u(p.xy), coverage, textureLoadSamples(b, vec2u(p.xy), 1u).value);')
    ).toEqual({ surfaces: [], cost: 0 });
  });
  it('cost as much as their contents, times the iterations of inner loops', () => {
    const short = found(loop('vec2u(p.xy)')).cost;
    const once = found(loop('vec2u(p.xy)', 'sum = pow(sum, vec4f(1.5));')).cost;
    const often = found(
      loop('vec2u(p.xy)', 'for (var i = 0u; i < coverage; i++) { sum = pow(sum, vec4f(1.5)); }')
    ).cost;
    expect(short).toBeLessThan(40);
    expect(once - short).toBe(48);
    expect(often - short).toBeGreaterThan(8 * 48);
  });
});
