// Texture reads and queries: fills the ACCESS record for assembly/texture, and answers queries from the TEXTURE record.
import { Access, DIMENSION_CUBE_ARRAY, MODE_GATHER, OPERAND_NONE, Sampler, Texture, Warp } from '../layout';
import { gatherWarp } from '../texture/gather';
import { gatherWarpScalar } from '../texture/gather.scalar';
import { loadWarp } from '../texture/load';
import { loadWarpScalar } from '../texture/load.scalar';
import { sampleWarp } from '../texture/sample';
import { sampleWarpScalar } from '../texture/sample.scalar';
import { isSwizzled, readSwizzled } from '../texture/swizzle';
import { broadcast, high, low } from './loops';
import { resource } from './memory';

/** Address of a register, or 0 for none. */
function operand(registers: usize, index: u32): usize {
  return index == OPERAND_NONE ? 0 : registers + (index << 8);
}

/** Address of a resource's record, or 0 for none. */
function record(warp: Warp, index: u32): usize {
  return index == OPERAND_NONE ? 0 : resource(warp, index).address;
}

/** Stores the register addresses of an instruction word's two operands to two fields of the record. */
function pair(access: Access, registers: usize, word: u32, first: i32, second: i32): void {
  store<usize>(changetype<usize>(access) + first, operand(registers, word & 0xffff));
  store<usize>(changetype<usize>(access) + second, operand(registers, word >>> 16));
}

/** Fills the warp's ACCESS record from a texture instruction. */
function fill(code: usize, warp: Warp, registers: usize): Access {
  const access = warp.access;
  const resources = load<u32>(code, 4);
  access.texture = changetype<Texture>(record(warp, resources & 0xffff));
  access.sampler = changetype<Sampler>(record(warp, resources >>> 16));
  access.quads = warp.quadCount;
  access.mode = load<u32>(code) >>> 16;
  access.offsetX = load<i8>(code, 8);
  access.offsetY = load<i8>(code, 9);
  access.offsetZ = load<i16>(code, 10);
  pair(access, registers, load<u32>(code, 12), offsetof<Access>('u'), offsetof<Access>('v'));
  pair(access, registers, load<u32>(code, 16), offsetof<Access>('w'), offsetof<Access>('layer'));
  pair(access, registers, load<u32>(code, 20), offsetof<Access>('level'), offsetof<Access>('compare'));
  pair(access, registers, load<u32>(code, 24), offsetof<Access>('ddxU'), offsetof<Access>('ddxV'));
  pair(access, registers, load<u32>(code, 28), offsetof<Access>('ddxW'), offsetof<Access>('ddyU'));
  pair(access, registers, load<u32>(code, 32), offsetof<Access>('ddyV'), offsetof<Access>('ddyW'));
  pair(
    access,
    registers,
    load<u32>(code, 36),
    changetype<usize>(changetype<Access>(0).result),
    changetype<usize>(changetype<Access>(0).result) + 4
  );
  pair(
    access,
    registers,
    load<u32>(code, 40),
    changetype<usize>(changetype<Access>(0).result) + 8,
    changetype<usize>(changetype<Access>(0).result) + 12
  );
  return access;
}

/** OP_TEXTURE_SAMPLE. */
export function textureSample<T>(code: usize, warp: Warp, registers: usize): void {
  const access = fill(code, warp, registers);
  if (isSwizzled(access.texture)) {
    if (access.mode >= MODE_GATHER) readSwizzled(access, isVector<T>() ? gatherWarp.index : gatherWarpScalar.index);
    else readSwizzled(access, isVector<T>() ? sampleWarp.index : sampleWarpScalar.index);
  } else if (access.mode >= MODE_GATHER) {
    if (isVector<T>()) gatherWarp(access);
    else gatherWarpScalar(access);
  } else if (isVector<T>()) sampleWarp(access);
  else sampleWarpScalar(access);
}

/** OP_TEXTURE_LOAD. */
export function textureLoad<T>(code: usize, warp: Warp, registers: usize): void {
  const access = fill(code, warp, registers);
  if (isSwizzled(access.texture)) readSwizzled(access, isVector<T>() ? loadWarp.index : loadWarpScalar.index);
  else if (isVector<T>()) loadWarp(access);
  else loadWarpScalar(access);
}

function levelSize(texture: usize, field: i32, level: u32): u32 {
  return max<u32>(load<u32>(texture + field) >>> level, 1);
}

/** OP_TEXTURE_DIMENSIONS. Rare, and nearly always with a constant level, so both engines process one lane at a time. */
export function textureDimensions(code: usize, warp: Warp, registers: usize, bytes: usize): void {
  const word = load<u32>(code, 4);
  const level = low(registers, word);
  const texture = changetype<Texture>(record(warp, word >>> 16));
  const last = texture.levelCount - 1;
  for (let i: u32 = 0; i < 3; i++) {
    const dst = operand(registers, load<u16>(code + 8 + (i << 1)));
    if (!dst) continue;
    const field =
      i == 0 ? offsetof<Texture>('width') : i == 1 ? offsetof<Texture>('height') : offsetof<Texture>('depth');
    for (let lane: usize = 0; lane < bytes; lane += 4) {
      store<u32>(dst + lane, levelSize(changetype<usize>(texture), field, min<u32>(load<u32>(level + lane), last)));
    }
  }
}

/** OP_TEXTURE_LEVELS, OP_TEXTURE_SAMPLES: a field of the TEXTURE record. */
export function textureField<T>(code: usize, warp: Warp, registers: usize, field: i32): void {
  broadcast<T>(high(registers, load<u32>(code)), load<u32>(record(warp, load<u32>(code, 4)) + field));
}

/** OP_TEXTURE_LAYERS: array layers, or the number of cubes of a cube array. */
export function textureLayers<T>(code: usize, warp: Warp, registers: usize): void {
  const texture = changetype<Texture>(record(warp, load<u32>(code, 4)));
  const layers = <u32>texture.layers;
  broadcast<T>(high(registers, load<u32>(code)), texture.dimension == DIMENSION_CUBE_ARRAY ? layers / 6 : layers);
}
