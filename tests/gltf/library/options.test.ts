import { describe, expect, it } from 'vitest';
import { readPictureOptions } from '../../../src/gltf/library/options';

const lightOf = (options: object) => readPictureOptions(options, 'render').light;

describe('the options shadows, shadowSize and ground', () => {
  it('say how wide shadow maps are, if there are any', () => {
    expect(lightOf({}).shadowSize).toBe(1024);
    expect(lightOf({ shadows: true, shadowSize: 64 }).shadowSize).toBe(64);
    expect(lightOf({ shadows: false }).shadowSize).toBeUndefined();
  });

  it('and whether there is a ground', () => {
    expect(lightOf({}).ground).toBe(false);
    expect(lightOf({ ground: true }).ground).toBe(true);
  });

  it.each([
    [{ shadows: 'off' }, 'render: shadows must be true or false, not "off"'],
    [{ shadowSize: 63 }, 'render: shadowSize must be a number from 64 to 4096, not 63'],
    [{ shadowSize: 100.5 }, 'render: shadowSize must be a whole number, not 100.5'],
    [{ ground: 1 }, 'render: ground must be true or false, not 1'],
    [{ shadows: false, shadowSize: 64 }, 'render: shadowSize must be left out where shadows is false, not 64'],
  ])('refuse %o', (options, message) => {
    expect(() => lightOf(options)).toThrow(new TypeError(message));
  });
});
