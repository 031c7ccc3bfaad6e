// Scenes whose passes load, draw to and copy parts of textures.
import {
  BLACK,
  BUFFER,
  COVER,
  SIZE,
  TEXTURE,
  bind,
  canvas,
  paint,
  paintOn,
  pipeline,
  texels,
  texture2d,
  upload,
} from './kit';
import type { Frame } from './kit';
import { show } from './output.kit';

// Passes that load what the previous one stored, in one encoder. With four samples the samples themselves are kept, not
// the resolved picture.
export function loads(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) c: vec3f };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let at = vec2f(hash(n * 2u + 3u), hash(n * 2u + 4u)) * 80;
      var o = array(vec2f(3.3, 8), vec2f(11, 47.2), vec2f(49, 21.6)); let q = snap(at + o[i]);
      return V(px(q.x, q.y, 0.5), hue(n));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1); }`
  );
  const target = canvas(frame);
  const encoder = frame.device.createCommandEncoder();
  for (let n = 0; n < 10; n++) {
    const pass = encoder.beginRenderPass({ colorAttachments: [target.attachment(n ? 'load' : undefined)] });
    pass.setPipeline(pipe);
    pass.draw(3, 1, 0, n);
    pass.end();
  }
  frame.device.queue.submit([encoder.finish()]);
  return target.texture;
}

// Each level is drawn from the previous one; then all levels are shown.
export function drawnLevels(frame: Frame): GPUTexture {
  const { device } = frame;
  const texture = device.createTexture({
    size: [64, 64],
    mipLevelCount: 7,
    format: 'rgba8unorm',
    usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED,
  });
  const level = (baseMipLevel: number): GPUTextureView => texture.createView({ baseMipLevel, mipLevelCount: 1 });
  const target = (view: GPUTextureView): GPURenderPassDescriptor => ({
    colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue: BLACK }],
  });
  const first = pipeline(
    frame,
    `
      ${COVER}
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
        let q = vec2u(p.xy); return vec4f(f32((q.x ^ q.y) & 63) / 63, f32((q.x * q.y) % 64u) / 63, f32(q.x & 1u), 1);
      }
    `
  );
  const smaller = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_2d<f32>; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = vec2i(p.xy) * 2;
      return (textureLoad(t, q, 0) + textureLoad(t, q + vec2i(1, 0), 0) + textureLoad(t, q + vec2i(0, 1), 0)
        + textureLoad(t, q + vec2i(1, 1), 0)) / 4;
    }`
  );
  paint(device, target(level(0)), (pass) => {
    pass.setPipeline(first);
    pass.draw(6);
  });
  for (let l = 1; l < 7; l++)
    paint(device, target(level(l)), (pass) => {
      pass.setPipeline(smaller);
      pass.setBindGroup(0, bind(device, smaller, level(l - 1)));
      pass.draw(6);
    });
  return show(
    frame,
    [texture],
    `@group(0) @binding(0) var t: texture_2d<f32>;
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let l = u32(p.x / 64) + 2 * u32(p.y / 64); let q = (vec2u(p.xy) % 64u);
      if (l < 3) { return textureLoad(t, q >> vec2u(l), l); }
      let m = 3 + q.x / 16u; return textureLoad(t, (q % 16u) >> vec2u(m - 2), m);
    }`
  );
}

