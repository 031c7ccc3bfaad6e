// Cameras: an orbit around the centre of the model, at the distance at which the model fits the picture; a place and a
// point to look at; or a camera of the file.
import { ModelError } from '../errors';
import {
  add,
  cross,
  dot,
  multiply,
  normalize,
  scale,
  sinCosDegrees,
  subtract,
  type Mat4,
  type Vec3,
  type Axes,
} from '../math';
import type { FileCamera } from './file-cameras';
import { forEachBatch } from './points';
import type { FlatScene } from './scene';

/** An orbit around the centre of the model, as given by `--camera`. */
interface Orbit {
  /** Degrees around the vertical axis: 0 looks at the model's front (+Z), 90 at its left side (+X). */
  azimuth: number;
  /** Degrees above the horizon, −90 to 90. */
  elevation: number;
  /** Distance in radii of the model's bounding sphere; undefined fits the model to the picture. */
  distance: number | undefined;
}

/** A place in world space from which the camera looks at a point. */
interface LookAt {
  eye: Vec3;
  target: Vec3;
}

export type View = { orbit: Orbit } | { lookAt: LookAt } | { file: FileCamera };

/** How a view that is not a camera of the file becomes a picture. */
export interface Projection {
  /** Vertical field of view in degrees, above 0 and below 180; of an orthographic camera, that of its distance. */
  fieldOfView: number;
  orthographic: boolean;
  /** Share of the picture's width and height that stays free on each side when the model is fitted, below 0.5. */
  margin: number;
  /** Radii of the model within which everything is that is shown. Default: 1. */
  reach?: number;
}

/** A three-quarter view from slightly above. */
export const DEFAULT_ORBIT: Orbit = { azimuth: 30, elevation: 18, distance: undefined };
export const DEFAULT_PROJECTION: Projection = { fieldOfView: 30, orthographic: false, margin: 0.05 };

/** A camera with its matrix for the shader. */
export interface Camera {
  eye: Vec3;
  /** Unit vector of the view direction. */
  forward: Vec3;
  /** World to clip space, depth 0 to 1. */
  viewProjection: Mat4;
  /** Distances along `forward` of the near and far planes, and of the model's centre. */
  near: number;
  far: number;
  middle: number;
  /** Half the height of the picture at distance 1, or at any distance if it is orthographic. */
  halfHeight: number;
  orthographic: boolean;
}

/** A sphere with everything that is shown. */
type Seen = Pick<FlatScene, 'center' | 'radius'>;

type DepthRange = Pick<Camera, 'near' | 'far'> & Partial<Pick<Camera, 'orthographic'>>;

/**
 * Converts a view distance to window depth, 0 to 1. Depth is linear in the inverse distance: for distances of 1 to 200,
 * the nearer half of all depths lies within 1 to 2. For an orthographic camera it is linear in the distance.
 */
export function windowDepth({ near, far, orthographic }: DepthRange, distance: number): number {
  if (orthographic) return (distance - near) / (far - near);
  return (far / (far - near)) * (1 - near / distance);
}

/** Converts window depth to a view distance. */
export function viewDistance({ near, far, orthographic }: DepthRange, depth: number): number {
  if (orthographic) return near + depth * (far - near);
  return near / (1 - (depth * (far - near)) / far);
}

/** Places the camera of an orbit. Without a distance, the model is centred and as large as fits the picture. */
export function placeCamera(
  scene: FlatScene,
  orbit: Orbit,
  width: number,
  height: number,
  projection = DEFAULT_PROJECTION
): Camera {
  return viewCamera(scene, { orbit }, width, height, projection);
}

