// Draws a random frame (immediate.frames.ts) on a device through the public API, and reads back every sample of every
// attachment.
import type { Draw, Frame, Look, Pass } from './immediate.frame';
import {
  bytesOf,
  hasDepth,
  hasStencil,
  isBlendable,
  isDrawable,
  pipelineDescriptor,
  positions,
  scalarOf,
} from './immediate.pipelines';
import { isTextured, readerWgsl, wgsl, type Scalar } from './immediate.shaders';
import { GPUMapMode } from '../../support/flags';

const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, VERTEX: 32, QUERY_RESOLVE: 512 } as const;
const TEXTURE = { COPY_SRC: 1, COPY_DST: 2, BINDING: 4, ATTACHMENT: 16 } as const;

/** One attachment's samples. */
export interface Plane {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Row y·samples + sample of `bytes` is sample `sample` of row y. */
  readonly samples: number;
  readonly texelBytes: number;
  readonly bytes: Uint8Array;
}

interface Attachments {
  readonly colors: readonly GPUTexture[];
  readonly resolves: readonly (GPUTexture | null)[];
  readonly depth: GPUTexture | null;
}
interface Read {
  readonly name: string;
  readonly format: GPUTextureFormat;
  readonly texture: GPUTexture;
  readonly aspect: GPUTextureAspect;
  readonly samples: number;
  readonly scalar: Scalar | 'depth';
}

/** Draws frames on one device; keeps pipelines from frame to frame. */
export class FrameDrawer {
  private readonly modules = new Map<string, GPUShaderModule>();
  private readonly readers = new Map<string, GPURenderPipeline>();
  private readonly texture: GPUTexture;
  private readonly sampler: GPUSampler;
  /** Resources that are destroyed after the frame. */
  private passing: (GPUBuffer | GPUTexture | GPUQuerySet)[] = [];

  /** `bundles`: each draw call comes from its own bundle. */
  constructor(
    readonly device: GPUDevice,
    private readonly bundles = false
  ) {
    const mipLevelCount = 4;
    this.texture = device.createTexture({
      size: [8, 8],
      mipLevelCount,
      format: 'rgba8unorm',
      usage: TEXTURE.BINDING | TEXTURE.COPY_DST,
    });
    for (let mipLevel = 0; mipLevel < mipLevelCount; mipLevel++) {
      const side = 8 >> mipLevel;
      const texels = Uint8Array.from(
        { length: side * side * 4 },
        (_, i) => Math.imul(i + 1 + mipLevel * 77, 0x9e3779b1) >>> 24
      );
      device.queue.writeTexture({ texture: this.texture, mipLevel }, texels, { bytesPerRow: side * 4 }, [side, side]);
    }
    this.sampler = device.createSampler({
      magFilter: 'linear',
      minFilter: 'linear',
      mipmapFilter: 'linear',
      addressModeU: 'repeat',
      addressModeV: 'mirror-repeat',
    });
  }

  /** Draws the frame; throws validation errors. */
  async draw(frame: Frame): Promise<Plane[]> {
    const { device } = this;
    device.pushErrorScope('validation');
    device.pushErrorScope('out-of-memory');
    const attachments = this.attachments(frame);
    // Only the last pass resolves, including what the first one has drawn.
    const results = frame.passes.map((pass, i) =>
      this.pass(frame, pass, i === frame.passes.length - 1 ? attachments : { ...attachments, resolves: [] })
    );
    const planes = Promise.all([
      this.read(frame, attachments),
      ...results.map((buffer, i) => this.readQueries(buffer, `queries of pass ${i}`)),
    ]).then((all) => all.flat());
    const errors = [await device.popErrorScope(), await device.popErrorScope()];
    const result = await planes;
    for (const piece of this.passing) piece.destroy();
    this.passing = [];
    for (const error of errors) if (error) throw new Error(error.message);
    return result;
  }

  private keep<T extends GPUBuffer | GPUTexture | GPUQuerySet>(made: T): T {
    this.passing.push(made);
    return made;
  }

