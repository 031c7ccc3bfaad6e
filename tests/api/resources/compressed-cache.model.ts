// Random compressed textures, and shaders that read them.
import { readFileSync } from 'node:fs';
import { formatInfo } from '../../../src/surface';
import { GPUMapMode } from '../../support/flags';
import { BUFFER, FORMATS, USAGE } from './compressed-cache.kit';

type Random = () => number;
export const generator = (seed: number): Random => {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
};
export const upTo = (random: Random, most: number): number => 1 + Math.floor(random() * most);
export const oneOf = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)]!;

/** Random bytes are rarely valid blocks of ASTC. */
const vectors = JSON.parse(readFileSync(new URL('../../blocks/vectors.json', import.meta.url), 'utf8')) as Record<
  string,
  [string, string][]
>;
const astcBlocks = Object.entries(vectors)
  .filter(([name]) => name.startsWith('astc'))
  .flatMap(([, blocks]) => blocks.map(([hex]) => Buffer.from(hex, 'hex')));
export function fill(random: Random, format: GPUTextureFormat, bytes: Uint8Array): void {
  if (format.startsWith('astc')) for (let at = 0; at < bytes.length; at += 16) bytes.set(oneOf(random, astcBlocks), at);
  else for (let at = 0; at < bytes.length; at++) bytes[at] = random() * 256;
}

const KINDS = ['2d', '2d-array', 'cube', 'cube-array', '3d'] as const;
type Kind = (typeof KINDS)[number];
interface Case {
  format: GPUTextureFormat;
  kind: Kind;
  size: [number, number, number];
  levels: number;
}

export function randomCase(random: Random): Case {
  const kind = oneOf(random, KINDS);
  const formats = kind === '3d' ? FORMATS.filter((name) => !/etc2|eac/.test(name)) : FORMATS;
  const format = oneOf(random, formats);
  const side = upTo(random, kind === '2d' ? 300 : kind === '3d' ? 70 : 90);
  const height = kind.startsWith('cube') ? side : upTo(random, kind === '2d' ? 200 : 80);
  const layers = { '2d': 1, '2d-array': upTo(random, 4), cube: 6, 'cube-array': 12, '3d': upTo(random, 9) }[kind];
  const most = 1 + Math.floor(Math.log2(Math.max(side, height, kind === '3d' ? layers : 1)));
  return { format, kind, size: [side, height, layers], levels: upTo(random, most) };
}

/** A texture and the contents of its blocks. */
export class Model {
  readonly block;
  readonly levels: { columns: number; rows: number; layers: number; bytes: Uint8Array<ArrayBuffer> }[] = [];
  constructor(readonly shape: Case) {
    this.block = formatInfo(shape.format)!.block!;
    for (let level = 0; level < shape.levels; level++) {
      const of = (size: number, block: number): number => Math.ceil(Math.max(1, size >> level) / block);
      const [width, height, depth] = shape.size;
      const layers = shape.kind === '3d' ? Math.max(1, depth >> level) : depth;
      const columns = of(width, this.block.width);
      const rows = of(height, this.block.height);
      this.levels.push({ columns, rows, layers, bytes: new Uint8Array(columns * rows * layers * this.block.bytes) });
    }
  }
  create(device: GPUDevice): GPUTexture {
    const { format, kind, size, levels } = this.shape;
    return device.createTexture({
      format,
      size,
      mipLevelCount: levels,
      dimension: kind === '3d' ? '3d' : '2d',
      usage: USAGE.COPY_SRC | USAGE.COPY_DST | USAGE.SAMPLED,
      viewFormats: [formatInfo(format)!.pair],
    });
  }
  /** Writes all blocks at once. */
  upload(device: GPUDevice, texture: GPUTexture): void {
    this.levels.forEach(({ columns, rows, layers, bytes }, mipLevel) =>
      device.queue.writeTexture(
        { texture, mipLevel },
        bytes,
        { bytesPerRow: columns * this.block.bytes, rowsPerImage: rows },
        [columns * this.block.width, rows * this.block.height, layers]
      )
    );
  }
  /** Changes the blocks of a part of a level. Returns a function that writes that part. */
  change(random: Random): (device: GPUDevice, texture: GPUTexture, through: 'queue' | 'buffer' | 'texture') => void {
    const mipLevel = random() < 0.5 ? 0 : Math.floor(random() * this.levels.length);
    const { block, shape } = this;
    const { columns, rows, layers, bytes } = this.levels[mipLevel]!;
    const part = (size: number): [number, number] => {
      const from = Math.floor(random() * size);
      return [from, upTo(random, size - from)];
    };
    const [x, w] = part(columns);
    const [y, h] = part(rows);
    const [z, d] = part(layers);
    const data = new Uint8Array(w * h * d * block.bytes);
    fill(random, shape.format, data);
    for (let k = 0; k < d; k++)
      for (let j = 0; j < h; j++) {
        const row = data.subarray((k * h + j) * w * block.bytes, (k * h + j + 1) * w * block.bytes);
        bytes.set(row, (((z + k) * rows + y + j) * columns + x) * block.bytes);
      }
    const size = [w * block.width, h * block.height, d];
    const origin = [x * block.width, y * block.height, z];
    return (device, texture, through) => {
      const layout = { bytesPerRow: w * block.bytes, rowsPerImage: h };
      if (through === 'queue') return device.queue.writeTexture({ texture, mipLevel, origin }, data, layout, size);
      const encoder = device.createCommandEncoder();
      if (through === 'texture') {
        const source = device.createTexture({
          format: shape.format,
          size,
          dimension: shape.kind === '3d' ? '3d' : '2d',
          usage: USAGE.COPY_SRC | USAGE.COPY_DST,
        });
        device.queue.writeTexture({ texture: source }, data, layout, size);
        encoder.copyTextureToTexture({ texture: source }, { texture, mipLevel, origin }, size);
        device.queue.submit([encoder.finish()]);
        return source.destroy();
      }
      const stride = Math.ceil((w * block.bytes) / 256) * 256;
      const buffer = device.createBuffer({ size: stride * h * d, usage: BUFFER.COPY_SRC | BUFFER.COPY_DST });
      for (let row = 0; row < h * d; row++)
        device.queue.writeBuffer(buffer, row * stride, data.slice(row * w * block.bytes, (row + 1) * w * block.bytes));
      encoder.copyBufferToTexture(
        { buffer, bytesPerRow: stride, rowsPerImage: h },
        { texture, mipLevel, origin },
        size
      );
      device.queue.submit([encoder.finish()]);
    };
  }
}

