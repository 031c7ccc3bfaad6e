// A corridor 200 units long, with tiles, panels, pillars, doors, crates and lamps. Boxes form the geometry, and WGSL
// computes the surfaces. Eleven lamps light every fragment, so shading dominates the cost.
// examples/shading/corridor.mjs and the benchmarks use this scene.

const LENGTH = 200;
const HALF_WIDTH = 5;
const HEIGHT = 5;
const BAY = 8;
const BUFFER = { COPY_DST: 8, INDEX: 16, VERTEX: 32, UNIFORM: 64 };
const FLOOR = 0;
const WALL = 1;
const CEILING = 2;
const PILLAR = 3;
const DOOR = 4;
const LAMP = 5;
const CRATE = 6;

/** View distances of the near and far clip planes, and of the nearest visible surface. */
const NEAR = 0.5;
const FAR = 220;
const NEAREST = 1;
/** tan of half the vertical angle of view, which is 60°. */
const HALF_HEIGHT = Math.sqrt(1 / 3);
const EYE = [0.9, 1.7, 0];

/** Converts a view distance to window depth. */
const depthOf = (distance) => (FAR / (FAR - NEAR)) * (1 - NEAR / distance);

/**
 * The depth table that `rasterloom render --shading-rate auto` derives from these distances. It covers window depths
 * from a 64th of the farthest distance on. Seven of its sixteen slices use the rate 1×1, the next ones 2×2 and the last
 * ones 4×4.
 */
export const depthRates = {
  near: depthOf(Math.max(NEAREST, FAR / 64)),
  far: 1,
  rates: Array.from({ length: 16 }, (_, i) => (i < 7 ? '1x1' : i < 14 ? '2x2' : '4x4')),
};

