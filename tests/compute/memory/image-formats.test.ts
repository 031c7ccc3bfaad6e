// Storage textures of every format in compute shaders, with each access mode, compared with the definitions of the
// formats. Texels are built from bits, and from values that these bits represent exactly or nearest.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { open } from '../../storage-programs/kit';
import { read, storage } from '../kit';
import { GPUBufferUsage, GPUMapMode } from '../../support/flags';

const ENGINES = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
} as const;
const USAGE = { COPY_SRC: 1, COPY_DST: 2, STORAGE: 8 } as const;
const WIDTH = 13;
const HEIGHT = 5;
const TEXELS = WIDTH * HEIGHT;

type Kind = 'unorm' | 'snorm' | 'uint' | 'sint' | 'float';
interface Channel {
  readonly bits: number;
  readonly kind: Kind;
  /** For floats: bits of the mantissa, and whether there is a sign. */
  readonly mantissa: number;
  readonly isSigned: boolean;
}
const MANTISSAS: Readonly<Record<number, number>> = { 10: 5, 11: 6, 16: 10, 32: 23 };
const channel = (bits: number, kind: Kind): Channel => ({
  bits,
  kind,
  mantissa: MANTISSAS[bits] ?? 0,
  isSigned: bits >= 16,
});

/** Starting with the lowest bits. */
function channelsOf(format: string): Channel[] {
  if (format === 'rg11b10ufloat') return [11, 11, 10].map((bits) => channel(bits, 'float'));
  const [, names, bits, kind] = /^(rgb10a2|[rgba]+)(\d*)([us]norm|[us]int|float)$/.exec(format)!;
  if (names === 'rgb10a2') return [10, 10, 10, 2].map((each) => channel(each, kind as Kind));
  return [...names!].map(() => channel(Number(bits), kind as Kind));
}

const FORMATS: readonly GPUTextureFormat[] = [
  'rgba8unorm',
  'rgba8snorm',
  'rgba8uint',
  'rgba8sint',
  'rgba16uint',
  'rgba16sint',
  'rgba16float',
  'r32uint',
  'r32sint',
  'r32float',
  'rg32uint',
  'rg32sint',
  'rg32float',
  'rgba32uint',
  'rgba32sint',
  'rgba32float',
  'bgra8unorm',
  'r8unorm',
  'r8snorm',
  'r8uint',
  'r8sint',
  'rg8unorm',
  'rg8snorm',
  'rg8uint',
  'rg8sint',
  'r16unorm',
  'r16snorm',
  'r16uint',
  'r16sint',
  'r16float',
  'rg16unorm',
  'rg16snorm',
  'rg16uint',
  'rg16sint',
  'rg16float',
  'rgba16unorm',
  'rgba16snorm',
  'rgb10a2uint',
  'rgb10a2unorm',
  'rg11b10ufloat',
];
const READ_WRITE: readonly GPUTextureFormat[] = [
  'r32uint',
  'r32sint',
  'r32float',
  'r8unorm',
  'r8uint',
  'r8sint',
  'rgba8unorm',
  'rgba8uint',
  'rgba8sint',
  'r16uint',
  'r16sint',
  'r16float',
  'rgba16uint',
  'rgba16sint',
  'rgba16float',
  'rgba32uint',
  'rgba32sint',
  'rgba32float',
];

let seed = 0;
const chance = (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};
const below = (n: number): number => Math.floor(chance() * n);

/** Random bits for a channel. Floats are normal numbers, whose double is normal, too. */
function randomBits({ bits, kind, mantissa, isSigned }: Channel): number {
  if (kind === 'float') {
    const exponents = 2 ** (bits - mantissa - (isSigned ? 1 : 0));
    const sign = isSigned ? below(2) * 2 ** (bits - 1) : 0;
    return sign + (1 + below(exponents - 3)) * 2 ** mantissa + below(2 ** mantissa);
  }
  // snorm has two encodings of −1.
  const code = below(2 ** bits);
  return kind === 'snorm' && code === 2 ** (bits - 1) ? 0 : code;
}

const signed = (code: number, bits: number): number => (code >= 2 ** (bits - 1) ? code - 2 ** bits : code);

function valueOf(code: number, { bits, kind, mantissa, isSigned }: Channel): number {
  switch (kind) {
    case 'uint':
      return code;
    case 'sint':
      return signed(code, bits);
    case 'unorm':
      return Math.fround(code / (2 ** bits - 1));
    case 'snorm':
      return Math.fround(signed(code, bits) / (2 ** (bits - 1) - 1));
    case 'float': {
      const exponentBits = bits - mantissa - (isSigned ? 1 : 0);
      const bias = 2 ** (exponentBits - 1) - 1;
      const sign = isSigned && code >= 2 ** (bits - 1) ? -1 : 1;
      const exponent = Math.floor(code / 2 ** mantissa) % 2 ** exponentBits;
      return sign * (1 + (code % 2 ** mantissa) / 2 ** mantissa) * 2 ** (exponent - bias);
    }
  }
}

