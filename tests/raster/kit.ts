// Passes, draw calls and triangles in the form that the pixel side reads, written directly into a kernel's memory.
// Shaders are JavaScript functions called through the kernel's function table. No geometry kernel and no interpreter
// takes part.
import { PROGRAM_FLAG_DERIVATIVES } from '../../assembly/layout/program/program-codes';
import { RATE_PIXEL } from '../../assembly/layout/program/stage-codes';
import { COMPARE_ALWAYS } from '../../assembly/layout/texture/texture-codes';
import { TRI_FLAG_FRONT } from '../../assembly/layout/pass/triangle-codes';
import { Draw, Program, Stage, StencilFace, Target, Triangle, TriangleEdge, Warp } from '../../build/layout';
import { instantiate, type KernelFunctions, type KernelName } from '../support/kernel';

export type { KernelName };

/** A kernel build with its own memory. */
export class PixelKernel {
  readonly memory = new WebAssembly.Memory({ initial: 512, maximum: 65536, shared: true });
  readonly call: KernelFunctions;
  private readonly table: WebAssembly.Table;
  private top: number;
  /** All of the memory, which only alloc() grows. */
  private view = new DataView(this.memory.buffer);

  constructor(name: KernelName) {
    const { call, table } = instantiate(name, this.memory, () => 0);
    this.call = call;
    this.table = table;
    this.top = this.call.heapBase();
  }

  /** Frees everything that was allocated. */
  reset(): void {
    this.top = this.call.heapBase();
  }

  alloc(bytes: number): number {
    const address = Math.ceil(this.top / 64) * 64;
    this.top = address + bytes;
    const { byteLength } = this.view;
    if (this.top > byteLength) {
      this.memory.grow(Math.ceil((this.top - byteLength) / 65536));
      this.view = new DataView(this.memory.buffer);
    }
    // In shared memory, V8 fills element by element. What follows the allocation in its last word is free.
    new BigUint64Array(this.memory.buffer, address, Math.ceil(bytes / 8)).fill(0n);
    return address;
  }

  /** Puts a shader into the function table; returns its slot. */
  shader(run: (warp: number) => number): number {
    // (module (import "e" "f" (func (param i32) (result i32))) (export "f" (func 0)))
    const wrapper = new Uint8Array([
      0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 2, 7, 1, 1, 101, 1, 102, 0, 0, 7, 5, 1, 1, 102, 0, 0,
    ]);
    const wrapped = new WebAssembly.Instance(new WebAssembly.Module(wrapper), { e: { f: run } }).exports.f;
    const slot = this.table.grow(1);
    this.table.set(slot, wrapped);
    return slot;
  }

  i32(address: number, value: number): void {
    this.view.setInt32(address, value, true);
  }
  f32(address: number, value: number): void {
    this.view.setFloat32(address, value, true);
  }
  readI32(address: number): number {
    return this.view.getInt32(address, true);
  }
  readF32(address: number): number {
    return this.view.getFloat32(address, true);
  }
  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.view.buffer, address, length);
  }
}

/** The order of layout/tile/tile.ts, implemented independently. */
export function pixelIndex(x: number, y: number): number {
  const block = Math.floor(y / 8) * 8 + Math.floor(x / 8);
  const quad = Math.floor((y % 8) / 2) * 4 + Math.floor((x % 8) / 2);
  return (block * 16 + quad) * 4 + (y % 2) * 2 + (x % 2);
}

export interface Stencil {
  compare: number;
  fail?: number;
  depthFail?: number;
  pass?: number;
}
export interface Blend {
  op: number;
  src: number;
  dst: number;
  alphaOp: number;
  alphaSrc: number;
  alphaDst: number;
}
interface DrawState {
  flags?: number;
  /** RATE_*. */
  rate?: number;
  compare?: number;
  write?: boolean;
  stencil?: { front: Stencil; back: Stencil; readMask: number; writeMask: number; reference: number };
  sampleMask?: number;
  /** Perspective center, centroid, sample; linear center, centroid, sample; flat. */
  groups?: readonly number[];
  targets?: readonly { format: number; blend?: Blend; writeMask?: number; registers: readonly number[] }[];
  blendConstant?: readonly number[];
  depthOnly?: boolean;
  registers?: Partial<
    Record<'x' | 'y' | 'z' | 'w' | 'facing' | 'sampleIndex' | 'maskIn' | 'fragDepth' | 'maskOut' | 'rate', number>
  >;
  derivatives?: boolean;
  shader?: (warp: number) => number;
}

