// Color output after the fragment stage: blending, masks, targets and their formats, loads and copies.
import {
  BLACK,
  BUFFER,
  COVER,
  SIZE,
  TEXTURE,
  bind,
  canvas,
  cell,
  paint,
  paintOn,
  pipeline,
  scene,
  texels,
  texture2d,
  upload,
} from './kit';
import type { Canvas, Frame, Scene } from './kit';

/** Draws a texture over a whole new picture, with the given expression of `t`. */
function show(frame: Frame, textures: GPUTexture[], code: string): GPUTexture {
  const single = { device: frame.device, samples: 1 };
  const pipe = pipeline(single, code + COVER);
  const target = canvas(single);
  const group = bind(frame.device, pipe, ...textures.map((t) => t.createView()));
  return paintOn(single, target, (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

const SOURCE = `
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(0.9, 0.45, 0.15, 0.6); }
`;
const UNDER = `
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    return vec4f(fract(p.x / 9), fract(p.y / 9), 0.7, 0.3 + 0.5 * fract((p.x + p.y) / 18));
  }
`;
const FACTORS: GPUBlendFactor[] = [
  'zero',
  'one',
  'src',
  'one-minus-src',
  'src-alpha',
  'one-minus-src-alpha',
  'dst',
  'one-minus-dst',
  'dst-alpha',
  'one-minus-dst-alpha',
  'src-alpha-saturated',
  'constant',
  'one-minus-constant',
];

/** Cells of 9 pixels, one per source and destination factor. */
function factors(frame: Frame): GPUTexture {
  const under = pipeline(frame, COVER + UNDER);
  const pipes = FACTORS.flatMap((srcFactor) =>
    FACTORS.map((dstFactor) =>
      pipeline(frame, COVER + SOURCE, {
        blend: { color: { srcFactor, dstFactor }, alpha: { srcFactor: dstFactor, dstFactor: srcFactor } },
      })
    )
  );
  return paintOn(
    frame,
    canvas(frame),
    (pass) => {
      pass.setPipeline(under);
      pass.draw(6);
      pass.setBlendConstant({ r: 0.2, g: 0.5, b: 0.8, a: 0.4 });
      pipes.forEach((pipe, k) => {
        pass.setPipeline(pipe);
        pass.setScissorRect((k % 13) * 9, Math.floor(k / 13) * 9, 8, 8);
        pass.draw(6);
      });
    },
    BLACK
  );
}

const OPERATIONS: GPUBlendOperation[] = ['add', 'subtract', 'reverse-subtract', 'min', 'max'];

/** Columns: the color's operation; rows: alpha's. */
function operations(frame: Frame): GPUTexture {
  const under = pipeline(frame, COVER + UNDER.replaceAll('/ 9', '/ 25'));
  const part = (operation: GPUBlendOperation): GPUBlendComponent =>
    operation === 'min' || operation === 'max'
      ? { operation, srcFactor: 'one', dstFactor: 'one' }
      : { operation, srcFactor: 'src-alpha', dstFactor: 'one' };
  const pipes = OPERATIONS.flatMap((alpha) =>
    OPERATIONS.map((color) => pipeline(frame, COVER + SOURCE, { blend: { color: part(color), alpha: part(alpha) } }))
  );
  return paintOn(
    frame,
    canvas(frame),
    (pass) => {
      pass.setPipeline(under);
      pass.draw(6);
      pipes.forEach((pipe, k) => {
        pass.setPipeline(pipe);
        pass.setScissorRect((k % 5) * 25, Math.floor(k / 5) * 25, 23, 23);
        pass.draw(6);
      });
    },
    BLACK
  );
}

// Translucent discs on top of each other: each must be blended in order.
function order(frame: Frame): GPUTexture {
  const over: GPUBlendState = {
    color: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
    alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
  };
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) q: vec2f, @location(1) @interpolate(flat, either) n: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let at = vec2f(hash(n * 2u), hash(n * 2u + 1u)) * 100 + 14;
      return V(rect(i, at - 24, at + 24, 0.5), corner(i) * 2 - 1, n);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      let a = 0.6 * clamp((1 - dot(v.q, v.q)) * 4, 0, 1); return vec4f(hue(v.n) * a, a);
    }`,
    { blend: over }
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(6, 40);
  });
}

// Opaque, blended, opaque again: deferred shading must not overtake blending.
function opaqueAndBlended(frame: Frame): GPUTexture {
  const code = `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) n: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let a = f32(n) * 9 + 4;
      return V(rect(i, vec2f(a, 124 - a) - vec2f(0, 48), vec2f(a + 48, 124 - a), 0.9 - f32((n * 5u) % 9u) * 0.1), n);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(hue(v.n), 0.5); }`;
  const depth: GPUDepthStencilState = { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true };
  const opaque = pipeline(frame, code, { depth });
  const blended = pipeline(frame, code, {
    depth: { ...depth, depthWriteEnabled: false },
    blend: { color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' }, alpha: {} },
  });
  const target = canvas(frame);
  const z = frame.device.createTexture({
    size: [SIZE, SIZE],
    format: 'depth32float',
    sampleCount: frame.samples,
    usage: TEXTURE.ATTACHMENT,
  });
  paint(
    frame.device,
    {
      colorAttachments: [target.attachment()],
      depthStencilAttachment: {
        view: z.createView(),
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
        depthClearValue: 1,
      },
    },
    (pass) => {
      for (let n = 0; n < 9; n++) {
        pass.setPipeline(n % 3 === 1 ? blended : opaque);
        pass.draw(6, 1, 0, n);
      }
    }
  );
  return target.texture;
}

function blendConstant(frame: Frame): GPUTexture {
  const pipe = pipeline(frame, `${COVER} @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }`, {
    blend: { color: { srcFactor: 'constant', dstFactor: 'one-minus-constant' }, alpha: {} },
  });
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    for (let k = 0; k < 16; k++) {
      cell(pass, k, 4);
      if (k) pass.setBlendConstant({ r: (k & 3) / 3, g: (k >> 2) / 3, b: k / 15, a: 1 });
      pass.draw(6);
    }
  });
}

function writeMasks(frame: Frame): GPUTexture {
  const pipes = Array.from({ length: 16 }, (_, writeMask) =>
    pipeline(
      frame,
      `
        ${COVER}
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(1, p.y / 128, 0.9, 0.25); }
      `,
      { writeMask }
    )
  );
  return paintOn(frame, canvas(frame), (pass) =>
    pipes.forEach((pipe, k) => {
      cell(pass, k, 4);
      pass.setPipeline(pipe);
      pass.draw(6);
    })
  );
}

// Four targets of four formats in one pass, with one location skipped; read back side by side.
function targets(frame: Frame): GPUTexture {
  const formats: GPUTextureFormat[] = ['rgba8unorm', 'rgba16float', 'r8unorm', 'rgba8uint'];
  const made = formats.map((format) =>
    frame.device.createTexture({ size: [SIZE, SIZE], format, usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED })
  );
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) c: vec3f };
    struct F { @location(0) a: vec4f, @location(1) b: vec4f, @location(2) c: f32, @location(3) d: vec4u };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      var q = array(vec2f(4, 10), vec2f(60, 126), vec2f(124, 2)); var c = vec3f(0); c[i] = 1;
      return V(px(q[i].x, q[i].y, 0.5), c);
    }
    @fragment fn fs(v: V) -> F { return F(vec4f(v.c, 1), vec4f(v.c * 4 - 1.5, 1), v.c.y, vec4u(vec3u(v.c * 200), 7)); }
    `,
    { formats }
  );
  const attach = (k: number, clearValue: GPUColor): GPURenderPassColorAttachment => ({
    view: (made[k] as GPUTexture).createView(),
    loadOp: 'clear',
    storeOp: 'store',
    clearValue,
  });
  paint(
    frame.device,
    {
      colorAttachments: [
        attach(0, [0.2, 0, 0, 1]),
        attach(1, [-1, 2, 0.5, 1]),
        attach(2, [0.5, 0, 0, 0]),
        attach(3, [10, 20, 30, 40]),
      ],
    },
    (pass) => {
      pass.setPipeline(pipe);
      pass.draw(3);
    }
  );
  return show(
    frame,
    made,
    `
      @group(0) @binding(0) var a: texture_2d<f32>; @group(0) @binding(1) var b: texture_2d<f32>;
      @group(0) @binding(2) var c: texture_2d<f32>; @group(0) @binding(3) var d: texture_2d<u32>;
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { let q = (vec2i(p.xy) % 64) * 2;
      if (p.y < 64) {
        if (p.x < 64) { return textureLoad(a, q, 0); } return vec4f((textureLoad(b, q, 0).rgb + 1.5) / 4, 1);
      }
      if (p.x < 64) { return vec4f(textureLoad(c, q, 0).r, 0, 0.3, 1); }
      let u = textureLoad(d, q, 0); return vec4f(vec3f(u.rgb) / 200, f32(u.a) / 7);
    }`
  );
}

