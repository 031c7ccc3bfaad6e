// The camera of a view.
import { describe, expect, test } from 'vitest';
import { fittingDistance, OrbitCamera, START } from '../../src/view/orbit';

const BOX = { min: [-1, 0, -1], max: [1, 2, 1], radius: Math.sqrt(3) } as const;
const distanceOf = ({ eye, target }: ReturnType<OrbitCamera['lookAt']>): number =>
  Math.hypot(...eye.map((x, i) => x - target[i]!));

function camera(): OrbitCamera {
  const made = new OrbitCamera();
  made.show(BOX, START);
  return made;
}

describe('fittingDistance', () => {
  test('shows every corner of a box, whichever way it is turned', () => {
    for (const elevation of [-60, 0, 18, 89])
      for (const aspect of [0.5, 1, 16 / 9]) {
        const distance = fittingDistance(BOX, elevation, aspect);
        const slope = Math.tan(Math.PI / 12);
        const e = (elevation * Math.PI) / 180;
        for (let degrees = 0; degrees < 360; degrees += 15) {
          const a = (degrees * Math.PI) / 180;
          for (const y of [-1, 1]) {
            const [x, z] = [Math.SQRT2 * Math.sin(a), Math.SQRT2 * Math.cos(a)];
            const depth = distance - (y * Math.sin(e) + z * Math.cos(e));
            expect(Math.abs(y * Math.cos(e) - z * Math.sin(e)) / depth).toBeLessThan(slope);
            expect(Math.abs(x) / depth).toBeLessThan(slope * aspect);
          }
        }
      }
  });

  test('is that of the sphere for a round model, and grows in a narrow picture', () => {
    const round = { min: [-1, -1, -1], max: [1, 1, 1], radius: 1 } as const;
    const sphere = 1 / Math.sin(Math.PI / 12);
    expect(fittingDistance(round, 0, 1)).toBeGreaterThan(sphere * 0.95);
    expect(fittingDistance(round, 0, 1)).toBeLessThan(sphere * 1.2);
    expect(fittingDistance(round, 0, 0.5)).toBeGreaterThan(1.7 * fittingDistance(round, 0, 1));
  });
});

describe('OrbitCamera', () => {
  test('looks at the middle of the model', () => {
    const { eye, target } = camera().lookAt(1);
    expect(target).toEqual([0, 1, 0]);
    expect(eye[1]).toBeGreaterThan(1);
    expect(eye[0] / eye[2]).toBeCloseTo(Math.tan(Math.PI / 6), 6);
  });

  test('turns by a damped movement that arrives', () => {
    const made = camera();
    made.turn(90, 0);
    const before = made.lookAt(1).eye;
    expect(made.advance(16)).toBe(true);
    const between = made.lookAt(1).eye;
    let frames = 1;
    while (made.advance(16)) frames++;
    const after = made.lookAt(1).eye;
    expect(frames).toBeGreaterThan(5);
    expect(frames).toBeLessThan(100);
    expect(before[0]).toBeLessThan(between[0]);
    expect(between[0]).toBeLessThan(after[0]);
    expect(made.goal.azimuth).toBe(120);
    expect(Math.atan2(after[0], after[2]) * (180 / Math.PI)).toBeCloseTo(120, 6);
    expect(made.advance(16)).toBe(false);
  });

  test('keeps the angle, the distance and the target within limits', () => {
    const made = camera();
    made.turn(0, 1000);
    expect(made.goal.elevation).toBe(89);
    made.turn(0, -1000);
    expect(made.goal.elevation).toBe(-89);
    made.zoom(1e-9);
    expect(made.goal.distance).toBe(0.1);
    made.zoom(1e9);
    expect(made.goal.distance).toBe(8);
    made.pan(1000, 1000);
    made.finish();
    const { target } = made.lookAt(1);
    target.forEach((x, i) => expect(x >= BOX.min[i]! && x <= BOX.max[i]!).toBe(true));
  });

  test('zooms by a factor, pans along the view, and goes back', () => {
    const made = camera();
    const far = distanceOf(made.lookAt(1));
    made.zoom(0.5);
    made.finish();
    expect(distanceOf(made.lookAt(1))).toBeCloseTo(far / 2, 6);
    made.goTo({ azimuth: 0, elevation: 0 });
    made.pan(0.05, 0);
    made.finish();
    expect(made.lookAt(1).target[0]).toBeGreaterThan(0.05);
    expect(made.lookAt(1).target.slice(1)).toEqual([1, 0]);
    made.reset();
    made.finish();
    expect(made.goal).toEqual(START);
    expect(distanceOf(made.lookAt(1))).toBeCloseTo(far, 6);
    expect(made.lookAt(1).target).toEqual([0, 1, 0]);
  });
});
