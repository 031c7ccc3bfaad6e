// Texture reads and questions: fills the ACCESS record for assembly/texture, and answers from the TEXTURE record.
import { OPERAND_NONE } from '../layout/opcodes';
import {
  ACCESS_COMPARE, ACCESS_DDX_U, ACCESS_DDX_V, ACCESS_DDX_W, ACCESS_DDY_U, ACCESS_DDY_V, ACCESS_DDY_W, ACCESS_LAYER, ACCESS_LEVEL,
  ACCESS_MODE, ACCESS_OFFSET_X, ACCESS_OFFSET_Y, ACCESS_QUADS, ACCESS_RESULT, ACCESS_SAMPLER, ACCESS_TEXTURE, ACCESS_U, ACCESS_V,
  ACCESS_W, RESOURCE_ADDRESS, WARP_ACCESS, WARP_QUAD_COUNT,
} from '../layout/program';
import {
  DIMENSION_CUBE_ARRAY, TEXTURE_DEPTH, TEXTURE_DIMENSION, TEXTURE_HEIGHT, TEXTURE_LAYERS, TEXTURE_LEVELS, TEXTURE_WIDTH,
} from '../layout/texture';
import { loadWarp } from '../texture/load';
import { loadWarpScalar } from '../texture/load.scalar';
import { sampleWarp } from '../texture/sample';
import { sampleWarpScalar } from '../texture/sample.scalar';
import { broadcast, high, low } from './loops';
import { resource } from './memory';

/** Address of a register, 0 for none. */
// @ts-ignore: decorator
@inline function operand(registers: usize, index: u32): usize { return index == OPERAND_NONE ? 0 : registers + (<usize>index << 8); }

/** Address of the record behind a resource, 0 for none. */
// @ts-ignore: decorator
@inline function record(warp: usize, index: u32): usize { return index == OPERAND_NONE ? 0 : load<usize>(resource(warp, index) + RESOURCE_ADDRESS); }

/** Two operands of an instruction word, into two fields of the record. */
// @ts-ignore: decorator
@inline function pair(access: usize, registers: usize, word: u32, first: i32, second: i32): void {
  store<usize>(access + first, operand(registers, word & 0xffff));
  store<usize>(access + second, operand(registers, word >>> 16));
}

/** Fills the warp's ACCESS record from a texture instruction. */
function fill(code: usize, warp: usize, registers: usize): usize {
  const access = warp + WARP_ACCESS;
  const resources = load<u32>(code, 4);
  store<usize>(access + ACCESS_TEXTURE, record(warp, resources & 0xffff));
  store<usize>(access + ACCESS_SAMPLER, record(warp, resources >>> 16));
  store<i32>(access + ACCESS_QUADS, load<i32>(warp + WARP_QUAD_COUNT));
  store<u32>(access + ACCESS_MODE, load<u32>(code) >>> 16);
  store<i32>(access + ACCESS_OFFSET_X, load<i16>(code, 8));
  store<i32>(access + ACCESS_OFFSET_Y, load<i16>(code, 10));
  pair(access, registers, load<u32>(code, 12), ACCESS_U, ACCESS_V);
  pair(access, registers, load<u32>(code, 16), ACCESS_W, ACCESS_LAYER);
  pair(access, registers, load<u32>(code, 20), ACCESS_LEVEL, ACCESS_COMPARE);
  pair(access, registers, load<u32>(code, 24), ACCESS_DDX_U, ACCESS_DDX_V);
  pair(access, registers, load<u32>(code, 28), ACCESS_DDX_W, ACCESS_DDY_U);
  pair(access, registers, load<u32>(code, 32), ACCESS_DDY_V, ACCESS_DDY_W);
  pair(access, registers, load<u32>(code, 36), ACCESS_RESULT, ACCESS_RESULT + 4);
  pair(access, registers, load<u32>(code, 40), ACCESS_RESULT + 8, ACCESS_RESULT + 12);
  return access;
}

/** OP_TEXTURE_SAMPLE. */
export function textureSample<T>(code: usize, warp: usize, registers: usize): void {
  const access = fill(code, warp, registers);
  if (isVector<T>()) sampleWarp(access);
  else sampleWarpScalar(access);
}

/** OP_TEXTURE_LOAD. */
export function textureLoad<T>(code: usize, warp: usize, registers: usize): void {
  const access = fill(code, warp, registers);
  if (isVector<T>()) loadWarp(access);
  else loadWarpScalar(access);
}

// @ts-ignore: decorator
@inline function levelSize(texture: usize, field: i32, level: u32): u32 { return max<u32>(load<u32>(texture + field) >>> level, 1); }

/** OP_TEXTURE_DIMENSIONS. Rare, and nearly always of a constant level: a lane at a time in both engines. */
export function textureDimensions(code: usize, warp: usize, registers: usize, bytes: usize): void {
  const word = load<u32>(code, 4);
  const level = low(registers, word);
  const texture = record(warp, word >>> 16);
  const last = load<u32>(texture + TEXTURE_LEVELS) - 1;
  for (let i: u32 = 0; i < 3; i++) {
    const dst = operand(registers, load<u16>(code + 8 + (<usize>i << 1)));
    if (!dst) continue;
    const field = i == 0 ? TEXTURE_WIDTH : i == 1 ? TEXTURE_HEIGHT : TEXTURE_DEPTH;
    for (let lane: usize = 0; lane < bytes; lane += 4) {
      store<u32>(dst + lane, levelSize(texture, field, min<u32>(load<u32>(level + lane), last)));
    }
  }
}

/** OP_TEXTURE_LEVELS, _SAMPLES: a field of the TEXTURE record. */
export function textureField<T>(code: usize, warp: usize, registers: usize, field: i32): void {
  broadcast<T>(high(registers, load<u32>(code)), load<u32>(record(warp, load<u32>(code, 4)) + field));
}

/** OP_TEXTURE_LAYERS: array layers, or whole cubes of a cube array. */
export function textureLayers<T>(code: usize, warp: usize, registers: usize): void {
  const texture = record(warp, load<u32>(code, 4));
  const layers = load<u32>(texture + TEXTURE_LAYERS);
  broadcast<T>(high(registers, load<u32>(code)), load<i32>(texture + TEXTURE_DIMENSION) == DIMENSION_CUBE_ARRAY ? layers / 6 : layers);
}
