// The vertex side: fetches an attribute, transforms from clip space to the screen, and finds the bounds of an index
// buffer.
import { VERTEX_FLOAT32X3 } from '../../../assembly/layout/texture/formats';
import {
  OUTCODE_BEHIND,
  OUTCODE_BOTTOM,
  OUTCODE_BYTES,
  OUTCODE_FAR,
  OUTCODE_GUARD,
  OUTCODE_LEFT,
  OUTCODE_NEAR,
  OUTCODE_RIGHT,
  OUTCODE_TOP,
  OUTCODE_NOT_FINITE,
  POSITION_BYTES,
  MIN_W,
} from '../../../assembly/layout/vertex/setup-codes';
import { Attribute, Corner, Packet, Setup } from '../../../build/layout';
import { LANES, LoopKernel, numbers, REGISTER_BYTES, WARP_QUADS, type HotLoop, type Side } from './kit';

const WARPS = 64;
const VERTICES = WARPS * LANES;
const FLOATS = 6;

/** Fetches positions of vertices with six floats each, by index, into three arrays. */
export function fetch(): HotLoop {
  const k = new LoopKernel();
  const next = numbers(8);
  const buffer = Float32Array.from({ length: VERTICES * FLOATS }, () => next() * 2 - 1);
  const order = Uint32Array.from({ length: VERTICES }, () => Math.floor(next() * VERTICES));
  const data = k.alloc(buffer.byteLength);
  const attribute = k.alloc(Attribute.bytes);
  const scratch = k.alloc(64);
  const elements = k.words(order);
  const registers = k.alloc(WARPS * 3 * REGISTER_BYTES);
  k.f32(data, buffer.length).set(buffer);
  k.i32(attribute, 9).set([data, buffer.byteLength, FLOATS * 4, 0, VERTEX_FLOAT32X3, 0, 1, 2, -1]);
  const rows = Array.from({ length: WARPS }, (_, warp) => [
    attribute,
    elements + warp * LANES * 4,
    LANES,
    registers + warp * 3 * REGISTER_BYTES,
    scratch,
  ]);
  const side = (name: string): Side => ({
    run: k.calls(name, ['i32', 'i32', 'i32', 'i32', 'i32'], rows).run,
    output: () => k.f32(registers, WARPS * 3 * LANES),
  });
  const out = new Float32Array(WARPS * 3 * LANES);
  const run = (): void => {
    for (let i = 0; i < VERTICES; i++) {
      const from = order[i]! * FLOATS;
      const to = (i >> 6) * 3 * LANES + (i & 63);
      out[to] = buffer[from]!;
      out[to + LANES] = buffer[from + 1]!;
      out[to + 2 * LANES] = buffer[from + 2]!;
    }
  };
  return {
    name: 'fetch float32x3',
    group: 'vertex',
    unit: 'vertex',
    count: VERTICES,
    tolerance: 0,
    simd: side('fetchAttribute'),
    scalar: side('fetchAttributeScalar'),
    plain: { run, output: () => out },
  };
}

const WIDTH = 1280;
const HEIGHT = 720;
const GUARD = 8;
/** Size of a packet in bytes: four varyings, padding, depth and 1/w. */
const STRIDE = 32;
const DEPTH = (STRIDE - Packet.bytes) / 4;
/** Bytes per vertex: packet, position, outcode, corner. */
const OUT_BYTES = STRIDE + POSITION_BYTES + OUTCODE_BYTES + Corner.bytes;

interface Screen {
  readonly packets: Float32Array;
  readonly positions: Float32Array;
  readonly outcodes: Uint16Array;
  readonly corners: Int32Array;
}

function projectPlain(
  clip: Float32Array,
  varyings: Float32Array,
  { packets, positions, outcodes, corners }: Screen
): void {
  for (let i = 0; i < VERTICES; i++) {
    const at = (i >> 6) * 4 * LANES + (i & 63);
    const x = clip[at]!;
    const y = clip[at + LANES]!;
    const z = clip[at + 2 * LANES]!;
    const w = clip[at + 3 * LANES]!;
    let code = 0;
    if (x < -w) code |= OUTCODE_LEFT;
    if (x > w) code |= OUTCODE_RIGHT;
    if (y < -w) code |= OUTCODE_BOTTOM;
    if (y > w) code |= OUTCODE_TOP;
    if (z < 0) code |= OUTCODE_NEAR;
    if (z > w) code |= OUTCODE_FAR;
    if (!(w >= MIN_W)) code |= OUTCODE_BEHIND;
    if (Math.abs(x) > GUARD * w || Math.abs(y) > GUARD * w) code |= OUTCODE_GUARD;
    if (!Number.isFinite(x + y + z + w)) code |= OUTCODE_NOT_FINITE;
    const rhw = 1 / w;
    const screenX = Math.round((x * rhw + 1) * WIDTH * 128);
    const screenY = Math.round((1 - y * rhw) * HEIGHT * 128);
    const packet = i * 8;
    corners[i * 2] = screenX;
    corners[i * 2 + 1] = screenY;
    packets[packet + DEPTH] = z * rhw;
    packets[packet + DEPTH + 1] = rhw;
    positions[i * 4] = x;
    positions[i * 4 + 1] = y;
    positions[i * 4 + 2] = z;
    positions[i * 4 + 3] = w;
    for (let c = 0; c < 4; c++) packets[packet + c] = varyings[at + c * LANES]!;
    outcodes[i] = code;
  }
}

