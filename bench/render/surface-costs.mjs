// Pairs of passes over multisampled surfaces that should cost about the same, for surfaces.mjs.
import { frameOf } from '../support/pairs.mjs';
import { contentOf, FULL_SCREEN } from './surface-contents.mjs';

const SIDE = 1024;
const format = 'rgba8unorm';

const passOver = (device, attachments, pipeline, group, descriptor = {}) => {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({ colorAttachments: attachments, ...descriptor });
  if (pipeline) {
    pass.setPipeline(pipeline);
    if (group) pass.setBindGroup(0, group);
    pass.draw(3);
  }
  pass.end();
  device.queue.submit([encoder.finish()]);
};

function pipelineOf(device, code, samples, fragment = {}) {
  const module = device.createShaderModule({ code: code.includes('fn vs') ? code : `${code} ${FULL_SCREEN}` });
  return device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }], ...fragment },
    multisample: { count: samples },
  });
}

const surfaceOf = (device, samples, more = {}) =>
  device.createTexture({ size: [SIDE, SIDE], format, sampleCount: samples, usage: 16, ...more }).createView();
const [{ code: GRADIENT }] = contentOf('one value', 16);

/** Draws to a surface, loads it, and resolves it. */
function drawnAndResolved(device, overcommit) {
  const view = surfaceOf(device, 16, { overcommit });
  const resolveTarget = device.createTexture({ size: [SIDE, SIDE], format, usage: 16 }).createView();
  const pipeline = pipelineOf(device, GRADIENT, 16);
  const render = () => {
    passOver(device, [{ view, loadOp: 'clear', storeOp: 'store' }], pipeline);
    passOver(device, [{ view, resolveTarget, loadOp: 'load', storeOp: 'store' }]);
  };
  return frameOf(device, { render });
}

/** Covers a surface of random samples with an opaque triangle. */
function covered(device, loadOp) {
  const view = surfaceOf(device, 8);
  const noise = pipelineOf(device, contentOf('noise', 8)[0].code, 8);
  const pipeline = pipelineOf(device, GRADIENT, 8);
  const frame = frameOf(device, { render: () => passOver(device, [{ view, loadOp, storeOp: 'store' }], pipeline) });
  return async () => {
    passOver(device, [{ view, loadOp: 'clear', storeOp: 'store' }], noise);
    await device.queue.onSubmittedWorkDone();
    return frame();
  };
}

/** Adds to every pixel of `count` surfaces, as often as `passes` says. */
function added(device, count, passes) {
  const views = Array.from({ length: count }, () => surfaceOf(device, 4, { usage: 16 | 8 }));
  const each = (text) => views.map((_, k) => text(k)).join('\n');
  const code = `enable multisample_storage_textures;
    ${each((k) => `@group(0) @binding(${k}) var s${k}: texture_storage_multisampled_2d<rgba8unorm, read_write>;`)}
    @fragment fn fs(@builtin(position) p: vec4f) {
      ${each(
        (k) => `textureStoreSamples(s${k}, vec2u(p.xy), 15u, textureLoadSamples(s${k}, vec2u(p.xy), 15u).value + 0.01);`
      )}
    }`;
  const pipeline = pipelineOf(device, code, 4, { targets: [] });
  const entries = views.map((resource, binding) => ({ binding, resource }));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  const render = () => {
    for (let i = 0; i < passes; i++)
      passOver(device, [], pipeline, group, { size: [SIDE / 2, SIDE / 2], sampleCount: 4 });
  };
  return frameOf(device, { render });
}

/** Stores to one sample of 82 369 pixels, which lie at `at`, so that their blocks take more and more bytes. */
function stored(device, at) {
  const view = surfaceOf(device, 4, { usage: 16 | 8 });
  const code = `enable multisample_storage_textures;
    @group(0) @binding(0) var surface: texture_storage_multisampled_2d<rgba8unorm, write>;
    @fragment fn fs(@builtin(position) p: vec4f) {
      let n = u32(p.x) + u32(p.y) * 287u;
      textureStoreSamples(surface, ${at}, 1u << ((n * 3u) & 3u), unpack4x8unorm(n * 2246822519u));
    }`;
  const pipeline = pipelineOf(device, code, 4, { targets: [] });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: view }],
  });
  const frame = frameOf(device, {
    render: () => passOver(device, [], pipeline, group, { size: [287, 287], sampleCount: 4 }),
  });
  return async () => {
    passOver(device, [{ view, loadOp: 'clear', storeOp: 'store' }]);
    await device.queue.onSubmittedWorkDone();
    return frame();
  };
}

/** Adds to a target by framebuffer fetch, in four overlapping draw calls. */
function summed(device, interlock) {
  const view = surfaceOf(device, 4);
  const code = `enable fragment_stages;
    @fragment fn fs(@builtin(position) p: vec4f, @color(0) below: vec4f) -> @location(0) vec4f {
      return below + vec4f(0.01 * fract(p.x * 0.01)); }`;
  const pipeline = pipelineOf(device, code, 4, { interlock });
  const render = () => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    for (let i = 0; i < 4; i++) pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  return frameOf(device, { render });
}

/** By name: two sides of a comparison, and the maximum ratio of the first to the second. */
export const COSTS = {
  overcommit: {
    // Two devices, because memory reserved by one surface is there for others.
    sides: async (device, open) => ({
      overcommit: drawnAndResolved(device, true),
      reserved: drawnAndResolved(await open(), false),
    }),
    limit: 1.05,
  },
  'covering draw': {
    sides: (device) => ({ loaded: covered(device, 'load'), cleared: covered(device, 'clear') }),
    limit: 1.1,
  },
  'bound surfaces': {
    sides: (device) => ({ sixteen: added(device, 16, 1), 'one, sixteen passes': added(device, 1, 16) }),
    threads: 0,
    limit: 1.2,
  },
  'scattered stores': {
    sides: (device) => ({
      scattered: stored(device, `vec2u((n * 2654435761u) >> 22u, ((n ^ (n >> 5u)) * 2246822519u) >> 22u)`),
      neighbouring: stored(device, 'vec2u(p.xy)'),
    }),
    threads: 0,
    limit: 5,
  },
  interlock: {
    sides: (device) => ({ unordered: summed(device, 'unordered'), ordered: summed(device, 'ordered') }),
    threads: 0,
    limit: 1,
  },
};
