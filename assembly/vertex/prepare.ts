// What setup is told of a draw before triangles of it come: viewport, pixels, samples, varyings, culling, bias.
import {
  CULL_FRONT, CULL_NONE, Draw, DRAW_FLAG_UNCLIPPED_DEPTH, FORMAT_DEPTH16UNORM, FORMAT_DEPTH24PLUS,
  FORMAT_DEPTH24PLUS_STENCIL8, Geometry, GUARD_BAND, LayerPositions, OUTCODE_FAR, OUTCODE_NEAR, Packet, Pass,
  REGISTER_BYTES, Setup, sizeOf,
} from '../layout';
import { tinyPixels } from '../raster/setup-four';
import { firstSample, lastSample, layersOf, samplesOfLayer, sampleX, sampleY } from '../simd/positions';
import { cornersOf } from './strip';

function setViewport(setup: Setup, draw: Draw): void {
  const x = load<f32>(draw.viewport);
  const y = load<f32>(draw.viewport + 4);
  const width = load<f32>(draw.viewport + 8);
  const height = load<f32>(draw.viewport + 12);
  const nearest = load<f32>(draw.viewport + 16);
  const farthest = load<f32>(draw.viewport + 20);
  setup.scaleX = width * 128;
  setup.offsetX = (x + width * 0.5) * 256;
  // The screen's y goes down.
  setup.scaleY = height * -128;
  setup.offsetY = (y + height * 0.5) * 256;
  setup.scaleZ = farthest - nearest;
  setup.offsetZ = nearest;
  // The band in units of half a viewport; a viewport of no size leaves no triangle.
  setup.guardX = width > 0 ? (<f32>GUARD_BAND - abs<f32>(x + width * 0.5)) / (width * 0.5) : 1;
  setup.guardY = height > 0 ? (<f32>GUARD_BAND - abs<f32>(y + height * 0.5)) / (height * 0.5) : 1;
}

// Pixels that may be drawn: scissor ∩ pass ∩ viewport, which stands for clipping at its four sides.
function setRectangle(setup: Setup, pass: Pass, draw: Draw): void {
  const x = load<f32>(draw.viewport);
  const y = load<f32>(draw.viewport + 4);
  const right = <i32>ceil<f32>(x + load<f32>(draw.viewport + 8));
  const bottom = <i32>ceil<f32>(y + load<f32>(draw.viewport + 12));
  setup.minX = max<i32>(0, max<i32>(load<i32>(draw.scissor), <i32>floor<f32>(x)));
  setup.minY = max<i32>(0, max<i32>(load<i32>(draw.scissor + 4), <i32>floor<f32>(y)));
  setup.maxX = min<i32>(pass.width, min<i32>(load<i32>(draw.scissor + 8), right));
  setup.maxY = min<i32>(pass.height, min<i32>(load<i32>(draw.scissor + 12), bottom));
}

function setSamples(setup: Setup, samples: i32): void {
  // As the draw before.
  if (setup.samples == samples) return;
  setup.samples = samples;
  setup.sampleFirst = firstSample(samples) << 4;
  setup.sampleLast = lastSample(samples) << 4;
  setup.sampleUp = 255 - (lastSample(samples) << 4);
  setup.tiny = tinyPixels(samples);
  for (let sample = 0; sample < layersOf(samples) * samplesOfLayer(samples); sample++) {
    const at = changetype<LayerPositions>(changetype<usize>(setup.layer(sample >> 2)) + ((sample & 3) << 2));
    store<i32>(changetype<usize>(at), sampleX(samples, sample) << 4);
    store<i32>(at.y, sampleY(samples, sample) << 4);
  }
}

// Depth per unit of constant bias: the smallest step of normalised formats, 0 for "by the exponent" (float).
function biasUnit(format: i32): f32 {
  if (format == FORMAT_DEPTH16UNORM) return 1.0 / 65535.0;
  return format == FORMAT_DEPTH24PLUS || format == FORMAT_DEPTH24PLUS_STENCIL8 ? 1.0 / 16777215.0 : 0;
}

// Counts and lane masks of the varyings.
function setVaryings(geometry: Geometry, setup: Setup, draw: Draw): void {
  const count = draw.varyingCount;
  const perspective = count ? draw.varyings.linearFirst : 0;
  const flatFirst = count ? draw.flatFirst : 0;
  const fours = (count + 3) >> 2;
  setup.groups = fours;
  setup.stride = (sizeOf<Packet>() + (count << 2) + 15) & ~15;
  setup.varyingBytes = setup.stride - sizeOf<Packet>();
  setup.perspectiveCount = perspective;
  setup.flatFirst = flatFirst;
  // A packet may have room for two more.
  for (let i = 0; i < (fours << 2) + 2; i++) store<u32>(geometry.sources + (i << 2), geometry.zeros);
  for (let i = 0; i < fours << 2; i++) {
    const mask = setup.masks + ((i >> 2) * 32 + (i & 3) * 4);
    store<i32>(mask, i < perspective ? -1 : 0);
    store<i32>(mask, i >= flatFirst ? -1 : 0, 16);
  }
}

/** Where the draw's vertex program leaves its varyings. */
export function setRegisterSources(geometry: Geometry, draw: Draw): void {
  const sources = draw.varyingSources;
  for (let i = 0; i < draw.varyingCount; i++) {
    const source = load<i32>(sources + (i << 2));
    const register = source < 0 ? geometry.zeros : geometry.registers + source * REGISTER_BYTES;
    store<u32>(geometry.sources + (i << 2), register);
  }
}

/** From now on triangles are those of a draw that differs from the one before in its viewport alone. */
export function changeViewport(geometry: Geometry, draw: Draw): void {
  const setup = geometry.setup;
  setup.draw = draw;
  setViewport(setup, draw);
  setRectangle(setup, geometry.pass, draw);
}

/** From now on triangles are the draw's. Where their varyings come from is to be said. */
export function prepareSetup(geometry: Geometry, draw: Draw): void {
  const setup = geometry.setup;
  const pass = geometry.pass;
  changeViewport(geometry, draw);
  setSamples(setup, pass.samples);
  setVaryings(geometry, setup, draw);
  const corners = cornersOf(draw.setupTopology);
  const cull = draw.cull;
  const clockwiseIsFront = draw.frontCw != 0;
  const cullClockwise = (cull == CULL_FRONT) == clockwiseIsFront;
  setup.cullFlip = cullClockwise ? 15 : 0;
  setup.cullMask = cull == CULL_NONE || corners < 3 ? 0 : 15;
  const unclipped = draw.flags & DRAW_FLAG_UNCLIPPED_DEPTH;
  setup.distanceCount = draw.distanceCount;
  setup.distances = geometry.distances;
  setup.numberPlane = draw.numbered ? draw.numbered - 1 << 2 : -1;
  setup.outcodes = unclipped ? ~(OUTCODE_NEAR | OUTCODE_FAR) : -1;
  setup.biasUnit = biasUnit(pass.depth.format);
  setup.biased = corners == 3 && (draw.depthBias != 0 || draw.depthBiasSlope != 0) ? 1 : 0;
  geometry.setupCorners = corners;
}
