// Loads from and stores to single-sample storage textures by a quad, in lane order, for both engines, with IMAGE ACCESS
// records (layout/texture/image-access.ts). Outside the texture, loads return zeros and stores do nothing.
import { ImageAccess, OPERAND_NONE, Texture, Warp } from '../layout';
import { isBlueFirst, loadTexels, storeTexels, swapRedAndBlue, texelBytes } from '../surface/formats';
import { storageSlot } from '../surface/quad-codecs';
import { allTrue } from '../simd/lanes';
import { high, low } from './loops';
import { resource } from './memory';

/**
 * Computes the addresses of the lanes' texels in the view's only level. The address is 0 outside the texture and for
 * inactive lanes.
 */
function locate(texture: Texture, access: ImageAccess): void {
  const level = texture.level(0);
  const bytes = texelBytes(texture.format);
  // Layers of an array, or slices of a 3D texture.
  const slices = <u32>(texture.depth * texture.layers);
  for (let at = changetype<usize>(access), end = at + 16; at < end; at += 4) {
    const lane = changetype<ImageAccess>(at);
    const x = load<u32>(lane.x);
    const y = load<u32>(lane.y);
    const z = load<u32>(lane.z);
    const isThere =
      load<u32>(lane.lanes) & 1 & u32(x < <u32>texture.width) & u32(y < <u32>texture.height) & u32(z < slices);
    store<u32>(lane.addresses, isThere ? level.address + z * level.layerBytes + y * level.rowBytes + x * bytes : 0);
  }
}

/** The addresses of `locate`, for texels of `bytes`. */
function locateLanes(texture: Texture, access: ImageAccess, bytes: i32): v128 {
  const level = texture.level(0);
  const x = v128.load(access.x);
  const y = v128.load(access.y);
  const z = v128.load(access.z);
  const isInside = v128.and(
    v128.and(i32x4.lt_u(x, i32x4.splat(texture.width)), i32x4.lt_u(y, i32x4.splat(texture.height))),
    v128.and(i32x4.lt_u(z, i32x4.splat(texture.depth * texture.layers)), v128.load(access.lanes))
  );
  const column = i32x4.add(i32x4.splat(<i32>level.address), i32x4.mul(x, i32x4.splat(bytes)));
  const row = i32x4.mul(y, i32x4.splat(<i32>level.rowBytes));
  const slice = i32x4.mul(z, i32x4.splat(<i32>level.layerBytes));
  return v128.and(isInside, i32x4.add(i32x4.add(column, row), slice));
}

/** Loads for the active lanes of `access`. Other lanes get zeros. */
export function loadImageQuad(warp: Warp, index: u32, access: ImageAccess): void {
  const texture = changetype<Texture>(resource(warp, index).address);
  locate(texture, access);
  loadTexels(texture.format, access.addresses, access.texel);
}

/** Stores for the active lanes of `access`, in order. The words of `access` are overwritten. */
export function storeImageQuad(warp: Warp, index: u32, access: ImageAccess): void {
  const texture = changetype<Texture>(resource(warp, index).address);
  const format = texture.format;
  const words = access.texel;
  if (isBlueFirst(format)) swapRedAndBlue(words);
  if (ASC_FEATURE_SIMD) {
    // Both kinds of access have their words at the same offset.
    const slotAndBytes = storageSlot(format);
    call_indirect<void>(slotAndBytes >> 8, access, words);
    storeEncoded(texture, access, slotAndBytes & 0xff);
  } else {
    locate(texture, access);
    storeTexels(format, access.addresses, words);
  }
}

/** Stores four texels of `bytes`, which have replaced the words of `access`. */
function storeEncoded(texture: Texture, access: ImageAccess, bytes: i32): void {
  const from = access.texel;
  const addresses = locateLanes(texture, access, bytes);
  const first = <usize>(<u32>i32x4.extract_lane(addresses, 0));
  const row = i32x4.add(i32x4.splat(<i32>first), i32x4.mul(i32x4(0, 1, 2, 3), i32x4.splat(bytes)));
  // Invocations of a workgroup mostly write adjacent texels.
  if (first && allTrue(i32x4.eq(addresses, row))) {
    copyTexel(first, from, bytes << 2);
    return;
  }
  v128.store(access.addresses, addresses);
  for (let lane: usize = 0; lane < 4; lane++) {
    const address = <usize>load<u32>(access.addresses + (lane << 2));
    if (address) copyTexel(address, from + lane * bytes, bytes);
  }
}

/** Copies 1, 2, 4, or a multiple of 8 bytes. */
function copyTexel(to: usize, from: usize, bytes: i32): void {
  if (bytes == 4) store<u32>(to, load<u32>(from));
  else if (bytes == 1) store<u8>(to, load<u8>(from));
  else if (bytes == 2) store<u16>(to, load<u16>(from));
  else for (let i = 0; i < bytes; i += 8) store<u64>(to + i, load<u64>(from + i));
}

/** Copies four lanes. */
function copyQuad(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from));
  store<u64>(to, load<u64>(from, 8), 8);
}

/** Fills an access with the lanes and coordinates of one quad, `offset` bytes into its registers. */
function begin(code: usize, warp: usize, registers: usize, offset: usize, access: ImageAccess): void {
  const place = load<u32>(code, 4);
  const from = changetype<Warp>(warp + offset);
  for (let lane: usize = 0; lane < 16; lane += 8)
    store<u64>(access.lanes + lane, load<u64>(from.exec + lane) & ~load<u64>(from.killed + lane));
  copyQuad(access.x, low(registers, place) + offset);
  copyQuad(access.y, high(registers, place) + offset);
  copyQuad(access.z, low(registers, load<u32>(code, 8)) + offset);
}

/** OP_IMAGE_LOAD. */
export function imageLoads(code: usize, warp: Warp, registers: usize): void {
  const access = changetype<ImageAccess>(warp.access.scratch);
  const index = load<u32>(code, 8) >>> 16;
  for (let offset: usize = 0, end: usize = warp.quadCount << 4; offset < end; offset += 16) {
    begin(code, changetype<usize>(warp), registers, offset, access);
    loadImageQuad(warp, index, access);
    for (let i: usize = 0; i < 4; i++) {
      const d = <usize>load<u16>(code + 12 + (i << 1));
      if (d != OPERAND_NONE) copyQuad(registers + (d << 8) + offset, access.texel + (i << 4));
    }
  }
}

/** OP_IMAGE_STORE. */
export function imageStores(code: usize, warp: Warp, registers: usize): void {
  const access = changetype<ImageAccess>(warp.access.scratch);
  const index = load<u32>(code, 8) >>> 16;
  for (let offset: usize = 0, end: usize = warp.quadCount << 4; offset < end; offset += 16) {
    begin(code, changetype<usize>(warp), registers, offset, access);
    for (let i: usize = 0; i < 4; i++)
      copyQuad(access.texel + (i << 4), registers + (load<u16>(code + 12 + (i << 1)) << 8) + offset);
    storeImageQuad(warp, index, access);
  }
}
