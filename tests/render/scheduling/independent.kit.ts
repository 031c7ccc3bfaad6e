// Layers of rectangles whose fragments may be processed in any order. They are drawn, and simulated in TypeScript with
// all results that a pixel may have. No blend operation rounds these values.
import type { CreateOptions } from '../../support/options';
import { openBuiltWith } from '../../images/open';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../../support/flags';

type Order = 'received' | 'independent';
const SIZE = 128;

export interface Layer {
  /** First pixel and extent. */
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  /** Red, green, blue, in sixteenths. */
  readonly color: readonly [number, number, number];
  /** In 1/64. */
  readonly depth: number;
  readonly compare: 'less' | 'always';
  readonly writesDepth: boolean;
  /** Whether it blends with alpha one half. */
  readonly blends: boolean;
  readonly writeMask: number;
  /** Whether it discards every fourth pixel of a row. */
  readonly hasHoles: boolean;
  /** Whether it writes `frag_depth`, with a different depth in every fourth column. */
  readonly hasDepth: boolean;
  /** Layers of different materials use different pipelines. */
  readonly material: number;
}
export const ALL = 15;

const CODE = `
  struct Layer { @location(0) rect: vec4f, @location(1) color: vec4f, @location(2) depth: f32 }
  struct Out {
    @builtin(position) p: vec4f, @location(0) @interpolate(flat) color: vec4f,
      @location(1) @interpolate(flat) depth: f32
  }
  override material = 0u;
  @vertex fn vertex(@builtin(vertex_index) i: u32, layer: Layer) -> Out {
    let at = (layer.rect.xy + vec2f(f32(i & 1), f32(i >> 1)) * layer.rect.zw) * ${2 / SIZE};
    return Out(vec4f(at.x - 1, 1 - at.y, layer.depth, 1), layer.color, layer.depth);
  }
  struct Deep { @location(0) color: vec4f, @builtin(frag_depth) depth: f32 }
  fn isHole(p: vec4f) -> bool { return (u32(p.x) + u32(p.y) + material) % 4 == 0; }
  fn deep(in: Out) -> Deep { return Deep(in.color, in.depth + f32(u32(in.p.x) / 4 % 2) / 64); }
  @fragment fn plain(in: Out) -> @location(0) vec4f { return in.color; }
  @fragment fn holes(in: Out) -> @location(0) vec4f {
    if (isHole(in.p)) { discard; }
    return in.color;
  }
  @fragment fn withDepth(in: Out) -> Deep { return deep(in); }
  @fragment fn holesWithDepth(in: Out) -> Deep {
    if (isHole(in.p)) { discard; }
    return deep(in);
  }`;

const HALF: GPUBlendComponent = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' };
const CLEAR = [0.25, 0.5, 0.75, 1];
const FAR = 63 / 64;

export const open = (options: CreateOptions): Promise<GPUDevice> => openBuiltWith(['processing-order'], options);

function pipelineOf(device: GPUDevice, module: GPUShaderModule, layer: Layer): GPURenderPipeline {
  const { compare, writesDepth, blends, writeMask, hasHoles, hasDepth, material } = layer;
  const entryPoint = hasHoles ? (hasDepth ? 'holesWithDepth' : 'holes') : hasDepth ? 'withDepth' : 'plain';
  return device.createRenderPipeline({
    layout: 'auto',
    primitive: { topology: 'triangle-strip' },
    vertex: {
      module,
      buffers: [
        {
          arrayStride: 36,
          stepMode: 'instance',
          attributes: [
            { shaderLocation: 0, offset: 0, format: 'float32x4' },
            { shaderLocation: 1, offset: 16, format: 'float32x4' },
            { shaderLocation: 2, offset: 32, format: 'float32' },
          ],
        },
      ],
    },
    fragment: {
      module,
      entryPoint,
      ...(hasHoles ? { constants: { material } } : {}),
      targets: [{ format: 'rgba16float', writeMask, ...(blends ? { blend: { color: HALF, alpha: HALF } } : {}) }],
    },
    depthStencil: { format: 'depth32float', depthCompare: compare, depthWriteEnabled: writesDepth },
  });
}

/** Red, green, blue, alpha and depth per pixel. */
export type Picture = readonly (readonly number[])[];

