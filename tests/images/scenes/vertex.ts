// Vertices: formats, steps, indices, instances; uniform and storage buffers.
import {
  BUFFER,
  COVER,
  STAGE,
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

/** Format, WGSL type, normalization to 0…1, bytes of the attribute. */
const FORMATS: [GPUVertexFormat, string, string, ArrayBufferView<ArrayBuffer>][] = [
  ['uint8x2', 'vec4u', 'vec4f(a) / 255', Uint8Array.of(40, 200, 9, 9)],
  ['uint8x4', 'vec4u', 'vec4f(a) / 255', Uint8Array.of(250, 128, 30, 255)],
  ['sint8x2', 'vec4i', '(vec4f(a) + 128) / 255', Int8Array.of(-100, 100, 9, 9)],
  ['sint8x4', 'vec4i', '(vec4f(a) + 128) / 255', Int8Array.of(-128, 0, 127, 127)],
  ['unorm8x2', 'vec4f', 'a', Uint8Array.of(200, 60, 9, 9)],
  ['unorm8x4', 'vec4f', 'a', Uint8Array.of(20, 90, 180, 255)],
  ['snorm8x2', 'vec4f', 'abs(a)', Int8Array.of(-128, 64, 9, 9)],
  ['snorm8x4', 'vec4f', 'a * 0.5 + 0.5', Int8Array.of(-127, -30, 100, 127)],
  ['uint16x2', 'vec4u', 'vec4f(a) / 65535', Uint16Array.of(60000, 20000)],
  ['uint16x4', 'vec4u', 'vec4f(a) / 65535', Uint16Array.of(1000, 30000, 50000, 65535)],
  ['sint16x2', 'vec4i', '(vec4f(a) + 32768) / 65535', Int16Array.of(-30000, 12000)],
  ['sint16x4', 'vec4i', '(vec4f(a) + 32768) / 65535', Int16Array.of(10000, -10000, 32767, 32767)],
  ['unorm16x2', 'vec4f', 'a', Uint16Array.of(20000, 50000)],
  ['unorm16x4', 'vec4f', 'a', Uint16Array.of(65535, 40000, 100, 65535)],
  ['snorm16x2', 'vec4f', 'abs(a)', Int16Array.of(-32768, 9000)],
  ['snorm16x4', 'vec4f', 'a * 0.5 + 0.5', Int16Array.of(-20000, 20000, 0, 32767)],
  ['float16x2', 'vec4f', 'a', Uint16Array.of(0x3800, 0x3a66)],
  ['float16x4', 'vec4f', 'a', Uint16Array.of(0x2e66, 0x3c00, 0x3266, 0x3c00)],
  ['float32', 'vec4f', 'a', Float32Array.of(0.7)],
  ['float32x2', 'vec4f', 'a', Float32Array.of(0.3, 0.9)],
  ['float32x3', 'vec4f', 'a', Float32Array.of(0.1, 0.5, 0.8)],
  ['float32x4', 'vec4f', 'a', Float32Array.of(0.9, 0.8, 0.2, 0.5)],
  ['uint32', 'vec4u', 'vec4f(a & vec4u(255)) / 255', Uint32Array.of(0x80000042)],
  ['uint32x2', 'vec4u', 'vec4f(a >> vec4u(24)) / 255', Uint32Array.of(0xc0000000, 0x60000000)],
  ['uint32x3', 'vec4u', 'vec4f(a) / 100', Uint32Array.of(10, 90, 50)],
  ['uint32x4', 'vec4u', 'vec4f(a) / 100', Uint32Array.of(70, 20, 60, 100)],
  ['sint32', 'vec4i', 'abs(vec4f(a)) / 100', Int32Array.of(-80)],
  ['sint32x3', 'vec4i', '(vec4f(a) + 100) / 200', Int32Array.of(-100, 50, 0)],
  ['sint32x4', 'vec4i', 'vec4f(a) / 100', Int32Array.of(30, 60, 90, 100)],
  ['unorm10-10-10-2', 'vec4f', 'a', Uint32Array.of(700 | (200 << 10) | (1023 << 20))],
];

function formats(frame: Frame): GPUTexture {
  const drawn = FORMATS.map(([format, type, value, data]) => ({
    pipe: pipeline(
      frame,
      `
      struct V { @builtin(position) p: vec4f, @location(0) c: vec4f };
      @vertex fn vs(@builtin(vertex_index) i: u32, @location(3) a: ${type}) -> V {
        let c = corner(i); return V(vec4f(c * 1.8 - 0.9, 0.5, 1), ${value});
      }
      @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }`,
      { buffers: [{ arrayStride: 32, stepMode: 'instance', attributes: [{ shaderLocation: 3, offset: 8, format }] }] }
    ),
    buffer: upload(
      frame.device,
      Uint8Array.of(...new Uint8Array(8), ...new Uint8Array(data.buffer), ...new Uint8Array(24)),
      BUFFER.VERTEX
    ),
  }));
  return paintOn(frame, canvas(frame), (pass) =>
    drawn.forEach(({ pipe, buffer }, k) => {
      pass.setViewport((k % 6) * 21, Math.floor(k / 6) * 25, 21, 25, 0, 1);
      pass.setPipeline(pipe);
      pass.setVertexBuffer(0, buffer);
      pass.draw(6);
    })
  );
}

// Two buffers, one per vertex and one per instance, interleaved and with offsets; ranges, base vertex and first
// instance.
function instances(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) c: vec4f };
    @vertex fn vs(@location(0) q: vec2f, @location(1) at: vec2f, @location(2) c: vec4f, @builtin(vertex_index) i: u32,
      @builtin(instance_index) n: u32) -> V {
      return V(px(q.x + at.x, q.y + at.y, 0.5), vec4f(c.rg, f32(i % 8u) / 7, 1) * (0.4 + 0.6 * f32(n % 4u) / 3)); }
    @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }`,
    {
      buffers: [
        { arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 4, format: 'float32x2' }] },
        {
          arrayStride: 16,
          stepMode: 'instance',
          attributes: [
            { shaderLocation: 2, offset: 8, format: 'unorm8x4' },
            { shaderLocation: 1, offset: 0, format: 'float32x2' },
          ],
        },
      ],
    }
  );
  const shapes = [
    [0, 0],
    [14, 3],
    [3, 14],
    [17, 17],
    [2, 1],
    [2, 18],
    [18, 9],
    [9, 9],
  ];
  const vertices = upload(
    frame.device,
    Float32Array.from([99, 99, 99, ...shapes.flatMap(([x = 0, y = 0]) => [99, x, y])]),
    BUFFER.VERTEX
  );
  const each = new Uint8Array(16 * 40);
  for (let n = 0; n < 40; n++) {
    each.set(new Uint8Array(Float32Array.of((n % 6) * 21 + 2, Math.floor(n / 6) * 21 + 2).buffer), n * 16);
    each.set([n * 6, 255 - n * 6, 0, 0], n * 16 + 8);
  }
  const instance = upload(frame.device, each, BUFFER.VERTEX);
  const index = upload(frame.device, Uint16Array.of(7, 7, 7, 0, 1, 2, 2, 1, 3, 0, 2, 1), BUFFER.INDEX);
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setVertexBuffer(0, vertices, 12);
    pass.setVertexBuffer(1, instance);
    pass.setIndexBuffer(index, 'uint16');
    pass.drawIndexed(6, 8, 3); // The whole range, instances 0…7.
    pass.drawIndexed(3, 7, 3, 4, 8); // Another base vertex.
    pass.setVertexBuffer(1, instance, 160, 16 * 20);
    pass.drawIndexed(3, 6, 9, 0, 5); // Instances 5…10 of a part that begins at 10.
    pass.setVertexBuffer(0, vertices, 12 * 5);
    pass.draw(3, 4, 0, 12);
    pass.setIndexBuffer(index, 'uint16', 6, 12);
    pass.setVertexBuffer(0, vertices, 12);
    pass.drawIndexed(3, 4, 3, 0, 16);
    pass.drawIndexed(0, 5, 0);
    pass.drawIndexed(3, 0, 0);
  });
}

// A wavy sheet: 3 600 quads whose vertices are shared by six triangles each.
function mesh(frame: Frame, format: GPUIndexFormat): GPUTexture {
  const side = 61;
  const at: number[] = [];
  const index: number[] = [];
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      at.push(x / 30 - 1, y / 30 - 1);
      if (x < side - 1 && y < side - 1) {
        const a = y * side + x;
        index.push(a, a + 1, a + side, a + side, a + 1, a + side + 1);
      }
    }
  const pipe = pipeline(
    frame,
    `
    @group(0) @binding(0) var<uniform> m: mat4x4f;
    struct V { @builtin(position) p: vec4f, @location(0) n: vec3f, @location(1) q: vec2f };
    fn wave(x: f32) -> f32 { let t = fract(x) * 2 - 1; return t * t * (abs(t) * 2 - 3); }
    @vertex fn vs(@location(0) q: vec2f) -> V { let h = 0.2 * (wave(q.x * 1.5) + wave(q.y + q.x * 0.5)); let e = 0.01;
      let dx = 0.2 * (wave(q.x * 1.5 + 1.5 * e) + wave(q.y + q.x * 0.5 + 0.5 * e)) - h;
      let dy = 0.2 * (wave(q.x * 1.5) + wave(q.y + e + q.x * 0.5)) - h;
      return V(m * vec4f(q.x, h, q.y, 1), normalize(vec3f(-dx, e, -dy)), q); }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      let l = max(dot(normalize(v.n), normalize(vec3f(0.4, 0.7, 0.5))), 0.0);
      return vec4f(vec3f(0.1) + l * vec3f(0.5 + 0.4 * v.q.x, 0.7, 0.5 - 0.4 * v.q.y), 1);
    }`,
    {
      buffers: [{ arrayStride: 8, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x2' }] }],
      depth: { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true },
    }
  );
  const vertices = upload(frame.device, Float32Array.from(at), BUFFER.VERTEX);
  const indices = upload(
    frame.device,
    format === 'uint16' ? Uint16Array.from(index) : Uint32Array.from(index),
    BUFFER.INDEX
  );
  const matrix = upload(frame.device, camera([0.9, 1.1, 1.6], [0, -0.15, 0], 1.9, 0.1, 10), BUFFER.UNIFORM);
  const target = canvas(frame);
  paint(
    frame.device,
    {
      colorAttachments: [target.attachment()],
      depthStencilAttachment: depthAttachment(depthTexture(frame, 'depth24plus')),
    },
    (pass) => {
      pass.setPipeline(pipe);
      pass.setBindGroup(0, bind(frame.device, pipe, { buffer: matrix }));
      pass.setVertexBuffer(0, vertices);
      pass.setIndexBuffer(indices, format);
      pass.drawIndexed(index.length);
    }
  );
  return target.texture;
}

// One buffer of uniforms for all draw calls, chosen by dynamic offsets; an explicit layout with two groups.
function dynamicOffsets(frame: Frame): GPUTexture {
  const { device } = frame;
  const layouts = [
    device.createBindGroupLayout({
      entries: [
        {
          binding: 2,
          visibility: STAGE.VERTEX | STAGE.FRAGMENT,
          buffer: { hasDynamicOffset: true, minBindingSize: 32 },
        },
      ],
    }),
    device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: STAGE.FRAGMENT, buffer: {} },
        { binding: 5, visibility: STAGE.VERTEX, buffer: { hasDynamicOffset: true } },
      ],
    }),
  ];
  const pipe = pipeline(
    frame,
    `
    struct A { at: vec2f, side: vec2f, colour: vec4f }; @group(0) @binding(2) var<uniform> a: A;
    @group(1) @binding(0) var<uniform> gain: vec4f; @group(1) @binding(5) var<uniform> shift: vec4f;
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return rect(i, a.at + shift.xy, a.at + shift.xy + a.side, 0.5);
    }
    @fragment fn fs() -> @location(0) vec4f { return a.colour * gain; }`,
    { layout: device.createPipelineLayout({ bindGroupLayouts: layouts }) }
  );
  const data = new Float32Array(64 * 20);
  for (let k = 0; k < 20; k++)
    data.set(
      [(k % 4) * 30, Math.floor(k / 4) * 24, 20 + (k % 3) * 3, 14 + (k % 5), (k % 3) / 2, (k % 5) / 4, (k % 7) / 6, 1],
      k * 64
    );
  const all = upload(device, data, BUFFER.UNIFORM);
  const gain = upload(device, Float32Array.of(1, 0.75, 1, 1), BUFFER.UNIFORM);
  const first = device.createBindGroup({
    layout: layouts[0] as GPUBindGroupLayout,
    entries: [{ binding: 2, resource: { buffer: all, size: 32 } }],
  });
  const shifts = new Float32Array(128);
  shifts.set([2, 2], 0);
  shifts.set([6, 9], 64);
  const second = device.createBindGroup({
    layout: layouts[1] as GPUBindGroupLayout,
    entries: [
      { binding: 5, resource: { buffer: upload(device, shifts, BUFFER.UNIFORM), size: 16 } },
      { binding: 0, resource: { buffer: gain } },
    ],
  });
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    for (let k = 0; k < 20; k++) {
      pass.setBindGroup(0, first, [k * 256]);
      pass.setBindGroup(1, second, [(k & 1) * 256]);
      pass.draw(6);
    }
  });
}

// Every layout rule that adds padding: vec3, arrays, small matrices, structs in structs.
function uniformLayouts(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct In { a: vec3f, b: f32, c: vec2f };
    struct U {
      f: f32, v3: vec3f, m2: mat2x2f, m3: mat3x3f, m43: mat4x3f, m24: mat2x4f, list: array<vec4f, 4>, in: array<In, 2>,
        k: vec2i, @align(32) e: u32, @size(32) g: f32, last: vec3u
    };
    @group(0) @binding(0) var<uniform> u: U; ${COVER}
    fn at(k: u32) -> vec3f {
      switch (k) {
        case 0: { return vec3f(u.f); }
        case 1: { return u.v3; }
        case 2: { return vec3f(u.m2[0], u.m2[1].x); }
        case 3: { return u.m3[2]; }
        case 4: { return u.m43[3]; }
        case 5: { return u.m24[1].yzw; }
        case 6: { return u.list[3].xyz; }
        case 7: { return u.in[1].a; }
        case 8: { return vec3f(u.in[0].b, u.in[1].c); }
        case 9: { return vec3f(vec2f(u.k), 64.0); }
        case 10: { return vec3f(f32(u.e)); }
        case 11: { return vec3f(u.g, 0, 0); }
        case 12: { return vec3f(u.last); }
        case 13: { return u.m3 * vec3f(0.25, 0.5, 0.25); }
        case 14: { return transpose(u.m3) * vec3f(0, 1, 0); }
        default: { return vec3f(u.m2 * vec2f(0.5), determinant(u.m2) / 100); }
      } }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = vec2u(p.xy) / 32; let k = q.y * 4 + q.x; var c = at(k);
      if (u32(p.x) % 32u < 8u) { c = vec3f(u.list[k % 4u][(k / 4u) % 4u]); } return vec4f(c / 255, 1); }`
  );
  // The struct is 512 bytes; each float slot holds its own index × 2, and integers where the struct has integers.
  const data = new Float32Array(128).map((_, k) => (k * 2 + 7) % 251);
  const words = new Uint32Array(data.buffer);
  for (const k of [76, 77, 80, 96, 97, 98]) words[k] = k * 2; // k, e, last.
  const group = bind(frame.device, pipe, { buffer: upload(frame.device, data, BUFFER.UNIFORM) });
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

