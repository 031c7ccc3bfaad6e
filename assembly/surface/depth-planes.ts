// Planes of depth. A block of a multisampled surface in which one triangle gives the depths of all samples is stored as
// the triangle's plane (SURFACE_PLANE) if it slopes and depths have 32 bits. Evaluating the plane again gives the same
// bits.

import { DEPTH_PLANE_BYTES, Staging, Triangle } from '../layout';

/** Clamps depth to the viewport's range, and rounds it to 16 bits if the attachment holds no more. */
export function limitDepthScalar(z: f32, triangle: Triangle, depth16: i32): f32 {
  const least = triangle.zMin;
  const most = triangle.zMax;
  let limited = least < z ? z : least;
  limited = most < limited ? most : limited;
  return depth16 ? floor<f32>(limited * 65535 + 0.5) / 65535 : limited;
}

/** Depth of a triangle at a position in pixels. */
export function planeDepth(triangle: Triangle, x: f32, y: f32, depth16: i32): f32 {
  const column = triangle.zDx * (x - triangle.x0) + triangle.z;
  return limitDepthScalar(column + triangle.zDy * (y - triangle.y0), triangle, depth16);
}

/** Whether depth is not the same everywhere. A block of the same depth is stored as one value. */
export function slopes(triangle: Triangle): bool {
  return triangle.zDx != 0 || triangle.zDy != 0;
}

/** Notes that a block is stored as a triangle's plane. */
export function notePlane(staging: Staging, block: i32, triangle: Triangle): void {
  const to = staging.depthPlane(block);
  const first = offsetof<Triangle>('x0');
  const bytes = offsetof<Triangle>('w') - first;
  memory.copy(to, changetype<usize>(triangle) + first, bytes);
  memory.fill(to + bytes, 0, DEPTH_PLANE_BYTES - bytes);
  staging.planeBlocks |= (<u64>1) << (<u64>block);
}

/** The stored plane at an address, as a triangle of which only x0 to zMax may be read. */
export function storedPlane(at: usize): Triangle {
  return changetype<Triangle>(at - offsetof<Triangle>('x0'));
}
