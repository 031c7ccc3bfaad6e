// Texture reads of a site without a specialized function: the general path (quad.ts, load.ts), texture by texture.
import { MODE_GATHER, QuadRead, Site, SITE_BLUE_FIRST, SiteTexture, sizeOf, SWIZZLE_ZERO } from '../../layout';
import { sampleEllipse } from '../ellipse';
import { hasEllipse } from '../footprints';
import { gatherQuad } from '../gather';
import { loadQuad } from '../load';
import { needsLod } from '../level';
import { lodsOfQuad } from '../lods';
import { sampleQuad } from '../quad';
import { constantOf, sourceOf, swizzleTexels } from '../swizzle';

// Copies a read's channels to the results of one of the site's textures. Wanted channels are numbered in memory order,
// results in rgba order.
function putResults(read: QuadRead, results: usize, flags: u32): void {
  const blue = flags & SITE_BLUE_FIRST;
  if (flags & 1) v128.store(results + blue, v128.load(read.result));
  if (flags & 2) v128.store(results, v128.load(read.result, 16), 16);
  if (flags & 4) v128.store(results + (blue ^ 32), v128.load(read.result, 32));
  if (flags & 8) v128.store(results, v128.load(read.result, 48), 48);
}

/** Samples the textures of the site's part, one after the other. */
export function generalSite(site: Site): void {
  const access = site.access;
  const read = site.warp.access.quadRead;
  const first = access.texture;
  const part = site.part;
  for (let entry = part.first; entry < part.end; entry += sizeOf<SiteTexture>()) {
    const texture = changetype<SiteTexture>(entry);
    access.texture = texture.texture;
    read.format = texture.texels;
    read.wanted = texture.flags & 15;
    if (hasEllipse(access)) sampleEllipse(access, read, 0);
    else
      sampleQuad(access, read, 0, needsLod(texture.texture, access.sampler) ? lodsOfQuad(access, 0) : f32x4.splat(0));
    putResults(read, texture.results(site), texture.flags);
  }
  access.texture = first;
}

/** Gathers from the textures of the site's part. */
export function gatherSite(site: Site): void {
  const access = site.access;
  const read = site.warp.access.quadRead;
  const first = access.texture;
  const part = site.part;
  for (let entry = part.first; entry < part.end; entry += sizeOf<SiteTexture>()) {
    const texture = changetype<SiteTexture>(entry);
    access.texture = texture.texture;
    read.format = texture.texels;
    gatherQuad(access, read, 0);
    memory.copy(texture.results(site), read.result, 64);
  }
  access.texture = first;
}

/** Loads texels from the textures of the site's part. */
export function generalLoad(site: Site): void {
  const access = site.access;
  const read = site.warp.access.quadRead;
  const first = access.texture;
  const part = site.part;
  for (let entry = part.first; entry < part.end; entry += sizeOf<SiteTexture>()) {
    const texture = changetype<SiteTexture>(entry);
    access.texture = texture.texture;
    read.format = texture.texels;
    loadQuad(access, read, 0);
    putResults(read, texture.results(site), texture.flags);
  }
  access.texture = first;
}

// Applies the swizzles of the part's textures, all of whose channels were read.
function moveChannels(site: Site): void {
  const part = site.part;
  for (let entry = part.first; entry < part.end; entry += sizeOf<SiteTexture>()) {
    const texture = changetype<SiteTexture>(entry);
    swizzleTexels(texture.texture, texture.results(site));
  }
}

/** generalSite for swizzled views. */
export function swizzledSite(site: Site): void {
  generalSite(site);
  moveChannels(site);
}

/** generalLoad for swizzled views. */
export function swizzledLoad(site: Site): void {
  generalLoad(site);
  moveChannels(site);
}

/** gatherSite for swizzled views. */
export function swizzledGather(site: Site): void {
  const access = site.access;
  const read = site.warp.access.quadRead;
  const first = access.texture;
  const mode = access.mode;
  const part = site.part;
  for (let entry = part.first; entry < part.end; entry += sizeOf<SiteTexture>()) {
    const texture = changetype<SiteTexture>(entry);
    const results = texture.results(site);
    const source = sourceOf(texture.texture, mode - MODE_GATHER);
    if (source >= SWIZZLE_ZERO) {
      const constant = i32x4.splat(constantOf(texture.texture, source));
      for (let at: usize = 0; at < 64; at += 16) v128.store(results + at, constant);
      continue;
    }
    access.mode = MODE_GATHER + source;
    access.texture = texture.texture;
    read.format = texture.texels;
    gatherQuad(access, read, 0);
    memory.copy(results, read.result, 64);
  }
  access.mode = mode;
  access.texture = first;
}
