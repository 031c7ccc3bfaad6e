// Balls of every roughness and metalness in prefiltered environment light: a cube map of half floats whose mip levels
// have increasingly broad lobes. Roughness selects the level.
import {
  BUFFER,
  CAMERA,
  DEPTH,
  WHOLE,
  bound,
  cameraOf,
  canvas,
  depthAttachment,
  floats,
  pipelineOf,
  upload,
} from './kit.mjs';
import { POSITION_NORMAL, ball, meshOf } from './meshes.mjs';
import { cubeOf } from './textures.mjs';

const COLUMNS = 11;
const ROWS = 6;
const SIDE = 128;
const LEVELS = 5;
const INSTANCE = floats([4, 3], { first: 2, stepMode: 'instance' });

/** Lamps in a room at dusk: direction, width (cosine of the lobe's edge), colour. */
const LAMPS = [
  [[0.57, 0.57, 0.59], 0.96, [18, 15, 11]],
  [[-0.8, 0.36, 0.48], 0.9, [3, 5, 9]],
  [[0.1, -0.3, 0.95], 0.97, [5, 2, 1]],
  [[-0.3, 0.9, -0.32], 0.85, [2.5, 2.5, 2.8]],
  [[0.9, 0.1, -0.42], 0.93, [1, 5, 3]],
];
const clamp = (x) => Math.min(1, Math.max(0, x));
const smooth = (x) => x * x * (3 - 2 * x);
function lightOf([x, y, z], roughness) {
  const blur = 0.02 + roughness * 0.9;
  const up = smooth(clamp((y + blur) / (2 * blur)));
  const bars = roughness < 0.5 ? smooth(clamp((Math.abs(((x / (Math.abs(y) + 0.4)) * 4) % 2) - 0.9) * 6)) - 0.5 : 0;
  const ground = 0.12 + bars * (0.12 - roughness * 0.24);
  const sky = 0.35 + 0.5 * y;
  const light = [ground + (sky * 0.75 - ground) * up, ground + (sky - ground) * up, ground + (sky * 1.4 - ground) * up];
  for (const [d, edge, colour] of LAMPS) {
    const cosine = x * d[0] + y * d[1] + z * d[2];
    const breadth = 1 - edge;
    const spread = breadth + roughness * 0.8;
    const part =
      smooth(clamp((cosine - (1 - spread)) / (spread * (0.1 + 0.9 * roughness))))
      * (breadth / spread)
      * (1 - roughness * 0.3);
    for (let c = 0; c < 3; c++) light[c] += colour[c] * part;
  }
  return light.map((value) => Math.max(value, 0.001));
}

const SHARED = `${CAMERA}
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var light: texture_cube<f32>;
fn display(c: vec3f) -> vec3f {
  let x = c * 0.8;
  return pow(saturate(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)), vec3f(1 / 2.2));
}`;
const balls = `${SHARED}
struct V {
  @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) n: vec3f, @location(2) c: vec3f,
  @location(3) @interpolate(flat, either) kind: vec2f
};
@vertex fn vs(@location(0) p: vec3f, @location(1) n: vec3f, @location(2) at: vec4f, @location(3) c: vec3f) -> V {
  let w = p * 0.46 + vec3f(at.xy, 0);
  return V(camera.m * vec4f(w, 1), w, n, c, at.zw);
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let n = normalize(v.n);
  let to = normalize(camera.eye - v.w);
  let nv = max(dot(n, to), 0.0);
  let roughness = v.kind.x;
  let f0 = mix(vec3f(0.04), v.c, v.kind.y);
  // Karis's fit of the environment's BRDF.
  let r = roughness * vec4f(-1, -0.0275, -0.572, 0.022) + vec4f(1, 0.0425, 1.04, -0.04);
  let ab = vec2f(-1.04, 1.04) * (min(r.x * r.x, exp2(-9.28 * nv)) * r.x + r.y) + r.zw;
  let specular = textureSampleLevel(light, s, reflect(-to, n), roughness * ${LEVELS - 1}).rgb * (f0 * ab.x + ab.y);
  let diffuse = textureSampleLevel(light, s, n, ${LEVELS - 1}).rgb * v.c * (1 - v.kind.y) * 0.9;
  return vec4f(display(specular + diffuse), 1);
}`;
const background = `${SHARED} ${WHOLE}
@fragment fn fs(v: Whole) -> @location(0) vec4f {
  let q = vec2f(v.uv.x * 2 - 1, 1 - v.uv.y * 2);
  let d = camera.ahead.xyz + q.x * camera.right.xyz + q.y * camera.up.xyz;
  return vec4f(display(textureSampleLevel(light, s, d, 1.5).rgb * 0.7), 1);
}`;

export function reflections(device, o) {
  const picture = canvas(device, o);
  const depthStencilAttachment = depthAttachment(device, o);
  const camera = cameraOf(device, o, { eye: [1, 0.8, 9], target: [0, 0, 0], drift: 6, cot: 2.6 });
  const light = cubeOf(device, SIDE, LEVELS, lightOf).createView({ dimension: 'cube' });
  const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' });
  const data = [];
  for (let row = 0; row < ROWS; row++)
    for (let column = 0; column < COLUMNS; column++) {
      const t = row / (ROWS - 1);
      const colour = [0.95 - 0.5 * t * t, 0.62 + 0.2 * t, 0.35 + 0.55 * t];
      const x = column - (COLUMNS - 1) / 2;
      const y = (ROWS - 1) / 2 - row;
      const roughness = column / (COLUMNS - 1);
      data.push(x, y, roughness, row < ROWS / 2 ? 1 : 0, ...colour);
    }
  const places = upload(device, Float32Array.from(data), BUFFER.VERTEX);
  const mesh = meshOf(device, ball(40));
  const shiny = pipelineOf(device, balls, {
    buffers: [POSITION_NORMAL, INSTANCE],
    samples: o.samples,
    cullMode: 'back',
  });
  const behind = pipelineOf(device, background, {
    samples: o.samples,
    depth: { ...DEPTH, depthCompare: 'less-equal' },
  });
  const [shinyGroup, behindGroup] = [shiny, behind].map((pipeline) =>
    bound(device, pipeline, [camera.buffer, sampler, light])
  );
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, tick) => {
        camera.update(tick);
        const pass = encoder.beginRenderPass({ colorAttachments: [picture.attachment()], depthStencilAttachment });
        pass.setPipeline(shiny);
        pass.setBindGroup(0, shinyGroup);
        pass.setVertexBuffer(1, places);
        mesh.draw(pass, COLUMNS * ROWS);
        pass.setPipeline(behind);
        pass.setBindGroup(0, behindGroup);
        pass.draw(3);
        pass.end();
      }),
  };
}
