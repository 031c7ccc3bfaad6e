// A scene in half floats, bloom (values above white, reduced level by level and added up again), and tone mapping to
// eight bits.
import {
  BUFFER,
  CAMERA,
  FORMAT,
  SKY,
  TEXTURE,
  WHOLE,
  bound,
  cameraOf,
  canvas,
  depthAttachment,
  floats,
  hash,
  pipelineOf,
  upload,
} from './kit.mjs';
import { POSITION_NORMAL, box, bumpyBall, ground, meshOf } from './meshes.mjs';

const HDR = 'rgba16float';
const LEVELS = 6;
const BOXES = 150;
const BALLS = 90;
const INSTANCE = floats([4, 4], { first: 2, stepMode: 'instance' });

/** The ground, boxes, and balls: position, size, colour, glow. Every third ball glows. */
function instanceData() {
  const data = [0, 0, 0, 1, 0.3, 0.3, 0.33, 0];
  for (let n = 0; n < BOXES + BALLS; n++) {
    const at = (k) => hash(n * 8 + k + 900);
    const isBall = n >= BOXES;
    const size = isBall ? 0.2 + at(2) * 0.35 : 0.3 + at(2) * 0.6;
    const glow = isBall && n % 3 === 0 ? 6 + at(6) * 20 : 0;
    const hot = glow ? 1 : 0.7;
    data.push(
      (at(0) - 0.5) * 36,
      isBall ? 0.5 + at(7) * 2.2 : 0,
      7 - at(1) * 34,
      size,
      hot * (0.2 + at(3) * 0.8),
      hot * (0.15 + at(4) * 0.6),
      hot * (0.1 + at(5) * 0.9),
      glow
    );
  }
  return Float32Array.from(data);
}

const lit = `${CAMERA} ${SKY}
@group(0) @binding(0) var<uniform> camera: Camera;
struct V { @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) n: vec3f, @location(2) c: vec4f };
@vertex fn vs(@location(0) p: vec3f, @location(1) n: vec3f, @location(2) at: vec4f, @location(3) c: vec4f) -> V {
  let w = p * at.w + at.xyz;
  return V(camera.m * vec4f(w, 1), w, n, c);
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let n = normalize(v.n);
  let l = normalize(vec3f(-0.3, 0.5, -0.6));
  let h = normalize(l + normalize(camera.eye - v.w));
  let shine = select(9.0, 0.25, v.w.y < 0.001) * pow(max(dot(n, h), 0.0), 120.0) * f32(dot(n, l) > 0);
  let c = v.c.rgb * (ambient(n) * 0.3 + vec3f(0.25, 0.3, 0.5) * max(dot(n, l), 0.0) + v.c.a) + shine;
  return vec4f(c, 1);
}`;
const reading = (fs) => `${WHOLE}
@group(0) @binding(0) var s: sampler;
@group(0) @binding(1) var t: texture_2d<f32>;
fn at(uv: vec2f) -> vec3f { return textureSampleLevel(t, s, uv, 0).rgb; }
@fragment fn fs(v: Whole) -> @location(0) vec4f {
  let d = 1 / vec2f(textureDimensions(t));
  ${fs}
}`;
const bright = reading(`
  let c = 0.25 * (at(v.uv - d) + at(v.uv + d) + at(v.uv + vec2f(d.x, -d.y)) + at(v.uv + vec2f(-d.x, d.y)));
  let most = max(c.r, max(c.g, c.b));
  return vec4f(c * max(most - 1, 0.0) / max(most, 0.001), 1);`);
const smaller = reading(`
  var c = at(v.uv) * 0.5;
  c += 0.125 * (at(v.uv - d) + at(v.uv + d) + at(v.uv + vec2f(d.x, -d.y)) + at(v.uv + vec2f(-d.x, d.y)));
  return vec4f(c, 1);`);
const larger = reading(`
  var c = at(v.uv) * 4;
  c += 2 * (at(v.uv + vec2f(d.x, 0)) + at(v.uv - vec2f(d.x, 0)) + at(v.uv + vec2f(0, d.y)) + at(v.uv - vec2f(0, d.y)));
  c += at(v.uv - d) + at(v.uv + d) + at(v.uv + vec2f(d.x, -d.y)) + at(v.uv + vec2f(-d.x, d.y));
  return vec4f(c / 16, 1);`);
