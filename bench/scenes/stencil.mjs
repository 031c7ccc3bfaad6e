// A mirror by stencil: marks the mirror, clears its depth, draws the reflected scene in the marked area and blends the
// glass over it. Then outlines: marks objects while drawing them, and draws them again, enlarged, outside the mark.
import {
  BUFFER,
  CAMERA,
  FORMAT,
  OVER,
  SKY,
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

const BOXES = 60;
const BALLS = 60;
const CHOSEN = 5;
const MIRROR_Z = -6;
const MIRROR = 1;
const MARKED = 2;
const STENCIL = 'depth24plus-stencil8';
const INSTANCE = floats([4, 3], { first: 2, stepMode: 'instance' });
const depthOf = (compare, passOp = 'keep', rest = {}) => ({
  format: STENCIL,
  depthCompare: 'less',
  depthWriteEnabled: true,
  stencilFront: { compare, passOp },
  stencilBack: { compare, passOp },
  ...rest,
});

/** The ground, then boxes, then balls, then the selected balls: position, size, colour. */
function instanceData() {
  const data = [0, 0, 0, 1, 0.5, 0.47, 0.42];
  for (let n = 0; n < BOXES + BALLS; n++) {
    const at = (k) => hash(n * 8 + k + 5000);
    const size = 0.2 + at(2) * 0.35;
    data.push(
      (at(0) - 0.5) * 20,
      n < BOXES ? 0 : size * 0.95,
      MIRROR_Z + 1 + at(1) * 11,
      size,
      0.25 + at(3) * 0.7,
      0.25 + at(4) * 0.5,
      0.2 + at(5) * 0.7
    );
  }
  for (let n = 0; n < CHOSEN; n++) data.push((n - 2) * 2.6, 1.9 + (n & 1) * 0.7, -1 + (n % 3), 0.75, 0.85, 0.8, 0.75);
  return Float32Array.from(data);
}

const code = `${CAMERA} ${SKY}
override reflected: f32 = 0; override grow: f32 = 0;
@group(0) @binding(0) var<uniform> camera: Camera;
struct V { @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) n: vec3f, @location(2) c: vec3f };
@vertex fn vs(@location(0) p: vec3f, @location(1) n: vec3f, @location(2) at: vec4f, @location(3) c: vec3f) -> V {
  var w = p * at.w + at.xyz + n * grow;
  let seen = vec3f(w.xy, mix(w.z, ${2 * MIRROR_Z} - w.z, reflected));
  return V(camera.m * vec4f(seen, 1), w, n, c);
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let n = normalize(v.n);
  let checks = (i32(floor(v.w.x)) + i32(floor(v.w.z))) & 1;
  let base = v.c * select(1.0, 0.7, checks == 1 && v.w.y < 0.001);
  return vec4f(display(base * (ambient(n) + vec3f(1.6, 1.5, 1.3) * max(dot(n, normalize(SUN)), 0.0))), 1);
}`;
const outline =
  code.slice(0, code.indexOf('@fragment'))
  + '@fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(1, 0.55, 0.08, 1); }';
const glass = `${CAMERA}
@group(0) @binding(0) var<uniform> camera: Camera;
override cleared: f32 = 0;
struct V { @builtin(position) p: vec4f, @location(0) q: vec2f };
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
  let k = select(i - 2u, i, i < 3u);
  let q = vec2f(f32(k & 1u), f32(k >> 1u));
  var p = camera.m * vec4f(q.x * 18 - 9, q.y * 5.5 + 0.15, ${MIRROR_Z}, 1);
  p.z = mix(p.z, p.w, cleared); // as far away as depth goes: the mirror's own area is free again
  return V(p, q);
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let edge = min(min(v.q.x * 18, 18 - v.q.x * 18), min(v.q.y * 5.5, 5.5 - v.q.y * 5.5));
  let frame = 1 - smoothstep(0.12, 0.16, edge);
  let shine = 0.14 + 0.25 * (1 - smoothstep(0.06, 0.1, abs(fract(v.q.x * 1.5 + v.q.y * 0.4) - 0.5)));
  let a = mix(shine, 1.0, frame);
  return vec4f(mix(vec3f(0.6, 0.75, 0.8), vec3f(0.35, 0.25, 0.15), frame) * a, a);
}`;

function pipelinesOf(device, samples) {
  const buffers = [POSITION_NORMAL, INSTANCE];
  const nothing = [{ format: FORMAT, writeMask: 0 }];
  const glassOf = (depth, targets, program = glass) => pipelineOf(device, program, { samples, depth, targets });
  const clearing = glass.replace('cleared: f32 = 0', 'cleared: f32 = 1');
  const reflecting = code.replace('reflected: f32 = 0', 'reflected: f32 = 1');
  return {
    plain: pipelineOf(device, code, { buffers, samples, cullMode: 'back', depth: depthOf('always') }),
    mark: glassOf(depthOf('always', 'replace', { depthWriteEnabled: false }), nothing),
    clear: glassOf(depthOf('equal', 'keep', { depthCompare: 'always' }), nothing, clearing),
    reflected: pipelineOf(device, reflecting, { buffers, samples, cullMode: 'front', depth: depthOf('equal') }),
    glass: glassOf(depthOf('equal', 'keep', { depthCompare: 'always' }), [{ format: FORMAT, blend: OVER }]),
    chosen: pipelineOf(device, code, { buffers, samples, cullMode: 'back', depth: depthOf('always', 'replace') }),
    outline: pipelineOf(device, outline.replace('grow: f32 = 0', 'grow: f32 = 0.09'), {
      buffers,
      samples,
      depth: depthOf('not-equal'),
    }),
  };
}

export function stencil(device, o) {
  const picture = canvas(device, o);
  const depthStencilAttachment = depthAttachment(device, o, STENCIL);
  const camera = cameraOf(device, o, { eye: [1.5, 5.6, 10.5], target: [0, 1.2, -3], drift: 4, cot: 1.7 });
  const floor = meshOf(device, ground(14));
  const boxes = meshOf(device, box());
  const balls = meshOf(device, bumpyBall(20));
  const places = upload(device, instanceData(), BUFFER.VERTEX);
  const pipelines = pipelinesOf(device, o.samples);
  const groups = Object.fromEntries(
    Object.entries(pipelines).map(([name, pipeline]) => [name, bound(device, pipeline, [camera.buffer])])
  );
  const use = (pass, name, reference) => {
    pass.setPipeline(pipelines[name]);
    pass.setBindGroup(0, groups[name]);
    pass.setStencilReference(reference);
  };
  const drawField = (pass) => {
    floor.draw(pass);
    boxes.draw(pass, BOXES, 1);
    balls.draw(pass, BALLS, 1 + BOXES);
  };
  const drawChosen = (pass) => balls.draw(pass, CHOSEN, 1 + BOXES + BALLS);
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, tick) => {
        camera.update(tick);
        const pass = encoder.beginRenderPass({
          colorAttachments: [picture.attachment([0.72, 0.77, 0.82, 1])],
          depthStencilAttachment,
        });
        pass.setVertexBuffer(1, places);
        use(pass, 'plain', 0);
        drawField(pass);
        use(pass, 'chosen', MARKED);
        drawChosen(pass);
        use(pass, 'mark', MIRROR);
        pass.draw(6);
        use(pass, 'clear', MIRROR);
        pass.draw(6);
        use(pass, 'reflected', MIRROR);
        drawField(pass);
        drawChosen(pass);
        use(pass, 'glass', MIRROR);
        pass.draw(6);
        use(pass, 'outline', MARKED);
        drawChosen(pass);
        pass.end();
      }),
  };
}
