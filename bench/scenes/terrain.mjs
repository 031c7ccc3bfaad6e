// A height field of 250 000 triangles, coloured by six layers of one texture (grass, earth, rock, sand, gravel, snow)
// that are blended by height and slope.
import { CAMERA, SKY, bound, cameraOf, canvas, depthAttachment, hash, noise, normalize, pipelineOf } from './kit.mjs';
import { POSITION_NORMAL, ground, meshOf } from './meshes.mjs';
import { layersOf } from './textures.mjs';

const CELLS = 354;
const HALF = 40;
const SIDE = 256;
const LAYERS = 6;

function heightOf(x, z) {
  let sum = 0;
  let gain = 5.5;
  let scale = 0.045;
  for (let octave = 0; octave < 7; octave++) {
    const n = noise(x * scale, z * scale, octave);
    sum += gain * (octave ? n : 1.4 - 2 * Math.abs(n));
    gain *= 0.45;
    scale *= 2.1;
  }
  return sum;
}

function landscape() {
  const { data, index } = ground(HALF, CELLS);
  for (let k = 0; k < data.length; k += 6) data[k + 1] = heightOf(data[k], data[k + 2]);
  const row = (CELLS + 1) * 6;
  const step = (2 * HALF) / CELLS;
  for (let k = 0; k < data.length; k += 6) {
    const x = (k / 6) % (CELLS + 1);
    const z = Math.floor(k / row);
    const west = data[(x ? k - 6 : k) + 1];
    const east = data[(x < CELLS ? k + 6 : k) + 1];
    const north = data[(z ? k - row : k) + 1];
    const south = data[(z < CELLS ? k + row : k) + 1];
    data.set(normalize([west - east, 2 * step, north - south]), k + 3);
  }
  return { data, index };
}

const BASE = [
  [86, 118, 48],
  [120, 92, 62],
  [128, 122, 116],
  [206, 186, 140],
  [110, 104, 92],
  [238, 242, 248],
];
const GRAIN = [60, 50, 46, 24, 80, 12];
function texelOf(x, y, layer) {
  const coarse = noise(x / 16, y / 16, layer + 20) * (layer === 2 ? 1.4 : 0.5);
  const fine = hash(x + y * SIDE + layer * 65536) - 0.5;
  const stripes = layer === 2 ? ((y + coarse * 9) % 23 < 3 ? -0.7 : 0) : 0;
  const d = GRAIN[layer] * (coarse + fine * 0.9 + stripes);
  return [...BASE[layer].map((c) => Math.min(255, Math.max(0, Math.floor(c + d)))), 255];
}

const code = `${CAMERA} ${SKY}
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var layers: texture_2d_array<f32>;
struct V { @builtin(position) p: vec4f, @location(0) w: vec3f, @location(1) n: vec3f };
@vertex fn vs(@location(0) p: vec3f, @location(1) n: vec3f) -> V { return V(camera.m * vec4f(p, 1), p, n); }
@fragment fn fs(v: V) -> @location(0) vec4f {
  let n = normalize(v.n);
  let uv = v.w.xz * 0.45;
  let rock = 1 - smoothstep(0.62, 0.78, n.y);
  let snow = smoothstep(7.2, 8.6, v.w.y + n.y * 0.6) * (1 - rock * 0.8);
  let sand = 1 - smoothstep(0.2, 1.2, v.w.y);
  let earth = 1 - smoothstep(0.8, 0.93, n.y);
  let gravel = smoothstep(4.5, 7.0, v.w.y);
  var c = textureSample(layers, s, uv, 0).rgb;
  c = mix(c, textureSample(layers, s, uv, 1).rgb, earth);
  c = mix(c, textureSample(layers, s, uv * 1.3, 4).rgb, gravel);
  c = mix(c, textureSample(layers, s, uv, 3).rgb, sand);
  c = mix(c, textureSample(layers, s, vec2f(uv.x + uv.y, v.w.y * 0.45), 2).rgb, rock);
  c = mix(c, textureSample(layers, s, uv, 5).rgb, snow);
  let sun = max(dot(n, normalize(vec3f(0.8, 0.5, 0.1))), 0.0);
  let shaded = c * c * (ambient(n) * 1.3 + vec3f(3.4, 3.0, 2.4) * sun);
  let haze = smoothstep(20, 85, length(v.w - camera.eye));
  return vec4f(display(mix(shaded, vec3f(0.6, 0.72, 0.9), haze)), 1);
}`;

export function terrain(device, o) {
  const picture = canvas(device, o);
  const depthStencilAttachment = depthAttachment(device, o);
  const camera = cameraOf(device, o, { eye: [-4, 14, 39], target: [0, 3, 0], drift: 8 });
  const mesh = meshOf(device, landscape());
  const texture = layersOf(device, SIDE, LAYERS, texelOf);
  const sampler = device.createSampler({
    magFilter: 'linear',
    minFilter: 'linear',
    mipmapFilter: 'linear',
    addressModeU: 'repeat',
    addressModeV: 'repeat',
  });
  const pipeline = pipelineOf(device, code, { buffers: [POSITION_NORMAL], samples: o.samples, cullMode: 'back' });
  const group = bound(device, pipeline, [camera.buffer, sampler, texture.createView({ dimension: '2d-array' })]);
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
        mesh.draw(pass);
        pass.end();
      }),
  };
}
