// Shaders of examples/shading/hybrid-scene.mjs.
import { BALLS, CENTRE, HALF } from './hybrid-mesh.mjs';

/** Sides of the shadow map and of the height map in texels. */
export const SHADOWS = 1024;
export const HEIGHTS = 256;
const SUN = [0.4, 0.62, -0.675];

/** WGSL that all shaders share. */
export const COMMON = (aspect) => `
const sun = vec3f(${SUN});
const eye = vec3f(0, 3.1, 7.2);
const ahead = vec3f(0, -0.4, -0.9165);
const above = vec3f(0, 0.9165, -0.4);
// Looking along the sun's light, which the square of the maps is seen by from above, slanted.
fn lightOf(p: vec3f) -> vec3f {
  let flat_ = p.xz - p.y * sun.xz / sun.y - vec2f(${CENTRE});
  return vec3f(flat_ / ${HALF}, 0.8 - p.y * 0.2);
}
fn seenFrom(p: vec3f) -> vec4f {
  let v = p - eye;
  let away = dot(v, ahead);
  return vec4f(v.x / ${0.4 * aspect}, dot(v, above) / 0.4, (away - 1) * 40.0 / 39, away);
}`;
export const CASTER = `
@vertex fn caster(@location(0) p: vec3f) -> @builtin(position) vec4f { return vec4f(lightOf(p), 1); }`;

/** `sampling`: interpolation sampling of all varyings; `more`: additional position and normal at each sample. */
export const seen = (sampling, more) => `
struct Seen {
  @builtin(position) position: vec4f,
  @location(0) @interpolate(perspective, ${sampling}) p: vec3f,
  @location(1) @interpolate(perspective, ${sampling}) n: vec3f,
  @location(2) @interpolate(perspective, ${sampling}) color: vec3f,
  ${
    more
      ? `@location(3) @interpolate(perspective, sample) p_own: vec3f,
  @location(4) @interpolate(perspective, sample) n_own: vec3f,`
      : ''
  }
}
@vertex fn vertex(@location(0) p: vec3f, @location(1) n: vec3f, @location(2) color: vec3f) -> Seen {
  return Seen(seenFrom(p), p, n, color${more ? ', p, n' : ''});
}`;

/** The parts of the lighting, in the order of the stages. */
export const LIGHT = `
@group(0) @binding(0) var shadows: texture_depth_2d;
@group(0) @binding(1) var compare: sampler_comparison;
@group(0) @binding(2) var heights: texture_2d<f32>;
@group(0) @binding(3) var<uniform> balls: array<vec4f, ${BALLS.length}>;
@group(0) @binding(4) var<uniform> tick: f32;

fn placeOf(light: vec3f) -> vec2f { return light.xy * vec2f(0.5, -0.5) + 0.5; }
// The share of 16 places around that the sun reaches.
fn shadowAt(p: vec3f, n: vec3f) -> f32 {
  let light = lightOf(p + n * 0.04);
  let uv = placeOf(light);
  var sum = 0.0;
  for (var y = -1.5; y < 2; y += 1) { for (var x = -1.5; x < 2; x += 1) {
    sum += textureSampleCompareLevel(shadows, compare, uv + vec2f(x, y) * ${1.5 / SHADOWS}, light.z - 0.002);
  } }
  return sum / 16;
}
// What of the sky is hidden: by balls, each as large as it looks, and by dunes that rise around.
fn occlusionAt(p: vec3f, n: vec3f) -> f32 {
  var open = 1.0;
  for (var i = 0; i < ${BALLS.length}; i++) {
    let way = balls[i].xyz - p;
    let square = dot(way, way);
    let share = balls[i].w * balls[i].w / max(square, 0.001);
    // Points of the ball itself see nothing of it.
    open *= 1 - 0.8 * max(dot(n, way) * inverseSqrt(square), 0) * min(share, 1)
      * f32(square > balls[i].w * balls[i].w * 1.01);
  }
  let middle = (p.xz - vec2f(${CENTRE})) * ${HEIGHTS / 2 / HALF} + ${HEIGHTS / 2};
  // Two rings of eight places each, 4 and 10 texels away.
  var hidden = 0.0;
  for (var k = 0; k < 16; k++) {
    let way = array(vec2f(1, 0), vec2f(0.7), vec2f(0, 1), vec2f(-0.7, 0.7))[k & 3] * select(1.0, -1.0, (k & 4) != 0);
    let away = select(4.0, 10.0, k > 7);
    let high = textureLoad(heights, vec2i(middle + way * away), 0).x;
    hidden += clamp((high - p.y) * ${HEIGHTS / 2 / HALF} / away, 0, 1);
  }
  return open * (1 - hidden / 16);
}
// Light that has come through the wax: the less, the more of it lies between here and where the sun enters.
fn subsurfaceAt(p: vec3f, n: vec3f, color: vec3f) -> vec3f {
  let light = lightOf(p - n * 0.05);
  let at = placeOf(light) * ${SHADOWS};
  var thickness = 0.0;
  for (var k = 0; k < 16; k++) {
    let near = textureLoad(shadows, vec2i(at + vec2f(f32(k & 3), f32(k >> 2)) * 4 - 6), 0);
    thickness += max(light.z - near, 0) * 0.3125;
  }
  let through = exp(-6 * thickness) * (0.35 + 0.3 * max(-dot(n, sun), 0));
  return color * color * through;
}
fn diffuseAt(p: vec3f, n: vec3f, color: vec3f, lit: f32, open: f32, through: vec3f) -> vec3f {
  let sky = mix(vec3f(0.22, 0.18, 0.15), vec3f(0.3, 0.38, 0.5), n.y * 0.5 + 0.5) * open;
  let light = color * (sky + vec3f(1.5, 1.35, 1.1) * max(dot(n, sun), 0) * lit) + through;
  return mix(light, vec3f(0.62, 0.66, 0.72), fogAt(p));
}
fn fogAt(p: vec3f) -> f32 { return smoothstep(11, 26, length(p - eye) + tick); }
// Halfway between the sun and the eye, and how much of the sun is mirrored.
fn halfwayAt(p: vec3f, lit: f32) -> vec4f {
  return vec4f(normalize(sun + normalize(eye - p)), 2.2 * lit * (1 - fogAt(p)));
}
// Of fine ripples, by the slope of \`wave\` along two directions; balls have them, too.
fn specularAt(p: vec3f, n: vec3f, halfway: vec4f) -> f32 {
  let turns = vec2f(p.x * 8.5 + p.z * 2.7 + p.y, p.z * 6.3 - p.x * 1.9);
  let t = turns - floor(turns) - 0.5;
  let u = abs(t) * 2;
  let slope = sign(t) * u * (1 - u);
  let facing = dot(normalize(n + vec3f(slope.x * 0.9, 0, slope.y * 0.7)), halfway.xyz);
  return halfway.w * pow(max(facing, 0), 160);
}
fn shown(light: vec3f) -> vec4f { return vec4f(sqrt(light / (light + 0.5) * 1.25), 1); }`;

