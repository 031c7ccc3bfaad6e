// Computes how many lanes quads with helper lanes can keep busy at best, from visibility alone. It is independent of
// the renderer's own counters. It draws the mesh of a peers' scene unindexed, with triangle numbers in place of
// colours, and with the scene's own buffers, camera and state. Each quad in which a triangle is visible costs four
// lanes; the lanes of pixels that show the triangle are busy.
const BUFFER = { MAP_READ: 1, COPY_DST: 8, VERTEX: 32 };
const TEXTURE = { COPY_SRC: 1, SAMPLED: 4, ATTACHMENT: 16 };

/**
 * Runs `build` and records what its scene draws with: the bytes of buffers and the state of the last draw call. Returns
 * these with the result of `build`.
 */
export async function watch({ GPUQueue, GPUDevice, GPURenderPassEncoder }, build) {
  const seen = { bytes: new Map(), groups: new Map() };
  const originals = [];
  const spy = (owner, name, note) => {
    const original = owner.prototype[name];
    originals.push(() => {
      owner.prototype[name] = original;
    });
    owner.prototype[name] = function (...args) {
      const result = original.apply(this, args);
      note(args, result);
      return result;
    };
  };
  spy(GPUQueue, 'writeBuffer', ([buffer, offset, data, from = 0, size]) => {
    const all = new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
    const unit = data.BYTES_PER_ELEMENT ?? 1;
    // The scenes pass a whole view, or its buffer with an explicit offset and length in bytes.
    seen.bytes.set(buffer, {
      offset,
      bytes: all.slice(from * unit, size === undefined ? undefined : (from + size) * unit),
    });
  });
  spy(GPUDevice, 'createBindGroup', ([{ entries }], group) => seen.groups.set(group, entries));
  spy(GPURenderPassEncoder, 'setBindGroup', ([index, group]) => {
    if (index === 0) seen.group = group;
  });
  spy(GPURenderPassEncoder, 'setVertexBuffer', ([slot, buffer]) => {
    if (slot === 0) seen.vertices = buffer;
  });
  spy(GPURenderPassEncoder, 'setIndexBuffer', ([buffer]) => {
    seen.indices = buffer;
  });
  try {
    const scene = await build();
    scene.render();
    return { scene, seen };
  } finally {
    for (const restore of originals) restore();
  }
}

/** Expands the positions by the indices. `stride`: bytes per vertex, position first. */
function unindex(seen, stride) {
  const { bytes } = seen.bytes.get(seen.vertices);
  const index = new Uint32Array(seen.bytes.get(seen.indices).bytes.buffer);
  const source = new Float32Array(bytes.buffer);
  const step = stride / 4;
  const positions = new Float32Array(index.length * 3);
  index.forEach((vertex, i) => positions.set(source.subarray(vertex * step, vertex * step + 3), i * 3));
  return positions;
}

/**
 * Returns the number of the visible triangle for each sample, starting at 1, or 0 for none. Row by row; the samples of
 * a pixel are adjacent.
 */
