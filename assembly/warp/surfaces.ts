// Accesses of a quad to surfaces, and loads of samples of sampled textures, for both engines, with SURFACE ACCESS
// records (layout/surface/surface-access.ts).
import {
  LoadStoreUnit,
  OPERAND_NONE,
  Surface,
  SURFACE_WITHOUT_STATES,
  SurfaceAccess,
  Texture,
  Tile,
  Warp,
} from '../layout';
import { loadQuad, storeQuad } from '../surface/quads';
import { surfaceLoad, surfaceStore } from '../surface/unit';
import { loadSamples } from '../texture/load-samples';
import { broadcast, high, low } from './loops';
import { resource } from './memory';

/** The load/store unit of a fragment shader's tile. */
function unitOf(warp: Warp): LoadStoreUnit {
  return changetype<Tile>(warp.tile).loadStoreUnit;
}

/** Address of the SURFACE or TEXTURE record of a resource. */
function surfaceOf(warp: Warp, index: u32): usize {
  return resource(warp, index & 0xffff).address;
}

/**
 * Loads for the active lanes of `access`. Inactive lanes and lanes with a faulty access get zeros and the complete mask
 * that they requested, so that a loop over the remaining samples also ends for them. `index` is the resource, combined
 * with SURFACE_WITHOUT_STATES.
 */
export function loadSurfaceQuad(warp: Warp, index: u32, access: SurfaceAccess): void {
  const unit = unitOf(warp);
  const surface = changetype<Surface>(surfaceOf(warp, index));
  if (ASC_FEATURE_SIMD) {
    if (unit && loadQuad(unit, surface, access, !(index & SURFACE_WITHOUT_STATES))) return;
  }
  loadLanes(unit, surface, access);
}

/** Loads lane by lane. */
export function loadLanes(unit: LoadStoreUnit, surface: Surface, access: SurfaceAccess): void {
  const out = access.scratch;
  for (let at = changetype<usize>(access), end = changetype<usize>(access) + 16; at < end; at += 4) {
    const lane = changetype<SurfaceAccess>(at);
    const mask = load<i32>(lane.mask);
    if (load<i32>(lane.lanes)) {
      surfaceLoad(unit, surface, load<i32>(lane.x), load<i32>(lane.y), mask, out);
      if (!load<i32>(out, 16)) store<i32>(out, mask, 16);
    } else {
      memory.fill(out, 0, 24);
      store<i32>(out, mask, 16);
    }
    for (let channel: usize = 0; channel < 4; channel++)
      store<u32>(lane.texel + (channel << 4), load<u32>(out + (channel << 2)));
    store<u32>(lane.known, load<u32>(out, 16));
    store<u32>(lane.state, load<u32>(out, 20));
  }
}

/** Stores for the active lanes of `access`. */
export function storeSurfaceQuad(warp: Warp, index: u32, access: SurfaceAccess): void {
  const unit = unitOf(warp);
  const surface = changetype<Surface>(surfaceOf(warp, index));
  if (ASC_FEATURE_SIMD) if (unit && storeQuad(unit, surface, access)) return;
  storeLanes(unit, surface, access);
}

/** Stores lane by lane. */
export function storeLanes(unit: LoadStoreUnit, surface: Surface, access: SurfaceAccess): void {
  const value = access.scratch;
  for (let at = changetype<usize>(access), end = changetype<usize>(access) + 16; at < end; at += 4) {
    const lane = changetype<SurfaceAccess>(at);
    if (!load<i32>(lane.lanes)) continue;
    for (let channel: usize = 0; channel < 4; channel++)
      store<u32>(value + (channel << 2), load<u32>(lane.texel + (channel << 4)));
    surfaceStore(unit, surface, load<i32>(lane.x), load<i32>(lane.y), load<i32>(lane.mask), value);
  }
}

/** Copies four lanes. */
function copyQuad(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from));
  store<u64>(to, load<u64>(from, 8), 8);
}

