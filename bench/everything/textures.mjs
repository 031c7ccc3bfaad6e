// Cells of texture reads: format × dimension × built-in function, then filters and address modes. Each draws four reads
// per pixel, and the cost of the same shader without them is subtracted.
import { COVER, kindOf, makeFrame, QUADS, SIZE, TEXTURE } from './frame.mjs';

const READS = 4;
const SIDE = 256;
const LAYERS = 6;
const DEPTH = 16;
const FLOATS = [
  'rgba8unorm',
  'rgba8unorm-srgb',
  'bgra8unorm',
  'bgra8unorm-srgb',
  'r8unorm',
  'rg8unorm',
  'rgba16float',
  'r16float',
  'rg16float',
  'r8snorm',
  'rg8snorm',
  'rgba8snorm',
  'rgb10a2unorm',
  'rg11b10ufloat',
  'rgb9e5ufloat',
];
const UNFILTERED = ['r32float', 'rg32float', 'rgba32float'];
const INTEGERS = [
  'r8uint',
  'r8sint',
  'rg8uint',
  'rg8sint',
  'rgba8uint',
  'rgba8sint',
  'r16uint',
  'r16sint',
  'rg16uint',
  'rg16sint',
  'rgba16uint',
  'rgba16sint',
  'r32uint',
  'r32sint',
  'rg32uint',
  'rg32sint',
  'rgba32uint',
  'rgba32sint',
  'rgb10a2uint',
];
const DEPTHS = ['depth32float', 'depth16unorm'];
const BYTES = {
  r8: 1,
  rg8: 2,
  rgba8: 4,
  bgra8: 4,
  r16: 2,
  rg16: 4,
  rgba16: 8,
  r32: 4,
  rg32: 8,
  rgba32: 16,
  rgb10a2: 4,
  rg11b10: 4,
  rgb9e5: 4,
};
const bytesOf = (format) => BYTES[/^[a-z]+\d+(e5|b10|a2)?/.exec(format)[0]];

/** Texels without infinities and NaN. */
function texels(format, count) {
  const bytes = new Uint8Array(count * bytesOf(format));
  let x = 12345;
  const next = () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return x;
  };
  for (let i = 0; i < bytes.length; i++) bytes[i] = next() >>> 24;
  if (format.endsWith('16float')) {
    const words = new Uint16Array(bytes.buffer);
    for (let i = 0; i < words.length; i++) words[i] = 0x400 + ((next() >>> 16) % 0x3800);
  } else if (format.endsWith('32float')) {
    const numbers = new Float32Array(bytes.buffer);
    for (let i = 0; i < numbers.length; i++) numbers[i] = next() / 2 ** 32;
  } else if (format === 'rg11b10ufloat') {
    const words = new Uint32Array(bytes.buffer);
    for (let i = 0; i < words.length; i++) words[i] &= 0x7fdffbff;
  }
  return bytes;
}

/** By view dimension: the texture's size, its WGSL type, its coordinates and its texel coordinates. */
const DIMENSIONS = {
  '2d': { depth: 1, name: '2d', at: 'p', texel: 'vec2i(q)' },
  '2d-array': { depth: LAYERS, name: '2d_array', at: 'p, layer', texel: 'vec2i(q), layer' },
  cube: { depth: 6, name: 'cube', at: 'vec3f(p * 2 - 1, 0.9)' },
  'cube-array': { depth: 12, name: 'cube_array', at: 'vec3f(p * 2 - 1, 0.9), layer' },
  '3d': { depth: DEPTH, name: '3d', at: 'vec3f(p, 0.3)', texel: 'vec3i(vec2i(q), 3)', flat: '3d' },
  '1d': { depth: 1, name: '1d', at: 'p.x', texel: 'i32(q.x)', flat: '1d' },
  multisampled: { depth: 1, name: 'multisampled_2d', texel: 'vec2i(q)', samples: 4 },
};

