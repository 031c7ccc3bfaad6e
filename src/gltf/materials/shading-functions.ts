// WGSL functions that the generated lines of lit surfaces call.
export const FIT = `
// The environment's share reflected by f0, and by a white surface: Karis's fit for mobile, 2014.
fn environmentShare(roughness: f32, nv: f32) -> vec2f {
  let fit = roughness * vec4f(-1, -0.0275, -0.572, 0.022) + vec4f(1, 0.0425, 1.04, -0.04);
  let edge = min(fit.x * fit.x, exp2(-9.28 * nv)) * fit.x + fit.y;
  return vec2f(-1.04, 1.04) * edge + fit.zw;
}

// The environment's share reflected by fibres: a fit by exponentials.
fn sheenShare(roughness: f32, nv: f32) -> f32 {
  let r2 = roughness * roughness;
  let isSmooth = roughness < 0.25;
  let a = select(-8.48 * r2 + 14.3 * roughness - 9.95, -339.2 * r2 + 161.4 * roughness - 25.9, isSmooth);
  let b = select(1.97 * r2 - 3.27 * roughness + 0.72, 44 * r2 - 23.7 * roughness + 3.26, isSmooth);
  return clamp(exp(a * nv + b) + select(0.1 * (roughness - 0.25), 0.0, isSmooth), 0.0, 1.0);
}`;

export const LOST = `
// The share of light that a white surface does not reflect at the first bounce: a fit, within 0.05 of the integral.
fn lostLight(roughness: f32, nv: f32) -> f32 {
  let alpha = roughness * roughness;
  let third = alpha * (0.9831 - 2.4445 * nv);
  let second = alpha * (nv * (4.7298 - 0.6084 * nv) - 1.8887 + third);
  return clamp(alpha * (1.0642 - 1.189 * nv + second), 0.0, 0.9);
}`;

export const IMAGE_IRRADIANCE = `
fn imageIrradiance(n: vec3f) -> vec3f {
  let linear = frame.harmonics[0] + frame.harmonics[1] * n.x + frame.harmonics[2] * n.y + frame.harmonics[3] * n.z;
  let products = n.xyzz * n.yzxz;
  let squares = frame.harmonics[4] * products.x + frame.harmonics[5] * products.y + frame.harmonics[6] * products.z
    + frame.harmonics[7] * products.w + frame.harmonics[8] * (n.x * n.x - n.y * n.y);
  return max((linear + squares).rgb, vec3f(0));
}`;

/** Texels by which a comparison may be aside of its point. */
const SHADOW_REACH = 3;

export const SHADOWS = `
// The share of a light that no surface keeps from a point. n is the surface's normal, way leads to the light.
fn lightArriving(lamp: Light, world: vec3f, n: vec3f, way: vec3f) -> f32 {
  if (lamp.cone.z < 0) { return 1; }
  var layer = u32(lamp.cone.z);
  if (lamp.cone.w > 0) {
    let most = abs(way);
    if (most.x >= most.y && most.x >= most.z) { layer += select(0u, 1u, way.x > 0); }
    else if (most.y >= most.z) { layer += select(2u, 3u, way.y > 0); }
    else { layer += select(4u, 5u, way.z > 0); }
  }
  let map = frame.shadows[layer];
  // Along the normal, so far that no texel of the soft edge finds the surface itself in front of the point: on a plane,
  // by the texels to the edge times the sine of the plane's slope.
  let cosine = dot(n, map.axis.xyz);
  let texel = map.texel.x + map.texel.y * abs(dot(way, map.axis.xyz));
  let aside = texel * (0.25 + ${SHADOW_REACH} * sqrt(max(1 - cosine * cosine, 0.0)));
  let clip = map.clip * vec4f(world + n * aside, 1);
  let at = clip.xyz / clip.w;
  if (clip.w <= 0 || any(at.xy < vec2f(0)) || any(at.xy > vec2f(1)) || at.z > 1) { return 1; }
  // Nine comparisons of four texels each weight 5 × 5 texels by a tent.
  let size = map.axis.w;
  let place = at.xy * size;
  let middle = floor(place + 0.5);
  let s = place + 0.5 - middle;
  let w0 = 4 - 3 * s;
  let w2 = 1 + 3 * s;
  let a = (middle - 0.5 + (3 - 2 * s) / w0 - 2) / size;
  let b = (middle - 0.5 + (3 + s) / 7) / size;
  let c = (middle - 0.5 + s / w2 + 2) / size;
  let i = i32(layer);
  let rows = vec3f(w0.y, 7, w2.y) / 144;
  let left = w0.x * vec3f(arrives(vec2f(a.x, a.y), i, at.z), arrives(vec2f(a.x, b.y), i, at.z),
    arrives(vec2f(a.x, c.y), i, at.z));
  let centre = 7 * vec3f(arrives(vec2f(b.x, a.y), i, at.z), arrives(vec2f(b.x, b.y), i, at.z),
    arrives(vec2f(b.x, c.y), i, at.z));
  let right = w2.x * vec3f(arrives(vec2f(c.x, a.y), i, at.z), arrives(vec2f(c.x, b.y), i, at.z),
    arrives(vec2f(c.x, c.y), i, at.z));
  return dot(left + centre + right, rows);
}

fn arrives(at: vec2f, layer: i32, depth: f32) -> f32 {
  return textureSampleCompareLevel(shadowMaps, shadowSampler, at, layer, depth);
}`;

export const BEHIND = `
// What is behind the surface, seen through it: refracted once, over its thickness; rough surfaces blur it.
fn lightBehind(world: vec3f, n: vec3f, v: vec3f, roughness: f32, depth: f32) -> vec4f {
  let ior = material.transmission[0].z;
  let blur = frame.behind.z * roughness * clamp(ior * 2 - 2, 0.0, 1.0);
  let spread = (ior - 1) * 0.025 * material.transmission[0].w;
  if (spread == 0) { return seenAt(world + refract(-v, n, 1 / ior) * depth, blur); }
  let red = seenAt(world + refract(-v, n, 1 / max(ior - spread, 1.0)) * depth, blur);
  let green = seenAt(world + refract(-v, n, 1 / ior) * depth, blur);
  let blue = seenAt(world + refract(-v, n, 1 / (ior + spread)) * depth, blur);
  return vec4f(red.r, green.g, blue.b, (red.a + green.a + blue.a) / 3);
}

fn seenAt(world: vec3f, level: f32) -> vec4f {
  let clip = frame.clip * vec4f(world, 1);
  let at = clip.xy / clip.w * vec2f(0.5, -0.5) + 0.5;
  return textureSampleLevel(behind, behindSampler, at, level);
}`;
