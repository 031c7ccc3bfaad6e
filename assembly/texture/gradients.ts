// Gradients of a quad's coordinates, as levels of detail follow from them. Twin: in level.ts.
import { Access, DIMENSION_CUBE, MODE_GRAD } from '../layout';
import { ddxCoarse, ddxFine, ddyCoarse, ddyFine } from '../simd/lanes';

/** An operand of the quad; zeros where the read has none. */
function operandOf(access: Access, field: usize, quad: usize): v128 {
  const register = load<u32>(changetype<usize>(access) + field);
  return register ? v128.load(register + quad) : f32x4.splat(0);
}

/**
 * A coordinate's gradient (0, 4, 8: of u, v, w) in x or in y: the program's, or a difference of the quad: the upper
 * row's or the left column's; on cubes each pixel's own row's or column's.
 */
export function gradientOf(access: Access, quad: usize, coordinate: usize, inY: i32): v128 {
  if (access.mode == MODE_GRAD)
    return operandOf(access, coordinate + (inY ? offsetof<Access>('ddyU') : offsetof<Access>('ddxU')), quad);
  const v = operandOf(access, coordinate + offsetof<Access>('u'), quad);
  if (access.texture.dimension >= DIMENSION_CUBE) return inY ? ddyFine(v) : ddxFine(v);
  return inY ? ddyCoarse(v) : ddxCoarse(v);
}
