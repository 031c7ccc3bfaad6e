// Texture sampling: which texel, level, face, filter and format.
import {
  BUFFER,
  COVER,
  TEXTURE,
  bind,
  camera,
  canvas,
  cell,
  paintOn,
  pipeline,
  scene,
  texels,
  texture2d,
  upload,
} from './kit';
import type { Frame, Scene } from './kit';
import { SAMPLED, rainbow } from './texture.kit';
import { explicitLevels, levelLimits, oddSides, quadLevels } from './levels';
import { cubeBias, cubeMap, cubeMirror } from './cube';

function plane(frame: Frame, sampler: GPUSamplerDescriptor): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `${SAMPLED} @group(0) @binding(2) var<uniform> m: mat4x4f;
    struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      let c = corner(i) * vec2f(60, 30) - vec2f(30, 27); return V(m * vec4f(c.x, 0, c.y, 1), c * 0.6);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return textureSample(t, s, v.uv); }`
  );
  const matrix = upload(device, camera([0, 1.6, 4], [0, 0.2, 0], 1.4, 0.1, 100), BUFFER.UNIFORM);
  const group = bind(
    device,
    pipe,
    rainbow(device, 64).createView(),
    device.createSampler({ addressModeU: 'repeat', addressModeV: 'repeat', ...sampler }),
    { buffer: matrix }
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// Sixteen cells: scales, stretches in u or v, and rotations, all chosen away from the borders between levels.
function stretch(frame: Frame, sampler: GPUSamplerDescriptor): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `${SAMPLED}
    struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let c = corner(i); var k = array(0.4, 0.8, 1.6, 3.0, 6.0, 12.0, 25.0, 50.0);
      var q = c * vec2f(k[n % 8u], k[(n * 3u) % 8u]);
      if (n >= 8u) { q = vec2f(q.x * 0.8 - q.y * 0.6, q.x * 0.6 + q.y * 0.8); }
      return V(vec4f(c * 1.94 - 0.97, 0.5, 1), q * 0.3);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return textureSample(t, s, v.uv); }`
  );
  const group = bind(
    device,
    pipe,
    rainbow(device, 64).createView(),
    device.createSampler({ addressModeU: 'repeat', addressModeV: 'repeat', ...sampler })
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    for (let n = 0; n < 16; n++) {
      cell(pass, n, 4);
      pass.draw(6, 1, 0, n);
    }
  });
}

const SMALL = (device: GPUDevice): GPUTexture =>
  texture2d(device, 4, 4, [texels(4, 4, (x, y) => [x * 80, y * 80, (x ^ y) & 1 ? 220 : 30, 255])]);

function addressModes(frame: Frame, filter: GPUFilterMode): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `${SAMPLED}
    struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      let c = corner(i); return V(vec4f(c * 1.94 - 0.97, 0.5, 1), c * 4.6 - 2.27);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return textureSample(t, s, v.uv); }`
  );
  const modes: GPUAddressMode[] = ['repeat', 'mirror-repeat', 'clamp-to-edge'];
  const view = SMALL(device).createView();
  const groups = modes.flatMap((addressModeU) =>
    modes.map((addressModeV) =>
      bind(
        device,
        pipe,
        view,
        device.createSampler({ addressModeU, addressModeV, magFilter: filter, minFilter: filter })
      )
    )
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    groups.forEach((group, k) => {
      pass.setViewport((k % 3) * 42, Math.floor(k / 3) * 42, 42, 42, 0, 1);
      pass.setBindGroup(0, group);
      pass.draw(6);
    });
  });
}

// Left nearest, right linear; a 4×4 and a 5×3 texture, strongly magnified.
function magnify(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `${SAMPLED}
    struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      let c = corner(i); return V(vec4f(c * 1.9 - 0.95, 0.5, 1), c * 1.2 - 0.11);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return textureSample(t, s, v.uv); }`
  );
  const odd = texture2d(device, 5, 3, [texels(5, 3, (x, y) => [255 - x * 50, x * 50, y * 120, 255])]);
  const small = SMALL(device);
  const groups = [small, odd].flatMap((t) =>
    (['nearest', 'linear'] as const).map((magFilter) =>
      bind(device, pipe, t.createView(), device.createSampler({ magFilter }))
    )
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    groups.forEach((group, k) => {
      cell(pass, k, 2);
      pass.setBindGroup(0, group);
      pass.draw(6);
    });
  });
}

