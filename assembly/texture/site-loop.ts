// A site called for many quads, as compiled code calls it: for tests and benchmarks, in the testing build alone.
import { Site } from '../layout';

/**
 * Reads `quads` quads at a site. `given`: bit i for operand i of Site.operands; `operands`: a v128 for each of them,
 * quad after quad. The results of all textures (64 bytes each) go to `results`, quad after quad; 0 leaves them in the
 * site.
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
