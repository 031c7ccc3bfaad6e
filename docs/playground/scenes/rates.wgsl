// The picture is sharp where the pointer is, and coarse elsewhere: a texture has the shading rate of each block of
// pixels, up to 4×4 pixels for one run of the shader. Show the overlay "Shading rate" to see it.
struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

@vertex fn everywhere(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}

fn random(p: vec2f) -> vec2f {
  let q = vec2f(dot(p, vec2f(127.1, 311.7)), dot(p, vec2f(269.5, 183.3)));
  return fract(sin(q) * 43758.5453);
}

// Cells that grow and shrink: the distances to the nearest two points.
fn cells(p: vec2f) -> vec3f {
  let cell = floor(p);
  var nearest = vec3f(9, 9, 0);
  for (var y = -1; y <= 1; y++) {
    for (var x = -1; x <= 1; x++) {
      let other = cell + vec2f(f32(x), f32(y));
      let seed = random(other);
      let d = distance(other + 0.5 + 0.4 * sin(frame.time + 6.28 * seed), p);
      if (d < nearest.x) { nearest = vec3f(d, nearest.x, seed.x); }
      else if (d < nearest.y) { nearest.y = d; }
    }
  }
  return nearest;
}

@fragment fn paint(@builtin(position) p: vec4f) -> @location(0) vec4f {
  let c = cells(p.xy / frame.size.y * 9);
  let hue = 0.5 + 0.5 * cos(6.28 * (vec3f(0.05, 0.3, 0.6) + c.z * 0.7));
  let edge = smoothstep(0.02, 0.1, c.y - c.x);
  return vec4f(hue * edge * (1.1 - c.x), 1);
}
