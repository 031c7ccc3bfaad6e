// Textures that are not 2D: 3D textures, layers, cubes in an array, 1D textures, multisampled and depth textures.
import {
  BUFFER,
  COVER,
  SIZE,
  TEXTURE,
  bind,
  canvas,
  cell,
  depthAttachment,
  paint,
  paintOn,
  pipeline,
  scene,
  texels,
  upload,
} from './kit';
import type { Frame, Scene } from './kit';
import { LINEAR, layerTexture, layers } from './dimensions.kit';
import { compared, comparedLayers, depthRead, stencilRead } from './comparison';

/** One color channel per axis; blue texels reveal the level that is read. */
function volumeTexture(device: GPUDevice, side: number, levels: number): GPUTexture {
  const texture = device.createTexture({
    size: [side, side, side],
    dimension: '3d',
    mipLevelCount: levels,
    format: 'rgba8unorm',
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST,
  });
  for (let mipLevel = 0; mipLevel < levels; mipLevel++) {
    const s = side >> mipLevel;
    const data = new Uint8Array(s * s * s * 4);
    for (let z = 0; z < s; z++)
      data.set(
        texels(s, s, (x, y) => [
          (x * 255) / s,
          (y * 255) / s,
          (x ^ y ^ z) & 1 ? (z * 255) / s : 255 - mipLevel * 80,
          255,
        ]),
        z * s * s * 4
      );
    device.queue.writeTexture({ texture, mipLevel }, data, { bytesPerRow: s * 4, rowsPerImage: s }, [s, s, s]);
  }
  return texture;
}