/** Creates a texture with data in all its mip levels. Depth textures are filled by drawing. */
function makeTexture(device, format, dimension, levels) {
  const { depth, flat = '2d', samples = 1 } = DIMENSIONS[dimension];
  const drawn = DEPTHS.includes(format) || samples > 1;
  const height = flat === '1d' ? 1 : SIDE;
  const mipLevelCount = levels && flat !== '1d' && samples === 1 ? 9 : 1;
  const texture = device.createTexture({
    size: [SIDE, height, depth],
    dimension: flat,
    format,
    mipLevelCount,
    sampleCount: samples,
    usage: TEXTURE.SAMPLED | (drawn ? TEXTURE.ATTACHMENT : TEXTURE.COPY_DST),
  });
  if (drawn) fill(device, texture, format, mipLevelCount, depth, samples);
  else
    for (let mipLevel = 0; mipLevel < mipLevelCount; mipLevel++) {
      const width = SIDE >> mipLevel || 1;
      const rows = height >> mipLevel || 1;
      const layers = flat === '3d' ? depth >> mipLevel || 1 : depth;
      device.queue.writeTexture(
        { texture, mipLevel },
        texels(format, width * rows * layers),
        { bytesPerRow: width * bytesOf(format), rowsPerImage: rows },
        [width, rows, layers]
      );
    }
  return texture;
}

const fillers = new WeakMap();
function fill(device, texture, format, levels, layers, samples) {
  const deep = DEPTHS.includes(format);
  const kind = kindOf(format);
  const key = `${format}@${samples}`;
  const made = fillers.get(device) ?? fillers.set(device, new Map()).get(device);
  const value = 'fract(sin(dot(floor(p.xy), vec2f(12.9, 78.2))) * 43.7)';
  const code = `
    ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f)
      -> ${deep ? '@builtin(frag_depth) f32' : `@location(0) vec4<${kind}>`} {
      let v = ${value}; return ${deep ? 'v' : `vec4<${kind}>(vec4f(v, 1 - v, v * v, 1) * ${kind === 'f32' ? 1 : 100})`};
    }
  `;
  if (!made.has(key)) {
    const module = device.createShaderModule({ code });
    made.set(
      key,
      device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: deep ? [] : [{ format }] },
        multisample: { count: samples },
        ...(deep ? { depthStencil: { format, depthCompare: 'always', depthWriteEnabled: true } } : {}),
      })
    );
  }
  const encoder = device.createCommandEncoder();
  for (let baseMipLevel = 0; baseMipLevel < levels; baseMipLevel++)
    for (let baseArrayLayer = 0; baseArrayLayer < layers; baseArrayLayer++) {
      const view = texture.createView({
        dimension: '2d',
        baseMipLevel,
        mipLevelCount: 1,
        baseArrayLayer,
        arrayLayerCount: 1,
      });
      const pass = encoder.beginRenderPass(
        deep
          ? {
              colorAttachments: [],
              depthStencilAttachment: { view, depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: 0 },
            }
          : { colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] }
      );
      pass.setPipeline(made.get(key));
      pass.draw(3);
      pass.end();
    }
  device.queue.submit([encoder.finish()]);
}

/** By built-in function: the call, and whether the texture has mip levels. */
const READS_BY_NAME = {
  sample: (at) => `textureSample(t, s, ${at})`,
  'sample, levels': (at) => `textureSample(t, s, ${at})`,
  level: (at, three, deep) => `textureSampleLevel(t, s, ${at}, ${deep ? 1 : 1.4})`,
  bias: (at) => `textureSampleBias(t, s, ${at}, 0.4)`,
  grad: (at, three) =>
    `textureSampleGrad(t, s, ${at}, `
    + `${three ? 'vec3f(0.006, 0, 0), vec3f(0, 0.006, 0)' : 'vec2f(0.006, 0), vec2f(0, 0.006)'})`,
  offset: (at) => `textureSample(t, s, ${at}, vec2i(3, -2))`,
  compare: (at) => `textureSampleCompare(t, s, ${at}, 0.4)`,
  'compare level': (at) => `textureSampleCompareLevel(t, s, ${at}, 0.4)`,
};
const wide = (expression, kind) => (kind === 'f32' ? expression : `vec4f(${expression})`);

