// Texture samples of a warp, a lane at a time. Twin of sample.ts.
import { Access } from '../layout';
import { BYTE_SCALE, channelsOf, CLASS_BYTES1, classOf, isBlueFirst } from './classes';
import { needsLod, quadLods } from './level';
import { samplePixel } from './pixel.scalar';

// Channel c of a finished pixel.
function channel(textureClass: i32, pixel: usize, c: i32): f32 {
  const word = load<f32>(pixel + (c << 2));
  if (textureClass > CLASS_BYTES1) return word;
  return c < channelsOf(textureClass) ? word * BYTE_SCALE : c == 3 ? 1 : 0;
}

/** Executes the ACCESS record for all quads of its warp. */
export function sampleWarpScalar(access: Access): void {
  const texture = access.texture;
  const format = texture.format;
  const textureClass = classOf(format);
  const swap = isBlueFirst(format) ? 2 : 0;
  const lods = access.lods;
  const derive = needsLod(texture, access.sampler);
  if (!derive) memory.fill(lods, 0, 16);
  const end = access.quads << 4;
  const pixel = access.pixels;
  for (let quad: usize = 0; quad < end; quad += 16) {
    if (derive) quadLods(access, quad, lods);
    for (let lane: usize = 0; lane < 16; lane += 4) {
      samplePixel(access, quad + lane, textureClass, load<f32>(lods + lane), pixel);
      for (let c = 0; c < 4; c++) {
        const result = load<u32>(access.result + (c << 2));
        if (result) store<f32>(result + quad + lane, channel(textureClass, pixel, c & 1 ? c : c ^ swap));
      }
    }
  }
}
