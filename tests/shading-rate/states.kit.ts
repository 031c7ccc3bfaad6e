// Draws scenes of states.ts on a device, with or without their rates, and reads back everything that passes leave.
import type { StatisticsDevice } from '../../src/index';
import type { Program, StateDraw, StatePass, StateScene } from './states';
import { GPUMapMode } from '../support/flags';

const USAGE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 } as const;
const BUFFER = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, VERTEX: 32, QUERY_RESOLVE: 512 } as const;
const WORDS = 9;
const VERTICES: GPUVertexBufferLayout = {
  arrayStride: WORDS * 4,
  attributes: [
    { shaderLocation: 0, offset: 0, format: 'float32x4' },
    { shaderLocation: 1, offset: 16, format: 'float32x4' },
    { shaderLocation: 2, offset: 32, format: 'uint32' },
  ],
};
type RatePass = GPURenderPassEncoder & { setShadingRate(rate: string, combiners?: object): void };

const isUint = (format: GPUTextureFormat): boolean => format.endsWith('uint');
const BODIES: Readonly<Record<Program, string>> = {
  flat: 'out.c = v.c;',
  steady: 'out.c = v.c + dpdx(v.c) + fwidth(v.c.yzwx);',
  facing: 'out.c = select(v.c, 1 - v.c, facing);',
  cut: 'if (v.c.x < 0.4) { discard; } out.c = v.c;',
  early: 'if (v.c.x < 0.4) { discard; } out.c = v.c.zyxw;',
  deep: 'out.c = v.c; out.z = v.c.y;',
  masked: 'out.c = v.c; out.m = u32(v.c.x * 65535);',
  sampled: 'out.c = v.c * f32(i % 3 + 1) / 3;',
  varies: 'out.c = fract(v.s + vec4f(v.k, v.p.zw) + dpdx(v.s) + dpdy(v.p.xyyx)) * select(0.5, 1.0, facing);',
  holed: 'if ((u32(v.p.x) * 5 + u32(v.p.y) * 3) % 7 < 2) { discard; } out.c = v.s;',
};

function codeOf(program: Program, formats: readonly GPUTextureFormat[], rated: boolean): string {
  const members = formats.map((format, i) => `@location(${i}) t${i}: ${isUint(format) ? 'vec4u' : 'vec4f'},`).join(' ');
  const values = formats.map((format, i) => {
    const value = `out.c.${'xyzwxyz'.slice(i % 4, (i % 4) + 4)}`;
    return isUint(format) ? `vec4u(${value} * 255)` : value;
  });
  return `enable shading_rate; enable multisample_storage_textures;
    struct V {
      @builtin(position) p: vec4f, @location(0) @interpolate(flat) c: vec4f, @location(1) s: vec4f,
      @location(2) @interpolate(linear, centroid) k: vec2f,
    }
    struct Rated {
      @builtin(position) p: vec4f, @location(0) @interpolate(flat) c: vec4f, @location(1) s: vec4f,
      @location(2) @interpolate(linear, centroid) k: vec2f, @builtin(shading_rate) rate: u32,
    }
    struct Result { c: vec4f, z: f32, m: u32 }
    struct Out {
      ${program === 'deep' ? '@builtin(frag_depth) z: f32,' : ''}
      ${program === 'masked' ? '@builtin(sample_mask) m: u32,' : ''} ${members}
    }
    @vertex fn vs(@location(0) p: vec4f, @location(1) c: vec4f, @location(2) rate: u32) -> ${rated ? 'Rated' : 'V'} {
      return ${rated ? 'Rated(p, c, c, p.xy, rate)' : 'V(p, c, c, p.xy)'};
    }
    ${program === 'early' ? '@early_depth_test' : ''} @fragment fn fs(
      v: V, @builtin(front_facing) facing: bool${program === 'sampled' ? ', @builtin(sample_index) i: u32' : ''}
    ) -> Out {
      var out: Result;
      ${BODIES[program]}
      return Out(${[
        ...(program === 'deep' ? ['out.z'] : []),
        ...(program === 'masked' ? ['out.m'] : []),
        ...values,
      ].join(', ')});
    }`;
}

const component = (
  srcFactor: GPUBlendFactor,
  dstFactor: GPUBlendFactor,
  operation: GPUBlendOperation = 'add'
): GPUBlendComponent => ({ srcFactor, dstFactor, operation });
const BLENDS: Readonly<Record<StateDraw['blend'], GPUBlendComponent | null>> = {
  none: null,
  over: component('src-alpha', 'one-minus-src-alpha'),
  add: component('one', 'one'),
  max: component('one', 'one', 'max'),
  constant: component('constant', 'src'),
};

/** Results of passes: a name and the bytes of each. */
type Left = ReadonlyMap<string, Uint8Array>;

