// What is in a model, for programs.
import type { Model } from '../files/load';
import type { Vec3 } from '../math';
import { listAnimations } from '../scene/animation';
import { forEachVertex, listVariants, type FlatScene } from '../scene/scene';
import type { GltfInfo } from './types';

/** Describes a model. @param scene its default scene at rest */
export function describeModel(model: Model, scene: FlatScene): GltfInfo {
  const { json } = model;
  const min: Vec3 = [Infinity, Infinity, Infinity];
  const max: Vec3 = [-Infinity, -Infinity, -Infinity];
  forEachVertex(scene.draws, (...point) =>
    point.forEach((x, i) => {
      min[i] = Math.min(min[i], x);
      max[i] = Math.max(max[i], x);
    })
  );
  return {
    scenes: (json.scenes ?? []).map(({ name }, i) => name ?? String(i)),
    animations: listAnimations(model),
    cameras: scene.cameras.map(({ name }) => name),
    variants: listVariants(model),
    bounds: { min, max },
    triangles: scene.triangles,
    draws: scene.draws.length,
    extensions: { used: [...(json.extensionsUsed ?? [])], required: [...(json.extensionsRequired ?? [])] },
    warnings: scene.warnings,
  };
}
