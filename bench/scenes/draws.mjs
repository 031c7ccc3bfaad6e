// 10 000 draw calls of a small shape, each with its own bind group: the cost of a draw call before rasterization.
import {
  BUFFER,
  DEPTH,
  FORMAT,
  bound,
  canvas,
  depthAttachment,
  floats,
  hash,
  pipelineOf,
  round,
  upload,
} from './kit.mjs';

export const DRAWS = 10000;
const COLUMNS = 125;
const ROWS = DRAWS / COLUMNS;
const STRIDE = 256;
const POINTS = 7;

/** A star: a triangle fan. */
function star() {
  const data = [];
  const at = (k) => round((k / (POINTS * 2)) * 4).map((c) => c * (k & 1 ? 0.45 : 1));
  for (let k = 0; k < POINTS * 2; k++) data.push(0, 0, ...at(k), ...at(k + 1));
  return Float32Array.from(data);
}

/** Position and rotation, colour: 256 bytes for each draw call. */
function pieces() {
  const data = new Float32Array((DRAWS * STRIDE) / 4);
  for (let n = 0; n < DRAWS; n++) {
    const x = (((n % COLUMNS) + 0.5) / COLUMNS) * 2 - 1;
    const y = ((Math.floor(n / COLUMNS) + 0.5) / ROWS) * 2 - 1;
    const [c, s] = round(hash(n) * 4);
    const size = 0.7 + 0.5 * hash(n + 20000);
    const far = x * x + y * y;
    data.set(
      [
        x,
        y,
        c * size,
        s * size,
        0.95 - 0.4 * far,
        0.35 + 0.3 * hash(n + 30000) + 0.2 * x,
        0.3 + 0.3 * far,
        hash(n + 40000),
      ],
      (n * STRIDE) / 4
    );
  }
  return data;
}

const code = `
struct Piece { at: vec4f, c: vec4f };
@group(0) @binding(0) var<uniform> piece: Piece;
@group(1) @binding(0) var<uniform> tick: vec4f;
@vertex fn vs(@location(0) p: vec2f) -> @builtin(position) vec4f {
  let q = vec2f(piece.at.z * p.x - piece.at.w * p.y, piece.at.w * p.x + piece.at.z * p.y);
  return vec4f(piece.at.xy + tick.x * 0.5 + q * vec2f(${1 / COLUMNS}, ${1 / ROWS}), piece.c.a, 1);
}
@fragment fn fs() -> @location(0) vec4f { return vec4f(piece.c.rgb, 1); }`;

/**
 * `record` records a frame into an encoder, `replay` one whose draw calls `bundle` has recorded. ../render/draws.mjs
 * measures these separately.
 */
export function draws(device, o) {
  const picture = canvas(device, o);
  const depthStencilAttachment = depthAttachment(device, o);
  const mesh = upload(device, star(), BUFFER.VERTEX);
  const data = upload(device, pieces(), BUFFER.UNIFORM);
  const tick = device.createBuffer({ size: 16, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  const pipeline = pipelineOf(device, code, { buffers: [floats([2])], samples: o.samples, depth: DEPTH });
  const groups = Array.from({ length: DRAWS }, (_, n) =>
    bound(device, pipeline, [{ buffer: data, offset: n * STRIDE, size: 32 }])
  );
  const clock = bound(device, pipeline, [tick], 1);
  /** Records into a pass or a bundle. */
  function encode(target) {
    target.setPipeline(pipeline);
    target.setBindGroup(1, clock);
    target.setVertexBuffer(0, mesh);
    for (let n = 0; n < DRAWS; n++) {
      target.setBindGroup(0, groups[n]);
      target.draw(POINTS * 6);
    }
  }
  function inPass(encoder, draw) {
    const pass = encoder.beginRenderPass({
      colorAttachments: [picture.attachment([0.08, 0.08, 0.12, 1])],
      depthStencilAttachment,
    });
    draw(pass);
    pass.end();
  }
  const record = (encoder) => inPass(encoder, encode);
  function bundle() {
    const made = device.createRenderBundleEncoder({
      colorFormats: [FORMAT],
      depthStencilFormat: DEPTH.format,
      sampleCount: o.samples,
    });
    encode(made);
    return made.finish();
  }
  const replay = (encoder, made) => inPass(encoder, (pass) => pass.executeBundles([made]));
  return {
    color: picture.color,
    record,
    bundle,
    replay,
    render: () =>
      picture.frame((encoder, now) => {
        device.queue.writeBuffer(tick, 0, Float32Array.of(now, 0, 0, 0));
        record(encoder);
      }),
  };
}
