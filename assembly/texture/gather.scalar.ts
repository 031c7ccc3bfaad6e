// textureGather and textureGatherCompare for a warp, one lane at a time. Twin of gather.ts.
import { Access, ADDRESS_CLAMP, DIMENSION_CUBE, MODE_GATHER } from '../layout';
import { firstIndex, secondIndex, taps } from './addresses/axis.scalar';
import { cubeFootprint, fetchWords, flatFootprint, layerOf, operand } from './pixel.scalar';

/** Position of the first texel, from −1 on. */
function firstOf(u: f32, size: i32, mode: i32, offset: i32): i32 {
  const shift = <f32>offset - <f32>0.5;
  if (mode != ADDRESS_CLAMP) return <i32>floor<f32>(taps(u, <f32>size, mode, shift, offset != 0));
  const x = u * <f32>size + shift;
  const lowest: f32 = -1;
  const raised = lowest < x ? x : lowest;
  const last = <f32>(size - 1);
  return <i32>floor<f32>(raised < last ? raised : last);
}

// Writes the two texel indices of one coordinate to a third of Access.axes.
function axis(axes: usize, first: i32, size: i32, mode: i32): void {
  store<i32>(axes, max<i32>(0, firstIndex(first, size, mode)));
  store<i32>(axes, secondIndex(first, size, mode), 4);
  store<f32>(axes, 0, 8);
}

// The index at Access.footprint, in the order (0,0) (1,0) (0,1) (1,1), of each component of the result.
function tapOf(component: usize): usize {
  return component == 0 ? 2 : component == 1 ? 3 : component == 2 ? 1 : 0;
}

/** Executes the ACCESS record of a gather for all quads of its warp. */
export function gatherWarpScalar(access: Access): void {
  const texture = access.texture;
  const sampler = access.sampler;
  const record = texture.level(0);
  const channel: usize = access.mode - MODE_GATHER;
  const end = access.quads << 4;
  const axes = access.axes;
  const texel = access.pixels;
  for (let lane: usize = 0; lane < end; lane += 4) {
    if (texture.dimension >= DIMENSION_CUBE) cubeFootprint(access, record, lane, texture.width, true);
    else {
      const i = firstOf(operand(access, offsetof<Access>('u'), lane), texture.width, sampler.addressU, access.offsetX);
      const j = firstOf(operand(access, offsetof<Access>('v'), lane), texture.height, sampler.addressV, access.offsetY);
      axis(axes, i, texture.width, sampler.addressU);
      axis(axes + 12, j, texture.height, sampler.addressV);
      flatFootprint(access, record, layerOf(access, lane, texture.layers), 4);
    }
    for (let c: usize = 0; c < 4; c++) {
      const result = load<u32>(access.result + (c << 2));
      if (!result) continue;
      fetchWords(access, lane, load<u32>(access.footprint + (tapOf(c) << 2)), texel);
      store<u32>(result + lane, load<u32>(texel + (channel << 2)));
    }
  }
}