const toned = `${reading(`
  let x = (textureSampleLevel(scene, s, v.uv, 0).rgb + at(v.uv) * 0.12) * 0.8;
  let c = x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14);
  let q = v.uv - 0.5;
  return vec4f(pow(saturate(c), vec3f(1 / 2.2)) * (1 - 0.6 * dot(q, q)), 1);`)}
@group(0) @binding(2) var scene: texture_2d<f32>;`;

function postOf(device, picture, hdr, { width, height }) {
  const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear' });
  const targetOf = (size) => device.createTexture({ size, format: HDR, usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED });
  const levels = Array.from({ length: LEVELS }, (_, k) =>
    targetOf([Math.max(1, width >> (k + 1)), Math.max(1, height >> (k + 1))])
  );
  const add = { color: { srcFactor: 'one', dstFactor: 'one' }, alpha: { srcFactor: 'one', dstFactor: 'one' } };
  const pipelineFor = (code, target) => pipelineOf(device, code, { depth: null, targets: [target] });
  const brightest = pipelineFor(bright, { format: HDR });
  const down = pipelineFor(smaller, { format: HDR });
  const up = pipelineFor(larger, { format: HDR, blend: add });
  const tone = pipelineFor(toned, { format: FORMAT });
  const step = (pipeline, resources, view, loadOp) => ({
    pipeline,
    group: bound(device, pipeline, [sampler, ...resources.map((texture) => texture.createView())]),
    descriptor: { colorAttachments: [{ view, loadOp, storeOp: 'store', clearValue: [0, 0, 0, 0] }] },
  });
  return [
    step(brightest, [hdr], levels[0].createView(), 'clear'),
    ...levels.slice(1).map((level, k) => step(down, [levels[k]], level.createView(), 'clear')),
    ...levels
      .slice(1)
      .map((level, k) => step(up, [level], levels[k].createView(), 'load'))
      .reverse(),
    step(tone, [levels[0], hdr], picture.color.createView(), 'clear'),
  ];
}

export function hdr(device, o) {
  const picture = canvas(device, { ...o, samples: 1 });
  const depthStencilAttachment = depthAttachment(device, o);
  const camera = cameraOf(device, o, { eye: [0, 3, 11], target: [0, 0.9, 0], drift: 4 });
  const size = [o.width, o.height];
  const usage = TEXTURE.ATTACHMENT;
  const scene = device.createTexture({ size, format: HDR, usage: usage | TEXTURE.SAMPLED });
  const many = o.samples > 1 ? device.createTexture({ size, format: HDR, sampleCount: o.samples, usage }) : null;
  const meshes = [
    [meshOf(device, ground(50)), 1],
    [meshOf(device, box()), BOXES],
    [meshOf(device, bumpyBall(24)), BALLS],
  ];
  const places = upload(device, instanceData(), BUFFER.VERTEX);
  const pipeline = pipelineOf(device, lit, {
    buffers: [POSITION_NORMAL, INSTANCE],
    samples: o.samples,
    cullMode: 'back',
    targets: [{ format: HDR }],
  });
  const group = bound(device, pipeline, [camera.buffer]);
  const steps = postOf(device, picture, scene, o);
  const attachment = {
    view: (many ?? scene).createView(),
    ...(many ? { resolveTarget: scene.createView() } : {}),
    loadOp: 'clear',
    storeOp: many ? 'discard' : 'store',
    clearValue: [0.01, 0.015, 0.04, 1],
  };
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, tick) => {
        camera.update(tick);
        const pass = encoder.beginRenderPass({ colorAttachments: [attachment], depthStencilAttachment });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.setVertexBuffer(1, places);
        let first = 0;
        for (const [mesh, count] of meshes) {
          mesh.draw(pass, count, first);
          first += count;
        }
        pass.end();
        for (const step of steps) {
          const post = encoder.beginRenderPass(step.descriptor);
          post.setPipeline(step.pipeline);
          post.setBindGroup(0, step.group);
          post.draw(3);
          post.end();
        }
      }),
  };
}
