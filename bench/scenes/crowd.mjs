// 500 walking figures of 1 600 triangles. Up to four of eleven joints move each vertex. The joints' matrices are
// computed for every frame and read from a storage buffer.
import {
  BUFFER,
  CAMERA,
  SKY,
  bound,
  cameraOf,
  canvas,
  depthAttachment,
  floats,
  hash,
  multiply,
  pipelineOf,
  round,
  upload,
} from './kit.mjs';

const FIGURES = 500;
const COLUMNS = 25;
const RINGS = 8;
const AROUND = 10;
const SKINNED = {
  arrayStride: 48,
  attributes: [
    { shaderLocation: 0, offset: 0, format: 'float32x3' },
    { shaderLocation: 1, offset: 12, format: 'float32x3' },
    { shaderLocation: 2, offset: 24, format: 'float32x4' },
    { shaderLocation: 3, offset: 40, format: 'uint8x4' },
    { shaderLocation: 4, offset: 44, format: 'unorm8x4' },
  ],
};
const FIGURE = floats([4], { first: 5, stepMode: 'instance' });

/** Joints: the parent, and the position in the figure at rest. */
const JOINTS = [
  [-1, [0, 1, 0]],
  [0, [0, 1.25, 0]],
  [1, [0, 1.62, 0]],
  [1, [0.24, 1.52, 0]],
  [3, [0.3, 1.2, 0]],
  [1, [-0.24, 1.52, 0]],
  [5, [-0.3, 1.2, 0]],
  [0, [0.11, 0.95, 0]],
  [7, [0.12, 0.5, 0]],
  [0, [-0.11, 0.95, 0]],
  [9, [-0.12, 0.5, 0]],
];
/** Tubes: start, end, their radii, the four joints along the tube, colour (0 skin, 1 shirt, 2 trousers). */
const TUBES = [
  [[0, 0.9, 0], [0, 1.58, 0], 0.2, 0.22, [0, 0, 1, 1], 1],
  [[0, 1.56, 0], [0, 1.95, 0.02], 0.1, 0.12, [1, 2, 2, 2], 0],
  [[0.22, 1.53, 0], [0.3, 1.2, 0], 0.09, 0.07, [1, 3, 3, 4], 1],
  [[0.3, 1.22, 0], [0.33, 0.85, 0.04], 0.065, 0.05, [3, 4, 4, 4], 0],
  [[-0.22, 1.53, 0], [-0.3, 1.2, 0], 0.09, 0.07, [1, 5, 5, 6], 1],
  [[-0.3, 1.22, 0], [-0.33, 0.85, 0.04], 0.065, 0.05, [5, 6, 6, 6], 0],
  [[0.1, 0.98, 0], [0.12, 0.5, 0], 0.13, 0.09, [0, 7, 7, 8], 2],
  [[0.12, 0.54, 0], [0.12, 0.02, 0.02], 0.085, 0.06, [7, 8, 8, 8], 2],
  [[-0.1, 0.98, 0], [-0.12, 0.5, 0], 0.13, 0.09, [0, 9, 9, 10], 2],
  [[-0.12, 0.54, 0], [-0.12, 0.02, 0.02], 0.085, 0.06, [9, 10, 10, 10], 2],
];

/** Four weights for the four joints along a tube, interpolated between neighbours. Their sum is the same everywhere. */
function weightsAt(t) {
  const place = t * 3;
  const weights = [0, 1, 2, 3].map((k) => Math.max(0, 1 - Math.abs(place - k)));
  const bytes = weights.map((weight) => Math.floor(weight * 255));
  bytes[bytes.indexOf(Math.max(...bytes))] += 255 - bytes.reduce((a, b) => a + b);
  return bytes;
}

function figure() {
  const rows = RINGS + 1;
  const count = TUBES.length * rows * (AROUND + 1);
  const bytes = new ArrayBuffer(count * 48);
  const numbers = new Float32Array(bytes);
  const small = new Uint8Array(bytes);
  const index = [];
  TUBES.forEach(([from, to, wide, narrow, joints, part], tube) => {
    for (let r = 0; r < rows; r++)
      for (let a = 0; a <= AROUND; a++) {
        const k = (tube * rows + r) * (AROUND + 1) + a;
        const t = r / RINGS;
        const [x, z] = round((a / AROUND) * 4);
        const end = Math.abs(t * 2 - 1);
        const shrunk = Math.sqrt(Math.max(0, 1 - end ** 8));
        const radius = (wide + (narrow - wide) * t) * shrunk;
        const slope = end > 0.85 ? (t > 0.5 ? 0.8 : -0.8) : 0;
        numbers.set(
          [
            from[0] + (to[0] - from[0]) * t + x * radius,
            from[1] + (to[1] - from[1]) * t,
            from[2] + (to[2] - from[2]) * t + z * radius,
            x,
            slope * Math.sign(to[1] - from[1]),
            z,
            part,
            t,
            0,
            0,
          ],
          k * 12
        );
        small.set(joints, k * 48 + 40);
        small.set(weightsAt(t), k * 48 + 44);
        if (r === RINGS || a === AROUND) continue;
        index.push(k, k + 1, k + AROUND + 1, k + 1, k + AROUND + 2, k + AROUND + 1);
      }
  });
  return { bytes: small, index: Uint16Array.from(index) };
}