type Texel = readonly number[];
interface Image {
  readonly channels: readonly Channel[];
  readonly texels: readonly Texel[];
}
const randomImage = (format: GPUTextureFormat): Image => {
  const channels = channelsOf(format);
  return { channels, texels: Array.from({ length: TEXELS }, () => channels.map(randomBits)) };
};

/** Returns the texels as they are in memory. */
function bytesOf(format: GPUTextureFormat, { channels, texels }: Image): Uint8Array<ArrayBuffer> {
  const size = channels.reduce((sum, { bits }) => sum + bits, 0) / 8;
  const bytes = new Uint8Array(size * texels.length);
  const order = format.startsWith('bgra') ? [2, 1, 0, 3] : channels.map((_, k) => k);
  texels.forEach((texel, i) => {
    let word = 0n;
    let at = 0n;
    for (const k of order) {
      word |= BigInt(texel[k]!) << at;
      at += BigInt(channels[k]!.bits);
    }
    for (let k = 0; k < size; k++) bytes[i * size + k] = Number((word >> BigInt(8 * k)) & 0xffn);
  });
  return bytes;
}

const scalarOf = ([{ kind }]: readonly [Channel]): 'f32' | 'u32' | 'i32' =>
  kind === 'uint' ? 'u32' : kind === 'sint' ? 'i32' : 'f32';
type Scalar = ReturnType<typeof scalarOf>;
const ARRAYS = { f32: Float32Array, u32: Uint32Array, i32: Int32Array } as const;

/** Returns four values per texel: missing channels are 0, a missing alpha is 1. */
function valuesOf(
  { channels, texels }: Image,
  scalar: Scalar
): Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> {
  const values = texels.flatMap((texel) =>
    [0, 1, 2, 3].map((k) => (k < texel.length ? valueOf(texel[k]!, channels[k]!) : k === 3 ? 1 : 0))
  );
  return ARRAYS[scalar].from(values) as Float32Array<ArrayBuffer>;
}

