// Circles of confusion compared with the lens equation.
import { describe, expect, it } from 'vitest';
import { windowDepth, type Camera } from '../../src/gltf/scene/camera';
import { blurOf } from '../../src/gltf/scene/lens';

const camera: Camera = {
  eye: [0, 0, 0],
  forward: [0, 0, -1],
  viewProjection: [],
  near: 0.5,
  far: 80,
  middle: 7,
  halfHeight: Math.tan(Math.PI / 12),
  orthographic: false,
};
const radius = (distance: number, ...[lens, rows]: [Parameters<typeof blurOf>[0], number]): number => {
  const { slope, offset } = blurOf(lens, camera, rows);
  return slope * windowDepth(camera, distance) + offset;
};

describe('blurOf', () => {
  it('equals the result of rays through the rim of the lens', () => {
    const diameter = 0.3;
    const focus = 5;
    const rows = 720;
    for (const distance of [0.5, 1, 4.9, 5, 5.1, 20, 80]) {
      // The rim, projected through the point onto the plane in focus, as a fraction of the picture's height there.
      const circle = (diameter * (distance - focus)) / distance;
      const pixels = (circle / (2 * camera.halfHeight * focus)) * rows;
      expect(radius(distance, { aperture: { diameter }, focus }, rows)).toBeCloseTo(pixels / 2, 9);
    }
  });

  it("focuses on the model's center by default", () => {
    expect(radius(7, { aperture: { diameter: 1 }, focus: undefined }, 720)).toBeCloseTo(0, 9);
    expect(radius(8, { aperture: { diameter: 1 }, focus: undefined }, 720)).toBeGreaterThan(1);
  });

  it('interprets f-numbers as those of a film 24 mm high, in meters', () => {
    // A lens of 44.8 mm has a vertical angle of 30 degrees on it.
    const diameter = 0.0447846 / 2.8;
    const at = (aperture: { diameter: number } | { fNumber: number }): number => radius(9, { aperture, focus: 2 }, 720);
    expect(at({ fNumber: 2.8 })).toBeCloseTo(at({ diameter }), 5);
  });

  it("limits radii to a twentieth of the picture's height", () => {
    expect(blurOf({ aperture: { diameter: 1 }, focus: 3 }, camera, 720).maximum).toBe(36);
    expect(blurOf({ aperture: { diameter: 1 }, focus: 3 }, camera, 4).maximum).toBe(1);
  });
});