/** Makes the camera of a view for a picture of a size in pixels. @throws ModelError if nothing can be seen from it */
export function viewCamera(
  scene: FlatScene,
  view: View,
  width: number,
  height: number,
  projection: Projection
): Camera {
  const seen = { center: scene.center, radius: scene.radius * (projection.reach ?? 1) };
  if ('file' in view) return fileCamera(seen, view.file, width, height);
  const { sin, cos } = sinCosDegrees(projection.fieldOfView / 2);
  const slope = sin / cos;
  const slopes: [number, number] = [(slope * width) / height, slope];
  if ('lookAt' in view) {
    const { eye, target } = view.lookAt;
    const axes = axesOf(normalize(subtract(eye, target)));
    const distance = dot(subtract(eye, target), axes.back);
    return finish(seen, axes, eye, slopes, projection.orthographic ? distance * slope : undefined);
  }
  const { orbit } = view;
  const a = sinCosDegrees(orbit.azimuth);
  const e = sinCosDegrees(orbit.elevation);
  const back: Vec3 = [a.sin * e.cos, e.sin, a.cos * e.cos];
  const right: Vec3 = [a.cos, 0, -a.sin];
  const axes = { right, up: cross(back, right), back };
  const free = 1 - 2 * projection.margin;
  if (orbit.distance !== undefined) {
    const distance = orbit.distance * scene.radius;
    const eye = add(scene.center, scale(back, distance));
    return finish(seen, axes, eye, slopes, projection.orthographic ? distance * slope : undefined);
  }
  if (!projection.orthographic)
    return finish(seen, axes, fit(scene, axes, slopes[0] * free, slopes[1] * free), slopes, undefined);
  const { middle, halfHeight } = fitOrthographic(scene, axes, width / height);
  return finish(seen, axes, add(middle, scale(back, 2 * scene.radius)), slopes, halfHeight / free);
}

/** Axes of a view from above the horizon; straight up or down, −Z or +Z is at the top. */
export function axesOf(back: Vec3): Axes {
  const above: Vec3 = Math.abs(back[1]) > 0.9999 ? [0, 0, back[1] > 0 ? -1 : 1] : [0, 1, 0];
  const right = normalize(cross(above, back));
  return { right, up: cross(back, right), back };
}

/** @param halfHeight of an orthographic camera in world units; undefined for a perspective one */
function finish(
  scene: Seen,
  axes: Axes,
  eye: Vec3,
  [slopeX, slopeY]: readonly [number, number],
  halfHeight: number | undefined
): Camera {
  const depth = dot(subtract(eye, scene.center), axes.back);
  const far = (depth + scene.radius) * 1.01;
  if (!(far > 0))
    throw new ModelError('The camera looks away from the model; choose another --camera.', { code: 'view' });
  const near = Math.max((depth - scene.radius) * 0.99, far * 0.001);
  const half: [number, number] =
    halfHeight === undefined ? [slopeX, slopeY] : [(halfHeight * slopeX) / slopeY, halfHeight];
  return composeCamera(axes, eye, half, { near, far, middle: depth, orthographic: halfHeight !== undefined });
}

/** Makes a camera of its axes and the slopes of half its picture, or of half its size if it is orthographic. */
export function composeCamera(
  { right, up, back }: Axes,
  eye: Vec3,
  [halfWidth, halfHeight]: readonly [number, number],
  { near, far, middle, orthographic }: Pick<Camera, 'near' | 'far' | 'middle' | 'orthographic'>
): Camera {
  const view: Mat4 = [
    ...[right[0], up[0], back[0], 0],
    ...[right[1], up[1], back[1], 0],
    ...[right[2], up[2], back[2], 0],
    ...[-dot(right, eye), -dot(up, eye), -dot(back, eye), 1],
  ];
  const depthScale = orthographic ? 1 / (near - far) : far / (near - far);
  const depthShift = orthographic ? near / (near - far) : (near * far) / (near - far);
  const projection: Mat4 = [
    ...[1 / halfWidth, 0, 0, 0],
    ...[0, 1 / halfHeight, 0, 0],
    ...[0, 0, depthScale, orthographic ? 0 : -1],
    ...[0, 0, depthShift, orthographic ? 1 : 0],
  ];
  return {
    // Seen from very far away, all directions to the eye are nearly parallel.
    eye: orthographic ? add(eye, scale(back, 1e4 * (far - near))) : eye,
    forward: normalize(scale(back, -1)),
    viewProjection: multiply(projection, view),
    near,
    far,
    middle,
    halfHeight,
    orthographic,
  };
}

