// Depth and stencil: comparisons, writes, bias, ranges, and effects per sample.
import { canvas, cell, depthAttachment, depthTexture, paint, pipeline, scene } from './kit';
import type { Frame, PipelineOptions, Scene } from './kit';
import { COMPARES, type Draw } from './depth.kit';
import { stencilOperations, stencilTests } from './stencil';

function withDepth(frame: Frame, body: Draw, format: GPUTextureFormat = 'depth32float', clear = 1): GPUTexture {
  const target = canvas(frame);
  paint(
    frame.device,
    {
      colorAttachments: [target.attachment()],
      depthStencilAttachment: depthAttachment(depthTexture(frame, format), clear),
    },
    body
  );
  return target.texture;
}

/** Instance n is a rectangle of constant depth. */
const LAYERS = (rects: string, options: PipelineOptions, frame: Frame): GPURenderPipeline =>
  pipeline(
    frame,
    `
  struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) c: vec3f };
  @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
    ${rects} return V(rect(i, lo, hi, z), hue(n));
  }
  @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1); }`,
    options
  );

// Draws three depths first; then, for each comparison, one layer over all of them at the middle depth.
function compares(frame: Frame): GPUTexture {
  const base = LAYERS(
    'let lo = vec2f(0, f32(n) * 42); let hi = vec2f(128, f32(n) * 42 + 42); let z = 0.25 + 0.25 * f32(n);',
    { depth: { format: 'depth32float', depthCompare: 'always', depthWriteEnabled: true } },
    frame
  );
  const tests = COMPARES.map((depthCompare) =>
    LAYERS(
      'let k = f32(n - 10u); let lo = vec2f(k * 16 + 2, 4); let hi = vec2f(k * 16 + 14, 124); let z = 0.5;',
      { depth: { format: 'depth32float', depthCompare, depthWriteEnabled: true } },
      frame
    )
  );
  const check = LAYERS(
    'let lo = vec2f(0, 32); let hi = vec2f(128, 36); let z = 0.4;',
    { depth: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true } },
    frame
  );
  return withDepth(frame, (pass) => {
    pass.setPipeline(base);
    pass.draw(6, 3);
    tests.forEach((pipe, k) => {
      pass.setPipeline(pipe);
      pass.draw(6, 1, 0, 10 + k);
    });
    pass.setPipeline(check); // Passes only where a layer of 0.5 was written.
    pass.draw(6, 1, 0, 30);
  });
}

// Layers that do not write depth do not occlude later ones.
function readOnly(frame: Frame): GPUTexture {
  const at =
    'let lo = vec2f(8 + 14 * f32(n), 8 + 10 * f32(n)); let hi = lo + vec2f(50, 60); let z = 0.1 + 0.1 * f32(n);';
  const writing = LAYERS(
    at,
    { depth: { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true } },
    frame
  );
  const reading = LAYERS(
    at,
    { depth: { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: false } },
    frame
  );
  return withDepth(
    frame,
    (pass) =>
      [writing, reading, writing, reading, reading, writing].forEach((pipe, n) => {
        pass.setPipeline(pipe);
        pass.draw(6, 1, 0, n);
      }),
    'depth24plus'
  );
}

