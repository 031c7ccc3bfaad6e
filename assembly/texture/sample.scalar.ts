// Texture sampling for a warp, one lane at a time. Twin of sample.ts.
import { Access } from '../layout';
import { classOf, isBlueFirst } from './texels/classes';
import { channelOf, sampleEllipseLane } from './ellipse.scalar';
import { hasEllipse } from './footprints';
import { needsLod, quadLods } from './level';
import { samplePixel } from './pixel.scalar';

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
  const isEllipse = hasEllipse(access);
  const mean = access.quadRead.sums;
  for (let quad: usize = 0; quad < end; quad += 16) {
    if (derive) quadLods(access, quad, lods);
    for (let lane: usize = 0; lane < 16; lane += 4) {
      if (isEllipse) sampleEllipseLane(access, quad + lane, textureClass, mean);
      else samplePixel(access, quad + lane, textureClass, load<f32>(lods + lane), pixel);
      for (let c = 0; c < 4; c++) {
        const result = load<u32>(access.result + (c << 2));
        const from = c & 1 ? c : c ^ swap;
        if (!result) continue;
        const value = isEllipse ? load<f32>(mean + (from << 2)) : channelOf(textureClass, pixel, from);
        store<f32>(result + quad + lane, value);
      }
    }
  }
}
