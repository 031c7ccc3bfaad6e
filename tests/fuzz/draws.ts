// Random draw calls with hostile numbers. Nothing traps, no internal error occurs, buffers between the resources in use
// keep their bytes, and all configurations give the same bits in the target.
import { open, type Opened } from '../robustness/kit';
import { Dice } from './dice';
import type { Target } from './target';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';
import { ATTRIBUTES, program } from './draws.program';

const CANARY = 0x5a;
const CANARY_BYTES = 256;

const COLORS: GPUTextureFormat[] = [
  'rgba8unorm',
  'rgba8unorm-srgb',
  'bgra8unorm',
  'r8unorm',
  'rg8unorm',
  'rgba16float',
  'r16float',
  'rgb10a2unorm',
  'rgba32float',
  'r32float',
];
const SINGLE_SAMPLED: readonly GPUTextureFormat[] = ['rgb10a2unorm', 'rgba32float', 'r32float'];
const DEPTHS: (GPUTextureFormat | null)[] = [
  null,
  'depth32float',
  'depth24plus',
  'depth16unorm',
  'depth24plus-stencil8',
  'stencil8',
];
const FACTORS: GPUBlendFactor[] = [
  'zero',
  'one',
  'src',
  'one-minus-src',
  'src-alpha',
  'one-minus-src-alpha',
  'dst',
  'one-minus-dst-alpha',
  'src-alpha-saturated',
  'constant',
  'one-minus-constant',
];
const COMPARES: GPUCompareFunction[] = [
  'never',
  'less',
  'equal',
  'less-equal',
  'greater',
  'not-equal',
  'greater-equal',
  'always',
];
const STENCILS: GPUStencilOperation[] = [
  'keep',
  'zero',
  'replace',
  'invert',
  'increment-clamp',
  'decrement-clamp',
  'increment-wrap',
  'decrement-wrap',
];
const ADDRESSES: GPUAddressMode[] = ['repeat', 'mirror-repeat', 'clamp-to-edge'];

export class Round {
  private readonly canaries: GPUBuffer[] = [];
  constructor(
    private readonly device: GPUDevice,
    private readonly dice: Dice
  ) {}

  private canary(): void {
    const buffer = this.device.createBuffer({
      size: CANARY_BYTES,
      usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
      mappedAtCreation: true,
    });
    new Uint8Array(buffer.getMappedRange()).fill(CANARY);
    buffer.unmap();
    this.canaries.push(buffer);
  }

  /** Calls `make` between the allocations of two canaries. */
  private guarded<T>(make: () => T): T {
    this.canary();
    const made = make();
    this.canary();
    return made;
  }

  private buffer(usage: number, size = 16 * (1 + this.dice.below(40))): GPUBuffer {
    const buffer = this.guarded(() => this.device.createBuffer({ size, usage: usage | 8 }));
    this.device.queue.writeBuffer(buffer, 0, this.dice.bytes(size));
    return buffer;
  }

  private vertexLayout(shaderLocation: number): GPUVertexBufferLayout {
    const [format, bytes] = this.dice.pick(ATTRIBUTES);
    const offset = this.dice.below(3) * 4;
    const arrayStride = this.dice.chance(0.2) ? 0 : Math.ceil((offset + bytes) / 4) * 4 + 4 * this.dice.below(3);
    return {
      arrayStride,
      stepMode: this.dice.chance(0.3) ? 'instance' : 'vertex',
      attributes: [{ format, offset, shaderLocation }],
    };
  }

  private blend(): GPUBlendComponent {
    const operation = this.dice.pick<GPUBlendOperation>(['add', 'subtract', 'reverse-subtract', 'min', 'max']);
    return operation === 'min' || operation === 'max'
      ? { operation, srcFactor: 'one', dstFactor: 'one' }
      : { operation, srcFactor: this.dice.pick(FACTORS), dstFactor: this.dice.pick(FACTORS) };
  }

  private depthState(format: GPUTextureFormat): GPUDepthStencilState {
    const { dice } = this;
    const face = (): GPUStencilFaceState => ({
      compare: dice.pick(COMPARES),
      failOp: dice.pick(STENCILS),
      depthFailOp: dice.pick(STENCILS),
      passOp: dice.pick(STENCILS),
    });
    const bias = {
      depthBias: dice.below(2_000_000_000) - 1_000_000_000,
      depthBiasSlopeScale: (dice.fraction() - 0.5) * 1e20,
      depthBiasClamp: dice.fraction(),
    };
    return {
      format,
      ...(format !== 'stencil8' && {
        depthWriteEnabled: dice.chance(0.7),
        depthCompare: dice.pick(COMPARES),
        ...(dice.chance(0.3) && bias),
      }),
      ...(format.includes('stencil') && {
        stencilFront: face(),
        stencilBack: face(),
        stencilReadMask: dice.below(256),
        stencilWriteMask: dice.below(256),
      }),
    };
  }

