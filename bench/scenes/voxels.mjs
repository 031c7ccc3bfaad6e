// A landscape of 200 000 cubes: instances of one cube, with four bytes each.
import {
  BUFFER,
  CAMERA,
  SKY,
  bound,
  cameraOf,
  canvas,
  depthAttachment,
  hash,
  noise,
  pipelineOf,
  upload,
} from './kit.mjs';

const SIDE = 180;
const COUNT = 200000;
const WATER = 9;
const INSTANCE = {
  arrayStride: 4,
  stepMode: 'instance',
  attributes: [{ shaderLocation: 0, offset: 0, format: 'uint8x4' }],
};

/** The upper cubes of every column: x, y, z and material. */
function cubes() {
  const data = new Uint8Array(COUNT * 4);
  let count = 0;
  const push = (x, y, z, kind) => {
    if (count < COUNT) data.set([x, y, z, kind], count++ * 4);
  };
  for (let z = SIDE - 1; z >= 0; z--)
    for (let x = 0; x < SIDE; x++) {
      const hills = noise(x / 38, z / 38, 1) * 11 + noise(x / 15, z / 15, 2) * 4 + noise(x / 6, z / 6, 3) * 1.3;
      const top = Math.max(WATER, Math.floor(14 + hills));
      const wet = top === WATER;
      for (let k = 0; k < 6; k++) {
        const grown = top > 21 ? 4 : top < WATER + 3 ? 2 : 1;
        push(x, top - k, z, wet ? 0 : k === 0 ? grown : k < 3 ? 3 : 5);
      }
      if (wet || top > 20 || hash(x * 977 + z * 31) > 0.013) continue;
      for (let k = 1; k < 5; k++) push(x, top + k, z, 6);
      for (let a = -1; a <= 1; a++)
        for (let b = -1; b <= 1; b++)
          for (let k = 4; k < 7; k++)
            if (Math.abs(a) + Math.abs(b) < 8 - k && x + a >= 0 && z + b >= 0) push(x + a, top + k, z + b, 7);
    }
  return { data, count };
}

const code = `${CAMERA} ${SKY}
@group(0) @binding(0) var<uniform> camera: Camera;
const COLOURS = array(
  vec3f(0.16, 0.33, 0.62), vec3f(0.32, 0.52, 0.16), vec3f(0.76, 0.68, 0.44), vec3f(0.42, 0.29, 0.18),
  vec3f(0.92, 0.94, 0.97), vec3f(0.42, 0.42, 0.43), vec3f(0.33, 0.22, 0.12), vec3f(0.16, 0.4, 0.13)
);
struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) c: vec3f, @location(1) w: vec3f };
@vertex fn vs(@builtin(vertex_index) i: u32, @location(0) cube: vec4u) -> V {
  // Vertex i: of face i / 4 (+x, −x, +y, …), corner i % 4.
  let face = i >> 2u;
  let axis = face >> 1u;
  let s = f32(face & 1u) * -2 + 1;
  let a = f32((i ^ (i >> 1u)) & 1u) - 0.5;
  let b = f32((i >> 1u) & 1u) - 0.5;
  var p = vec3f(0.5 * s, a * s, b);
  var n = vec3f(s, 0, 0);
  if (axis == 1u) { p = p.zxy; n = n.zxy; }
  if (axis == 2u) { p = p.yzx; n = n.yzx; }
  let w = p + vec3f(cube.xyz) - vec3f(${SIDE / 2}, 0, ${SIDE / 2});
  let grain = 0.85 + 0.3 * f32((cube.x * 7u + cube.y * 13u + cube.z * 5u) % 11u) / 11;
  let sun = max(dot(n, normalize(vec3f(0.6, 0.75, 0.3))), 0.0);
  let base = COLOURS[cube.w];
  return V(camera.m * vec4f(w, 1), base * grain * (ambient(n) + vec3f(2.2, 2.0, 1.6) * sun), w);
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  return vec4f(display(mix(v.c, vec3f(0.66, 0.78, 0.92), smoothstep(70, 190, length(v.w - camera.eye)))), 1);
}`;

export function voxels(device, o) {
  const picture = canvas(device, o);
  const depthStencilAttachment = depthAttachment(device, o);
  const camera = cameraOf(device, o, { eye: [10, 44, 92], target: [0, 8, 0], drift: 20, near: 1, far: 300 });
  const { data, count } = cubes();
  const places = upload(device, data, BUFFER.VERTEX);
  const corners = Uint16Array.from({ length: 36 }, (_, k) => Math.floor(k / 6) * 4 + [0, 1, 2, 0, 2, 3][k % 6]);
  const indices = upload(device, corners, BUFFER.INDEX);
  const pipeline = pipelineOf(device, code, { buffers: [INSTANCE], samples: o.samples, cullMode: 'back' });
  const group = bound(device, pipeline, [camera.buffer]);
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, tick) => {
        camera.update(tick);
        const pass = encoder.beginRenderPass({
          colorAttachments: [picture.attachment([0.66, 0.78, 0.9, 1])],
          depthStencilAttachment,
        });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.setVertexBuffer(0, places);
        pass.setIndexBuffer(indices, 'uint16');
        pass.drawIndexed(36, count);
        pass.end();
      }),
  };
}
