// The path of a mesh from its buffers to the tiles' primitive lists: fetch, a pass-through vertex shader, projection,
// culling, edges, planes, binning. The interpreter shades the vertices in both kernels.
import { CULL_BACK } from '../../../assembly/layout/pass/draw-codes';
import { VERTEX_FLOAT32X4 } from '../../../assembly/layout/texture/formats';
import { OP_END, OP_MOVE } from '../../../assembly/layout/program/opcodes';
import { STATUS_DONE } from '../../../assembly/layout/status';
import {
  Arena,
  Attribute,
  Bin,
  BinBlock,
  Draw,
  Geometry,
  Pass,
  Program,
  Stage,
  Statistics,
  Triangle,
  TriangleEdge,
} from '../../../build/layout';
import { LoopKernel, numbers, REGISTER_BYTES, type HotLoop, type Side } from './kit';

const SIZE = 512;
/** Squares with a side of eight pixels, each of two triangles. Every other square faces away. */
const CELLS = 64;
const ROW = CELLS + 1;
const TRIANGLES = CELLS * CELLS * 2;
const TILES_X = SIZE / 64;
const ARENA_BYTES = 4 << 20;
/** Memory for the vertices of the index range. Each vertex is shaded once. */
const RANGE_BYTES = 1 << 20;

interface Mesh {
  readonly vertices: Float32Array;
  readonly indices: Uint32Array;
}

function mesh(): Mesh {
  const next = numbers(11);
  const vertices = new Float32Array(ROW * ROW * 4);
  const indices: number[] = [];
  for (let y = 0; y < ROW; y++)
    for (let x = 0; x < ROW; x++) {
      const w = 1 + next();
      const jitter = (): number => (next() - 0.5) * 0.01;
      vertices.set(
        [((x / CELLS) * 1.9 - 0.95 + jitter()) * w, ((y / CELLS) * 1.9 - 0.95 + jitter()) * w, next() * w, w],
        (y * ROW + x) * 4
      );
      if (x === CELLS || y === CELLS) continue;
      const k = y * ROW + x;
      for (const [a, b, c] of [
        [k, k + 1, k + ROW],
        [k + 1, k + ROW + 1, k + ROW],
      ] as const)
        indices.push(...(next() < 0.5 ? [a, b, c] : [a, c, b]));
    }
  return { vertices, indices: Uint32Array.from(indices) };
}