/** Copies samples to pictures of 32-bit floats, side by side. */
const readingCode = (kind: string, samples: number): string => {
  const multisampled = samples > 1 ? 'multisampled_' : '';
  const type = kind === 'depth' ? `texture_depth_${multisampled}2d` : `texture_${multisampled}2d<${kind}>`;
  return `
  @group(0) @binding(0) var t: ${type};
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
  }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let at = vec2u(p.xy);
    let width = textureDimensions(t).x;
    return vec4f(textureLoad(t, vec2u(at.x % width, at.y), at.x / width));
  }`;
};

export class StatePainter {
  private readonly readers = new Map<string, GPURenderPipeline>();

  constructor(readonly device: StatisticsDevice) {}

  /** `rates`: whether the scene's rates apply. */
  async draw(scene: StateScene, rates: boolean): Promise<Left> {
    const { device } = this;
    const { width, height, samples, formats, depth } = scene;
    const size = [width, height];
    device.pushErrorScope('validation');
    const usage = USAGE.ATTACHMENT | USAGE.SAMPLED;
    const targets = formats.map((format) => device.createTexture({ size, sampleCount: samples, format, usage }));
    const resolved = formats.map((format) =>
      samples > 1 && !isUint(format) ? device.createTexture({ size, format, usage }) : null
    );
    const deep = depth && device.createTexture({ size, sampleCount: samples, format: depth, usage });
    const encoder = device.createCommandEncoder();
    const count = scene.passes.flatMap(({ draws }) => draws).length;
    const queries = device.createQuerySet({ type: 'occlusion', count });
    const answers = device.createBuffer({ size: count * 8, usage: BUFFER.QUERY_RESOLVE | BUFFER.COPY_SRC });
    let query = 0;
    scene.passes.forEach((pass, i) => {
      const encoded = encoder.beginRenderPass({
        colorAttachments: targets.map((view, k) => ({
          view,
          loadOp: i === 0 ? 'clear' : 'load',
          storeOp: 'store',
          ...(resolved[k] && { resolveTarget: resolved[k] }),
        })),
        ...(deep && { depthStencilAttachment: depthAttachment(deep, pass.readOnly, i === 0) }),
        occlusionQuerySet: queries,
        ...(rates && this.ratesOf(scene, pass)),
      } as GPURenderPassDescriptor) as RatePass;
      for (const draw of pass.draws) this.record(scene, pass, draw, { encoded, rates, query: query++ });
      encoded.end();
    });
    encoder.resolveQuerySet(queries, 0, count, answers, 0);
    const read = [
      ...targets.map((texture, i) => this.read(encoder, `target ${i}`, texture, isUint(formats[i]!) ? 'u32' : 'f32')),
      ...resolved.flatMap((texture, i) => (texture ? [this.read(encoder, `resolved ${i}`, texture, 'f32')] : [])),
      ...(deep && depth !== 'stencil8' ? [this.read(encoder, 'depth', deep, 'depth')] : []),
      ...(deep && depth!.includes('stencil') ? [this.read(encoder, 'stencil', deep, 'u32', 'stencil-only')] : []),
    ];
    const staging = device.createBuffer({ size: count * 8, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
    encoder.copyBufferToBuffer(answers, 0, staging, 0, count * 8);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    const left = new Map<string, Uint8Array>();
    for (const [name, buffer] of [...read, ['queries', staging] as const]) {
      await buffer.mapAsync(GPUMapMode.READ);
      left.set(name, new Uint8Array(buffer.getMappedRange().slice(0)));
      buffer.destroy();
    }
    for (const each of [...targets, ...resolved, deep, queries, answers]) each?.destroy();
    return left;
  }

  private ratesOf({ width, height }: StateScene, { depth, region }: StatePass): object {
    if (!region) return depth ? { shadingRates: { depth } } : {};
    const { blockSize, codes } = region;
    const size = [Math.ceil(width / blockSize), Math.ceil(height / blockSize)];
    // A level and a layer of a larger texture.
    const texture = this.device.createTexture({
      size: [size[0]! * 2 + 1, size[1]! * 2, 3],
      mipLevelCount: 2,
      format: 'r8uint',
      usage: USAGE.SAMPLED | USAGE.COPY_DST,
    });
    this.device.queue.writeTexture(
      { texture, mipLevel: 1, origin: [0, 0, 2] },
      Uint8Array.from(codes),
      { bytesPerRow: size[0]! },
      size
    );
    const view = texture.createView({ dimension: '2d', baseMipLevel: 1, mipLevelCount: 1, baseArrayLayer: 2 });
    return { shadingRates: { ...(depth && { depth }), region: { view, blockSize } } };
  }

  private record(
    scene: StateScene,
    { readOnly }: StatePass,
    draw: StateDraw,
    { encoded, rates, query }: { encoded: RatePass; rates: boolean; query: number }
  ): void {
    const { device } = this;
    const words = verticesOf(draw);
    const vertices = device.createBuffer({ size: words.byteLength, usage: BUFFER.VERTEX | BUFFER.COPY_DST });
    device.queue.writeBuffer(vertices, 0, words);
    encoded.setScissorRect(...draw.scissor);
    encoded.setStencilReference(draw.stencil.reference);
    encoded.setBlendConstant([0.25, draw.stencil.reference / 4, 0.75, 0.5]);
    if (rates) encoded.setShadingRate(draw.rate, draw.combiners);
    if (draw.query) encoded.beginOcclusionQuery(query);
    const pipeline = this.pipeline(scene, draw, rates, readOnly);
    const to = draw.bundle
      ? device.createRenderBundleEncoder({
          colorFormats: [...scene.formats],
          sampleCount: scene.samples,
          ...(scene.depth && { depthStencilFormat: scene.depth, depthReadOnly: readOnly, stencilReadOnly: readOnly }),
        })
      : encoded;
    to.setPipeline(pipeline);
    to.setVertexBuffer(0, vertices);
    to.draw(draw.vertices.length);
    if (draw.bundle) encoded.executeBundles([(to as GPURenderBundleEncoder).finish()]);
    if (draw.query) encoded.endOcclusionQuery();
  }

  private pipeline(
    { formats, samples, depth }: StateScene,
    draw: StateDraw,
    rates: boolean,
    readOnly: boolean
  ): GPURenderPipeline {
    const { topology, program, blend, writeMask, stencil, mask, alphaToCoverage, cullMode } = draw;
    const module = this.device.createShaderModule({ code: codeOf(program, formats, rates && draw.primitiveRates) });
    const color = BLENDS[blend];
    const { reference: _, writeMask: stencilWriteMask, ...face } = stencil;
    const hasDepth = depth !== null && depth !== 'stencil8';
    const hasStencil = depth !== null && depth.includes('stencil');
    return this.device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, buffers: [VERTICES] },
      primitive: { topology, cullMode },
      fragment: {
        module,
        targets: formats.map((format) => ({
          format,
          writeMask,
          ...(color && !isUint(format) && { blend: { color, alpha: color } }),
        })),
      },
      multisample: { count: samples, mask, alphaToCoverageEnabled: alphaToCoverage },
      ...(depth && {
        depthStencil: {
          format: depth,
          ...(hasStencil && {
            stencilFront: face,
            stencilBack: { ...face, passOp: 'increment-wrap' },
            stencilWriteMask: readOnly ? 0 : stencilWriteMask,
          }),
          depthCompare: hasDepth ? draw.compare : 'always',
          depthWriteEnabled: hasDepth && !readOnly && (draw.writesDepth || program === 'deep'),
          ...(hasDepth && topology.startsWith('triangle') && { depthBias: draw.depthBias }),
        } as const,
      }),
    });
  }

  private reader(kind: string, samples: number): GPURenderPipeline {
    const key = `${kind} ${samples}`;
    const made = this.readers.get(key);
    if (made) return made;
    const module = this.device.createShaderModule({ code: readingCode(kind, samples) });
    const pipeline = this.device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba32float' }] },
    });
    this.readers.set(key, pipeline);
    return pipeline;
  }

  private read(
    encoder: GPUCommandEncoder,
    name: string,
    texture: GPUTexture,
    kind: string,
    aspect: GPUTextureAspect = 'all'
  ): readonly [string, GPUBuffer] {
    const { device } = this;
    const { width, height, sampleCount } = texture;
    const size = [width * sampleCount, height];
    const bytesPerRow = Math.ceil((size[0]! * 16) / 256) * 256;
    const pipeline = this.reader(kind, sampleCount);
    const buffer = device.createBuffer({ size: bytesPerRow * height, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
    const picture = device.createTexture({ size, format: 'rgba32float', usage: USAGE.ATTACHMENT | USAGE.COPY_SRC });
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: picture, loadOp: 'clear', storeOp: 'store' }] });
    const view = texture.createView({ aspect: kind === 'depth' ? 'depth-only' : aspect });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: view }] })
    );
    pass.draw(3);
    pass.end();
    encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow }, size);
    return [name, buffer];
  }
}

function depthAttachment(view: GPUTexture, readOnly: boolean, isFirst: boolean): GPURenderPassDepthStencilAttachment {
  const hasDepth = view.format !== 'stencil8';
  const hasStencil = view.format.includes('stencil');
  const loadOp = isFirst ? 'clear' : 'load';
  const ops = { loadOp, storeOp: 'store' } as const;
  return {
    view: view.createView(),
    depthClearValue: 1,
    ...(hasDepth && (readOnly ? { depthReadOnly: true } : { depthLoadOp: ops.loadOp, depthStoreOp: ops.storeOp })),
    ...(hasStencil
      && (readOnly ? { stencilReadOnly: true } : { stencilLoadOp: ops.loadOp, stencilStoreOp: ops.storeOp })),
  };
}

function verticesOf({ vertices }: StateDraw): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(vertices.length * WORDS);
  const floats = new Float32Array(words.buffer);
  vertices.forEach(({ position, color, rate }, i) => {
    floats.set([...position, ...color], i * WORDS);
    words[i * WORDS + 8] = rate;
  });
  return words;
}