/**
 * A DRAW record. Without `shader`, the program leaves its registers unchanged, so outputs that name inputs pass them
 * on.
 */
export function makeDraw(k: PixelKernel, state: DrawState): number {
  const draw = k.alloc(Draw.bytes);
  const set = (offset: number, value: number): void => k.i32(draw + offset, value);
  const groups = state.groups ?? [0, 0, 0, 0, 0, 0, 0];
  if (!state.depthOnly) {
    const program = k.alloc(Program.bytes);
    k.i32(program + Program.slot, k.shader(state.shader ?? (() => 0)));
    if (state.derivatives) k.i32(program + Program.flags, PROGRAM_FLAG_DERIVATIVES);
    set(Draw.fragment + Stage.program, program);
  }
  set(Draw.flags, state.flags ?? 0);
  set(Draw.fragment + Stage.rate, state.rate ?? RATE_PIXEL);
  set(
    Draw.varyingCount,
    groups.reduce((sum, n) => sum + n, 0)
  );
  groups.forEach((n, i) => set(Draw.varyings + 4 * i, n));
  set(Draw.depthCompare, state.compare ?? COMPARE_ALWAYS);
  set(Draw.depthWrite, state.write ? 1 : 0);
  set(Draw.sampleMask, state.sampleMask ?? -1);
  if (state.stencil) {
    const { front, back, readMask, writeMask, reference } = state.stencil;
    for (const [offset, face] of [
      [Draw.stencilFront, front],
      [Draw.stencilBack, back],
    ] as const) {
      set(offset + StencilFace.compare, face.compare);
      set(offset + StencilFace.fail, face.fail ?? 0);
      set(offset + StencilFace.depthFail, face.depthFail ?? 0);
      set(offset + StencilFace.pass, face.pass ?? 0);
    }
    set(Draw.stencilReadMask, readMask);
    set(Draw.stencilWriteMask, writeMask);
    set(Draw.stencilReference, reference);
  }
  const registers = state.registers ?? {};
  const names = ['x', 'y', 'z', 'w', 'facing', 'sampleIndex', 'maskIn', 'fragDepth', 'maskOut', 'rate'] as const;
  const offsets = [
    Draw.fragmentPositionX,
    Draw.fragmentPositionY,
    Draw.fragmentPositionZ,
    Draw.fragmentPositionW,
    Draw.frontFacingRegister,
    Draw.sampleIndexRegister,
    Draw.sampleMaskInRegister,
    Draw.fragDepthRegister,
    Draw.sampleMaskOutRegister,
    Draw.shadingRateRegister,
  ];
  names.forEach((name, i) => set(offsets[i], registers[name] ?? -1));
  set(Draw.targetCount, state.targets?.length ?? 0);
  state.blendConstant?.forEach((value, i) => k.f32(draw + Draw.blendConstant + 4 * i, value));
  state.targets?.forEach((target, i) => {
    const at = Draw.targets + i * Target.bytes;
    set(at + Target.format, target.format);
    set(at + Target.writeMask, target.writeMask ?? 15);
    for (let c = 0; c < 4; c++) set(at + Target.registers + 4 * c, target.registers[c] ?? -1);
    if (!target.blend) return k.call.prepareTarget(draw + at);
    const { op, src, dst, alphaOp, alphaSrc, alphaDst } = target.blend;
    set(at + Target.blend, 1);
    [op, src, dst, alphaOp, alphaSrc, alphaDst].forEach((value, j) => set(at + Target.colorOp + 4 * j, value));
    k.call.prepareTarget(draw + at);
  });
  return draw;
}

export interface Vertex {
  x: number;
  y: number;
}
export type Plane = readonly [c: number, ddx: number, ddy: number];
interface TriangleShape {
  vertices: readonly [Vertex, Vertex, Vertex];
  z?: Plane;
  w?: Plane;
  planes?: readonly (Plane | { bits: number })[];
  back?: boolean;
  box?: readonly [number, number, number, number];
}

