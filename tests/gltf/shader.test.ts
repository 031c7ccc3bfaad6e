// Every combination of features gives WGSL that an independent parser accepts, without code for missing features.
import { describe, expect, it } from 'vitest';
import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';
import { DRAW_BYTES, materialBytes, shaderCode } from '../../src/gltf/materials/shader';
import { PLAIN_SCENE } from '../../src/gltf/materials/scene-shader';
import { frameBytes } from '../../src/gltf/materials/shading';
import type { TextureRead, Variant } from '../../src/gltf/materials/variant';
import { TEXTURE_SLOTS } from '../../src/gltf/materials/material';

const SAMPLER: Variant['samplers'][number] = {
  magFilter: 'linear',
  minFilter: 'linear',
  mipmapFilter: 'linear',
  mips: true,
  addressModeU: 'repeat',
  addressModeV: 'repeat',
};

function variants(): Variant[] {
  const list: Variant[] = [];
  for (let bits = 0; bits < 2 ** 9; bits++) {
    const slots: Variant['slots'] = {};
    const reads: TextureRead[] = [];
    TEXTURE_SLOTS.forEach((slot, i) => {
      if (!(bits & (1 << i))) return;
      slots[slot] = reads.push({ use: {} as TextureRead['use'], source: i % 2, sampler: 0 }) - 1;
    });
    const unlit = (bits & 32) !== 0;
    for (const alphaMode of ['OPAQUE', 'MASK', 'BLEND'] as const) {
      list.push({
        key: `${bits} ${alphaMode}`,
        reads,
        slots,
        samplers: reads.length > 0 ? [SAMPLER] : [],
        sources:
          reads.length > 0
            ? [
                { set: 0, transform: undefined },
                { set: 1, transform: [1, 0, 0, 1, 0, 0] },
              ]
            : [],
        vertexColors: (bits & 64) !== 0,
        tangents: !unlit && (bits & 128) !== 0 && slots.normal !== undefined,
        doubleSided: (bits & 256) !== 0,
        alphaMode,
        unlit,
        layers: [],
        topology: 'triangles',
        instanced: false,
      });
    }
  }
  return list;
}

describe('shaderCode', () => {
  it('parses for every variant, with the sizes of the buffers', () => {
    // Features without code give the same text, which is parsed once.
    const parsed = new Map<string, WgslReflect>();
    for (const variant of variants()) {
      const code = shaderCode(variant);
      const reflect = parsed.get(code) ?? new WgslReflect(code);
      parsed.set(code, reflect);
      expect(
        reflect.entry.vertex.map(({ name }) => name),
        variant.key
      ).toEqual(['vs']);
      expect(
        reflect.entry.fragment.map(({ name }) => name),
        variant.key
      ).toEqual(['fs']);
      const sizes = Object.fromEntries(reflect.uniforms.map(({ name, size }) => [name, size]));
      expect(sizes, variant.key).toEqual({
        frame: frameBytes(PLAIN_SCENE),
        draw: DRAW_BYTES,
        material: materialBytes(variant),
      });
      expect(reflect.textures).toHaveLength(variant.reads.length + 1);
    }
  });

  it('contains only what the variant needs', () => {
    const basic = variants()[0];
    const code = shaderCode(basic);
    for (const word of ['textureSample(', 'discard', 'dpdx', 'front_facing', 'tangent', 'color: vec4f'])
      expect(code).not.toContain(word);
    expect(shaderCode({ ...basic, unlit: true })).not.toContain('shade');
  });
});
