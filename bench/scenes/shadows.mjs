// A field of boxes and balls under a low sun: three shadow map cascades, each drawn with all casters, and nine
// comparison reads per pixel.
import {
  CAMERA,
  DEPTH,
  FORMAT,
  SKY,
  TEXTURE,
  BUFFER,
  bound,
  cameraOf,
  canvas,
  depthAttachment,
  floats,
  hash,
  lookAt,
  multiply,
  orthographic,
  pipelineOf,
  upload,
} from './kit.mjs';
import { POSITION_NORMAL, box, bumpyBall, ground, meshOf } from './meshes.mjs';

const SIDE = 1024;
const BOXES = 400;
const BALLS = 300;
/** Half the side of each cascade's square, and its distance in front of the camera. */
const CASCADES = [
  { half: 7, z: 6 },
  { half: 16, z: -2 },
  { half: 48, z: -28 },
];
const TO_SUN = [0.55, 0.5, 0.35];
const INSTANCE = floats([4, 3], { first: 2, stepMode: 'instance' });

/** The ground first, then boxes, then balls: position, size, colour. */
function instanceData() {
  const data = [0, 0, 0, 1, 0.42, 0.5, 0.3];
  for (let n = 0; n < BOXES + BALLS; n++) {
    const at = (k) => hash(n * 8 + k);
    const size = 0.25 + at(2) * at(2) * 0.9;
    const isBall = n >= BOXES;
    data.push(
      (at(0) - 0.5) * 70,
      isBall ? size * 0.9 : 0,
      13 - at(1) * 75,
      size,
      0.3 + at(3) * 0.6,
      0.3 + at(4) * 0.4,
      0.25 + at(5) * 0.4
    );
  }
  return Float32Array.from(data);
}

const code = `${CAMERA} ${SKY}
struct Lights { m: array<mat4x4f, ${CASCADES.length}> };
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<uniform> lights: Lights;
@group(0) @binding(2) var maps: texture_depth_2d_array;
@group(0) @binding(3) var compare: sampler_comparison;
struct V { @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) n: vec3f, @location(2) c: vec3f };
@vertex fn vs(@location(0) p: vec3f, @location(1) n: vec3f, @location(2) at: vec4f, @location(3) c: vec3f) -> V {
  let w = p * at.w + at.xyz;
  return V(camera.m * vec4f(w, 1), w, n, c);
}
fn lit(w: vec3f, n: vec3f) -> f32 {
  for (var k = 0; k < ${CASCADES.length}; k++) {
    let q = lights.m[k] * vec4f(w + n * 0.02 * f32(k + 1), 1);
    if (max(abs(q.x), abs(q.y)) > 0.98 || q.z > 1) { continue; }
    let uv = q.xy * vec2f(0.5, -0.5) + 0.5;
    var sum = 0.0;
    for (var y = -1; y <= 1; y++) { for (var x = -1; x <= 1; x++) {
      sum += textureSampleCompareLevel(maps, compare, uv + vec2f(f32(x), f32(y)) / ${SIDE}, k, q.z);
    } }
    return sum / 9;
  }
  return 1.0;
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let n = normalize(v.n);
  let l = normalize(vec3f(${TO_SUN}));
  let far = length(v.w - camera.eye);
  let c = v.c * (ambient(n) * 0.6 + vec3f(2.0, 1.8, 1.5) * max(dot(n, l), 0.0) * lit(v.w, n));
  return vec4f(display(mix(c, vec3f(0.6, 0.68, 0.8), smoothstep(25, 75, far))), 1);
}`;
const cast = `
@group(0) @binding(0) var<uniform> m: mat4x4f;
@vertex fn vs(@location(0) p: vec3f, @location(2) at: vec4f) -> @builtin(position) vec4f {
  return m * vec4f(p * at.w + at.xyz, 1);
}`;

export function shadows(device, o) {
  const picture = canvas(device, o);
  const depthStencilAttachment = depthAttachment(device, o);
  const camera = cameraOf(device, o, { eye: [0, 4.5, 14], target: [0, 0.5, 0], drift: 4 });
  const meshes = [
    [meshOf(device, ground(60)), 1],
    [meshOf(device, box()), BOXES],
    [meshOf(device, bumpyBall(16)), BALLS],
  ];
  const places = upload(device, instanceData(), BUFFER.VERTEX);
  const maps = device.createTexture({
    size: [SIDE, SIDE, CASCADES.length],
    format: 'depth32float',
    usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED,
  });
  const matrices = CASCADES.map(({ half, z }) => {
    const eye = [TO_SUN[0] * 80, TO_SUN[1] * 80, z + TO_SUN[2] * 80];
    return multiply(orthographic(half, 140), lookAt(eye, [0, 0, z]));
  });
  const caster = pipelineOf(device, cast, {
    buffers: [POSITION_NORMAL, INSTANCE],
    targets: [],
    cullMode: 'back',
    depth: { ...DEPTH, depthBias: 2, depthBiasSlopeScale: 2 },
  });
  const pipeline = pipelineOf(device, code, {
    buffers: [POSITION_NORMAL, INSTANCE],
    samples: o.samples,
    cullMode: 'back',
    targets: [{ format: FORMAT }],
  });
  const all = new Float32Array(16 * CASCADES.length);
  matrices.forEach((matrix, k) => all.set(matrix, k * 16));
  const compare = device.createSampler({ compare: 'less', magFilter: 'linear', minFilter: 'linear' });
  const group = bound(device, pipeline, [
    camera.buffer,
    upload(device, all, BUFFER.UNIFORM),
    maps.createView({ dimension: '2d-array' }),
    compare,
  ]);
  const cascades = matrices.map((matrix, k) => ({
    group: bound(device, caster, [upload(device, matrix, BUFFER.UNIFORM)]),
    depthStencilAttachment: {
      view: maps.createView({ dimension: '2d', baseArrayLayer: k, arrayLayerCount: 1 }),
      depthLoadOp: 'clear',
      depthStoreOp: 'store',
      depthClearValue: 1,
    },
  }));
  function drawAll(pass) {
    pass.setVertexBuffer(1, places);
    let first = 0;
    for (const [mesh, count] of meshes) {
      mesh.draw(pass, count, first);
      first += count;
    }
  }
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, tick) => {
        camera.update(tick);
        for (const cascade of cascades) {
          const pass = encoder.beginRenderPass({
            colorAttachments: [],
            depthStencilAttachment: cascade.depthStencilAttachment,
          });
          pass.setPipeline(caster);
          pass.setBindGroup(0, cascade.group);
          drawAll(pass);
          pass.end();
        }
        const pass = encoder.beginRenderPass({
          colorAttachments: [picture.attachment([0.72, 0.77, 0.82, 1])],
          depthStencilAttachment,
        });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        drawAll(pass);
        pass.end();
      }),
  };
}