  private attachments({ width, height, samples, targets, depth }: Frame): Attachments {
    const make = (format: GPUTextureFormat, sampleCount: number): GPUTexture =>
      this.keep(
        this.device.createTexture({
          size: [width, height],
          format,
          sampleCount,
          usage: TEXTURE.ATTACHMENT | TEXTURE.BINDING | (sampleCount === 1 ? TEXTURE.COPY_SRC : 0),
        })
      );
    return {
      colors: targets.map((format) => make(format, samples)),
      resolves: targets.map((format) => (samples > 1 && isBlendable(format) ? make(format, 1) : null)),
      depth: depth && make(depth, samples),
    };
  }

  /** Returns the buffer with the results of its queries, one per draw call. */
  private pass(frame: Frame, pass: Pass, { colors, resolves, depth }: Attachments): GPUBuffer {
    const { device } = this;
    const count = pass.draws.length;
    const occlusionQuerySet = this.keep(device.createQuerySet({ type: 'occlusion', count }));
    const encoder = device.createCommandEncoder();
    const format = frame.depth;
    const depthOps = (clears: boolean): { readonly load: GPULoadOp; readonly store: GPUStoreOp } => ({
      load: clears ? 'clear' : 'load',
      store: pass.depthStoreOp,
    });
    const d = depthOps(pass.clearsDepth);
    const s = depthOps(pass.clearsStencil);
    const [r, g, b, a] = frame.clearColor;
    const render = encoder.beginRenderPass({
      occlusionQuerySet,
      colorAttachments: colors.map((texture, i) => ({
        view: texture.createView(),
        loadOp: pass.clearsColor ? 'clear' : 'load',
        storeOp: pass.storeOp,
        ...(resolves[i] && { resolveTarget: resolves[i].createView() }),
        clearValue: scalarOf(frame.targets[i]!) === 'f32' ? [r, g, b, a] : [r * 16, g * 16, b * 16, a * 16],
      })),
      ...(depth
        && format && {
          depthStencilAttachment: {
            view: depth.createView(),
            ...(hasDepth(format)
              && (pass.readOnly
                ? { depthReadOnly: true }
                : { depthLoadOp: d.load, depthStoreOp: d.store, depthClearValue: frame.clearDepth })),
            ...(hasStencil(format)
              && (pass.readOnly
                ? { stencilReadOnly: true }
                : { stencilLoadOp: s.load, stencilStoreOp: s.store, stencilClearValue: frame.clearStencil })),
          },
        }),
    });
    const pipelines = new Map<string, GPURenderPipeline>();
    pass.draws.forEach((draw, i) => {
      if (!isDrawable(frame, draw)) return;
      if (draw.isAsked) render.beginOcclusionQuery(i);
      this.drawMesh(render, frame, draw, pass.readOnly, pipelines);
      if (draw.isAsked) render.endOcclusionQuery();
    });
    render.end();
    const results = this.keep(device.createBuffer({ size: count * 8, usage: USAGE.QUERY_RESOLVE | USAGE.COPY_SRC }));
    encoder.resolveQuerySet(occlusionQuerySet, 0, count, results, 0);
    device.queue.submit([encoder.finish()]);
    return results;
  }

  private async readQueries(results: GPUBuffer, name: string): Promise<Plane> {
    const buffer = this.keep(this.device.createBuffer({ size: results.size, usage: USAGE.MAP_READ | USAGE.COPY_DST }));
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(results, 0, buffer, 0, results.size);
    this.device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(buffer.getMappedRange().slice(0));
    return { name, width: bytes.length / 8, height: 1, samples: 1, texelBytes: 8, bytes };
  }

  private pipeline(frame: Frame, look: Look, readOnly: boolean, indexFormat: GPUIndexFormat | null): GPURenderPipeline {
    const scalars = frame.targets.map(scalarOf);
    const key = `${look.kind} ${scalars.join()}`;
    const module = this.modules.get(key) ?? this.device.createShaderModule({ code: wgsl(look.kind, scalars) });
    this.modules.set(key, module);
    return this.device.createRenderPipeline(pipelineDescriptor(frame, look, readOnly, indexFormat, module));
  }