/**
 * Common part of OP_SURFACE_LOAD, OP_SURFACE_STORE and OP_TEXTURE_LOAD_SAMPLES: fills an access with the lanes,
 * coordinates and mask of one quad, `offset` bytes into its registers.
 */
function begin(code: usize, warp: usize, registers: usize, offset: usize, access: SurfaceAccess): void {
  const place = load<u32>(code, 4);
  const lanes = access.lanes;
  store<u64>(
    lanes,
    load<u64>(changetype<Warp>(warp + offset).exec) & ~load<u64>(changetype<Warp>(warp + offset).killed)
  );
  store<u64>(
    lanes,
    load<u64>(changetype<Warp>(warp + offset).exec, 8) & ~load<u64>(changetype<Warp>(warp + offset).killed, 8),
    8
  );
  copyQuad(access.x, low(registers, place) + offset);
  copyQuad(access.y, high(registers, place) + offset);
  copyQuad(access.mask, low(registers, load<u32>(code, 8)) + offset);
}

/** OP_SURFACE_LOAD. */
export function surfaceLoads(code: usize, warp: Warp, registers: usize): void {
  const access = changetype<SurfaceAccess>(warp.access.scratch);
  const index = (load<u32>(code, 8) >>> 16) | (load<u16>(code, 22) == OPERAND_NONE ? SURFACE_WITHOUT_STATES : 0);
  for (let offset: usize = 0, end: usize = warp.quadCount << 4; offset < end; offset += 16) {
    begin(code, changetype<usize>(warp), registers, offset, access);
    loadSurfaceQuad(warp, index, access);
    keep(code, registers + offset, access);
  }
}

/** Copies the results of a load that are used to the quad's registers. */
function keep(code: usize, registers: usize, access: SurfaceAccess): void {
  for (let i: usize = 0; i < 6; i++) {
    const d = <usize>load<u16>(code + 12 + (i << 1));
    if (d != OPERAND_NONE) copyQuad(registers + (d << 8), access.texel + (i << 4));
  }
}

/** OP_SURFACE_STORE. */
export function surfaceStores(code: usize, warp: Warp, registers: usize): void {
  const access = changetype<SurfaceAccess>(warp.access.scratch);
  const index = load<u32>(code, 8) >>> 16;
  for (let offset: usize = 0, end: usize = warp.quadCount << 4; offset < end; offset += 16) {
    begin(code, changetype<usize>(warp), registers, offset, access);
    for (let i: usize = 0; i < 4; i++)
      copyQuad(access.texel + (i << 4), registers + (load<u16>(code + 12 + (i << 1)) << 8) + offset);
    storeSurfaceQuad(warp, index, access);
  }
}

/** Loads samples of a sampled texture for a quad. `index` as for loadSurfaceQuad. */
export function loadSamplesQuad(warp: Warp, index: u32, access: SurfaceAccess): void {
  const texture = changetype<Texture>(surfaceOf(warp, index));
  loadSamples(texture, warp.access.quadRead, access, 0, !(index & SURFACE_WITHOUT_STATES));
}

/** OP_TEXTURE_LOAD_SAMPLES. */
export function sampleLoads(code: usize, warp: Warp, registers: usize): void {
  const access = changetype<SurfaceAccess>(warp.access.scratch);
  const texture = changetype<Texture>(surfaceOf(warp, load<u32>(code, 8) >>> 16));
  const states = load<u16>(code, 22) != OPERAND_NONE;
  for (let offset: usize = 0, end: usize = warp.quadCount << 4; offset < end; offset += 16) {
    begin(code, changetype<usize>(warp), registers, offset, access);
    loadSamples(texture, warp.access.quadRead, access, offset, states);
    keep(code, registers + offset, access);
  }
}

/** OP_SURFACE_FIELD. */
export function surfaceField<T>(code: usize, warp: Warp, registers: usize): void {
  const word = load<u32>(code, 4);
  broadcast<T>(high(registers, load<u32>(code)), load<u32>(surfaceOf(warp, word & 0xffff) + (word >>> 16)));
}
