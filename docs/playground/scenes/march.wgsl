// A ray for each pixel walks along distances to shapes: spheres that melt together, with soft shadows.
struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

@vertex fn everywhere(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}

fn melt(a: f32, b: f32) -> f32 {
  let h = saturate(0.5 + (b - a) / 0.9);
  return mix(b, a, h) - 0.45 * h * (1 - h);
}
fn scene(p: vec3f) -> f32 {
  let t = frame.time;
  var d = length(p - vec3f(sin(t) * 1.1, 0.2 + 0.3 * sin(t * 1.3), 0)) - 0.62;
  d = melt(d, length(p - vec3f(-sin(t * 0.7) * 1.2, 0.3 * cos(t), 0.4)) - 0.5);
  d = melt(d, length(p - vec3f(0, 0.6 * sin(t * 0.9), cos(t) * 0.8)) - 0.45);
  return min(d, p.y + 0.9);
}
fn normal(p: vec3f) -> vec3f {
  let e = vec2f(0.002, -0.002);
  return normalize(e.xyy * scene(p + e.xyy) + e.yyx * scene(p + e.yyx)
    + e.yxy * scene(p + e.yxy) + e.xxx * scene(p + e.xxx));
}
fn shadow(p: vec3f, light: vec3f) -> f32 {
  var lit = 1.0;
  var t = 0.06;
  for (var i = 0; i < 24; i++) {
    let d = scene(p + light * t);
    lit = min(lit, 9 * d / t);
    t += clamp(d, 0.04, 0.3);
    if (lit < 0.01) { break; }
  }
  return saturate(lit);
}

@fragment fn paint(@builtin(position) p: vec4f) -> @location(0) vec4f {
  let at = (p.xy * 2 - frame.size) / frame.size.y * vec2f(1, -1);
  let eye = vec3f(0, 0.7, -3.6);
  let ray = normalize(vec3f(at.x, at.y - 0.18, 1.9));
  let sky = mix(vec3f(0.9, 0.93, 0.97), vec3f(0.45, 0.62, 0.85), saturate(at.y * 0.6 + 0.3));
  var t = 0.0;
  var found = false;
  for (var i = 0; i < 64; i++) {
    let d = scene(eye + ray * t);
    if (d < 0.002) { found = true; break; }
    t += d;
    if (t > 14) { break; }
  }
  if (!found) { return vec4f(sky, 1); }
  let hit = eye + ray * t;
  let n = normal(hit);
  let light = normalize(vec3f(0.6, 0.9, -0.5));
  let board = f32((i32(floor(hit.x * 2)) + i32(floor(hit.z * 2))) & 1);
  let ground = mix(vec3f(0.86, 0.85, 0.82), vec3f(0.62, 0.62, 0.64), board);
  let base = select(vec3f(0.92, 0.42, 0.25), ground, hit.y < -0.88);
  let lit = max(0, dot(n, light)) * shadow(hit, light);
  let shine = pow(max(0, dot(reflect(ray, n), light)), 40) * lit * 0.5;
  let color = base * (0.28 + 0.85 * lit) + shine;
  return vec4f(mix(color, sky, saturate(t / 14)), 1);
}