/** Computes outcodes, the division, the viewport and snapping, and copies four varyings from registers to packets. */
export function project(): HotLoop {
  const k = new LoopKernel();
  const next = numbers(9);
  const setup = k.alloc(Setup.bytes);
  const out = k.alloc(VERTICES * OUT_BYTES);
  const registers = k.alloc(WARPS * 8 * REGISTER_BYTES);
  const zeros = k.alloc(REGISTER_BYTES);
  const sources = k.alloc(WARPS * 32);
  const positions = out + VERTICES * STRIDE;
  const corners = positions + VERTICES * POSITION_BYTES;
  const outcodes = corners + VERTICES * Corner.bytes;
  for (const [field, value] of [
    [Setup.stride, STRIDE],
    [Setup.varyingBytes, DEPTH * 4],
    [Setup.groups, 1],
    [Setup.outcodes, -1],
    [Setup.packets, out],
    [Setup.positions, positions],
    [Setup.outcodeList, outcodes],
    [Setup.corners, corners],
  ] as const)
    k.put(setup + field, value);
  for (const [field, value] of [
    [Setup.scaleX, WIDTH * 128],
    [Setup.offsetX, WIDTH * 128],
    [Setup.scaleY, -HEIGHT * 128],
    [Setup.offsetY, HEIGHT * 128],
    [Setup.scaleZ, 1],
    [Setup.guardX, GUARD],
    [Setup.guardY, GUARD],
  ] as const)
    k.putFloat(setup + field, value);
  const clip = new Float32Array(WARPS * 4 * LANES);
  const varyings = Float32Array.from(clip, () => next());
  for (let i = 0; i < VERTICES; i++) {
    const at = (i >> 6) * 4 * LANES + (i & 63);
    const w = 0.5 + 4 * next();
    [(next() * 2.4 - 1.2) * w, (next() * 2.4 - 1.2) * w, (next() * 1.2 - 0.1) * w, w].forEach((value, c) => {
      clip[at + c * LANES] = value;
    });
  }
  const rows = Array.from({ length: WARPS }, (_, warp) => {
    const at = registers + warp * 8 * REGISTER_BYTES;
    k.f32(at, 4 * LANES).set(clip.subarray(warp * 4 * LANES, (warp + 1) * 4 * LANES));
    k.f32(at + 4 * REGISTER_BYTES, 4 * LANES).set(varyings.subarray(warp * 4 * LANES, (warp + 1) * 4 * LANES));
    k.u32(sources + warp * 32, 6).set([
      ...[4, 5, 6, 7].map((register) => at + register * REGISTER_BYTES),
      zeros,
      zeros,
    ]);
    return [setup, WARP_QUADS, at, sources + warp * 32, warp * LANES];
  });
  const read = (buffer: ArrayBufferLike, at: number): number[] => [
    ...new Int32Array(buffer, at + VERTICES * (STRIDE + POSITION_BYTES), VERTICES * 2),
    ...new Float32Array(buffer, at + VERTICES * STRIDE, VERTICES * 4),
    ...new Uint16Array(buffer, at + VERTICES * (STRIDE + POSITION_BYTES + Corner.bytes), VERTICES),
    ...new Float32Array(buffer, at, VERTICES * 8),
  ];
  const side = (name: string): Side => ({
    run: k.calls(name, ['i32', 'i32', 'i32', 'i32', 'i32'], rows, 'i32').run,
    output: () => read(k.memory.buffer, out),
  });
  const mine = new ArrayBuffer(VERTICES * OUT_BYTES);
  const screen: Screen = {
    packets: new Float32Array(mine, 0, VERTICES * 8),
    positions: new Float32Array(mine, VERTICES * STRIDE, VERTICES * 4),
    corners: new Int32Array(mine, VERTICES * (STRIDE + POSITION_BYTES), VERTICES * 2),
    outcodes: new Uint16Array(mine, VERTICES * (STRIDE + POSITION_BYTES + Corner.bytes), VERTICES),
  };
  return {
    name: 'clip space to screen',
    group: 'vertex',
    unit: 'vertex',
    count: VERTICES,
    tolerance: 1,
    simd: side('packVertices'),
    scalar: side('packVerticesScalar'),
    plain: {
      run: () => {
        projectPlain(clip, varyings, screen);
      },
      output: () => read(mine, 0),
    },
  };
}

const INDICES = 16384;

export function bounds(): HotLoop {
  const k = new LoopKernel();
  const next = numbers(10);
  const indices = Uint32Array.from({ length: INDICES }, () => 100 + Math.floor(next() * 1e6));
  const at = k.words(indices);
  const out = k.alloc(16);
  const mine = new Uint32Array(2);
  const side = (name: string): Side => ({
    run: k.calls(name, ['i32', 'i32', 'i32', 'i32'], [[at, INDICES, 4, out]]).run,
    output: () => k.u32(out, 2),
  });
  const run = (): void => {
    let least = 0xffffffff;
    let most = 0;
    for (let i = 0; i < INDICES; i++) {
      const index = indices[i]!;
      if (index < least) least = index;
      if (index > most) most = index;
    }
    mine[0] = least;
    mine[1] = most;
  };
  return {
    name: 'index bounds',
    group: 'vertex',
    unit: 'index',
    count: INDICES,
    tolerance: 0,
    simd: side('indexBounds'),
    scalar: side('indexBoundsScalar'),
    plain: { run, output: () => mine },
  };
}
