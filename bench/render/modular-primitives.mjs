// Geometry stages and tessellation, compared with draw calls without them: the parts `emit` and `terrain` of
// modular.mjs.
import { globals } from '../../build/index.js';
import { openDevice } from '../support/device.mjs';
import { frameOf } from '../support/pairs.mjs';
import {
  bufferOf,
  FORMAT,
  framesOf,
  gridOf,
  judged,
  open,
  ratioOf,
  round,
  SIZE,
  tableOf,
  threads,
} from './modular-kit.mjs';

const { GPUBufferUsage, GPUShaderStage, GPUTextureUsage } = globals;

const EMITTING = `enable modular_pipelines;
  struct V { @location(0) p: vec3f, @location(1) n: vec3f }
  struct Seen { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @group(0) @binding(0) var<uniform> place: vec4f;
  @vertex fn load(v: V) -> V { return V(v.p * vec3f(0.6, 0.9, 0.3) + place.xyz, v.n * 0.5 + 0.5); }
  @geometry fn same(v: array<V, 3>) { for (var k = 0; k < 3; k++) { emitVertex(v[k]); } }
  @vertex fn end(v: V) -> Seen { return Seen(vec4f(v.p, 1), v.n); }

  // The ends of a line in pixels, the third number its width.
  fn corner(from_: vec3f, to: vec3f, k: u32) -> vec3f {
    let along = normalize(to.xy - from_.xy);
    let end = select(from_, to, k > 1);
    let wide = end.xy + along.yx * vec2f(-0.5, 0.5) * end.z * select(1.0, -1.0, k % 2 == 0);
    return vec3f(wide / vec2f(${SIZE}) * 2 - 1, 0) + place.xyz;
  }
  @vertex fn ends(v: V) -> V { return v; }
  @geometry fn widen(v: array<V, 2>) {
    for (var k = 0u; k < 4; k++) { emitVertex(V(corner(v[0].p, v[1].p, k), v[k / 2].n)); }
  }
  struct Line { @location(0) from_: vec3f, @location(1) a: vec3f, @location(2) to: vec3f, @location(3) b: vec3f }
  @vertex fn instance(v: Line, @builtin(vertex_index) k: u32) -> Seen {
    return Seen(vec4f(corner(v.from_, v.to, k), 1), select(v.a, v.b, k > 1));
  }`;
const GEOMETRY = { kind: 'geometry', topology: 'triangle-strip' };

/** Geometry stages, against draw calls without them. */
export async function emit() {
  const results = {};
  const lines = 50_000;
  const [width, height] = SIZE;
  const data = new Float32Array(lines * 12);
  const corners = 301_056;
  const apart = new Float32Array(corners * 6).map((_, i) => (i * 0.618034) % 1);
  for (let i = 0; i < lines; i++) {
    const x = ((i * 0.618034) % 1) * width;
    const y = ((i * 0.7548777) % 1) * height;
    const angle = i * 2.4;
    const [r, g, b] = [i / lines, 1 - i / lines, 0.5];
    data.set([x, y, 1.5, r, g, b, x + 6 * Math.cos(angle), y + 6 * Math.sin(angle), 2.5, g, b, r], i * 12);
  }
  for (const engine of ['jit', 'interpreter']) {
    const own = await open({ engine }, EMITTING);
    const { device, fragment, layout, module } = own;
    const same = { ...GEOMETRY, entryPoint: 'same', maxVertices: 3 };
    const with_ = tableOf(own, ['load', same, 'end']);
    const without = tableOf(own, ['load', 'end']);
    const grid = gridOf(own, 225);
    const soup = framesOf(own, apart, (pass) => pass.draw(corners));
    const wide = tableOf(own, ['ends', { ...GEOMETRY, entryPoint: 'widen', maxVertices: 4 }, 'end'], {
      topology: 'line-list',
    });
    const instanced = device.createRenderPipeline({
      layout,
      fragment,
      primitive: { topology: 'triangle-strip' },
      vertex: {
        module,
        entryPoint: 'instance',
        buffers: [
          {
            arrayStride: 48,
            stepMode: 'instance',
            attributes: [0, 1, 2, 3].map((i) => ({ shaderLocation: i, offset: 12 * i, format: 'float32x3' })),
          },
        ],
      },
    });
    const asLines = framesOf(own, data, (pass) => pass.draw(lines * 2));
    const asInstances = framesOf(own, data, (pass) => pass.draw(4, lines));
    for (const [where, how] of [
      ['in view', {}],
      ['out of view', { isSeen: false, isWhole: true }],
    ]) {
      results[`triangles, ${where}, ${engine}`] = await ratioOf(`100 352 triangles, ${where}, ${engine}`, {
        emitted: grid.frame(with_, how),
        drawn: grid.frame(without, how),
      });
      if (how.isSeen === false)
        results[`triangles of their own, ${where}, ${engine}`] = await ratioOf(
          `100 352 triangles that share no vertices, ${where}, ${engine}`,
          { emitted: soup.frame(with_, how), drawn: soup.frame(without, how) }
        );
      results[`lines, ${where}, ${engine}`] = await ratioOf(`50 000 wide lines, ${where}, ${engine}`, {
        emitted: asLines.frame(wide, how),
        instanced: asInstances.frame(instanced, how),
      });
    }
    device.destroy();
  }
  return results;
}

