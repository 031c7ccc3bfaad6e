// Matrices of a node's instances (EXT_mesh_gpu_instancing).
import type { Accessor } from '@gltf-transform/core';
import type { InstancedMesh } from '@gltf-transform/extensions';
import type { ModelBudget } from '../budget';
import { ModelError } from '../errors';
import { compose, determinant3 } from '../math';

/** Matrices of 16 floats; those that reverse the winding of triangles are separate. */
interface Instances {
  plain: Float32Array;
  mirrored: Float32Array;
}

/** @param name of the node in messages, quoted */
export function readInstances(instanced: InstancedMesh, name: string, budget: ModelBudget): Instances {
  const read = (semantic: string, size: number): { accessor: Accessor; size: number } | undefined => {
    const accessor = instanced.getAttribute(semantic);
    if (!accessor) return undefined;
    if (accessor.getElementSize() !== size)
      throw new ModelError(`The instances of the node ${name} have a ${semantic} that is not ${size} numbers.`);
    return { accessor, size };
  };
  const translation = read('TRANSLATION', 3);
  const rotation = read('ROTATION', 4);
  const scale = read('SCALE', 3);
  const given = [translation, rotation, scale].filter((each) => each !== undefined);
  const count = given[0]?.accessor.getCount() ?? 0;
  if (given.some(({ accessor }) => accessor.getCount() !== count))
    throw new ModelError(`The instances of the node ${name} have attributes of different lengths.`);
  budget.spend(count * 64, `The instances of the node ${name}`);
  const sorted: Record<keyof Instances, number[]> = { plain: [], mirrored: [] };
  const element: number[] = [];
  const valueOf = (attribute: typeof translation, i: number, otherwise: readonly number[]): readonly number[] =>
    attribute ? [...attribute.accessor.getElement(i, element)] : otherwise;
  for (let i = 0; i < count; i++) {
    const matrix = compose(
      valueOf(translation, i, [0, 0, 0]),
      valueOf(rotation, i, [0, 0, 0, 1]),
      valueOf(scale, i, [1, 1, 1])
    );
    if (matrix.some((x) => !Number.isFinite(Math.fround(x))))
      throw new ModelError(`Instance ${i} of the node ${name} has a transform that is too large.`);
    sorted[determinant3(matrix) < 0 ? 'mirrored' : 'plain'].push(...matrix);
  }
  return { plain: Float32Array.from(sorted.plain), mirrored: Float32Array.from(sorted.mirrored) };
}
