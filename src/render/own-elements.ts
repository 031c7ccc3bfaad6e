// Draws whose fragments have elements of their own in all buffers where quads could meet (ir/pixel-rows.ts): their
// quads take no turns. Pixels of a tile are less than a row of TILE_SIZE apart.
import { TILE_SIZE } from '../../assembly/layout/limits';
import { Resource } from '../../build/layout';
import { quadOrder } from '../ir';
import type { StageProgram } from './stage-program';

export interface TargetSize { readonly width: number; readonly height: number }

/**
 * Of a program that takes turns. `resources`, `uniforms`: of the draw, addresses of its table and of its uniform block,
 * which has been filled.
 */
export function ownsElements(
  { program, encoded }: StageProgram, resources: number, uniforms: number, { width, height }: TargetSize,
  words: Uint32Array
): boolean {
  const order = quadOrder(program);
  return typeof order !== 'string' && order.every((rows) => {
    const row = typeof rows.width === 'number' ? rows.width : uniformOf(rows.width.value);
    const bytes = words[(resources + rows.resource * Resource.bytes + Resource.size) >>> 2]!;
    const elements = Math.min(rows.elements ?? Infinity, Math.floor(bytes / rows.elementBytes));
    return row >= TILE_SIZE && row * (height - 1) + width <= elements;
  });

  /** 0: it is none. */
  function uniformOf(value: number): number {
    const index = encoded.uniformValues.indexOf(value);
    return index < 0 ? 0 : words[(uniforms >>> 2) + encoded.constants.length + index]!;
  }
}
