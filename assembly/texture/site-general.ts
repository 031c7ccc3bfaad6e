// Texture reads of a site that no function is made for: the warp's way (sample.ts, load.ts), with one quad.
import { ACCESS_RESULT, ACCESS_SCRATCH, ACCESS_TEXTURE, WARP_ACCESS } from '../layout/program';
import { SITE_ACCESS, SITE_BLUE_FIRST, SITE_END, SITE_FIRST, SITE_RESULTS, SITE_TEXTURE_BYTES, SITE_WARP } from '../layout/site';
import { loadWarp } from './load';
import { sampleWarp } from './sample';

/** Fills the warp's ACCESS record for one texture. */
function fill(site: usize, entry: usize): usize {
  const access = <usize>load<u32>(site, SITE_WARP) + WARP_ACCESS;
  memory.copy(access, site + SITE_ACCESS, ACCESS_SCRATCH);
  store<u32>(access + ACCESS_TEXTURE, load<u32>(entry));
  const flags = load<u32>(entry, 4);
  const results = site + SITE_RESULTS + <usize>(flags >> 16);
  for (let c: u32 = 0; c < 4; c++) {
    // Wanted channels are counted in memory's order, results are not.
    const channel = flags & SITE_BLUE_FIRST && !(c & 1) ? c ^ 2 : c;
    store<usize>(access + ACCESS_RESULT + <usize>(c << 2), flags >> channel & 1 ? results + <usize>(c << 4) : 0);
  }
  return access;
}

/** Samples the textures of the site's part, one after the other. */
export function generalSite(site: usize): void {
  const end = <usize>load<u32>(site, SITE_END);
  for (let entry = <usize>load<u32>(site, SITE_FIRST); entry < end; entry += SITE_TEXTURE_BYTES) sampleWarp(fill(site, entry));
}

/** Loads texels of the textures of the site's part. */
export function generalLoad(site: usize): void {
  const end = <usize>load<u32>(site, SITE_END);
  for (let entry = <usize>load<u32>(site, SITE_FIRST); entry < end; entry += SITE_TEXTURE_BYTES) loadWarp(fill(site, entry));
}
