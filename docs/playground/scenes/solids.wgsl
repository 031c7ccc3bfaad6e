// 60 opaque rings, drawn from back to front. Visibility is determined before shading: the overlay "Overdraw" shows that
// a pixel inside of a triangle is shaded once, however many rings are behind it.
struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

struct Surface { @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) color: vec3f }

fn turn_y(p: vec3f, a: f32) -> vec3f { return vec3f(p.x * cos(a) + p.z * sin(a), p.y, p.z * cos(a) - p.x * sin(a)); }
fn turn_x(p: vec3f, a: f32) -> vec3f { return vec3f(p.x, p.y * cos(a) - p.z * sin(a), p.y * sin(a) + p.z * cos(a)); }

// 24 × 10 cells each.
@vertex fn ring(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Surface {
  let corner = array(vec2u(0, 0), vec2u(1, 0), vec2u(0, 1), vec2u(0, 1), vec2u(1, 0), vec2u(1, 1))[i % 6];
  let at = vec2f(vec2u(i / 6 % 24, i / 144) + corner) / vec2f(24, 10) * 6.28319;
  let p = vec3f(cos(at.x) * (0.5 + 0.2 * cos(at.y)), sin(at.x) * (0.5 + 0.2 * cos(at.y)), 0.2 * sin(at.y));
  let n = vec3f(cos(at.x) * cos(at.y), sin(at.x) * cos(at.y), sin(at.y));
  let a = frame.time * 0.6 + f32(k) * 1.3;
  let turn = f32(k) * 2.39996;
  let far = sqrt(f32(k % 30) / 30);
  let center = vec3f(cos(turn) * 2.6 * far, sin(turn) * 1.5 * far, 4.6 - f32(k) * 0.03);
  let q = turn_y(turn_x(p, a), a * 0.8) + center;
  let hue = 0.55 + 0.45 * cos(6.28 * (vec3f(0, 0.33, 0.67) + f32(k) / 40));
  let place = vec4f(q.x * 1.9 * frame.size.y / frame.size.x, q.y * 1.9, q.z - 0.3, q.z);
  return Surface(place, turn_y(turn_x(n, a), a * 0.8), hue);
}

@fragment fn shade(s: Surface) -> @location(0) vec4f {
  let n = normalize(s.normal);
  let light = normalize(vec3f(0.4, 0.7, -0.6));
  let shine = pow(max(0, dot(reflect(-light, n), vec3f(0, 0, -1))), 20);
  return vec4f(s.color * (0.25 + 0.8 * max(0, dot(n, light))) + 0.4 * shine, 1);
}
