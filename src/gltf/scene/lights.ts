// The lights of a file (KHR_lights_punctual) in world space, in the units of the shader.
import type { Node } from '@gltf-transform/core';
import type { Light } from '@gltf-transform/extensions';
import { PI, normalize, sinCosDegrees, subtract, dot, type Mat4, type Vec3 } from '../math';

/** A light. Colours are the radiance of a white surface that faces it, at distance 1 if it has a position. */
export interface SceneLight {
  color: Vec3;
  /** Undefined for a directional light. */
  position: Vec3 | undefined;
  /** Unit vector of its rays. */
  direction: Vec3;
  /** Distance beyond which it has no effect; Infinity: none. */
  range: number;
  /** Scale and offset by which the cosine of the angle to `direction` becomes 0 outside the cone and 1 inside. */
  cone: [scale: number, offset: number];
  /** Tangent of the angle between the axis and the edge of a cone; undefined: it shines to all sides, or widely. */
  slope: number | undefined;
}

/** Greatest number of lights that are drawn. */
export const MAX_LIGHTS = 64;

const finite = (x: number, otherwise: number): number => (Number.isFinite(x) ? x : otherwise);

/** Reads the light of a node. @returns undefined if it has none, or if it is dark */
export function readLight(node: Node, world: Mat4): SceneLight | undefined {
  const light = node.getExtension<Light>('KHR_lights_punctual');
  if (!light) return undefined;
  const intensity = Math.max(0, finite(light.getIntensity(), 0)) / PI;
  const [r, g, b] = light.getColor().map((x) => Math.max(0, finite(x, 0)) * intensity);
  if (r === 0 && g === 0 && b === 0) return undefined;
  const type = light.getType();
  const range = light.getRange();
  return {
    color: [r, g, b],
    position: type === 'directional' ? undefined : [world[12], world[13], world[14]],
    direction: normalize([-world[8], -world[9], -world[10]]),
    range: range !== null && range > 0 ? range : Infinity,
    slope: type === 'spot' ? slopeOf(light.getOuterConeAngle()) : undefined,
    cone: type === 'spot' ? coneOf(light.getInnerConeAngle(), light.getOuterConeAngle()) : [0, 1],
  };
}

/** Angle of a cone in degrees, from the axis, above which one picture cannot show what is in it. */
const WIDE = 75;

function slopeOf(outer: number): number | undefined {
  const angle = (finite(outer, 0) * 180) / PI;
  if (angle > WIDE) return undefined;
  const { sin, cos } = sinCosDegrees(Math.max(angle, 0.01));
  return sin / cos;
}

/** As the specification recommends (KHR_lights_punctual, "Inner and Outer Cone Angles"). */
function coneOf(inner: number, outer: number): [scale: number, offset: number] {
  const cosine = (angle: number): number => sinCosDegrees((finite(angle, 0) * 180) / PI).cos;
  const scale = 1 / Math.max(0.001, cosine(inner) - cosine(outer));
  return [scale, -cosine(outer) * scale];
}

/** The lights, dimmed by a factor. */
export const dimmed = (lights: readonly SceneLight[], factor: number): SceneLight[] =>
  factor === 1 ? [...lights] : lights.map((light) => ({ ...light, color: light.color.map((x) => x * factor) as Vec3 }));

/** Brightness of the lights together at which a white surface is drawn nearly white. */
const BRIGHT = 4;

/**
 * Dims lights that would draw everything white, which happens with units of exporters. They keep their proportions.
 * @returns the factor, 1 if they are not too bright
 */
export function dimLights(lights: SceneLight[], center: Vec3, radius: number): number {
  let sum = 0;
  for (const { color, position } of lights) {
    const way = position && subtract(position, center);
    const square = way ? Math.max(dot(way, way), radius * radius) : 1;
    sum += Math.max(...color) / square;
  }
  if (sum <= BRIGHT) return 1;
  const factor = BRIGHT / sum;
  for (const light of lights) light.color = light.color.map((x) => x * factor) as Vec3;
  return factor;
}
