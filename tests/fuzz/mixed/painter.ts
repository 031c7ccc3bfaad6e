// Draws mixed frames (frames.ts) repeatedly on one device, and reads back all results.
import type { StatisticsDevice } from '../../../src/index';
import type { Plane } from '../../render/oracle/immediate.draw';
import { COMPUTE, type ComputeKind } from './compute';
import type { Draw, Frame } from './frames';
import { hasDepth, hasStencil, isFloat, type Look } from './looks';
import { Pipelines, VERTEX_BYTES, type Made } from './pipelines';
import { Readers, Reading } from './reading';
import { BINDINGS, LISTED, resourcesOf, STRIDE, SUMS, type Resource } from './shader';
import { sinkBytes, SINK_BYTES } from './tables';
import {
  type Kept,
  MAP_LEVELS,
  MAP_SIDE,
  PAGE,
  type PassParts,
  type Piece,
  type Pieces,
  type Prepared,
  type Sinks,
  type Targets,
  loaderOf,
  texels,
} from './painter.parts';

const BUFFER = { COPY_SRC: 4, COPY_DST: 8, INDEX: 16, VERTEX: 32, STORAGE: 128, INDIRECT: 256, QUERY: 512 } as const;
const TEXTURE = { COPY_SRC: 1, COPY_DST: 2, BINDING: 4, STORAGE: 8, ATTACHMENT: 16 } as const;

/** Words of indirect arguments per draw call. */
const ARGUMENTS = 5;

export class Painter {
  readonly pipelines: Pipelines;
  private readonly readers: Readers;
  private readonly computes = new Map<ComputeKind, GPUComputePipeline>();
  private readonly map: GPUTexture;
  private readonly sampler: GPUSampler;
  /** Resources that are destroyed after the frame. */
  private passing: Kept[] = [];

  constructor(readonly device: StatisticsDevice) {
    this.pipelines = new Pipelines(device);
    this.readers = new Readers(device);
    const size = [MAP_SIDE, MAP_SIDE];
    const usage = TEXTURE.BINDING | TEXTURE.COPY_DST;
    this.map = device.createTexture({ size, mipLevelCount: MAP_LEVELS, format: 'rgba8unorm', usage });
    for (let mipLevel = 0; mipLevel < MAP_LEVELS; mipLevel++) {
      const side = MAP_SIDE >> mipLevel;
      const bytes = texels(mipLevel, 0, 0, side);
      const size = [side, side];
      device.queue.writeTexture({ texture: this.map, mipLevel }, bytes, { bytesPerRow: side * 4 }, size);
    }
    this.sampler = device.createSampler({
      magFilter: 'linear',
      minFilter: 'linear',
      mipmapFilter: 'linear',
      addressModeU: 'repeat',
      addressModeV: 'mirror-repeat',
    });
  }

  /** Returns the results of each of `times` repetitions, or a message if validation rejects the frame. */
  async draw(frame: Frame, times: number): Promise<readonly Plane[][] | string> {
    const { device } = this;
    const made = await Promise.all(frame.looks.map((look) => this.pipelines.of(look, frame.setup)));
    device.pushErrorScope('validation');
    const passes = frame.passes.map(({ draws }) => draws.flatMap((draw) => this.prepared(frame, draw, made)));
    const planes: Plane[][] = [];
    const readings: Reading[] = [];
    for (let i = 0; i < times; i++) {
      const reading = this.repeat(frame, passes);
      if (frame.waits) planes.push(await reading.planes());
      else readings.push(reading);
    }
    const refusal = device.popErrorScope();
    for (const reading of readings) planes.push(await reading.planes());
    for (const piece of this.passing) piece.destroy();
    this.passing = [];
    return (await refusal)?.message ?? planes;
  }

