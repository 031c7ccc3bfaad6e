// Finds draw calls whose fragments access disjoint elements of all buffers that quads could share (ir/pixel-rows.ts).
// Their quads need not take turns. Pixels of a tile are less than TILE_SIZE apart in a row, so rows of at least
// TILE_SIZE elements keep them disjoint.
import { TILE_SIZE } from '../../../assembly/layout/limits';
import { Resource } from '../../../build/layout';
import { fact } from '../shaders/program-facts';
import type { StageProgram } from '../shaders/stage-program';

export interface TargetSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Whether the fragments of a draw call access disjoint elements. The shader is one that takes turns. `resources`,
 * `uniforms`: addresses of the draw call's resource table and of its uniform block, which must be filled.
 */
export function accessesDisjointElements(
  { program, encoded }: StageProgram,
  resources: number,
  uniforms: number,
  { width, height }: TargetSize,
  words: Uint32Array
): boolean {
  const order = fact(program, 'quadOrder');
  return (
    typeof order !== 'string'
    && order.every((rows) => {
      const row = typeof rows.width === 'number' ? rows.width : uniformOf(rows.width.value);
      const bytes = words[(resources + rows.resource * Resource.bytes + Resource.size) >>> 2]!;
      const elements = Math.min(rows.elements ?? Infinity, Math.floor(bytes / rows.elementBytes));
      return row >= TILE_SIZE && row * (height - 1) + width <= elements;
    })
  );

  /** The value of a uniform; 0 if it is not one. */
  function uniformOf(value: number): number {
    const index = encoded.uniformValues.indexOf(value);
    return index < 0 ? 0 : words[(uniforms >>> 2) + encoded.constants.length + index]!;
  }
}