/** Segments on a side of a patch; patches on a side of the terrain. */
const LEVEL = 12;
const PATCHES = 64;
const GRID = LEVEL * PATCHES;
const TERRAIN = `enable modular_pipelines;
  struct Corner { @location(0) at: vec2f }
  struct Levels { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f }
  struct Seen { @builtin(position) position: vec4f, @location(0) height: f32 }
  @group(0) @binding(0) var<uniform> camera: mat4x4f;
  @group(0) @binding(1) var heights: texture_2d<f32>;
  fn seen(p: vec3f) -> Seen { return Seen(camera * vec4f(p, 1), p.y); }
  @vertex fn corner(@location(0) at: vec2f) -> Corner { return Corner(at); }
  @tess_control fn cut(p: array<Corner, 4>) -> Levels { return Levels(vec4f(${LEVEL}), vec2f(${LEVEL})); }
  @tess_evaluation fn place(p: array<Corner, 4>, @builtin(tess_coord) uv: vec3f) -> Seen {
    let at = mix(mix(p[0].at, p[1].at, uv.x), mix(p[3].at, p[2].at, uv.x), uv.y);
    let height = textureLoad(heights, vec2i(at * ${GRID} + 0.5), 0).x;
    return seen(vec3f(at.x, height, at.y));
  }
  @vertex fn given(@location(0) p: vec3f) -> Seen { return seen(p); }
  @fragment fn shade(@location(0) height: f32) -> @location(0) vec4f {
    return vec4f(mix(vec3f(0.2, 0.35, 0.15), vec3f(0.95), height * 8), 1);
  }`;

/**
 * View-projection matrices of the terrain, which covers the unit square, by rows: from above, from the ground, and past
 * it.
 */
