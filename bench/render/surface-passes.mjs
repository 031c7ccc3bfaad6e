// Passes over multisampled surfaces, which surfaces.mjs measures: blending, resolving, and lighting.
import { frameOf } from '../support/pairs.mjs';
import { contentOf, FULL_SCREEN } from './surface-contents.mjs';

export const SIZE = { width: 1280, height: 720 };

const LAYER = '@fragment fn fs() -> @location(0) vec4f { return vec4f(0.02, 0.01, 0.03, 0.1); }';
const FETCHING = `enable fragment_stages;
@fragment fn fs(@color(0) below: vec4f) -> @location(0) vec4f {
  let color = vec4f(0.02, 0.01, 0.03, 0.1);
  return color + below * (1 - color.a);
}`;
/** Blends LAYER over the surface, once for each value of a pixel. */
const BY_PROGRAM = `enable multisample_storage_textures;
@group(0) @binding(0) var surface: texture_storage_multisampled_2d<rgba8unorm, read_write>;
@fragment fn fs(@builtin(position) p: vec4f, @builtin(sample_mask) coverage: u32) {
  let color = vec4f(0.02, 0.01, 0.03, 0.1);
  var left = coverage;
  while (left != 0) {
    let before = textureLoadSamples(surface, vec2u(p.xy), left);
    textureStoreSamples(surface, vec2u(p.xy), before.mask & left, color + before.value * (1 - color.a));
    left &= ~before.mask;
  }
}`;

const OVER = {
  color: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};

/**
 * A surface with some content, and passes over it. `restore` brings the content back. `usage`: of the surface, besides
 * an attachment's.
 */
export function surfaceOf(device, samples, content, usage = 0) {
  const size = [SIZE.width, SIZE.height];
  const format = 'rgba8unorm';
  const textureOf = (use) => device.createTexture({ size, format, sampleCount: samples, usage: 16 | use });
  const [texture, original] = [textureOf(2 | usage), textureOf(1)];
  const view = texture.createView();
  const pipelines = new Map();
  const pipelineOf = (code, blend) => {
    if (!pipelines.has(code)) {
      const module = device.createShaderModule({ code });
      const targets = [blend ? { format, blend } : { format }];
      const multisample = { count: samples };
      pipelines.set(
        code,
        device.createRenderPipeline({ layout: 'auto', vertex: { module }, fragment: { module, targets }, multisample })
      );
    }
    return pipelines.get(code);
  };
  const submit = (record) => {
    const encoder = device.createCommandEncoder();
    record(encoder);
    device.queue.submit([encoder.finish()]);
  };
  const pass = (draws, { to = view, load = true, store = true, resolveTarget } = {}) =>
    submit((encoder) => {
      const colorAttachment = {
        view: to,
        loadOp: load ? 'load' : 'clear',
        storeOp: store ? 'store' : 'discard',
        clearValue: [0.2, 0.4, 0.6, 1],
        ...(resolveTarget ? { resolveTarget } : {}),
      };
      const drawn = encoder.beginRenderPass({ colorAttachments: [colorAttachment] });
      for (const { code, vertices, blend } of draws) {
        drawn.setPipeline(pipelineOf(code, blend));
        drawn.draw(vertices);
      }
      drawn.end();
    });
  const blender = () => {
    const module = device.createShaderModule({ code: `${BY_PROGRAM} ${FULL_SCREEN}` });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [] },
      multisample: { count: samples },
    });
    const entries = [{ binding: 0, resource: view }];
    return [pipeline, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries })];
  };
  let byProgram;
  const overByProgram = () => {
    byProgram ??= blender();
    const [pipeline, group] = byProgram;
    submit((encoder) => {
      const drawn = encoder.beginRenderPass({ colorAttachments: [], size, sampleCount: samples });
      drawn.setPipeline(pipeline);
      drawn.setBindGroup(0, group);
      drawn.draw(3);
      drawn.end();
    });
  };
  const restore = () => submit((encoder) => encoder.copyTextureToTexture({ texture: original }, { texture }, size));
  pass(contentOf(content, samples), { to: original.createView(), load: false });
  restore();
  return {
    pass,
    restore,
    overFixed: () => pass([{ code: `${FULL_SCREEN} ${LAYER}`, vertices: 3, blend: OVER }]),
    overByFetch: () => pass([{ code: `${FETCHING} ${FULL_SCREEN}`, vertices: 3 }]),
    overByProgram,
  };
}

/** Frames of `LAYERS` passes, each over the surface's first content. The time to restore it is not counted. */
export const LAYERS = 4;
export function layersOver(device, surface, pass) {
  const frame = frameOf(device, {
    render: () => {
      for (let i = 0; i < LAYERS; i++) pass();
    },
  });
  return async () => {
    surface.restore();
    await device.queue.onSubmittedWorkDone();
    return frame();
  };
}

