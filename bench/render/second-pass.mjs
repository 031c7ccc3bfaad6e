// Makes scenes return to their samples: the pass stores colour and depth, and a second pass loads them, draws over a
// part of the picture, and resolves. Works with any unchanged scene, because it intercepts the scene's calls on the
// device.

const SHADER = `
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 0.8 - 0.9, f32(i >> 1u) * 0.8 - 0.9, 0.2, 1);
  }
  @fragment fn fs() -> @location(0) vec4f { return vec4f(0.1, 0.2, 0.3, 0.5); }`;
const OVER = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };

/** Returns an object with the members of `target`, except for those in `changed`. */
export function around(target, changed) {
  return new Proxy(target, {
    get(_, name) {
      if (name in changed) return changed[name];
      const value = target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * Returns a device on which each render pass with a depth buffer is followed by a second pass. `textures` collects the
 * multisampled textures that are created.
 */
export function withSecondPass(device, samples, textures = []) {
  const module = device.createShaderModule({ code: SHADER });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm', blend: { color: OVER, alpha: OVER } }] },
    multisample: { count: samples },
    primitive: { topology: 'triangle-strip' },
    depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: false },
  });
  const beginRenderPass = (encoder, descriptor) => {
    const { depthStencilAttachment: depth } = descriptor;
    const colors = descriptor.colorAttachments;
    const pass = encoder.beginRenderPass({
      ...descriptor,
      colorAttachments: colors.map(({ resolveTarget: _resolved, ...color }) => ({ ...color, storeOp: 'store' })),
      depthStencilAttachment: { ...depth, depthStoreOp: 'store' },
    });
    const end = () => {
      pass.end();
      const second = encoder.beginRenderPass({
        colorAttachments: colors.map((color) => ({ ...color, loadOp: 'load', storeOp: 'store' })),
        depthStencilAttachment: { view: depth.view, depthLoadOp: 'load', depthStoreOp: 'discard' },
      });
      second.setPipeline(pipeline);
      second.draw(4);
      second.end();
    };
    return around(pass, { end });
  };
  return around(device, {
    createTexture(descriptor) {
      const texture = device.createTexture(descriptor);
      if (descriptor.sampleCount > 1) textures.push(texture);
      return texture;
    },
    createCommandEncoder(descriptor) {
      const encoder = device.createCommandEncoder(descriptor);
      return around(encoder, { beginRenderPass: (pass) => beginRenderPass(encoder, pass) });
    },
  });
}
