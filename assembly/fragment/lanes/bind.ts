// Preparation of a warp before its shader runs, in either engine: binding the draw call's stage, and setting the active
// and killed lanes.

import { Draw, REGISTER_BYTES, Tile, Warp } from '../../layout';
import { copyLanes } from '../../simd/texels';
import { bindProgram } from '../../warp/run';

/** Identifies how a draw call is shaded. Draw calls with the same value may share a warp. */
export function shadingOf(draw: Draw): usize {
  const shading: usize = draw.shading;
  return shading ? shading : changetype<usize>(draw);
}

/**
 * Binds a warp to a draw call's stage, unless it is already bound to an equivalent one. Inlined explicitly because most
 * calls return at the first comparison: as a call, together with the other steps of shadeWarp, it made teapots 1 %
 * slower.
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
 * Marks helper lanes as killed from the start, so that they access no surface. The execution mask holds the covered
 * lanes on entry; with `helpers`, all lanes are active afterwards.
 */
export function killHelpers(warp: usize, groups: i32, helpers: bool): void {
  const end = warp + (groups << 4);
  for (let at = warp; at < end; at += 8) {
    store<u64>(changetype<Warp>(at).killed, ~load<u64>(changetype<Warp>(at).exec));
    if (helpers) store<u64>(changetype<Warp>(at).exec, -1);
  }
}

/** Sets the execution mask for `count` single pixels and returns `count`. */
export function startPixels(warp: Warp, count: i32): i32 {
  let at = warp.exec;
  for (let rest = count; rest > 0; rest -= 4) {
    copyLanes(at, rest < 4 ? (1 << rest) - 1 : 15);
    at += 16;
  }
  return count;
}

/**
 * Copies the inputs of the last pixel to the unused lanes of the last group of four. Otherwise these lanes would keep
 * the values of an earlier warp and could request pages of streamed textures that no pixel needs.
 */
export function repeatLastPixel(warp: Warp, count: i32): void {
  if (!(count & 3)) return;
  let at = warp.registers;
  for (let inputs = warp.program.inputs; inputs; inputs--) {
    const word = load<u32>(at + ((count - 1) << 2));
    for (let lane = count; lane & 3; lane++) store<u32>(at + (lane << 2), word);
    at += REGISTER_BYTES;
  }
}
