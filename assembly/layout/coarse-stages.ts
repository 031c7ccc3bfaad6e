// COARSE STAGES: a fragment program of which some stages are coarse and others finer, at rates that are not 1×1 (at 1×1
// it is run as a whole, by the DRAW that triangles point to). One record a draw with rates:
//
//   DRAW ──> COARSE STAGES ──> DRAW: coarse stages, once for each coarse pixel; results are links
//                        └───> DRAW: the stages of pixels, for those that these stand for, and SAMPLE SETS of theirs
//
// What the second part needs of the first are links: the output registers of the one, input registers of the other.
// Both records are as the first, with registers of their own. Written by src/render (src/render/coarse-stages.ts).

import { Draw } from './draw';

@unmanaged
export class CoarseStages {
  /** Of the coarse stages; of what is behind them. */
  coarse: Draw;
  pixels: Draw;
  /** First of its input registers that are links, and how many there are. */
  linkTo: i32;
  linkCount: i32;
  /** 1: some part takes derivatives, so that coarse quads, and quads of pixels, are run as a whole. */
  byQuads: i32;
}