/** A pass without attachments, and a draw call of the mesh, with counter-clockwise front faces. */
function kernelSide({ vertices, indices }: Mesh): (name: string) => Side {
  const k = new LoopKernel({ pages: 160 });
  const pass = k.alloc(Pass.bytes);
  const tiles = TILES_X * TILES_X;
  const bins = k.alloc(tiles * Bin.bytes);
  const arena = k.alloc(Arena.bytes);
  const memory = k.alloc(ARENA_BYTES);
  const draw = k.alloc(Draw.bytes);
  k.u32(pass, 4).set([SIZE, SIZE, TILES_X, TILES_X]);
  for (const [field, value] of [
    [Pass.samples, 1],
    [Pass.bins, bins],
    [Pass.arena, arena],
    [Pass.statistics, k.alloc(Statistics.bytes)],
  ] as const)
    k.put(pass + field, value);
  const code = k.words([...[0, 1, 2, 3].flatMap((i) => [OP_MOVE | ((4 + i) << 16), i]), OP_END]);
  const program = k.alloc(Program.bytes);
  const attribute = k.alloc(Attribute.bytes);
  const data = k.alloc(vertices.byteLength);
  k.f32(data, vertices.length).set(vertices);
  k.i32(attribute, 9).set([data, vertices.byteLength, 16, 0, VERTEX_FLOAT32X4, 0, 1, 2, 3]);
  for (const [field, value] of [
    [Program.code, code],
    [Program.inputs, 4],
    [Program.outputs, 4],
  ] as const)
    k.put(program + field, value);
  const fields = [
    [Draw.vertex + Stage.program, program],
    [Draw.attributeCount, 1],
    [Draw.attributes, attribute],
    [Draw.vertex + Stage.vertexIndex, -1],
    [Draw.vertex + Stage.instanceIndex, -1],
    [Draw.positionRegister, 4],
    [Draw.indexAddress, k.words(indices)],
    [Draw.indexBytes, 4],
    [Draw.indexLimit, indices.length],
    [Draw.count, indices.length],
    [Draw.instanceCount, 1],
    [Draw.rangeCount, ROW * ROW],
    [Draw.distinct, ROW * ROW],
    [Draw.cull, CULL_BACK],
  ] as const;
  for (const [field, value] of fields) k.put(draw + field, value);
  k.f32(draw + Draw.viewport, 6).set([0, 0, SIZE, SIZE, 0, 1]);
  k.i32(draw + Draw.scissor, 4).set([0, 0, SIZE, SIZE]);
  const geometry = k.alloc(k.call.geometryBytes!());
  k.put(geometry + Geometry.registers, k.alloc(8 * REGISTER_BYTES));
  k.u32(geometry + Geometry.range, 2).set([k.alloc(RANGE_BYTES), RANGE_BYTES]);
  const output = (): number[] =>
    sums(
      k,
      new Set(Array.from({ length: tiles }, (_, tile) => listed(k, k.i32(bins + tile * Bin.bytes, 1)[0]!)).flat())
    );
  return (name) => ({
    run: () => {
      k.u8(bins, tiles * Bin.bytes).fill(0);
      k.u32(arena + Arena.end, 1)[0] = memory + ARENA_BYTES;
      k.u32(arena + Arena.cursor, 1)[0] = memory;
      k.call.geometryBegin!(geometry, pass, draw);
      if (k.call[name]!(geometry, 1e6) !== STATUS_DONE) throw new Error('the mesh is not set up in one go');
    },
    output,
  });
}

/** Returns the triangles of a list. */
function listed(k: LoopKernel, head: number): number[] {
  const found: number[] = [];
  for (let block = head; block; block = k.i32(block + BinBlock.next, 1)[0]!)
    found.push(...k.u32(block + BinBlock.entries, k.u32(block + BinBlock.count, 1)[0]!));
  return found;
}

/**
 * Returns the number of triangles and the sums of the sides of their boxes and of the steps of their edges. The plain
 * lists use boxes alone and name a few more tiles.
 */
function sums(k: LoopKernel, triangles: Set<number>): number[] {
  let boxes = 0;
  let steps = 0;
  for (const triangle of triangles) {
    boxes += k.i32(triangle + Triangle.minX, 4).reduce((a, b) => a + b);
    for (let edge = 0; edge < 3; edge++)
      steps += Math.abs(k.i32(triangle + Triangle.edges + edge * TriangleEdge.bytes + TriangleEdge.a, 1)[0]!);
  }
  return [triangles.size, boxes, steps];
}

const { fround } = Math;
/** Rounds half to even. */
function nearest(value: number): number {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded & 1 ? rounded - 1 : rounded;
}

/** Edge values A, B, C of three sides; the box; planes of depth and 1/w, each with a value and two slopes. */
const INTS = 13;
const PLANES = 6;

class PlainSetup {
  private readonly x = new Int32Array(ROW * ROW);
  private readonly y = new Int32Array(ROW * ROW);
  private readonly z = new Float32Array(ROW * ROW);
  private readonly rhw = new Float32Array(ROW * ROW);
  private readonly ints = new Float64Array(TRIANGLES * INTS);
  private readonly planes = new Float32Array(TRIANGLES * PLANES);
  private readonly lists: number[][] = Array.from({ length: TILES_X * TILES_X }, () => []);

  constructor(private readonly mesh: Mesh) {}

