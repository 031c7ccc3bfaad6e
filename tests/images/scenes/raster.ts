// Which samples a triangle covers: shared edges, the top-left rule, slivers, viewports, winding.
import {
  BLACK,
  BACKGROUND,
  BUFFER,
  SIZE,
  allEqual,
  bind,
  canvas,
  circle,
  paintOn,
  pipeline,
  scene,
  upload,
} from './kit';
import type { Frame, Scene } from './kit';

const ADD: GPUBlendState = {
  color: { srcFactor: 'one', dstFactor: 'one' },
  alpha: { srcFactor: 'one', dstFactor: 'one' },
};
const POSITIONS: GPUVertexBufferLayout[] = [
  { arrayStride: 8, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x2' }] },
];
const ADD_TEN = `
  @vertex fn vs(@location(0) p: vec2f) -> @builtin(position) vec4f { return px(p.x, p.y, 0.5); }
  @fragment fn fs() -> @location(0) vec4f { return vec4f(10.0 / 255); }`;
const onceEach = (pixels: Uint8Array): string | undefined => allEqual(pixels, [10, 10, 10, 10]);

/** Adds 10 wherever one of the triangles covers. Positions in pixels. */
function addTriangles(frame: Frame, points: number[], indices: number[]): GPUTexture {
  const pipe = pipeline(frame, ADD_TEN, { buffers: POSITIONS, blend: ADD });
  const vertices = upload(frame.device, Float32Array.from(points), BUFFER.VERTEX);
  const index = upload(frame.device, Uint32Array.from(indices), BUFFER.INDEX);
  return paintOn(
    frame,
    canvas(frame),
    (pass) => {
      pass.setPipeline(pipe);
      pass.setVertexBuffer(0, vertices);
      pass.setIndexBuffer(index, 'uint32');
      pass.drawIndexed(indices.length);
    },
    BLACK
  );
}

function fan(frame: Frame): GPUTexture {
  const spokes = 44;
  const points = [53.3, 71.8];
  const indices: number[] = [];
  for (let k = 0; k < spokes; k++) {
    const [x, y] = circle((k * 4) / spokes + 0.013);
    points.push(64 + x * 230, 64 + y * 230);
    indices.push(0, k + 1, ((k + 1) % spokes) + 1);
  }
  return addTriangles(frame, points, indices);
}

/**
 * A jittered grid (by less than half a step, or it would fold): many triangles about `step` pixels large, with vertices
 * anywhere in a pixel.
 */
function grid(frame: Frame, cells: number, jitter: number): GPUTexture {
  const points: number[] = [];
  const indices: number[] = [];
  const step = SIZE / cells;
  let seed = 12345;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return (seed >>> 8) / 16777216 - 0.5;
  };
  const side = cells + 1;
  for (let y = 0; y <= cells; y++)
    for (let x = 0; x <= cells; x++) {
      const inside = x > 0 && y > 0 && x < cells && y < cells;
      points.push(
        x * step + (inside ? random() * jitter * step : 0),
        y * step + (inside ? random() * jitter * step : 0)
      );
      if (x === cells || y === cells) continue;
      const a = y * side + x;
      const flip = (x + y) & 1;
      indices.push(
        ...(flip
          ? [a, a + side, a + 1, a + 1, a + side, a + side + 1]
          : [a, a + side, a + side + 1, a, a + side + 1, a + 1])
      );
    }
  return addTriangles(frame, points, indices);
}

// Every edge passes exactly through pixel centers (or sample positions at quarters): only the fill rule decides.
function topLeft(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) k: u32 };
    @vertex fn vs(@location(0) p: vec2f, @builtin(vertex_index) i: u32) -> V { return V(px(p.x, p.y, 0.5), i / 3); }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(hue(v.k) * 0.5, 0.25); }`,
    { buffers: POSITIONS, blend: ADD }
  );
  const points: number[] = [];
  const quad = (x0: number, y0: number, x1: number, y1: number): void => {
    points.push(x0, y0, x0, y1, x1, y0, x1, y0, x0, y1, x1, y1);
  };
  // Neighbors that share whole edges on centers.
  for (let k = 0; k < 6; k++) quad(4.5 + k * 20, 4.5, 4.5 + k * 20 + 20, 24.5);
  for (let k = 0; k < 8; k++) quad(10.5 + k, 30.5 + 2 * k, 11.5 + k, 32.5 + 2 * k); // One pixel wide.
  const stars: [number, number, number, number][] = [
    [40.5, 40.5, 12, 12],
    [80.5, 48.5, 16, 8],
    [100.5, 90.5, 20, 20],
    [40.5, 96.5, 24, 24],
  ];
  for (const [x, y, w, h] of stars) {
    // Diamonds and squares cut into eight, all vertices on pixel centers.
    const ring = [
      [w, 0],
      [w, h],
      [0, h],
      [-w, h],
      [-w, 0],
      [-w, -h],
      [0, -h],
      [w, -h],
    ] as const;
    ring.forEach(([ax, ay], k) => {
      const [bx, by] = ring[(k + 1) % 8] ?? ring[0];
      points.push(x, y, x + ax, y + ay, x + bx, y + by);
    });
  }
  const vertices = upload(frame.device, Float32Array.from(points), BUFFER.VERTEX);
  return paintOn(
    frame,
    canvas(frame),
    (pass) => {
      pass.setPipeline(pipe);
      pass.setVertexBuffer(0, vertices);
      pass.draw(points.length / 2);
    },
    BLACK
  );
}

function hashed(frame: Frame, count: number, shape: string): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) c: vec3f };
    ${shape}
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let p = snap(shape(n, i)); return V(px(p.x, p.y, 0.5), hue(n));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1); }`
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(3, count);
  });
}

