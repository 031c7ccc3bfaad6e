// Shapes without triangles, for examples/shading/shapes.mjs and the benchmarks. One draw call covers the whole picture,
// with four samples per pixel. Its shader visits a list of discs, rings, bars and stars from the nearest to the
// farthest. The scene is drawn in two ways, which give the same picture:
//
//   dispatch  The shader runs once per pixel. It colours each shape that covers samples once, and dispatches the colour
//             to those samples that no nearer shape covers (US 9,082,212, "dispatches"). It ends when all samples are
//             covered.
//   sample    The shader runs once per sample and colours the nearest shape that covers it.
//
// The scene uses only exactly rounded Math functions, so that it is the same on every platform.

const USAGE = { COPY_DST: 8, UNIFORM: 64, ATTACHMENT: 16, COPY_SRC: 1 };
const KINDS = 4;
const WORDS = 12;

/** Returns a generator of pseudo-random numbers from 0 up to, but not including, 1. */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Position, size, stroke width; direction, kind, stripes; colour. The nearest shape comes first. */
function listOf(count) {
  const random = randomOf(7);
  const words = new Float32Array(count * WORDS);
  for (let i = 0; i < count; i++) {
    const size = 0.04 + 0.3 * (i / count) * random() + 0.05 * random();
    const u = random() * 2 - 1;
    const d = 1 + u * u;
    words.set(
      [
        random() * 2.4 - 0.4,
        random() * 1.4 - 0.2,
        size,
        size * (0.15 + 0.25 * random()),
        (1 - u * u) / d,
        (2 * u) / d,
        i % KINDS,
        20 + Math.floor(random() * 60),
        0.25 + 0.75 * random(),
        0.25 + 0.7 * random(),
        0.25 + 0.7 * random(),
        1,
      ],
      i * WORDS
    );
  }
  return words;
}

const SHAPES = (count, height) => `
struct Shape { at: vec2f, size: f32, stroke: f32, way: vec2f, kind: f32, stripes: f32, color: vec4f }
@group(0) @binding(0) var<uniform> shapes: array<Shape, ${count}>;
@vertex fn all(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}
// Where the four samples of a pixel lie.
const places = array(vec2f(0.375, 0.125), vec2f(0.875, 0.375), vec2f(0.125, 0.625), vec2f(0.625, 0.875));
fn placeOf(pixel: vec2f, k: u32) -> vec2f { return (floor(pixel) + places[k]) / ${height}; }
// Whether a shape is near enough to a pixel to cover any of it.
fn isNear(s: Shape, pixel: vec2f) -> bool {
  let way = pixel / ${height} - s.at;
  let reach = s.size * 1.1 + s.stroke + 2.0 / ${height};
  return dot(way, way) < reach * reach;
}
fn covers(s: Shape, p: vec2f) -> bool {
  let d = p - s.at;
  let turned = vec2f(dot(d, s.way), dot(d, vec2f(-s.way.y, s.way.x)));
  let away = length(d);
  switch u32(s.kind) {
    case 0 { return away < s.size; }
    case 1 { return abs(away - s.size) < s.stroke; }
    case 2 { return abs(turned.x) < s.size && abs(turned.y) < s.stroke; }
    default {
      // Two squares, one turned by an eighth.
      let a = abs(turned);
      return max(a.x, a.y) < s.size * 0.7 || a.x + a.y < s.size;
    }
  }
}
// Stripes with grain, softly lit from above.
fn colorOf(s: Shape, pixel: vec2f) -> vec4f {
  let p = pixel / ${height};
  var q = p * s.stripes;
  for (var k = 0; k < 6; k++) { q = fract(q * vec2f(1.37, 1.91) + q.yx * 0.73 + 0.11); }
  let stripe = smoothstep(0.42, 0.58, abs(fract(dot(p, s.way) * s.stripes) - 0.5) * 2);
  let light = 0.8 + 0.35 * clamp((s.at.y - p.y) / s.size, -1, 1);
  return vec4f(s.color.rgb * light * (0.86 + 0.14 * stripe) * (0.95 + 0.05 * q.x), 1);
}
const paper = vec4f(0.96, 0.95, 0.92, 1);`;

const DISPATCH = (count) => `
@fragment fn dispatch(@builtin(position) position: vec4f) {
  var left = 15u;
  for (var i = 0; i < ${count} && left != 0; i++) {
    if (!isNear(shapes[i], position.xy)) { continue; }
    var mask = 0u;
    for (var k = 0u; k < 4; k++) { mask |= u32(covers(shapes[i], placeOf(position.xy, k))) << k; }
    mask &= left;
    if (mask == 0) { continue; }
    dispatchSamples(mask, colorOf(shapes[i], position.xy));
    left &= ~mask;
  }
  dispatchSamples(left, paper);
}`;
const SAMPLE = (count) => `
@fragment fn sample(@builtin(position) position: vec4f, @builtin(sample_index) k: u32) -> @location(0) vec4f {
  for (var i = 0; i < ${count}; i++) {
    // Of the pixel: position is the sample's own here.
    let pixel = floor(position.xy) + 0.5;
    if (isNear(shapes[i], pixel) && covers(shapes[i], placeOf(pixel, k))) { return colorOf(shapes[i], pixel); }
  }
  return paper;
}`;

/** Creates the scene on a device with the feature 'fragment-stages'. `render(way)` draws a frame into `color`. */
export function shapesScene(device, { width, height, count = 48, format = 'rgba8unorm' }) {
  const size = [width, height];
  const samples = 4;
  const color = device.createTexture({ size, format, usage: USAGE.ATTACHMENT | USAGE.COPY_SRC });
  const many = device.createTexture({ size, format, sampleCount: samples, usage: USAGE.ATTACHMENT });
  const list = listOf(count);
  const shapes = device.createBuffer({ size: list.byteLength, usage: USAGE.UNIFORM | USAGE.COPY_DST });
  device.queue.writeBuffer(shapes, 0, list);
  const module = device.createShaderModule({
    code: `enable fragment_stages; ${SHAPES(count, height)} ${DISPATCH(count)} ${SAMPLE(count)}`,
  });
  const ways = Object.fromEntries(
    ['dispatch', 'sample'].map((entryPoint) => {
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, entryPoint, targets: [{ format }] },
        multisample: { count: samples },
      });
      return [
        entryPoint,
        {
          pipeline,
          group: device.createBindGroup({
            layout: pipeline.getBindGroupLayout(0),
            entries: [{ binding: 0, resource: { buffer: shapes } }],
          }),
        },
      ];
    })
  );
  return {
    color,
    render(way) {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          { view: many.createView(), resolveTarget: color.createView(), loadOp: 'clear', storeOp: 'discard' },
        ],
      });
      pass.setPipeline(ways[way].pipeline);
      pass.setBindGroup(0, ways[way].group);
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
  };
}