  run(): void {
    const { vertices, indices } = this.mesh;
    const { x, y, z, rhw } = this;
    for (let i = 0; i < rhw.length; i++) {
      const w = fround(1 / vertices[i * 4 + 3]!);
      rhw[i] = w;
      // Uses f32, so that positions snap like the kernel's.
      x[i] = nearest(fround(fround(fround(vertices[i * 4]! * w) * SIZE * 128) + SIZE * 128));
      y[i] = nearest(fround(fround(fround(vertices[i * 4 + 1]! * w) * SIZE * -128) + SIZE * 128));
      z[i] = vertices[i * 4 + 2]! * w;
    }
    for (const list of this.lists) list.length = 0;
    let triangle = 0;
    for (let i = 0; i < indices.length; i += 3)
      if (this.setup(triangle, indices[i]!, indices[i + 1]!, indices[i + 2]!)) triangle++;
  }

  private setup(triangle: number, a: number, b: number, c: number): boolean {
    const { x, y, z, rhw, ints, planes } = this;
    const bx = x[b]! - x[a]!;
    const by = y[b]! - y[a]!;
    const cx = x[c]! - x[a]!;
    const cy = y[c]! - y[a]!;
    const area = bx * cy - by * cx;
    // Front faces are counter-clockwise. With y downwards, a visible triangle has a negative area.
    if (area >= 0) return false;
    // First and last pixel whose centre can be covered.
    const x0 = Math.max(0, (Math.min(x[a]!, x[b]!, x[c]!) + 127) >> 8);
    const y0 = Math.max(0, (Math.min(y[a]!, y[b]!, y[c]!) + 127) >> 8);
    const x1 = Math.min(SIZE, ((Math.max(x[a]!, x[b]!, x[c]!) - 128) >> 8) + 1);
    const y1 = Math.min(SIZE, ((Math.max(y[a]!, y[b]!, y[c]!) - 128) >> 8) + 1);
    if (x0 >= x1 || y0 >= y1) return false;
    const at = triangle * INTS;
    this.edge(at, a, c);
    this.edge(at + 3, c, b);
    this.edge(at + 6, b, a);
    ints[at + 9] = x0;
    ints[at + 10] = y0;
    ints[at + 11] = x1;
    ints[at + 12] = y1;
    const scale = 256 / area;
    const plane = triangle * PLANES;
    for (let p = 0; p < 2; p++) {
      const values = p === 0 ? z : rhw;
      const d1 = values[b]! - values[a]!;
      const d2 = values[c]! - values[a]!;
      planes[plane + p * 3] = values[a]!;
      planes[plane + p * 3 + 1] = (d1 * cy - d2 * by) * scale;
      planes[plane + p * 3 + 2] = (d2 * bx - d1 * cx) * scale;
    }
    for (let ty = y0 >> 6; ty <= (y1 - 1) >> 6; ty++)
      for (let tx = x0 >> 6; tx <= (x1 - 1) >> 6; tx++) this.lists[ty * TILES_X + tx]!.push(triangle);
    return true;
  }

  private edge(at: number, from: number, to: number): void {
    const { x, y, ints } = this;
    const a = y[from]! - y[to]!;
    const b = x[to]! - x[from]!;
    ints[at] = a;
    ints[at + 1] = b;
    ints[at + 2] = -(a * x[from]! + b * y[from]!) - (a > 0 || (a === 0 && b > 0) ? 0 : 1);
  }

  output(): number[] {
    const triangles = new Set(this.lists.flat());
    let boxes = 0;
    let steps = 0;
    for (const triangle of triangles) {
      for (let i = 9; i < 13; i++) boxes += this.ints[triangle * INTS + i]!;
      for (let i = 0; i < 9; i += 3) steps += Math.abs(this.ints[triangle * INTS + i]!);
    }
    return [triangles.size, boxes, steps];
  }
}

export function geometry(): HotLoop {
  const shape = mesh();
  const side = kernelSide(shape);
  const plain = new PlainSetup(shape);
  return {
    name: 'mesh to tiles',
    group: 'setup',
    unit: 'triangle',
    count: TRIANGLES,
    tolerance: 0,
    simd: side('geometryRun'),
    scalar: side('geometryRunScalar'),
    plain: {
      run: () => {
        plain.run();
      },
      output: () => plain.output(),
    },
  };
}
