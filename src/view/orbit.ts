// The camera of a view: an orbit around a point, whose movement is damped. It knows nothing of the page.
import type { GltfInfo, GltfLookAt, GltfPoint } from '../gltf/library/types';
import { exp2, sinCosDegrees } from '../gltf/math';

type Point = [x: number, y: number, z: number];
type Bounds = GltfInfo['bounds'];

/** Where a camera is. */
export interface Orbit {
  /** Degrees around the vertical axis: 0 looks at the model's front (+Z), 90 at its left side (+X). */
  azimuth: number;
  /** Degrees above the horizon, −89 to 89. */
  elevation: number;
  /** Distance from the target: 1 is the distance at which the model fills the view. */
  distance: number;
}

export const START: Readonly<Orbit> = { azimuth: 30, elevation: 18, distance: 1 };
/** Vertical field of view in degrees. */
export const FIELD_OF_VIEW = 30;
const MAX_ELEVATION = 89;
const DISTANCES = [0.1, 8] as const;
/** Milliseconds in which the camera covers half of its way. */
const DAMPING_MS = 40;
/** Share of the way that is not visible any more. */
const ARRIVED = 1e-3;
/** Share of the view that stays free around the model. */
const MARGIN = 0.06;
/** Heights of the rings around a model, as shares of half its height, and the points of each. */
const RING_LEVELS = [-1, -0.5, 0, 0.5, 1] as const;
const RING_POINTS = 32;

/** Half the height of the view at distance 1. */
const HALF_VIEW = sinCosDegrees(FIELD_OF_VIEW / 2);
const HALF_HEIGHT = HALF_VIEW.sin / HALF_VIEW.cos;
const clamp = (value: number, [least, most]: readonly [number, number]): number =>
  Math.min(most, Math.max(least, value));

/** Unit vectors of a camera in the coordinates of the model. */
function axesOf({ azimuth, elevation }: Pick<Orbit, 'azimuth' | 'elevation'>): {
  right: Point;
  up: Point;
  back: Point;
} {
  const a = sinCosDegrees(azimuth);
  const e = sinCosDegrees(elevation);
  return {
    right: [a.cos, 0, -a.sin],
    up: [-a.sin * e.sin, e.cos, -a.cos * e.sin],
    back: [a.sin * e.cos, e.sin, a.cos * e.cos],
  };
}

/**
 * The distance at which a model fills a picture, whichever way it is turned around the vertical axis, so that turning
 * does not change its size. Rings around the axis enclose the model: they are inside of the bounding sphere, and no
 * wider than the bounding box.
 * @param aspect width of the picture by its height
 */
export function fittingDistance({ min, max, radius }: Bounds, elevation: number, aspect: number): number {
  const [width, height, depth] = [max[0] - min[0], max[1] - min[1], max[2] - min[2]];
  const slope = HALF_HEIGHT * (1 - 2 * MARGIN);
  const { up, back } = axesOf({ azimuth: 0, elevation });
  let distance = 0;
  for (const level of RING_LEVELS) {
    const y = (level * height) / 2;
    const ring = Math.sqrt(Math.max(0, Math.min((width * width + depth * depth) / 4, radius * radius - y * y)));
    for (let i = 0; i < RING_POINTS; i++) {
      const { sin, cos } = sinCosDegrees((i / RING_POINTS) * 360);
      const [x, z] = [ring * sin, ring * cos];
      const [across, along] = [y * up[1] + z * up[2], y * back[1] + z * back[2]];
      distance = Math.max(distance, along + Math.abs(across) / slope, along + Math.abs(x) / (slope * aspect));
    }
  }
  return distance;
}

/** The camera: where it is, and where it is going. */
export class OrbitCamera {
  #now: Orbit & { target: Point } = { ...START, target: [0, 0, 0] };
  #goal: Orbit & { target: Point } = { ...START, target: [0, 0, 0] };
  #start: Readonly<Orbit> = START;
  #bounds: Bounds = { min: [-1, -1, -1], max: [1, 1, 1], radius: 1 };

  /** Looks at another model, from the start. */
  show(bounds: Bounds, start: Readonly<Orbit>): void {
    this.#bounds = bounds;
    this.#start = start;
    this.reset();
    this.finish();
  }

  /** Where the camera is going. */
  get goal(): Readonly<Orbit> {
    const { azimuth, elevation, distance } = this.#goal;
    return { azimuth, elevation, distance };
  }

  /** Goes back to the start. */
  reset(): void {
    const { min, max } = this.#bounds;
    const middle = (axis: 0 | 1 | 2): number => (min[axis] + max[axis]) / 2;
    this.#goal = { ...this.#start, target: [middle(0), middle(1), middle(2)] };
  }

  goTo({ azimuth, elevation, distance }: Partial<Orbit>): void {
    const goal = this.#goal;
    goal.azimuth = azimuth ?? goal.azimuth;
    goal.elevation = clamp(elevation ?? goal.elevation, [-MAX_ELEVATION, MAX_ELEVATION]);
    goal.distance = clamp(distance ?? goal.distance, DISTANCES);
  }

  /** Turns by degrees. */
  turn(azimuth: number, elevation: number): void {
    this.goTo({ azimuth: this.#goal.azimuth + azimuth, elevation: this.#goal.elevation + elevation });
  }

  /** Changes the distance by a factor. */
  zoom(factor: number): void {
    this.goTo({ distance: this.#goal.distance * factor });
  }

  /** Moves the target by shares of the view's height, right and up. */
  pan(right: number, up: number): void {
    const axes = axesOf(this.#goal);
    const height = 2 * this.#distance(this.#goal, 1) * HALF_HEIGHT;
    const { min, max } = this.#bounds;
    for (const i of [0, 1, 2] as const) {
      const moved = this.#goal.target[i] + (axes.right[i] * right + axes.up[i] * up) * height;
      this.#goal.target[i] = clamp(moved, [min[i], max[i]]);
    }
  }

  /** Moves towards the goal. @param ms since the last call @returns whether the camera has not arrived */
  advance(ms: number): boolean {
    const share = 1 - exp2(-ms / DAMPING_MS);
    const [now, goal] = [this.#now, this.#goal];
    const size = Math.max(...[0, 1, 2].map((i) => this.#bounds.max[i]! - this.#bounds.min[i]!));
    let left = 0;
    const step = (from: number, to: number, unit: number): number => {
      left = Math.max(left, Math.abs(to - from) / unit);
      return from + (to - from) * share;
    };
    now.azimuth = step(now.azimuth, goal.azimuth, 90);
    now.elevation = step(now.elevation, goal.elevation, 90);
    now.distance = step(now.distance, goal.distance, goal.distance);
    for (const i of [0, 1, 2] as const) now.target[i] = step(now.target[i], goal.target[i], size);
    if (left > ARRIVED) return true;
    this.finish();
    return false;
  }

  /** Arrives at once. */
  finish(): void {
    this.#now = { ...this.#goal, target: [...this.#goal.target] };
  }

  /** The camera for a picture. @param aspect width of the picture by its height */
  lookAt(aspect: number): GltfLookAt {
    const { target } = this.#now;
    const { back } = axesOf(this.#now);
    const distance = this.#distance(this.#now, aspect);
    const eye = ([0, 1, 2] as const).map((i) => target[i] + back[i] * distance);
    return { eye: eye as unknown as GltfPoint, target: [...target] };
  }

  #distance({ distance }: Orbit, aspect: number): number {
    return distance * fittingDistance(this.#bounds, this.#start.elevation, aspect);
  }
}