/** The compared operations on a surface: blending and resolving. */
export const TO_SURFACE = {
  blend: (device, surface) => layersOver(device, surface, surface.overFixed),
  resolve: (device, surface) => {
    const size = [SIZE.width, SIZE.height];
    const resolveTarget = device.createTexture({ size, format: 'rgba8unorm', usage: 16 }).createView();
    return frameOf(device, {
      render: () => {
        for (let i = 0; i < LAYERS; i++) surface.pass([], { resolveTarget });
      },
    });
  },
};

/**
 * Wavy cells of two triangles, each with a different material. The surface stores normals and materials, as in deferred
 * renderers.
 */
const MESH = (cells) => `
struct Corner { @builtin(position) p: vec4f, @location(0) n: vec3f, @location(1) @interpolate(flat) material: f32 }
@vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
  let corner = array(vec2u(0, 0), vec2u(1, 0), vec2u(0, 1), vec2u(0, 1), vec2u(1, 0), vec2u(1, 1))[i % 6u];
  let at = vec2f(vec2u(i / 6u % ${cells}u, i / 6u / ${cells}u) + corner) / ${cells}; let wave = at * 40;
  let moved = (at * 2 - 1) * 1.03 + 0.012 * vec2f(sin(wave.y + wave.x), cos(wave.x * 1.3 - wave.y));
  return Corner(vec4f(moved, 0.5, 1), normalize(vec3f(sin(wave.x), cos(wave.y), 1.5)),
    f32((i / 3u * 2654435761u) >> 24u) / 255);
}
@fragment fn fs(c: Corner) -> @location(0) vec4f { return vec4f(c.n * 0.5 + 0.5, c.material); }`;
const LIT = (at) => `enable multisample_storage_textures;
@group(0) @binding(0) var surface: texture_storage_multisampled_2d<rgba8unorm, read>;
struct Scene { zero: vec2f, count: u32, lights: array<vec4f, 8> }
@group(0) @binding(1) var<uniform> scene: Scene;
fn lit(g: vec4f, p: vec3f) -> vec3f {
  let n = normalize(g.xyz * 2 - 1);
  var sum = vec3f();
  for (var i = 0u; i < scene.count; i++) {
    let to = scene.lights[i].xyz - p;
    let square = dot(to, to); let l = to * inverseSqrt(square);
    let shine = pow(max(dot(n, normalize(l + vec3f(0, 0, 1))), 0.0), 8 + 24 * g.w);
    sum += vec3f(0.3, 0.4, scene.lights[i].w) * (max(dot(n, l), 0.0) * g.w + shine) / (1 + 4 * square);
  }
  return sum;
}
@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
  let whole = (1u << textureNumSamples(surface)) - 1u;
  var left = whole;
  var sum = vec3f();
  while (left != 0) {
    let known = textureLoadSamples(surface, ${at}, left);
    sum += lit(known.value, vec3f(p.xy / 1280, 0)) * f32(countOneBits(known.mask));
    left &= ~known.mask;
  }
  return vec4f(sum / f32(countOneBits(whole)), 1);
}`;

/** Draws a mesh to a surface, and returns a frame that lights it from there. */
export function lightingOf(device, samples, cells, at) {
  const size = [SIZE.width, SIZE.height];
  const format = 'rgba8unorm';
  const [view, target] = [16 | 8, 16].map((usage, k) =>
    device.createTexture({ size, format, usage, sampleCount: k ? 1 : samples }).createView()
  );
  const pass = (to, code, count, vertices, bindings) => {
    const module = device.createShaderModule({ code });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format }] },
      multisample: { count },
    });
    const group =
      bindings
      && device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: bindings.map((resource, binding) => ({ binding, resource })),
      });
    return () => {
      const encoder = device.createCommandEncoder();
      const drawn = encoder.beginRenderPass({ colorAttachments: [{ view: to, loadOp: 'clear', storeOp: 'store' }] });
      drawn.setPipeline(pipeline);
      if (group) drawn.setBindGroup(0, group);
      drawn.draw(vertices);
      drawn.end();
      device.queue.submit([encoder.finish()]);
    };
  };
  pass(view, MESH(cells), samples, cells * cells * 6)();
  const buffer = device.createBuffer({ size: 144, usage: 0x48 });
  const scene = new Float32Array(36);
  new Uint32Array(scene.buffer)[2] = 8;
  for (let i = 0; i < 8; i++) scene.set([(i & 3) * 0.3, (i >> 2) * 0.5, 0.4, 0.5 - (i >> 2) * 0.1], 4 + 4 * i);
  device.queue.writeBuffer(buffer, 0, scene);
  const render = pass(target, LIT(at) + FULL_SCREEN, 1, 3, [view, { buffer }]);
  return frameOf(device, { render });
}
