// Trees and bushes of leaves with holes. Transparent texels are discarded without multisampling, and use alpha to
// coverage with it.
import {
  BUFFER,
  CAMERA,
  FORMAT,
  SKY,
  bound,
  cameraOf,
  canvas,
  depthAttachment,
  floats,
  hash,
  pipelineOf,
  round,
  upload,
} from './kit.mjs';
import { POSITION_NORMAL, ball, ground, meshOf } from './meshes.mjs';
import { layersOf } from './textures.mjs';

const TREES = 60;
const LEAVES = 420;
const SIDE = 128;
const LEAF = floats([4, 4, 4], { stepMode: 'instance' });
const TRUNK = floats([4, 3], { first: 2, stepMode: 'instance' });

/** A twig with five pointed leaves; alpha fades over two texels. */
function leafTexel(x, y) {
  const u = (x / SIDE) * 2 - 1;
  const v = 1 - (y / SIDE) * 2;
  let most = 0.06 - Math.abs(u) - Math.max(0, v - 0.5);
  let vein = 0;
  for (let k = 0; k < 5; k++) {
    const [c, s] = round(0.15 + k * 0.425);
    const p = u * c + (v + 0.45) * s;
    const q = -u * s + (v + 0.45) * c;
    const t = Math.min(1, Math.max(0, (p - 0.12) / 1.05));
    const edge = 0.85 * t * (1 - t) - Math.abs(q);
    if (edge > most) {
      most = edge;
      vein = Math.max(0, 1 - Math.abs(q) * 30) * 0.35;
    }
  }
  const alpha = Math.min(1, Math.max(0, (most * SIDE) / 4 + 0.5));
  const shade = 0.75 + vein + 0.25 * (v * 0.5 + 0.5);
  return [70 * shade, 118 * shade, 42 * shade, alpha * 255].map((value) => Math.min(255, Math.floor(value)));
}

/** A direction from two hashes. */
function directionFrom(a, b) {
  const z = a * 2 - 1;
  const s = Math.sqrt(1 - z * z);
  const [x, y] = round(b * 4);
  return [x * s, z, y * s];
}

function plants() {
  const leaves = [];
  const trunks = [];
  for (let n = 0; n < TREES; n++) {
    const at = (k) => hash(n * 16 + k + 33);
    const bush = n % 3 === 0;
    const x = (at(0) - 0.5) * 34;
    const z = 6 - at(1) * 38;
    const height = bush ? 0.6 : 2.2 + at(2) * 1.6;
    const crown = bush ? 0.8 : 1.2 + at(3) * 0.7;
    trunks.push(x, 0, z, height, 0.3, 0.21, 0.13);
    for (let k = 0; k < LEAVES; k++) {
      const of = (j) => hash((n * LEAVES + k) * 8 + j + 7000);
      const d = directionFrom(of(0), of(1));
      const far = crown * (0.55 + 0.45 * of(2));
      const [c, s] = round(of(3) * 4);
      const size = 0.2 + 0.16 * of(4);
      leaves.push(
        x + d[0] * far,
        Math.max(0.15, height + d[1] * far * 0.9),
        z + d[2] * far,
        size,
        c,
        s,
        of(5) - 0.5,
        of(6) - 0.5,
        ...d,
        0.75 + 0.5 * of(7) + (at(4) - 0.5) * 0.4
      );
    }
  }
  return { leaves: Float32Array.from(leaves), trunks: Float32Array.from(trunks) };
}

