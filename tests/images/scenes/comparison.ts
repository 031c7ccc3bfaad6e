// Scenes that compare with and read depth and stencil textures.
import { COVER, SIZE, TEXTURE, bind, canvas, cell, paint, paintOn, pipeline } from './kit';
import type { Frame } from './kit';
import { LINEAR } from './dimensions.kit';

const COMPARES: GPUCompareFunction[] = [
  'never',
  'less',
  'equal',
  'less-equal',
  'greater',
  'not-equal',
  'greater-equal',
  'always',
];

/** A drawn ramp of depths with steps. */
function depthRamp(frame: Frame, format: GPUTextureFormat, layers = 1, side = 32): GPUTexture {
  const texture = frame.device.createTexture({
    size: [side, side, layers],
    format,
    usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED,
  });
  const fill = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) n: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let q = corner(i); return V(vec4f(q * 2 - 1, q.x * 0.75 + q.y * 0.25, 1), n);
    }
    @fragment fn fs(v: V) -> @builtin(frag_depth) f32 { return round(fract(v.p.z + f32(v.n) * 0.3) * 8) / 8; }`,
    { targets: [], depth: { format, depthCompare: 'always', depthWriteEnabled: true } }
  );
  for (let layer = 0; layer < layers; layer++) {
    const view = texture.createView({ dimension: '2d', baseArrayLayer: layer, arrayLayerCount: 1 });
    paint(
      frame.device,
      {
        colorAttachments: [],
        depthStencilAttachment: { view, depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: 1 },
      },
      (pass) => {
        pass.setPipeline(fill);
        pass.draw(6, 1, 0, layer);
      }
    );
  }
  return texture;
}

// Eight compare functions from left to right; below with filtering: each texel's comparison counts by its weight.
export function compared(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_depth_2d; @group(0) @binding(1) var s: sampler_comparison;
    struct V { @builtin(position) p: vec4f, @location(0) q: vec2f };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      let c = corner(i); return V(vec4f(c * 1.9 - 0.95, 0.5, 1), c * 1.1 - 0.05);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      return vec4f(textureSampleCompare(t, s, v.q, 0.5), textureSampleCompareLevel(t, s, v.q.yx, 0.25 + v.q.x * 0.5),
        textureSampleCompare(t, s, v.q, v.q.y * 3 - 1), 1);
    }`
  );
  const view = depthRamp(frame, 'depth32float').createView();
  const groups = [{}, LINEAR].flatMap((filter) =>
    COMPARES.map((compare) => bind(device, pipe, view, device.createSampler({ compare, ...filter })))
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    groups.forEach((group, k) => {
      cell(pass, k, 4);
      pass.setBindGroup(0, group);
      pass.draw(6);
    });
  });
}

// Layers and faces of depth.
export function comparedLayers(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `
      @group(0) @binding(0) var a: texture_depth_2d_array; @group(0) @binding(1) var c: texture_depth_cube;
      @group(0) @binding(2) var s: sampler_comparison; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = p.xy % 32 / 32; let k = vec2i(p.xy) / 32; let e = q * 2 - 1;
      let layered = textureSampleCompare(a, s, q, k.x + 4 * (k.y - 2), 0.5); var d = vec3f(e.x, -e.y, 1);
      if (k.x == 1) { d = d.zxy; }
      if (k.x == 2) { d = -d.zyx; }
      if (k.x == 3) { d = -d; }
      let faced = textureSampleCompareLevel(c, s, d, 0.3 + f32(k.y) * 0.4);
      return vec4f(select(faced, layered, k.y > 1), q, 1); }`
  );
  const six = device.createTexture({
    size: [4, 4, 6],
    format: 'depth32float',
    usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED,
    textureBindingViewDimension: 'cube',
  });
  for (let n = 0; n < 6; n++)
    paint(
      device,
      {
        colorAttachments: [],
        depthStencilAttachment: {
          view: six.createView({ dimension: '2d', baseArrayLayer: n, arrayLayerCount: 1 }),
          depthLoadOp: 'clear',
          depthStoreOp: 'store',
          depthClearValue: (n + 0.5) / 6,
        },
      },
      () => undefined
    );
  const group = bind(
    device,
    pipe,
    depthRamp(frame, 'depth32float', 6, 16).createView({ dimension: '2d-array' }),
    six.createView({ dimension: 'cube' }),
    device.createSampler({ compare: 'less' })
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// Depth as numbers: loaded, and sampled by a non-filtering sampler. Stencil as integers.
export function depthRead(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_depth_2d; @group(0) @binding(1) var s: sampler; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { let sampled = textureSample(t, s, p.xy / 64);
      if (p.x < 64) { return vec4f(vec3f(textureLoad(t, vec2u(p.xy) % 32u, 0)), 1); }
      return vec4f(sampled, textureSampleLevel(t, s, p.yx / 128, 0), 0, 1);
    }`
  );
  const groups = (['depth32float', 'depth16unorm'] as const).map((format) =>
    bind(device, pipe, depthRamp(frame, format).createView(), device.createSampler({ addressModeU: 'repeat' }))
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    groups.forEach((group, k) => {
      pass.setScissorRect(0, k * 64, SIZE, 64);
      pass.setBindGroup(0, group);
      pass.draw(6);
    });
  });
}

export function stencilRead(frame: Frame): GPUTexture {
  const { device } = frame;
  const format = 'depth24plus-stencil8';
  const texture = device.createTexture({ size: [SIZE, SIZE], format, usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED });
  const face: GPUStencilFaceState = { compare: 'always', passOp: 'replace' };
  const fill = pipeline(
    frame,
    `
      @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> @builtin(position) vec4f {
        return rect(i, vec2f(f32(n) * 15 + 4), vec2f(124, 128 - f32(n) * 9), 0.5);
      }
      @fragment fn fs() {}
    `,
    {
      targets: [],
      depth: { format, depthCompare: 'always', depthWriteEnabled: false, stencilFront: face, stencilBack: face },
    }
  );
  paint(
    device,
    {
      colorAttachments: [],
      depthStencilAttachment: {
        view: texture.createView(),
        depthLoadOp: 'clear',
        depthStoreOp: 'store',
        depthClearValue: 0.75,
        stencilLoadOp: 'clear',
        stencilStoreOp: 'store',
      },
    },
    (pass) => {
      pass.setPipeline(fill);
      for (let n = 0; n < 8; n++) {
        pass.setStencilReference(n * 36 + 3);
        pass.draw(6, 1, 0, n);
      }
    }
  );
  const pipe = pipeline(
    frame,
    `
      @group(0) @binding(0) var t: texture_2d<u32>; ${COVER}
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
        return vec4f(vec3f(f32(textureLoad(t, vec2u(p.xy), 0).x)) / 255, 1);
      }
    `
  );
  const group = bind(device, pipe, texture.createView({ aspect: 'stencil-only' }));
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}