const code = (rates) => `
${rates ? 'enable shading_rate;' : ''}
struct Camera { matrix: mat4x4f, eye: vec3f, tick: f32 }
@group(0) @binding(0) var<uniform> camera: Camera;

struct Corner { @location(0) p: vec3f, @location(1) n: vec3f, @location(2) kind: f32 }
struct Seen {
  @builtin(position) position: vec4f,
  @location(0) p: vec3f, @location(1) n: vec3f, @location(2) @interpolate(flat) kind: f32,
}
@vertex fn vs(v: Corner) -> Seen {
  return Seen(camera.matrix * vec4f(v.p, 1), v.p, v.n, v.kind);
}

fn hash(p: vec2i) -> f32 {
  var x = u32(p.x) * 747796405u + u32(p.y) * 2891336453u + 277803737u;
  x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
  return f32(((x >> 22u) ^ x) >> 8u) / 16777216.0;
}
fn noise(p: vec2f) -> f32 {
  let i = vec2i(floor(p));
  let f = fract(p);
  let s = f * f * (3 - 2 * f);
  return mix(mix(hash(i), hash(i + vec2i(1, 0)), s.x), mix(hash(i + vec2i(0, 1)), hash(i + vec2i(1, 1)), s.x), s.y);
}
// Octaves of it, without those that are finer than pixels.
fn clouds(p: vec2f, pixel: f32) -> f32 {
  var sum = 0.0;
  var scale = 1.0;
  for (var octave = 0; octave < 4; octave++) {
    sum += (noise(p * scale) - 0.5) / scale * saturate(2 - 3 * pixel * scale);
    scale *= 2;
  }
  return sum;
}
// 1 on lines at whole numbers, so wide, as a pixel sees them.
fn lines(x: vec2f, width: f32, pixel: vec2f) -> f32 {
  let soft = max(pixel, vec2f(width * 0.25));
  let away = abs(fract(x + 0.5) - 0.5);
  let drawn = 1 - smoothstep(vec2f(width * 0.5), width * 0.5 + soft, away);
  let seen = mix(drawn, vec2f(width), saturate(pixel * 4 - 1));
  return max(seen.x, seen.y);
}

struct Surface { color: vec3f, shine: f32 }
fn surfaceOf(kind: i32, at: vec2f, pixel: vec2f) -> Surface {
  let fine = max(pixel.x, pixel.y);
  switch (kind) {
    case ${FLOOR}: {
      let tiles = at / 1.25;
      let cell = vec2i(floor(tiles));
      let checks = mix(f32((cell.x + cell.y) & 1), 0.5, saturate(fine * 1.5 - 0.5));
      let base = mix(vec3f(0.39, 0.36, 0.33), vec3f(0.5, 0.47, 0.43), checks) + 0.14 * clouds(at * 1.7, fine * 1.7);
      return Surface(mix(base, base * 0.76, lines(tiles, 0.04, pixel / 1.25)), 0.55);
    }
    case ${WALL}: {
      let high = smoothstep(1.15 - pixel.y, 1.15 + pixel.y, at.y);
      let base = mix(vec3f(0.28, 0.34, 0.33), vec3f(0.68, 0.64, 0.55), high) + 0.1 * clouds(at, fine);
      return Surface(mix(base, base * 0.8, lines(at / vec2f(2, 2.3), 0.025, pixel / vec2f(2, 2.3))), 0.15);
    }
    case ${CEILING}: {
      return Surface(mix(vec3f(0.6), vec3f(0.51), lines(at / 2, 0.03, pixel / 2)) + 0.05 * clouds(at, fine), 0.05);
    }
    case ${PILLAR}: { return Surface(vec3f(0.55, 0.53, 0.5) + 0.22 * clouds(at * 1.3, fine * 1.3), 0.1); }
    case ${DOOR}: {
      let grain = clouds(vec2f(at.x * 6, at.y * 0.7), fine * 6);
      return Surface(vec3f(0.34, 0.19, 0.1) + 0.2 * grain * vec3f(1, 0.7, 0.4), 0.3);
    }
    case ${LAMP}: { return Surface(vec3f(1), 0); }
    default: {
      let boards = lines(vec2f(0.5, at.y * 4), 0.08, vec2f(pixel.x, pixel.y * 4));
      return Surface(mix(vec3f(0.45, 0.33, 0.19), vec3f(0.16, 0.11, 0.06), boards)
        + 0.2 * clouds(vec2f(at.x * 2, at.y * 9), fine * 9), 0.1);
    }
  }
}

fn shade(v: Seen) -> vec3f {
  // Coordinates on the plane that the face lies in.
  let across = step(vec3f(0.5), abs(v.n));
  let at = select(select(v.p.xy, v.p.xz, across.y > 0), v.p.zy, across.x > 0);
  let pixel = fwidth(at);
  let surface = surfaceOf(i32(v.kind), at, pixel);
  let toEye = camera.eye - v.p;
  let distance = length(toEye);
  if (i32(v.kind) == ${LAMP}) { return vec3f(1, 0.97, 0.9); }
  let look = toEye / distance;
  // Corners are darker.
  let room = min(min(v.p.y, ${HEIGHT} - v.p.y) + 0.35 * abs(v.n.y) * ${HEIGHT}, 1.2) / 1.2;
  var light = surface.color * vec3f(0.1, 0.11, 0.13) * (0.4 + 0.6 * room);
  let bay = floor(v.p.z / ${BAY});
  for (var k = -5; k <= 5; k++) {
    let number = bay + f32(k);
    let lamp = vec3f(0, ${HEIGHT} - 0.2, (number + 0.5) * ${BAY});
    let way = lamp - v.p;
    let square = dot(way, way);
    let l = way * inverseSqrt(square);
    let warm = hash(vec2i(i32(number), 7));
    let color = mix(vec3f(1, 0.86, 0.66), vec3f(0.8, 0.9, 1), warm) * (7 + 5 * warm) / (1 + square);
    let facing = max(dot(v.n, l), 0.0);
    let h = normalize(l + look);
    let shine = surface.shine * pow(max(dot(v.n, h), 0.0), 48.0) * 2;
    light += color * facing * (surface.color + shine);
  }
  let haze = vec3f(0.16, 0.17, 0.18);
  return mix(haze, light, exp2(-distance / 55));
}
@fragment fn fs(v: Seen) -> @location(0) vec4f {
  let light = shade(v);
  return vec4f(sqrt(light / (light + 0.6) * 1.25), 1);
}
${
  rates
    ? `
@fragment fn rates(@builtin(shading_rate) rate: u32) -> @location(0) vec4f {
  let steps = f32((rate >> 2) + (rate & 3)) / 4;
  return vec4f(mix(vec3f(0.15, 0.2, 0.45), vec3f(1, 0.85, 0.2), steps), 1);
}`
    : ''
}`;

