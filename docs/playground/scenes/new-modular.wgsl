// A modular pipeline of three vertex stages. Each draw call may leave out the second one: the left shape does.
enable modular_pipelines;

struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

struct Body { @location(0) p: vec2f, @location(1) color: vec3f }
struct Seen { @builtin(position) position: vec4f, @location(0) color: vec3f }

// A grid of 32 × 32 cells, six vertices each.
@vertex fn load(@builtin(vertex_index) i: u32) -> Body {
  let corner = array(vec2u(0, 0), vec2u(1, 0), vec2u(0, 1), vec2u(0, 1), vec2u(1, 0), vec2u(1, 1))[i % 6];
  let at = vec2f(vec2u(i / 6 % 32, i / 192) + corner) / 32;
  return Body(at * 2 - 1, vec3f(at, 0.5));
}
@vertex fn change(b: Body) -> Body {
  return Body(b.p + vec2f(0.2 * sin(b.p.y * 6 + frame.time * 2), 0), b.color.zxy);
}
@vertex fn look(b: Body, @builtin(instance_index) k: u32) -> Seen {
  return Seen(vec4f(b.p.x * 0.32 + f32(k) - 0.5, b.p.y * 0.7, 0, 1), b.color);
}
@fragment fn fill(@location(0) color: vec3f) -> @location(0) vec4f { return vec4f(color, 1); }
