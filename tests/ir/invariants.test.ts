// Computations that leave loops because no iteration changes their operands.
import { describe, expect, test } from 'vitest';
import { print } from '../../src/ir';
import { both } from '../lower/source';

const optimized = (source: string): string => print(both(source)[1]!);

describe('loops', () => {
  test('hoist texture reads if the loop certainly repeats', () => {
    const text = optimized(`@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
      @fragment fn main(@location(0) x: vec2f, @location(1) y: f32) -> @location(0) f32 {
      var sum = 0.0;
      for (var i = 0; i < 40; i++) {
        let shift = textureSample(t, s, x).r;
        if (y > sum) { sum += textureLoad(t, vec2i(x), 0).g; }
        sum += textureSample(t, s, x + shift * f32(i)).r;
      }
      return sum;
    }`);
    const loop = text.indexOf('loop');
    expect(text.match(/texture\.sample/g)).toHaveLength(2);
    expect(text.indexOf('texture.sample')).toBeLessThan(loop);
    expect(text.lastIndexOf('texture.sample')).toBeGreaterThan(loop);
    expect(text.indexOf('texture.load')).toBeGreaterThan(loop);
  });

  test('keep texture reads in loops that lanes may leave in the first iteration', () => {
    const text = optimized(`@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
      @fragment fn main(@location(0) x: vec2f, @location(1) y: f32) -> @location(0) f32 {
      var sum = 0.0;
      for (var i = 0; i < 40; i++) {
        if (y < f32(i)) { break; }
        sum += textureSampleLevel(t, s, x, 0.0).r * f32(i);
      }
      return sum;
    }`);
    expect(text.indexOf('texture.sample')).toBeGreaterThan(text.indexOf('loop'));
  });

  test('hoist invariant computations, but no texture reads if the number of iterations is unknown', () => {
    const text = optimized(`@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
      @fragment fn main(@location(0) x: vec2f, @location(1) @interpolate(flat) n: i32) -> @location(0) f32 {
      var sum = 0.0; for (var i = 0; i < n; i++) { sum += sqrt(x.x) * f32(i) + textureSampleLevel(t, s, x, 0.0).r; }
      return sum;
    }`);
    const loop = text.indexOf('loop');
    expect(text.indexOf('f32.sqrt')).toBeLessThan(loop);
    expect(text.indexOf('texture.sample')).toBeGreaterThan(loop);
  });
});
