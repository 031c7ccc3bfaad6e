// Textured rings over a floor, with mip levels and anisotropic filtering, lit per pixel.
struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var bricks: texture_2d<f32>;
@group(0) @binding(2) var smooth_sampler: sampler;

struct Surface {
  @builtin(position) position: vec4f,
  @location(0) uv: vec2f,
  @location(1) normal: vec3f,
  @location(2) at: vec3f,
}

// A camera that looks down a little.
fn project(p: vec3f) -> vec4f {
  let q = vec3f(p.x, p.y * 0.93 + p.z * 0.36, p.z * 0.93 - p.y * 0.36 + 4.2);
  return vec4f(q.x * 1.9 * frame.size.y / frame.size.x, q.y * 1.9, q.z - 0.2, q.z);
}

@vertex fn floor_corner(@builtin(vertex_index) i: u32) -> Surface {
  let corner = array(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1), vec2f(1, 1))[i];
  let p = vec3f(corner.x * 14, -1, corner.y * 11 + 8);
  return Surface(project(p), p.xz * 0.5, vec3f(0, 1, 0), p);
}

fn turn_y(p: vec3f, a: f32) -> vec3f { return vec3f(p.x * cos(a) + p.z * sin(a), p.y, p.z * cos(a) - p.x * sin(a)); }
fn turn_x(p: vec3f, a: f32) -> vec3f { return vec3f(p.x, p.y * cos(a) - p.z * sin(a), p.y * sin(a) + p.z * cos(a)); }

// Rings of 48 × 24 cells.
@vertex fn ring(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Surface {
  let corner = array(vec2u(0, 0), vec2u(1, 0), vec2u(0, 1), vec2u(0, 1), vec2u(1, 0), vec2u(1, 1))[i % 6];
  let uv = vec2f(vec2u(i / 6 % 48, i / 288) + corner) / vec2f(48, 24);
  let round = vec2f(cos(uv.x * 6.28319), sin(uv.x * 6.28319));
  let tube = vec2f(cos(uv.y * 6.28319), sin(uv.y * 6.28319));
  let a = frame.time * (0.5 + 0.2 * f32(k)) + f32(k) * 2;
  let p = vec3f(round * (0.62 + 0.26 * tube.x), 0.26 * tube.y);
  let n = vec3f(round * tube.x, tube.y);
  let at = turn_y(turn_x(p, a), a * 0.7) + vec3f((f32(k) - 1) * 1.9, 0.1, abs(f32(k) - 1) * 0.8);
  return Surface(project(at), uv * vec2f(6, 2), turn_y(turn_x(n, a), a * 0.7), at);
}

@fragment fn shade(s: Surface) -> @location(0) vec4f {
  let n = normalize(s.normal);
  let light = normalize(vec3f(0.5, 0.8, -0.6));
  let base = textureSample(bricks, smooth_sampler, s.uv).rgb;
  let shine = pow(max(0, dot(reflect(-light, n), normalize(vec3f(0, 1.5, -4) - s.at))), 24);
  let fog = saturate((s.at.z - 3) / 14);
  let color = base * (0.3 + 0.8 * max(0, dot(n, light))) + 0.35 * shine;
  return vec4f(mix(color, vec3f(0.78, 0.84, 0.9), fog), 1);
}
