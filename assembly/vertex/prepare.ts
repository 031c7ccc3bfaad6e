// Prepares setup for the triangles of a draw call: viewport, pixel rectangle, samples, varyings, culling and depth
// bias.
import {
  CULL_FRONT,
  CULL_NONE,
  Draw,
  DRAW_FLAG_UNCLIPPED_DEPTH,
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH24PLUS,
  FORMAT_DEPTH24PLUS_STENCIL8,
  Geometry,
  GUARD_BAND,
  LAYER_MASK,
  LAYER_SHIFT,
  LayerPositions,
  OUTCODE_FAR,
  OUTCODE_NEAR,
  Packet,
  Pass,
  REGISTER_BYTES,
  Setup,
  sizeOf,
  VARYING_MASKS_BYTES,
  VECTOR_BYTES,
  VECTOR_PAD,
} from '../layout';
import { tinyPixels } from '../raster/setup-four';
import { firstSample, lastSample, layersOf, samplesOfLayer, sampleX, sampleY } from '../simd/positions';
import { cornersOf } from './strip';

function setViewport(setup: Setup, draw: Draw): void {
  const x = draw.viewport.x;
  const y = draw.viewport.y;
  const width = draw.viewport.width;
  const height = draw.viewport.height;
  const nearest = draw.viewport.minDepth;
  const farthest = draw.viewport.maxDepth;
  setup.scaleX = width * 128;
  setup.offsetX = (x + width * 0.5) * 256;
  // y points down in screen space.
  setup.scaleY = height * -128;
  setup.offsetY = (y + height * 0.5) * 256;
  setup.scaleZ = farthest - nearest;
  setup.offsetZ = nearest;
  // The guard band in units of half a viewport. An empty viewport keeps no triangle.
  setup.guardX = width > 0 ? (<f32>GUARD_BAND - abs<f32>(x + width * 0.5)) / (width * 0.5) : 1;
  setup.guardY = height > 0 ? (<f32>GUARD_BAND - abs<f32>(y + height * 0.5)) / (height * 0.5) : 1;
}

// Pixels that may be drawn: scissor ∩ pass ∩ viewport. This replaces clipping at the viewport's four sides.
function setRectangle(setup: Setup, pass: Pass, draw: Draw): void {
  const x = draw.viewport.x;
  const y = draw.viewport.y;
  const right = <i32>ceil<f32>(x + draw.viewport.width);
  const bottom = <i32>ceil<f32>(y + draw.viewport.height);
  setup.minX = max<i32>(0, max<i32>(draw.scissor.minX, <i32>floor<f32>(x)));
  setup.minY = max<i32>(0, max<i32>(draw.scissor.minY, <i32>floor<f32>(y)));
  setup.maxX = min<i32>(pass.width, min<i32>(draw.scissor.maxX, right));
  setup.maxY = min<i32>(pass.height, min<i32>(draw.scissor.maxY, bottom));
}

function setSamples(setup: Setup, samples: i32): void {
  // Unchanged since the previous draw call.
  if (setup.samples == samples) return;
  setup.samples = samples;
  setup.sampleFirst = firstSample(samples) << 4;
  setup.sampleLast = lastSample(samples) << 4;
  setup.sampleUp = 255 - (lastSample(samples) << 4);
  setup.tiny = tinyPixels(samples);
  for (let sample = 0; sample < layersOf(samples) * samplesOfLayer(samples); sample++) {
    const at = changetype<LayerPositions>(
      changetype<usize>(setup.layer(sample >> LAYER_SHIFT)) + ((sample & LAYER_MASK) << alignof<i32>())
    );
    store<i32>(changetype<usize>(at), sampleX(samples, sample) << 4);
    store<i32>(at.y, sampleY(samples, sample) << 4);
  }
}

// Depth per unit of constant bias: the smallest step of a normalised format. For float formats 0, which means that it
// depends on the exponent.
function biasUnit(format: i32): f32 {
  if (format == FORMAT_DEPTH16UNORM) return 1.0 / 65535.0;
  return format == FORMAT_DEPTH24PLUS || format == FORMAT_DEPTH24PLUS_STENCIL8 ? 1.0 / 16777215.0 : 0;
}

// Sets the counts and lane masks of the varyings.
function setVaryings(geometry: Geometry, setup: Setup, draw: Draw): void {
  const count = draw.varyingCount;
  const perspective = count ? draw.varyings.linearFirst : 0;
  const flatFirst = count ? draw.flatFirst : 0;
  const fours = (count + 3) >> 2;
  setup.groups = fours;
  setup.stride = (sizeOf<Packet>() + (count << alignof<f32>()) + VECTOR_PAD) & ~VECTOR_PAD;
  setup.varyingBytes = setup.stride - sizeOf<Packet>();
  setup.perspectiveCount = perspective;
  setup.flatFirst = flatFirst;
  // A packet may have room for two more varyings.
  for (let i = 0; i < (fours << 2) + 2; i++) store<usize>(geometry.sources + (i << alignof<usize>()), geometry.zeros);
  for (let i = 0; i < fours << 2; i++) {
    const mask = setup.masks + ((i >> 2) * VARYING_MASKS_BYTES + (i & 3) * sizeof<i32>());
    store<i32>(mask, i < perspective ? -1 : 0);
    store<i32>(mask, i >= flatFirst ? -1 : 0, VECTOR_BYTES);
  }
}

/** Sets the addresses of the registers in which the draw call's vertex shader leaves its varyings. */
export function setRegisterSources(geometry: Geometry, draw: Draw): void {
  const sources = draw.varyingSources;
  for (let i = 0; i < draw.varyingCount; i++) {
    const source = load<i32>(sources + (i << alignof<i32>()));
    const register = source < 0 ? geometry.zeros : geometry.registers + source * REGISTER_BYTES;
    store<usize>(geometry.sources + (i << alignof<usize>()), register);
  }
}

/** Switches to a draw that differs from the previous one only in its viewport. */
export function changeViewport(geometry: Geometry, draw: Draw): void {
  const setup = geometry.setup;
  setup.draw = draw;
  setViewport(setup, draw);
  setRectangle(setup, geometry.pass, draw);
}

/** Prepares setup for a draw call's triangles. The caller must also set the sources of the varyings. */
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
  setup.numberPlane = draw.numbered ? (draw.numbered - 1) << 2 : -1;
  setup.outcodes = unclipped ? ~(OUTCODE_NEAR | OUTCODE_FAR) : -1;
  setup.biasUnit = biasUnit(pass.depth.format);
  setup.biased = corners == 3 && (draw.depthBias != 0 || draw.depthBiasSlope != 0) ? 1 : 0;
  geometry.setupCorners = corners;
}
