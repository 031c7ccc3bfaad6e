// textureLoad for a warp, one lane at a time. Twin of load.ts.
import { Access, DIMENSION_3D, Texture } from '../layout';
import { loadTexel, texelBytes } from '../surface/formats';
import { pageTexel } from './addresses/pages';
import { pixelAddress, readsOf } from './reads';

function operand(access: usize, field: usize, lane: usize): i32 {
  const register = load<u32>(access + field);
  return register ? load<i32>(register + lane) : 0;
}

// Address of a lane's texel; 0 when it is outside.
function texelAddress(access: usize, texture: Texture, lane: usize): usize {
  const dimension = texture.dimension;
  const bytes = texelBytes(texture.format);
  const x = operand(access, offsetof<Access>('u'), lane);
  const y = operand(access, offsetof<Access>('v'), lane);
  const number = operand(access, offsetof<Access>('level'), lane);
  if (texture.samples > 1) {
    const reads = readsOf(changetype<Access>(access).quadRead, texture.surface);
    return pixelAddress(reads, lane, x, y, number);
  }
  const width = texture.width;
  const height = texture.height;
  if (<u32>number >= <u32>texture.levelCount) return 0;
  const z =
    dimension == DIMENSION_3D
      ? operand(access, offsetof<Access>('w'), lane)
      : operand(access, offsetof<Access>('layer'), lane);
  const slices = dimension == DIMENSION_3D ? max<i32>(1, texture.depth >> number) : texture.layers;
  if (
    <u32>x >= <u32>max<i32>(1, width >> number)
    || <u32>y >= <u32>max<i32>(1, height >> number)
    || <u32>z >= <u32>slices
  )
    return 0;
  const record = texture.level(number);
  if (texture.stream) return pageTexel(texture, record, x, y, z, changetype<Access>(access).quadRead);
  const row = y * record.rowBytes + z * record.layerBytes;
  return record.address + (row + x * bytes);
}

/** Executes the ACCESS record of a load for all quads of its warp. */
export function loadWarpScalar(access: Access): void {
  const texture = access.texture;
  const format = texture.format;
  const end = access.quads << 4;
  const texel = access.pixels;
  for (let lane: usize = 0; lane < end; lane += 4) {
    const address = texelAddress(changetype<usize>(access), texture, lane);
    if (address) loadTexel(format, address, texel);
    else memory.fill(texel, 0, 16);
    for (let c: usize = 0; c < 16; c += 4) {
      const result = load<u32>(access.result + c);
      if (result) store<u32>(result + lane, load<u32>(texel + c));
    }
  }
}
