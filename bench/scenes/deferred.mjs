// Deferred shading: four render targets (albedo, normal, material and distance, glow), then a pass that reads them by
// textureLoad and adds up 32 lights. If multisampled, the lighting pass reads one sample where all are equal, and
// otherwise all samples. Distance takes two 8-bit channels, because compatibility mode can neither read multisampled
// depth nor render to multisampled half floats.
import {
  BUFFER,
  CAMERA,
  DEPTH,
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
  round,
  upload,
} from './kit.mjs';
import { POSITION_NORMAL, box, bumpyBall, ground, meshOf } from './meshes.mjs';

const LIGHTS = 32;
const BOXES = 140;
const BALLS = 160;
const TARGETS = [FORMAT, 'rgb10a2unorm', FORMAT, FORMAT];
const ONE = 'texture_2d<f32>';
const MANY = 'texture_multisampled_2d<f32>';
const INSTANCE = floats([4, 4, 4], { first: 2, stepMode: 'instance' });

/** The ground, boxes, balls: position, size; colour, roughness; glow, metalness. */
function instanceData() {
  const data = [0, 0, 0, 1, 0.45, 0.44, 0.42, 0.5, 0, 0, 0, 0];
  for (let n = 0; n < BOXES + BALLS; n++) {
    const at = (k) => hash(n * 16 + k + 300);
    const isBall = n >= BOXES;
    const size = 0.25 + at(2) * (isBall ? 0.35 : 0.5);
    const glows = isBall && n % 9 === 4;
    const colour = [0.3 + at(3) * 0.65, 0.3 + at(4) * 0.6, 0.3 + at(5) * 0.65];
    data.push(
      (at(0) - 0.5) * 24,
      isBall ? size * 0.95 : 0,
      6 - at(1) * 22,
      size,
      ...colour,
      0.15 + at(6) * 0.7,
      ...(glows ? colour : [0, 0, 0]),
      at(7) < 0.3 ? 1 : 0
    );
  }
  return Float32Array.from(data);
}
function lightData() {
  const data = [];
  for (let n = 0; n < LIGHTS; n++) {
    const at = (k) => hash(n * 8 + k + 77);
    const [r, b] = round(at(3) * 4);
    const power = 2.5;
    data.push(
      (at(0) - 0.5) * 20,
      0.7 + at(2) * 1.5,
      6 - at(1) * 19,
      4.5,
      power * (1 + r),
      power * (0.5 + at(4)),
      power * (1 + b),
      0
    );
  }
  return Float32Array.from(data);
}