export const WHOLE = `
fn wholeOf(v: Seen) -> vec4f {
  let n = normalize(v.n);
  let lit = shadowAt(v.p, n);
  let open = occlusionAt(v.p, n);
  let through = subsurfaceAt(v.p, n, v.color);
  let light = diffuseAt(v.p, n, v.color, lit, open, through);
  return vec4f(light, specularAt(v.p, v.n, halfwayAt(v.p, lit)));
}
@fragment fn whole(v: Seen) -> @location(0) vec4f {
  let light = wholeOf(v);
  return shown(light.rgb + light.a);
}
// Of the sample alone, for finding out where it matters.
@fragment fn glints(v: Seen) -> @location(0) vec4f { return vec4f(vec3f(wholeOf(v).a), 1); }`;
/** `counts`: also counts how often the last stage runs for each pixel. */
export const STAGES = (width, counts) => `
${counts ? '@group(0) @binding(5) var<storage, read_write> sets: array<atomic<u32>>;' : ''}
@fragment fn shadow(@location(0) p: vec3f, @location(1) n: vec3f) -> @link(0) f32 { return shadowAt(p, normalize(n)); }
@fragment fn occlusion(@location(0) p: vec3f, @location(1) n: vec3f) -> @link(1) f32 {
  return occlusionAt(p, normalize(n));
}
@fragment fn subsurface(@location(0) p: vec3f, @location(1) n: vec3f, @location(2) color: vec3f) -> @link(2) vec3f {
  return subsurfaceAt(p, normalize(n), color);
}
struct Diffuse { @link(3) light: vec3f, @link(4) halfway: vec4f }
@fragment fn diffuse(
  @location(0) p: vec3f, @location(1) n: vec3f, @location(2) color: vec3f,
  @link(0) lit: f32, @link(1) open: f32, @link(2) through: vec3f
) -> Diffuse {
  return Diffuse(diffuseAt(p, normalize(n), color, lit, open, through), halfwayAt(p, lit));
}
@fragment fn specular(
  @builtin(position) position: vec4f, @location(3) @interpolate(perspective, sample) p: vec3f,
  @location(4) @interpolate(perspective, sample) n: vec3f,
  @link(3) light: vec3f, @link(4) halfway: vec4f, @builtin(sample_depth) stored: f32
) -> @location(0) vec4f {
  ${counts ? `atomicAdd(&sets[u32(position.y) * ${width} + u32(position.x)], 1);` : ''}
  if (position.z >= stored) { discard; }
  return shown(light + specularAt(p, n, halfway));
}`;
export const STAGE_LIST = [
  ...['shadow', 'occlusion', 'subsurface', 'diffuse'].map((entryPoint) => ({ entryPoint, rate: 'pixel' })),
  { entryPoint: 'specular', rate: 'sample' },
];

/** WGSL that finds pixels whose sample depths cannot belong to one surface. */
export const EDGES = (samples) => `
@group(0) @binding(0) var depths: texture_depth_multisampled_2d;
@vertex fn all(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}
@fragment fn edge(@builtin(position) p: vec4f) -> @location(0) vec4f {
  var near = 1e9;
  var far = 0.0;
  for (var i = 0; i < ${samples}; i++) {
    let away = 40 / (40 - 39 * textureLoad(depths, vec2u(p.xy), i));
    near = min(near, away);
    far = max(far, away);
  }
  return vec4f(f32(far > near * 1.03));
}`;
