// Reads back the results of mixed frames into one buffer: samples of attachments, buffers, counts.
import { readerWgsl, type Scalar } from '../../render/oracle/immediate.shaders';
import type { Plane } from '../../render/oracle/immediate.draw';
import { hasDepth, isFloat } from './looks';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../../support/flags';

const ALIGNMENT = 256;
interface Section {
  readonly name: string;
  readonly offset: number;
  readonly bytes: number;
  readonly width: number;
  readonly rows: number;
  readonly samples: number;
  readonly texelBytes: number;
  readonly bytesPerRow: number;
  /** Bytes per vertex of stream output. The section before it holds their number. */
  readonly vertexBytes: number;
}

/** Pipelines that read samples, one per kind of texture, kept from frame to frame. */
export class Readers {
  private readonly pipelines = new Map<string, GPURenderPipeline>();
  constructor(readonly device: GPUDevice) {}

  of(scalar: Scalar | 'depth', samples: number): GPURenderPipeline {
    const key = `${scalar} ${samples}`;
    const kept = this.pipelines.get(key);
    if (kept) return kept;
    const module = this.device.createShaderModule({ code: readerWgsl(scalar, samples) });
    const made = this.device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: READ_AS[scalar].format }] },
    });
    this.pipelines.set(key, made);
    return made;
  }
}
const READ_AS = {
  depth: { format: 'r32float', bytes: 4 },
  f32: { format: 'rgba32float', bytes: 16 },
  u32: { format: 'rgba32uint', bytes: 16 },
  i32: { format: 'rgba32sint', bytes: 16 },
} as const;

/** The results of one repetition: sections that are added are read when `planes` is called. */
export class Reading {
  private readonly sections: Section[] = [];
  private readonly copies: ((into: GPUBuffer) => void)[] = [];
  private readonly passing: GPUTexture[] = [];
  private size = 0;
  private buffer: GPUBuffer | null = null;
  constructor(
    private readonly readers: Readers,
    private readonly encoder: GPUCommandEncoder
  ) {}

  private add(section: Omit<Section, 'offset'>, copy: (into: GPUBuffer, offset: number) => void): void {
    const offset = this.size;
    this.sections.push({ ...section, offset });
    this.copies.push((into) => copy(into, offset));
    this.size = offset + Math.ceil(section.bytes / ALIGNMENT) * ALIGNMENT;
  }

  words(name: string, source: GPUBuffer, vertexBytes = 0): void {
    const bytes = source.size;
    this.add(
      { name, bytes, width: bytes / 4, rows: 1, samples: 1, texelBytes: 4, bytesPerRow: bytes, vertexBytes },
      (into, offset) => this.encoder.copyBufferToBuffer(source, 0, into, offset, bytes)
    );
  }

  /** Every sample of a texture; of depth if `aspect` says so. */
  texture(name: string, source: GPUTexture, aspect: GPUTextureAspect = 'all'): void {
    const { format, width, height, sampleCount: samples } = source;
    const scalar = aspect === 'stencil-only' ? 'u32' : hasDepth(format) ? 'depth' : isFloat(format) ? 'f32' : 'u32';
    const { format: as, bytes: texelBytes } = READ_AS[scalar];
    const pipeline = this.readers.of(scalar, samples);
    const { device } = this.readers;
    const rows = height * samples;
    const size = [width, rows];
    const target = device.createTexture({
      size,
      format: as,
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    this.passing.push(target);
    const pass = this.encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: source.createView({ aspect }) }],
      })
    );
    pass.draw(3);
    pass.end();
    const bytesPerRow = Math.ceil((width * texelBytes) / ALIGNMENT) * ALIGNMENT;
    this.add(
      { name, bytes: bytesPerRow * rows, width, rows, samples, texelBytes, bytesPerRow, vertexBytes: 0 },
      (buffer, offset) => this.encoder.copyTextureToBuffer({ texture: target }, { buffer, offset, bytesPerRow }, size)
    );
  }

  /** Must be called before the encoder is finished. */
  end(): void {
    this.buffer = this.readers.device.createBuffer({
      size: Math.max(this.size, ALIGNMENT),
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    for (const copy of this.copies) copy(this.buffer);
  }

  async planes(): Promise<Plane[]> {
    const buffer = this.buffer!;
    await buffer.mapAsync(GPUMapMode.READ);
    const all = new Uint8Array(buffer.getMappedRange());
    const planes = this.sections.map((section) => planeOf(section, all));
    this.sections.forEach(({ vertexBytes }, i) => {
      if (vertexBytes > 0) cutOff(planes[i]!, planes[i - 1]!, vertexBytes);
    });
    buffer.destroy();
    for (const texture of this.passing) texture.destroy();
    return planes;
  }
}

function planeOf(section: Section, all: Uint8Array): Plane {
  const { name, offset, width, rows, samples, texelBytes, bytesPerRow } = section;
  const bytes = new Uint8Array(width * texelBytes * rows);
  for (let y = 0; y < rows; y++) {
    const from = offset + y * bytesPerRow;
    bytes.set(all.subarray(from, from + width * texelBytes), y * width * texelBytes);
  }
  return { name, width, height: rows / samples, samples, texelBytes, bytes };
}

/** Zeroes the bytes after the vertices, which are unspecified leftovers of removing gaps. */
function cutOff({ bytes }: Plane, counts: Plane, vertexBytes: number): void {
  const [count] = new Uint32Array(counts.bytes.buffer);
  bytes.fill(0, Math.min(bytes.length, count! * vertexBytes));
}
