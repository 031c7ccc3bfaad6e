// Procedural textures.
import { TEXTURE } from './kit.mjs';

const SINGLE = new Float32Array(1);
const BITS = new Uint32Array(SINGLE.buffer);

/** Returns the bits of the nearest half float for 0 or 2⁻¹⁴…65504. Ties round away from zero. */
function half(value) {
  SINGLE[0] = value;
  const bits = BITS[0];
  return bits === 0 ? 0 : ((bits >>> 31) << 15) | (((bits & 0x7fffffff) - (112 << 23) + 0x1000) >>> 13);
}

/** Returns the next mip level, with means of four texels. `channels`: bytes per texel. */
function halved(texels, side, channels) {
  const small = side >> 1;
  const next = new Uint8Array(small * small * channels);
  for (let y = 0; y < small; y++)
    for (let x = 0; x < small; x++)
      for (let c = 0; c < channels; c++) {
        const at = (y * 2 * side + x * 2) * channels + c;
        const below = at + side * channels;
        next[(y * small + x) * channels + c] =
          (texels[at] + texels[at + channels] + texels[below] + texels[below + channels] + 2) >> 2;
      }
  return next;
}

/**
 * Creates layers of square textures with all their mip levels. `texelOf(x, y, layer)`: bytes of a texel, four for
 * rgba8unorm or one for r8unorm.
 */
export function layersOf(device, side, layers, texelOf, format = 'rgba8unorm') {
  const channels = format === 'r8unorm' ? 1 : 4;
  const mipLevelCount = 32 - Math.clz32(side);
  const texture = device.createTexture({
    size: [side, side, layers],
    mipLevelCount,
    format,
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST,
  });
  for (let layer = 0; layer < layers; layer++) {
    let texels = new Uint8Array(side * side * channels);
    for (let y = 0; y < side; y++)
      for (let x = 0; x < side; x++) texels.set(texelOf(x, y, layer), (y * side + x) * channels);
    for (let mipLevel = 0, size = side; mipLevel < mipLevelCount; mipLevel++, size >>= 1) {
      const to = { texture, mipLevel, origin: [0, 0, layer] };
      device.queue.writeTexture(to, texels, { bytesPerRow: size * channels }, [size, size]);
      texels = halved(texels, size, channels);
    }
  }
  return texture;
}

/** Returns the direction of a texel of a cube face. */
function directionOf(face, x, y) {
  return [
    [1, -y, -x],
    [-1, -y, x],
    [x, 1, y],
    [x, -1, -y],
    [x, -y, 1],
    [-x, -y, -1],
  ][face];
}

/**
 * Creates a cube map of half floats. `lightOf(direction, roughness)` returns three numbers, with roughness 0…1 by mip
 * level. The smallest level has several texels per side, because implementations filter differently over edges of faces
 * with one texel.
 */
export function cubeOf(device, side, mipLevelCount, lightOf) {
  const texture = device.createTexture({
    size: [side, side, 6],
    mipLevelCount,
    format: 'rgba16float',
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST,
    textureBindingViewDimension: 'cube', // required by compatibility mode
  });
  for (let mipLevel = 0, size = side; mipLevel < mipLevelCount; mipLevel++, size >>= 1) {
    const texels = new Uint16Array(size * size * 4 * 6);
    for (let face = 0; face < 6; face++)
      for (let y = 0; y < size; y++)
        for (let x = 0; x < size; x++) {
          const d = directionOf(face, ((x + 0.5) / size) * 2 - 1, ((y + 0.5) / size) * 2 - 1);
          const length = Math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
          const light = lightOf(
            d.map((k) => k / length),
            mipLevel / (mipLevelCount - 1)
          );
          texels.set([...light.map(half), half(1)], ((face * size + y) * size + x) * 4);
        }
    device.queue.writeTexture({ texture, mipLevel }, texels, { bytesPerRow: size * 8, rowsPerImage: size }, [
      size,
      size,
      6,
    ]);
  }
  return texture;
}
