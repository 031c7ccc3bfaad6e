// The frame of one cell of the cost map: a pipeline, its resources and its render targets. Plain WebGPU.

export const SIZE = 256;
export const QUADS = (SIZE * SIZE) / 4;
const BUFFER = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, VERTEX: 32, UNIFORM: 64, STORAGE: 128 };
const TEXTURE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 };
export { BUFFER, TEXTURE };

/** A full-screen triangle, drawn once per instance. */
export const COVER = `
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.5, 1);
  }
`;

const INTEGER = /uint$|sint$/;
const STENCIL = /stencil/;
export const kindOf = (format) => (format.endsWith('uint') ? 'u32' : format.endsWith('sint') ? 'i32' : 'f32');

export function bufferOf(device, data, usage) {
  const buffer = device.createBuffer({ size: (data.byteLength + 3) & ~3, usage: usage | BUFFER.COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

/**
 * Creates the pass of a cell. `target`, `depth`: formats, or none. `draw(pass)`: draws; the pipeline and its resources
 * are set. `layout`: entries of the bind group layout, if the automatic one does not suffice. Returns `render()`, which
 * submits a frame, `empty()`, which submits the frame without draw calls, and the resources that can be read back.
 */
export function makeFrame(
  device,
  {
    code,
    target = 'rgba8unorm',
    targets = [{}],
    samples = 1,
    depth,
    depthStencil = {},
    resources = [],
    layout,
    buffers = [],
    primitive = {},
    multisample = {},
    prepare,
    draw = (pass) => pass.draw(3),
  }
) {
  const size = [SIZE, SIZE];
  const texture = (format, sampleCount) =>
    device.createTexture({
      size,
      format,
      sampleCount,
      usage: TEXTURE.ATTACHMENT | (sampleCount > 1 ? 0 : TEXTURE.COPY_SRC),
    });
  const resolves = samples > 1 && !INTEGER.test(target) && !target.includes('32float');
  const colors = targets.map(({ format = target }) => {
    const many = samples > 1 ? texture(format, samples) : null;
    const single = samples === 1 || resolves ? texture(format, 1) : null;
    return {
      single,
      attachment: {
        view: (many ?? single).createView(),
        ...(many && single ? { resolveTarget: single.createView() } : {}),
        loadOp: 'clear',
        storeOp: many && single ? 'discard' : 'store',
        clearValue: [0.25, 0.5, 0.75, 1],
      },
    };
  });
  const depthView = depth ? texture(depth, samples).createView() : null;
  const module = device.createShaderModule({ code });
  const groupLayout =
    layout
    && device.createBindGroupLayout({
      entries: layout.map((entry, binding) => ({ binding, visibility: 2, ...entry })),
    });
  const pipeline = device.createRenderPipeline({
    layout: groupLayout ? device.createPipelineLayout({ bindGroupLayouts: [groupLayout] }) : 'auto',
    vertex: { module, buffers },
    fragment: { module, targets: targets.map(({ format = target, ...state }) => ({ format, ...state })) },
    primitive: { topology: 'triangle-list', ...primitive },
    multisample: { count: samples, ...multisample },
    ...(depth
      ? {
          depthStencil: {
            format: depth,
            ...(depth === 'stencil8' ? {} : { depthCompare: 'always', depthWriteEnabled: false }),
            ...depthStencil,
          },
        }
      : {}),
  });
  const group = resources.length
    ? device.createBindGroup({
        layout: groupLayout ?? pipeline.getBindGroupLayout(0),
        entries: resources.map((resource, binding) => ({ binding, resource })),
      })
    : null;
  const descriptor = {
    colorAttachments: colors.map(({ attachment }) => attachment),
    ...(depthView
      ? {
          depthStencilAttachment: {
            view: depthView,
            ...(depth === 'stencil8' ? {} : { depthLoadOp: 'clear', depthStoreOp: 'discard', depthClearValue: 0.75 }),
            ...(STENCIL.test(depth) ? { stencilLoadOp: 'clear', stencilStoreOp: 'discard', stencilClearValue: 3 } : {}),
          },
        }
      : {}),
  };
  function frame(draws) {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass(descriptor);
    if (draws) {
      pass.setPipeline(pipeline);
      if (group) pass.setBindGroup(0, group);
      prepare?.(pass);
      draw(pass);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
  return { render: () => frame(true), empty: () => frame(false), picture: colors[0]?.single ?? null };
}

/** Reads back all bytes of level 0 of a texture. */
export async function bytesOf(device, texture) {
  const rowBytes = texture.width * 16;
  const buffer = device.createBuffer({ size: rowBytes * texture.height, usage: BUFFER.COPY_DST | BUFFER.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: rowBytes }, [texture.width, texture.height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(1);
  const bytes = new Uint8Array(buffer.getMappedRange()).slice();
  buffer.destroy();
  return bytes;
}

/** Blend states by name. */
const both = (srcFactor, dstFactor, operation = 'add') => ({
  color: { srcFactor, dstFactor, operation },
  alpha: { srcFactor, dstFactor, operation },
});
export const BLENDS = {
  opaque: undefined,
  masked: undefined,
  over: both('one', 'one-minus-src-alpha'),
  'straight alpha': {
    color: both('src-alpha', 'one-minus-src-alpha').color,
    alpha: both('one', 'one-minus-src-alpha').alpha,
  },
  add: both('one', 'one'),
  multiply: both('dst', 'zero'),
  max: both('one', 'one', 'max'),
  other: both('one-minus-dst', 'src-alpha-saturated', 'reverse-subtract'),
};
BLENDS.other = {
  color: { srcFactor: 'one-minus-dst', dstFactor: 'src', operation: 'reverse-subtract' },
  alpha: { srcFactor: 'dst-alpha', dstFactor: 'one', operation: 'add' },
};
