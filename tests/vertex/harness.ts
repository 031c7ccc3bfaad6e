// A pass, a draw call and its buffers in kernel memory; vertex shaders that pass on their inputs; the resulting
// triangle records.
import { CULL_NONE, TOPOLOGY_TRIANGLE_LIST } from '../../assembly/layout/pass/draw-codes';
import { VERTEX_FLOAT32, VERTEX_FLOAT32X4 } from '../../assembly/layout/texture/formats';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { OP_END, OP_MOVE } from '../../assembly/layout/program/opcodes';
import { STATUS_DONE, STATUS_NEEDS_MEMORY, STATUS_YIELD } from '../../assembly/layout/status';
import { TRI_FLAG_SMALL } from '../../assembly/layout/pass/triangle-codes';
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
  Triangle as TriangleRecord,
  TriangleEdge,
} from '../../build/layout';
import type { TestKernel } from '../support/kernel';

export interface Scene {
  width: number;
  height: number;
  samples: 1 | 4;
  /** Clip-space x, y, z, w, then the varyings, of each vertex. */
  vertices: number[][];
  varyings: { perspective: number; linear: number; flat: number };
  indices: number[] | null;
  indexBytes: 2 | 4;
  count: number;
  instances: number;
  /** One number per instance, fetched as the last varying. */
  instanceValues: number[] | null;
  topology: number;
  cull: number;
  frontCW: boolean;
  flags: number;
  viewport: number[];
  scissor: number[];
  bias: [number, number, number];
  depthFormat: number;
  arenaBytes: number;
  indexLimit: number;
  baseVertex: number;
  /** The draw call's index range: smallest index, and number of following ones. */
  range: readonly [number, number] | null;
}
/** Memory for the vertices of index ranges. */
const RANGE_BYTES = 1 << 20;
export const SCENE: Scene = {
  width: 256,
  height: 192,
  samples: 1,
  vertices: [],
  varyings: { perspective: 0, linear: 0, flat: 0 },
  indices: null,
  indexBytes: 2,
  count: 0,
  instances: 1,
  instanceValues: null,
  topology: TOPOLOGY_TRIANGLE_LIST,
  cull: CULL_NONE,
  frontCW: false,
  flags: 0,
  viewport: [0, 0, 256, 192, 0, 1],
  scissor: [0, 0, 256, 192],
  bias: [0, 0, 0],
  depthFormat: 0,
  arenaBytes: 1 << 20,
  indexLimit: -1,
  baseVertex: 0,
  range: null,
};

/** A TRIANGLE record, and the tiles that list it. */
export interface Triangle {
  bytes: Uint8Array;
  flags: number;
  /** The sample mask of a small triangle (Triangle.cover), which has no edges; otherwise null. */
  cover: bigint | null;
  box: [number, number, number, number];
  x0: number;
  y0: number;
  /** 1 or 4. */
  samples: number;
  edges: { a: number; b: number; c: number }[];
  z: number[];
  /** Triangle.near, Triangle.far; meaningless for small triangles. */
  bounds: number[];
  w: number[];
  /** c, ddx, ddy of each varying; `bits` of c. */
  planes: { c: number; ddx: number; ddy: number; bits: number }[];
  tiles: number[];
}
export interface Result {
  triangles: Triangle[];
  statistics: Record<string, number>;
  chunks: number;
  yields: number;
}

function writeProgram(kernel: TestKernel, values: number): number {
  const code = kernel.alloc(values * 8 + 4);
  const words: number[] = [];
  for (let i = 0; i < values; i++) words.push(OP_MOVE | ((values + i) << 16), i);
  words.push(OP_END);
  kernel.u32(code, words.length).set(words);
  const program = kernel.alloc(Program.bytes);
  const set = (at: number, value: number): void => {
    kernel.u32(program + at, 1)[0] = value;
  };
  set(Program.code, code);
  set(Program.inputs, values);
  set(Program.outputs, values);
  return program;
}

