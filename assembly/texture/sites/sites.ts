// Prepares the texture reads of a compiled shader for a draw call: makes SITE records (layout/warp/site.ts) from the
// compiled unit's descriptions and the bound resources. Textures of a site that are read by the same function and have
// the same size form a part; level, taps and weights are computed once per part. site-functions.ts has the functions
// that slots refer to.
import {
  Resource,
  SITE_SRGB,
  Access,
  DIMENSION_1D,
  DIMENSION_2D,
  DIMENSION_2D_ARRAY,
  DIMENSION_3D,
  FILTER_LINEAR,
  MODE_GATHER,
  MODE_IMPLICIT,
  MODE_LEVEL,
  OPERAND_NONE,
  Sampler,
  Site,
  SITE_BLUE_FIRST,
  SITE_LOD_GENERAL,
  SITE_LOD_IMPLICIT,
  SITE_LOD_LEVEL,
  SITE_LOD_NONE,
  SiteDescription,
  SitePart,
  SiteTexture,
  sizeOf,
  Texture,
  Warp,
} from '../../layout';
import { channelsOf, CLASS_SRGB, CLASS_TEXEL, classOf, isBlueFirst, narrowHalves } from '../texels/classes';
import { needsLod } from '../level';
import { cubeSlot, loadSlot, narrowSlot, pagesSlot, sampleSlot, samplesSlot, volumeSlot } from './site-functions';
import { gatherSite, generalLoad, generalSite, swizzledGather, swizzledLoad, swizzledSite } from './site-general';
import { LOAD_GENERAL, loadKind } from './site-load';
import { forgetPages } from './site-pages';
import { ADDRESS_ANY } from './site-quad';
import { isSwizzled } from '../swizzle';
import { prepareTexels } from '../texels/texels';

/** Makes a part the one that is read. */
function enterPart(site: Site, part: SitePart): void {
  site.part = part;
  site.access.texture = changetype<SiteTexture>(part.first).texture;
}

/** Compiled code calls this for each quad: reads the site with the function chosen for it. */
export function runSite(site: Site): void {
  call_indirect<void>(site.slot, site);
}

/** Reads a site of more than one part. */
function readParts(site: Site): void {
  let part = site.parts;
  for (const end = part + site.partCount * sizeOf<SitePart>(); part < end; part += sizeOf<SitePart>()) {
    enterPart(site, changetype<SitePart>(part));
    call_indirect<void>(changetype<SitePart>(part).slot, site);
  }
}

// Fills the fields of the ACCESS record that all textures of the site share.
function describeAccess(site: Site, description: SiteDescription, resources: Resource): void {
  const access = site.access;
  memory.fill(changetype<usize>(access), 0, changetype<usize>(changetype<Access>(0).scratch));
  const sampler = description.sampler;
  if (sampler != OPERAND_NONE) access.sampler = changetype<Sampler>(resources.after(sampler).address);
  access.quads = 1;
  access.mode = description.mode;
  access.offsetX = description.offsetX;
  access.offsetY = description.offsetY;
  access.offsetZ = description.offsetZ;
  const operands = description.operands;
  for (let i: u32 = 0; i < 12; i++) {
    if (!((operands >> i) & 1)) continue;
    // Both orders begin with u v w layer level; the comparison comes next in one, last in the other.
    const field =
      i < 5
        ? offsetof<Access>('u') + (i << 2)
        : i == 5
          ? offsetof<Access>('compare')
          : offsetof<Access>('ddxU') + ((i - 6) << 2);
    store<usize>(changetype<usize>(access) + field, site.operands + (i << 4));
  }
}

/** Whether site-narrow.ts reads a flat texture whose filters are alike. */
function isNarrow(site: Site, texture: Texture): bool {
  return (
    narrowHalves(texture.format) != 0
    && !texture.stream
    && site.access.sampler.mag == FILTER_LINEAR
    && !needsLod(texture, site.access.sampler)
    && (site.access.offsetX | site.access.offsetY) == 0
  );
}

/** Slot of the function that samples a texture at the site. */
function slotOfSample(site: Site, texture: Texture): u32 {
  const swizzled = isSwizzled(texture);
  if (site.access.mode >= MODE_GATHER) return swizzled ? swizzledGather.index : gatherSite.index;
  if (swizzled) return swizzledSite.index;
  const textureClass = classOf(texture.format);
  const sampler = site.access.sampler;
  const linear = sampler.mag;
  const flat = texture.dimension == DIMENSION_2D || texture.dimension == DIMENSION_2D_ARRAY;
  // Volumes have no elliptical footprints (footprints.ts).
  const mayBeEllipse = texture.dimension != DIMENSION_3D && site.access.mode != MODE_LEVEL;
  const isEllipse = sampler.anisotropy > 1 && mayBeEllipse;
  if (linear != sampler.min || isEllipse) return generalSite.index;
  if (!flat) {
    if (texture.dimension == DIMENSION_1D || textureClass == CLASS_TEXEL || texture.stream) return generalSite.index;
    return texture.dimension == DIMENSION_3D ? volumeSlot() : cubeSlot();
  }
  if (isNarrow(site, texture)) return narrowSlot(narrowHalves(texture.format));
  if (textureClass == CLASS_TEXEL) return generalSite.index;
  const address = sampler.addressU;
  const alike = address == sampler.addressV && !site.access.layer && (site.access.offsetX | site.access.offsetY) == 0;
  const chosen = alike ? address : ADDRESS_ANY;
  return texture.stream
    ? pagesSlot(textureClass, chosen, linear == FILTER_LINEAR)
    : sampleSlot(textureClass, chosen, linear == FILTER_LINEAR);
}