/** A camera of the file. If the picture has another shape, more or less is seen at the sides (glTF 2.0 §3.10.3). */
function fileCamera(scene: Seen, camera: FileCamera, width: number, height: number): Camera {
  const { axes, eye } = camera;
  const middle = dot(subtract(eye, scene.center), axes.back);
  const far = Math.min(camera.far, Math.max((middle + scene.radius) * 1.01, camera.near * 1.01));
  const half: [number, number] = [(camera.halfHeight * width) / height, camera.halfHeight];
  if (camera.orthographic && camera.halfWidth !== undefined) {
    // What the camera shows stays inside the picture.
    const factor = Math.max(1, camera.halfWidth / half[0]);
    half[0] *= factor;
    half[1] *= factor;
  }
  return composeCamera(axes, eye, half, { near: camera.near, far, middle, orthographic: camera.orthographic });
}

/**
 * Returns the nearest eye on the axis `back` from which every vertex is inside the frustum. For a vertex at (x, y, z)
 * in view axes and a plane of slope t, the condition is distance ≥ z + |x − shift| / t. The two planes of an axis give
 * distance and shift in closed form.
 */
function fit(scene: FlatScene, { right, up, back }: Axes, slopeX: number, slopeY: number): Vec3 {
  const most = [-Infinity, -Infinity, -Infinity, -Infinity];
  const { center } = scene;
  forEachBatch(scene.draws, (points) => {
    for (let i = 0; i < points.length; i += 3) {
      const dx = points[i] - center[0];
      const dy = points[i + 1] - center[1];
      const dz = points[i + 2] - center[2];
      const z = dx * back[0] + dy * back[1] + dz * back[2];
      const x = (dx * right[0] + dy * right[1] + dz * right[2]) / slopeX;
      const y = (dx * up[0] + dy * up[1] + dz * up[2]) / slopeY;
      if (z + x > most[0]) most[0] = z + x;
      if (z - x > most[1]) most[1] = z - x;
      if (z + y > most[2]) most[2] = z + y;
      if (z - y > most[3]) most[3] = z - y;
    }
  });
  const distance = Math.max((most[0] + most[1]) / 2, (most[2] + most[3]) / 2, scene.radius * 0.01);
  const shiftX = ((most[0] - most[1]) / 2) * slopeX;
  const shiftY = ((most[2] - most[3]) / 2) * slopeY;
  return add(center, add(scale(back, distance), add(scale(right, shiftX), scale(up, shiftY))));
}

/** The point in the middle of the model's outline, and half the height of the least picture that holds it. */
function fitOrthographic(scene: FlatScene, { right, up }: Axes, aspect: number): { middle: Vec3; halfHeight: number } {
  const least = [Infinity, Infinity];
  const most = [-Infinity, -Infinity];
  const { center } = scene;
  forEachBatch(scene.draws, (points) => {
    for (let i = 0; i < points.length; i += 3) {
      const way: Vec3 = [points[i] - center[0], points[i + 1] - center[1], points[i + 2] - center[2]];
      [dot(way, right), dot(way, up)].forEach((x, axis) => {
        if (x < least[axis]) least[axis] = x;
        if (x > most[axis]) most[axis] = x;
      });
    }
  });
  const shift = (i: number): number => (least[i] + most[i]) / 2;
  return {
    middle: add(center, add(scale(right, shift(0)), scale(up, shift(1)))),
    halfHeight: Math.max((most[1] - least[1]) / 2, (most[0] - least[0]) / 2 / aspect, scene.radius * 1e-3),
  };
}
