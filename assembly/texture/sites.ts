// What the texture reads of a compiled program come to in a draw: the SITE records (layout/site.ts), made from the program's descriptions and the
// resources that are bound. Textures of a site that are read alike and have the same size make a part: level, places and weights are worked out
// once for them. Neighbours: site-functions.ts has what the slots call.
import { OPERAND_NONE } from '../layout/opcodes';
import {
  ACCESS_COMPARE, ACCESS_DDX_U, ACCESS_LAYER, ACCESS_MODE, ACCESS_OFFSET_X, ACCESS_OFFSET_Y, ACCESS_QUADS, ACCESS_SAMPLER, ACCESS_SCRATCH, ACCESS_TEXTURE, ACCESS_U,
  PROGRAM_SITES, PROGRAM_SITE_COUNT, RESOURCE_ADDRESS, RESOURCE_BYTES, WARP_PROGRAM, WARP_RESOURCES, WARP_SITES,
} from '../layout/program';
import * as S from '../layout/site';
import * as T from '../layout/texture';
import { CLASS_BYTES1, CLASS_BYTES2, CLASS_HALF4, CLASS_SRGB, CLASS_TEXEL, classOf, isBlueFirst } from './classes';
import { needsLod } from './level';
import { generalLoad, generalSite } from './site-general';
import { LOAD_GENERAL, loadKind } from './site-load';
import { ADDRESS_ANY } from './site-quad';
import { loadSlot, sampleSlot } from './site-functions';

/** Enters a part into the record as the one that is read. */
// @ts-ignore: decorator
@inline function enterPart(site: usize, part: usize): void {
  const word = load<u32>(part, 4);
  const textures = site + S.SITE_TEXTURES;
  const first = textures + <usize>(word & 0xff) * S.SITE_TEXTURE_BYTES;
  store<usize>(site + S.SITE_FIRST, first);
  store<usize>(site + S.SITE_END, textures + <usize>(word >> 8 & 0xff) * S.SITE_TEXTURE_BYTES);
  store<u32>(site + S.SITE_LOD, word >> 16);
  store<u32>(site + S.SITE_ACCESS + ACCESS_TEXTURE, load<u32>(first));
}

/** What compiled programs call for a quad: reads the site by the function that was chosen for it. */
export function runSite(site: usize): void { call_indirect<void>(load<u32>(site, S.SITE_SLOT), site); }

/** Reads a site of several parts. */
function readParts(site: usize): void {
  let part = site + S.SITE_PARTS;
  for (const end = part + <usize>load<u32>(site, S.SITE_PART_COUNT) * S.SITE_PART_BYTES; part < end; part += S.SITE_PART_BYTES) {
    enterPart(site, part);
    call_indirect<void>(load<u32>(part), site);
  }
}

// Fields of the ACCESS record that all textures of the site have in common.
function describeAccess(site: usize, description: usize, resources: usize): void {
  const access = site + S.SITE_ACCESS;
  memory.fill(access, 0, ACCESS_SCRATCH);
  const sampler = load<u32>(description, S.DESCRIPTION_SAMPLER);
  if (sampler != OPERAND_NONE) store<u32>(access + ACCESS_SAMPLER, load<u32>(resources + <usize>sampler * RESOURCE_BYTES + RESOURCE_ADDRESS));
  store<u32>(access + ACCESS_QUADS, 1);
  store<u32>(access + ACCESS_MODE, load<u32>(description, S.DESCRIPTION_MODE));
  store<i32>(access + ACCESS_OFFSET_X, load<i32>(description, S.DESCRIPTION_OFFSET_X));
  store<i32>(access + ACCESS_OFFSET_Y, load<i32>(description, S.DESCRIPTION_OFFSET_Y));
  const operands = load<u32>(description, S.DESCRIPTION_OPERANDS);
  for (let i: u32 = 0; i < 12; i++) {
    if (!(operands >> i & 1)) continue;
    // Both orders are u v w layer level …; the comparison comes next in one, last in the other.
    const field = i < 5 ? ACCESS_U + <i32>(i << 2) : i == 5 ? ACCESS_COMPARE : ACCESS_DDX_U + <i32>(i - 6 << 2);
    store<usize>(access + field, site + S.SITE_OPERANDS + <usize>(i << 4));
  }
}

