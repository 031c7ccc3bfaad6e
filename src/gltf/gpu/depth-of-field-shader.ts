// WGSL of the depth of field effect, which turns a sharp picture and its depths into a picture taken with a lens.

/**
 * Common part of all shaders of the effect. The uniforms map depth to radii of circles of confusion; `most` is the
 * largest radius.
 */
const COMMON = `
struct Blur { slope: f32, offset: f32, most: f32 }
@group(0) @binding(0) var<uniform> blur: Blur;

@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(vec2f(vec2u(i << 1, i) & vec2u(2)) * 2 - 1, 0, 1);
}`;

/**
 * Writes signed radii, negative in front of the focus. A pixel uses the nearest of its samples' depths. Thus edge
 * pixels belong entirely to the sharp object, and are not smeared over the background.
 */
export const radiusShader = (samples: number): string => `${COMMON}
@group(0) @binding(1) var depths: ${samples > 1 ? 'texture_depth_multisampled_2d' : 'texture_depth_2d'};
@fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4f {
  var depth = 1.0;
  for (var s = 0; s < ${samples}; s++) { depth = min(depth, textureLoad(depths, vec2i(at.xy), s)); }
  return vec4f(clamp(blur.slope * depth + blur.offset, -blur.most, blur.most));
}`;

/** WGSL expression for the side of tileRadiusShader's tiles in pixels: the largest radius rounded up, plus 1. */
const TILE = 'i32(ceil(blur.most)) + 1';

/** For each tile, writes the largest radius of anything in front of the focus. */
export const tileRadiusShader = `${COMMON}
@group(0) @binding(1) var radii: texture_2d<f32>;
@fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let side = ${TILE};
  let size = vec2i(textureDimensions(radii));
  let first = vec2i(at.xy) * side;
  let end = min(first + side, size);
  var nearest = 0.0;
  for (var y = first.y; y < end.y; y++) {
    for (var x = first.x; x < end.x; x++) { nearest = min(nearest, textureLoad(radii, vec2i(x, y), 0).x); }
  }
  return vec4f(-nearest);
}`;

/**
 * Sampling pattern of a disc. Discs up to SIDE pixels read all their pixels. Larger ones read one pixel per square of a
 * grid, at a position that varies over 4 × 4 pixels. A blur of at most SHARP pixels counts as sharp.
 */
const GATHER = `${COMMON}
const SHARP = 0.5;
const SIDE = 6.0;
@group(0) @binding(1) var radii: texture_2d<f32>;
@group(0) @binding(2) var reaches: texture_2d<f32>;

fn radiusAt(p: vec2i) -> f32 { return textureLoad(radii, p, 0).x; }
fn isBefore(radius: f32) -> bool { return radius <= -SHARP; }

/** How far what is before the focus may reach over a pixel. */
fn reachOver(p: vec2i) -> f32 {
  let tile = p / (${TILE});
  let last = vec2i(textureDimensions(reaches)) - 1;
  var reach = max(0.0, -radiusAt(p));
  for (var i = 0; i < 9; i++) {
    reach = max(reach, textureLoad(reaches, clamp(tile + vec2i(i % 3, i / 3) - 1, vec2i(0), last), 0).x);
  }
  return reach;
}

/** Pixels from one read to the next. */
fn stepOf(radius: f32) -> f32 { return max(1.0, radius / SIDE); }
/** Where the pixel reads within each square, −½ … ½. */
fn shiftOf(p: vec2i) -> vec2f {
  let k = (p.x & 3) | ((p.y & 3) << 2);
  return (vec2f(vec2i((k * 5) & 15, (k * 11 + 3) & 15)) + 0.5) / 16 - 0.5;
}
/** The part of a pixel, so far from the middle, that a disc covers. */
fn covered(radius: f32, distance: f32) -> f32 { return saturate(radius - distance + 0.5); }
fn areaOf(radius: f32) -> f32 { return max(1.0, 3.14159265 * radius * radius); }`;

/**
 * A loop over the reads of a disc around the pixel `p`. The body gets the pixel `q`, its `distance` and its
 * `radius`.
 */
