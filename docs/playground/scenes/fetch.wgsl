// Six discs blend with what is below them. Each has a formula of its own, which reads the render target: @color(0).
enable fragment_stages;

struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

@vertex fn everywhere(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}

// Bands of colour, to blend with.
@fragment fn backdrop(@builtin(position) p: vec4f) -> @location(0) vec4f {
  let at = p.xy / frame.size;
  let band = floor(at.y * 6) / 6;
  let hue = 0.5 + 0.5 * cos(6.28 * (vec3f(0, 0.33, 0.67) + band + at.x * 0.6 + frame.time * 0.05));
  return vec4f(mix(hue, vec3f(at.x), 0.35), 1);
}

struct Disc {
  @builtin(position) position: vec4f,
  @location(0) at: vec2f,
  @location(1) @interpolate(flat) mode: u32,
}
@vertex fn disc(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Disc {
  let corner = array(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1), vec2f(1, 1))[i];
  let turn = f32(k) * 1.0472 + frame.time * 0.4;
  let center = vec2f(cos(turn), sin(turn)) * 0.52;
  let aspect = vec2f(frame.size.y / frame.size.x, 1);
  return Disc(vec4f((center + corner * 0.46) * aspect, 0, 1), corner, k);
}

fn overlay(a: vec3f, b: vec3f) -> vec3f { return select(1 - 2 * (1 - a) * (1 - b), 2 * a * b, b < vec3f(0.5)); }

@fragment fn blend(d: Disc, @color(0) below: vec4f) -> @location(0) vec4f {
  if (length(d.at) > 1) { discard; }
  let b = below.rgb;
  let a = mix(vec3f(0.95, 0.45, 0.25), vec3f(0.2, 0.55, 0.95), 0.5 + 0.5 * d.at.y);
  var color = a * b;                                      // multiply
  switch (d.mode) {
    case 1: { color = 1 - (1 - a) * (1 - b); }            // screen
    case 2: { color = abs(a - b); }                       // difference
    case 3: { color = overlay(a, b); }
    case 4: { color = min(vec3f(1), b / (1.05 - a)); }    // colour dodge
    case 5: { color = vec3f(dot(b, vec3f(0.3, 0.6, 0.1))); } // without colour
    default: {}
  }
  return vec4f(color, 1);
}
