// Two fragment stages: one runs once per pixel, and the other once for each set of equal samples.
enable fragment_stages;

struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

struct Corner { @builtin(position) position: vec4f, @location(0) at: vec2f }
@vertex fn corner(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Corner {
  let turn = f32(i) * 2.0944 + frame.time * 0.3 + f32(k) * 0.5;
  let at = vec2f(sin(turn), cos(turn)) * (0.95 - 0.12 * f32(k));
  return Corner(vec4f(at * vec2f(frame.size.y / frame.size.x, 1), 0, 1), at);
}

// What is passed to the next stage.
struct Colored { @link(0) color: vec3f }
@fragment fn color(@location(0) at: vec2f) -> Colored {
  return Colored(0.5 + 0.5 * cos(6.28 * (vec3f(0, 0.33, 0.67) + length(at) - frame.time * 0.2)));
}

// @color(0) is what the picture holds.
@fragment fn mix_in(@link(0) color: vec3f, @color(0) below: vec4f) -> @location(0) vec4f {
  return vec4f(abs(color - below.rgb), 1);
}
