// Points and lines, indirect draws, alpha to coverage.
import { BUFFER, SIZE, canvas, depthAttachment, depthTexture, paint, paintOn, pipeline, scene, upload } from './kit';
import type { Frame, Scene } from './kit';

const POSITIONS: GPUVertexBufferLayout[] = [
  { arrayStride: 8, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x2' }] },
];
const COLOURED = `
  struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) n: u32 };
  @vertex fn vs(@location(0) p: vec2f, @builtin(vertex_index) i: u32) -> V { return V(px(p.x, p.y, 0.5), i); }
  @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(hue(v.n / PER), 1); }`;

function points(frame: Frame): GPUTexture {
  const pipe = pipeline(frame, COLOURED.replace('PER', '1'), {
    buffers: POSITIONS,
    primitive: { topology: 'point-list' },
  });
  // Pixel centers; closer rows; one outside of each side; the first and the last pixel of the target.
  const at: number[] = [0.5, 0.5, 127.5, 127.5, 0.5, 127.5, -3.5, 60.5, 131.5, 60.5, 60.5, -8.5, 60.5, 140.5];
  for (let k = 0; k < 300; k++) at.push(((k * 37) % 128) + 0.5, ((k * 53 + Math.floor(k / 7)) % 128) + 0.5);
  const vertices = upload(frame.device, Float32Array.from(at), BUFFER.VERTEX);
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setVertexBuffer(0, vertices);
    pass.draw(at.length / 2);
  });
}

// What every rule for lines agrees on: along rows and columns of centers, and exact diagonals. Ends are far outside, or
// visible on their own.
function lines(frame: Frame): GPUTexture {
  const pipe = pipeline(frame, COLOURED.replace('PER', '2'), {
    buffers: POSITIONS,
    primitive: { topology: 'line-list' },
  });
  const at: number[] = [];
  for (let k = 0; k < 12; k++)
    at.push(4.5 + k, 3.5 + k * 4, 60.5 + k * 3, 3.5 + k * 4, 70.5 + k * 4, 60.5, 70.5 + k * 4, 70.5 + k * 4);
  for (let k = 0; k < 10; k++) at.push(-20, 58.5 + k * 7, 200, 58.5 + k * 7);
  const vertices = upload(frame.device, Float32Array.from(at), BUFFER.VERTEX);
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setVertexBuffer(0, vertices);
    pass.draw(at.length / 2);
  });
}