function writeAttributes(kernel: TestKernel, scene: Scene): { address: number; count: number } {
  const scalars = 4 + scene.varyings.perspective + scene.varyings.linear + scene.varyings.flat;
  const fromVertex = scene.instanceValues ? scalars - 1 : scalars;
  const stride = fromVertex * 4;
  const buffer = kernel.alloc(stride * scene.vertices.length + 16);
  scene.vertices.forEach((v, i) => {
    kernel.f32(buffer + i * stride, fromVertex).set(v.slice(0, fromVertex));
  });
  const entries: number[][] = [];
  // Position, then the rest one scalar at a time; with instance values, the last varying comes from them.
  entries.push([buffer, stride * scene.vertices.length, stride, 0, VERTEX_FLOAT32X4, 0, 1, 2, 3]);
  for (let i = 4; i < fromVertex; i++)
    entries.push([buffer + i * 4, stride * scene.vertices.length - i * 4, stride, 0, VERTEX_FLOAT32, i, -1, -1, -1]);
  if (scene.instanceValues) {
    const instances = kernel.alloc(scene.instanceValues.length * 4);
    kernel.f32(instances, scene.instanceValues.length).set(scene.instanceValues);
    entries.push([instances, scene.instanceValues.length * 4, 4, 1, VERTEX_FLOAT32, fromVertex, -1, -1, -1]);
  }
  const address = kernel.alloc(entries.length * Attribute.bytes);
  entries.forEach((e, i) => {
    kernel.i32(address + i * Attribute.bytes, e.length).set(e);
  });
  return { address, count: entries.length };
}

function writeDraw(kernel: TestKernel, scene: Scene): number {
  const varyings = scene.varyings.perspective + scene.varyings.linear + scene.varyings.flat;
  const draw = kernel.alloc(Draw.bytes);
  const set = (at: number, value: number): void => {
    kernel.i32(draw + at, 1)[0] = value;
  };
  const attributes = writeAttributes(kernel, scene);
  set(Draw.vertex + Stage.program, writeProgram(kernel, 4 + varyings));
  set(Draw.flags, scene.flags);
  set(Draw.attributeCount, attributes.count);
  set(Draw.attributes, attributes.address);
  set(Draw.vertex + Stage.vertexIndex, -1);
  set(Draw.vertex + Stage.instanceIndex, -1);
  set(Draw.positionRegister, 4 + varyings);
  set(Draw.varyingCount, varyings);
  const sources = kernel.alloc(varyings * 4 + 4);
  for (let i = 0; i < varyings; i++) kernel.i32(sources + i * 4, 1)[0] = 4 + varyings + 4 + i;
  set(Draw.varyingSources, sources);
  kernel
    .u32(draw + Draw.varyings, 7)
    .set([scene.varyings.perspective, 0, 0, scene.varyings.linear, 0, 0, scene.varyings.flat]);
  set(Draw.topology, scene.topology);
  set(Draw.setupTopology, scene.topology);
  if (scene.indices) {
    const indices = kernel.alloc(scene.indices.length * 4);
    if (scene.indexBytes === 2) kernel.u16(indices, scene.indices.length).set(scene.indices);
    else kernel.u32(indices, scene.indices.length).set(scene.indices);
    set(Draw.indexAddress, indices);
    set(Draw.indexBytes, scene.indexBytes);
    set(Draw.indexLimit, scene.indexLimit < 0 ? scene.indices.length : scene.indexLimit);
  }
  set(Draw.count, scene.count || (scene.indices ?? scene.vertices).length);
  set(Draw.baseVertex, scene.baseVertex);
  set(Draw.instanceCount, scene.instances);
  set(Draw.rangeFirst, scene.range?.[0] ?? 0);
  set(Draw.rangeCount, scene.range?.[1] ?? 0);
  set(Draw.distinct, scene.range ? new Set(scene.indices).size : 0);
  kernel.f32(draw + Draw.viewport, 6).set(scene.viewport);
  kernel.i32(draw + Draw.scissor, 4).set(scene.scissor);
  set(Draw.cull, scene.cull);
  set(Draw.frontCw, scene.frontCW ? 1 : 0);
  set(Draw.depthBias, scene.bias[0]);
  kernel.f32(draw + Draw.depthBiasSlope, 2).set(scene.bias.slice(1));
  return draw;
}

