// What comes before a warp's program, whoever runs it: the draw's stage is bound, lanes and killed lanes are set.

import { Draw, REGISTER_BYTES, Tile, Warp } from '../layout';
import { copyLanes } from '../simd/texels';
import { bindProgram } from '../warp/run';

/** What draws that are shaded alike have in common: equal for those that may share a warp. */
export function shadingOf(draw: Draw): usize {
  const shading: usize = draw.shading;
  return shading ? shading : changetype<usize>(draw);
}

/**
 * Binds a warp to a draw's stage, unless it is bound to its like. (Inlined by order: most warps stop at the first
 * comparison, and as a call it took teapots 1 % longer, with the other steps of shadeWarp.)
 */
// @ts-ignore: decorator
@inline
export function bind(tile: Tile, warp: Warp, draw: Draw): void {
  const shading = shadingOf(draw);
  if (tile.bound == shading) return;
  const stage = draw.fragment;
  warp.stage = stage;
  warp.program = stage.program;
  warp.resources = stage.resources;
  bindProgram(warp, stage.uniforms);
  warp.bound = shading;
  tile.bound = shading;
}

/**
 * Helpers access no surface: they count as killed from the start. The execution mask holds the covered lanes;
 * `helpers`: then all lanes.
 */
export function killHelpers(warp: usize, groups: i32, helpers: bool): void {
  const end = warp + (groups << 4);
  for (let at = warp; at < end; at += 8) {
    store<u64>(changetype<Warp>(at).killed, ~load<u64>(changetype<Warp>(at).exec));
    if (helpers) store<u64>(changetype<Warp>(at).exec, -1);
  }
}

/** Sets the execution mask for single pixels; returns their number. */
export function startPixels(warp: Warp, count: i32): i32 {
  let at = warp.exec;
  for (let rest = count; rest > 0; rest -= 4) {
    copyLanes(at, rest < 4 ? (1 << rest) - 1 : 15);
    at += 16;
  }
  return count;
}

/**
 * Has unused lanes of the last group of four pixels read what the last pixel reads: on what other warps have left there
 * they would ask for pages of streamed textures that nobody needs.
 */
export function repeatLastPixel(warp: Warp, count: i32): void {
  if (!(count & 3)) return;
  let at = warp.registers;
  for (let inputs = warp.program.inputs; inputs; inputs--) {
    const word = load<u32>(at + (count - 1 << 2));
    for (let lane = count; lane & 3; lane++) store<u32>(at + (lane << 2), word);
    at += REGISTER_BYTES;
  }
}
