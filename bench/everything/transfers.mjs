// Cells of transfers without shaders: uploads, copies, clears, resolves, readback; and of mip chains by drawing.
import { BUFFER, COVER, SIZE, TEXTURE } from './frame.mjs';

const BYTES = { r8unorm: 1, rg8unorm: 2, rgba8unorm: 4, bgra8unorm: 4, rgba16float: 8, rgba32float: 16, r32float: 4 };
const SIDE = SIZE * 4;
const TEXELS = SIDE * SIDE;
const make = (device, format, more = {}) =>
  device.createTexture({
    size: [SIDE, SIDE],
    format,
    usage: TEXTURE.COPY_SRC | TEXTURE.COPY_DST | TEXTURE.SAMPLED | TEXTURE.ATTACHMENT,
    ...more,
  });
function submit(device, record) {
  const encoder = device.createCommandEncoder();
  record(encoder);
  device.queue.submit([encoder.finish()]);
}
/** A buffer of all texels with the row layout of copies. */
const rowsOf = (device, format, usage) => ({
  buffer: device.createBuffer({ size: TEXELS * BYTES[format], usage: usage | BUFFER.COPY_DST }),
  bytesPerRow: SIDE * BYTES[format],
});
const clear = (view, more = {}) => ({
  colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue: [0.2, 0.4, 0.6, 1], ...more }],
});

/** By name: (device, format) → a function that submits a frame. */
const KINDS = {
  upload(device, format) {
    const texture = make(device, format);
    const data = new Uint8Array(TEXELS * BYTES[format]);
    return () => device.queue.writeTexture({ texture }, data, { bytesPerRow: SIDE * BYTES[format] }, [SIDE, SIDE]);
  },
  'buffer to texture'(device, format) {
    const texture = make(device, format);
    const rows = rowsOf(device, format, BUFFER.COPY_SRC);
    return () => submit(device, (encoder) => encoder.copyBufferToTexture(rows, { texture }, [SIDE, SIDE]));
  },
  'texture to buffer'(device, format) {
    const texture = make(device, format);
    const rows = rowsOf(device, format, 0);
    return () => submit(device, (encoder) => encoder.copyTextureToBuffer({ texture }, rows, [SIDE, SIDE]));
  },
  'texture to texture'(device, format) {
    const from = make(device, format);
    const to = make(device, format);
    return () =>
      submit(device, (encoder) => encoder.copyTextureToTexture({ texture: from }, { texture: to }, [SIDE, SIDE]));
  },
  readback(device, format) {
    const texture = make(device, format);
    const rows = rowsOf(device, format, BUFFER.MAP_READ);
    const { buffer } = rows;
    return async () => {
      submit(device, (encoder) => encoder.copyTextureToBuffer({ texture }, rows, [SIDE, SIDE]));
      await buffer.mapAsync(1);
      new Uint8Array(buffer.getMappedRange()).at(-1);
      buffer.unmap();
    };
  },
  clear(device, format) {
    const view = make(device, format).createView();
    return () => submit(device, (encoder) => encoder.beginRenderPass(clear(view)).end());
  },
  'clear and resolve'(device, format) {
    const many = make(device, format, { sampleCount: 4, usage: TEXTURE.ATTACHMENT }).createView();
    const pass = clear(many, { resolveTarget: make(device, format).createView(), storeOp: 'discard' });
    return () => submit(device, (encoder) => encoder.beginRenderPass(pass).end());
  },
  'mip chain by drawing'(device, format) {
    const levels = Math.log2(SIDE) + 1;
    const texture = make(device, format, { mipLevelCount: levels });
    const module = device.createShaderModule({
      code: `
        @group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler; ${COVER}
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
          return textureSampleLevel(t, s, p.xy * 2 / vec2f(textureDimensions(t)), 0);
        }
      `,
    });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format }] },
    });
    const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear' });
    const level = (baseMipLevel) => texture.createView({ baseMipLevel, mipLevelCount: 1 });
    const steps = Array.from({ length: levels - 1 }, (_, k) => ({
      view: level(k + 1),
      group: device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: level(k) },
          { binding: 1, resource: sampler },
        ],
      }),
    }));
    return () =>
      submit(device, (encoder) => {
        for (const { view, group } of steps) {
          const pass = encoder.beginRenderPass(clear(view));
          pass.setPipeline(pipeline);
          pass.setBindGroup(0, group);
          pass.draw(3);
          pass.end();
        }
      });
  },
};
const COMMON = 'texture to texture';

export function transferCells() {
  return Object.entries(KINDS).flatMap(([column, frame]) =>
    Object.keys(BYTES)
      .filter(
        (format) => !format.includes('32float') || !['mip chain by drawing', 'clear and resolve'].includes(column)
      )
      .map((format) => ({
        group: 'transfers',
        row: format,
        column,
        unit: 'texel',
        count: TEXELS,
        without: null,
        than:
          format === 'rgba8unorm'
            ? column === COMMON || column === 'mip chain by drawing'
              ? undefined
              : `transfers|rgba8unorm|${COMMON}`
            : `transfers|rgba8unorm|${column}`,
        make: (device) => ({ render: frame(device, format), picture: null }),
      }))
  );
}