function readTriangle(kernel: TestKernel, at: number, varyings: number, samples: number): Triangle {
  const padded = Math.ceil(varyings / 4) * 4;
  const i32 = (o: number): number => kernel.i32(at + o, 1)[0]!;
  const f32 = (o: number, n = 1): number[] => [...kernel.f32(at + o, n)];
  const plane = at + TriangleRecord.planes;
  return {
    bytes: kernel.u8(at, TriangleRecord.planes + padded * 12).slice(),
    flags: i32(TriangleRecord.flags),
    samples,
    cover:
      i32(TriangleRecord.flags) & TRI_FLAG_SMALL
        ? new BigUint64Array(kernel.memory.buffer, at + TriangleRecord.cover, 1)[0]!
        : null,
    box: [i32(TriangleRecord.minX), i32(TriangleRecord.minY), i32(TriangleRecord.maxX), i32(TriangleRecord.maxY)],
    x0: f32(TriangleRecord.x0)[0]!,
    y0: f32(TriangleRecord.y0)[0]!,
    edges: [0, 1, 2].map((e) => {
      const o = TriangleRecord.edges + e * TriangleEdge.bytes;
      return {
        a: i32(o + TriangleEdge.a),
        b: i32(o + TriangleEdge.b),
        c: Number(new BigInt64Array(kernel.memory.buffer, at + o + TriangleEdge.c, 1)[0]!),
      };
    }),
    bounds: [...f32(TriangleRecord.near), ...f32(TriangleRecord.far)],
    z: f32(TriangleRecord.z, 3),
    w: f32(TriangleRecord.w, 3),
    planes: Array.from({ length: varyings }, (_, i) => ({
      c: kernel.f32(plane + i * 4, 1)[0]!,
      ddx: kernel.f32(plane + (padded + i) * 4, 1)[0]!,
      ddy: kernel.f32(plane + (padded * 2 + i) * 4, 1)[0]!,
      bits: kernel.u32(plane + i * 4, 1)[0]!,
    })),
    tiles: [],
  };
}

/** Triangles of all lists, in the order of their addresses, which is the order of setup. */
function collect(kernel: TestKernel, bins: number, tiles: number, varyings: number, samples: number): Triangle[] {
  const found = new Map<number, Triangle>();
  for (let tile = 0; tile < tiles; tile++) {
    let last = 0;
    for (
      let block = kernel.u32(bins + tile * Bin.bytes, 1)[0]!;
      block;
      block = kernel.u32(block + BinBlock.next, 1)[0]!
    ) {
      const n = kernel.u32(block + BinBlock.count, 1)[0]!;
      for (const at of kernel.u32(block + BinBlock.entries, n)) {
        if (at <= last) throw new Error('a list is out of order');
        last = at;
        const triangle = found.get(at) ?? readTriangle(kernel, at, varyings, samples);
        triangle.tiles.push(tile);
        found.set(at, triangle);
      }
    }
  }
  return [...found].sort((a, b) => a[0] - b[0]).map((e) => e[1]);
}

const COUNTERS: [string, number][] = [
  ['used', Statistics.verticesUsed],
  ['shaded', Statistics.verticesShaded],
  ['in', Statistics.trianglesIn],
  ['face', Statistics.trianglesCulledFace],
  ['area', Statistics.trianglesCulledArea],
  ['between', Statistics.trianglesCulledBetween],
  ['outside', Statistics.trianglesCulledOutside],
  ['behind', Statistics.trianglesCulledBehind],
  ['clipped', Statistics.trianglesClipped],
  ['binned', Statistics.trianglesBinned],
  ['warps', Statistics.warpsVertex],
];