  private group(pipeline: GPURenderPipeline): GPUBindGroup {
    const { device, dice } = this;
    const texture = this.guarded(() =>
      device.createTexture({
        size: [1 + dice.below(9), 1 + dice.below(9)],
        format: dice.pick<GPUTextureFormat>(['rgba8unorm', 'r8unorm', 'rgba16float']),
        usage: GPUTextureUsage.TEXTURE_BINDING,
      })
    );
    const filter = (): GPUFilterMode => dice.pick(['linear', 'nearest']);
    const sampler = device.createSampler({
      magFilter: filter(),
      minFilter: filter(),
      mipmapFilter: filter(),
      addressModeU: dice.pick(ADDRESSES),
      addressModeV: dice.pick(ADDRESSES),
      lodMaxClamp: dice.fraction() * 40,
    });
    const resources: GPUBindingResource[] = [
      { buffer: this.buffer(64, 16) },
      { buffer: this.buffer(128) },
      texture.createView(),
      sampler,
    ];
    return device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
  }

  private draws(pass: GPURenderPassEncoder, width: number, height: number, indices: number): void {
    const { dice } = this;
    for (let i = 1 + dice.below(5); i > 0; i--) {
      if (dice.chance(0.3))
        pass.setViewport(
          dice.chance(0.3) ? -dice.fraction() * 1000 : dice.fraction() * width,
          dice.chance(0.3) ? -dice.fraction() * 3000 : 0,
          dice.pick([0, 8192, width]),
          dice.chance(0.1) ? 1e-38 : dice.fraction() * height,
          0,
          dice.pick([0, 1])
        );
      if (dice.chance(0.3)) {
        const x = dice.below(width + 1);
        const y = dice.below(height + 1);
        pass.setScissorRect(x, y, dice.below(width - x + 1), dice.below(height - y + 1));
      }
      pass.setBlendConstant([dice.finite(), dice.finite(), dice.finite(), dice.finite()]);
      pass.setStencilReference(dice.below(4294967296));
      if (dice.chance(0.6))
        pass.drawIndexed(
          Math.min(indices, dice.below(40)),
          1 + dice.below(dice.chance(0.1) ? 2000 : 3),
          0,
          dice.chance(0.2) ? dice.below(4294967296) - 2147483648 : 0
        );
      else pass.draw(dice.below(12), 1 + dice.below(4));
    }
  }

