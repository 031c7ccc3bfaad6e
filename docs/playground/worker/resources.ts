// The resources of a scene, on a device of this package or of the browser.
import type { Resource, Scene, Use } from '../scenes/recipe';

const BRICKS_SIZE = 256;

/** Fills a level of the picture of bricks, as bytes of rgba8unorm. */
function bricks(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size * size * 4);
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const row = Math.floor((y / size) * 8);
      const across = ((x / size) * 4 + (row % 2) / 2) % 1;
      const down = ((y / size) * 8) % 1;
      const isJoint = across < 0.06 || down < 0.12;
      const brick = Math.floor((x / size) * 4 + (row % 2) / 2) % 4;
      const tone = 0.8 + 0.2 * (((brick * 7 + row * 5) % 8) / 8) - (((x * 13 + y * 29) % 7) / 7) * 0.06;
      const color = isJoint ? [205, 198, 188] : [196, 92, 68];
      color.forEach((channel, k) => (bytes[(y * size + x) * 4 + k] = channel * tone));
      bytes[(y * size + x) * 4 + 3] = 255;
    }
  return bytes;
}

/** Halves a level by averages of 2×2 texels. */
function halved(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const half = size / 2;
  const smaller = new Uint8Array(half * half * 4);
  for (let y = 0; y < half; y++)
    for (let x = 0; x < half; x++)
      for (let k = 0; k < 4; k++) {
        const at = (2 * y * size + 2 * x) * 4 + k;
        smaller[(y * half + x) * 4 + k] =
          (bytes[at]! + bytes[at + 4]! + bytes[at + size * 4]! + bytes[at + size * 4 + 4]!) / 4;
      }
  return smaller;
}

function brickTexture(device: GPUDevice): GPUTexture {
  const levels = Math.log2(BRICKS_SIZE) + 1;
  const texture = device.createTexture({
    label: 'bricks',
    size: [BRICKS_SIZE, BRICKS_SIZE],
    format: 'rgba8unorm',
    mipLevelCount: levels,
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  let bytes = bricks(BRICKS_SIZE);
  for (let mipLevel = 0, size = BRICKS_SIZE; mipLevel < levels; mipLevel++, size /= 2) {
    device.queue.writeTexture({ texture, mipLevel }, bytes, { bytesPerRow: size * 4 }, [size, size]);
    if (size > 1) bytes = halved(bytes, size);
  }
  return texture;
}

/** What is at a binding: the resource, and how its layout describes it for a use in some stage. */
interface Bound {
  readonly resource: GPUBindingResource;
  readonly layout: (use: Use) => Partial<GPUBindGroupLayoutEntry>;
  readonly destroy: () => void;
}

export class Resources {
  /** The multisampled texture that the scene's shaders load and store; null if it has none. */
  surface: GPUTexture | null = null;
  readonly frame: GPUBuffer;
  readonly #bound = new Map<number, Bound>();
  readonly #device: GPUDevice;

  constructor(device: GPUDevice, scene: Scene, width: number, height: number, samples: number) {
    this.#device = device;
    this.frame = device.createBuffer({ size: 32, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    for (const [binding, resource] of Object.entries(scene.resources ?? {}))
      this.#bound.set(Number(binding), this.#make(resource, width, height, samples));
  }

  #make(resource: Resource, width: number, height: number, samples: number): Bound {
    const device = this.#device;
    switch (resource.kind) {
      case 'words': {
        const size = resource.bytes(width, height);
        const buffer = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE });
        return {
          resource: { buffer },
          layout: (use) => ({ buffer: { type: use === 'write' ? 'storage' : 'read-only-storage' } }),
          destroy: () => buffer.destroy(),
        };
      }
      case 'bricks': {
        const texture = brickTexture(device);
        return { resource: texture.createView(), layout: () => ({ texture: {} }), destroy: () => texture.destroy() };
      }
      case 'sampler': {
        const filter = { minFilter: 'linear', magFilter: 'linear', mipmapFilter: 'linear' } as const;
        const repeat = { addressModeU: 'repeat', addressModeV: 'repeat' } as const;
        const sampler = device.createSampler({ ...filter, ...repeat, maxAnisotropy: 8 });
        return { resource: sampler, layout: () => ({ sampler: {} }), destroy: () => undefined };
      }
      case 'surface': {
        const texture = device.createTexture({
          label: 'surface',
          size: [width, height],
          format: 'rgba16float',
          // A texture with one sample cannot be stored to sample by sample.
          sampleCount: Math.max(2, samples),
          usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.TEXTURE_BINDING,
        });
        this.surface = texture;
        return {
          resource: texture.createView(),
          layout: (use) =>
            use === 'write'
              ? { storageTexture: { access: 'read-write', format: 'rgba16float', multisampled: true } }
              : { texture: { multisampled: true, sampleType: 'unfilterable-float' } },
          destroy: () => texture.destroy(),
        };
      }
    }
  }

  /** The layout and the bind group of a step. @param visibility of everything but `frame` */
  bind(uses: Readonly<Record<number, Use>>, stages: number): { layout: GPUBindGroupLayout; group: GPUBindGroup } {
    const frame = { binding: 0, visibility: stages, buffer: {} };
    const used = Object.entries(uses).map(([binding, use]) => ({ binding: Number(binding), use }));
    const layout = this.#device.createBindGroupLayout({
      entries: [
        frame,
        ...used.map(({ binding, use }) => ({
          binding,
          // Vertex shaders only read.
          visibility: use === 'write' ? stages & ~GPUShaderStage.VERTEX : stages,
          ...this.#bound.get(binding)!.layout(use),
        })),
      ],
    });
    const group = this.#device.createBindGroup({
      layout,
      entries: [
        { binding: 0, resource: { buffer: this.frame } },
        ...used.map(({ binding }) => ({ binding, resource: this.#bound.get(binding)!.resource })),
      ],
    });
    return { layout, group };
  }

  destroy(): void {
    this.frame.destroy();
    for (const { destroy } of this.#bound.values()) destroy();
  }
}