// Positions are pulled from a storage buffer in the vertex stage, colors in the fragment stage, with arrayLength.
function storage(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct P { at: vec2f, colour: u32 }; struct L { count: u32, colours: array<vec4f> };
    @group(0) @binding(0) var<storage, read> points: array<P>; @group(0) @binding(1) var<storage, read> list: L;
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) k: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      let k = i / 3u; let o = array(vec2f(0, 0), vec2f(4, 13), vec2f(13, 3)); let p = points[k];
      return V(px(p.at.x + o[i % 3u].x, p.at.y + o[i % 3u].y, 0.5), p.colour + (arrayLength(&points) - 64u));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      let n = arrayLength(&list.colours); return list.colours[v.k % n] * f32(list.count) / 10;
    }`
  );
  const points = new Float32Array(64 * 4);
  const words = new Uint32Array(points.buffer);
  for (let k = 0; k < 64; k++) {
    points.set([(k % 8) * 16 + 1, Math.floor(k / 8) * 16 + 1], k * 4);
    words[k * 4 + 2] = k * 3;
  }
  const list = new Float32Array(4 + 4 * 7);
  new Uint32Array(list.buffer)[0] = 10;
  for (let k = 0; k < 7; k++) list.set([k / 6, 1 - k / 8, (k % 3) / 2, 1], 4 + k * 4);
  const group = bind(
    frame.device,
    pipe,
    { buffer: upload(frame.device, points, BUFFER.STORAGE) },
    { buffer: upload(frame.device, list, BUFFER.STORAGE) }
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(192);
  });
}

function constants(frame: Frame): GPUTexture {
  const code = `
    override red: f32 = 0.25; override steps: u32 = 4; @id(7) override flip: bool = false;
    override twice: f32 = red * 2; const side = 64;
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      let p = whole(i); return select(p, vec4f(p.xy * 0.7, p.zw), flip);
    }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      return vec4f(red, floor(fract(p.x / side) * f32(steps)) / f32(steps), twice, 1);
    }`;
  const pipes = [{}, { red: 0.5, steps: 8 }, { '7': 1, twice: 0.1 }, { red: 0.1, '7': 1, steps: 2 }].map((values) =>
    pipeline(frame, code, { constants: values as Record<string, number> })
  );
  return paintOn(frame, canvas(frame), (pass) =>
    pipes.forEach((pipe, k) => {
      cell(pass, k, 2);
      pass.setPipeline(pipe);
      pass.draw(6);
    })
  );
}

export const vertex: Record<string, Scene> = {
  'vertex-formats': scene('thirty vertex formats, with their missing components', formats, { within: 1, share: 1 }),
  instances: scene('steps, strides, offsets, base vertex and first instance', instances),
  'shared-vertices': scene('a sheet with 16-bit indices', (f) => mesh(f, 'uint16'), { samples: [1, 4] }),
  'shared-vertices-32': scene('the same with 32-bit indices', (f) => mesh(f, 'uint32')),
  'dynamic-offsets': scene('explicit layouts, two groups, dynamic offsets', dynamicOffsets, { within: 1, share: 1 }),
  'uniform-layouts': scene('offsets of members in uniform structs', uniformLayouts, { within: 1, share: 1 }),
  'storage-buffers': scene('read-only storage in both stages', storage, { within: 1 }),
  'pipeline-constants': scene('overridable constants', constants, { within: 1 }),
};