// @ts-ignore: decorator
@inline function hasOperand(site: usize, field: usize): bool { return load<u32>(site + S.SITE_ACCESS + field) != 0; }

/** Slot of the function that samples a texture at the site. */
function slotOfSample(site: usize, texture: usize): u32 {
  const textureClass = classOf(load<i32>(texture + T.TEXTURE_FORMAT));
  const sampler = <usize>load<u32>(site + S.SITE_ACCESS + ACCESS_SAMPLER);
  const linear = load<i32>(sampler + T.SAMPLER_MAG);
  if (textureClass == CLASS_TEXEL || linear != load<i32>(sampler + T.SAMPLER_MIN) || load<i32>(texture + T.TEXTURE_DIMENSION) != T.DIMENSION_2D || hasOperand(site, ACCESS_LAYER)) {
    return generalSite.index;
  }
  const address = load<i32>(sampler + T.SAMPLER_ADDRESS_U);
  const alike = address == load<i32>(sampler + T.SAMPLER_ADDRESS_V) && (load<i32>(site + S.SITE_ACCESS + ACCESS_OFFSET_X) | load<i32>(site + S.SITE_ACCESS + ACCESS_OFFSET_Y)) == 0;
  const bytes = textureClass == CLASS_HALF4 ? 8 : textureClass == CLASS_BYTES1 ? 1 : textureClass == CLASS_BYTES2 ? 2 : 4;
  return sampleSlot(bytes, alike ? address : ADDRESS_ANY, linear == T.FILTER_LINEAR);
}

function slotOfLoad(site: usize, texture: usize): u32 {
  const kind = loadKind(load<i32>(texture + T.TEXTURE_FORMAT));
  const flat = load<i32>(texture + T.TEXTURE_DIMENSION) == T.DIMENSION_2D && load<i32>(texture + T.TEXTURE_SAMPLES) == 1 && !hasOperand(site, ACCESS_LAYER);
  return flat && kind != LOAD_GENERAL ? loadSlot(kind) : generalLoad.index;
}

/** SITE_LOD_* of a texture. */
function lodOf(site: usize, texture: usize, loads: bool): u32 {
  if (loads || !needsLod(texture, <usize>load<u32>(site + S.SITE_ACCESS + ACCESS_SAMPLER))) return S.SITE_LOD_NONE;
  const mode = load<i32>(site + S.SITE_ACCESS + ACCESS_MODE);
  return mode == T.MODE_IMPLICIT ? S.SITE_LOD_IMPLICIT : mode == T.MODE_LEVEL ? S.SITE_LOD_LEVEL : S.SITE_LOD_GENERAL;
}

/** Whether two textures that are read by the same function have the same places. */
function areAlike(a: usize, b: usize): bool {
  return load<u64>(a + T.TEXTURE_WIDTH) == load<u64>(b + T.TEXTURE_WIDTH) && load<u32>(a + T.TEXTURE_LEVELS) == load<u32>(b + T.TEXTURE_LEVELS)
    && load<u32>(a + T.TEXTURE_LEVEL0 + T.LEVEL_ROW_BYTES) == load<u32>(b + T.TEXTURE_LEVEL0 + T.LEVEL_ROW_BYTES);
}

/** Enters a texture into the site: wanted channels in memory's order, and where results go. Channels that the format lacks get their value for the whole draw. */
function enterTexture(site: usize, entry: usize, texture: usize, number: u32, wanted: u32, general: bool): void {
  const format = load<i32>(texture + T.TEXTURE_FORMAT);
  const textureClass = classOf(format);
  const results = site + S.SITE_RESULTS + <usize>(number << 6);
  let flags = wanted;
  if (isBlueFirst(format)) flags = wanted & 10 | (wanted & 1) << 2 | wanted >> 2 & 1 | S.SITE_BLUE_FIRST;
  if (textureClass == CLASS_SRGB) flags |= S.SITE_SRGB;
  if (!general && (textureClass == CLASS_BYTES1 || textureClass == CLASS_BYTES2)) {
    const channels: u32 = textureClass == CLASS_BYTES1 ? 1 : 2;
    flags &= (1 << channels) - 1;
    for (let c = channels; c < 4; c++) v128.store(results + <usize>(c << 4), f32x4.splat(c == 3 ? 1 : 0));
  }
  store<u32>(entry, <u32>texture);
  store<u32>(entry, flags | number << 22, 4);
  store<u32>(entry + S.SITE_GUESSES - S.SITE_TEXTURES, 0);
}

