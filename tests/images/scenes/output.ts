// Color output after the fragment stage: blending, masks, targets and their formats, loads and copies.
import { COVER, SIZE, TEXTURE, canvas, paint, paintOn, pipeline, scene } from './kit';
import type { Canvas, Frame, Scene } from './kit';
import { show } from './output.kit';
import { blendConstant, factors, opaqueAndBlended, operations, order, writeMasks } from './blending';
import { copies, drawnFaces, drawnLevels, loads, oneQueue, pingPong } from './transfers';

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
