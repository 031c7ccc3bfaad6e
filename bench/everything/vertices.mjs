// Cells of vertices and primitives: attribute formats, indices, topologies, instances.
import { BUFFER, bufferOf, makeFrame } from './frame.mjs';

const COUNT = 3 * 16384;
const ATTRIBUTES = 4;
const FORMATS = {};
for (const [name, bytes, kind] of [
  ['uint8', 1, 'u32'],
  ['sint8', 1, 'i32'],
  ['unorm8', 1, 'f32'],
  ['snorm8', 1, 'f32'],
  ['uint16', 2, 'u32'],
  ['sint16', 2, 'i32'],
  ['unorm16', 2, 'f32'],
  ['snorm16', 2, 'f32'],
  ['float16', 2, 'f32'],
])
  for (const n of [2, 4]) FORMATS[`${name}x${n}`] = [bytes * n, kind, n];
for (const [name, kind] of [
  ['float32', 'f32'],
  ['uint32', 'u32'],
  ['sint32', 'i32'],
])
  for (const n of [1, 2, 3, 4]) FORMATS[n === 1 ? name : `${name}x${n}`] = [4 * n, kind, n];

const FRAGMENT = '@fragment fn fs() -> @location(0) vec4f { return vec4f(1); }';
/** All vertices are outside the picture. */
const plain = (device) =>
  makeFrame(device, {
    code: `
      @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(4.0 + f32(i), 0, 0.5, 1);
      }
      ${FRAGMENT}
    `,
    draw: (pass) => pass.draw(COUNT),
  });

function fetchCell(format) {
  const [bytes, kind, n] = FORMATS[format];
  const type = n === 1 ? kind : `vec${n}<${kind}>`;
  const stride = (bytes * ATTRIBUTES + 3) & ~3;
  const sum = Array.from(
    { length: ATTRIBUTES },
    (_, k) => `f32(a${k}${n === 1 ? '' : '.x'})` + (n > 1 ? ` + f32(a${k}.${'xyzw'[n - 1]})` : '')
  ).join(' + ');
  return {
    group: 'vertex attributes',
    row: format,
    column: 'fetch',
    unit: 'attribute of a vertex',
    count: COUNT * ATTRIBUTES,
    than: format === 'float32x4' ? undefined : 'vertex attributes|float32x4|fetch',
    without: plain,
    make: (device) => {
      const buffer = bufferOf(device, new Uint8Array(stride * COUNT).fill(17), BUFFER.VERTEX);
      return makeFrame(device, {
        code: `
          @vertex fn vs(@builtin(vertex_index) i: u32,
            ${Array.from({ length: ATTRIBUTES }, (_, k) => `@location(${k}) a${k}: ${type}`).join(', ')})
            -> @builtin(position) vec4f {
            return vec4f(4.0 + abs(${sum}) + f32(i), 0, 0.5, 1);
          }
          ${FRAGMENT}
        `,
        buffers: [
          {
            arrayStride: stride,
            attributes: Array.from({ length: ATTRIBUTES }, (_, k) => ({
              shaderLocation: k,
              offset: k * bytes,
              format,
            })),
          },
        ],
        prepare: (pass) => pass.setVertexBuffer(0, buffer),
        draw: (pass) => pass.draw(COUNT),
      });
    },
  };
}

/** Small primitives over the picture, in rows of 256. */
const ROWS = `
  @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> @builtin(position) vec4f {
    let k = i / 2u + n * 97u;
    return vec4f(f32(k % 256u) / 128 - 1 + 0.004 * f32(i & 1u), f32(k / 256u % 256u) / 128 - 1 + 0.011 * f32(i % 3u),
      0.5, 1);
  }
`;
const TOPOLOGIES = {
  'triangle-list': (n) => n / 3,
  'triangle-strip': (n) => n - 2,
  'line-list': (n) => n / 2,
  'line-strip': (n) => n - 1,
  'point-list': (n) => n,
};

export function vertexCells() {
  const cells = Object.keys(FORMATS).map(fetchCell);
  for (const [topology, primitives] of Object.entries(TOPOLOGIES))
    for (const index of ['none', 'uint16', 'uint32', 'instances']) {
      const count = index === 'uint16' ? 49152 : COUNT;
      const each = 6;
      const strip = topology.endsWith('strip') && index.startsWith('uint') ? { stripIndexFormat: index } : {};
      cells.push({
        group: 'primitives',
        row: topology,
        column: index,
        unit: 'primitive',
        count: index === 'instances' ? primitives(each) * (COUNT / each) : primitives(count),
        than:
          topology === 'triangle-list' && index === 'none'
            ? undefined
            : `primitives|${index === 'none' ? 'triangle-list' : topology}|none`,
        make: (device) => {
          const numbers = index === 'uint16' ? new Uint16Array(count) : new Uint32Array(count);
          for (let i = 0; i < count; i++) numbers[i] = i;
          const indices = index.startsWith('uint') ? bufferOf(device, numbers, BUFFER.INDEX) : null;
          return makeFrame(device, {
            code: `${ROWS} ${FRAGMENT}`,
            primitive: { topology, ...strip },
            prepare: (pass) => {
              if (indices) pass.setIndexBuffer(indices, index);
            },
            draw: (pass) => {
              if (indices) pass.drawIndexed(count);
              else if (index === 'instances') pass.draw(each, COUNT / each);
              else pass.draw(count);
            },
          });
        },
      });
    }
  return cells;
}