/** Runs a draw call to its end, emptying arena and lists whenever it requests that. */
export function run(
  kernel: TestKernel,
  part: Partial<Scene>,
  how: 'geometryRun' | 'geometryRunScalar' = 'geometryRun',
  batches = 1e6
): Result {
  kernel.reset();
  const scene = { ...SCENE, ...part };
  const varyings = scene.varyings.perspective + scene.varyings.linear + scene.varyings.flat;
  const tilesX = Math.ceil(scene.width / 64);
  const tiles = tilesX * Math.ceil(scene.height / 64);
  const pass = kernel.alloc(Pass.bytes);
  const bins = kernel.alloc(tiles * Bin.bytes);
  const statistics = kernel.alloc(Statistics.bytes);
  const memory = kernel.alloc(scene.arenaBytes);
  const arena = kernel.alloc(Arena.bytes);
  kernel.u32(arena + Arena.end, 1)[0] = memory + scene.arenaBytes;
  kernel.u32(arena + Arena.cursor, 1)[0] = memory;
  kernel.i32(pass, 7).set([scene.width, scene.height, tilesX, tiles / tilesX, scene.samples, 0, bins]);
  kernel.i32(pass + Pass.arena, 2).set([arena, statistics]);
  kernel.i32(pass + Pass.depth, 1)[0] = scene.depthFormat;
  const draw = writeDraw(kernel, scene);
  const geometry = kernel.alloc(kernel.call.geometryBytes!());
  kernel.u32(geometry + Geometry.registers, 1)[0] = kernel.alloc((4 + varyings) * 2 * REGISTER_BYTES);
  kernel.u32(geometry + Geometry.range, 2).set([kernel.alloc(RANGE_BYTES), RANGE_BYTES]);
  kernel.call.geometryBegin!(geometry, pass, draw);
  const result: Result = { triangles: [], statistics: {}, chunks: 1, yields: 0 };
  for (;;) {
    const status = kernel.call[how]!(geometry, batches);
    if (status === STATUS_YIELD) {
      result.yields++;
      continue;
    }
    const before = result.triangles.length;
    result.triangles.push(...collect(kernel, bins, tiles, varyings, scene.samples));
    if (status === STATUS_DONE) break;
    if (status !== STATUS_NEEDS_MEMORY || result.triangles.length === before)
      throw new Error(`status ${status} without progress`);
    kernel.u8(bins, tiles * Bin.bytes).fill(0);
    kernel.u32(arena + Arena.cursor, 1)[0] = memory;
    result.chunks++;
  }
  for (const triangle of result.triangles) triangle.bytes.fill(0, TriangleRecord.draw, TriangleRecord.draw + 4);
  // Gaps in records: the bytes before a small triangle's coverage do not belong to it.
  for (const { bytes, cover } of result.triangles) {
    if (cover === null) bytes.fill(0, TriangleRecord.far + 4, TriangleRecord.edges);
    else bytes.fill(0, 0, TriangleRecord.cover).fill(0, TriangleRecord.cover + 8, TriangleRecord.draw);
  }
  for (const [name, at] of COUNTERS) result.statistics[name] = kernel.u32(statistics + at, 1)[0]!;
  return result;
}

/** Whether the triangle covers the sub-pixel position (24.8). Edge functions stay below 2^53, so they are exact. */
export function covers(t: Triangle, x: number, y: number): boolean {
  if (t.cover !== null) {
    const [dx, dy] = [(x >> 8) - t.box[0], (y >> 8) - t.box[1]];
    const sample = t.samples === 1 ? 0 : [6, 14, 2, 10].indexOf((x & 255) / 16);
    return (
      dx >= 0 && dx < 4 && dy >= 0 && dy < 4 && ((t.cover >> BigInt((dy * 4 + dx) * t.samples + sample)) & 1n) === 1n
    );
  }
  return t.edges.every((e) => e.a * x + e.b * y + e.c >= 0);
}

/** All that a run wrote, in one string for comparison. */
export const digest = (r: Result): string =>
  r.triangles.map((t) => `${Buffer.from(t.bytes).toString('base64')} ${t.tiles.join()}`).join('\n');

/** Pixels whose center is covered, each as y·width + x, once per triangle. */
export function coveredPixels(t: Triangle, width: number): number[] {
  const out: number[] = [];
  for (let y = t.box[1]; y < t.box[3]; y++)
    for (let x = t.box[0]; x < t.box[2]; x++) {
      if (covers(t, x * 256 + 128, y * 256 + 128)) out.push(y * width + x);
    }
  return out;
}
export const at = (t: Triangle, p: { c: number; ddx: number; ddy: number }, x: number, y: number): number =>
  p.c + p.ddx * (x - t.x0) + p.ddy * (y - t.y0);