/** Edges A, B, C of a triangle in 24.8 fixed point, inside ≥ 0, top-left rule in C; undefined for a degenerate one. */
export function edgesOf(vertices: readonly [Vertex, Vertex, Vertex]): [number, number, number][] | undefined {
  let points = vertices.map(({ x, y }) => [Math.round(x * 256), Math.round(y * 256)]);
  const area =
    (points[1][0] - points[0][0]) * (points[2][1] - points[0][1])
    - (points[1][1] - points[0][1]) * (points[2][0] - points[0][0]);
  if (area === 0) return undefined;
  if (area < 0) points = [points[0], points[2], points[1]];
  return points.map(([x0, y0], i) => {
    const [x1, y1] = points[(i + 1) % 3];
    const a = y0 - y1;
    const b = x1 - x0;
    const topLeft = a > 0 || (a === 0 && b > 0);
    return [a, b, -(a * x0 + b * y0) - (topLeft ? 0 : 1)];
  });
}

/** Writes a TRIANGLE record; 0 for a degenerate triangle. */
export function makeTriangle(k: PixelKernel, draw: number, shape: TriangleShape): number {
  const edges = edgesOf(shape.vertices);
  if (!edges) return 0;
  const varyings = (k.readI32(draw + Draw.varyingCount) + 3) & ~3;
  const triangle = k.alloc(Triangle.planes + varyings * 12);
  const xs = shape.vertices.map((v) => Math.round(v.x * 256) / 256);
  const ys = shape.vertices.map((v) => Math.round(v.y * 256) / 256);
  const box = shape.box ?? [
    Math.floor(Math.min(...xs)),
    Math.floor(Math.min(...ys)),
    Math.ceil(Math.max(...xs)),
    Math.ceil(Math.max(...ys)),
  ];
  k.f32(triangle + Triangle.near, -Infinity);
  k.f32(triangle + Triangle.far, Infinity);
  k.i32(triangle + Triangle.draw, draw);
  k.i32(triangle + Triangle.flags, shape.back ? 0 : TRI_FLAG_FRONT);
  [Triangle.minX, Triangle.minY, Triangle.maxX, Triangle.maxY].forEach((offset, i) => k.i32(triangle + offset, box[i]));
  k.f32(triangle + Triangle.x0, xs[0]);
  k.f32(triangle + Triangle.y0, ys[0]);
  const view = new DataView(k.memory.buffer);
  edges.forEach(([a, b, c], i) => {
    const at = triangle + Triangle.edges + i * TriangleEdge.bytes;
    view.setInt32(at + TriangleEdge.a, a, true);
    view.setInt32(at + TriangleEdge.b, b, true);
    view.setBigInt64(at + TriangleEdge.c, BigInt(c), true);
  });
  (shape.z ?? [0.5, 0, 0]).forEach((value, i) => k.f32(triangle + Triangle.z + 4 * i, value));
  (shape.w ?? [1, 0, 0]).forEach((value, i) => k.f32(triangle + Triangle.w + 4 * i, value));
  k.f32(triangle + Triangle.zMin, 0);
  k.f32(triangle + Triangle.zMax, 1);
  shape.planes?.forEach((plane, i) => {
    const at = triangle + Triangle.planes + 4 * i;
    if ('bits' in plane) k.i32(at, plane.bits);
    else plane.forEach((value, j) => k.f32(at + j * varyings * 4, value));
  });
  return triangle;
}

const SAMPLES = [
  [6, 2],
  [14, 6],
  [2, 10],
  [10, 14],
];

/** Position of a sample within its pixel, in pixels. */
export function samplePosition(samples: number, sample: number): readonly [number, number] {
  return samples === 1 ? [0.5, 0.5] : [SAMPLES[sample][0] / 16, SAMPLES[sample][1] / 16];
}

/** Whether edges cover a sample of a pixel. */
export function covers(
  edges: readonly (readonly number[])[],
  x: number,
  y: number,
  samples: number,
  sample: number
): boolean {
  const [sx, sy] = samplePosition(samples, sample);
  return edges.every(([a, b, c]) => a * ((x + sx) * 256) + b * ((y + sy) * 256) + c >= 0);
}

/** A generator of reproducible numbers in [0, 1). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Quads of the warp and its register file, for shaders. */
export function warpOf(k: PixelKernel, warp: number): { quads: number; registers: number } {
  return { quads: k.readI32(warp + Warp.quadCount), registers: k.readI32(warp + Warp.registers) };
}
