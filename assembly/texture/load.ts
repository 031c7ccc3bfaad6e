// textureLoad for a warp: texels by integer coordinates, without filter. A texel outside the texture, its levels, layers or
// samples reads as zeros (WebGPU allows zeros, (0,0,0,1) or a texel inside). Integer control and one decoder: no four-lane body.
import { ACCESS_LAYER, ACCESS_LEVEL, ACCESS_QUADS, ACCESS_RESULT, ACCESS_TEXTURE, ACCESS_U, ACCESS_V, ACCESS_W } from '../layout/program';
import * as T from '../layout/texture';
import { sampleAddress } from '../surface/stored';
import { loadTexel, texelBytes } from '../surface/texel';
import { SCRATCH_PIXELS } from './classes';

// @ts-ignore: decorator
@inline function operand(access: usize, field: usize, lane: usize): i32 {
  const register = <usize>load<u32>(access + field);
  return register ? load<i32>(register + lane) : 0;
}

// Address of the texel of a lane, 0 when it is outside.
function texelAddress(access: usize, texture: usize, lane: usize): usize {
  const dimension = load<i32>(texture + T.TEXTURE_DIMENSION);
  const bytes = texelBytes(load<i32>(texture + T.TEXTURE_FORMAT));
  const x = operand(access, ACCESS_U, lane);
  const y = operand(access, ACCESS_V, lane);
  const number = operand(access, ACCESS_LEVEL, lane);
  if (load<i32>(texture + T.TEXTURE_SAMPLES) > 1) return sampleAddress(<usize>load<u32>(texture + T.TEXTURE_SURFACE), x, y, number);
  const width = load<i32>(texture + T.TEXTURE_WIDTH);
  const height = load<i32>(texture + T.TEXTURE_HEIGHT);
  if (<u32>number >= load<u32>(texture + T.TEXTURE_LEVELS)) return 0;
  const z = dimension == T.DIMENSION_3D ? operand(access, ACCESS_W, lane) : operand(access, ACCESS_LAYER, lane);
  const slices = dimension == T.DIMENSION_3D ? max<i32>(1, load<i32>(texture + T.TEXTURE_DEPTH) >> number) : load<i32>(texture + T.TEXTURE_LAYERS);
  if (<u32>x >= <u32>max<i32>(1, width >> number) || <u32>y >= <u32>max<i32>(1, height >> number) || <u32>z >= <u32>slices) return 0;
  const record = texture + T.TEXTURE_LEVEL0 + <usize>(number * T.TEXTURE_LEVEL_BYTES);
  const row = y * load<i32>(record + T.LEVEL_ROW_BYTES) + z * load<i32>(record + T.LEVEL_LAYER_BYTES);
  return <usize>load<u32>(record + T.LEVEL_ADDRESS) + <usize>(row + x * bytes);
}

/** Executes the ACCESS record of a load for all quads of its warp. */
export function loadWarp(access: usize): void {
  const texture = <usize>load<u32>(access + ACCESS_TEXTURE);
  const format = load<i32>(texture + T.TEXTURE_FORMAT);
  const end = <usize>load<u32>(access + ACCESS_QUADS) << 4;
  const texel = access + SCRATCH_PIXELS;
  for (let lane: usize = 0; lane < end; lane += 4) {
    const address = texelAddress(access, texture, lane);
    if (address) loadTexel(format, address, texel);
    else memory.fill(texel, 0, 16);
    for (let c: usize = 0; c < 16; c += 4) {
      const result = <usize>load<u32>(access + ACCESS_RESULT + c);
      if (result) store<u32>(result + lane, load<u32>(texel + c));
    }
  }
}
