// The place that a model takes at every moment of an animation, and how bright its lights are.
import type { ModelBudget } from '../budget';
import { ModelError } from '../errors';
import type { Model } from '../files/load';
import { dot, subtract, type Vec3 } from '../math';
import { momentsOf } from './animation';
import { flattenScene, type FlatScene, type SceneChoice } from './scene';

/** A sphere around a model, the height on which it stands, and how much its lights are dimmed. */
export type Bounds = Pick<FlatScene, 'center' | 'radius' | 'floor' | 'dimming'>;

/** Moments at which an animation is measured, and the factor of the radius for what is between them. */
const MEASURED = 8;
const SPARE = 1.1;

/**
 * Bounds of the model over the whole animation of a choice, so that they are the same for all of its frames.
 * @param budget memory account of the model, which is not changed
 */
export function animationBounds(model: Model, budget: ModelBudget, choice: SceneChoice): Bounds {
  const spheres: Bounds[] = [];
  for (const moment of momentsOf(model, choice.moment?.animation, MEASURED)) {
    try {
      spheres.push(flattenScene(model, budget.copy(), { ...choice, moment }));
    } catch (error) {
      // At some moments, all nodes may be invisible.
      if (!(error instanceof ModelError && error.code === 'empty')) throw error;
    }
  }
  if (spheres.length === 0) return flattenScene(model, budget.copy(), choice);
  const middle = (axis: number): number =>
    (Math.min(...spheres.map(({ center, radius }) => center[axis] - radius))
      + Math.max(...spheres.map(({ center, radius }) => center[axis] + radius)))
    / 2;
  const center: Vec3 = [middle(0), middle(1), middle(2)];
  const reach = spheres.map((sphere) => {
    const way = subtract(sphere.center, center);
    return Math.sqrt(dot(way, way)) + sphere.radius;
  });
  return {
    center,
    radius: Math.max(...reach) * SPARE,
    floor: Math.min(...spheres.map(({ floor }) => floor)),
    dimming: Math.min(...spheres.map(({ dimming }) => dimming)),
  };
}