// Three sheets that intersect each other; the lines of intersection are cut per sample.
function intersect(frame: Frame, format: GPUTextureFormat): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) c: vec3f };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let c = corner(i); var z = array(c.x, 1 - c.x * 0.8 - c.y * 0.1, c.y * 0.9 + 0.02);
      let w = 1 + c.x * c.y; return V(vec4f((c * 1.9 - 0.95) * w, (z[n] * 0.8 + 0.1) * w, w), hue(n + 4)); }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1); }`,
    { depth: { format, depthCompare: 'less', depthWriteEnabled: true } }
  );
  return withDepth(
    frame,
    (pass) => {
      pass.setPipeline(pipe);
      pass.draw(6, 3);
    },
    format
  );
}

// The same slanted sheet twice: the second one is visible only where its bias brings it nearer.
function bias(frame: Frame): GPUTexture {
  const code = (colour: string): string => `
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      let c = corner(i); return vec4f(c * 1.8 - 0.9, 0.3 + 0.3 * c.x, 1);
    }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(${colour}, 1); }`;
  const base = pipeline(frame, code('0.2, 0.4, 0.9'), {
    depth: { format: 'depth32float', depthCompare: 'always', depthWriteEnabled: true },
  });
  const biases: [number, number, number, GPUCompareFunction][] = [
    [0, 0, 0, 'less'],
    [-1, 0, 0, 'less'],
    [1, 0, 0, 'less'],
    [1, 0, 0, 'greater'],
    [0, -1, 0, 'less'],
    [0, 1, 0, 'less'],
    [0, 1, 0, 'greater'],
    [100, -1, 0, 'less'],
    [0, 0, 0, 'equal'],
    [0, 0, 0, 'less-equal'],
    [-1000, 1, 0, 'less'],
    [-1000000, 0, 0, 'less'],
    [4, 0, 0, 'equal'],
    [0, 0.5, 0, 'greater-equal'],
    [0, -0.5, 0, 'greater-equal'],
    [-2, 0.5, 0, 'less'],
  ];
  const decals = biases.map(([depthBias, depthBiasSlopeScale, depthBiasClamp, depthCompare]) =>
    pipeline(frame, code('0.9, 0.6, 0.1'), {
      depth: {
        format: 'depth32float',
        depthCompare,
        depthWriteEnabled: true,
        depthBias,
        depthBiasSlopeScale,
        depthBiasClamp,
      },
    })
  );
  return withDepth(frame, (pass) =>
    decals.forEach((decal, k) => {
      cell(pass, k, 4);
      pass.setPipeline(base);
      pass.draw(6);
      pass.setPipeline(decal);
      pass.draw(6);
    })
  );
}

// A viewport maps depth into its range. The picture shows the depth that the fragment stage sees and that is tested.
function range(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) c: vec2f };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V { let c = corner(i); return V(vec4f(c * 1.9 - 0.95, c.x, 1), c); }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.p.z, v.c.y * 0.5, 0.2, 1); }`,
    { depth: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true } }
  );
  const ranges = [
    [0, 1],
    [0.25, 0.75],
    [0.5, 0.5],
    [0, 0.4],
    [0.3, 1],
    [0.9, 1],
    [0, 0.01],
    [0.6, 0.8],
  ] as const;
  return withDepth(frame, (pass) => {
    pass.setPipeline(pipe);
    ranges.forEach(([low, high], k) => {
      pass.setViewport((k % 3) * 38, Math.floor(k / 3) * 38, 50, 50, low, high);
      pass.draw(6);
    });
  });
}

