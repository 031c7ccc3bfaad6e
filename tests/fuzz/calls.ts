// API calls in any order, without waiting, on a device that may be destroyed in between. Every promise settles, and
// only errors that WebGPU defines are thrown.
import { open } from '../robustness/kit';
import { callsCorpus } from './corpus';
import { Dice } from './dice';
import type { Target } from './target';

const SETTLED_MS = 10_000;
const SIZES = [0, 1, 3, 4, 16, 255, 256, 4096, 1 << 20, 2 ** 31, 2 ** 32, 2 ** 53, -1, NaN, Infinity];
const USAGES = [0, 1, 2, 3, 4, 8, 9, 6, 12, 16, 64, 128, 140, 1 << 20, -1];
/** Errors that WebGPU throws, or rejects with. */
const OURS = ['TypeError', 'RangeError', 'OperationError', 'AbortError', 'GPUPipelineError', 'InvalidStateError'];
const BUG = /internal error|report it|Cannot read|is not a function|is not iterable|call stack|unreachable|null \(/;

class Race {
  private readonly buffers: GPUBuffer[] = [];
  private readonly textures: GPUTexture[] = [];
  private readonly encoders: GPUCommandEncoder[] = [];
  private readonly finished: GPUCommandBuffer[] = [];
  /** The mistake of each promise. */
  private readonly settled: Promise<string | null>[] = [];

  constructor(
    private readonly device: GPUDevice,
    private readonly dice: Dice
  ) {}

  private await(promise: Promise<unknown>): void {
    this.settled.push(
      promise.then((value) => {
        const text = (value as GPUError | null | undefined)?.message;
        return text !== undefined && BUG.test(text) ? text : null;
      }, findMistake)
    );
  }

  private buffer(): GPUBuffer {
    return this.buffers.length > 0 && this.dice.chance(0.9) ? this.dice.pick(this.buffers) : this.makeBuffer();
  }

  private makeBuffer(): GPUBuffer {
    const { dice } = this;
    const known = dice.chance(0.7);
    const buffer = this.device.createBuffer({
      size: known ? 4 * (1 + dice.below(64)) : dice.pick(SIZES),
      usage: known ? dice.pick([9, 6, 12]) : dice.pick(USAGES),
      mappedAtCreation: dice.chance(0.2),
    });
    this.buffers.push(buffer);
    return buffer;
  }

  private texture(): GPUTexture {
    const { dice } = this;
    if (this.textures.length > 0 && dice.chance(0.8)) return dice.pick(this.textures);
    const size = dice.chance(0.8) ? [1 + dice.below(70), 1 + dice.below(70)] : [dice.pick(SIZES), 1, dice.pick(SIZES)];
    const texture = this.device.createTexture({
      size,
      format: dice.pick<GPUTextureFormat>(['rgba8unorm', 'r32float', 'depth24plus', 'stencil8', 'rgba16float']),
      usage: dice.chance(0.8) ? 23 : dice.pick(USAGES),
      sampleCount: dice.pick([1, 1, 1, 4, 3]),
      mipLevelCount: dice.pick([1, 1, 2, 99]),
    });
    this.textures.push(texture);
    return texture;
  }

  private encoder(): GPUCommandEncoder {
    if (this.encoders.length > 0 && this.dice.chance(0.8)) return this.dice.pick(this.encoders);
    const encoder = this.device.createCommandEncoder();
    this.encoders.push(encoder);
    return encoder;
  }

  private readonly calls: readonly (() => void)[] = [
    () => {
      this.makeBuffer();
    },
    () => {
      this.await(this.buffer().mapAsync(this.dice.pick([1, 2, 3, 0])));
    },
    () => {
      const range = this.buffer().getMappedRange(...(this.dice.chance(0.5) ? [] : [this.dice.pick([0, 8, 3, -8]), 8]));
      new Uint8Array(range).fill(7);
    },
    () => {
      this.buffer().unmap();
    },
    () => {
      this.buffer().destroy();
    },
    () => {
      this.texture().destroy();
    },
    () => {
      const { dice } = this;
      this.device.queue.writeBuffer(this.buffer(), dice.pick([0, 4, 3, -4, 2 ** 40]), new Uint8Array(dice.below(40)));
    },
    () => {
      const { dice } = this;
      const to = this.buffer();
      const size = dice.pick([4, 8, 3, 2 ** 40]);
      this.encoder().copyBufferToBuffer(this.buffer(), dice.pick([0, 4, 1]), to, dice.pick([0, 8]), size);
    },
    () => {
      const { dice } = this;
      this.device.queue.writeTexture(
        { texture: this.texture(), mipLevel: dice.pick([0, 0, 1, 40]), origin: [dice.below(9), dice.below(9)] },
        new Uint8Array(dice.below(5000)),
        { bytesPerRow: dice.pick([4, 16, 256, 0]), offset: dice.below(9) },
        [dice.below(20), dice.below(20)]
      );
    },
    () => {
      const { dice } = this;
      this.encoder().copyTextureToBuffer(
        { texture: this.texture() },
        { buffer: this.buffer(), bytesPerRow: dice.pick([256, 512, 4]) },
        [dice.below(9), dice.below(9)]
      );
    },
    () => {
      const pass = this.encoder().beginRenderPass({
        colorAttachments: [
          { view: this.texture().createView(), loadOp: 'clear', storeOp: this.dice.pick(['store', 'discard']) },
        ],
      });
      if (this.dice.chance(0.2)) pass.draw(3);
      if (this.dice.chance(0.9)) pass.end();
      if (this.dice.chance(0.1)) pass.end();
    },
    () => {
      this.encoder().clearBuffer(this.buffer(), this.dice.pick([0, 4, 2, 2 ** 33]));
    },
    () => {
      this.finished.push(this.encoder().finish());
    },
    () => {
      this.device.queue.submit(this.finished.filter(() => this.dice.chance(0.4)));
    },
    () => {
      this.await(this.device.queue.onSubmittedWorkDone());
    },
    () => {
      this.device.pushErrorScope(this.dice.pick(['validation', 'out-of-memory', 'internal']));
    },
    () => {
      this.await(this.device.popErrorScope());
    },
    () => {
      const entries = [{ binding: this.dice.pick([0, 1, 2 ** 31]), visibility: this.dice.below(9), buffer: {} }];
      const layout = this.device.createBindGroupLayout({ entries });
      this.device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer: this.buffer() } }] });
    },
    () => {
      const module = this.device.createShaderModule({
        code: `@compute @workgroup_size(${this.dice.pick(['1', '99999', ')'])}) fn m() {}`,
      });
      const descriptor: GPUComputePipelineDescriptor = { layout: 'auto', compute: { module } };
      if (this.dice.chance(0.5)) this.await(this.device.createComputePipelineAsync(descriptor));
      else this.device.createComputePipeline(descriptor);
    },
    () => {
      if (this.dice.chance(0.15)) this.device.destroy();
    },
  ];

  async run(): Promise<string | null> {
    const { dice } = this;
    for (let left = 10 + dice.below(60); left > 0; left--) {
      try {
        dice.pick(this.calls)();
      } catch (error) {
        const mistake = findMistake(error);
        if (mistake !== null) return mistake;
      }
      if (dice.chance(0.1)) await new Promise((turn) => setTimeout(turn, 0));
    }
    let timer: unknown;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => {
        resolve('a promise is never settled');
      }, SETTLED_MS);
    });
    const all = Promise.all(this.settled).then((each) => each.find((mistake) => mistake !== null) ?? null);
    const found = await Promise.race([all, late]);
    clearTimeout(timer as NodeJS.Timeout);
    return found;
  }
}

function findMistake(error: unknown): string | null {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  return OURS.includes(error.name) && !BUG.test(error.message) ? null : (error.stack ?? error.message);
}

export const calls: Target = {
  what: 'races of calls',
  maxAttemptMs: 15_000,
  reopenAfter: 1000,
  open: async () => async (seed) => {
    const { device, uncaptured } = await open();
    for (const found of callsCorpus) {
      try {
        found(device);
      } catch (error) {
        const mistake = findMistake(error);
        if (mistake !== null) return mistake;
      }
    }
    const mistake = await new Race(device, new Dice(seed)).run();
    device.destroy();
    const { reason, message } = await device.lost;
    return mistake ?? uncaptured.find((text) => BUG.test(text)) ?? (reason === 'destroyed' ? null : message);
  },
};