const TINY = `fn shape(n: u32, i: u32) -> vec2f {
  let c = vec2f(f32(n % 60u), f32(n / 60u)) * 2.1 + 1.0;
  return c + (vec2f(hash(n * 6u + i * 2u), hash(n * 6u + i * 2u + 1u)) - 0.5) * 2.6;
}`;
const SLIVERS = `
  fn shape(n: u32, i: u32) -> vec2f {
    let a = vec2f(hash(n * 4u), hash(n * 4u + 1u)) * 128; let b = vec2f(hash(n * 4u + 2u), hash(n * 4u + 3u)) * 128;
  let side = normalize(vec2f(b.y - a.y, a.x - b.x)) * 0.7;
  return select(select(a + side, b, i == 1u), a - side, i == 2u);
}`;

function degenerate(frame: Frame): GPUTexture {
  // Collinear points, three or two equal points: nothing may be visible but the one proper triangle at the end.
  const points = [
    10, 10, 60, 60, 110, 110, 30.5, 90.5, 30.5, 90.5, 30.5, 90.5, 10, 70, 100, 20, 10, 70, 20.5, 20.5, 20.5, 60.5, 20.5,
    100.5, 70, 80, 70, 120, 110, 120,
  ];
  const pipe = pipeline(frame, ADD_TEN.replace('10.0 / 255', '1'), { buffers: POSITIONS });
  const vertices = upload(frame.device, Float32Array.from(points), BUFFER.VERTEX);
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setVertexBuffer(0, vertices);
    pass.draw(points.length / 2);
  });
}

const GRADIENT = `
  struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f };
  @vertex fn vs(@builtin(vertex_index) i: u32) -> V { let c = corner(i); return V(vec4f(c * 2 - 1, 0.5, 1), c); }
  @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.uv, step(0.5, fract((v.uv.x + v.uv.y) * 4)), 1); }`;

function viewportScissor(frame: Frame): GPUTexture {
  const pipe = pipeline(frame, GRADIENT);
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setViewport(4, 4, 56, 56, 0, 1);
    pass.draw(6);
    pass.setViewport(66.25, 2.75, 55.5, 40.5, 0, 1); // Edges between pixels.
    pass.draw(6);
    pass.setScissorRect(8, 70, 40, 13);
    pass.setViewport(0, 64, 64, 64, 0, 1);
    pass.draw(6);
    pass.setScissorRect(71, 55, 1, 60);
    pass.draw(6);
    pass.setViewport(-20, 60, 200, 60, 0, 1); // Larger than the target.
    pass.draw(6);
    pass.setScissorRect(90, 80, 0, 0);
    pass.draw(6);
    pass.setScissorRect(80, 60, 44, 64);
    pass.draw(6);
  });
}

function culling(frame: Frame): GPUTexture {
  const code = `
    struct V { @builtin(position) p: vec4f };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      var q = array(vec2f(-0.9, -0.8), vec2f(-0.1, -0.8), vec2f(-0.5, 0.8), vec2f(0.9, -0.8), vec2f(0.1, -0.8),
        vec2f(0.5, 0.8));
      return V(vec4f(q[i], 0.5, 1));
    }
    @fragment fn fs(@builtin(front_facing) front: bool) -> @location(0) vec4f {
      return select(vec4f(0.9, 0.3, 0.1, 1), vec4f(0.2, 0.8, 0.4, 1), front);
    }`;
  const pipes = (['ccw', 'cw'] as const).flatMap((frontFace) =>
    (['none', 'front', 'back'] as const).map((cullMode) =>
      pipeline(frame, code, { primitive: { topology: 'triangle-list', frontFace, cullMode } })
    )
  );
  return paintOn(frame, canvas(frame), (pass) =>
    pipes.forEach((pipe, k) => {
      pass.setPipeline(pipe);
      pass.setViewport((k % 3) * 42, Math.floor(k / 3) * 64, 42, 64, 0, 1);
      pass.draw(6);
    })
  );
}

