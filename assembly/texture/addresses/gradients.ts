// Gradients of a quad's coordinates, for levels of detail. Twin: in level.ts.
import { Access, DIMENSION_CUBE, MODE_GRAD } from '../../layout';
import { ddxCoarse, ddxFine, ddyCoarse, ddyFine } from '../../simd/lanes';

/** An operand of the quad; zeros if the read does not have it. */
function operandOf(access: Access, field: usize, quad: usize): v128 {
  const register = load<u32>(changetype<usize>(access) + field);
  return register ? v128.load(register + quad) : f32x4.splat(0);
}

/**
 * The gradient of a coordinate (offset 0, 4 or 8 for u, v or w) in x or in y. It is the shader's gradient or a
 * difference within the quad: that of the upper row or the left column; for cube maps, of each pixel's own row or
 * column.
 */
export function gradientOf(access: Access, quad: usize, coordinate: usize, inY: i32): v128 {
  if (access.mode == MODE_GRAD)
    return operandOf(access, coordinate + (inY ? offsetof<Access>('ddyU') : offsetof<Access>('ddxU')), quad);
  const v = operandOf(access, coordinate + offsetof<Access>('u'), quad);
  if (access.texture.dimension >= DIMENSION_CUBE) return inY ? ddyFine(v) : ddxFine(v);
  return inY ? ddyCoarse(v) : ddxCoarse(v);
}