const SIDE = 24;
/** Expressions that read a texture of this kind at a place `p` of three numbers around 0 … 1 and at a pixel `c`. */
function reads(kind: Kind): string[] {
  const at = { '2d': 'p.xy', '2d-array': 'p.xy, layer', cube: 'd', 'cube-array': 'd, cube', '3d': 'p' }[kind];
  const slopes =
    kind === '2d' || kind === '2d-array'
      ? 'vec2f(0.3, 0.01), vec2f(0.02, 0.05)'
      : 'vec3f(0.1, 0.02, 0), vec3f(0, 0.2, 0.1)';
  const cube = kind.startsWith('cube');
  const texel = kind === '3d' ? 'vec3i(c)' : kind === '2d' ? 'c.xy' : 'c.xy, layer';
  return [
    `textureSampleLevel(map, trilinear, ${at}, lod)`,
    `textureSampleLevel(map, point, ${at}, lod)`,
    `textureSampleGrad(map, trilinear, ${at}, ${slopes})`,
    `textureSampleGrad(map, slanted, ${at}, ${slopes})`,
    ...(cube ? [] : [`textureLoad(map, ${texel}, level)`]),
    ...(kind === '3d' ? [] : [`textureGather(1, map, trilinear, ${at})`]),
  ];
}

function program(kind: Kind): string {
  const type = { '2d': '2d', '2d-array': '2d_array', cube: 'cube', 'cube-array': 'cube_array', '3d': '3d' }[kind];
  const all = reads(kind);
  return `
    @group(0) @binding(0) var map: texture_${type}<f32>;
    @group(0) @binding(1) var trilinear: sampler;
    @group(0) @binding(2) var point: sampler;
    @group(0) @binding(3) var slanted: sampler;
    @group(0) @binding(4) var<storage, read_write> out: array<vec4f>;
    fn number(seed: u32) -> f32 { return f32((seed * 2654435761u) >> 8) / 16777216; }
    fn look(n: u32) -> vec4f {
      let p = vec3f(number(n), number(n + 7919), number(n + 104729)) * 1.4 - 0.2;
      let d = p * 2 - 1; let layer = i32(n % 5); let cube = i32(n % 3); let lod = number(n + 31) * 8 - 1;
      let level = i32(n / 7u % 4u);
      let c = vec3i(p * vec3f(vec3u(textureDimensions(map)${kind === '3d' ? '' : ', 1'})));
      _ = layer; _ = cube; _ = d; _ = level; _ = lod; _ = c;
      var seen = vec4f();
      switch (n % ${all.length}u) {
        ${all.map((read, i) => `case ${i}: { seen = ${read}; }`).join('\n')}
        default: {}
      }
      return seen;
    }
    @compute @workgroup_size(8, 8) fn each(@builtin(global_invocation_id) id: vec3u) {
      let n = id.y * ${SIDE} + id.x;
      out[n] = look(n) + vec4f(0) * textureSampleLevel(map, trilinear, ${
        {
          '2d': 'vec2f(id.xy)',
          '2d-array': 'vec2f(id.xy), 0',
          cube: 'vec3f(id)',
          'cube-array': 'vec3f(id), 0',
          '3d': 'vec3f(id)',
        }[kind]
      }, 0);
    }
    struct Seen { @builtin(position) position: vec4f, @location(0) uv: vec2f }
    @vertex fn vs(@builtin(vertex_index) i: u32) -> Seen {
      let corner = vec2f(f32(i & 1u), f32(i >> 1u)) * 2;
      return Seen(vec4f(corner * 2 - 1, 0, 1), corner);
    }
    @fragment fn fs(seen: Seen) -> @location(0) vec4f {
      let p = vec3f(seen.uv * 1.3, seen.uv.x + seen.uv.y); let d = p * 2 - 1.3; let layer = 1; let cube = 0;
      _ = layer; _ = cube; _ = d;
      let at = vec2u(seen.position.xy);
      let mixed = textureSample(map, trilinear, ${
        { '2d': 'p.xy', '2d-array': 'p.xy, layer', cube: 'd', 'cube-array': 'd, cube', '3d': 'p' }[kind]
      }) + textureSample(map, point, ${
        { '2d': 'p.xy', '2d-array': 'p.xy, layer', cube: 'd', 'cube-array': 'd, cube', '3d': 'p' }[kind]
      });
      return mixed + look(at.y * ${SIDE} + at.x + 1);
    }`;
}

