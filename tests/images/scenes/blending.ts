// Scenes of blending and write masks.
import { BLACK, COVER, SIZE, TEXTURE, canvas, cell, paint, paintOn, pipeline } from './kit';
import type { Frame } from './kit';
import { SOURCE, UNDER } from './output.kit';

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
export function factors(frame: Frame): GPUTexture {
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
export function operations(frame: Frame): GPUTexture {
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
export function order(frame: Frame): GPUTexture {
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
export function opaqueAndBlended(frame: Frame): GPUTexture {
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

export function blendConstant(frame: Frame): GPUTexture {
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

export function writeMasks(frame: Frame): GPUTexture {
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
