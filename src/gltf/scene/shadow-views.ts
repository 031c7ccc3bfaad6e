// From where shadow maps are drawn: one map for a directional light, a spot or a light outside the model, six for a
// light inside it that shines to all sides.
import { add, dot, multiply, scale, subtract, type Axes, type Mat4, type Vec3 } from '../math';
import type { Bounds } from './bounds';
import { axesOf, composeCamera } from './camera';
import type { SceneLight } from './lights';

/** One shadow map. */
interface ShadowView {
  /** World to clip space of the map. */
  clip: Mat4;
  /** Unit vector in which the map looks. */
  axis: Vec3;
  /** Width of a texel in world space: everywhere, and per distance along the axis. */
  texel: readonly [everywhere: number, perDistance: number];
}

export interface ShadowViews {
  views: ShadowView[];
  /** For each light the number of its first map, or −1 if it casts no shadows. */
  first: number[];
  /** Whether each light has six maps, in the order +X −X +Y −Y +Z −Z. */
  isCube: boolean[];
  /** Number of lights that found no maps left. */
  leftOut: number;
}

/** Largest number of maps, and of bytes that they take together. */
export const MAX_SHADOW_MAPS = 16;
const MAX_SHADOW_BYTES = 256 << 20;

/** Texels by which the picture of a face is wider than the face, so that soft edges do not end at its border. */
const BORDER = 4;
/** Slope of the widest map that shows the whole model from outside. */
const WIDEST = 2;
/** Radii beyond which rays count as parallel. */
const FAR = 1000;
/** Share of the farthest distance at which a map begins, if the light is inside the model. */
const NEAREST = 1e-3;

/** Plans the maps of the lights in their order. @param size width of a map in texels */
export function shadowViews(lights: readonly SceneLight[], bounds: Bounds, size: number): ShadowViews {
  const plan: ShadowViews = { views: [], first: [], isCube: [], leftOut: 0 };
  const most = Math.min(MAX_SHADOW_MAPS, Math.floor(MAX_SHADOW_BYTES / (4 * size * size)));
  for (const light of lights) {
    const views = viewsOf(light, bounds, size);
    const fits = plan.views.length + views.length <= most;
    plan.first.push(fits && views.length > 0 ? plan.views.length : -1);
    plan.isCube.push(views.length > 1);
    if (fits) plan.views.push(...views);
    else plan.leftOut++;
  }
  return plan;
}

function viewsOf(light: SceneLight, bounds: Bounds, size: number): ShadowView[] {
  if (!light.position) return dot(light.direction, light.direction) > 0 ? [directionalView(light, bounds, size)] : [];
  const { position, slope } = light;
  const way = subtract(position, bounds.center);
  const distance = Math.sqrt(dot(way, way));
  if (distance > FAR * bounds.radius) return [directionalView({ direction: scale(way, -1 / distance) }, bounds, size)];
  const far = Math.min(light.range, distance + bounds.radius) * 1.001;
  const near = Math.max(distance - bounds.radius, far * NEAREST) * 0.999;
  if (near >= far) return [];
  const view = (axes: Axes, half: number): ShadowView => {
    const wide = half * (1 + (2 * BORDER) / size);
    const range = { near, far, middle: distance, orthographic: false };
    return {
      clip: composeCamera(axes, position, [wide, wide], range).viewProjection,
      axis: scale(axes.back, -1),
      texel: [0, (2 * wide) / size],
    };
  };
  // A light outside the model needs to see no more than the model.
  const square = distance * distance - bounds.radius * bounds.radius;
  const whole = square > 0 ? bounds.radius / Math.sqrt(square) : Infinity;
  if (whole <= Math.min(slope ?? WIDEST, WIDEST)) return [view(axesOf(scale(way, 1 / distance)), whole)];
  if (slope !== undefined) return [view(axesOf(scale(light.direction, -1)), slope)];
  const faces: Vec3[] = [
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
  ];
  return faces.map((face) => view(axesOf(scale(face, -1)), 1));
}

/** A picture of the whole sphere around the model, which stays the same if the light or the model turns. */
function directionalView(
  { direction }: Pick<SceneLight, 'direction'>,
  { center, radius }: Bounds,
  size: number
): ShadowView {
  const half = radius * (1 + (2 * BORDER) / size);
  const eye = add(center, scale(direction, -2 * radius));
  const range = { near: radius * 0.9, far: radius * 3.1, middle: 2 * radius, orthographic: true };
  return {
    clip: composeCamera(axesOf(scale(direction, -1)), eye, [half, half], range).viewProjection,
    axis: direction,
    texel: [(2 * half) / size, 0],
  };
}

/** Texture coordinates and depth of a point in a map, from clip space. */
const TO_TEXTURE: Mat4 = [0.5, 0, 0, 0, 0, -0.5, 0, 0, 0, 0, 1, 0, 0.5, 0.5, 0, 1];

/** World space to texture coordinates and depth of a map, before the division by w. */
export const toTexture = (clip: Mat4): Mat4 => multiply(TO_TEXTURE, clip);
