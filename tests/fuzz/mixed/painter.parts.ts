// What the painter keeps while it draws, and the pages that it streams.
import type { TextureStream } from '../../../src/index';
import type { Draw, Frame, Pass } from './frames';
import { type Made } from './pipelines';
import { type Reading } from './reading';
import { type Resource } from './shader';

export const MAP_SIDE = 32;
export const MAP_LEVELS = 3;
export const PAGE = 16;

/** Texels of a part of a level of the texture that shaders read. */
export function texels(level: number, left: number, top: number, side: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: side * side * 4 }, (_, i) => {
    const texel = i >> 2;
    const x = left + (texel % side);
    const y = top + Math.floor(texel / side);
    return Math.imul(x * 31 + y * 97 + (i & 3) * 7 + level * 1009 + 1, 0x9e3779b1) >>> 24;
  });
}
export const loaderOf = (delays: readonly number[]): TextureStream['loadPage'] => {
  let calls = 0;
  return async (level, x, y) => {
    const delay = delays[calls++ % delays.length]!;
    if (delay >= 0) await new Promise((turn) => setTimeout(turn, delay));
    return texels(level, x * PAGE, y * PAGE, Math.min(PAGE, MAP_SIDE >> level));
  };
};

/** Buffers of a draw call, which all repetitions share. */
export interface Prepared {
  readonly draw: Draw;
  readonly made: Made;
  readonly vertices: GPUBuffer;
  readonly indices: GPUBuffer | null;
  readonly count: number;
}
export type Piece = GPUBuffer | GPUTexture | GPUSampler;
export type Pieces = ReadonlyMap<Resource, Piece>;
export interface Targets {
  readonly colors: readonly GPUTexture[];
  readonly depth: GPUTexture | null;
}
export type Kept = { destroy(): void };

export interface PassParts {
  readonly frame: Frame;
  readonly pass: Pass;
  readonly draws: readonly Prepared[];
  readonly targets: Targets;
  readonly pieces: Pieces;
  /** Indirect arguments of all draw calls, if any has them. */
  readonly called: GPUBuffer | null;
  readonly reading: Reading;
  readonly number: number;
}
interface Sink {
  readonly vertices: GPUBuffer;
  readonly counts: GPUBuffer;
}
export interface Sinks {
  readonly sinks: ReadonlyMap<Prepared, Sink>;
}