  private buffer(
    data: Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
    usage: number
  ): GPUBuffer {
    const buffer = this.keep(
      this.device.createBuffer({ size: Math.max(4, (data.byteLength + 3) & ~3), usage, mappedAtCreation: true })
    );
    new Uint8Array(buffer.getMappedRange()).set(new Uint8Array(data.buffer));
    buffer.unmap();
    return buffer;
  }

  private drawMesh(
    render: GPURenderPassEncoder,
    frame: Frame,
    draw: Draw,
    readOnly: boolean,
    pipelines: Map<string, GPURenderPipeline>
  ): void {
    const { mesh, look, viewport, scissor } = draw;
    const { width, height } = frame;
    const key = JSON.stringify([look, look.primitive.topology === 'triangle-strip' && mesh.indexFormat]);
    const pipeline = pipelines.get(key) ?? this.pipeline(frame, look, readOnly, mesh.indexFormat);
    pipelines.set(key, pipeline);
    const [x, y, w, h, near, far] = viewport ?? [0, 0, 1, 1, 0, 1];
    render.setViewport(x * width, y * height, w * width, h * height, near, far);
    const [left, top, right, bottom] = (scissor ?? [0, 0, 1, 1]).map((share, i) =>
      Math.floor(share * (i & 1 ? height : width))
    );
    render.setScissorRect(left!, top!, Math.min(right!, width - left!), Math.min(bottom!, height - top!));
    render.setBlendConstant([...draw.blendConstant]);
    render.setStencilReference(draw.stencilReference);
    if (!this.bundles) {
      this.record(render, frame, draw, pipeline);
      return;
    }
    const bundle = this.device.createRenderBundleEncoder({
      colorFormats: [...frame.targets],
      sampleCount: frame.samples,
      ...(frame.depth && { depthStencilFormat: frame.depth, depthReadOnly: readOnly, stencilReadOnly: readOnly }),
    });
    this.record(bundle, frame, draw, pipeline);
    render.executeBundles([bundle.finish()]);
  }