const FOG = `fn far(c: vec3f, w: vec3f) -> vec4f {
  return vec4f(display(mix(c, vec3f(0.62, 0.72, 0.85), smoothstep(14, 50, length(w - camera.eye)))), 1);
}`;
const leafCode = (coverage) => `${CAMERA} ${SKY}
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var t: texture_2d<f32>;
${FOG}
struct V {
  @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) n: vec3f, @location(2) uv: vec2f,
  @location(3) tint: f32
};
@vertex fn vs(
  @builtin(vertex_index) i: u32, @location(0) at: vec4f, @location(1) turn: vec4f, @location(2) out: vec4f
) -> V {
  let k = select(i - 2u, i, i < 3u);
  let uv = vec2f(f32(k & 1u), f32(k >> 1u));
  let q = uv * 2 - 1;
  let side = vec3f(turn.x, turn.z, turn.y);
  let up = normalize(vec3f(turn.w, 1, turn.z) - side * dot(vec3f(turn.w, 1, turn.z), side) * 0.5);
  let sway = vec3f(camera.tick * (at.y + turn.z) * 2, 0, 0);
  let w = at.xyz + sway + (side * q.x + up * q.y) * at.w;
  return V(camera.m * vec4f(w, 1), w, normalize(out.xyz + 0.3 * up), vec2f(uv.x, 1 - uv.y), out.w);
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let leaf = textureSample(t, s, v.uv);
  ${
    coverage
      ? 'let alpha = saturate((leaf.a - 0.5) / max(fwidth(leaf.a), 0.0001) + 0.5);'
      : 'if (leaf.a < 0.5) { discard; } let alpha = 1.0;'
  }
  let n = normalize(v.n);
  let sun = dot(n, normalize(SUN));
  let c = leaf.rgb * v.tint * (ambient(n) * 1.2 + vec3f(2.6, 2.4, 1.8) * (max(sun, 0.0) + 0.25 * max(-sun, 0.0)));
  return vec4f(far(c, v.w).rgb, alpha);
}`;
const trunkCode = `${CAMERA} ${SKY}
@group(0) @binding(0) var<uniform> camera: Camera;
${FOG}
struct V { @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) n: vec3f, @location(2) c: vec3f };
@vertex fn vs(@location(0) p: vec3f, @location(1) n: vec3f, @location(2) at: vec4f, @location(3) c: vec3f) -> V {
  let trunk = at.w < 10;
  let w = at.xyz + select(p, vec3f(p.xz * (0.17 - p.y * 0.05), at.w * (p.y * 0.5 + 0.45)).xzy, trunk);
  return V(camera.m * vec4f(w, 1), w, n, c);
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let n = normalize(v.n);
  return far(v.c * (ambient(n) + vec3f(2.2, 2.0, 1.6) * max(dot(n, normalize(SUN)), 0.0)), v.w);
}`;

export function foliage(device, o) {
  const picture = canvas(device, o);
  const depthStencilAttachment = depthAttachment(device, o);
  const { samples } = o;
  const camera = cameraOf(device, o, { eye: [0, 2.4, 11], target: [0, 2, 0], drift: 2 });
  const { leaves, trunks } = plants();
  const places = upload(device, leaves, BUFFER.VERTEX);
  const stems = upload(device, Float32Array.of(0, 0, 0, 100, 0.32, 0.4, 0.18, ...trunks), BUFFER.VERTEX);
  const trunk = meshOf(device, ball(8));
  const floor = meshOf(device, ground(50));
  const texture = layersOf(device, SIDE, 1, leafTexel);
  const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' });
  const leafy = pipelineOf(device, leafCode(samples > 1), {
    buffers: [LEAF],
    samples,
    targets: [{ format: FORMAT }],
    multisample: samples > 1 ? { alphaToCoverageEnabled: true } : {},
  });
  const wooden = pipelineOf(device, trunkCode, { buffers: [POSITION_NORMAL, TRUNK], samples, cullMode: 'back' });
  const leafGroup = bound(device, leafy, [camera.buffer, sampler, texture.createView()]);
  const woodGroup = bound(device, wooden, [camera.buffer]);
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, tick) => {
        camera.update(tick);
        const pass = encoder.beginRenderPass({
          colorAttachments: [picture.attachment([0.66, 0.78, 0.9, 1])],
          depthStencilAttachment,
        });
        pass.setPipeline(wooden);
        pass.setBindGroup(0, woodGroup);
        pass.setVertexBuffer(1, stems);
        floor.draw(pass);
        trunk.draw(pass, TREES, 1);
        pass.setPipeline(leafy);
        pass.setBindGroup(0, leafGroup);
        pass.setVertexBuffer(0, places);
        pass.draw(6, TREES * LEAVES);
        pass.end();
      }),
  };
}
