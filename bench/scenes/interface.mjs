// A window of an application: 500 widgets, each a draw call of ten quads with its own scissor rectangle. Rounded
// rectangles, soft shadows and pictures, blended.
import { BUFFER, FORMAT, OVER, bound, canvas, floats, hash, noise, pipelineOf, upload } from './kit.mjs';
import { layersOf } from './textures.mjs';

const COLUMNS = 25;
const ROWS = 20;
const QUADS = 10;
const WIDTH = 1280;
const HEIGHT = 720;
const PICTURES = 3;
const SIDE = 64;
const QUAD = floats([4, 4, 4], { stepMode: 'instance' });
const SHADE = [
  [0.24, 0.3, 0.42],
  [0.2, 0.42, 0.5],
  [0.45, 0.34, 0.5],
  [0.52, 0.42, 0.26],
];

/** x, y, width, height; colour (straight alpha); radius, softness, picture or −1, u. In points of 1280 × 720. */
function widgetQuads(n, { x, y, w, h }) {
  const at = (k) => hash(n * 32 + k);
  const hue = SHADE[Math.floor(at(0) * 4)];
  const quads = [];
  const quad = (place, colour, radius, soft = 0.7, picture = -1) =>
    quads.push([...place, ...colour, radius, soft, picture, 0]);
  const image = Math.floor(at(1) * PICTURES);
  const active = at(2) < 0.12;
  const part = at(3);
  quad([x + 1, y + 3, w - 2, h - 3], [0, 0, 0, 0.45], 7, 5);
  quad([x + 2, y + 2, w - 4, h - 5], active ? [0.85, 0.55, 0.2, 1] : [0.17, 0.18, 0.21, 1], 5);
  quad([x + 3, y + 3, w - 6, h - 7], [...hue.map((c) => c * (active ? 1.1 : 0.6)), 1], 4);
  quad([x + 5, y + 6, 19, 19], [1, 1, 1, 1], 4, 0.7, image);
  // Sometimes wider than the widget.
  quad([x + 27, y + 7, (w - 31) * (0.5 + 0.8 * at(4)), 5], [0.92, 0.93, 0.95, 0.9], 2);
  quad([x + 27, y + 15, (w - 33) * (0.4 + 0.5 * at(5)), 4], [0.92, 0.93, 0.95, 0.45], 2);
  quad([x + 5, y + 28, w - 10, 4], [0, 0, 0, 0.4], 2);
  quad([x + 5, y + 28, (w - 10) * part, 4], [0.95, 0.75, 0.3, 0.9], 2);
  quad([x + 2 + (w - 10) * part, y + 26.5, 7, 7], [1, 1, 1, 0.95], 3.5);
  quad([x + w - 11, y - 3, 16, 16], at(6) < 0.3 ? [0.9, 0.25, 0.25, 0.95] : [1, 1, 1, 0.1], 8); // clipped
  return quads;
}

/** Returns all widgets: their quads, and their scissor rectangles. */
function layout() {
  const w = WIDTH / COLUMNS;
  const h = HEIGHT / ROWS;
  const widgets = [];
  for (let row = 0; row < ROWS; row++)
    for (let column = 0; column < COLUMNS; column++) {
      const n = row * COLUMNS + column;
      const place = { x: column * w, y: row * h, w, h };
      widgets.push({ quads: widgetQuads(n, place), ...place, picture: n % PICTURES });
    }
  return widgets;
}

function pictureTexel(kind, x, y) {
  const u = x / SIDE - 0.5;
  const v = y / SIDE - 0.5;
  const n = noise(x / 9, y / 9, kind + 40) * 0.5 + 0.5;
  const hill = v > 0.15 * noise(x / 14, kind, 3) + 0.1 ? 1 : 0;
  const sun = u * u + (v + 0.2) * (v + 0.2) < 0.02 ? 1 : 0;
  const sky = [
    [120, 180, 240],
    [240, 150, 90],
    [60, 60, 120],
  ][kind];
  const land = [
    [60, 130, 60],
    [110, 70, 50],
    [30, 50, 70],
  ][kind];
  return [0, 1, 2]
    .map((c) => Math.floor(sun ? 250 : hill ? land[c] * (0.7 + 0.5 * n) : sky[c] * (0.85 + 0.15 * n)))
    .concat(255);
}

const code = `
struct Window { tick: f32 };
@group(0) @binding(0) var<uniform> window: Window;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var picture: texture_2d<f32>;
struct V {
  @builtin(position) p: vec4f, @location(0) q: vec2f, @location(1) uv: vec2f,
  @location(2) @interpolate(flat, either) half: vec2f, @location(3) @interpolate(flat, either) c: vec4f,
  @location(4) @interpolate(flat, either) kind: vec4f
};
@vertex fn vs(
  @builtin(vertex_index) i: u32, @location(0) place: vec4f, @location(1) c: vec4f, @location(2) kind: vec4f
) -> V {
  let k = select(i - 2u, i, i < 3u);
  let uv = vec2f(f32(k & 1u), f32(k >> 1u));
  let half = place.zw / 2;
  let q = (uv * 2 - 1) * (half + kind.y);
  let p = place.xy + half + q + vec2f(window.tick * 20, 0);
  return V(vec4f(p.x / ${WIDTH / 2} - 1, 1 - p.y / ${HEIGHT / 2}, 0, 1), q, uv, half, c, kind);
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  let d = abs(v.q) - v.half + v.kind.x;
  let far = length(max(d, vec2f(0))) + min(max(d.x, d.y), 0.0) - v.kind.x;
  let texel = textureSample(picture, s, v.uv);
  let c = select(v.c, texel, v.kind.z >= 0);
  let a = c.a * (1 - smoothstep(-v.kind.y, v.kind.y, far));
  return vec4f(c.rgb * a, a);
}`;

export function userInterface(device, o) {
  const picture = canvas(device, o);
  const widgets = layout();
  const quads = upload(device, Float32Array.from(widgets.flatMap((widget) => widget.quads.flat())), BUFFER.VERTEX);
  const tick = device.createBuffer({ size: 16, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  const pipeline = pipelineOf(device, code, {
    buffers: [QUAD],
    samples: o.samples,
    depth: null,
    targets: [{ format: FORMAT, blend: OVER }],
  });
  const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' });
  const groups = Array.from({ length: PICTURES }, (_, kind) =>
    bound(device, pipeline, [tick, sampler, layersOf(device, SIDE, 1, (x, y) => pictureTexel(kind, x, y)).createView()])
  );
  const scaled = (x, y) => [Math.floor((x * o.width) / WIDTH + 0.5), Math.floor((y * o.height) / HEIGHT + 0.5)];
  const clips = widgets.map(({ x, y, w, h }) => {
    const [left, top] = scaled(x, y);
    const [right, bottom] = scaled(x + w - 1, y + h);
    return [left, top, right - left, bottom - top];
  });
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, now) => {
        device.queue.writeBuffer(tick, 0, Float32Array.of(now));
        const pass = encoder.beginRenderPass({ colorAttachments: [picture.attachment([0.1, 0.11, 0.13, 1])] });
        pass.setPipeline(pipeline);
        pass.setVertexBuffer(0, quads);
        for (let n = 0; n < widgets.length; n++) {
          pass.setBindGroup(0, groups[widgets[n].picture]);
          pass.setScissorRect(...clips[n]);
          pass.draw(6, QUADS, 0, n * QUADS);
        }
        pass.end();
      }),
  };
}