describe.each(Object.entries(ENGINES))('%s', (_, options) => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await open(options);
  });
  afterAll(() => device.destroy());

  function textureOf(format: GPUTextureFormat, image: Image | null): GPUTexture {
    const texture = device.createTexture({
      size: [WIDTH, HEIGHT],
      format,
      usage: USAGE.COPY_SRC | USAGE.COPY_DST | USAGE.STORAGE,
    });
    if (image) {
      const data = bytesOf(format, image);
      device.queue.writeTexture({ texture }, data, { bytesPerRow: data.length / HEIGHT }, [WIDTH, HEIGHT]);
    }
    return texture;
  }

  async function bytesIn(texture: GPUTexture, size: number): Promise<Uint8Array> {
    const row = 256;
    const buffer = device.createBuffer({
      size: row * HEIGHT,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: row }, [WIDTH, HEIGHT]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const all = new Uint8Array(buffer.getMappedRange());
    const own = WIDTH * size;
    const rows = Array.from({ length: HEIGHT }, (_row, y) => [...all.subarray(y * row, y * row + own)]);
    return Uint8Array.from(rows.flat());
  }

  async function run(
    format: GPUTextureFormat,
    access: string,
    body: string,
    texture: GPUTexture,
    scalar: Scalar,
    words: GPUBuffer | null
  ): Promise<void> {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({
      code: `
      @group(0) @binding(0) var image: texture_storage_2d<${format}, ${access}>;
      ${words ? `@group(0) @binding(1) var<storage, read_write> words: array<vec4<${scalar}>>;` : ''}
      @compute @workgroup_size(8, 3) fn main(@builtin(global_invocation_id) id: vec3u) {
        if (id.x >= ${WIDTH} || id.y >= ${HEIGHT}) { return; }
        let at = id.y * ${WIDTH} + id.x;
        ${body}
      }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: texture.createView() },
          ...(words ? [{ binding: 1, resource: { buffer: words } }] : []),
        ],
      })
    );
    pass.dispatchWorkgroups(2, 2);
    pass.end();
    device.queue.submit([encoder.finish()]);
    expect((await device.popErrorScope())?.message).toBeUndefined();
  }

  test.each(FORMATS)('%s, written', async (format) => {
    const image = randomImage(format);
    const scalar = scalarOf(image.channels as unknown as [Channel]);
    const wanted = bytesOf(format, image);
    const texture = textureOf(format, null);
    const words = storage(device, valuesOf(image, scalar));
    await run(format, 'write', 'textureStore(image, id.xy, words[at]);', texture, scalar, words);
    expect([...(await bytesIn(texture, wanted.length / TEXELS))]).toEqual([...wanted]);
  });

  test.each(FORMATS.filter((format) => format !== 'bgra8unorm'))('%s, read', async (format) => {
    const image = randomImage(format);
    const scalar = scalarOf(image.channels as unknown as [Channel]);
    const wanted = valuesOf(image, scalar);
    const words = storage(device, new Uint32Array(TEXELS * 4));
    await run(format, 'read', 'words[at] = textureLoad(image, id.xy);', textureOf(format, image), scalar, words);
    const found = new ARRAYS[scalar]((await read(device, words)).buffer);
    // Quotients of normalized formats may be the neighboring float.
    wanted.forEach((value, i) => {
      const near = /norm$/.test(format) ? 1e-7 * Math.abs(value) : 0;
      expect(Math.abs(found[i]! - value), `word ${i}: ${found[i]}, not ${value}`).toBeLessThanOrEqual(near);
    });
  });

  test.each(READ_WRITE)('%s, read and written', async (format) => {
    const image = randomImage(format);
    const { channels } = image;
    const scalar = scalarOf(channels as unknown as [Channel]);
    const [{ kind, bits }] = channels as unknown as [Channel];
    const texture = textureOf(format, image);
    // Integers outside of the range depend on the format and have separate tests.
    const most = 2 ** bits - 1;
    const half = 2 ** (bits - 1);
    const [body, changed]: readonly [string, (code: number) => number] = {
      uint: [`min(old, vec4u(${most - 1}u)) + 1u`, (code: number) => Math.min(code, most - 1) + 1] as const,
      sint: [
        `min(old, vec4i(${half - 2}i)) + 1i`,
        (code: number) => (Math.min(signed(code, bits), half - 2) + 1 + 2 ** bits) % 2 ** bits,
      ] as const,
      unorm: ['1.0 - old', (code: number) => most - code] as const,
      snorm: ['-old', (code: number) => (2 ** bits - code) % 2 ** bits] as const,
      float: ['old * 2.0', (code: number) => code + 2 ** channels[0]!.mantissa] as const,
    }[kind];
    await run(
      format,
      'read_write',
      `let old = textureLoad(image, id.xy); textureStore(image, id.xy, ${body});`,
      texture,
      scalar,
      null
    );
    const wanted = bytesOf(format, { channels, texels: image.texels.map((texel) => texel.map(changed)) });
    expect([...(await bytesIn(texture, wanted.length / TEXELS))]).toEqual([...wanted]);
  });
});

describe('stores of any words to any texels', () => {
  const SPECIAL = [0, 0x80000000, 0x7fc00000, 0xffc00001, 0x7f800000, 0xff800000, 0x3f800000, 1, 0x7fffffff];
  const SHADER = (format: GPUTextureFormat, scalar: Scalar): string => `
    @group(0) @binding(0) var image: texture_storage_2d_array<${format}, write>;
    @group(0) @binding(1) var<storage> words: array<vec4u>;
    @compute @workgroup_size(8, 3) fn main(@builtin(global_invocation_id) id: vec3u) {
      let at = id.y * 16 + id.x;
      // A texel of its own for each invocation, or none: some are outside, and some invocations store nothing.
      let place = vec2i(id.xy ^ words[0].xy) - vec2i(words[0].zw & vec2u(3));
      if (((words[1].x >> (at & 31u)) & 1u) == 1u) {
        textureStore(image, place, id.y & 1u, bitcast<vec4<${scalar}>>(words[at + 2]));
      }
    }`;
  const GROUPS = [2, 2] as const;
  const WORDS = (16 * 6 + 2) * 4;
  const devices = new Map<string, GPUDevice>();
  beforeAll(async () => {
    for (const [name, options] of Object.entries(ENGINES)) devices.set(name, await open(options));
  });
  afterAll(() => devices.forEach((device) => device.destroy()));

  /** Returns the texels of both layers after one dispatch. */
  async function stored(device: GPUDevice, format: GPUTextureFormat, data: Uint32Array<ArrayBuffer>): Promise<string> {
    const scalar = scalarOf(channelsOf(format) as unknown as [Channel]);
    const texture = device.createTexture({ size: [WIDTH, HEIGHT, 2], format, usage: USAGE.COPY_SRC | USAGE.STORAGE });
    const module = device.createShaderModule({ code: SHADER(format, scalar) });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const result = device.createBuffer({
      size: 256 * HEIGHT * 2,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    const entries = [
      { binding: 0, resource: texture.createView() },
      { binding: 1, resource: { buffer: storage(device, data) } },
    ];
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(...GROUPS);
    pass.end();
    const layout = { buffer: result, bytesPerRow: 256, rowsPerImage: HEIGHT };
    encoder.copyTextureToBuffer({ texture }, layout, [WIDTH, HEIGHT, 2]);
    device.queue.submit([encoder.finish()]);
    await result.mapAsync(GPUMapMode.READ);
    return Buffer.from(result.getMappedRange()).toString('hex');
  }

  test.each(FORMATS)('%s', async (format) => {
    for (let round = 0; round < 4; round++) {
      const data = Uint32Array.from({ length: WORDS }, () =>
        below(3) === 0 ? SPECIAL[below(SPECIAL.length)]! : below(2 ** 32)
      );
      // The first rounds store to whole rows, and the others to scattered texels.
      data.set([round < 2 ? 0 : below(4), below(2), below(4), below(4), round % 2 === 0 ? 0xffffffff : below(2 ** 32)]);
      const wanted = await stored(devices.get('scalar')!, format, data);
      expect(wanted).toMatch(/[1-9a-f]/);
      for (const name of ['compiled', 'interpreted'] as const)
        expect(await stored(devices.get(name)!, format, data), `${name}, round ${round}`).toBe(wanted);
    }
  });
});
