// A gallery of every blend mode and every compositing operator of rasterloom/blends. Each cell blends two shapes with
// gradients of colour and alpha over the same ground. examples/blending/gallery.mjs and the benchmarks use this scene.
// This file also computes the expected value of each sample independently, from the corners of the shapes and
// blend-reference.mjs. It assumes only the sample positions, which all WebGPU implementations share.
import { blendFunction, blendModes, compositeOperators } from 'rasterloom/blends';
import { referenceBlend } from './blend-reference.mjs';

/**
 * Side of a cell in pixels. The sheet's sides are powers of two, so that the vertex shader computes corners exactly.
 */
export const CELL = 64;
const COLUMNS = 8;
const ROWS = 4;
export const SHEET = { width: COLUMNS * CELL, height: ROWS * CELL, columns: COLUMNS };
const SAMPLES = 4;
const FORMAT = 'rgba8unorm';
const OVER = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
/** Sample positions in sixteenths of a pixel. */
const PLACES = [
  [6, 2],
  [14, 6],
  [2, 10],
  [10, 14],
];

/** Every mode with the operator source-over, then every operator with the mode 'normal'. */
export const cells = [
  ...blendModes.map((mode) => ({ name: mode, mode, operator: 'source-over' })),
  ...compositeOperators.map((operator) => ({ name: operator, mode: 'normal', operator })),
];

/** Corners in pixels of the cell, clockwise on the screen. No edge passes through a sample. */
const GROUND = [
  [4, 9],
  [46, 3],
  [52, 42],
  [12, 54],
];
const SOURCE = [
  [34, 8],
  [60, 37],
  [30, 60],
  [14, 31],
];
const list = (corners) => corners.map((corner) => `vec2f(${corner})`).join(', ');

const paint = `
enable fragment_stages;
struct Seen { @builtin(position) position: vec4f }
fn placed(corner: vec2f, cell: u32) -> Seen {
  let at = vec2f(f32(cell % ${COLUMNS}), f32(cell / ${COLUMNS})) * ${CELL} + corner;
  return Seen(vec4f(at * vec2f(${2 / SHEET.width}, ${-2 / SHEET.height}) + vec2f(-1, 1), 0, 1));
}
const order = array(0, 1, 2, 0, 2, 3);
@vertex fn groundCorner(@builtin(vertex_index) i: u32, @builtin(instance_index) cell: u32) -> Seen {
  let corners = array(${list(GROUND)});
  return placed(corners[order[i]], cell);
}
@vertex fn sourceCorner(@builtin(vertex_index) i: u32, @builtin(instance_index) cell: u32) -> Seen {
  let corners = array(${list(SOURCE)});
  return placed(corners[order[i]], cell);
}
// 0 … 1 across the cell; all that follows is exact in single precision.
fn within(seen: Seen) -> vec2f { return fract(seen.position.xy / ${CELL}); }
@fragment fn ground(seen: Seen) -> @location(0) vec4f {
  let p = within(seen);
  let alpha = 0.5 + 0.5 * p.y;
  return vec4f(vec3f(p.x, 1 - p.y, 0.75) * alpha, alpha);
}
fn sourceColor(seen: Seen) -> vec4f {
  let p = within(seen);
  let alpha = 1 - 0.5 * p.x;
  return vec4f(vec3f(1 - p.y, 0.25 + 0.5 * p.x, p.x) * alpha, alpha);
}
@fragment fn source(seen: Seen) -> @location(0) vec4f { return sourceColor(seen); }`;
/** WGSL that blends the source over the render target by a mode and an operator. */
const blending = (mode, operator) => `${paint}${blendFunction({ mode, operator })}
@fragment fn blended(seen: Seen, @color(0) below: vec4f) -> @location(0) vec4f {
  return blend(sourceColor(seen), below);
}`;

