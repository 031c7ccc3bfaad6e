// Calls a site for many quads, as compiled code does; for tests and benchmarks, in the testing build only.
import { Site } from '../../layout';

/**
 * Reads `quads` quads at a site. `given` has bit i set for each supplied operand i of Site.operands; `operands` holds
 * one v128 for each, quad after quad. The results of all textures (64 bytes each) go to `results`, quad after quad; if
 * it is 0, they stay in the site.
 */
export function readSite(site: Site, quads: i32, given: u32, operands: usize, results: usize): void {
  const slot = site.slot;
  const bytes = site.count << 6;
  for (let i = 0; i < quads; i++) {
    for (let rest = given; rest; rest &= rest - 1) {
      v128.store(site.operands + (ctz(rest) << 4), v128.load(operands));
      operands += 16;
    }
    call_indirect<void>(slot, site);
    if (!results) continue;
    memory.copy(results, site.results, bytes);
    results += bytes;
  }
}
