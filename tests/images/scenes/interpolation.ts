// Interpolation and clipping: vertex values inside the triangle, and the visible part of triangles.
import {
  BUFFER,
  bind,
  camera,
  canvas,
  cell,
  depthAttachment,
  depthTexture,
  paint,
  paintOn,
  pipeline,
  scene,
  upload,
} from './kit';
import type { Frame, Scene } from './kit';

// A trapezoid that is a square seen at an angle: w increases towards the top.
const TRAPEZOID = `
  fn trapezoid(i: u32) -> vec4f {
    let c = corner(i); let w = mix(1.0, 5.0, c.y);
    return vec4f((c.x * 1.9 - 0.95) * mix(1.0, 0.45, c.y) * w, (c.y * 1.9 - 0.95) * w, 0.5 * w, w);
  }
  fn checker(uv: vec2f) -> f32 { let c = vec2i(floor(uv)); return select(0.25, 1.0, ((c.x + c.y) & 1) == 0); }`;

function perspectiveChecker(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `${TRAPEZOID}
    struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f, @location(1) c: vec4f };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      return V(trapezoid(i), corner(i) * 8, vec4f(corner(i), 0.5, 1));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c.rgb * checker(v.uv), 1); }`
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(6);
  });
}

// Left perspective, middle linear, right flat, in one shape with strong perspective.
function kinds(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `${TRAPEZOID}
    struct V {
      @builtin(position) p: vec4f, @location(0) a: vec2f, @location(1) @interpolate(linear) b: vec2f,
        @location(2) @interpolate(flat, first) c: vec2f
    };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      return V(trapezoid(i), corner(i), corner(i), vec2f(f32(i) / 5, 1));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      var t = v.a; if (v.p.x > 43) { t = v.b; }
      if (v.p.x > 86) { t = v.c; }
      return vec4f(t, step(0.5, fract(t.y * 6)) * 0.5, 1);
    }`
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(6);
  });
}

const FLAT = (kind: string): string => `
  struct V {
    @builtin(position) p: vec4f, @location(0) @interpolate(${kind}) k: u32, @location(1) @interpolate(${kind}) f: vec3f
  };
  @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
    let x = f32(i / 2u) * 18 + 8; return V(px(x, f32(i & 1u) * 24 + 8 + f32(n) * 60, 0.5), i, hue(i + 3));
  }
  @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(select(v.f, hue(v.k), v.p.y % 60 > 19), 1); }`;

// The provoking vertex is the first one, in lists, strips and with unordered indices.
function provoking(frame: Frame): GPUTexture {
  const list = pipeline(frame, FLAT('flat, first'));
  const strip = pipeline(frame, FLAT('flat, first'), { primitive: { topology: 'triangle-strip' } });
  const indices = upload(
    frame.device,
    Uint16Array.of(3, 1, 2, 5, 2, 3, 0, 1, 2, 8, 6, 7, 9, 8, 7, 10, 11, 9),
    BUFFER.INDEX
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(list);
    pass.setIndexBuffer(indices, 'uint16');
    pass.drawIndexed(18);
    pass.setPipeline(strip);
    pass.draw(12, 1, 0, 1);
  });
}

// A value that is 0…1 inside a triangle is out of this range at a pixel center where the edge cuts the pixel: red. At a
// covered place it is in range.
function inRange(frame: Frame, attribute: string): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) ${attribute} b: vec3f };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let a = vec2f(hash(n * 4u), hash(n * 4u + 1u)) * 110 + 9;
      var o = array(vec2f(-7, -5.3), vec2f(1.2, 8.1), vec2f(6.4, -3.7)); let q = o[i % 3u] * (0.6 + hash(n + 77u));
      var b = vec3f(0); b[i % 3u] = 1; let at = snap(a + q); return V(px(at.x, at.y, 0.5), b); }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      let low = min(min(v.b.x, v.b.y), v.b.z);
      return select(vec4f(0.2, 0.8, 0.4, 1), vec4f(0.9, 0.1, 0.1, 1), low < -0.001);
    }`
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(3, 60);
  });
}

// Values of every type over many locations; each row shows one.
function manyVaryings(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V {
      @builtin(position) p: vec4f, @location(0) a: f32, @location(1) b: vec2f, @location(2) c: vec3f,
        @location(3) d: vec4f, @location(5) @interpolate(flat, either) e: i32,
      @location(6) @interpolate(flat, either) f: vec2u, @location(9) g: vec4f,
        @location(12) @interpolate(flat, either) h: vec4i
    };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      let c = corner(i);
      return V(whole(i), c.x, c.yx, vec3f(c, 1 - c.x), vec4f(1 - c, c), -77, vec2u(200, 4000000000),
        vec4f(c.x * 100, c.y * 1e6, -c.x, 1e-3), vec4i(-1, 60, 120, 180));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      switch (u32(v.p.y) / 16u) {
        case 0: { return vec4f(v.a, 0, 0, 1); }
        case 1: { return vec4f(v.b, 0, 1); }
        case 2: { return vec4f(v.c, 1); }
        case 3: { return v.d; }
        case 4: { return vec4f(f32(-v.e) / 255, 0.2, 0.2, 1); }
        case 5: { return vec4f(f32(v.f.x) / 255, f32(v.f.y >> 24u) / 255, 0, 1); }
        case 6: { return vec4f(v.g.x / 100, v.g.y / 1e6, -v.g.z, v.g.w * 1000); }
        default: { return vec4f(vec3f(v.h.yzw) / 255, -f32(v.h.x)); } } }`
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(6);
  });
}