/** The frame of a read: four times, at adjacent positions. */
function frameOf(device, { format, dimension, read, sampler = {}, scale = 1 }) {
  const d = DIMENSIONS[dimension];
  const deep = DEPTHS.includes(format);
  const kind = kindOf(format);
  const compares = read.startsWith('compare');
  const levels = !['sample', 'offset', 'load', 'compare level', 'compare'].includes(read);
  const three = d.name.startsWith('cube') || d.name === '3d';
  const call =
    read === 'load' ? `textureLoad(t, ${d.texel}, ${d.samples ? '1' : '0'})` : READS_BY_NAME[read](d.at, three, deep);
  const number = deep ? `vec4f(${call})` : wide(call, kind);
  const type = deep ? `texture_depth_${d.name}` : `texture_${d.name}<${kind}>`;
  const declarations = `
    @group(0) @binding(0) var t: ${type};
    ${read === 'load' ? '' : ` @group(0) @binding(1) var s: ${compares ? 'sampler_comparison' : 'sampler'};`}
  `;
  const linear = { magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' };
  const texture = makeTexture(device, format, dimension, levels);
  const strict =
    sampler.magFilter === 'nearest'
    && sampler.minFilter === 'nearest'
    && !compares
    && format !== 'rgba8unorm'
    && format !== 'rgba16float';
  return makeFrame(device, {
    ...(strict && read !== 'load'
      ? {
          layout: [
            { texture: { sampleType: deep ? 'depth' : 'unfilterable-float', viewDimension: dimension } },
            { sampler: { type: 'non-filtering' } },
          ],
        }
      : {}),
    code: `${COVER} ${declarations}
      @fragment fn fs(@builtin(position) f: vec4f) -> @location(0) vec4f {
        let o = f.xy * ${scale / SIZE}; let layer = i32(f.x) & 3; var sum = vec4f(0);
        ${Array.from(
          { length: READS },
          (_, k) => `{ let p = o + vec2f(${k * 0.07}, ${k * 0.05}); let q = p * 256; sum += ${number}; }`
        ).join('\n')}
        return sum * 0.25; }`,
    resources: [
      texture.createView({ dimension: d.name === 'multisampled_2d' ? '2d' : dimension }),
      ...(read === 'load'
        ? []
        : [device.createSampler({ ...linear, ...sampler, ...(compares ? { compare: 'less' } : {}) })]),
    ],
  });
}
const nothing = (device) =>
  makeFrame(device, {
    code: `
      ${COVER}
      @fragment fn fs(@builtin(position) f: vec4f) -> @location(0) vec4f {
        let o = f.xy * ${1 / SIZE}; let layer = i32(f.x) & 3; var sum = vec4f(0);
    ${Array.from(
      { length: READS },
      (_, k) => `{ let p = o + vec2f(${k * 0.07}, ${k * 0.05}); sum += vec4f(p, p.yx + f32(layer)); }`
    ).join('\n')} return sum * 0.25;
  }`,
  });

const cell = (group, row, column, spec, than) => ({
  group,
  row,
  column,
  unit: 'quad',
  count: QUADS * READS,
  than,
  make: (device) => frameOf(device, spec),
  without: nothing,
});

export function textureCells() {
  const cells = [];
  // Formats × dimensions × built-in functions, with a linear filter where possible.
  const filtered = [...FLOATS, ...UNFILTERED, ...DEPTHS];
  for (const dimension of Object.keys(DIMENSIONS))
    for (const format of [...filtered, ...INTEGERS]) {
      const d = DIMENSIONS[dimension];
      const deep = DEPTHS.includes(format);
      if (deep && (dimension === '3d' || dimension === '1d' || dimension === 'multisampled')) continue;
      if (dimension === 'multisampled' && /snorm|ufloat|[a-z]32/.test(format) && format !== 'r32float') continue;
      const reads = [];
      if (d.texel) reads.push('load');
      if (dimension !== 'multisampled' && !INTEGERS.includes(format)) {
        reads.push('sample');
        if (dimension !== '1d') {
          reads.push('sample, levels', ...(deep ? ['compare level'] : []));
          if (['rgba8unorm', 'rgba16float', 'depth32float'].includes(format))
            reads.push(
              'level',
              ...(deep ? ['compare'] : ['bias', 'grad']),
              ...(d.at.includes('vec3f') ? [] : ['offset'])
            );
        }
      }
      for (const read of reads) {
        const nearest = UNFILTERED.includes(format) || (deep && !read.startsWith('compare'));
        const sampler = nearest ? { magFilter: 'nearest', minFilter: 'nearest', mipmapFilter: 'nearest' } : {};
        cells.push(
          cell(
            `texture reads, ${dimension}`,
            format,
            read,
            { format, dimension, read, sampler, scale: read === 'sample, levels' ? 1.5 : 1 },
            relativeOf(format, dimension, read)
          )
        );
      }
    }
  // Filters and address modes.
  for (const format of ['rgba8unorm', 'rgba16float'])
    for (const dimension of ['2d', '2d-array', 'cube', '3d']) {
      const three = dimension === '3d';
      const modes = {
        clamp: ['clamp-to-edge', 'clamp-to-edge'],
        repeat: ['repeat', 'repeat'],
        mirror: ['mirror-repeat', 'mirror-repeat'],
        mixed: ['repeat', 'clamp-to-edge'],
      };
      const filters = {
        nearest: { magFilter: 'nearest', minFilter: 'nearest', mipmapFilter: 'nearest' },
        bilinear: { mipmapFilter: 'nearest' },
        trilinear: {},
        'linear, small nearest': { minFilter: 'nearest', mipmapFilter: 'nearest' },
        anisotropic: { maxAnisotropy: 8 },
      };
      for (const [mode, [addressModeU, addressModeV]] of Object.entries(modes))
        for (const [filter, sampler] of Object.entries(filters))
          cells.push(
            cell(
              `filters and address modes, ${format}`,
              `${dimension}, ${mode}`,
              filter,
              {
                format,
                dimension,
                read: 'sample, levels',
                scale: 1.5,
                sampler: { ...sampler, addressModeU, addressModeV, ...(three ? { addressModeW: addressModeU } : {}) },
              },
              filterRelative(format, dimension, mode, filter)
            )
          );
    }
  return cells;
}

function filterRelative(format, dimension, mode, filter) {
  const of = (f, d, m) => `filters and address modes, ${f}|${d}, ${m}|${filter}`;
  if (mode === 'repeat' && dimension === '2d')
    return format === 'rgba8unorm' ? undefined : of('rgba8unorm', '2d', 'repeat');
  if (dimension === '2d') return of(format, '2d', 'repeat');
  return mode === 'clamp' ? of(format, '2d', 'clamp') : of(format, dimension, 'clamp');
}

/** The nearest common cell that a cell is compared with: the same read of rgba8unorm, or of a common dimension. */
function relativeOf(format, dimension, read) {
  const deep = DEPTHS.includes(format);
  const of = (f, d, r) => `texture reads, ${d}|${f}|${r}`;
  if (dimension === 'multisampled')
    return format === 'rgba8unorm' ? of(format, '2d', 'load') : of('rgba8unorm', dimension, 'load');
  if (read === 'compare level') return of(format, dimension, 'sample');
  if (read === 'compare') return of(format, dimension, 'compare level');
  if (['bias', 'grad', 'level'].includes(read)) return of(format, dimension, 'sample, levels');
  if (read === 'offset') return of(format, dimension, 'sample');
  if (format !== 'rgba8unorm') {
    const likeHalves = !/^(rgba8|bgra8|rgba16float)/.test(format) && !deep && read !== 'load';
    return of(likeHalves ? 'rgba16float' : 'rgba8unorm', dimension, read);
  }
  if (dimension === '2d') return undefined;
  return of(format, dimension === 'cube-array' ? 'cube' : '2d', read);
}