const geometry = `${CAMERA}
@group(0) @binding(0) var<uniform> camera: Camera;
struct V {
  @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) n: vec3f,
  @location(2) @interpolate(flat, either) c: vec4f, @location(3) @interpolate(flat, either) glow: vec4f
};
@vertex fn vs(
  @location(0) p: vec3f, @location(1) n: vec3f, @location(2) at: vec4f, @location(3) c: vec4f, @location(4) glow: vec4f
) -> V {
  let w = p * at.w + at.xyz;
  return V(camera.m * vec4f(w, 1), w, n, c, glow);
}
struct Targets {
  @location(0) albedo: vec4f, @location(1) normal: vec4f, @location(2) material: vec4f, @location(3) glow: vec4f
};
@fragment fn fs(v: V) -> Targets {
  let squares = (i32(floor(v.w.x)) + i32(floor(v.w.z))) & 1;
  let floor = f32(v.w.y < 0.001 && squares == 1);
  let far = min(length(v.w - camera.eye) / 64, 1.0) * 65535;
  let high = trunc(far / 256);
  return Targets(
    vec4f(v.c.rgb * (1 - 0.45 * floor), 1), vec4f(normalize(v.n) * 0.5 + 0.5, 1),
    vec4f(v.c.a * (1 - 0.5 * floor), v.glow.a, high / 255, (far - high * 256) / 255), vec4f(v.glow.rgb, 1)
  );
}`;
const lighting = (samples) => `${CAMERA} ${SKY} ${WHOLE}
struct Light { at: vec4f, c: vec4f };
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<uniform> lights: array<Light, ${LIGHTS}>;
${TARGETS.map((_, k) => `@group(0) @binding(${k + 2}) var t${k}: ${samples > 1 ? MANY : ONE};`).join('\n')}
fn lit(at: vec2i, sample: i32, ray: vec3f) -> vec3f {
  let normal = textureLoad(t1, at, sample);
  if (normal.a == 0) { return vec3f(0.02, 0.025, 0.04); }
  let albedo = textureLoad(t0, at, sample).rgb;
  let material = textureLoad(t2, at, sample);
  let n = normalize(normal.xyz * 2 - 1);
  let w = camera.eye + ray * (round(material.b * 255) * 256 + material.a * 255) * (64.0 / 65535);
  let rough = max(material.r * material.r, 0.02);
  var sum = textureLoad(t3, at, sample).rgb * 0.8 + albedo * ambient(n) * 0.1;
  let diffuse = albedo * (1 - material.g);
  let specular = mix(vec3f(0.04), albedo, material.g);
  for (var k = 0; k < ${LIGHTS}; k++) {
    let to = lights[k].at.xyz - w;
    let square = dot(to, to);
    let reach = lights[k].at.w;
    if (square > reach * reach) { continue; }
    let l = to * inverseSqrt(square);
    let fade = saturate(1 - square / (reach * reach));
    let h = normalize(l - ray);
    let nh = max(dot(n, h), 0.0);
    let d = nh * nh * (rough * rough - 1) + 1;
    let shine = min(rough * rough / (d * d * 3.2 + 0.0001), 20.0);
    sum += (diffuse + specular * shine) * lights[k].c.rgb * max(dot(n, l), 0.0) * fade * fade / (1 + square);
  }
  return sum;
}
@fragment fn fs(v: Whole) -> @location(0) vec4f {
  let q = vec2f(v.uv.x * 2 - 1, 1 - v.uv.y * 2);
  let ray = normalize(camera.ahead.xyz + q.x * camera.right.xyz + q.y * camera.up.xyz);
  let at = vec2i(v.p.xy);
  ${
    samples === 1
      ? 'return vec4f(display(lit(at, 0, ray) * 2), 1);'
      : `
  let first = textureLoad(t1, at, 0);
  let albedo = textureLoad(t0, at, 0);
  var same = true;
  for (var k = 1; k < ${samples}; k++) {
    let turned = abs(textureLoad(t1, at, k) - first);
    same = same && max(max(turned.x, turned.y), turned.z) < 0.05 && all(textureLoad(t0, at, k) == albedo);
  }
  var c = display(lit(at, 0, ray) * 2);
  if (!same) {
    for (var k = 1; k < ${samples}; k++) { c += display(lit(at, k, ray) * 2); }
    c /= ${samples};
  }
  return vec4f(c, 1);`
  }
}`;

export function deferred(device, o) {
  const picture = canvas(device, { ...o, samples: 1 });
  const depthStencilAttachment = depthAttachment(device, o);
  const camera = cameraOf(device, o, { eye: [0, 4.2, 10], target: [0, 0.3, 0], drift: 4 });
  const views = TARGETS.map((format) =>
    device
      .createTexture({
        size: [o.width, o.height],
        format,
        sampleCount: o.samples,
        usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED,
      })
      .createView()
  );
  const meshes = [
    [meshOf(device, ground(40)), 1],
    [meshOf(device, box()), BOXES],
    [meshOf(device, bumpyBall(24)), BALLS],
  ];
  const places = upload(device, instanceData(), BUFFER.VERTEX);
  const lights = upload(device, lightData(), BUFFER.UNIFORM);
  const filling = pipelineOf(device, geometry, {
    buffers: [POSITION_NORMAL, INSTANCE],
    samples: o.samples,
    cullMode: 'back',
    depth: DEPTH,
    targets: TARGETS.map((format) => ({ format })),
  });
  const shading = pipelineOf(device, lighting(o.samples), { depth: null });
  const fillGroup = bound(device, filling, [camera.buffer]);
  const shadeGroup = bound(device, shading, [camera.buffer, lights, ...views]);
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, tick) => {
        camera.update(tick);
        const fill = encoder.beginRenderPass({
          colorAttachments: views.map((view) => ({
            view,
            loadOp: 'clear',
            storeOp: 'store',
            clearValue: [0, 0, 0, 0],
          })),
          depthStencilAttachment,
        });
        fill.setPipeline(filling);
        fill.setBindGroup(0, fillGroup);
        fill.setVertexBuffer(1, places);
        let first = 0;
        for (const [mesh, count] of meshes) {
          mesh.draw(fill, count, first);
          first += count;
        }
        fill.end();
        const shade = encoder.beginRenderPass({ colorAttachments: [picture.attachment()] });
        shade.setPipeline(shading);
        shade.setBindGroup(0, shadeGroup);
        shade.draw(3);
        shade.end();
      }),
  };
}
