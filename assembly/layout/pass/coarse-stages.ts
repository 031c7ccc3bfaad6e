// COARSE STAGES: a fragment shader with coarse stages and finer ones, at rates other than 1×1. (At 1×1 it runs as a
// whole, with the DRAW that triangles refer to.) There is one record per draw call with rates:
//
//   DRAW ──> COARSE STAGES ──> DRAW: coarse stages, once for each coarse pixel; their results are links
//                         └──> DRAW: pixel stages, for the pixels that these stand for, and their SAMPLE SETS
//
// The second part receives values of the first through links: output registers of the first part, input registers of
// the second. Both DRAW records equal the original, but have their own registers. Written by
// src/render/pipeline/coarse-stages.ts.

import { Draw } from './draw';

/** COARSE STAGES: see the top of the file. */
@unmanaged
export class CoarseStages {
  /** DRAW of the coarse stages, and of the stages that follow them. */
  coarse: Draw;
  pixels: Draw;
  /** First input register of the second part that is a link, and the number of links. */
  linkTo: i32;
  linkCount: i32;
  /** 1: some part takes derivatives, so coarse quads and quads of pixels run as a whole. */
  byQuads: i32;
}
