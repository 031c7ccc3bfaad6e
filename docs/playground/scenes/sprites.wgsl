// 1,200 sprites of two materials are added up, one draw call each. A sum does not depend on the order: with the order
// "independent", sprites of one material share warps. Watch the counter "Warps".
struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

struct Sprite { @builtin(position) position: vec4f, @location(0) at: vec2f }
@vertex fn sprite(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Sprite {
  let corner = array(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1), vec2f(1, 1))[i];
  let turn = f32(k) * 2.39996 + frame.time * 0.3;
  let center = vec2f(cos(turn), sin(turn)) * sqrt(f32(k)) * 0.027;
  let size = 0.02 + 0.015 * sin(f32(k) * 0.05 - frame.time * 2);
  return Sprite(vec4f((center + corner * size) * vec2f(frame.size.y / frame.size.x, 1), 0, 1), corner);
}
@fragment fn warm(s: Sprite) -> @location(0) vec4f {
  return vec4f(vec3f(0.9, 0.42, 0.12) * max(0, 1 - dot(s.at, s.at)), 1);
}
@fragment fn cold(s: Sprite) -> @location(0) vec4f {
  return vec4f(vec3f(0.1, 0.4, 0.9) * max(0, 1 - dot(s.at, s.at)), 1);
}