  private keep<T extends Kept>(made: T): T {
    this.passing.push(made);
    return made;
  }
  private buffer(size: number, usage: number): GPUBuffer {
    return this.keep(this.device.createBuffer({ size, usage }));
  }
  private filled(data: Uint8Array<ArrayBuffer>, usage: number): GPUBuffer {
    const buffer = this.buffer(Math.ceil(data.length / 4) * 4, usage | BUFFER.COPY_DST);
    this.device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  private prepared(frame: Frame, draw: Draw, all: readonly Made[]): Prepared[] {
    const made = all[draw.look]!;
    const { mesh, skip } = draw;
    if (made.pipeline === null) return [];
    const count = mesh.length * 3;
    const bytes = new Uint8Array((count + skip) * VERTEX_BYTES);
    const floats = new Float32Array(bytes.buffer);
    const words = new Uint32Array(bytes.buffer);
    mesh.flat().forEach((corner, i) => {
      const at = ((skip + i) * VERTEX_BYTES) / 4;
      const number = Math.floor(i / 3) * 5 + draw.look * 16 + 1;
      floats.set(corner, at);
      words[at + 4] = number;
      floats.set([((i * 5) % 8) / 8, ((i * 3) % 7) / 7], at + 5);
    });
    const order = Uint16Array.from({ length: skip + count + (count % 2) + (skip % 2) }, (_, i) =>
      Math.max(0, i - skip)
    );
    // Strips restart now and then.
    if (frame.looks[draw.look]!.vertex.topology === 'triangle-strip')
      for (let i = 4; i < count; i += 5) order[skip + i] = 0xffff;
    return [
      {
        draw,
        made,
        count,
        vertices: this.filled(bytes, BUFFER.VERTEX),
        indices: draw.isIndexed ? this.filled(new Uint8Array(order.buffer), BUFFER.INDEX) : null,
      },
    ];
  }

  private targets({ width, height, setup }: Frame): Targets {
    const make = (format: GPUTextureFormat): GPUTexture =>
      this.keep(
        this.device.createTexture({
          size: [width, height],
          format,
          sampleCount: setup.samples,
          usage: TEXTURE.ATTACHMENT | TEXTURE.BINDING,
        })
      );
    return { colors: setup.targets.map(make), depth: setup.depth && make(setup.depth) };
  }

  /** The bindings of the frame's shaders and compute passes. */
  private pieces(frame: Frame): Pieces {
    const names = new Set<Resource>(frame.looks.flatMap(resourcesOf));
    if (frame.computes && frame.passes.length > 1) names.add('words').add('sums');
    if (frame.passes.some(({ draws }) => draws.some(({ source }) => source === 'computed'))) names.add('sums');
    return new Map([...names].map((name) => [name, this.piece(name, frame)]));
  }
  private piece(name: Resource, { width, height, stream }: Frame): Piece {
    const { device } = this;
    const usage = BUFFER.STORAGE | BUFFER.COPY_SRC;
    const pixels = STRIDE * height;
    const size = [width, height];
    switch (name) {
      case 'words':
      case 'cells':
        return this.buffer(pixels * 4, usage);
      case 'pairs':
        return this.buffer(pixels * 8, usage);
      case 'sums':
        return this.buffer(SUMS * 4, usage);
      case 'list':
        return this.buffer((LISTED + 1) * 4, usage);
      case 'linear':
        return this.sampler;
      case 'map':
        return stream === null
          ? this.map
          : this.keep(
              device.createTexture({
                size: [MAP_SIDE, MAP_SIDE],
                mipLevelCount: MAP_LEVELS,
                format: 'rgba8unorm',
                usage: TEXTURE.BINDING,
                stream: {
                  pageSize: PAGE,
                  maxConcurrentLoads: stream.maxConcurrentLoads,
                  loadPage: loaderOf(stream.delays),
                },
              })
            );
      default:
        return this.keep(
          device.createTexture({
            size,
            sampleCount: name === 'surface' ? 4 : 1,
            format: 'r32uint',
            usage: TEXTURE.STORAGE | TEXTURE.BINDING,
          })
        );
    }
  }

  private group(pipeline: GPURenderPipeline, look: Look, pieces: Pieces): GPUBindGroup {
    const bound = (piece: Piece): GPUBindingResource =>
      'createView' in piece ? piece.createView() : 'size' in piece ? { buffer: piece } : piece;
    return this.device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: resourcesOf(look).map((name) => ({ binding: BINDINGS[name], resource: bound(pieces.get(name)!) })),
    });
  }

  /** Draws the frame once, and encodes its readback. */
  private repeat(frame: Frame, passes: readonly (readonly Prepared[])[]): Reading {
    const { device } = this;
    const encoder = device.createCommandEncoder();
    const reading = new Reading(this.readers, encoder);
    const targets = this.targets(frame);
    const pieces = this.pieces(frame);
    frame.passes.forEach((pass, i) => {
      const draws = passes[i]!;
      const buffer = (name: Resource): GPUBuffer => pieces.get(name) as GPUBuffer;
      const isCalled = draws.some(({ draw }) => draw.source !== 'call');
      const words = Uint32Array.from(draws.flatMap(argumentsOf));
      const called = isCalled ? this.filled(new Uint8Array(words.buffer), BUFFER.INDIRECT | BUFFER.STORAGE) : null;
      if (frame.computes && i > 0) this.compute(encoder, 'hash', buffer('words'), buffer('sums'));
      if (called && draws.some(({ draw }) => draw.source === 'computed'))
        this.compute(encoder, 'arguments', buffer('sums'), called, draws);
      this.pass(encoder, { frame, pass, draws, targets, pieces, called, reading, number: i });
    });
    this.read(reading, targets, pieces);
    reading.end();
    device.queue.submit([encoder.finish()]);
    return reading;
  }

  private compute(
    encoder: GPUCommandEncoder,
    kind: ComputeKind,
    source: GPUBuffer,
    result: GPUBuffer,
    draws: readonly Prepared[] = []
  ): void {
    const { device } = this;
    const { code, words } = COMPUTE[kind];
    const pipeline =
      this.computes.get(kind)
      ?? device.createComputePipeline({ layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
    this.computes.set(kind, pipeline);
    const chosen = this.filled(
      new Uint8Array(Uint32Array.from({ length: 32 }, (_, i) => (draws[i]?.draw.source === 'computed' ? 1 : 0)).buffer),
      BUFFER.STORAGE
    );
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [source, result, ...(kind === 'arguments' ? [chosen] : [])].map((buffer, binding) => ({
          binding,
          resource: { buffer },
        })),
      })
    );
    pass.dispatchWorkgroups(Math.ceil(kind === 'hash' ? source.size / 4 / words : draws.length / words));
    pass.end();
  }

  private read(reading: Reading, { colors, depth }: Targets, pieces: Pieces): void {
    colors.forEach((texture, i) => reading.texture(`target ${i}`, texture));
    if (depth && hasDepth(depth.format)) reading.texture('depth', depth, 'depth-only');
    if (depth && hasStencil(depth.format)) reading.texture('stencil', depth, 'stencil-only');
    for (const [name, piece] of pieces) {
      if (name === 'image' || name === 'surface') reading.texture(name, piece as GPUTexture);
      else if (name !== 'map' && name !== 'linear') reading.words(name, piece as GPUBuffer);
    }
  }

  private pass(encoder: GPUCommandEncoder, given: PassParts): void {
    const { frame, pass, draws, targets, number, reading } = given;
    const { device } = this;
    const { setup } = frame;
    const asked = draws.filter(({ draw }) => draw.isAsked && !draw.isBundled).length;
    const queries = asked > 0 ? this.keep(device.createQuerySet({ type: 'occlusion', count: asked })) : null;
    const render = encoder.beginRenderPass({
      colorAttachments: targets.colors.map((texture) => ({
        view: texture.createView(),
        loadOp: pass.clears ? 'clear' : 'load',
        storeOp: 'store',
        clearValue: isFloat(texture.format) ? [0.25, 0.5, 0.75, 1] : [3, 5, 7, 9],
      })),
      ...(targets.depth && {
        depthStencilAttachment: {
          view: targets.depth.createView(),
          ...(hasDepth(setup.depth)
            && ({
              depthLoadOp: pass.clears ? 'clear' : 'load',
              depthStoreOp: 'store',
              depthClearValue: 0.75,
            } as const)),
          ...(hasStencil(setup.depth)
            && ({ stencilLoadOp: pass.clears ? 'clear' : 'load', stencilStoreOp: 'store' } as const)),
        },
      }),
      ...(queries && { occlusionQuerySet: queries }),
      ...((pass.table || pass.hasRegion) && {
        shadingRates: {
          ...(pass.table && { depth: pass.table }),
          ...(pass.hasRegion && { region: { view: this.region(frame), blockSize: 8 as const } }),
        },
      }),
    });
    const sinks = new Map(
      draws.flatMap((one) => {
        const room = sinkBytes(frame.looks[one.draw.look]!.vertex, one.draw.mesh.length, one.draw.instances);
        const usage = BUFFER.STORAGE | BUFFER.COPY_SRC;
        return room === 0
          ? []
          : [[one, { vertices: this.buffer(room, usage), counts: this.buffer(16, usage) }] as const];
      })
    );
    this.draws(render, { ...given, sinks });
    render.end();
    if (queries) {
      const results = this.buffer(asked * 8, BUFFER.QUERY | BUFFER.COPY_SRC);
      encoder.resolveQuerySet(queries, 0, asked, results, 0);
      reading.words(`queries of pass ${number}`, results);
    }
    for (const { vertices, counts } of sinks.values()) {
      reading.words(`counts of pass ${number}`, counts);
      reading.words(`vertices of pass ${number}`, vertices, SINK_BYTES);
    }
  }

  private draws(render: GPURenderPassEncoder, given: PassParts & Sinks): void {
    const { frame, pass, draws } = given;
    const { width, height } = frame;
    let queries = 0;
    let first = 0;
    for (const one of draws) {
      const { draw } = one;
      const [x, y, w, h] = draw.viewport ?? [0, 0, 1, 1];
      const look = frame.looks[draw.look]!;
      // Stages of a modular pipeline choose among viewports.
      if (pass.hasViews && look.vertex.slots)
        render.setViewports([
          { x: 0, y: 0, width, height },
          { x: 0, y: 0, width: width / 2, height },
          { x: 1, y: 2, width, height },
        ]);
      else render.setViewport(x * width, y * height, w * width, h * height, 0, 1);
      const [left, top, across, down] = (draw.scissor ?? [0, 0, 1, 1]).map((part, i) =>
        Math.floor(part * (i % 2 ? height : width))
      );
      render.setScissorRect(left!, top!, across!, down!);
      render.setBlendConstant([0.5, 0.25, 0.75, 0.5]);
      render.setStencilReference(draw.look + 1);
      render.setProcessingOrder('pixel', draw.isIndependent ? 'independent' : 'received');
      if (draw.rate) render.setShadingRate(draw.rate.rate, draw.rate.combiners);
      else render.setShadingRate('1x1', {});
      const isAsked = draw.isAsked && !draw.isBundled;
      if (isAsked) render.beginOcclusionQuery(queries++);
      if (draw.isBundled) render.executeBundles([this.bundle(frame, one, first, given)]);
      else this.one(render, frame, one, first, given);
      if (isAsked) render.endOcclusionQuery();
      first += ARGUMENTS * 4;
    }
  }

  private bundle(frame: Frame, one: Prepared, first: number, given: PassParts & Sinks): GPURenderBundle {
    const { samples, targets, depth } = frame.setup;
    const encoder = this.device.createRenderBundleEncoder({
      colorFormats: [...targets],
      sampleCount: samples,
      ...(depth && { depthStencilFormat: depth }),
    });
    this.one(encoder, frame, one, first, given);
    return encoder.finish();
  }

  /** `first`: the offset of its indirect arguments. */
  private one(
    pass: GPURenderPassEncoder | GPURenderBundleEncoder,
    frame: Frame,
    one: Prepared,
    first: number,
    { pieces, called, sinks }: PassParts & Sinks
  ): void {
    const { draw, made, vertices, indices, count } = one;
    const sink = sinks.get(one);
    const look = frame.looks[draw.look]!;
    const { instances, skip, source } = draw;
    pass.setPipeline(made.pipeline!);
    if (resourcesOf(look).length > 0) pass.setBindGroup(0, this.group(made.pipeline!, look, pieces));
    pass.setVertexBuffer(0, vertices);
    draw.enabled?.forEach((enabled, slot) => {
      for (const stage of made.slots[slot]!) pass.setStageEnabled(stage, enabled);
    });
    if (sink) pass.setSinkBuffer(sink.vertices, 0, undefined, sink.counts, 0, 1);
    if (indices) pass.setIndexBuffer(indices, 'uint16');
    if (source !== 'call') {
      if (indices) pass.drawIndexedIndirect(called!, first);
      else pass.drawIndirect(called!, first);
    } else if (indices) pass.drawIndexed(count, instances, skip, skip, 0);
    else pass.draw(count, instances, skip, 0);
  }

  private region({ width, height }: Frame): GPUTexture {
    const size: [number, number] = [Math.ceil(width / 8), Math.ceil(height / 8)];
    const usage = TEXTURE.BINDING | TEXTURE.COPY_DST;
    const texture = this.keep(this.device.createTexture({ size, format: 'r8uint', usage }));
    const codes = Uint8Array.from({ length: size[0] * size[1] }, (_, i) => [0, 5, 1, 10, 4, 9, 6][(i * 5) % 7]!);
    this.device.queue.writeTexture({ texture }, codes, { bytesPerRow: size[0] }, size);
    return texture;
  }
}

function argumentsOf({ draw: { instances, skip }, count, indices }: Prepared): number[] {
  return indices ? [count, instances, skip, skip, 0] : [count, instances, skip, 0, 0];
}