function slotOfLoad(site: Site, texture: Texture): u32 {
  if (isSwizzled(texture)) return swizzledLoad.index;
  const kind = loadKind(texture.format);
  if (kind == LOAD_GENERAL || texture.dimension == DIMENSION_1D || texture.stream) return generalLoad.index;
  return texture.samples == 1 ? loadSlot(kind) : samplesSlot(kind);
}

/** SITE_LOD_* of a texture. */
function lodOf(site: Site, texture: Texture, description: SiteDescription): u32 {
  const sampler = site.access.sampler;
  if (description.load || !needsLod(texture, sampler)) return SITE_LOD_NONE;
  if (description.baseLevel && sampler.lodMin <= 0) return SITE_LOD_NONE;
  const mode = site.access.mode;
  return mode == MODE_IMPLICIT ? SITE_LOD_IMPLICIT : mode == MODE_LEVEL ? SITE_LOD_LEVEL : SITE_LOD_GENERAL;
}

/** Whether two textures that are read by the same function have the same taps. */
function areAlike(a: Texture, b: Texture): bool {
  // Each streamed texture has its own pages.
  if (a.stream) return false;
  return (
    a.width == b.width
    && a.height == b.height
    && a.layers == b.layers
    && a.levelCount == b.levelCount
    && a.level(0).rowBytes == b.level(0).rowBytes
  );
}

/**
 * Enters a texture into the site: its wanted channels in memory order, and where its results go. Channels that the
 * format lacks are filled once for the whole draw call.
 */
function enterTexture(site: Site, entry: SiteTexture, texture: Texture, number: u32, wanted: u32, general: bool): void {
  const format = texture.format;
  const textureClass = classOf(format);
  let flags = wanted;
  if (isBlueFirst(format) && site.access.mode < MODE_GATHER)
    flags = (wanted & 10) | ((wanted & 1) << 2) | ((wanted >> 2) & 1) | SITE_BLUE_FIRST;
  if (textureClass == CLASS_SRGB) flags |= SITE_SRGB;
  const channels = general ? 4 : textureClass == CLASS_TEXEL ? narrowHalves(format) : channelsOf(textureClass);
  if (channels < 4) flags &= (1 << channels) - 1;
  entry.texture = texture;
  entry.flags = flags | (number << 22);
  for (let c = channels; c < 4; c++) v128.store(entry.results(site) + (c << 4), f32x4.splat(c == 3 ? 1 : 0));
}

/** Stores the range of levels that the part can read: the sampler's limits, clamped to the texture's levels. */
function limitLevels(part: SitePart, sampler: Sampler, texture: Texture): void {
  const top = <f32>(texture.levelCount - 1);
  part.high = max<f32>(0, min<f32>(top, sampler.lodMax));
  part.low = max<f32>(0, min<f32>(part.high, sampler.lodMin));
}

/** Makes the SITE record of one description. */
function openSite(site: Site, description: SiteDescription, warp: Warp): void {
  const resources = changetype<Resource>(warp.resources);
  const count = description.count;
  const loads = description.load != 0;
  site.count = count;
  site.warp = warp;
  describeAccess(site, description, resources);
  let entered: u32 = 0;
  let entry = site.textures;
  let part = changetype<SitePart>(site.parts);
  let parts = 0;
  for (let i: u32 = 0; i < count; i++) {
    if ((entered >> i) & 1) continue;
    const first = textureOf(description, resources, i);
    const slot = loads ? slotOfLoad(site, first) : slotOfSample(site, first);
    const gathers = slot == gatherSite.index || slot == swizzledGather.index;
    const swizzled = isSwizzled(first);
    const general = gathers || swizzled || slot == (loads ? generalLoad.index : generalSite.index);
    part.first = entry;
    for (let j = i; j < count; j++) {
      if ((entered >> j) & 1) continue;
      const texture = textureOf(description, resources, j);
      if (
        j != i
        && ((loads ? slotOfLoad(site, texture) : slotOfSample(site, texture)) != slot
          || (!general && !areAlike(first, texture)))
      )
        continue;
      const wanted = swizzled ? 15 : load<u32>(description.textures + (j << 2)) >> 16;
      enterTexture(site, changetype<SiteTexture>(entry), texture, j, wanted, general || loads);
      prepareTexels(changetype<SiteTexture>(entry).texels, texture.format, loads || gathers);
      entered |= 1 << j;
      entry += sizeOf<SiteTexture>();
    }
    part.slot = slot;
    part.end = entry;
    part.lod = lodOf(site, first, description);
    part.guess = 0;
    if (first.stream) forgetPages(part, first.stream);
    if (!loads) limitLevels(part, site.access.sampler, first);
    part = changetype<SitePart>(changetype<usize>(part) + sizeOf<SitePart>());
    parts++;
  }
  site.partCount = parts;
  part = changetype<SitePart>(site.parts);
  enterPart(site, part);
  site.slot = parts == 1 ? part.slot : readParts.index;
}

function textureOf(description: SiteDescription, resources: Resource, number: u32): Texture {
  return changetype<Texture>(resources.after(load<u32>(description.textures + (number << 2)) & 0xffff).address);
}

/**
 * Makes the SITE records of a warp's compiled shader from its resources, once per draw call and register file. Only
 * SIMD builds have compiled shaders.
 */
export function openSites(warp: Warp): void {
  if (ASC_FEATURE_SIMD) {
    const program = warp.program;
    let site = warp.sites;
    let description = program.sites;
    for (let left = program.siteCount; left > 0; left--) {
      openSite(changetype<Site>(site), changetype<SiteDescription>(description), warp);
      site += sizeOf<Site>();
      description += sizeOf<SiteDescription>();
    }
  }
}