  private record(
    render: GPURenderPassEncoder | GPURenderBundleEncoder,
    frame: Frame,
    { mesh, look, skip, instances }: Draw,
    pipeline: GPURenderPipeline
  ): void {
    render.setPipeline(pipeline);
    if (isTextured(look.kind))
      render.setBindGroup(
        0,
        this.device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            { binding: 0, resource: this.texture.createView() },
            { binding: 1, resource: this.sampler },
          ],
        })
      );
    const all = positions(frame, mesh);
    const { indexFormat } = mesh;
    const restarts = indexFormat !== null && look.primitive.topology === 'triangle-strip';
    const indices = mesh.indices.filter((index) => index >= 0 || restarts);
    const before = Array<number>(skip * 4).fill(0);
    if (indexFormat === null) {
      render.setVertexBuffer(
        0,
        this.buffer(
          new Float32Array([...before, ...indices.flatMap((index) => [...all.subarray(index * 4, index * 4 + 4)])]),
          USAGE.VERTEX
        )
      );
      render.draw(indices.length, instances, skip, skip);
      return;
    }
    render.setVertexBuffer(0, this.buffer(new Float32Array([...before, ...all]), USAGE.VERTEX));
    const words = [...Array<number>(skip).fill(0), ...indices];
    render.setIndexBuffer(
      this.buffer(indexFormat === 'uint16' ? new Uint16Array(words) : new Uint32Array(words), USAGE.INDEX),
      indexFormat
    );
    render.drawIndexed(indices.length, instances, skip, skip, skip);
  }

  /** Reads everything that is observable after the passes. */
  private async read(frame: Frame, { colors, resolves, depth }: Attachments): Promise<Plane[]> {
    const { samples, targets, depth: depthFormat } = frame;
    const reads: Read[] = [];
    targets.forEach((format, i) => {
      const common = { format, aspect: 'all' as const, scalar: scalarOf(format) };
      reads.push({ name: `target ${i} (${format})`, texture: colors[i]!, samples, ...common });
      if (resolves[i])
        reads.push({ name: `resolve of target ${i} (${format})`, texture: resolves[i], samples: 1, ...common });
    });
    if (depth && depthFormat && hasDepth(depthFormat))
      reads.push({
        name: `depth (${depthFormat})`,
        format: depthFormat,
        texture: depth,
        aspect: 'depth-only',
        samples,
        scalar: 'depth',
      });
    if (depth && depthFormat && hasStencil(depthFormat))
      reads.push({
        name: `stencil (${depthFormat})`,
        format: 'stencil8',
        texture: depth,
        aspect: 'stencil-only',
        samples,
        scalar: 'u32',
      });
    return Promise.all(reads.map((read) => this.readPlane(frame, read)));
  }

  /** Copies where the format allows it; otherwise loads every sample in a draw call. */
  private async readPlane({ width, height }: Frame, read: Read): Promise<Plane> {
    const { name, samples, aspect } = read;
    const copies = samples === 1 && !read.format.startsWith('depth24');
    const format: GPUTextureFormat = copies
      ? read.format
      : read.scalar === 'depth'
        ? 'r32float'
        : `rgba32${({ f32: 'float', u32: 'uint', i32: 'sint' } as const)[read.scalar]}`;
    const encoder = this.device.createCommandEncoder();
    const texture = copies ? read.texture : this.expand(encoder, read, format, width, height * samples);
    const texelBytes = bytesOf(format);
    const bytesPerRow = Math.ceil((width * texelBytes) / 256) * 256;
    const rows = height * samples;
    const buffer = this.keep(
      this.device.createBuffer({ size: bytesPerRow * rows, usage: USAGE.MAP_READ | USAGE.COPY_DST })
    );
    encoder.copyTextureToBuffer({ texture, aspect: copies ? aspect : 'all' }, { buffer, bytesPerRow }, [width, rows]);
    this.device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const padded = new Uint8Array(buffer.getMappedRange());
    const bytes = new Uint8Array(width * texelBytes * rows);
    for (let y = 0; y < rows; y++)
      bytes.set(padded.subarray(y * bytesPerRow, y * bytesPerRow + width * texelBytes), y * width * texelBytes);
    return { name, width, height, samples, texelBytes, bytes };
  }

  private expand(
    encoder: GPUCommandEncoder,
    { texture, aspect, samples, scalar }: Read,
    format: GPUTextureFormat,
    width: number,
    height: number
  ): GPUTexture {
    const key = `${scalar} ${samples}`;
    const module = (): GPUShaderModule => this.device.createShaderModule({ code: readerWgsl(scalar, samples) });
    const make = (code: GPUShaderModule): GPURenderPipeline =>
      this.device.createRenderPipeline({
        layout: 'auto',
        vertex: { module: code },
        fragment: { module: code, targets: [{ format }] },
      });
    const pipeline = this.readers.get(key) ?? make(module());
    this.readers.set(key, pipeline);
    const target = this.keep(
      this.device.createTexture({ size: [width, height], format, usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC })
    );
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      this.device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: texture.createView({ aspect }) }],
      })
    );
    pass.draw(3);
    pass.end();
    return target;
  }
}

/** Describes the first difference; undefined if there is none. */
export function difference(given: readonly Plane[], expected: readonly Plane[]): string | undefined {
  for (const [i, plane] of expected.entries()) {
    const { name, width, samples, texelBytes } = plane;
    const bytes = given[i]!.bytes;
    if (Buffer.compare(plane.bytes, bytes) === 0) continue;
    const at = plane.bytes.findIndex((byte, k) => byte !== bytes[k]);
    const texel = Math.floor(at / texelBytes);
    const row = Math.floor(texel / width);
    const differing = plane.bytes.reduce((sum, byte, k) => sum + Number(byte !== bytes[k]), 0);
    const hex = (all: Uint8Array): string =>
      Buffer.from(all.subarray(texel * texelBytes, (texel + 1) * texelBytes)).toString('hex');
    return (
      `${name}: pixel (${texel % width}, ${Math.floor(row / samples)}), `
      + `sample ${row % samples} is ${hex(bytes)}, not ${hex(plane.bytes)} (${differing} bytes differ)`
    );
  }
  return undefined;
}
