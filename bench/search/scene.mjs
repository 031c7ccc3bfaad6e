// Draws a configuration on any implementation of WebGPU, with calls that the compatibility mode of Dawn has too.
import { pictureOf } from '../support/picture.mjs';
import { BUFFER, TEXTURE } from '../scenes/kit.mjs';
import { samplerOf, textureOf } from '../support/textures.mjs';
import { VERTEX_FLOATS, verticesOf } from './contents.mjs';
import { shaderOf } from './shader.mjs';

const BLENDS = {
  alpha: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
  premultiplied: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
  additive: { srcFactor: 'one', dstFactor: 'one' },
  multiply: { srcFactor: 'dst', dstFactor: 'zero' },
  max: { operation: 'max', srcFactor: 'one', dstFactor: 'one' },
};
const TOPOLOGIES = { points: 'point-list', lines: 'line-list', sprites: 'triangle-strip' };
/** Where `before` is bound in group 1. */
const BEFORE = 20;

function uniformsOf(device, [width, height]) {
  const buffer = device.createBuffer({ size: 336, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  const matrix = [0.8, 0.1, 0.05, 0, -0.1, 0.8, 0.1, 0, 0.1, 0.05, 0.8, 0, 0.1, 0.05, 0.1, 0.9];
  const colors = Array.from({ length: 64 }, (_, i) => ((i * 37) % 64) / 64);
  const data = Float32Array.of(...matrix, 0, 0, 2 / width, 2 / height, ...colors);
  device.queue.writeBuffer(buffer, 0, data);
  let frames = 0;
  const tick = () => device.queue.writeBuffer(buffer, 64, Float32Array.of((++frames % 50) * 1e-5, 0));
  return { buffer, tick };
}

/** Creates the targets of the passes: pictures, multisampled textures, and depth. */
function targetsOf(device, { size, format, samples, targets, chain, depth }, made) {
  const make = (sampleCount, as = format, usage = TEXTURE.ATTACHMENT) => {
    const texture = device.createTexture({ size, format: as, sampleCount, usage });
    made.push(texture);
    return texture;
  };
  const readable = TEXTURE.ATTACHMENT | TEXTURE.SAMPLED;
  const sets = Array.from({ length: chain ? 2 : 1 }, () =>
    Array.from({ length: targets }, () => make(1, format, readable))
  );
  const many = samples > 1 ? Array.from({ length: targets }, () => make(samples)) : null;
  return { sets, many, depths: depth && make(samples, depth.format) };
}

function pipelineOf(device, configuration, isLater, createPipeline) {
  const { format, samples, targets, blend, depth, geometry, alphaToCoverage } = configuration;
  const module = device.createShaderModule({ code: shaderOf(configuration, isLater) });
  const component = BLENDS[blend];
  const target = { format, ...(component ? { blend: { color: component, alpha: component } } : {}) };
  const face = { compare: 'greater', passOp: 'increment-clamp' };
  return createPipeline({
    layout: 'auto',
    vertex: {
      module,
      buffers: [
        {
          arrayStride: VERTEX_FLOATS * 4,
          stepMode: geometry.kind === 'sprites' ? 'instance' : 'vertex',
          attributes: [0, 1].map((shaderLocation) => ({
            shaderLocation,
            offset: shaderLocation * 16,
            format: 'float32x4',
          })),
        },
      ],
    },
    fragment: { module, targets: Array(targets).fill(target) },
    primitive: { topology: TOPOLOGIES[geometry.kind] ?? 'triangle-list' },
    multisample: { count: samples, alphaToCoverageEnabled: alphaToCoverage },
    ...(depth
      ? {
          depthStencil: {
            format: depth.format,
            depthCompare: depth.compare,
            depthWriteEnabled: depth.write,
            ...(depth.stencil ? { stencilFront: face, stencilBack: face } : {}),
          },
        }
      : {}),
  });
}

/** Attachments of a pass. Passes of a chain clear their targets; others continue what was drawn before. */
function attachmentsOf({ chain, passes, depth }, { sets, many, depths }, index) {
  const isLast = index === passes - 1;
  const loadOp = index === 0 || chain ? 'clear' : 'load';
  const keeps = !chain && !isLast;
  const colors = sets[index % sets.length];
  return {
    colorAttachments: colors.map((color, i) => ({
      view: (many?.[i] ?? color).createView(),
      ...(many ? { resolveTarget: color.createView() } : {}),
      loadOp,
      storeOp: many && !keeps ? 'discard' : 'store',
      clearValue: [0.1, 0.2, 0.3, 1],
    })),
    ...(depth
      ? {
          depthStencilAttachment: {
            view: depths.createView(),
            depthLoadOp: loadOp,
            depthStoreOp: keeps ? 'store' : 'discard',
            depthClearValue: 1,
            ...(depth.stencil
              ? { stencilLoadOp: loadOp, stencilStoreOp: keeps ? 'store' : 'discard', stencilClearValue: 0 }
              : {}),
          },
        }
      : {}),
  };
}

/** Returns a function that records the draw calls of a pass. */
function drawerOf(device, configuration, made) {
  const { geometry } = configuration;
  const { vertices, indices } = verticesOf(configuration);
  const upload = (data, usage) => {
    const buffer = device.createBuffer({ size: data.byteLength, usage: usage | BUFFER.COPY_DST });
    made.push(buffer);
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const vertexBuffer = upload(Float32Array.from(vertices), BUFFER.VERTEX);
  const indexBuffer = indices && upload(Uint32Array.from(indices), BUFFER.INDEX);
  const isSprite = geometry.kind === 'sprites';
  const perPrimitive = { points: 1, lines: 2, sprites: 1 }[geometry.kind] ?? 3;
  const total = (indices?.length ?? vertices.length / VERTEX_FLOATS) / perPrimitive;
  const starts = Array.from({ length: geometry.draws + 1 }, (_, i) => Math.floor((i * total) / geometry.draws));
  return (pass) => {
    pass.setVertexBuffer(0, vertexBuffer);
    if (indexBuffer) pass.setIndexBuffer(indexBuffer, 'uint32');
    for (let i = 0; i < geometry.draws; i++) {
      const [first, count] = [starts[i], starts[i + 1] - starts[i]].map((n) => n * perPrimitive);
      if (isSprite) pass.draw(4, count, 0, first);
      else if (indexBuffer) pass.drawIndexed(count, 1, first);
      else pass.draw(count, 1, first);
    }
  };
}

/** Makes what side-frames.mjs runs: frames of a configuration, and its picture. */
export async function make(device, configuration, createPipeline) {
  const made = [];
  const { passes, chain, depth, textures } = configuration;
  const uniforms = uniformsOf(device, configuration.size);
  made.push(uniforms.buffer);
  const targets = targetsOf(device, configuration, made);
  const draw = drawerOf(device, configuration, made);
  const resources = textures.flatMap((texture, index) => [
    { binding: index * 2, resource: textureOf(device, texture, made) },
    ...(texture.filter === 'load' ? [] : [{ binding: index * 2 + 1, resource: samplerOf(device, texture) }]),
  ]);
  const pipelines = await Promise.all(
    (chain ? [false, true] : [false]).map((isLater) => pipelineOf(device, configuration, isLater, createPipeline))
  );
  const groupOf = (pipeline, index, entries) =>
    device.createBindGroup({ layout: pipeline.getBindGroupLayout(index), entries });
  const steps = Array.from({ length: passes }, (_, index) => {
    const isLater = chain && index > 0;
    const pipeline = pipelines[isLater ? 1 : 0];
    const before = isLater ? [{ binding: BEFORE, resource: targets.sets[(index + 1) % 2][0].createView() }] : [];
    const entries = [...resources, ...before];
    return {
      pipeline,
      groups: [
        groupOf(pipeline, 0, [{ binding: 0, resource: { buffer: uniforms.buffer } }]),
        ...(entries.length ? [groupOf(pipeline, 1, entries)] : []),
      ],
      attachments: attachmentsOf(configuration, targets, index),
    };
  });
  const record = (encoder) => {
    for (const { pipeline, groups, attachments } of steps) {
      const pass = encoder.beginRenderPass(attachments);
      pass.setPipeline(pipeline);
      groups.forEach((group, index) => pass.setBindGroup(index, group));
      if (depth?.stencil) pass.setStencilReference(3);
      draw(pass);
      pass.end();
    }
  };
  const picture = targets.sets[(passes - 1) % targets.sets.length][0];
  return {
    frame(repeats) {
      uniforms.tick();
      const encoder = device.createCommandEncoder();
      for (let i = 0; i < repeats; i++) record(encoder);
      device.queue.submit([encoder.finish()]);
    },
    picture: () => pictureOf(device, picture),
    destroy: () => made.forEach((resource) => resource.destroy()),
  };
}