/** Draws the layers, one draw call each. */
export async function draw(device: GPUDevice, layers: readonly Layer[], order: Order): Promise<Picture> {
  const size = [SIZE, SIZE];
  const color = device.createTexture({
    size,
    format: 'rgba16float',
    usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const depth = device.createTexture({
    size,
    format: 'depth32float',
    usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const vertices = device.createBuffer({
    size: layers.length * 36,
    usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(
    vertices,
    0,
    new Float32Array(
      layers.flatMap(({ x, y, w, h, color: rgb, depth: z }) => [
        x,
        y,
        w,
        h,
        ...rgb.map((part) => part / 16),
        0.5,
        z / 64,
      ])
    )
  );
  const encoder = device.createCommandEncoder();
  const module = device.createShaderModule({ code: CODE });
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: color.createView(), loadOp: 'clear', storeOp: 'store', clearValue: CLEAR }],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'store',
      depthClearValue: FAR,
    },
  }) as GPURenderPassEncoder & { setProcessingOrder(type: string, order: Order): void };
  pass.setProcessingOrder('pixel', order);
  pass.setVertexBuffer(0, vertices);
  const pipelines = new Map<string, GPURenderPipeline>();
  layers.forEach((layer, i) => {
    const { compare, writesDepth, blends, writeMask, hasHoles, hasDepth, material } = layer;
    const key = String([compare, writesDepth, blends, writeMask, hasHoles, hasDepth, material]);
    const pipeline = pipelines.get(key) ?? pipelineOf(device, module, layer);
    pipelines.set(key, pipeline);
    pass.setPipeline(pipeline);
    pass.draw(4, 1, 0, i);
  });
  pass.end();
  const read = [
    { texture: color, texelBytes: 8 },
    { texture: depth, texelBytes: 4 },
  ].map(({ texture, texelBytes }) => {
    const buffer = device.createBuffer({
      size: SIZE * SIZE * texelBytes,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: SIZE * texelBytes }, size);
    return buffer;
  });
  device.queue.submit([encoder.finish()]);
  await Promise.all(read.map((buffer) => buffer.mapAsync(GPUMapMode.READ)));
  const halves = new Uint16Array(read[0]!.getMappedRange());
  const depths = new Float32Array(read[1]!.getMappedRange());
  const picture = Array.from(depths, (z, i) => [...Array.from(halves.subarray(i * 4, i * 4 + 4), numberOf), z]);
  for (const used of [color, depth, vertices, ...read]) used.destroy();
  return picture;
}

/** Decodes a non-negative half-precision float. */
const numberOf = (half: number): number =>
  half < 1024 ? half * 2 ** -24 : (1024 + (half % 1024)) * 2 ** ((half >> 10) - 25);

// ── Possible results of a pixel ──

/** A layer at a pixel that it does not discard, with its depth there. */
interface Fragment {
  readonly layer: Layer;
  readonly z: number;
}

export function fragmentsAt(layers: readonly Layer[], pixel: number): Fragment[] {
  const x = pixel % SIZE;
  const y = Math.floor(pixel / SIZE);
  return layers.flatMap((layer) => {
    const isInside = x >= layer.x && x < layer.x + layer.w && y >= layer.y && y < layer.y + layer.h;
    if (!isInside || (layer.hasHoles && (x + y + layer.material) % 4 === 0)) return [];
    return [{ layer, z: (layer.depth + (layer.hasDepth ? Math.floor(x / 4) % 2 : 0)) / 64 }];
  });
}

/** Visibility is known before shading, so it is decided in the order of draw calls. */
const isOpaque = ({ blends, writeMask, hasHoles, hasDepth }: Layer): boolean =>
  !blends && writeMask === ALL && !hasHoles && !hasDepth;
/** The order between such layers has no effect. */
export const isStrict = (layer: Layer): boolean => isOpaque(layer) && layer.compare === 'less' && layer.writesDepth;
/** Its depth is tested after the shader. */
const isLate = ({ hasHoles, hasDepth }: Layer): boolean => hasHoles || hasDepth;
/** Writes depth before the shader, and does not blend. */
const keepsPlace = (layer: Layer): boolean => !isOpaque(layer) && !isLate(layer) && layer.writesDepth && !layer.blends;

interface State {
  /** Bit masks of fragments: those that have been tested, and those of them whose color has not been written yet. */
  readonly tested: number;
  readonly waiting: number;
  readonly pixel: readonly number[];
}

function test({ tested, waiting, pixel }: State, { layer, z }: Fragment, bit: number): State {
  const next = { tested: tested | bit, waiting, pixel };
  if (layer.compare === 'less' && !(z < pixel[4]!)) return next;
  const stored = { ...next, pixel: layer.writesDepth ? [...pixel.slice(0, 4), z] : pixel };
  return isOpaque(layer) || isLate(layer) || keepsPlace(layer)
    ? write(stored, layer, 0)
    : { ...stored, waiting: waiting | bit };
}

function write({ tested, waiting, pixel }: State, layer: Layer, bit: number): State {
  const source = [...layer.color.map((part) => part / 16), 0.5];
  return {
    tested,
    waiting: waiting & ~bit,
    pixel: pixel.map((there, k) => {
      if (k === 4 || !((layer.writeMask >> k) & 1)) return there;
      return layer.blends ? (source[k]! + there) / 2 : source[k]!;
    }),
  };
}

const START: State = { tested: 0, waiting: 0, pixel: [...CLEAR, FAR] };

/** The result when each fragment takes effect after all earlier ones. */
export const received = (fragments: readonly Fragment[]): string =>
  fragments
    .reduce((state, fragment, i) => {
      const after = test(state, fragment, 1 << i);
      return after.waiting ? write(after, fragment.layer, 1 << i) : after;
    }, START)
    .pixel.join();

/**
 * All results when fragments may overtake each other. Early depth tests happen in the order of draw calls. Late depth
 * tests happen in any order among themselves, followed by their writes.
 */
export function independent(fragments: readonly Fragment[]): ReadonlySet<string> {
  const results = new Set<string>();
  const seen = new Set<string>();
  const all = (1 << fragments.length) - 1;
  const visit = (state: State): void => {
    const { tested, waiting, pixel } = state;
    const key = `${tested} ${waiting} ${pixel.join()}`;
    if (seen.has(key)) return;
    seen.add(key);
    if (tested === all && waiting === 0) results.add(pixel.join());
    fragments.forEach((fragment, i) => {
      const bit = 1 << i;
      const before = bit - 1;
      if (waiting & bit) visit(write(state, fragment.layer, bit));
      if (tested & bit) return;
      const keeps = fragments
        .slice(0, i)
        .some(
          ({ layer }, k) => !((tested >> k) & 1) && (keepsPlace(layer) || !isLate(layer) || !isLate(fragment.layer))
        );
      if (keeps || (keepsPlace(fragment.layer) && waiting & before)) return;
      visit(test(state, fragment, bit));
    });
  };
  visit(START);
  return results;
}
