// Code shared by the pages of the gallery: matrices, a cube, and opening a device. Rotations are given by the tangent
// of half their angle, so that no engine's sin or cos affects a picture.

/** The environment of a page: a document, a worker, or Node. */
export interface Page {
  addCanvas(width: number, height: number): HTMLCanvasElement;
  /** Receives uncaptured errors. */
  failed(message: string): void;
  /** URL of a PNG. */
  readonly picture: string;
}

export type Matrix = readonly number[];
export type Vector = readonly [number, number, number];

export async function openDevice(page: Page): Promise<GPUDevice> {
  const device = await (await navigator.gpu.requestAdapter())!.requestDevice();
  device.onuncapturederror = ({ error }) => page.failed(error.message);
  return device;
}

export function contextOf(
  canvas: HTMLCanvasElement,
  device: GPUDevice
): { context: GPUCanvasContext; format: GPUTextureFormat } {
  const context = canvas.getContext('webgpu')!;
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device, format });
  return { context, format };
}

/** Waits for an animation frame. */
export const nextFrame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));

/** In column-major order. */
export function multiply(...matrices: readonly Matrix[]): Matrix {
  return matrices.reduce((a, b) =>
    Array.from({ length: 16 }, (_, i) => {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + (i % 4)]! * b[(i & 12) + k]!;
      return sum;
    })
  );
}

/** @param focus the distance at which half the picture's height is 1; depth ranges from 0 to 1 */
export function perspective(focus: number, aspect: number, near: number, far: number): Matrix {
  const scale = far / (near - far);
  return [focus / aspect, 0, 0, 0, 0, focus, 0, 0, 0, 0, scale, -1, 0, 0, near * scale, 0];
}

/** For a box around the view axis: `half` to each side, `far` deep. */
export const orthographic = (half: number, far: number): Matrix => [
  1 / half,
  0,
  0,
  0,
  0,
  1 / half,
  0,
  0,
  0,
  0,
  -1 / far,
  0,
  0,
  0,
  0,
  1,
];

export const translation = ([x, y, z]: Vector): Matrix => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
export const scaling = ([x, y, z]: Vector): Matrix => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1];

function turn(half: number): readonly [number, number] {
  const length = 1 + half * half;
  return [(1 - half * half) / length, (2 * half) / length];
}
export function turnX(half: number): Matrix {
  const [c, s] = turn(half);
  return [1, 0, 0, 0, 0, c, s, 0, 0, -s, c, 0, 0, 0, 0, 1];
}
export function turnY(half: number): Matrix {
  const [c, s] = turn(half);
  return [c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, 0, 0, 0, 1];
}

export function normalize([x, y, z]: Vector): Vector {
  const length = Math.sqrt(x * x + y * y + z * z);
  return [x / length, y / length, z / length];
}
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** From the world to an eye that looks at the origin; y is up. */
export function lookFrom(eye: Vector): Matrix {
  const back = normalize(eye);
  const right = normalize(cross([0, 1, 0], back));
  const up = cross(back, right);
  return [
    right[0],
    up[0],
    back[0],
    0,
    right[1],
    up[1],
    back[1],
    0,
    right[2],
    up[2],
    back[2],
    0,
    -dot(right, eye),
    -dot(up, eye),
    -dot(back, eye),
    1,
  ];
}

/** From -1 to 1: position, normal and texture coordinate of 24 vertices, and 36 indices. */
function cube(): { vertices: Float32Array; indices: Uint16Array } {
  const vertices: number[] = [];
  const indices: number[] = [];
  for (const [axis, side] of [
    [0, 1],
    [0, -1],
    [1, 1],
    [1, -1],
    [2, 1],
    [2, -1],
  ] as const) {
    const first = vertices.length / 8;
    for (const [u, v] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ] as const) {
      const position = [0, 0, 0];
      const normal = [0, 0, 0];
      position[axis] = normal[axis] = side;
      position[(axis + 1) % 3] = u * side;
      position[(axis + 2) % 3] = v;
      vertices.push(...position, ...normal, (u + 1) / 2, (1 - v) / 2);
    }
    indices.push(...[0, 1, 2, 0, 2, 3].map((corner) => first + corner));
  }
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices) };
}
/** Position and normal at locations 0 and 1, the texture coordinate at 2. */
export const CUBE_LAYOUT: GPUVertexBufferLayout = {
  arrayStride: 32,
  attributes: [
    { shaderLocation: 0, offset: 0, format: 'float32x3' },
    { shaderLocation: 1, offset: 12, format: 'float32x3' },
    { shaderLocation: 2, offset: 24, format: 'float32x2' },
  ],
};

export function bufferOf(
  device: GPUDevice,
  data: Float32Array | Uint16Array | Uint32Array,
  usage: GPUBufferUsageFlags
): GPUBuffer {
  const buffer = device.createBuffer({ size: data.byteLength, usage, mappedAtCreation: true });
  new Uint8Array(buffer.getMappedRange()).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  buffer.unmap();
  return buffer;
}
/** The cube's buffers. */
export function makeCube(device: GPUDevice): { vertices: GPUBuffer; indices: GPUBuffer } {
  const { vertices, indices } = cube();
  return {
    vertices: bufferOf(device, vertices, GPUBufferUsage.VERTEX),
    indices: bufferOf(device, indices, GPUBufferUsage.INDEX),
  };
}
/** A render target of the canvas's size. */
export const targetOf = (
  device: GPUDevice,
  { width, height }: HTMLCanvasElement,
  format: GPUTextureFormat,
  { sampleCount = 1, usage = 0 } = {}
): GPUTexture =>
  device.createTexture({
    size: [width, height],
    format,
    sampleCount,
    usage: usage | GPUTextureUsage.RENDER_ATTACHMENT,
  });
export const cleared = (view: GPUTextureView, clearValue: GPUColor): GPURenderPassColorAttachment => ({
  view,
  clearValue,
  loadOp: 'clear',
  storeOp: 'store',
});
export const clearedDepth = (texture: GPUTexture): GPURenderPassDepthStencilAttachment => ({
  view: texture.createView(),
  depthClearValue: 1,
  depthLoadOp: 'clear',
  depthStoreOp: 'store',
});
export const DEPTH: GPUDepthStencilState = { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' };

/** Copies a buffer to one that can be mapped, and returns its contents after all earlier work. */
export async function readNumbers(device: GPUDevice, from: GPUBuffer): Promise<Uint32Array> {
  const buffer = device.createBuffer({ size: from.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(from, 0, buffer, 0, from.size);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  return new Uint32Array(buffer.getMappedRange().slice(0));
}
