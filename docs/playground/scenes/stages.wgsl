// Parts of one fragment shader at rates of their own: marble once per coarse pixel, light once per pixel, and the
// highlight once per set of equal samples, where it reads what the target holds. Set the shading rate to 4x4.
enable fragment_stages;

struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

struct Ball {
  @builtin(position) position: vec4f,
  @location(0) normal: vec3f,
  @location(1) place: vec3f,
}

// Spheres of 40 × 20 cells.
@vertex fn ball(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Ball {
  let corner = array(vec2u(0, 0), vec2u(1, 0), vec2u(0, 1), vec2u(0, 1), vec2u(1, 0), vec2u(1, 1))[i % 6];
  let at = vec2f(vec2u(i / 6 % 40, i / 240) + corner) / vec2f(40, 20) * vec2f(6.28319, 3.14159);
  let n = vec3f(cos(at.x) * sin(at.y), cos(at.y), sin(at.x) * sin(at.y));
  let turn = frame.time * 0.5 + f32(k) * 1.0472;
  let center = vec3f(cos(turn) * 1.25, 0.25 * sin(turn * 2), sin(turn) * 1.25);
  let p = center + n * 0.55;
  let w = 3.4 + p.z;
  let scale = vec2f(2.1 * frame.size.y / frame.size.x, 2.1);
  return Ball(vec4f(vec2f(p.x, p.y + p.z * 0.2) * scale, w - 1, w), n, n + f32(k));
}

struct Marble { @link(0) albedo: vec3f }
@fragment fn marble(@location(1) place: vec3f) -> Marble {
  var p = place * 2.3;
  var sum = 0.0;
  for (var i = 0; i < 5; i++) {
    sum += abs(sin(p.x + sin(p.y * 1.3 + sin(p.z))));
    p = p.yzx * 1.7 + 0.4;
  }
  return Marble(mix(vec3f(0.15, 0.3, 0.4), vec3f(0.95, 0.88, 0.8), saturate(sum / 4.2)));
}

struct Lit { @link(1) diffuse: vec3f, @link(2) shine: f32 }
@fragment fn light(@link(0) albedo: vec3f, @location(0) normal: vec3f) -> Lit {
  let n = normalize(normal);
  let sun = normalize(vec3f(0.5, 0.8, -0.6));
  return Lit(albedo * (0.3 + 0.8 * max(0, dot(n, sun))), pow(max(0, dot(reflect(-sun, n), vec3f(0, 0, -1))), 30));
}

@fragment fn gloss(@link(1) diffuse: vec3f, @link(2) shine: f32, @color(0) below: vec4f) -> @location(0) vec4f {
  return vec4f(mix(diffuse, below.rgb, 0.12) + shine, 1);
}
