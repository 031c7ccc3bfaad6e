// Footprints of single lanes, and their probes. Twin of ellipse.ts.
import { Access } from '../layout';
import { BYTE_SCALE, channelsOf, CLASS_BYTES1 } from './classes';
import { RATIO_SLACK } from './footprints';
import { boundedLod, gradient, halfLog2 } from './level';
import { samplePixel } from './pixel.scalar';

/** Channel c of a finished pixel. */
export function channelOf(textureClass: i32, pixel: usize, c: i32): f32 {
  const word = load<f32>(pixel + (c << 2));
  if (textureClass > CLASS_BYTES1) return word;
  return c < channelsOf(textureClass) ? word * BYTE_SCALE : c == 3 ? 1 : 0;
}

/** Samples a lane to four words at `out`, finished. */
export function sampleEllipseLane(access: Access, lane: usize, textureClass: i32, out: usize): void {
  const width = <f32>access.texture.width, height = <f32>access.texture.height;
  const xu = gradient(access, 0, lane, false) * width, xv = gradient(access, 4, lane, false) * height;
  const yu = gradient(access, 0, lane, true) * width, yv = gradient(access, 4, lane, true) * height;
  const p = xu * xu + yu * yu, q = xu * xv + yu * yv, r = xv * xv + yv * yv;
  const middle = (p + r) * <f32>0.5, half = (p - r) * <f32>0.5, root = sqrt<f32>(half * half + q * q);
  const major = middle + root, rest = middle - root, minor: f32 = 0 < rest ? rest : 0, length = sqrt<f32>(major);
  const ratio = ceil<f32>(sqrt<f32>(major / minor) - RATIO_SLACK), texels = ceil<f32>(length - RATIO_SLACK);
  const fewer = texels < ratio ? texels : ratio, allowed = access.sampler.anisotropy;
  const most = allowed < fewer ? allowed : fewer, several = most > 1 && major < Infinity, probes: f32 = several ? most
    : 1;
  const wide = p >= r, eu = wide ? major - r : q, ev = wide ? q : major - p;
  const unit = sqrt<f32>(eu * eu + ev * ev), scale: f32 = unit > 0 ? length / unit : 0;
  const lod = boundedLod(access, lane, halfLog2(major / (probes * probes)));
  const read = access.quadRead, u = access.u, v = access.v, axisU: f32 = several ? eu * scale / width : 0;
  const axisV: f32 = several ? ev * scale / height : 0;
  const pixel = access.pixels;
  memory.fill(out, 0, 16);
  for (let i: f32 = 0; i < probes; i++) {
    const along = (i + <f32>0.5) / probes - <f32>0.5;
    store<f32>(read.probeU, load<f32>(u + lane) + axisU * along);
    store<f32>(read.probeV, load<f32>(v + lane) + axisV * along);
    access.u = read.probeU - lane;
    access.v = read.probeV - lane;
    samplePixel(access, lane, textureClass, lod, pixel);
    access.u = u;
    access.v = v;
    for (let c = 0; c < 4; c++) {
      const at = out + (c << 2);
      store<f32>(at, load<f32>(at) + channelOf(textureClass, pixel, c));
    }
  }
  for (let at = out; at < out + 16; at += 4) store<f32>(at, load<f32>(at) / probes);
}