// Sums above 1 and below 0 are kept in a float target, and are read scaled.
function floatTarget(frame: Frame): GPUTexture {
  const target = canvas(frame, 'rgba16float', TEXTURE.SAMPLED);
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) q: vec2f, @location(1) @interpolate(flat, either) n: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let at = vec2f(hash(n * 2u + 9u), hash(n * 2u + 10u)) * 90 + 19;
      return V(rect(i, at - 30, at + 30, 0.5), corner(i) * 2 - 1, n);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      let a = max(0.0, 1 - dot(v.q, v.q)); return vec4f((hue(v.n) * 3 - 0.5) * a, a);
    }`,
    {
      formats: ['rgba16float'],
      blend: { color: { srcFactor: 'one', dstFactor: 'one' }, alpha: { srcFactor: 'one', dstFactor: 'one' } },
    }
  );
  paintOn(
    frame,
    target,
    (pass) => {
      pass.setPipeline(pipe);
      pass.draw(6, 16);
    },
    { r: -0.5, g: 0, b: 0.25, a: 1 }
  );
  return show(
    frame,
    [target.texture],
    `@group(0) @binding(0) var t: texture_2d<f32>;
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let c = textureLoad(t, vec2i(p.xy), 0).rgb; return vec4f(select(c / (c + 1), abs(c), c < vec3f(0)), 1);
    }`
  );
}

/** A picture in another format with the same texel size, copied byte by byte into rgba8unorm. */
function copied(frame: Frame, from: Canvas): GPUTexture {
  const texture = frame.device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba8unorm',
    usage: TEXTURE.COPY_SRC | TEXTURE.COPY_DST,
  });
  const encoder = frame.device.createCommandEncoder();
  encoder.copyTextureToTexture({ texture: from.texture }, { texture }, [SIZE, SIZE]);
  frame.device.queue.submit([encoder.finish()]);
  return texture;
}

// Encoding to sRGB on write; clear values are encoded, too; blending happens on decoded values.
function srgbTarget(frame: Frame): GPUTexture {
  const formats: GPUTextureFormat[] = ['rgba8unorm-srgb'];
  const target = canvas(frame, 'rgba8unorm-srgb');
  const ramp = pipeline(
    frame,
    `
      ${COVER}
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
        return vec4f(p.x / 128, p.x / 1280, 1 - p.y / 64, p.x / 128);
      }
    `,
    { formats }
  );
  const half = pipeline(
    frame,
    `
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      var q = array(vec2f(3, 120), vec2f(60, 20), vec2f(125, 90)); return px(q[i].x, q[i].y, 0.5);
    }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0.5, 0.1, 0.5); }`,
    { formats, blend: { color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' }, alpha: {} } }
  );
  paintOn(
    frame,
    target,
    (pass) => {
      pass.setPipeline(ramp);
      pass.setScissorRect(0, 0, 128, 60);
      pass.draw(6);
      pass.setScissorRect(0, 0, 128, 128);
      pass.setPipeline(half);
      pass.draw(3);
    },
    { r: 0.2, g: 0.02, b: 0.5, a: 0.5 }
  );
  return copied(frame, target);
}

function bgraTarget(frame: Frame): GPUTexture {
  const target = canvas(frame, 'bgra8unorm', TEXTURE.SAMPLED);
  const pipe = pipeline(
    frame,
    `
      ${COVER}
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
        return vec4f(p.x / 128, p.y / 128, 0.25, 0.5);
      }
    `,
    { formats: ['bgra8unorm'], blend: { color: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' }, alpha: {} } }
  );
  paintOn(
    frame,
    target,
    (pass) => {
      pass.setPipeline(pipe);
      pass.draw(6);
    },
    { r: 1, g: 0.2, b: 0, a: 1 }
  );
  return show(
    frame,
    [target.texture],
    `
      @group(0) @binding(0) var t: texture_2d<f32>;
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return textureLoad(t, vec2i(p.xy), 0); }
    `
  );
}

// Rounding to 8 bits: each of the 256 values, slightly below and above it, and far out of range. NaN is omitted,
// because its result is unspecified.
function rounding(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = vec2u(p.xy); let k = f32((q.y % 32u) * 8u + q.x / 16u);
      var o = array(0.0, 0.4, -0.4, 0.49); let v = (k + o[q.y / 32u]) / 255; return vec4f(v, v * 1000 - 400, -v, 1 - v);
    }`
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(6);
  });
}

