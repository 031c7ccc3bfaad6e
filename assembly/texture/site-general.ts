// Texture reads of a site that no function is made for: the warp's way (sample.ts, load.ts), with one quad.
import { Access, Site, SITE_BLUE_FIRST, SiteTexture, sizeOf } from '../layout';
import { loadWarp } from './load';
import { sampleWarp } from './sample';

/** Fills the warp's ACCESS record for one texture. */
function fill(site: Site, entry: SiteTexture): Access {
  const access = site.warp.access;
  memory.copy(
    changetype<usize>(access), changetype<usize>(site.access), changetype<usize>(changetype<Access>(0).scratch)
  );
  access.texture = entry.texture;
  const flags = entry.flags;
  for (let c: u32 = 0; c < 4; c++) {
    // Wanted channels are counted in memory's order, results are not.
    const channel = flags & SITE_BLUE_FIRST && !(c & 1) ? c ^ 2 : c;
    store<usize>(access.result + (c << 2), flags >> channel & 1 ? entry.results(site) + (c << 4) : 0);
  }
  return access;
}

/** Samples the textures of the site's part, one after the other. */
export function generalSite(site: Site): void {
  const end = site.part.end;
  for (let entry = site.part.first; entry < end; entry += sizeOf<SiteTexture>())
    sampleWarp(fill(site, changetype<SiteTexture>(entry)));
}

/** Loads texels of the textures of the site's part. */
export function generalLoad(site: Site): void {
  const end = site.part.end;
  for (let entry = site.part.first; entry < end; entry += sizeOf<SiteTexture>())
    loadWarp(fill(site, changetype<SiteTexture>(entry)));
}