  /** One pass of a few draw calls. Returns the target's contents, or null if validation rejected the pass. */
  async run(): Promise<Uint8Array | null> {
    const { device, dice } = this;
    for (const filter of ['internal', 'out-of-memory', 'validation'] as const) device.pushErrorScope(filter);
    const width = dice.pick([1, 3, 64, 65, 100]);
    const height = dice.pick([1, 2, 64, 65]);
    const size = [width, height];
    const format = dice.pick(COLORS);
    const depthFormat = dice.pick(DEPTHS);
    const sampleCount = !SINGLE_SAMPLED.includes(format) && dice.chance(0.4) ? 4 : 1;
    const target = this.guarded(() =>
      device.createTexture({ size, format, usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT })
    );
    const many =
      sampleCount === 4
        ? this.guarded(() =>
            device.createTexture({ size, format, sampleCount, usage: GPUTextureUsage.RENDER_ATTACHMENT })
          )
        : null;
    const depth =
      depthFormat
      && this.guarded(() =>
        device.createTexture({ size, format: depthFormat, sampleCount, usage: GPUTextureUsage.RENDER_ATTACHMENT })
      );
    const module = device.createShaderModule({ code: program(dice) });
    const topology = dice.pick<GPUPrimitiveTopology>(['triangle-list', 'triangle-strip']);
    const indexFormat = dice.pick<GPUIndexFormat>(['uint16', 'uint32']);
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, buffers: [this.vertexLayout(0), this.vertexLayout(1)] },
      primitive: {
        topology,
        cullMode: dice.pick(['none', 'back', 'front']),
        ...(topology === 'triangle-strip' && { stripIndexFormat: indexFormat }),
      },
      fragment: {
        module,
        targets: [
          {
            format,
            writeMask: dice.chance(0.7) ? 15 : dice.below(16),
            ...(!format.includes('32') && dice.chance(0.5) && { blend: { color: this.blend(), alpha: this.blend() } }),
          },
        ],
      },
      multisample: { count: sampleCount, mask: dice.chance(0.8) ? 0xffffffff : dice.below(16) },
      ...(depthFormat && { depthStencil: this.depthState(depthFormat) }),
    });
    const indexBuffer = this.buffer(16);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        {
          view: (many ?? target).createView(),
          loadOp: dice.pick(['clear', 'load']),
          storeOp: dice.pick(['store', 'discard']),
          clearValue: [dice.finite(), dice.finite(), 0, 1],
          ...(many && { resolveTarget: target.createView() }),
        },
      ],
      ...(depth && {
        depthStencilAttachment: {
          view: depth.createView(),
          ...(depthFormat !== 'stencil8' && {
            depthLoadOp: 'clear',
            depthStoreOp: 'discard',
            depthClearValue: dice.fraction(),
          }),
          ...(depthFormat!.includes('stencil') && {
            stencilLoadOp: 'clear',
            stencilStoreOp: 'store',
            stencilClearValue: dice.below(256),
          }),
        },
      }),
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.group(pipeline));
    pass.setVertexBuffer(0, this.buffer(32));
    pass.setVertexBuffer(1, this.buffer(32));
    pass.setIndexBuffer(indexBuffer, indexFormat);
    this.draws(pass, width, height, indexBuffer.size / (indexFormat === 'uint16' ? 2 : 4));
    pass.end();
    const bytesPerRow = Math.ceil((width * 16) / 256) * 256;
    const usage = 9;
    const read = device.createBuffer({ size: bytesPerRow * height, usage });
    encoder.copyTextureToBuffer({ texture: target }, { buffer: read, bytesPerRow }, [width, height]);
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const refused = await device.popErrorScope();
    const others = [await device.popErrorScope(), await device.popErrorScope()].find((error) => error !== null);
    if (others) throw new Error(others.message);
    if (refused !== null) return null;
    await read.mapAsync(GPUMapMode.READ);
    return new Uint8Array(read.getMappedRange()).slice();
  }

  /** Index of the first changed byte in the canaries around the resources; -1: none. */
  async touched(): Promise<number> {
    const { device, canaries } = this;
    const read = device.createBuffer({
      size: CANARY_BYTES * canaries.length,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const encoder = device.createCommandEncoder();
    canaries.forEach((canary, i) => encoder.copyBufferToBuffer(canary, 0, read, i * CANARY_BYTES, CANARY_BYTES));
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    return new Uint8Array(read.getMappedRange()).findIndex((byte) => byte !== CANARY);
  }
}

const CONFIGURATIONS = {
  compiled: { engine: 'jit' },
  interpreted: { engine: 'interpreter' },
  'the scalar kernel': { simd: false },
  'small chunks': { arenaBytes: 4096, chunkEveryDraw: true },
};

export const draws: Target = {
  what: 'passes of random draws, in four configurations',
  maxAttemptMs: 20_000,
  reopenAfter: 100,
  async open() {
    const devices = await Promise.all(
      Object.entries(CONFIGURATIONS).map(async ([name, options]): Promise<Opened & { name: string; lost: string }> => {
        const opened = { ...(await open({ timeoutMs: 5000, ...options })), name, lost: '' };
        void opened.device.lost.then(({ message }) => {
          opened.lost = message;
        });
        return opened;
      })
    );
    return async (seed) => {
      let first: Uint8Array | null | undefined;
      for (const { device, uncaptured, name, lost } of devices) {
        const round = new Round(device, new Dice(seed));
        const pixels = await round.run();
        if (lost !== '') return `${name}: the device is lost: ${lost}`;
        if (uncaptured.length > 0) return `${name}: ${uncaptured[0]}`;
        if ((await round.touched()) >= 0) return `${name}: bytes beside the resources have changed`;
        if (first === undefined) first = pixels;
        else if ((first === null) !== (pixels === null)) return `${name}: refused, or not, as others do not`;
        else if (first?.some((byte, i) => byte !== pixels![i])) return `${name}: other bits`;
      }
      return null;
    };
  },
};