// Cells of four address modes in w and four filters; the depth increases along the cell and beyond both ends.
function volume(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_3d<f32>; @group(0) @binding(1) var s: sampler;
    struct V { @builtin(position) p: vec4f, @location(0) q: vec2f };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V { let c = corner(i); return V(vec4f(c * 1.9 - 0.95, 0.5, 1), c); }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      return textureSample(t, s, vec3f(v.q.x * 0.9 + 0.013, 0.8 - v.q.x * 0.3, v.q.y * 2.3 - 0.66));
    }`
  );
  const view = volumeTexture(device, 8, 4).createView();
  const modes: GPUAddressMode[] = ['clamp-to-edge', 'repeat', 'mirror-repeat', 'clamp-to-edge'];
  const filters: GPUSamplerDescriptor[] = [
    {},
    LINEAR,
    { ...LINEAR, mipmapFilter: 'linear', lodMinClamp: 0.5 },
    { ...LINEAR, lodMinClamp: 2 },
  ];
  const groups = filters.flatMap((filter) =>
    modes.map((addressModeW) => bind(device, pipe, view, device.createSampler({ addressModeW, ...filter })))
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

function volumeLoad(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_3d<f32>; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = vec2u(p.xy); let k = q / 32; let level = min(k.y, 3); let d = textureDimensions(t, level);
      if (q.y % 32 < 4) { return vec4f(vec3f(d) / 8, f32(textureNumLevels(t)) / 4); }
      return textureLoad(t, vec3u(q / 3, k.x * 2) % d, level);
    }`
  );
  const group = bind(frame.device, pipe, volumeTexture(frame.device, 8, 4).createView());
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// Single layers are drawn to, copied to each other, and then read as an array.
function drawnLayers(frame: Frame): GPUTexture {
  const { device } = frame;
  const texture = device.createTexture({
    size: [32, 32, 4],
    format: 'rgba8unorm',
    usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED | TEXTURE.COPY_SRC | TEXTURE.COPY_DST,
  });
  const fill = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) n: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V { return V(whole(i), n); }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(hue(v.n) * v.p.x / 32, 1); }`
  );
  for (const layer of [0, 2])
    paint(
      device,
      {
        colorAttachments: [
          {
            view: texture.createView({ dimension: '2d', baseArrayLayer: layer, arrayLayerCount: 1 }),
            loadOp: 'clear',
            storeOp: 'store',
          },
        ],
      },
      (pass) => {
        pass.setPipeline(fill);
        pass.draw(6, 1, 0, layer);
      }
    );
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToTexture({ texture, origin: [0, 0, 2] }, { texture, origin: [8, 0, 1] }, [24, 24]);
  encoder.copyTextureToTexture({ texture, origin: [8, 8, 0] }, { texture, origin: [0, 8, 3] }, [24, 24]);
  device.queue.submit([encoder.finish()]);
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_2d_array<f32>; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = vec2u(p.xy); return textureLoad(t, q % 64u / 2u, q.x / 64u + 2u * (q.y / 64u), 0);
    }`
  );
  const group = bind(device, pipe, texture.createView());
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// Two cubes in one texture: columns choose the cube, with one beyond each end.
function cubes(frame: Frame): GPUTexture {
  const { device } = frame;
  const texture = device.createTexture({
    size: [8, 8, 12],
    format: 'rgba8unorm',
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST,
  });
  for (let n = 0; n < 12; n++)
    device.queue.writeTexture(
      { texture, origin: [0, 0, n] },
      texels(8, 8, (x, y) => [n * 20 + x * 3, (n % 6) * 45, n < 6 ? 60 : 200 - y * 20, 255]),
      { bytesPerRow: 32 },
      [8, 8, 1]
    );
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_cube_array<f32>; @group(0) @binding(1) var s: sampler; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = p.xy % 32 / 16 - 1; let k = vec2i(p.xy) / 32; var d = vec3f(q.x, -q.y, 0.4); if (k.y == 1) { d = d.zxy; }
      if (k.y == 2) { d = -d.yzx; }
      if (k.y == 3) { d = vec3f(q, -1.5); }
      return textureSampleLevel(t, s, d, k.x - 1, 0) * (0.5 + f32(textureNumLayers(t)) / 4); }`
  );
  const group = bind(device, pipe, texture.createView({ dimension: 'cube-array' }), device.createSampler());
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

function line(frame: Frame): GPUTexture {
  const { device } = frame;
  const texture = device.createTexture({
    size: [16],
    dimension: '1d',
    format: 'rgba8unorm',
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST,
  });
  device.queue.writeTexture(
    { texture },
    texels(16, 1, (x) => [x * 17, (x % 4) * 80, 255 - x * 13, 255]),
    {},
    [16]
  );
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_1d<f32>; @group(0) @binding(1) var s: sampler; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let x = p.x / 128; let sampled = textureSample(t, s, x * 2.3 - 0.7);
      if (p.y < 64) { return sampled; }
      return textureLoad(t, (u32(p.x) / 3u + u32(p.y) / 8u) % textureDimensions(t), 0);
    }`
  );
  const groups = [{}, { ...LINEAR, addressModeU: 'mirror-repeat' as const }].map((sampler) =>
    bind(device, pipe, texture.createView(), device.createSampler(sampler))
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    groups.forEach((group, k) => {
      pass.setScissorRect(k * 64, 0, 64, SIZE);
      pass.setBindGroup(0, group);
      pass.draw(6);
    });
  });
}