// Two strips in one draw call, separated by the restart index. Colors come from the first vertex, so that a wrong order
// is visible.
function strips(frame: Frame): GPUTexture {
  const code = `
    struct V { @builtin(position) p: vec4f, @location(0) c: vec3f };
    @group(0) @binding(0) var<uniform> shift: vec4f;
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      let k = f32(i / 2u); return V(px(6 + k * 13 + shift.x, 6 + f32(i % 2u) * 24 + k * 2 + shift.y, 0.5), hue(i));
    }
    @fragment fn fs(v: V, @builtin(front_facing) front: bool) -> @location(0) vec4f {
      return vec4f(select(v.c * 0.3, v.c, front), 1);
    }`;
  const make = (stripIndexFormat?: GPUIndexFormat): GPURenderPipeline =>
    pipeline(frame, code, {
      primitive: { topology: 'triangle-strip', ...(stripIndexFormat ? { stripIndexFormat } : {}) },
    });
  const pipes = [make('uint16'), make('uint32'), make()];
  const short = upload(
    frame.device,
    Uint16Array.of(0, 1, 2, 3, 4, 5, 0xffff, 8, 9, 10, 11, 0xffff, 0xffff, 12, 13, 0xffff, 14, 15, 16, 17),
    BUFFER.INDEX
  );
  const long = upload(
    frame.device,
    Uint32Array.of(1, 0, 3, 2, 5, 4, 0xffffffff, 8, 9, 10, 0xffffffff, 12, 13, 14, 15, 16),
    BUFFER.INDEX
  );
  const shifts = [
    [0, 0],
    [0, 42],
    [0, 84],
  ].map((s) => upload(frame.device, Float32Array.of(...s, 0, 0), BUFFER.UNIFORM));
  return paintOn(frame, canvas(frame), (pass) =>
    pipes.forEach((pipe, k) => {
      const shift = shifts[k];
      if (!shift) return;
      pass.setPipeline(pipe);
      pass.setBindGroup(0, bind(frame.device, pipe, { buffer: shift }));
      if (k === 0) {
        pass.setIndexBuffer(short, 'uint16');
        pass.drawIndexed(20);
      }
      if (k === 1) {
        pass.setIndexBuffer(long, 'uint32');
        pass.drawIndexed(16);
      }
      if (k === 2) pass.draw(18);
    })
  );
}

function edgesOnTileBorders(frame: Frame): GPUTexture {
  // Rectangles whose edges are on, one before and one after every multiple of 8 and 64, where blocks and tiles meet.
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) c: vec3f };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let c = vec2f(f32(n % 16u), f32(n / 16u)) * 8; let o = vec2f(f32(n % 3u), f32((n / 3u) % 3u)) - 1;
      return V(rect(i, c + 1 + o, c + 7 + o.yx, 0.5), hue(n));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1); }`
  );
  return paintOn(
    frame,
    canvas(frame),
    (pass) => {
      pass.setPipeline(pipe);
      pass.draw(6, 256);
    },
    BACKGROUND
  );
}

export const raster: Record<string, Scene> = {
  'shared-edges-fan': scene('44 triangles around a point cover every sample exactly once', fan, {
    samples: [1, 4],
    within: 0,
    share: 1,
    expect: onceEach,
  }),
  'shared-edges-grid': scene('a jittered mesh covers every sample exactly once', (f) => grid(f, 12, 0.48), {
    samples: [1, 4],
    within: 0,
    share: 1,
    expect: onceEach,
  }),
  'shared-edges-fine': scene(
    'a mesh of triangles of a pixel or two covers every sample exactly once',
    (f) => grid(f, 88, 0.48),
    { samples: [1, 4], within: 0, share: 1, expect: onceEach }
  ),
  'top-left-rule': scene('edges through pixel centres belong to the right triangle', topLeft, {
    samples: [1, 4],
    within: 1,
    share: 1,
  }),
  'tiny-triangles': scene('triangles of less than a pixel', (f) => hashed(f, 3600, TINY), { samples: [1, 4] }),
  slivers: scene('long triangles, thinner than a pixel', (f) => hashed(f, 60, SLIVERS), { samples: [1, 4] }),
  'zero-area': scene('degenerate triangles draw nothing', degenerate, { samples: [1, 4] }),
  'block-borders': scene('rectangles around the borders of blocks and tiles', edgesOnTileBorders, {
    samples: [1, 4],
    within: 1,
    share: 1,
  }),
  'viewport-scissor': scene('viewports with fractions and outside the target; scissors', viewportScissor, {
    samples: [1, 4],
  }),
  culling: scene('front face, cull mode and front_facing', culling),
  strips: scene('triangle strips, restarted, of both index formats', strips),
};