/** Builds the boxes from front to back. Each has six faces of four vertices with position, normal and kind. */
function mesh() {
  const corners = [];
  const indices = [];
  const quad = (origin, u, v, n, kind) => {
    const first = corners.length / 7;
    for (const [s, t] of [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ])
      corners.push(...origin.map((x, i) => x + u[i] * s + v[i] * t), ...n, kind);
    indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
  };
  const box = ([x, y, z], [w, h, d], kind) => {
    quad([x, y, z], [w, 0, 0], [0, h, 0], [0, 0, -1], kind);
    quad([x, y, z], [0, 0, d], [0, h, 0], [-1, 0, 0], kind);
    quad([x + w, y, z], [0, 0, d], [0, h, 0], [1, 0, 0], kind);
    quad([x, y, z], [w, 0, 0], [0, 0, d], [0, -1, 0], kind);
    quad([x, y + h, z], [w, 0, 0], [0, 0, d], [0, 1, 0], kind);
    quad([x, y, z + d], [w, 0, 0], [0, h, 0], [0, 0, 1], kind);
  };
  box([1.25, 0, 1], [0.8, 1.25, 0.8], CRATE);
  for (let z = -BAY; z < LENGTH; z += BAY) {
    for (const side of [-1, 1]) {
      const wall = side * HALF_WIDTH;
      const x = (inner, depth) => Math.min(wall - side * inner, wall - side * (inner + depth));
      box([x(0, 0.7), 0, z + 0.2], [0.7, HEIGHT, 0.7], PILLAR);
      box([x(0, 0.08), 0, z + 3], [0.08, 2.6, 1.5], DOOR);
      if ((z / BAY + side) % 3 === 0) box([x(0.2, 1.1), 0, z + 5.6], [1.1, 1.1, 1.1], CRATE);
    }
    box([-0.5, HEIGHT - 0.1, z + 3], [1, 0.1, 2], LAMP);
  }
  const start = -BAY;
  const depth = LENGTH + BAY;
  quad([-HALF_WIDTH, 0, start], [2 * HALF_WIDTH, 0, 0], [0, 0, depth], [0, 1, 0], FLOOR);
  quad([-HALF_WIDTH, HEIGHT, start], [2 * HALF_WIDTH, 0, 0], [0, 0, depth], [0, -1, 0], CEILING);
  quad([-HALF_WIDTH, 0, start], [0, 0, depth], [0, HEIGHT, 0], [1, 0, 0], WALL);
  quad([HALF_WIDTH, 0, start], [0, 0, depth], [0, HEIGHT, 0], [-1, 0, 0], WALL);
  quad([-HALF_WIDTH, 0, LENGTH], [2 * HALF_WIDTH, 0, 0], [0, HEIGHT, 0], [0, 0, -1], DOOR);
  return { corners: Float32Array.from(corners), indices: Uint16Array.from(indices) };
}

/** Returns the columns of projection × view for a camera that looks along the corridor. */
function matrixOf([x, y, z], aspect) {
  const across = 1 / (HALF_HEIGHT * aspect);
  const up = 1 / HALF_HEIGHT;
  const a = FAR / (FAR - NEAR);
  const b = -NEAR * a;
  return [across, 0, 0, 0, 0, up, 0, 0, 0, 0, a, 1, -x * across, -y * up, b - a * z, -z];
}

/**
 * Creates the corridor on a device. `draw(pass, tick)` draws it; the tick, a small number, moves the camera so that no
 * two frames are equal. `shows` selects the picture: `'color'`, or `'rates'`, where coarser rates are lighter.
 * `'rates'` needs a device with the feature shading-rate.
 */
export function corridor(device, { width, height, samples, format, shows = 'color' }) {
  const module = device.createShaderModule({ code: code(shows === 'rates') });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: {
      module,
      buffers: [
        {
          arrayStride: 28,
          attributes: [
            { shaderLocation: 0, offset: 0, format: 'float32x3' },
            { shaderLocation: 1, offset: 12, format: 'float32x3' },
            { shaderLocation: 2, offset: 24, format: 'float32' },
          ],
        },
      ],
    },
    fragment: { module, entryPoint: shows === 'rates' ? 'rates' : 'fs', targets: [{ format }] },
    depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true },
    multisample: { count: samples },
  });
  const upload = (data, usage) => {
    const buffer = device.createBuffer({ size: (data.byteLength + 3) & ~3, usage: usage | BUFFER.COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const { corners, indices } = mesh();
  const vertices = upload(corners, BUFFER.VERTEX);
  const indexBuffer = upload(indices, BUFFER.INDEX);
  const camera = device.createBuffer({ size: 80, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: camera } }],
  });
  return {
    draw(pass, tick = 0) {
      const eye = [EYE[0] + tick, EYE[1], EYE[2]];
      device.queue.writeBuffer(camera, 0, Float32Array.of(...matrixOf(eye, width / height), ...eye, tick));
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.setVertexBuffer(0, vertices);
      pass.setIndexBuffer(indexBuffer, 'uint16');
      pass.drawIndexed(indices.length);
    },
  };
}
