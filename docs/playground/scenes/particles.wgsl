// A compute shader moves 16,384 particles around two suns and the pointer; instanced quads add up their light.
struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

struct Particle { at: vec2f, velocity: vec2f }
@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;

fn pull(at: vec2f, to: vec2f, mass: f32) -> vec2f {
  let way = to - at;
  return way * mass / pow(dot(way, way) + 0.02, 1.5);
}
fn random(n: u32) -> f32 {
  var x = n * 747796405u + 2891336453u;
  x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
  return f32((x >> 22) ^ x) / 4294967296;
}

@compute @workgroup_size(64) fn move_all(@builtin(global_invocation_id) id: vec3u) {
  var p = particles[id.x];
  if (frame.count == 0) {
    let turn = 6.28 * random(id.x);
    let far = 0.25 + 0.7 * random(id.x + 99991);
    p = Particle(vec2f(cos(turn), sin(turn)) * far, vec2f(-sin(turn), cos(turn)) * 0.35 / sqrt(far));
  }
  let sun = vec2f(cos(frame.time * 0.7), sin(frame.time * 0.7)) * 0.22;
  let aspect = frame.size.x / frame.size.y;
  let pointer = (frame.pointer / frame.size * 2 - 1) * vec2f(aspect, -1);
  let force = pull(p.at, sun, 0.06) + pull(p.at, -sun, 0.06) + pull(p.at, pointer, 0.015);
  p.velocity += force * 0.016;
  p.at += p.velocity * 0.016;
  particles[id.x] = p;
}

@group(0) @binding(1) var<storage, read> moved: array<Particle>;
struct Spark { @builtin(position) position: vec4f, @location(0) at: vec2f, @location(1) color: vec3f }
@vertex fn spark(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Spark {
  let corner = array(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1), vec2f(1, 1))[i];
  let p = moved[k];
  let speed = saturate(length(p.velocity) * 0.7);
  let at = (p.at + corner * 0.011) * vec2f(frame.size.y / frame.size.x, 1);
  return Spark(vec4f(at, 0, 1), corner, mix(vec3f(0.06, 0.12, 0.32), vec3f(0.42, 0.2, 0.06), speed));
}
@fragment fn glow(s: Spark) -> @location(0) vec4f {
  return vec4f(s.color * max(0, 1 - length(s.at)), 1);
}
