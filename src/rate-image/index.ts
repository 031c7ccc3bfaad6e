// rasterloom/rate-image: shading rates by screen region from the picture of the frame before. It uses WebGPU alone.
/// <reference types="@webgpu/types" />
import { IMAGE_RATES, rateShader, type ImageRate } from './shader';

export type { ImageRate } from './shader';

/** Options of {@link createRateImage}. */
export interface RateImageOptions {
  /** Size of the pass's attachments in pixels, at least 1. */
  readonly width: number;
  readonly height: number;
  /** Pixels of a block in each direction. Default: 8. */
  readonly blockSize?: 8 | 16;
  /**
   * The greatest change of a channel that coarse shading may cause, at least 0, in units of the colour texture: 1 is
   * the whole range of a normalised format. Default: 4/255.
   */
  readonly tolerance?: number;
  /** The coarsest rate to use. Default: `'4x4'`. */
  readonly coarsest?: ImageRate;
}

/** What a frame is measured by. */
export interface RateImageFrame {
  /** The frame before: a float or normalised texture (not multisampled) of the size of the attachments. */
  readonly color: GPUTexture;
  /**
   * How far the content of each pixel has moved since then, in pixels to the right and down: the channels red and green
   * of a float texture of the same size. Blocks whose content was outside the frame are shaded at 1x1. Default: nothing
   * has moved.
   */
  readonly motion?: GPUTexture;
}

/** A rate image: see {@link createRateImage}. */
export interface RateImage {
  /** The texture of codes. All of them are 1x1 until the first update. */
  readonly texture: GPUTexture;
  /** The member `region` of a pass's `shadingRates`. */
  readonly region: { readonly view: GPUTextureView; readonly blockSize: 8 | 16 };
  /** Records the commands that determine the rates for the next pass. Must be called outside of passes. */
  update(encoder: GPUCommandEncoder, frame: RateImageFrame): void;
  /** Destroys the texture and the buffers. */
  destroy(): void;
}

const TOLERANCE = 4 / 255;
const WORKGROUP = 16;
/** GPUBufferUsage and GPUTextureUsage. */
const COPY_SRC = 1;
const COPY_DST = 2;
const BUFFER = { COPY_SRC: 4, COPY_DST: 8, UNIFORM: 64, STORAGE: 128 };
const TEXTURE_BINDING = 4;
const ROW_WORDS = 64;

function checkOptions({ width, height, blockSize, tolerance, coarsest }: Required<RateImageOptions>): void {
  for (const [name, value] of Object.entries({ width, height }))
    if (!Number.isInteger(value) || value < 1)
      throw new RangeError(`createRateImage: ${name} is ${value}, but must be a whole number of pixels of at least 1`);
  if (blockSize !== 8 && blockSize !== 16)
    throw new RangeError(`createRateImage: blockSize is ${String(blockSize)}, but must be 8 or 16`);
  if (!(tolerance >= 0)) throw new RangeError(`createRateImage: tolerance is ${tolerance}, but must be at least 0`);
  if (!IMAGE_RATES.includes(coarsest))
    throw new RangeError(`createRateImage: coarsest is "${String(coarsest)}", but must be ${IMAGE_RATES.join(', ')}`);
}

/**
 * Creates an image of shading rates by region, for the extension 'shading-rate'. `update` looks at the frame before:
 * each block gets the coarsest rate at which no pixel's channel differs from another one of the same coarse pixel by
 * more than `tolerance`.
 *
 * If the content of a block is that of the frame before, moved by whole pixels, and each coarse pixel's value lies
 * between those of its pixels, then no channel of any pixel changes by more than `tolerance` and one step of the
 * format. The second condition holds where one primitive covers a coarse pixel and its colour is linear there.
 *
 * @example
 *     const rates = createRateImage(device, { width, height });
 *     rates.update(encoder, { color: previous });
 *     const pass = encoder.beginRenderPass({ ...descriptor, shadingRates: { region: rates.region } });
 *
 * @throws RangeError if an option is outside its range
 */
export function createRateImage(device: GPUDevice, options: RateImageOptions): RateImage {
  const settings = { blockSize: 8, tolerance: TOLERANCE, coarsest: '4x4', ...options } as Required<RateImageOptions>;
  checkOptions(settings);
  const { width, height, blockSize, tolerance, coarsest } = settings;
  const size = [Math.ceil(width / blockSize), Math.ceil(height / blockSize)];
  // Rows of buffers that are copied to textures begin at multiples of 256 bytes.
  const words = Math.ceil(size[0] / 4 / ROW_WORDS) * ROW_WORDS;
  const texture = device.createTexture({ size, format: 'r8uint', usage: TEXTURE_BINDING | COPY_DST | COPY_SRC });
  const codes = device.createBuffer({ size: words * 4 * size[1], usage: BUFFER.STORAGE | BUFFER.COPY_SRC });
  const params = device.createBuffer({ size: 16, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  const data = new DataView(new ArrayBuffer(16));
  data.setInt32(0, width, true);
  data.setInt32(4, height, true);
  data.setFloat32(8, tolerance, true);
  data.setUint32(12, words, true);
  device.queue.writeBuffer(params, 0, data.buffer);
  const pipelines = new Map<boolean, GPUComputePipeline>();
  const pipelineFor = (moves: boolean): GPUComputePipeline => {
    const made =
      pipelines.get(moves)
      ?? device.createComputePipeline({
        layout: 'auto',
        compute: { module: device.createShaderModule({ code: rateShader(blockSize, coarsest, moves) }) },
      });
    pipelines.set(moves, made);
    return made;
  };
  return {
    texture,
    region: { view: texture.createView(), blockSize },
    update(encoder, { color, motion }) {
      const pipeline = pipelineFor(motion !== undefined);
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            { binding: 0, resource: { buffer: params } },
            { binding: 1, resource: { buffer: codes } },
            { binding: 2, resource: color.createView() },
            ...(motion ? [{ binding: 3, resource: motion.createView() }] : []),
          ],
        })
      );
      pass.dispatchWorkgroups(Math.ceil(size[0] / 4 / WORKGROUP), size[1]);
      pass.end();
      encoder.copyBufferToTexture({ buffer: codes, bytesPerRow: words * 4 }, { texture }, size);
    },
    destroy() {
      for (const resource of [texture, codes, params]) resource.destroy();
    },
  };
}