function positionBuiltin(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `${TRAPEZOID}
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return trapezoid(i); }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      return vec4f(fract(p.x / 16), fract(p.y / 16), p.w, p.z);
    }`
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(6);
  });
}

// A floor below and behind the eye, with a wall next to it: most triangles have w ≤ 0 somewhere.
function behindTheEye(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `${TRAPEZOID}
    @group(0) @binding(0) var<uniform> m: mat4x4f;
    struct V { @builtin(position) p: vec4f, @location(0) w: vec3f };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let c = corner(i) * 40 - 20; var w = vec3f(c.x, -1, c.y); if (n == 1u) { w = vec3f(-3, c.x * 0.2 + 1, c.y); }
      if (n == 2u) { w = vec3f(c.y, c.x * 0.05, -9); }
      return V(m * vec4f(w, 1), w);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      return vec4f(abs(v.w) / vec3f(12, 3, 12) * checker(v.w.xz + v.w.y) * 0.9 + 0.05, 1);
    }`,
    { depth: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true } }
  );
  const matrix = upload(frame.device, camera([0.4, 0.5, 2], [0.1, 0.2, -2], 1.2, 0.25, 60), BUFFER.UNIFORM);
  const target = canvas(frame);
  const depth = depthTexture(frame);
  paint(
    frame.device,
    { colorAttachments: [target.attachment()], depthStencilAttachment: depthAttachment(depth) },
    (pass) => {
      pass.setPipeline(pipe);
      pass.setBindGroup(0, bind(frame.device, pipe, { buffer: matrix }));
      pass.draw(6, 3);
    }
  );
  return target.texture;
}

// Triangles whose vertices are tens to thousands of screens away, with values interpolated over the whole extent; one
// per quarter.
function huge(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) s: vec2f };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      var far = array(30.0, 300.0, 2000.0, 5000.0); let f = far[n];
      var q = array(vec2f(0), vec2f(0.7, 1.0), vec2f(1.0, -0.6));
      var o = array(vec2f(-0.8, -0.7), vec2f(-0.1, -0.3), vec2f(-0.5, 0.2), vec2f(-0.9, 0.5));
      let at = o[n] + q[(i + n) % 3u] * f; return V(vec4f(at, 0.5, 1), at); }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.s * 0.5 + 0.5, step(0.5, fract(v.s.x * 4)) * 0.5, 1); }
    `
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    for (let n = 0; n < 4; n++) {
      cell(pass, n, 2);
      pass.draw(3, 1, 0, n);
    }
  });
}

// Parts with z below 0 or beyond w are clipped; the rest keeps its values.
function nearAndFar(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) c: vec2f };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      let c = corner(i); let w = select(1.0, 1 + 2 * c.y, n == 1u);
      let z = select(c.x * 1.8 - 0.4, c.x + c.y - 0.5, n == 1u);
      return V(vec4f((c.x * 1.9 - 0.95) * w, (c.y * 0.9 - 0.95 + f32(n)) * w, z * w, w), c); }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, v.p.z, 1); }`
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(6, 2);
  });
}

export const interpolation: Record<string, Scene> = {
  'perspective-checker': scene('values are divided by w at every pixel', perspectiveChecker, { samples: [1, 4] }),
  'interpolation-kinds': scene('perspective, linear and flat side by side', kinds),
  'flat-provoking': scene('flat values come from the first vertex', provoking),
  'centre-outside': scene(
    'at the centre of a pixel whose centre is not covered, values leave their range',
    (f) => inRange(f, ''),
    { samples: [4], share: 0.985 }
  ),
  centroid: scene('centroid values stay in their range', (f) => inRange(f, '@interpolate(perspective, centroid)'), {
    samples: [4],
    share: 0.985,
  }),
  'sample-interpolation': scene(
    'values at each sample stay in their range',
    (f) => inRange(f, '@interpolate(perspective, sample)'),
    { samples: [4] }
  ),
  'many-varyings': scene('values of every type, with gaps between locations', manyVaryings),
  'position-builtin': scene('position in the fragment stage: pixel centre, depth, 1/w', positionBuiltin, { within: 2 }),
  'behind-the-eye': scene('surfaces through the near plane and behind the eye', behindTheEye, {
    samples: [1, 4],
    stray: 18,
  }),
  'huge-triangles': scene('corners far outside the guard band', huge, { samples: [1, 4] }),
  'near-and-far': scene('clipping at depths 0 and 1', nearAndFar, { samples: [1, 4] }),
};
