// A fragment shader for the whole picture. Change it: the picture follows while you type.
struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

@vertex fn everywhere(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}

@fragment fn paint(@builtin(position) p: vec4f) -> @location(0) vec4f {
  // 0 to 1 from the left and from the top.
  let at = p.xy / frame.size;
  let color = 0.5 + 0.5 * cos(frame.time + at.xyx * 4 + vec3f(0, 2, 4));
  return vec4f(color, 1);
}
