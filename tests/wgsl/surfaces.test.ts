// Multisampled storage textures: what the front end makes of them. Mistakes are in errors/surfaces.txt.
import { describe, expect, it } from 'vitest';
import { optimize, print } from '../../src/ir';
import { formatInfo } from '../../src/surface/formats';
import { checkModule, parseModule, resolveEntryPoint } from '../../src/wgsl';
import { lowerEntryPoint } from '../../src/wgsl/lower';
import { MULTISAMPLED_TEXEL_FORMATS } from '../../src/wgsl/predeclared';
import { hostMath } from '../ir/evaluate';
import { simpleMath } from './simple-math';

const features = new Set(['multisample-storage-textures']);

function programOf(body: string, declarations = ''): string {
  const { module, diagnostics } = parseModule(
    `enable multisample_storage_textures; ${declarations} @fragment fn main(@builtin(position) p: vec4f, @builtin(sample_mask) coverage: u32) { ${body} }`
  );
  const { hir, diagnostics: found } = resolveEntryPoint(module, { entryPoint: 'main', math: simpleMath, features });
  expect([...diagnostics, ...found]).toEqual([]);
  return print(optimize(lowerEntryPoint(hir!, 0), hostMath)).split('\n').slice(1).map((line) => line.trim()).join('\n');
}

describe('multisampled storage textures', () => {
  it('have every colour format that can be rendered to, and no other', () => {
    const names =
      'r8unorm r8snorm r8uint r8sint rg8unorm rg8snorm rg8uint rg8sint rgba8unorm rgba8unorm-srgb rgba8snorm rgba8uint rgba8sint bgra8unorm bgra8unorm-srgb r16uint r16sint r16float '
        + 'rg16uint rg16sint rg16float rgba16uint rgba16sint rgba16float r32uint r32sint r32float rg32uint rg32sint rg32float rgba32uint rgba32sint rgba32float rgb10a2unorm rgb10a2uint '
        + 'rg11b10ufloat rgb9e5ufloat depth32float depth24plus depth24plus-stencil8 depth16unorm stencil8';
    const scalars = { uint: 'u32', sint: 'i32', float: 'f32', 'unfilterable-float': 'f32', depth: 'f32' } as const;
    const renderable = names.split(' ') .map((name) => formatInfo(name)!)
      .filter((format) => format.aspect === 'color' && format.renderable);
    expect(new Map(MULTISAMPLED_TEXEL_FORMATS)).toEqual(
      new Map(renderable.map(({ name, sampleType }) => [name, scalars[sampleType]]))
    );
  });

  it.each([
    ['rgba8unorm', 'vec4f'], ['rgba8unorm_srgb', 'vec4f'], ['rg16uint', 'vec4u'], ['r32sint', 'vec4i'],
    ['rgba32float', 'vec4f'],
  ])('%s holds %s', (format, texel) => {
    const { module } = parseModule(`enable multisample_storage_textures;
      @group(0) @binding(0) var s: texture_storage_multisampled_2d<${format}, read_write>;
      fn at(t: texture_storage_multisampled_2d<${format}, read_write>, p: vec2i) -> ${texel} { return textureLoadSample(t, p, 1).value; }
      @fragment fn main() {
        let a = textureLoadSamples(s, vec2i(1), 3u);
        let mask: u32 = a.mask; let state: u32 = a.state;
        textureStoreSamples(s, vec2u(1), mask, at(s, vec2i(2)) + a.value);
      }`);
    expect(checkModule(module, simpleMath, features)).toMatchObject({ valid: true, diagnostics: [] });
  });

  it('keep every load and store in its place: none is shared, moved out of a loop or dropped', () => {
    const text = programOf(`
      let at = vec2u(p.xy);
      for (var i = 0u; i < coverage; i++) {
        let a = textureLoadSample(s, at, 1).mask;
        textureStoreSamples(s, at, 1, vec4f(0.5));
        textureStoreSamples(s, at, 1, vec4f(0.5));
        let b = textureLoadSample(s, at, 1).mask;
        textureStoreSamples(s, at, a & b, vec4f(0));
      }`, '@group(0) @binding(0) var s: texture_storage_multisampled_2d<rgba8unorm, read_write>;');
    expect(text.match(/surface\.\w+/g)).toEqual([
      'surface.load', 'surface.store', 'surface.store', 'surface.load', 'surface.store',
    ]);
    expect(text.indexOf('surface.load')).toBeGreaterThan(text.indexOf('loop'));
    expect(text).toContain('r0 @group(0) @binding(0) s: surface rgba8unorm read_write');
  });

  it('drop a load whose results nobody uses', () => {
    expect(
      programOf(
        '_ = textureLoadSample(s, vec2i(), 0);',
        '@group(0) @binding(0) var s: texture_storage_multisampled_2d<rgba8unorm, read>;'
      )
    ).not.toContain('surface.load');
  });
});
