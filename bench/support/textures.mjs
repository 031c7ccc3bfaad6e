// Textures with content and samplers, for frames that several implementations draw.
import { TEXTURE } from '../scenes/kit.mjs';

const VIEWS = { array: '2d-array', cube: 'cube', '3d': '3d' };
const LAYERS = { array: 4, cube: 6 };
/** Bytes per texel, if not 4. */
const BYTES = { r8unorm: 1, rg8unorm: 2, rgba16float: 8, rgba32float: 16 };

/** Half floats of n ÷ 255. */
const HALVES = Uint16Array.from({ length: 256 }, (_, n) => {
  if (n === 0) return 0;
  const value = n / 255;
  const exponent = Math.floor(Math.log2(value));
  return ((exponent + 15) << 10) + Math.round((value / 2 ** exponent - 1) * 1024);
});
const CHANNELS = { r8unorm: 1, rg8unorm: 2 };

/** Texels of one mip level of one layer: soft squares whose colours differ by layer. */
function texelsOf(format, side, level, layer) {
  const size = Math.max(1, side >> level);
  const channels = CHANNELS[format] ?? 4;
  const bytes = new Uint8Array(size * size * channels);
  for (let y = 0, i = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const isLight = (((x << level) >> 4) ^ ((y << level) >> 4) ^ layer) & 1;
      const shade = (isLight ? 170 : 60) + ((x << level) % 64);
      for (let c = 0; c < channels; c++) bytes[i++] = c === 3 ? 230 : (shade + c * 17 + layer * 5) & 255;
    }
  if (format === 'rgba16float') return Uint16Array.from(bytes, (n) => HALVES[n]);
  if (format === 'rgba32float') return Float32Array.from(bytes, (n) => n / 255);
  return bytes;
}

/** `filter`: nearest, bilinear, trilinear or anisotropic. */
export function samplerOf(device, { kind, filter }) {
  const linear = filter === 'nearest' ? 'nearest' : 'linear';
  return device.createSampler({
    addressModeU: 'repeat',
    addressModeV: 'repeat',
    magFilter: linear,
    minFilter: linear,
    ...(kind === 'shadow' ? { compare: 'less' } : {}),
    ...(filter === 'trilinear' || filter === 'anisotropic' ? { mipmapFilter: 'linear' } : {}),
    ...(filter === 'anisotropic' ? { maxAnisotropy: 4 } : {}),
  });
}

/** Depths that a pass writes, because they cannot be copied to a texture. */
function writeDepths(device, texture, made) {
  const module = device.createShaderModule({
    code: `
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(vec2f(f32(i & 1u), f32(i >> 1u)) * 4 - 1, 0, 1);
    }
    struct Output { @location(0) color: vec4f, @builtin(frag_depth) depth: f32 };
    @fragment fn fs(@builtin(position) p: vec4f) -> Output {
      return Output(vec4f(1), 0.3 + 0.4 * fract((p.x + p.y) / 90));
    }`,
  });
  const format = 'rgba8unorm';
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
    depthStencil: { format: texture.format, depthCompare: 'always', depthWriteEnabled: true },
  });
  const color = device.createTexture({ size: [texture.width, texture.height], format, usage: TEXTURE.ATTACHMENT });
  made.push(color);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: color.createView(), loadOp: 'clear', storeOp: 'discard' }],
    depthStencilAttachment: {
      view: texture.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'store',
      depthClearValue: 1,
    },
  });
  pass.setPipeline(pipeline);
  pass.draw(3);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

/**
 * Creates a texture with content and returns its view. `kind`: 2d, array, cube, 3d or shadow. Its resources are added
 * to `made`.
 */
export function textureOf(device, { kind, format, filter, side }, made) {
  const layers = LAYERS[kind] ?? 1;
  const is3d = kind === '3d';
  const hasLevels = filter === 'trilinear' || filter === 'anisotropic';
  const levels = hasLevels ? Math.log2(side) + 1 : 1;
  const texture = device.createTexture({
    size: [side, side, is3d ? side : layers],
    format,
    dimension: is3d ? '3d' : '2d',
    mipLevelCount: levels,
    usage: TEXTURE.SAMPLED | (kind === 'shadow' ? TEXTURE.ATTACHMENT : TEXTURE.COPY_DST),
    // For the compatibility mode; others ignore it.
    ...(kind === 'cube' ? { textureBindingViewDimension: 'cube' } : {}),
  });
  made.push(texture);
  if (kind === 'shadow') writeDepths(device, texture, made);
  else
    for (let mipLevel = 0; mipLevel < levels; mipLevel++) {
      const size = side >> mipLevel;
      for (let layer = 0; layer < (is3d ? size : layers); layer++)
        device.queue.writeTexture(
          { texture, mipLevel, origin: [0, 0, layer] },
          texelsOf(format, side, mipLevel, layer),
          { bytesPerRow: size * (BYTES[format] ?? 4) },
          [size, size]
        );
    }
  return texture.createView(VIEWS[kind] ? { dimension: VIEWS[kind] } : {});
}