const gatherDisc = (reach: string, body: string): string => `
  let last = vec2i(textureDimensions(radii)) - 1;
  let step = stepOf(${reach});
  let shift = select(vec2f(0), shiftOf(p), step > 1);
  let side = i32(ceil((${reach} + 0.5) / step));
  for (var j = -side; j <= side; j++) {
    for (var i = -side; i <= side; i++) {
      let offset = vec2i(round((vec2f(vec2i(i, j)) + shift) * step));
      let distance = length(vec2f(offset));
      if (distance > ${reach} + 0.5) { continue; }
      let q = clamp(p + offset, vec2i(0), last);
      let radius = radiusAt(q);
      ${body}
    }
  }`;

/**
 * The picture in and beyond the focus: the mean of the discs that cover the pixel. Farther pixels spread over a pixel
 * only as far as the pixel itself is blurred, so that nothing leaks over the edges of sharp objects. For a pixel in
 * front of the focus, it estimates the occluded background by the surrounding one. If everything around is in front of
 * the focus, it uses all of that.
 */
export const backgroundShader = `${GATHER}
@group(0) @binding(3) var picture: texture_2d<f32>;
@fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let p = vec2i(at.xy);
  let own = radiusAt(p);
  let before = isBefore(own);
  let reach = abs(own);
  if (reach < SHARP) { return textureLoad(picture, p, 0); }
  var sum = vec4f(0);
  var weights = 0.0;
  var others = vec4f(0);
  var count = 0.0;
  ${gatherDisc(
    'reach',
    `
      if (isBefore(radius)) {
        if (before) {
          others += textureLoad(picture, q, 0);
          count += 1;
        }
        continue;
      }
      let disc = select(min(abs(radius), reach), reach, before);
      let weight = covered(disc, distance) / areaOf(disc);
      if (weight > 0) {
        sum += weight * textureLoad(picture, q, 0);
        weights += weight;
      }`
  )}
  if (weights > 0) { return sum / weights; }
  return others / count;
}`;

/** The picture in front of the focus, premultiplied by the part of the pixel that it covers. */
export const foregroundShader = `${GATHER}
@group(0) @binding(3) var picture: texture_2d<f32>;
struct Before { @location(0) color: vec4f, @location(1) hidden: vec4f }
@fragment fn fs(@builtin(position) at: vec4f) -> Before {
  let p = vec2i(at.xy);
  let reach = reachOver(p);
  if (reach < SHARP) { return Before(vec4f(0), vec4f(0)); }
  var sum = vec4f(0);
  var hidden = 0.0;
  ${gatherDisc(
    'reach',
    `
      if (!isBefore(radius)) { continue; }
      let share = covered(-radius, distance);
      if (share > 0) {
        let weight = share * step * step / areaOf(-radius);
        sum += weight * textureLoad(picture, q, 0);
        hidden += weight;
      }`
  )}
  let opaque = min(1.0, hidden);
  return Before(sum * (opaque / max(hidden, 1e-6)), vec4f(opaque));
}`;

/**
 * Composites the foreground over the background. Where only some pixels of a disc were read, it averages neighbours,
 * which have read different pixels.
 */
export const compositeShader = `${GATHER}
@group(0) @binding(3) var behind: texture_2d<f32>;
@group(0) @binding(4) var before: texture_2d<f32>;
@group(0) @binding(5) var hidden: texture_2d<f32>;
@fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let p = vec2i(at.xy);
  let own = abs(radiusAt(p));
  let reach = reachOver(p);
  var back = textureLoad(behind, p, 0);
  let last = vec2i(textureDimensions(radii)) - 1;
  if (stepOf(own) > 1) {
    var sum = vec4f(0);
    var count = 0.0;
    for (var i = 0; i < 16; i++) {
      let q = clamp(p + vec2i(i & 3, i >> 2) - 1, vec2i(0), last);
      let alike = f32(abs(radiusAt(q)) > own / 2);
      sum += alike * textureLoad(behind, q, 0);
      count += alike;
    }
    back = sum / count;
  }
  if (reach < SHARP) { return back; }
  if (stepOf(reach) == 1) { return textureLoad(before, p, 0) + (1 - textureLoad(hidden, p, 0).x) * back; }
  var front = vec4f(0);
  var covers = 0.0;
  for (var i = 0; i < 16; i++) {
    let q = clamp(p + vec2i(i & 3, i >> 2) - 1, vec2i(0), last);
    front += textureLoad(before, q, 0) / 16;
    covers += textureLoad(hidden, q, 0).x / 16;
  }
  return front + (1 - covers) * back;
}`;