// Passes that load what the previous one stored, in one encoder. With four samples the samples themselves are kept, not
// the resolved picture.
function loads(frame: Frame): GPUTexture {
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
function drawnLevels(frame: Frame): GPUTexture {
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
function drawnFaces(frame: Frame): GPUTexture {
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
function pingPong(frame: Frame): GPUTexture {
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
function copies(frame: Frame): GPUTexture {
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
function oneQueue(frame: Frame): GPUTexture {
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

export const output: Record<string, Scene> = {
  'blend-factors': scene('every source factor with every destination factor', factors, { within: 2, share: 1 }),
  'blend-operations': scene('every blend operation, for colour and for alpha', operations, { within: 2, share: 1 }),
  'blend-constant': scene('the blend constant, changed between draws', blendConstant, { within: 1, share: 1 }),
  'blend-order': scene('translucent discs in their order', order, { samples: [1, 4] }),
  'blend-and-opaque': scene('opaque and blended draws in turns', opaqueAndBlended, {
    samples: [1, 4],
    within: 2,
    share: 1,
  }),
  'write-masks': scene('all sixteen write masks', writeMasks, { samples: [1, 4], within: 1, share: 1 }),
  'several-targets': scene('four targets of four formats', targets),
  'float-target': scene('additive blending in rgba16float', floatTarget, { samples: [1, 4], within: 3 }),
  'srgb-target': scene('encoding, clearing and blending in sRGB', srgbTarget, { samples: [1, 4], within: 2 }),
  'bgra-target': scene('the order of the channels', bgraTarget, { within: 1, share: 1 }),
  'unorm-rounding': scene('rounding to 8 bits and clamping', rounding, { within: 0, share: 1 }),
  'load-passes': scene('ten passes that load what was there', loads, { samples: [1, 4] }),
  'drawn-levels': scene('levels of a texture drawn from each other', drawnLevels, { within: 2 }),
  'drawn-cube': scene('faces of a cube map drawn, then sampled', drawnFaces),
  'ping-pong': scene('passes that sample what the one before drew', pingPong, { within: 4 }),
  copies: scene('copies between buffers and textures, parts and levels', copies, { within: 0, share: 1 }),
  'one-queue': scene('writes and draws take effect in order', oneQueue, { within: 1, share: 1 }),
};
