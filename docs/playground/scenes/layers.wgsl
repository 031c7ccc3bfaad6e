// Glass in any order: fragments append themselves to a list of their pixel, in a buffer. A last triangle sorts each
// list by depth and blends it. Writes of a pixel keep the order of the draw calls, so that the picture never flickers.
struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

// Each pixel has a count and eight pairs of depth and colour.
const DEEP = 8u;
const WORDS = 17u;
@group(0) @binding(1) var<storage, read_write> lists: array<u32>;

struct Pane { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) at: vec2f }
@vertex fn pane(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Pane {
  let corner = array(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1), vec2f(1, 1))[i];
  // Panes around an axis pass through each other.
  let turn = f32(k) * 0.5236 + frame.time * 0.35;
  let p = vec3f(corner.x * 1.1 * cos(turn), corner.y * 0.62, corner.x * 1.1 * sin(turn));
  let hue = 0.5 + 0.5 * cos(6.28 * (vec3f(0, 0.33, 0.67) + f32(k) / 6));
  let w = 1.7 + p.z * 0.5;
  let y = p.y + p.z * 0.2;
  let scale = vec2f(1.3 * frame.size.y / frame.size.x, 1.3);
  return Pane(vec4f(vec2f(p.x, y) * scale, (0.5 + p.z * 0.3) * w, w), vec4f(hue, 0.55), corner);
}
@fragment fn collect(pane: Pane) -> @location(0) vec4f {
  let pixel = vec2u(pane.position.xy);
  let start = (pixel.y * u32(frame.size.x) + pixel.x) * WORDS;
  let count = lists[start];
  let frame_edge = max(abs(pane.at.x), abs(pane.at.y));
  let alpha = select(pane.color.a, 0.95, frame_edge > 0.96);
  if (count < DEEP) {
    lists[start + 1 + 2 * count] = bitcast<u32>(pane.position.z);
    lists[start + 2 + 2 * count] = pack4x8unorm(vec4f(pane.color.rgb, alpha));
    lists[start] = count + 1;
  }
  return vec4f();
}

@vertex fn everywhere(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}
@fragment fn resolve(@builtin(position) p: vec4f) -> @location(0) vec4f {
  let pixel = vec2u(p.xy);
  let start = (pixel.y * u32(frame.size.x) + pixel.x) * WORDS;
  let count = lists[start];
  lists[start] = 0;
  let board = (i32(p.x / 24) + i32(p.y / 24)) & 1;
  var color = mix(vec3f(0.93, 0.94, 0.96), vec3f(0.82, 0.84, 0.88), f32(board));
  // The farthest fragment first.
  var last = 2.0;
  for (var n = 0u; n < count; n++) {
    var depth = -1.0;
    var found = 0u;
    for (var k = 0u; k < count; k++) {
      let z = bitcast<f32>(lists[start + 1 + 2 * k]);
      if (z < last && z > depth) { depth = z; found = k; }
    }
    if (depth < 0) { break; }
    let layer = unpack4x8unorm(lists[start + 2 + 2 * found]);
    color = mix(color, layer.rgb, layer.a);
    last = depth;
  }
  return vec4f(color, 1);
}