async function idBuffer(device, { positions, camera }, { width, height, samples }) {
  const texture = (format, sampleCount, usage) =>
    device.createTexture({ size: [width, height], format, sampleCount, usage });
  // 32-bit formats do not support multisampling, so a number is stored as two halves.
  const ids = texture('rg16uint', samples, TEXTURE.ATTACHMENT | TEXTURE.SAMPLED);
  const depth = texture('depth32float', samples, TEXTURE.ATTACHMENT);
  const outs = Array.from({ length: samples }, () => texture('r32uint', 1, TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC));
  const draw = device.createShaderModule({
    code: `
    @group(0) @binding(0) var<uniform> m: mat4x4f;
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) id: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @location(0) p: vec3f) -> V { return V(m * vec4f(p, 1), i / 3u + 1u); }
    @fragment fn fs(v: V) -> @location(0) vec2u { return vec2u(v.id & 0xffffu, v.id >> 16u); }`,
  });
  const split = device.createShaderModule({
    code: `
    @group(0) @binding(0) var ids: ${samples > 1 ? 'texture_multisampled_2d' : 'texture_2d'}<u32>;
    struct Out { ${outs.map((_, s) => `@location(${s}) id${s}: u32`).join(', ')} };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
    }
    fn id(p: vec4f, s: i32) -> u32 {
      let halves = textureLoad(ids, vec2i(p.xy), s).xy; return halves.x | (halves.y << 16u);
    }
    @fragment fn fs(@builtin(position) p: vec4f) -> Out { return Out(${outs.map((_, s) => `id(p, ${s})`).join(', ')}); }
    `,
  });
  const drawing = device.createRenderPipeline({
    layout: 'auto',
    vertex: {
      module: draw,
      buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }],
    },
    fragment: { module: draw, targets: [{ format: 'rg16uint' }] },
    primitive: { cullMode: 'back' },
    multisample: { count: samples },
    depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true },
  });
  const splitting = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module: split },
    fragment: { module: split, targets: outs.map(() => ({ format: 'r32uint' })) },
  });
  const upload = (data, usage) => {
    const buffer = device.createBuffer({ size: data.byteLength, usage: usage | BUFFER.COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const vertices = upload(positions, BUFFER.VERTEX);
  const encoder = device.createCommandEncoder();
  const first = encoder.beginRenderPass({
    colorAttachments: [{ view: ids, loadOp: 'clear', storeOp: 'store' }],
    depthStencilAttachment: { view: depth, depthLoadOp: 'clear', depthStoreOp: 'discard', depthClearValue: 1 },
  });
  first.setPipeline(drawing);
  first.setBindGroup(
    0,
    device.createBindGroup({
      layout: drawing.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: { ...camera, size: 64 } }],
    })
  );
  first.setVertexBuffer(0, vertices);
  first.draw(positions.length / 3);
  first.end();
  const second = encoder.beginRenderPass({
    colorAttachments: outs.map((view) => ({ view, loadOp: 'clear', storeOp: 'store' })),
  });
  second.setPipeline(splitting);
  second.setBindGroup(
    0,
    device.createBindGroup({
      layout: splitting.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: ids.createView() }],
    })
  );
  second.draw(3);
  second.end();
  const rowBytes = Math.ceil(width / 64) * 256;
  const staging = device.createBuffer({ size: rowBytes * height * samples, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  outs.forEach((out, s) =>
    encoder.copyTextureToBuffer(
      { texture: out },
      { buffer: staging, offset: rowBytes * height * s, bytesPerRow: rowBytes },
      [width, height]
    )
  );
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(1);
  const words = new Uint32Array(staging.getMappedRange());
  const result = new Uint32Array(width * height * samples);
  for (let s = 0; s < samples; s++)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        result[(y * width + x) * samples + s] = words[(rowBytes / 4) * (height * s + y) + x];
  for (const resource of [staging, vertices, ids, depth, ...outs]) resource.destroy();
  return result;
}

/**
 * Returns the ratio of busy lanes to all lanes if each visible triangle costs whole quads, computed from the ids of all
 * samples. `rate`: width and height of a coarse pixel in pixels.
 */
export function idealLanes(ids, { width, height, samples, rate: [across, down] = [1, 1] }) {
  let pixels = 0;
  let quads = 0;
  const trianglesIn = (left, top) => {
    const found = new Set();
    const past = Math.min(left + across, width);
    for (let y = top; y < Math.min(top + down, height); y++)
      for (let at = (y * width + left) * samples; at < (y * width + past) * samples; at++) found.add(ids[at]);
    found.delete(0);
    return found;
  };
  for (let y = 0; y < height; y += 2 * down)
    for (let x = 0; x < width; x += 2 * across) {
      const inQuad = new Set();
      for (let k = 0; k < 4; k++) {
        const inPixel = trianglesIn(x + (k & 1) * across, y + (k >> 1) * down);
        pixels += inPixel.size;
        for (const id of inPixel) inQuad.add(id);
      }
      quads += inQuad.size;
    }
  return { pixels, quads, busy: pixels / (4 * quads) };
}

/**
 * Returns the ids of a scene that `watch` has recorded. The scene has one draw call, with the position first in buffer
 * 0 and the camera at the start of binding 0.
 */
export function idsOf(device, seen, { stride, ...shape }) {
  const camera = seen.groups.get(seen.group).find(({ binding }) => binding === 0).resource;
  return idBuffer(device, { positions: unindex(seen, stride), camera }, shape);
}

/** Returns the ideal ratio of such a scene. */
export const idealOf = async (device, seen, shape) => idealLanes(await idsOf(device, seen, shape), shape);
