// What is in a model, for programs.
import type { Model } from '../files/load';
import { listAnimations } from '../scene/animation';
import { boxOf } from '../scene/points';
import { listVariants, type FlatScene } from '../scene/scene';
import type { GltfInfo } from './types';

/** Describes a model. @param scene its default scene at rest */
export function describeModel(model: Model, scene: FlatScene): GltfInfo {
  const { json } = model;
  const { low, high } = boxOf(scene.draws);
  return {
    scenes: (json.scenes ?? []).map(({ name }, i) => name ?? String(i)),
    animations: listAnimations(model),
    cameras: scene.cameras.map(({ name }) => name),
    variants: listVariants(model),
    bounds: { min: low, max: high, radius: scene.radius },
    triangles: scene.triangles,
    draws: scene.draws.length,
    extensions: { used: [...(json.extensionsUsed ?? [])], required: [...(json.extensionsRequired ?? [])] },
    warnings: scene.warnings,
  };
}
