// Elliptical footprints of single lanes. Twin of ellipse.ts.
import { Access, DIMENSION_CUBE } from '../layout';
import { BYTE_SCALE, channelsOf, CLASS_BYTES1 } from './texels/classes';
import { cubeFace, faceMajor, faceS, faceT } from './addresses/cube';
import { RATIO_SLACK } from './footprints';
import { boundedLod, gradient, halfLog2, quotient } from './level';
import { samplePixel } from './pixel.scalar';

/** Channel c of a finished pixel. */
export function channelOf(textureClass: i32, pixel: usize, c: i32): f32 {
  const word = load<f32>(pixel + (c << 2));
  if (textureClass > CLASS_BYTES1) return word;
  return c < channelsOf(textureClass) ? word * BYTE_SCALE : c == 3 ? 1 : 0;
}

// Gradients of a lane's face coordinates, in texels of the first level: that of s to `to`, that of t 16 bytes later.
function cubeSteps(access: Access, lane: usize, inY: bool, to: usize): void {
  const x = load<f32>(access.u + lane);
  const y = load<f32>(access.v + lane);
  const z = load<f32>(access.w + lane);
  const face = cubeFace(x, y, z);
  const major = faceMajor(face, x, y, z);
  const scale = (<f32>access.texture.width * <f32>0.5) / (major * major);
  const dx = gradient(access, 0, lane, inY);
  const dy = gradient(access, 4, lane, inY);
  const dz = gradient(access, 8, lane, inY);
  const dm = faceMajor(face, dx, dy, dz);
  store<f32>(to, quotient(faceS(face, dx, dy, dz), major, faceS(face, x, y, z), dm) * scale);
  store<f32>(to, quotient(faceT(face, dx, dy, dz), major, faceT(face, x, y, z), dm) * scale, 16);
}

// Converts the axis on the face, in texels, to a change of the direction vector.
function turnAxis(access: Access, lane: usize): void {
  const read = access.quadRead;
  const x = load<f32>(access.u + lane);
  const y = load<f32>(access.v + lane);
  const z = load<f32>(access.w + lane);
  const face = cubeFace(x, y, z);
  const texel = faceMajor(face, x, y, z) / (<f32>access.texture.width * <f32>0.5);
  const s = load<f32>(read.axisU) * texel;
  const t = load<f32>(read.axisV) * texel;
  store<f32>(read.axisU, face < 2 ? 0 : face == 5 ? -s : s);
  store<f32>(read.axisV, face == 2 || face == 3 ? 0 : -t);
  store<f32>(read.axisW, face == 0 ? -s : face == 1 ? s : face == 2 ? t : face == 3 ? -t : 0);
}

/** Samples a lane to four finished words at `out`. */
export function sampleEllipseLane(access: Access, lane: usize, textureClass: i32, out: usize): void {
  const width = <f32>access.texture.width;
  const height = <f32>access.texture.height;
  const read = access.quadRead;
  const isCube = access.texture.dimension >= DIMENSION_CUBE;
  for (let inY = 0; inY < 2; inY++) {
    const to = inY ? read.axisU : read.probeU;
    if (isCube) cubeSteps(access, lane, inY == 1, to);
    else {
      store<f32>(to, gradient(access, 0, lane, inY == 1) * width);
      store<f32>(to, gradient(access, 4, lane, inY == 1) * height, 16);
    }
  }
  const xu = load<f32>(read.probeU);
  const xv = load<f32>(read.probeV);
  const yu = load<f32>(read.axisU);
  const yv = load<f32>(read.axisV);
  const p = xu * xu + yu * yu;
  const q = xu * xv + yu * yv;
  const r = xv * xv + yv * yv;
  const middle = (p + r) * <f32>0.5;
  const half = (p - r) * <f32>0.5;
  const root = sqrt<f32>(half * half + q * q);
  const major = middle + root;
  const rest = middle - root;
  const minor: f32 = 0 < rest ? rest : 0;
  const length = sqrt<f32>(major);
  const ratio = ceil<f32>(sqrt<f32>(major / minor) - RATIO_SLACK);
  const texels = ceil<f32>(length - RATIO_SLACK);
  const fewer = texels < ratio ? texels : ratio;
  const allowed = access.sampler.anisotropy;
  const most = allowed < fewer ? allowed : fewer;
  const several = most > 1 && major < Infinity;
  const probes: f32 = several ? most : 1;
  const wide = p >= r;
  const eu = wide ? major - r : q;
  const ev = wide ? q : major - p;
  const unit = sqrt<f32>(eu * eu + ev * ev);
  const scale: f32 = unit > 0 ? length / unit : 0;
  const lod = boundedLod(access, lane, halfLog2(major / (probes * probes)));
  const alongU = eu * scale;
  const alongV = ev * scale;
  store<f32>(read.axisU, several ? (isCube ? alongU : alongU / width) : 0);
  store<f32>(read.axisV, several ? (isCube ? alongV : alongV / height) : 0);
  if (isCube && several) turnAxis(access, lane);
  else store<f32>(read.axisW, 0);
  const u = access.u;
  const v = access.v;
  const w = access.w;
  const pixel = access.pixels;
  const axisU = load<f32>(read.axisU);
  const axisV = load<f32>(read.axisV);
  memory.fill(out, 0, 16);
  for (let i: f32 = 0; i < probes; i++) {
    const along = (i + <f32>0.5) / probes - <f32>0.5;
    store<f32>(read.probeU, load<f32>(u + lane) + axisU * along);
    store<f32>(read.probeV, load<f32>(v + lane) + axisV * along);
    access.u = read.probeU - lane;
    access.v = read.probeV - lane;
    if (isCube) {
      store<f32>(read.probeW, load<f32>(w + lane) + load<f32>(read.axisW) * along);
      access.w = read.probeW - lane;
    }
    samplePixel(access, lane, textureClass, lod, pixel);
    access.u = u;
    access.v = v;
    access.w = w;
    for (let c = 0; c < 4; c++) {
      const at = out + (c << 2);
      store<f32>(at, load<f32>(at) + channelOf(textureClass, pixel, c));
    }
  }
  for (let at = out; at < out + 16; at += 4) store<f32>(at, load<f32>(at) / probes);
}