// Spheres that write their own depth, so that they intersect each other and a sheet.
function fragDepth(frame: Frame): GPUTexture {
  const sheet = pipeline(
    frame,
    `
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        let c = corner(i); return vec4f(c * 2 - 1, c.x, 1);
      }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(0.4, 0.4, 0.45, 1); }`,
    { depth: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true } }
  );
  const balls = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) q: vec2f, @location(1) @interpolate(flat, either) n: u32 };
    struct F { @location(0) c: vec4f, @builtin(frag_depth) z: f32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let c = corner(i) * 2 - 1; let at = vec2f(24 + f32(n % 4u) * 26, 26 + f32(n / 4u) * 36);
      return V(rect(i, at - 22, at + 22, 0.5), c, n);
    }
    @fragment fn fs(v: V) -> F { let d = 1 - dot(v.q, v.q); if (d <= 0) { discard; } let h = sqrt(d);
      return F(vec4f(hue(v.n) * (0.3 + 0.7 * h), 1), 0.5 - 0.2 * h + 0.05 * f32(v.n % 3u)); }`,
    { depth: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true } }
  );
  return withDepth(frame, (pass) => {
    pass.setPipeline(sheet);
    pass.draw(6);
    pass.setPipeline(balls);
    pass.draw(6, 12);
  });
}

// Cleared to 0 and compared with greater, in a separate pass that loads the previous pass's depth.
function reversed(frame: Frame): GPUTexture {
  const target = canvas(frame);
  const depth = depthTexture(frame);
  const at = `
    let lo = vec2f(10 + 12 * f32(n), 10 + 12 * f32(n)); let hi = lo + vec2f(60, 40);
    let z = 0.3 + 0.1 * f32((n * 3u) % 5u);
  `;
  const pipe = LAYERS(
    at,
    { depth: { format: 'depth32float', depthCompare: 'greater', depthWriteEnabled: true } },
    frame
  );
  paint(
    frame.device,
    { colorAttachments: [target.attachment()], depthStencilAttachment: depthAttachment(depth, 0) },
    (pass) => {
      pass.setPipeline(pipe);
      pass.draw(6, 3);
    }
  );
  paint(
    frame.device,
    {
      colorAttachments: [target.attachment('load')],
      depthStencilAttachment: { view: depth.createView(), depthLoadOp: 'load', depthStoreOp: 'store' },
    },
    (pass) => {
      pass.setPipeline(pipe);
      pass.draw(6, 2, 0, 3);
    }
  );
  return target.texture;
}

// Sheets that leave the depth range at both ends. Above they are clipped; below they are unclipped and their depths are
// clamped to the viewport's range.
function unclipped(frame: Frame): GPUTexture {
  const sheet = (unclippedDepth: boolean): GPURenderPipeline =>
    LAYERS(
      `
        let k = f32(n); let y = ${unclippedDepth ? 64 : 0}.0 + 4; let lo = vec2f(4 + k * 20, y);
        let hi = vec2f(80 + k * 20, y + 56);
        let z = (0.2 * k + corner(i).x * 1.8 - 0.5) * select(1.0, -1.0, k > 1) + select(0.0, 1.0, k > 1);
      `,
      {
        depth: { format: 'depth32float', depthCompare: 'less-equal', depthWriteEnabled: true },
        primitive: { topology: 'triangle-list', unclippedDepth },
      },
      frame
    );
  const pipes = [sheet(false), sheet(true)];
  return withDepth(frame, (pass) =>
    pipes.forEach((pipe) => {
      pass.setViewport(0, 0, 128, 128, 0.25, 0.75);
      pass.setPipeline(pipe);
      pass.draw(6, 3);
    })
  );
}

export const depth: Record<string, Scene> = {
  'depth-compare': scene('each comparison against nearer, equal and farther', compares, {
    samples: [1, 4],
    within: 1,
    share: 1,
  }),
  'depth-write-off': scene('a draw that does not write depth hides nothing later', readOnly, {
    samples: [1, 4],
    within: 1,
    share: 1,
  }),
  'depth-intersect': scene('sheets that pass through each other', (f) => intersect(f, 'depth32float'), {
    samples: [1, 4],
  }),
  'depth-intersect-24': scene('the same with depth24plus', (f) => intersect(f, 'depth24plus'), { samples: [1] }),
  'depth-intersect-16': scene('the same with depth16unorm', (f) => intersect(f, 'depth16unorm'), { samples: [1] }),
  // Whole rows of pixels are nearer or farther.
  'depth-bias': scene('constant and slope-scaled bias', bias, { within: 1, stray: 208 }),
  'depth-range': scene('the depth range of the viewport', range, { within: 2 }),
  'unclipped-depth': scene('depths beyond the range, clipped and clamped', unclipped),
  'frag-depth': scene('depth written by the fragment stage', fragDepth, { samples: [1, 4] }),
  'depth-reversed': scene('clear to 0, compare greater, load in a second pass', reversed, {
    samples: [1, 4],
    within: 1,
    share: 1,
  }),
  'stencil-operations': scene('every stencil operation, from 2 and from 254', stencilOperations, {
    within: 1,
    share: 1,
  }),
  'stencil-tests': scene('stencil comparisons, masks, fail and depth-fail operations, two faces', stencilTests, {
    within: 1,
  }),
};
