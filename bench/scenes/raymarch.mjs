// One full-screen triangle whose shader marches rays through a distance field: shapes that blend into each other over a
// checkered floor, with soft shadows and ambient occlusion.
import { CAMERA, SKY, WHOLE, bound, cameraOf, canvas, depthAttachment, pipelineOf } from './kit.mjs';

const code = `${CAMERA} ${SKY} ${WHOLE}
@group(0) @binding(0) var<uniform> camera: Camera;
fn melt(a: f32, b: f32, k: f32) -> f32 {
  let h = saturate(0.5 + 0.5 * (b - a) / k);
  return mix(b, a, h) - k * h * (1 - h);
}
fn box(p: vec3f, b: vec3f, r: f32) -> f32 {
  let q = abs(p) - b + r;
  return length(max(q, vec3f(0))) + min(max(q.x, max(q.y, q.z)), 0.0) - r;
}
fn shapes(p: vec3f) -> vec2f { // distance, material
  let ring = vec2f(length(p.xy - vec2f(1.7, 0.95)) - 0.75, p.z + 0.1);
  let torus = length(ring) - 0.22;
  let blob = melt(length(p - vec3f(-0.35, 0.7, 0)) - 0.7, length(p - vec3f(0.35, 1.25, 0.25)) - 0.42, 0.35);
  let room = max(box(p - vec3f(-1.9, 0.75, -0.2), vec3f(0.75), 0.08), 0.92 - length(p - vec3f(-1.9, 0.75, -0.2)));
  let pillar = max(length(p.xz - vec2f(clamp(round(p.x / 1.6), -3.0, 3.0) * 1.6, -2.4)) - 0.25, p.y - 2.2);
  var d = vec2f(torus, 1);
  if (blob < d.x) { d = vec2f(blob, 2); }
  if (room < d.x) { d = vec2f(room, 3); }
  if (pillar < d.x) { d = vec2f(pillar, 4); }
  return d;
}
fn field(p: vec3f) -> f32 { return min(p.y, shapes(p).x); }
fn normalAt(p: vec3f) -> vec3f {
  let e = vec2f(1, -1) * 0.001;
  return normalize(e.xyy * field(p + e.xyy) + e.yyx * field(p + e.yyx) + e.yxy * field(p + e.yxy)
    + e.xxx * field(p + e.xxx));
}
fn shadow(p: vec3f, d: vec3f) -> f32 {
  var lit = 1.0;
  var t = 0.02;
  for (var k = 0; k < 32; k++) {
    let h = field(p + d * t);
    lit = min(lit, 9 * h / t);
    t += clamp(h, 0.02, 0.25);
    if (lit < 0.005 || t > 6) { break; }
  }
  let s = saturate(lit);
  return s * s * (3 - 2 * s);
}
fn occlusion(p: vec3f, n: vec3f) -> f32 {
  var sum = 0.0;
  var scale = 1.0;
  for (var k = 0; k < 5; k++) {
    let h = 0.02 + 0.11 * f32(k);
    sum += (h - field(p + n * h)) * scale;
    scale *= 0.85;
  }
  return saturate(1 - 1.3 * sum);
}
@fragment fn fs(v: Whole) -> @location(0) vec4f {
  let q = vec2f(v.uv.x * 2 - 1, 1 - v.uv.y * 2);
  let d = normalize(camera.ahead.xyz + q.x * camera.right.xyz + q.y * camera.up.xyz);
  var t = 0.5;
  for (var k = 0; k < 96; k++) {
    let h = field(camera.eye + d * t);
    if (h < 0.0008 * t || t > 40) { break; }
    t += h;
  }
  if (t > 40) { return vec4f(display(sky(vec3f(d.x, max(d.y, 0.03), d.z))), 1); }
  let p = camera.eye + d * t;
  let n = normalAt(p);
  let nearest = shapes(p);
  let material = select(nearest.y, 0.0, p.y < nearest.x);
  let squares = (i32(floor(p.x * 1.5)) + i32(floor(p.z * 1.5))) & 1;
  var base = mix(vec3f(0.5, 0.48, 0.44), vec3f(0.25, 0.25, 0.27), f32(squares));
  if (material > 0.5) { base = 0.55 + 0.4 * vec3f(material - 2.2, 0.8 - abs(material - 2), 1.6 - material) * 0.6; }
  let l = normalize(SUN + vec3f(0.2, 0, 0));
  let h = normalize(l - d);
  let sun = max(dot(n, l), 0.0) * shadow(p + n * 0.003, l);
  let shine = 0.6 * pow(max(dot(n, h), 0.0), 60.0) * sun;
  let c = base * (ambient(n) * occlusion(p, n) + vec3f(2.6, 2.3, 1.8) * sun) + shine;
  return vec4f(display(mix(c, sky(vec3f(d.x, 0.03, d.z)), 1 - exp2(-0.003 * t * t))), 1);
}`;

export function raymarch(device, o) {
  const picture = canvas(device, o);
  const camera = cameraOf(device, o, { eye: [0.6, 2.1, 5.2], target: [0, 0.75, 0], drift: 4, cot: 2 });
  const depthStencilAttachment = depthAttachment(device, o);
  const pipeline = pipelineOf(device, code, {
    samples: o.samples,
    depth: { format: 'depth32float', depthCompare: 'always', depthWriteEnabled: false },
  });
  const group = bound(device, pipeline, [camera.buffer]);
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, tick) => {
        camera.update(tick);
        const pass = encoder.beginRenderPass({ colorAttachments: [picture.attachment()], depthStencilAttachment });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.draw(3);
        pass.end();
      }),
  };
}
