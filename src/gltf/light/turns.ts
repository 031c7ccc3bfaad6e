// Turns as unit quaternions x, y, z, w.
import { compose, sinCosDegrees, type Mat3 } from '../math';

export type Quaternion = readonly [x: number, y: number, z: number, w: number];

/** A turn around the vertical axis, counter-clockwise as seen from above. */
export function aroundY(degrees: number): Quaternion {
  const { sin, cos } = sinCosDegrees(degrees / 2);
  return [0, sin, 0, cos];
}

/** The turn `b`, and then `a`. */
export const multiplyQuaternions = ([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion): Quaternion => [
  aw * bx + ax * bw + ay * bz - az * by,
  aw * by - ax * bz + ay * bw + az * bx,
  aw * bz + ax * by - ay * bx + az * bw,
  aw * bw - ax * bx - ay * by - az * bz,
];

export const inverse = ([x, y, z, w]: Quaternion): Quaternion => [-x, -y, -z, w];

/** The turn as a matrix, column-major. */
export function matrixOf(turn: Quaternion): Mat3 {
  const m = compose([0, 0, 0], turn, [1, 1, 1]);
  return [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]];
}

export const isIdentity = (m: Mat3): boolean => m.every((x, i) => x === (i % 4 === 0 ? 1 : 0));
