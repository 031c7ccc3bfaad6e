// The Game of Life: a compute shader writes the next generation, a fragment shader shows it. The pointer adds cells.
struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;

// Two generations of 256 × 144 cells, which take turns.
const SIZE = vec2u(256, 144);
@group(0) @binding(1) var<storage, read_write> cells: array<u32>;

fn place(at: vec2u, generation: u32) -> u32 {
  return (generation & 1) * SIZE.x * SIZE.y + at.y % SIZE.y * SIZE.x + at.x % SIZE.x;
}

@compute @workgroup_size(16, 4) fn step_life(@builtin(global_invocation_id) id: vec3u) {
  let at = id.xy + SIZE;
  var alive = 0u;
  for (var k = 0u; k < 9; k++) {
    if (k != 4) { alive += cells[place(at + vec2u(k % 3, k / 3) - 1, frame.count)]; }
  }
  let was = cells[place(at, frame.count)];
  var now = select(0u, 1u, alive == 3 || (was == 1 && alive == 2));
  if (frame.count == 0) { now = u32(fract(sin(f32(id.x) * 12.98 + f32(id.y) * 78.23) * 43758.5) < 0.3); }
  let pointer = frame.pointer / frame.size * vec2f(SIZE);
  if (distance(vec2f(id.xy), pointer) < 3) { now = (id.x * 7 + id.y * 3 + frame.count) & 1; }
  cells[place(at, frame.count + 1)] = now;
}

@group(0) @binding(1) var<storage, read> shown: array<u32>;

@vertex fn everywhere(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}
@fragment fn show(@builtin(position) p: vec4f) -> @location(0) vec4f {
  let at = vec2u(p.xy / frame.size * vec2f(SIZE));
  let now = f32(shown[place(at, frame.count + 1)]);
  let before = f32(shown[place(at, frame.count)]);
  return vec4f(mix(vec3f(0.05, 0.07, 0.12), vec3f(0.3, 0.85, 0.6), now) + before * vec3f(0.2, 0.05, 0.1), 1);
}
