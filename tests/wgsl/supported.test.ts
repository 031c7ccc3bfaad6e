// Parts of WGSL that are checked but not run yet: fine in a module, an error by name in a pipeline.

import { describe, expect, it } from 'vitest';
import { checkModule, parseModule, resolveEntryPoint } from '../../src/wgsl';
import { simpleMath } from './simple-math';

const fragment = (body: string): string => `
  @group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
  fn helper() { ${body} }
  @fragment fn main() { helper(); }`;

describe('not supported yet', () => {
  it.each([
    ['textureGather', fragment('_ = textureGather(0, t, s, vec2f());'), ["'textureGather' is not supported yet"]],
    [
      'textureGatherCompare in a compute stage', `
        @group(0) @binding(0) var t: texture_depth_2d; @group(0) @binding(1) var s: sampler_comparison;
        @compute @workgroup_size(8, 8) fn main() { _ = textureGatherCompare(t, s, vec2f(), 0.5); }`,
      ["'textureGatherCompare' is not supported yet"],
    ],
  ])('%s', (_, source, messages) => {
    const { module } = parseModule(source);
    expect(checkModule(module, simpleMath)).toMatchObject({ valid: true, diagnostics: [] });
    const { hir, diagnostics } = resolveEntryPoint(module, { entryPoint: 'main', math: simpleMath });
    expect(hir).toBeNull();
    expect(diagnostics.map(({ message }) => message).sort()).toEqual([...messages].sort());
  });

  it('does not concern entry points that use none of it', () => {
    const { module } = parseModule(
      `${fragment('_ = textureGather(0, t, s, vec2f());')} @fragment fn other() -> @location(0) vec4f { return textureSample(t, s, vec2f()); }`
    );
    expect(resolveEntryPoint(module, { entryPoint: 'other', math: simpleMath }).diagnostics).toEqual([]);
  });
});