function load(frame: Frame): GPUTexture {
  const { device } = frame;
  const unsigned = device.createTexture({
    size: [16, 16],
    format: 'rgba8uint',
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST,
  });
  device.queue.writeTexture(
    { texture: unsigned },
    texels(16, 16, (x, y) => [x * 16, y * 16, x ^ y, 9]),
    { bytesPerRow: 64 },
    [16, 16]
  );
  const signed = device.createTexture({ size: [8, 8], format: 'r32sint', usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST });
  device.queue.writeTexture(
    { texture: signed },
    Int32Array.from({ length: 64 }, (_, k) => k * 8 - 256),
    { bytesPerRow: 32 },
    [8, 8]
  );
  const floats = device.createTexture({ size: [8, 8], format: 'r32float', usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST });
  device.queue.writeTexture(
    { texture: floats },
    Float32Array.from({ length: 64 }, (_, k) => k / 63),
    { bytesPerRow: 32 },
    [8, 8]
  );
  const pipe = pipeline(
    frame,
    `
      @group(0) @binding(0) var a: texture_2d<f32>; @group(0) @binding(1) var b: texture_2d<u32>;
      @group(0) @binding(2) var c: texture_2d<i32>; @group(0) @binding(3) var d: texture_2d<f32>; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { let q = vec2u(p.xy); let r = q % 64u;
      if (q.y < 64u) {
        if (q.x < 64u) { let l = r.y / 16u; return textureLoad(a, (r >> vec2u(l)) % textureDimensions(a, l), i32(l)); }
        let u = textureLoad(b, vec2i(r / 4u), 0); return vec4f(vec3f(u.xyz) / 255, f32(u.w) / 9);
      }
      if (q.x < 64u) {
        let v = textureLoad(c, r / 8u, 0).x; return vec4f(f32(max(v, 0)) / 255, f32(max(-v, 0)) / 255, 0, 1);
      }
      return vec4f(textureLoad(d, vec2i(r / 8u), 0).xxx, 1);
    }`
  );
  const group = bind(
    device,
    pipe,
    rainbow(device, 64).createView(),
    unsigned.createView(),
    signed.createView(),
    floats.createView()
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// The same 16-level ramp in each format; missing channels are 0, 0, 1.
function formats(frame: Frame): GPUTexture {
  const { device } = frame;
  const made: [GPUTextureFormat, number, ArrayBufferView<ArrayBuffer>][] = [
    ['rgba8unorm', 4, Uint8Array.from({ length: 64 }, (_, k) => k * 4)],
    ['rgba8unorm-srgb', 4, Uint8Array.from({ length: 64 }, (_, k) => k * 4)],
    ['rgba8snorm', 4, Int8Array.from({ length: 64 }, (_, k) => k * 4 - 128)],
    ['bgra8unorm', 4, Uint8Array.from({ length: 64 }, (_, k) => k * 4)],
    ['rg8snorm', 2, Int8Array.from({ length: 32 }, (_, k) => k * 8 - 128)],
    ['r8unorm', 1, Uint8Array.from({ length: 16 }, (_, k) => k * 17)],
    ['rg8unorm', 2, Uint8Array.from({ length: 32 }, (_, k) => k * 8)],
    // Red is denormal.
    ['rgba16float', 8, Uint16Array.from({ length: 64 }, (_, k) => (k & 3 ? 0x3000 + k * 0x30 : k * 4))],
  ];
  const pipe = pipeline(
    frame,
    `${SAMPLED} ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let c = textureSampleLevel(t, s, vec2f(p.x / 128, 0.5), 0); return select(c, abs(c.wzyx), p.y % 16 > 8);
    }`
  );
  const groups = made.map(([format, bytes, data]) => {
    const texture = device.createTexture({ size: [16, 1], format, usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST });
    device.queue.writeTexture({ texture }, data, { bytesPerRow: bytes * 16 }, [16, 1]);
    return bind(
      device,
      pipe,
      texture.createView(),
      device.createSampler({ minFilter: 'nearest', magFilter: 'nearest' })
    );
  });
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    groups.forEach((group, k) => {
      pass.setScissorRect(0, k * 16, 128, 16);
      pass.setBindGroup(0, group);
      pass.draw(6);
    });
  });
}