export class Reader {
  private readonly pipelines = new Map<Kind, { compute: GPUComputePipeline; render: GPURenderPipeline }>();
  constructor(readonly device: GPUDevice) {}

  private pipelinesOf(kind: Kind): { compute: GPUComputePipeline; render: GPURenderPipeline } {
    let made = this.pipelines.get(kind);
    if (!made) {
      const { device } = this;
      const code = program(kind)
        .replace(/@compute[^]*?\n    }\n/, '')
        .replace(/.*var<storage.*\n/, '');
      const module = device.createShaderModule({ code: program(kind) });
      const drawn = device.createShaderModule({ code });
      made = {
        compute: device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'each' } }),
        render: device.createRenderPipeline({
          layout: 'auto',
          vertex: { module: drawn },
          fragment: { module: drawn, targets: [{ format: 'rgba32float' }] },
        }),
      };
      this.pipelines.set(kind, made);
    }
    return made;
  }

  /** Returns the bits of all reads, in a compute pass and a render pass. */
  async read(texture: GPUTexture, model: Model, view: Partial<GPUTextureViewDescriptor>): Promise<string> {
    const { device } = this;
    const { kind } = model.shape;
    const bytes = SIDE * SIDE * 16;
    const { compute, render } = this.pipelinesOf(kind);
    const map = texture.createView({ ...view, dimension: kind });
    const out = device.createBuffer({ size: bytes, usage: BUFFER.STORAGE | BUFFER.COPY_SRC });
    const read = device.createBuffer({ size: 2 * SIDE * 512, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
    const linear = { magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' } as const;
    const entries = [
      map,
      device.createSampler({ ...linear, addressModeU: 'repeat' }),
      device.createSampler({ addressModeV: 'mirror-repeat' }),
      device.createSampler({ ...linear, maxAnisotropy: 8 }),
    ].map((resource, binding) => ({ binding, resource }));
    const target = device.createTexture({
      format: 'rgba32float',
      size: [SIDE, SIDE],
      usage: USAGE.ATTACHMENT | USAGE.COPY_SRC,
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(compute);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: compute.getBindGroupLayout(0),
        entries: [...entries, { binding: 4, resource: { buffer: out } }],
      })
    );
    pass.dispatchWorkgroups(SIDE / 8, SIDE / 8);
    pass.end();
    const drawn = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }] });
    drawn.setPipeline(render);
    drawn.setBindGroup(0, device.createBindGroup({ layout: render.getBindGroupLayout(0), entries }));
    drawn.draw(3);
    drawn.end();
    encoder.copyBufferToBuffer(out, 0, read, 0, bytes);
    encoder.copyTextureToBuffer({ texture: target }, { buffer: read, offset: SIDE * 512, bytesPerRow: 512 }, [
      SIDE,
      SIDE,
    ]);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const bits = Buffer.from(read.getMappedRange().slice(0)).toString('base64');
    for (const one of [out, read, target]) one.destroy();
    return bits;
  }
}
