// One mesh, one modular pipeline. Each draw call chooses which vertex stages run: none, twist, wave, both with inflate.
enable modular_pipelines;

struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

struct Body { @location(0) p: vec3f, @location(1) n: vec3f, @location(2) color: vec3f }
struct Seen { @builtin(position) position: vec4f, @location(0) n: vec3f, @location(1) color: vec3f }

// A rounded column of 48 × 48 cells, six vertices each.
@vertex fn load(@builtin(vertex_index) i: u32) -> Body {
  let corner = array(vec2u(0, 0), vec2u(1, 0), vec2u(0, 1), vec2u(0, 1), vec2u(1, 0), vec2u(1, 1))[i % 6];
  let at = vec2f(vec2u(i / 6 % 48, i / 288) + corner) / 48;
  let turn = at.x * 6.28319;
  let y = at.y * 2 - 1;
  let round = vec2f(cos(turn), sin(turn));
  // Between a circle and a square.
  let wide = 0.27 / max(0.72, max(abs(round.x), abs(round.y)));
  let stripe = step(0.5, fract(at.x * 8)) * 0.25 + step(0.5, fract(at.y * 8)) * 0.25;
  return Body(vec3f(round.x * wide, y * 0.8, round.y * wide), vec3f(round.x, 0, round.y),
    mix(vec3f(0.95, 0.6, 0.25), vec3f(0.3, 0.5, 0.95), at.y) * (0.75 + stripe));
}
fn turned(p: vec3f, angle: f32) -> vec3f {
  return vec3f(p.x * cos(angle) - p.z * sin(angle), p.y, p.x * sin(angle) + p.z * cos(angle));
}
@vertex fn twist(b: Body) -> Body {
  let angle = b.p.y * 1.6 * sin(frame.time * 0.8);
  return Body(turned(b.p, angle), turned(b.n, angle), b.color);
}
@vertex fn wave(b: Body) -> Body {
  return Body(b.p + vec3f(0.12 * sin(b.p.y * 5 + frame.time * 2), 0, 0), b.n, b.color);
}
@vertex fn inflate(b: Body) -> Body {
  return Body(b.p + b.n * 0.1 * (1 - b.p.y * b.p.y), normalize(b.n + vec3f(0, b.p.y * 0.4, 0)), b.color);
}
@vertex fn look(b: Body, @builtin(instance_index) k: u32) -> Seen {
  let p = turned(b.p, frame.time * 0.5);
  let aspect = frame.size.x / frame.size.y;
  let x = p.x + (f32(k) - 1.5) * aspect * 0.48;
  let y = p.y * 0.9 + p.z * 0.3;
  return Seen(vec4f(x / aspect, y, 0.5 + p.z * 0.3 - p.y * 0.1, 1), turned(b.n, frame.time * 0.5), b.color);
}
@fragment fn shade(@location(0) n: vec3f, @location(1) color: vec3f) -> @location(0) vec4f {
  let light = 0.35 + 0.65 * max(0, dot(normalize(n), normalize(vec3f(0.5, 0.5, -0.7))));
  return vec4f(color * light, 1);
}
