// The camera: an orbit around the centre of the model, and the distance at which the model fits the picture.
import { add, cross, dot, multiply, normalize, scale, sinCosDegrees, subtract, type Mat4, type Vec3 } from '../math';
import { forEachVertex, type FlatScene } from './scene';

/** An orbit around the centre of the model, as given by `--camera`. */
export interface Orbit {
  /** Degrees around the vertical axis: 0 looks at the model's front (+Z), 90 at its left side (+X). */
  azimuth: number;
  /** Degrees above the horizon, −90 to 90. */
  elevation: number;
  /** Distance in radii of the model's bounding sphere; undefined fits the model to the picture. */
  distance: number | undefined;
}

/** A three-quarter view from slightly above. */
export const DEFAULT_ORBIT: Orbit = { azimuth: 30, elevation: 18, distance: undefined };

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
}

/**
 * Converts a view distance to window depth, 0 to 1. Depth is linear in the inverse distance: for distances of 1 to 200,
 * the nearer half of all depths lies within 1 to 2.
 */
export function windowDepth({ near, far }: Pick<Camera, 'near' | 'far'>, distance: number): number {
  return (far / (far - near)) * (1 - near / distance);
}

/** Converts window depth to a view distance. */
export function viewDistance({ near, far }: Pick<Camera, 'near' | 'far'>, depth: number): number {
  return near / (1 - (depth * (far - near)) / far);
}

/** Tangent of half the vertical field of view, which is 30°. */
export const HALF_HEIGHT = ((): number => {
  const { sin, cos } = sinCosDegrees(15);
  return sin / cos;
})();
/** Share of the picture's width and height that the model may fill. */
const FILL = 0.9;

/** Places the camera. Without a distance, the model is centred and as large as fits the picture. */
export function placeCamera(scene: FlatScene, orbit: Orbit, width: number, height: number): Camera {
  const a = sinCosDegrees(orbit.azimuth);
  const e = sinCosDegrees(orbit.elevation);
  const back: Vec3 = [a.sin * e.cos, e.sin, a.cos * e.cos];
  const right: Vec3 = [a.cos, 0, -a.sin];
  const up = cross(back, right);
  const halfWidth = (HALF_HEIGHT * width) / height;
  let eye: Vec3;
  if (orbit.distance === undefined) {
    eye = fit(scene, right, up, back, halfWidth * FILL, HALF_HEIGHT * FILL);
  } else {
    eye = add(scene.center, scale(back, orbit.distance * scene.radius));
  }
  const depth = dot(subtract(eye, scene.center), back);
  const far = (depth + scene.radius) * 1.01;
  const near = Math.max((depth - scene.radius) * 0.99, far * 0.001);
  const view: Mat4 = [
    right[0],
    up[0],
    back[0],
    0,
    right[1],
    up[1],
    back[1],
    0,
    right[2],
    up[2],
    back[2],
    0,
    -dot(right, eye),
    -dot(up, eye),
    -dot(back, eye),
    1,
  ];
  const projection: Mat4 = [
    1 / halfWidth,
    0,
    0,
    0,
    0,
    1 / HALF_HEIGHT,
    0,
    0,
    0,
    0,
    far / (near - far),
    -1,
    0,
    0,
    (near * far) / (near - far),
    0,
  ];
  return {
    eye,
    forward: normalize(scale(back, -1)),
    viewProjection: multiply(projection, view),
    near,
    far,
    middle: depth,
  };
}

/**
 * Returns the nearest eye on the axis `back` from which every vertex is inside the frustum. For a vertex at (x, y, z)
 * in view axes and a plane of slope t, the condition is distance ≥ z + |x − shift| / t. The two planes of an axis give
 * distance and shift in closed form.
 */
function fit(scene: FlatScene, right: Vec3, up: Vec3, back: Vec3, slopeX: number, slopeY: number): Vec3 {
  const most = [-Infinity, -Infinity, -Infinity, -Infinity];
  const { center } = scene;
  forEachVertex(scene.draws, (px, py, pz) => {
    const dx = px - center[0];
    const dy = py - center[1];
    const dz = pz - center[2];
    const z = dx * back[0] + dy * back[1] + dz * back[2];
    const x = (dx * right[0] + dy * right[1] + dz * right[2]) / slopeX;
    const y = (dx * up[0] + dy * up[1] + dz * up[2]) / slopeY;
    if (z + x > most[0]) most[0] = z + x;
    if (z - x > most[1]) most[1] = z - x;
    if (z + y > most[2]) most[2] = z + y;
    if (z - y > most[3]) most[3] = z - y;
  });
  const distance = Math.max((most[0] + most[1]) / 2, (most[2] + most[3]) / 2, scene.radius * 0.01);
  const shiftX = ((most[0] - most[1]) / 2) * slopeX;
  const shiftY = ((most[2] - most[3]) / 2) * slopeY;
  return add(center, add(scale(back, distance), add(scale(right, shiftX), scale(up, shiftY))));
}