// Lines at every angle. WebGPU leaves their pixels to the implementation. With four samples the references draw them
// one pixel wide across, we along the minor axis, so this is for one sample.
function fanOfLines(frame: Frame): GPUTexture {
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) c: vec3f };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      let k = f32(i / 2) * 9; let end = (i & 1) == 1; var q = vec2f(64.5);
      if (end) {
        switch (i / 28) {
          case 0: { q = vec2f(k, 2.5); }
          case 1: { q = vec2f(125.5, k - 126); }
          case 2: { q = vec2f(380 - k, 125.5); }
          default: { q = vec2f(2.5, 506 - k); }
        }
      }
      return V(px(q.x, q.y, 0.5), select(vec3f(1, 1, 0), hue(i / 2), end)); }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1); }`,
    { primitive: { topology: 'line-list' } }
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.draw(112);
  });
}

function lineStrips(frame: Frame): GPUTexture {
  const code = COLOURED.replace('hue(v.n / PER)', 'vec3f(1, 0.8, 0.3)');
  const make = (stripIndexFormat?: GPUIndexFormat): GPURenderPipeline =>
    pipeline(frame, code, {
      buffers: POSITIONS,
      primitive: { topology: 'line-strip', ...(stripIndexFormat ? { stripIndexFormat } : {}) },
    });
  const at: number[] = [];
  for (let k = 0; k < 14; k++) at.push(4.5 + Math.floor(k / 2) * 16, (k + 1) & 2 ? 50.5 : 6.5);
  for (let k = 0; k < 14; k++) at.push(4.5 + Math.floor(k / 2) * 16, (k + 1) & 2 ? 114.5 : 70.5);
  const vertices = upload(frame.device, Float32Array.from(at), BUFFER.VERTEX);
  const index = upload(
    frame.device,
    Uint16Array.of(14, 15, 16, 17, 18, 0xffff, 20, 21, 22, 0xffff, 0xffff, 24, 25, 26, 27),
    BUFFER.INDEX
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setVertexBuffer(0, vertices);
    pass.setPipeline(make());
    pass.draw(14);
    pass.setPipeline(make('uint16'));
    pass.setIndexBuffer(index, 'uint16');
    pass.drawIndexed(15);
  });
}

// Points and lines behind, in front of and across depths that triangles wrote; lines that cross the near plane and the
// sides.
function clipped(frame: Frame): GPUTexture {
  const depth: GPUDepthStencilState = { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true };
  const wall = pipeline(
    frame,
    `
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return rect(i, vec2f(40, 0), vec2f(90, 128), 0.5);
      }
      @fragment fn fs() -> @location(0) vec4f { return vec4f(0.3, 0.4, 0.5, 1); }
    `,
    { depth }
  );
  const code = `struct V { @builtin(position) p: vec4f, @location(0) c: vec3f };
    @vertex fn vs(@builtin(vertex_index) i: u32) -> V {
      let n = i / 2; let end = f32(i & 1);
      let p = px(-200 + end * 456, f32(n) * 8 + 4.5, -0.5 + end * 2 * f32(n) / 16); return V(p * (1 + end), hue(n));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1); }`;
  const line = pipeline(frame, code, { depth, primitive: { topology: 'line-list' } });
  const point = pipeline(
    frame,
    code.replace(
      /let n = i \/ 2; .* return V\(p \* \(1 \+ end\), hue\(n\)\)/,
      'return V(px(f32(i % 16) * 8 + 2.5, f32(i / 16) * 8 + 0.5, f32(i % 7) / 4 - 0.3), hue(i))'
    ),
    { depth, primitive: { topology: 'point-list' } }
  );
  const target = canvas(frame);
  paint(
    frame.device,
    { colorAttachments: [target.attachment()], depthStencilAttachment: depthAttachment(depthTexture(frame)) },
    (pass) => {
      pass.setPipeline(wall);
      pass.draw(6);
      pass.setPipeline(line);
      pass.draw(32);
      pass.setPipeline(point);
      pass.draw(256);
    }
  );
  return target.texture;
}

// Draw arguments in buffers, with offsets; a count of zero; base vertex and first index.
function indirect(frame: Frame): GPUTexture {
  const { device } = frame;
  const pipe = pipeline(
    frame,
    `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) n: u32 };
    @vertex fn vs(@location(0) at: vec2f, @builtin(vertex_index) v: u32, @builtin(instance_index) n: u32) -> V {
      let q = at + vec2f(f32(n % 8) * 15, f32(n / 8) * 31); return V(px(q.x, q.y, 0.5), v + n * 3);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(hue(v.n / 3), 1); }`,
    { buffers: POSITIONS }
  );
  const shapes = [
    [2, 2, 2, 14, 12, 2],
    [3, 16, 12, 28, 13, 16],
    [1, 30, 7, 40, 13, 30],
  ].flat();
  const vertices = upload(device, Float32Array.from(shapes), BUFFER.VERTEX);
  const indices = upload(device, Uint16Array.of(9, 9, 2, 1, 0, 5, 4, 3), BUFFER.INDEX);
  const numbers = upload(
    device,
    Uint32Array.of(77, 3, 8, 0, 0, 3, 8, 3, 0, 0, 0, 0, 0, 6, 7, 2, 0, 0, 3, 5, 5, 3, 0),
    BUFFER.INDIRECT
  );
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setVertexBuffer(0, vertices);
    pass.setIndexBuffer(indices, 'uint16');
    pass.drawIndirect(numbers, 4);
    pass.setViewport(0, 31, SIZE, SIZE, 0, 1);
    pass.drawIndirect(numbers, 20);
    pass.drawIndirect(numbers, 36);
    pass.setViewport(0, 62, SIZE, SIZE, 0, 1);
    pass.drawIndexedIndirect(numbers, 52);
    pass.setViewport(0, 94, SIZE, SIZE, 0, 1);
    pass.drawIndexedIndirect(numbers, 72);
  });
}

// Columns with one alpha each. Implementations choose the samples for a share. So below, where the mask leaves two,
// alpha requests all or none.
function alphaToCoverage(frame: Frame): GPUTexture {
  const code = `
    struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat, either) n: u32 };
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> V {
      return V(rect(i, vec2f(f32(n % 8) * 16, f32(n / 8) * 64), vec2f(f32(n % 8) * 16 + 15, f32(n / 8) * 64 + 60), 0.5),
        n);
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      var a = array(0.0, 0.25, 0.5, 0.75, 1.0, 1.5, -2.0, 0.02); let k = a[v.n % 8];
      return vec4f(1, 0.8, 0.3, select(k, round(k), v.n > 7));
    }`;
  const pipes = [0xf, 0b0110].map((mask) => pipeline(frame, code, { mask, alphaToCoverage: true, writeMask: 7 }));
  return paintOn(frame, canvas(frame), (pass) =>
    pipes.forEach((pipe, k) => {
      pass.setPipeline(pipe);
      pass.draw(6, 8, 0, k * 8);
    })
  );
}

export const topology: Record<string, Scene> = {
  points: scene('points of one pixel', points, { samples: [1, 4], within: 1, share: 1 }),
  lines: scene('lines along rows, columns and diagonals', lines, { samples: [1, 4], share: 0.995 }),
  'line-fan': scene('lines at every angle, colours along them', fanOfLines, { share: 0.97 }),
  'line-strips': scene('line strips, restarted', lineStrips, { share: 0.995 }),
  'points-and-lines-clipped': scene('points and lines against depth, the near plane and the sides', clipped, {
    samples: [1, 4],
  }),
  indirect: scene('draws whose numbers come from a buffer', indirect),
  'alpha-to-coverage': scene('alpha chooses how many samples are covered', alphaToCoverage, { samples: [4], share: 1 }),
};
