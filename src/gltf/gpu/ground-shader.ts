// WGSL of the ground: how much of the sky the model hides from each place of a plane.

/** Width of the ground's textures in texels. */
export const GROUND_SIZE = 192;
/** Directions in which a texel looks for the sky; 4 × 4 neighbours look in different ones. */
const RAYS = 16;
export const GROUND_WAYS = RAYS * 16;
/** Parts of a ray, which are longer farther away. */
const STEPS = 12;
/** Alpha of a place from which no sky is seen. */
const DARKEST = 0.8;

/** Two triangles' worth of a picture in one. */
const WHOLE = `
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(vec2f(vec2u(i & 1, i >> 1) * 4) - 1, 0, 1);
}`;

/**
 * The model is taken as solid between what is seen of it from below and from above. Heights are shares of the model's
 * height.
 */
export const OCCLUSION = `${WHOLE}
struct Heights {
  range: vec4f, // height of depth 0 and 1, from below
  // Texels that a ray goes per height; height at which it leaves the map.
  ways: array<vec4f, ${GROUND_WAYS}>,
}
@group(0) @binding(0) var<uniform> heights: Heights;
@group(0) @binding(1) var maps: texture_depth_2d_array;
@fragment fn fs(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let away = length(position.xy / ${GROUND_SIZE / 2} - 1);
  if (away >= 1) { return vec4f(0); }
  // Neighbours in a square of 4 × 4 texels have numbers that are far apart.
  let x = u32(position.x);
  let y = u32(position.y);
  let mixed = x ^ y;
  let number = ((mixed & 1) << 3) | ((y & 1) << 2) | (mixed & 2) | ((y & 2) >> 1);
  let shift = (f32(number) + 0.5) / 16;
  var hidden = 0.0;
  for (var i = 0u; i < ${RAYS}; i++) {
    let way = heights.ways[i * 16 + number];
    var low = 0.0;
    for (var k = 1u; k <= ${STEPS}; k++) {
      let share = f32(k) / ${STEPS};
      let high = way.z * share * share;
      let at = vec2i(floor(position.xy + way.xy * mix(low, high, shift)));
      if (any(at < vec2i(0)) || any(at >= vec2i(${GROUND_SIZE}))) { break; }
      let bottom = mix(heights.range.x, heights.range.y, textureLoad(maps, at, 0, 0));
      if (bottom <= high) {
        let top = 1 - mix(heights.range.x, heights.range.y, textureLoad(maps, at, 1, 0));
        if (top >= low) {
          hidden += 1;
          break;
        }
      }
      low = high;
    }
  }
  return vec4f(hidden / ${RAYS});
}`;

/** Averages 4 × 4 texels, so that all directions count alike, and fades to the border. It is applied twice. */
export const SMOOTHING = `${WHOLE}
@group(0) @binding(0) var rough: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;
@fragment fn fs(@builtin(position) position: vec4f) -> @location(0) vec4f {
  // Between a texel of weight 1 and one of weight 1/2.
  let step = vec2f(${4 / 3 / GROUND_SIZE}, 0);
  let middle = position.xy / ${GROUND_SIZE};
  var sum = textureSampleLevel(rough, linear, middle, 0).r;
  sum += 1.5 * (textureSampleLevel(rough, linear, middle + step.xy, 0).r
    + textureSampleLevel(rough, linear, middle - step.xy, 0).r
    + textureSampleLevel(rough, linear, middle + step.yx, 0).r
    + textureSampleLevel(rough, linear, middle - step.yx, 0).r);
  sum += 2.25 * (textureSampleLevel(rough, linear, middle + step.xx, 0).r
    + textureSampleLevel(rough, linear, middle - step.xx, 0).r
    + textureSampleLevel(rough, linear, middle + vec2f(step.x, -step.x), 0).r
    + textureSampleLevel(rough, linear, middle - vec2f(step.x, -step.x), 0).r);
  let away = length(position.xy / ${GROUND_SIZE / 2} - 1);
  return vec4f(sum / 16 * (1 - smoothstep(0.55, 1.0, away)));
}`;

/** The plane in a picture: black, covering as much as is hidden from it. */
export const PLANE = `
struct Plane {
  clip: mat4x4f,
  place: vec4f, // middle; half the width
}
@group(0) @binding(0) var<uniform> plane: Plane;
@group(0) @binding(1) var occlusion: texture_2d<f32>;
@group(0) @binding(2) var linear: sampler;
struct Corner { @builtin(position) position: vec4f, @location(0) at: vec2f }
@vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
  let at = vec2f(vec2u(i & 1, i >> 1));
  let corner = plane.place.xyz + vec3f(at.x * 2 - 1, 0, at.y * 2 - 1) * plane.place.w;
  return Corner(plane.clip * vec4f(corner, 1), at);
}
@fragment fn fs(in: Corner) -> @location(0) vec4f {
  let alpha = textureSample(occlusion, linear, in.at).r * ${DARKEST};
  if (alpha < 0.002) { discard; }
  return vec4f(0, 0, 0, alpha);
}`;