function camerasOf() {
  const view = (eye, to) => {
    const unit = (v) => v.map((value) => value / Math.hypot(...v));
    const cross = (a, b) => [0, 1, 2].map((i) => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const back = unit(eye.map((value, i) => value - to[i]));
    const side = unit(cross([0, 1, 0], back));
    const near = 0.01;
    const far = 4;
    const zoom = 1.6;
    const up = cross(back, side);
    const row = (v, factor) => [...v, -dot(v, eye)].map((value) => value * factor);
    const rows = [row(side, zoom), row(up, zoom), row(back, far / (near - far)), row(back, -1)];
    rows[2][3] += (near * far) / (near - far);
    return new Float32Array([0, 1, 2, 3].flatMap((column) => rows.map((row) => row[column])));
  };
  return {
    'from above': view([0.5, 1.1, 1.3], [0.5, 0, 0.45]),
    'from the ground': view([0.5, 0.16, 0.98], [0.5, 0.05, 0]),
    'out of view': view([0.5, 0.3, 2], [0.5, 0.3, 4]),
  };
}

/** Triangles by tessellation, against the same triangles from buffers. */
export async function terrain() {
  const results = {};
  const side = GRID + 1;
  const size = [1024, 1024];
  const hills = (x, y) => Math.sin(x * 31 + 4 * Math.sin(y * 9)) * Math.cos(y * 27 + 3 * Math.sin(x * 11));
  const heightAt = (x, y) => 0.03 + 0.03 * hills(x, y) + 0.004 * Math.sin(x * 300) * Math.sin(y * 280);
  const heights = Float32Array.from({ length: side * side }, (_, i) =>
    heightAt((i % side) / GRID, Math.floor(i / side) / GRID)
  );
  for (const engine of ['jit', 'interpreter']) {
    const device = await openDevice({ options: { threads, engine }, features: ['modular-pipelines'] });
    const module = device.createShaderModule({ code: TERRAIN });
    const texture = device.createTexture({
      size: [side, side],
      format: 'r32float',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    device.queue.writeTexture({ texture }, heights, { bytesPerRow: side * 4 }, [side, side]);
    const layout = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: {} },
        { binding: 1, visibility: GPUShaderStage.VERTEX, texture: { sampleType: 'unfilterable-float' } },
      ],
    });
    const corners = new Float32Array((PATCHES + 1) ** 2 * 2);
    const patches = new Uint32Array(PATCHES ** 2 * 4);
    const points = new Float32Array(side * side * 3);
    const indices = new Uint32Array(GRID * GRID * 6);
    for (let y = 0; y <= PATCHES; y++)
      for (let x = 0; x <= PATCHES; x++) {
        const here = y * (PATCHES + 1) + x;
        corners.set([x / PATCHES, y / PATCHES], here * 2);
        if (x < PATCHES && y < PATCHES)
          patches.set([here, here + 1, here + PATCHES + 2, here + PATCHES + 1], (y * PATCHES + x) * 4);
      }
    for (let y = 0; y < side; y++)
      for (let x = 0; x < side; x++) {
        const here = y * side + x;
        points.set([x / GRID, heights[here], y / GRID], here * 3);
        if (x < GRID && y < GRID)
          indices.set([here, here + 1, here + side + 1, here, here + side + 1, here + side], (y * GRID + x) * 6);
      }
    const common = {
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      depthStencil: { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true },
      fragment: { module, targets: [{ format: FORMAT }] },
    };
    const buffers = (format, arrayStride) => [{ arrayStride, attributes: [{ shaderLocation: 0, offset: 0, format }] }];
    const { layout: both, ...raster } = common;
    const sides = {
      tessellated: {
        pipeline: device.createModularPipeline({
          layout: both,
          input: { buffers: buffers('float32x2', 8), topology: 'patch-list', patchVertices: 4 },
          stages: [
            { kind: 'vertex', module, entryPoint: 'corner' },
            { kind: 'tess_control', module },
            { kind: 'tess_evaluation', module, domain: 'quads', maxLevel: LEVEL },
          ],
          sinks: [{ raster }],
        }),
        vertices: corners,
        indices: patches,
        more: heights.byteLength,
      },
      indexed: {
        pipeline: device.createRenderPipeline({
          ...common,
          vertex: { module, entryPoint: 'given', buffers: buffers('float32x3', 12) },
        }),
        vertices: points,
        indices,
        more: 0,
      },
    };
    const usage = GPUTextureUsage.RENDER_ATTACHMENT;
    const target = (format) => device.createTexture({ size, format, usage }).createView();
    const view = target(FORMAT);
    const depth = target('depth24plus');
    const drawn = {};
    const bytes = {};
    for (const [name, { pipeline, vertices, indices: list, more }] of Object.entries(sides)) {
      const own = [bufferOf(device, vertices, GPUBufferUsage.VERTEX), bufferOf(device, list, GPUBufferUsage.INDEX)];
      const held = name === 'tessellated' ? pipeline.statistics().bytesHeld : 0;
      bytes[name] = vertices.byteLength + list.byteLength + more + held * Math.max(1, threads);
      drawn[name] = (group) =>
        frameOf(device, {
          render() {
            const encoder = device.createCommandEncoder();
            const pass = encoder.beginRenderPass({
              colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
              depthStencilAttachment: {
                view: depth,
                depthLoadOp: 'clear',
                depthClearValue: 1,
                depthStoreOp: 'discard',
              },
            });
            pass.setPipeline(pipeline);
            pass.setBindGroup(0, group);
            pass.setVertexBuffer(0, own[0]);
            pass.setIndexBuffer(own[1], 'uint32');
            pass.drawIndexed(list.length);
            pass.end();
            device.queue.submit([encoder.finish()]);
          },
        });
    }
    for (const [where, camera] of Object.entries(camerasOf())) {
      const group = device.createBindGroup({
        layout,
        entries: [
          { binding: 0, resource: { buffer: bufferOf(device, camera, GPUBufferUsage.UNIFORM) } },
          { binding: 1, resource: texture.createView() },
        ],
      });
      results[`${where}, ${engine}`] = await ratioOf(
        `a terrain of ${GRID * GRID * 2} triangles, ${where}, ${engine}`,
        { tessellated: drawn.tessellated(group), indexed: drawn.indexed(group) },
        engine === 'jit' ? 1.3 : undefined
      );
    }
    results.bytes = {
      ...bytes,
      ...judged(
        `bytes, tessellated ${bytes.tessellated}, indexed ${bytes.indexed}, ratio`,
        Array(3).fill(round(bytes.tessellated / bytes.indexed)),
        0.25
      ),
    };
    device.destroy();
  }
  return results;
}
