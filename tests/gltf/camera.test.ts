import { describe, expect, it } from 'vitest';
import { DEFAULT_ORBIT, placeCamera, type Camera } from '../../src/gltf/scene/camera';
import { loadModel } from '../../src/gltf/files/load';
import { forEachBatch } from '../../src/gltf/scene/points';
import { flattenScene, type FlatScene } from '../../src/gltf/scene/scene';
import { oneMesh } from './build';

const box = async (w: number, h: number, d: number, at = [0, 0, 0]): Promise<FlatScene> => {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [
    at[0] + (i & 1 ? w : -w),
    at[1] + (i & 2 ? h : -h),
    at[2] + (i & 4 ? d : -d),
  ]);
  return flattenScene(
    await loadModel(
      oneMesh((b) => ({
        attributes: {
          POSITION: b.accessor('VEC3', Float32Array.from(corners)),
          NORMAL: b.accessor('VEC3', Float32Array.from(corners)),
        },
        indices: b.accessor('SCALAR', Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 0)),
      }))
    )
  );
};

/** Clip coordinates of every vertex, after the perspective division. */
function project(scene: FlatScene, { viewProjection: m }: Camera): number[][] {
  const out: number[][] = [];
  forEachBatch(scene.draws, (points) => {
    for (let i = 0; i < points.length; i += 3) {
      const [x, y, z] = points.subarray(i, i + 3);
      const [cx, cy, cz, cw] = [0, 1, 2, 3].map((r) => m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r]);
      out.push([cx / cw, cy / cw, cz / cw]);
    }
  });
  return out;
}

describe('placeCamera', () => {
  it.each([
    [1, 1, 1, 16, 9],
    [5, 0.1, 0.1, 1, 1],
    [0.1, 9, 0.3, 3, 1],
    [3, 3, 0.01, 1, 4],
    [1e-5, 2e-5, 1e-5, 1, 1],
    [1e9, 1e9, 1e9, 2, 1],
  ])('fits a box of %d × %d × %d in a picture of %d:%d', async (w, h, d, width, height) => {
    const scene = await box(w, h, d, [w * 3, -h, d * 20]);
    const points = project(scene, placeCamera(scene, DEFAULT_ORBIT, width, height));
    const [xs, ys, zs] = [0, 1, 2].map((c) => points.map((p) => p[c]));
    // Within the frame, filling nine tenths of one side, in the middle of the other.
    expect(Math.max(...xs.map(Math.abs), ...ys.map(Math.abs))).toBeCloseTo(0.9, 3);
    expect(Math.min(...zs)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...zs)).toBeLessThanOrEqual(1);
    const tight = Math.max(...xs) > 0.899 && Math.min(...xs) < -0.899 ? xs : ys;
    expect(Math.max(...tight)).toBeCloseTo(0.9, 3);
    expect(Math.min(...tight)).toBeCloseTo(-0.9, 3);
  });

  it('looks from the given direction', async () => {
    const scene = await box(1, 1, 1);
    const eye = (azimuth: number, elevation: number) =>
      placeCamera(scene, { azimuth, elevation, distance: 2 }, 1, 1).eye.map((x) => x / scene.radius / 2);
    const close = (actual: number[], expected: number[]) =>
      expected.forEach((x, i) => expect(actual[i]).toBeCloseTo(x, 12));
    close(eye(0, 0), [0, 0, 1]);
    close(eye(90, 0), [1, 0, 0]);
    close(eye(180, 0), [0, 0, -1]);
    close(eye(-90, 0), [-1, 0, 0]);
    close(eye(0, 90), [0, 1, 0]);
    close(eye(0, -30), [0, -0.5, Math.sqrt(0.75)]);
    close(eye(360 + 45, 0), [Math.SQRT1_2, 0, Math.SQRT1_2]);
  });

  it('sees the model from above and from inside', async () => {
    const scene = await box(1, 1, 1);
    for (const orbit of [
      { azimuth: 0, elevation: 90, distance: undefined },
      { azimuth: 0, elevation: -90, distance: undefined },
      { azimuth: 10, elevation: 5, distance: 0.1 },
    ]) {
      const camera = placeCamera(scene, orbit, 16, 9);
      expect(camera.viewProjection.every(Number.isFinite)).toBe(true);
    }
  });
});
