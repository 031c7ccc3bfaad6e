// Puffs of smoke and sparks: rotated quads of 16 to 112 pixels that read an atlas, translucent, with about six layers
// everywhere.
import {
  BUFFER,
  FORMAT,
  OVER,
  TEXTURE,
  bound,
  canvas,
  floats,
  hash,
  noise,
  pipelineOf,
  round,
  upload,
} from './kit.mjs';

const COUNT = 1600;
const SIDE = 128;
const KINDS = 4;

/** Round clouds, each different and denser in the middle; white, with alpha. */
function atlasOf(device) {
  const texels = new Uint8Array(SIDE * KINDS * SIDE * 4).fill(255);
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE * KINDS; x++) {
      const kind = Math.floor(x / SIDE);
      const u = (((x % SIDE) + 0.5) / SIDE) * 2 - 1;
      const v = ((y + 0.5) / SIDE) * 2 - 1;
      const cloud = 0.6 * noise(u * 3, v * 3, kind) + 0.4 * noise(u * 7, v * 7, kind + 9);
      const alpha = Math.min(1, Math.max(0, (1 - u * u - v * v) * (0.8 + 0.7 * cloud)));
      texels[(y * SIDE * KINDS + x) * 4 + 3] = Math.round(alpha * 255);
    }
  const size = [SIDE * KINDS, SIDE];
  const texture = device.createTexture({ size, format: FORMAT, usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST });
  device.queue.writeTexture({ texture }, texels, { bytesPerRow: SIDE * KINDS * 4 }, size);
  return texture;
}

/** Position (−1 … 1) and half the size in pixels; rotation and kind; colour. */
function instanceData() {
  return Float32Array.from(
    Array.from({ length: COUNT }, (_, n) => {
      const at = (k) => hash(n * 16 + k + 500);
      const isSpark = n % 4 === 0;
      const [c, s] = round(at(3) * 4);
      const size = isSpark ? 8 + at(2) * 12 : 20 + at(2) * 36;
      const grey = 0.25 + at(4) * 0.5;
      const color = isSpark ? [1, 0.55 + at(5) * 0.35, 0.2, 0.9] : [grey, grey, grey + 0.06, 0.2 + at(5) * 0.3];
      return [at(0) * 2 - 1, at(1) * 2 - 1, size, Math.floor(at(6) * KINDS), c, s, ...color];
    }).flat()
  );
}

const code = ({ width, height }) => `
@group(0) @binding(0) var<uniform> tick: f32;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var atlas: texture_2d<f32>;
struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(1) @interpolate(flat, either) c: vec4f };
@vertex fn vs(
  @builtin(vertex_index) i: u32, @location(0) at: vec4f, @location(1) turn: vec2f, @location(2) c: vec4f
) -> V {
  let k = select(i - 2u, i, i < 3u);
  let q = vec2f(f32(k & 1u), f32(k >> 1u)) * 2 - 1;
  let p = vec2f(q.x * turn.x - q.y * turn.y, q.x * turn.y + q.y * turn.x) * at.z / vec2f(${width / 2}, ${height / 2});
  let uv = vec2f((q.x * 0.48 + 0.5 + at.w) / ${KINDS}, q.y * 0.48 + 0.5);
  return V(vec4f(at.xy + tick + p, 0, 1), uv, c);
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let a = v.c.a * textureSampleLevel(atlas, s, v.uv, 0).a;
  return vec4f(v.c.rgb * a, a);
}`;

export function sprites(device, o) {
  const picture = canvas(device, o);
  const tick = upload(device, Float32Array.of(0), BUFFER.UNIFORM);
  const pipeline = pipelineOf(device, code(o), {
    buffers: [floats([4, 2, 4], { stepMode: 'instance' })],
    samples: o.samples,
    depth: null,
    targets: [{ format: FORMAT, blend: OVER }],
  });
  const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear' });
  const group = bound(device, pipeline, [tick, sampler, atlasOf(device).createView()]);
  const places = upload(device, instanceData(), BUFFER.VERTEX);
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, now) => {
        device.queue.writeBuffer(tick, 0, Float32Array.of(now));
        const pass = encoder.beginRenderPass({ colorAttachments: [picture.attachment([0.1, 0.12, 0.15, 1])] });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.setVertexBuffer(0, places);
        pass.draw(6, COUNT);
        pass.end();
      }),
  };
}