// The faces of a cube map are drawn one by one, then sampled.
export function drawnFaces(frame: Frame): GPUTexture {
  const { device } = frame;
  const texture = device.createTexture({
    size: [16, 16, 6],
    format: 'rgba8unorm',
    usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED,
    textureBindingViewDimension: 'cube',
  });
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) n: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V { return V(whole(i), n); }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(hue(v.n) * (0.4 + 0.6 * v.p.x / 16), 1); }`
  );
  for (let face = 0; face < 6; face++)
    paint(
      device,
      {
        colorAttachments: [
          {
            view: texture.createView({ dimension: '2d', baseArrayLayer: face, arrayLayerCount: 1 }),
            loadOp: 'clear',
            storeOp: 'store',
            clearValue: BLACK,
          },
        ],
      },
      (pass) => {
        pass.setPipeline(pipe);
        pass.draw(6, 1, 0, face);
      }
    );
  const sphere = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_cube<f32>; @group(0) @binding(1) var s: sampler; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = (p.xy % 64) / 32 - 1; let z = sqrt(max(1 - dot(q, q), 0.0));
      let o = array(vec3f(q.x, -q.y, z), vec3f(q.x, -q.y, -z), vec3f(z, q), vec3f(q.x, -z, q.y));
      let k = u32(p.x / 64) + 2 * u32(p.y / 64);
      return textureSampleLevel(t, s, o[k], 0); }`
  );
  const group = bind(device, sphere, texture.createView({ dimension: 'cube' }), device.createSampler());
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(sphere);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// Eight passes back and forth between two textures, each sampling what the previous one drew.
export function pingPong(frame: Frame): GPUTexture {
  const { device } = frame;
  const make = (): GPUTexture =>
    device.createTexture({
      size: [SIZE, SIZE],
      format: 'rgba8unorm',
      usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED | TEXTURE.COPY_SRC,
    });
  let [from, to] = [make(), make()];
  const seed = pipeline(
    frame,
    `
      ${COVER}
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
        let q = vec2u(p.xy / 8); return vec4f(hue((q.x * 7u + q.y * 13u) % 11u), 1);
      }
    `
  );
  const blur = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      var c = vec4f(0);
      for (var i = -1; i <= 1; i++) {
        for (var j = -1; j <= 1; j++) { c += textureSample(t, s, (p.xy + vec2f(f32(i), f32(j)) * 1.5 + 0.25) / 128); }
      }
      return c / 9;
    }`
  );
  const sampler = device.createSampler({
    magFilter: 'linear',
    minFilter: 'linear',
    addressModeU: 'mirror-repeat',
    addressModeV: 'repeat',
  });
  const encoder = device.createCommandEncoder();
  const into = (view: GPUTexture, pipe: GPURenderPipeline, source?: GPUTexture): void => {
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: view.createView(), loadOp: 'clear', storeOp: 'store', clearValue: BLACK }],
    });
    pass.setPipeline(pipe);
    if (source) pass.setBindGroup(0, bind(device, pipe, source.createView(), sampler));
    pass.draw(6);
    pass.end();
  };
  into(from, seed);
  for (let k = 0; k < 8; k++) {
    into(to, blur, from);
    [from, to] = [to, from];
  }
  device.queue.submit([encoder.finish()]);
  return from;
}

// Buffer → texture with an offset and padded rows, texture → texture with levels and parts, texture → buffer → texture,
// writes with an origin.
export function copies(frame: Frame): GPUTexture {
  const { device } = frame;
  const target = device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba8unorm',
    usage: TEXTURE.COPY_SRC | TEXTURE.COPY_DST,
  });
  const pattern = (side: number, k: number): Uint8Array<ArrayBuffer> =>
    texels(side, side, (x, y) => [(x * 255) / side, (y * 255) / side, k * 60, 255]);
  const rows = new Uint8Array(512 + 256 * 40);
  for (let y = 0; y < 40; y++)
    for (let x = 0; x < 40; x++) rows.set([250 - x * 3, 80 + y * 4, (x ^ y) * 4, 255], 512 + y * 256 + x * 4);
  const source = upload(device, rows, BUFFER.COPY_SRC);
  const levels = texture2d(device, 32, 32, [pattern(32, 1), pattern(16, 2), pattern(8, 3), pattern(4, 4)]);
  const middle = device.createTexture({
    size: [32, 32],
    mipLevelCount: 4,
    format: 'rgba8unorm',
    usage: TEXTURE.COPY_SRC | TEXTURE.COPY_DST,
  });
  const through = device.createBuffer({ size: 256 * 64, usage: BUFFER.COPY_SRC | BUFFER.COPY_DST });
  const moved = device.createBuffer({ size: 256 * 64, usage: BUFFER.COPY_SRC | BUFFER.COPY_DST });
  device.queue.writeTexture(
    { texture: target, origin: [70, 5] },
    pattern(50, 0).subarray(0, 50 * 4 * 20),
    { bytesPerRow: 200, rowsPerImage: 50 },
    [50, 20]
  );
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToTexture(
    { buffer: source, offset: 512, bytesPerRow: 256 },
    { texture: target, origin: [3, 3] },
    [40, 40]
  );
  for (let mipLevel = 0; mipLevel < 4; mipLevel++)
    encoder.copyTextureToTexture({ texture: levels, mipLevel }, { texture: middle, mipLevel }, [
      32 >> mipLevel,
      32 >> mipLevel,
    ]);
  for (let mipLevel = 0; mipLevel < 4; mipLevel++)
    encoder.copyTextureToTexture({ texture: middle, mipLevel }, { texture: target, origin: [mipLevel * 31 + 2, 50] }, [
      32 >> mipLevel,
      32 >> mipLevel,
    ]);
  encoder.copyTextureToTexture({ texture: levels, origin: [5, 9] }, { texture: target, origin: [60, 31] }, [20, 11]);
  encoder.copyTextureToBuffer(
    { texture: target, origin: [10, 10] },
    { buffer: through, bytesPerRow: 256, offset: 256 },
    [60, 30]
  );
  encoder.copyBufferToBuffer(through, 256, moved, 1024, 256 * 30);
  encoder.copyBufferToTexture(
    { buffer: moved, offset: 1024, bytesPerRow: 256 },
    { texture: target, origin: [30, 90] },
    [60, 30]
  );
  device.queue.submit([encoder.finish()]);
  return target;
}

// Buffer writes and draw calls that read the buffer, alternating: each draw call sees what was written before its
// submit.
export function oneQueue(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
      @group(0) @binding(0) var<uniform> u: vec4f;
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return rect(i, u.xy, u.xy + 30, 0.5); }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(u.xy / 128, u.z, 1); }`
  );
  const buffer = frame.device.createBuffer({ size: 16, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  const group = bind(frame.device, pipe, { buffer });
  const target = canvas(frame);
  const data = new Float32Array(4);
  for (let k = 0; k < 16; k++) {
    data.set([(k % 4) * 32 + 1, (k >> 2) * 32 + 1, k / 15, 0]);
    frame.device.queue.writeBuffer(buffer, 0, data);
    paintOn(
      frame,
      target,
      (pass) => {
        pass.setPipeline(pipe);
        pass.setBindGroup(0, group);
        pass.draw(6);
      },
      k ? 'load' : undefined
    );
    data.fill(0); // The bytes were copied at the call.
  }
  return target.texture;
}