// sRGB is decoded before filtering: black and white meet at linear one half, not at 188.
function srgbFilter(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `
      ${SAMPLED} ${COVER}
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return textureSample(t, s, p.xy / 128); }
    `
  );
  const data = texels(4, 4, (x, y) => [(x & 1) * 255, (y & 1) * 255, ((x + y) & 1) * 128 + 64, 255]);
  const groups = (['rgba8unorm', 'rgba8unorm-srgb'] as const).map((format) =>
    bind(
      device,
      pipe,
      texture2d(device, 4, 4, [data], format).createView(),
      device.createSampler({ magFilter: 'linear' })
    )
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    groups.forEach((group, k) => {
      pass.setScissorRect(0, k * 64, 128, 64);
      pass.setBindGroup(0, group);
      pass.draw(6);
    });
  });
}

const LINEAR = { magFilter: 'linear', minFilter: 'linear' } as const;
export const texture: Record<string, Scene> = {
  'mip-plane-nearest': scene('mip choice on a receding plane', (f) => plane(f, LINEAR), { share: 0.97 }),
  'mip-plane-trilinear': scene(
    'blending between levels on a receding plane',
    (f) => plane(f, { ...LINEAR, mipmapFilter: 'linear' }),
    { samples: [1, 4], share: 0.97 }
  ),
  'mip-stretch': scene('the longer side of a stretched footprint chooses the level', (f) => stretch(f, {})),
  'mip-stretch-linear': scene('the same, filtered', (f) => stretch(f, { ...LINEAR, mipmapFilter: 'linear' }), {
    share: 0.95,
  }),
  'mip-quads': scene('levels of small triangles come from whole quads', quadLevels),
  'address-modes': scene('repeat, mirror and clamp in both directions, nearest', (f) => addressModes(f, 'nearest')),
  'address-modes-linear': scene('the same, filtered across the borders', (f) => addressModes(f, 'linear')),
  magnification: scene('texels enlarged, nearest and linear', magnify),
  'explicit-levels': scene('levels by number, by bias and by gradients', explicitLevels, { share: 0.97 }),
  'level-limits': scene('clamped levels, views of some levels, dimensions', levelLimits),
  'odd-sides': scene('a 37×19 texture with all its levels', oddSides),
  'cube-faces': scene('which face, and how it lies', (f) => cubeMap(f, {}, 'return textureSampleLevel(t, s, d, 0);')),
  'cube-seams': scene('filtering from one face into the next', (f) =>
    cubeMap(f, LINEAR, 'return textureSampleLevel(t, s, d, 0);')
  ),
  'cube-levels': scene(
    'levels of a cube map by number',
    (f) => cubeMap(f, { ...LINEAR, mipmapFilter: 'linear' }, 'return textureSampleLevel(t, s, d, p.y / 64);'),
    { stray: 19 }
  ),
  // Seams and levels of cubes depend on the implementation: the two references differ in 6 % of the pixels.
  'cube-mirror': scene('levels of a cube map by derivatives', cubeMirror, { share: 0.97, stray: 15 }),
  'cube-bias': scene('levels of small mirrors, and a bias added', cubeBias),
  'texture-load': scene('textureLoad from four formats and all levels', load, { within: 1, share: 1 }),
  'texture-formats': scene('what each format decodes to', formats, { within: 1 }),
  'srgb-filter': scene('sRGB texels are decoded before they are filtered', srgbFilter),
};