/** Notes between which levels the part's reads lie: the limits of the sampler, within those of the texture. */
function limitLevels(site: usize, entry: usize, texture: usize): void {
  const sampler = <usize>load<u32>(site + S.SITE_ACCESS + ACCESS_SAMPLER);
  const top = <f32>(load<i32>(texture + T.TEXTURE_LEVELS) - 1);
  const high = max<f32>(0, min<f32>(top, load<f32>(sampler + T.SAMPLER_LOD_MAX)));
  const limits = site + S.SITE_LIMITS + entry * S.SITE_TEXTURE_BYTES;
  store<f32>(limits, max<f32>(0, min<f32>(high, load<f32>(sampler + T.SAMPLER_LOD_MIN))));
  store<f32>(limits, high, 4);
}

/** Makes the SITE record of one description. */
function openSite(site: usize, description: usize, warp: usize): void {
  const resources = load<usize>(warp + WARP_RESOURCES);
  const count = load<u32>(description, S.DESCRIPTION_COUNT);
  const loads = load<u32>(description, S.DESCRIPTION_LOAD) != 0;
  store<u32>(site + S.SITE_COUNT, count);
  store<usize>(site + S.SITE_WARP, warp);
  describeAccess(site, description, resources);
  let entered: u32 = 0;
  let entries: u32 = 0;
  let part = site + S.SITE_PARTS;
  for (let i: u32 = 0; i < count; i++) {
    if (entered >> i & 1) continue;
    const first = textureOf(description, resources, i);
    const slot = loads ? slotOfLoad(site, first) : slotOfSample(site, first);
    const general = slot == (loads ? generalLoad.index : generalSite.index);
    const begin = entries;
    for (let j = i; j < count; j++) {
      if (entered >> j & 1) continue;
      const texture = textureOf(description, resources, j);
      if (j != i && ((loads ? slotOfLoad(site, texture) : slotOfSample(site, texture)) != slot || !general && !areAlike(first, texture))) continue;
      const wanted = load<u32>(description + <usize>(j << 2), S.DESCRIPTION_TEXTURES) >> 16;
      enterTexture(site, site + S.SITE_TEXTURES + <usize>entries * S.SITE_TEXTURE_BYTES, texture, j, wanted, general || loads);
      entered |= 1 << j;
      entries++;
    }
    if (!loads) limitLevels(site, begin, first);
    store<u32>(part, slot);
    store<u32>(part, begin | entries << 8 | lodOf(site, first, loads) << 16, 4);
    part += S.SITE_PART_BYTES;
  }
  const parts = <u32>(part - site - S.SITE_PARTS) / S.SITE_PART_BYTES;
  store<u32>(site + S.SITE_PART_COUNT, parts);
  enterPart(site, site + S.SITE_PARTS);
  store<u32>(site + S.SITE_SLOT, parts == 1 ? load<u32>(site, S.SITE_PARTS) : readParts.index);
}

// TEXTURE record of a description's texture.
// @ts-ignore: decorator
@inline function textureOf(description: usize, resources: usize, number: u32): usize {
  const resource = load<u32>(description + <usize>(number << 2), S.DESCRIPTION_TEXTURES) & 0xffff;
  return <usize>load<u32>(resources + <usize>resource * RESOURCE_BYTES + RESOURCE_ADDRESS);
}

/** Makes the SITE records of a warp's program from its resources. Needed once a draw and register file; only SIMD builds have compiled programs. */
export function openSites(warp: usize): void {
  if (ASC_FEATURE_SIMD) {
    const program = load<usize>(warp + WARP_PROGRAM);
    let site = load<usize>(warp + WARP_SITES);
    let description = load<usize>(program + PROGRAM_SITES);
    for (let left = load<u32>(program + PROGRAM_SITE_COUNT); left > 0; left--) {
      openSite(site, description, warp);
      site += S.SITE_BYTES;
      description += S.DESCRIPTION_BYTES;
    }
  }
}