/** Premultiplied colours of the shapes at p, which is 0 … 1 across the cell. */
function groundAt([x, y]) {
  const alpha = 0.5 + 0.5 * y;
  return [...[x, 1 - y, 0.75].map((c) => c * alpha), alpha];
}
function sourceAt([x, y]) {
  const alpha = 1 - 0.5 * x;
  return [...[1 - y, 0.25 + 0.5 * x, x].map((c) => c * alpha), alpha];
}

/**
 * Creates the gallery on a device with the feature 'fragment-stages'. `render` draws into the texture `color`, which is
 * premultiplied. With `byState`, all cells use source-over by the pipeline's blend state; the benchmarks compare with
 * it.
 */
export function gallery(device, { byState = false } = {}) {
  const size = [SHEET.width, SHEET.height];
  const ATTACHMENT = 16;
  const COPY_SRC = 1;
  const color = device.createTexture({ label: 'gallery', size, format: FORMAT, usage: ATTACHMENT | COPY_SRC });
  const many = device.createTexture({ size, format: FORMAT, sampleCount: SAMPLES, usage: ATTACHMENT });
  const module = device.createShaderModule({ code: paint });
  const pipeline = (vertex, fragment, program, state = {}) =>
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint: vertex },
      fragment: { module: program, entryPoint: fragment, targets: [{ format: FORMAT, ...state }] },
      multisample: { count: SAMPLES },
    });
  const ground = pipeline('groundCorner', 'ground', module);
  const blends = cells.map(({ mode, operator }) =>
    byState
      ? pipeline('sourceCorner', 'source', module, { blend: { color: OVER, alpha: OVER } })
      : pipeline('sourceCorner', 'blended', device.createShaderModule({ code: blending(mode, operator) }))
  );
  return {
    color,
    render() {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          {
            view: many.createView(),
            resolveTarget: color.createView(),
            loadOp: 'clear',
            storeOp: 'discard',
            clearValue: [0, 0, 0, 0],
          },
        ],
      });
      pass.setPipeline(ground);
      pass.draw(6, cells.length);
      blends.forEach((blend, cell) => {
        pass.setPipeline(blend);
        pass.draw(6, 1, 0, cell);
      });
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
  };
}

/** Whether a position, in sixteenths of a pixel, is inside a shape: to the right of all its clockwise edges. */
const covers = (corners, [x, y]) =>
  corners.every(([ax, ay], i) => {
    const [bx, by] = corners[(i + 1) % corners.length];
    return (bx - ax) * (y - ay * 16) - (by - ay) * (x - ax * 16) > 0;
  });
const stored = (color) => color.map((c) => Math.fround(Math.round(Math.min(Math.max(c, 0), 1) * 255) / 255));

/** Returns the expected value of a cell's pixel: 0 … 255, the mean of its samples. */
function expectedPixel(blend, x, y) {
  const p = [(x + 0.5) / CELL, (y + 0.5) / CELL];
  const sum = [0, 0, 0, 0];
  for (const [dx, dy] of PLACES) {
    const at = [x * 16 + dx, y * 16 + dy];
    const below = covers(GROUND, at) ? stored(groundAt(p)) : [0, 0, 0, 0];
    const after = covers(SOURCE, at) ? stored(blend(sourceAt(p), below)) : below;
    after.forEach((c, i) => {
      sum[i] += c;
    });
  }
  return sum.map((c) => Math.round((c / PLACES.length) * 255));
}

/** Returns the whole expected sheet, row by row. */
export function expectedGallery() {
  const pixels = new Uint8Array(SHEET.width * SHEET.height * 4);
  cells.forEach(({ mode, operator }, cell) => {
    const blend = referenceBlend(mode, operator);
    const left = (cell % COLUMNS) * CELL;
    const top = Math.floor(cell / COLUMNS) * CELL;
    for (let y = 0; y < CELL; y++)
      for (let x = 0; x < CELL; x++) pixels.set(expectedPixel(blend, x, y), ((top + y) * SHEET.width + left + x) * 4);
  });
  return pixels;
}