// The four samples of a pixel, read one by one: color and depth.
function sampleLoad(frame: Frame): GPUTexture {
  const { device } = frame;
  const size = [32, 32];
  const colour = device.createTexture({
    size,
    sampleCount: 4,
    format: 'rgba8unorm',
    usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED,
  });
  const depth = device.createTexture({
    size,
    sampleCount: 4,
    format: 'depth32float',
    usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED,
  });
  const fill = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) n: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      var o = array(vec2f(5, 3), vec2f(20, 118), vec2f(117, 45)); let q = snap(o[i]) - 4 * f32(n);
      return V(px(q.x, q.y, 0.25 + 0.25 * f32(n)), n);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(hue(v.n), 1); }`,
    { samples: 4, depth: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true } }
  );
  paint(
    device,
    {
      colorAttachments: [{ view: colour.createView(), loadOp: 'clear', storeOp: 'store' }],
      depthStencilAttachment: depthAttachment(depth),
    },
    (pass) => {
      pass.setPipeline(fill);
      pass.draw(3, 2);
    }
  );
  const pipe = pipeline(
    frame,
    `
      @group(0) @binding(0) var c: texture_multisampled_2d<f32>;
      @group(0) @binding(1) var d: texture_depth_multisampled_2d; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = vec2i(p.xy); let n = (q.x & 1) + 2 * (q.y & 1); let at = (q / 2) % 32 + vec2i(textureDimensions(c)) * 0;
      if (q.y < 64) { return textureLoad(c, at, n); }
      return vec4f(vec3f(textureLoad(d, at, n)), f32(textureNumSamples(d)) / 4);
    }`
  );
  const group = bind(device, pipe, colour.createView(), depth.createView());
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// Offsets in texels, as arguments of sampling functions.
function offsets(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `
      @group(0) @binding(0) var t: texture_2d_array<f32>; @group(0) @binding(1) var s: sampler;
      @group(0) @binding(2) var<uniform> u: vec4f; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = p.xy / 60 + u.xy; let a = textureSample(t, s, q, 0, vec2i(3, -2)); let b = textureSample(t, s, q, 0);
      switch (u32(p.y) / 32u) {
        case 0: { return a; }
        case 1: { return b; }
        case 2: { return textureSampleLevel(t, s, q, 1, 1, vec2i(-8, 7)); }
        default: { return textureSampleGrad(t, s, q, 2, vec2f(0.01, 0), vec2f(0, 0.01), vec2i(1, 1)); }
      }
    }`
  );
  const group = bind(
    device,
    pipe,
    layerTexture(device, 16, 3, 2).createView(),
    device.createSampler({ addressModeU: 'repeat', ...LINEAR }),
    { buffer: upload(device, Float32Array.of(0.1, -0.05, 0, 0), BUFFER.UNIFORM) }
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// textureSampleBaseClampToEdge: half a texel from every edge, whatever the sampler says.
function baseClamp(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      return textureSampleBaseClampToEdge(t, s, p.xy / 80 - 0.3);
    }`
  );
  const view = layerTexture(device, 8, 1, 2).createView({ dimension: '2d' });
  const group = bind(
    device,
    pipe,
    view,
    device.createSampler({ addressModeU: 'repeat', addressModeV: 'mirror-repeat', ...LINEAR })
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

export const dimensions: Record<string, Scene> = {
  volume: scene('3D textures: address modes in the third direction, filters, levels', volume, { share: 0.97 }),
  'volume-load': scene('texels and sizes of a 3D texture', volumeLoad, { within: 1, share: 1 }),
  layers: scene('layers by number, clamped; views of some of them', layers, { share: 0.97 }),
  'drawn-layers': scene('layers drawn and copied one by one', drawnLayers, { within: 1, share: 1 }),
  'cube-array': scene('which cube of an array', cubes, { share: 0.98 }),
  'texture-1d': scene('1D textures, sampled and loaded', line),
  'sample-load': scene('single samples of multisampled colour and depth', sampleLoad, { within: 1 }),
  'depth-compare-sampler': scene('every compare function of a sampler, nearest and filtered', compared, {
    share: 0.97,
  }),
  'depth-compare-layers': scene('comparing with layers and faces', comparedLayers, { within: 2 }),
  'depth-read': scene('depth loaded and sampled as numbers', depthRead, { within: 1 }),
  'stencil-read': scene('stencil read as integers', stencilRead, { within: 0, share: 1 }),
  'texel-offsets': scene('offsets in texels', offsets),
  'base-clamp': scene('textureSampleBaseClampToEdge stays half a texel inside', baseClamp),
};