const moved = (x, y, z) => Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1);
/** A rotation about the x axis by quarter turns. */
function turned(quarters) {
  const [c, s] = round(quarters);
  return Float32Array.of(1, 0, 0, 0, 0, c, s, 0, 0, -s, c, 0, 0, 0, 0, 1);
}
const swing = (t) => {
  const u = Math.abs(t - Math.floor(t) - 0.5) * 4 - 1;
  return u * (1.5 - 0.5 * u * u);
};

/** Writes the joints' matrices of a figure at a phase of its step, three rows each. */
function poseInto(rows, at, phase) {
  const leg = swing(phase) * 0.27;
  const arm = -leg * 0.9;
  const bend = (t) => Math.max(0, swing(t)) * 0.5;
  const angles = [
    0,
    0.04,
    -0.06,
    arm,
    -0.25 - Math.max(0, -arm),
    -arm,
    -0.25 - Math.max(0, arm),
    leg,
    bend(phase + 0.2),
    -leg,
    bend(phase + 0.7),
  ];
  const world = [];
  JOINTS.forEach(([parent, [x, y, z]], k) => {
    const here = multiply(multiply(moved(x, y, z), turned(angles[k])), moved(-x, -y, -z));
    const m = (world[k] = parent < 0 ? here : multiply(world[parent], here));
    for (let row = 0; row < 3; row++)
      for (let column = 0; column < 4; column++) rows[at + k * 12 + row * 4 + column] = m[column * 4 + row];
  });
}

const code = `${CAMERA} ${SKY}
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<storage, read> joints: array<vec4f>;
struct V { @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) n: vec3f, @location(2) c: vec3f };
@vertex fn vs(
  @builtin(instance_index) figure: u32, @location(0) p: vec3f, @location(1) n: vec3f, @location(2) part: vec4f,
  @location(3) bones: vec4u, @location(4) weight: vec4f, @location(5) at: vec4f
) -> V {
  var x = vec4f();
  var y = vec4f();
  var z = vec4f();
  for (var k = 0; k < 4; k++) {
    let row = (figure * ${JOINTS.length}u + bones[k]) * 3u;
    x += joints[row] * weight[k];
    y += joints[row + 1u] * weight[k];
    z += joints[row + 2u] * weight[k];
  }
  let q = vec4f(p, 1);
  let posed = vec3f(dot(x, q), dot(y, q), dot(z, q));
  let normal = vec3f(dot(x.xyz, n), dot(y.xyz, n), dot(z.xyz, n));
  let turn = at.zw; // cosine and sine
  let w = vec3f(turn.x * posed.x + turn.y * posed.z + at.x, posed.y, turn.x * posed.z - turn.y * posed.x + at.y);
  let tint = fract(f32(figure) * vec3f(0.37, 0.61, 0.23));
  var c = mix(vec3f(0.75, 0.52, 0.4), vec3f(0.42, 0.27, 0.18), tint.z);
  if (part.x == 0 && part.y > 0.72) { c = c * 0.3; }
  if (part.x == 1) { c = 0.2 + 0.7 * tint; }
  if (part.x == 2) { c = 0.15 + 0.25 * tint.zxy; }
  let turned = vec3f(turn.x * normal.x + turn.y * normal.z, normal.y, turn.x * normal.z - turn.y * normal.x);
  return V(camera.m * vec4f(w, 1), w, turned, c);
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let n = normalize(v.n);
  let c = v.c * (ambient(n) + vec3f(2.2, 2.0, 1.7) * max(dot(n, normalize(SUN)), 0.0));
  return vec4f(display(mix(c, vec3f(0.62, 0.7, 0.8), smoothstep(12, 60, length(v.w - camera.eye)))), 1);
}`;

export function crowd(device, o) {
  const picture = canvas(device, o);
  const depthStencilAttachment = depthAttachment(device, o);
  const camera = cameraOf(device, o, { eye: [0, 5, 13], target: [0, 0.6, 0], drift: 4 });
  const { bytes, index } = figure();
  const vertices = upload(device, bytes, BUFFER.VERTEX);
  const indices = upload(device, index, BUFFER.INDEX);
  const places = [];
  for (let n = 0; n < FIGURES; n++) {
    const at = (k) => hash(n * 8 + k + 4242);
    const x = (n % COLUMNS) - (COLUMNS - 1) / 2;
    const z = Math.floor(n / COLUMNS);
    places.push(x * 1.2 + at(0) * 0.6, 9 - z * 1.7 + at(1) * 0.8, ...round(at(2) * 0.9 - 0.45));
  }
  const figures = upload(device, Float32Array.from(places), BUFFER.VERTEX);
  const poses = new Float32Array(FIGURES * JOINTS.length * 12);
  const joints = device.createBuffer({ size: poses.byteLength, usage: BUFFER.STORAGE | BUFFER.COPY_DST });
  const pipeline = pipelineOf(device, code, { buffers: [SKINNED, FIGURE], samples: o.samples, cullMode: 'back' });
  const group = bound(device, pipeline, [camera.buffer, joints]);
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, tick) => {
        camera.update(tick);
        for (let n = 0; n < FIGURES; n++) poseInto(poses, n * JOINTS.length * 12, hash(n + 99) + tick * 8);
        device.queue.writeBuffer(joints, 0, poses);
        const pass = encoder.beginRenderPass({
          colorAttachments: [picture.attachment([0.5, 0.53, 0.5, 1])],
          depthStencilAttachment,
        });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.setVertexBuffer(0, vertices);
        pass.setVertexBuffer(1, figures);
        pass.setIndexBuffer(indices, 'uint16');
        pass.drawIndexed(index.length, FIGURES);
        pass.end();
      }),
  };
}
