// Geometry of cube maps, whose faces are +X −X +Y −Y +Z −Z in WebGPU's order.
import { normalize, type Vec3 } from '../math';

/** Direction, not normalized, of a place on a face: u to the right and v down, −1 to 1 on the face. */
export function faceDirection(face: number, u: number, v: number): Vec3 {
  switch (face) {
    case 0:
      return [1, -v, -u];
    case 1:
      return [-1, -v, u];
    case 2:
      return [u, 1, v];
    case 3:
      return [u, -1, -v];
    case 4:
      return [u, -v, 1];
    default:
      return [-u, -v, -1];
  }
}

/** Direction of a texel. */
export const cubeDirection = (face: number, x: number, y: number, size: number): Vec3 =>
  normalize(faceDirection(face, (2 * (x + 0.5)) / size - 1, (2 * (y + 0.5)) / size - 1));

/** The texel that a direction shows. */
export function texelOf([x, y, z]: Vec3, size: number): { face: number; x: number; y: number } {
  const [ax, ay, az] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  const most = Math.max(ax, ay, az);
  const [face, u, v] =
    most === ax
      ? x > 0
        ? [0, -z, -y]
        : [1, z, -y]
      : most === ay
        ? y > 0
          ? [2, x, z]
          : [3, x, -z]
        : z > 0
          ? [4, x, -y]
          : [5, -x, -y];
  const index = (at: number): number => Math.min(size - 1, Math.max(0, Math.floor((at / most + 1) * 0.5 * size)));
  return { face, x: index(u), y: index(v) };
}
