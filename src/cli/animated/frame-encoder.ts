// What the encoders of animated pictures have in common.

/** What is known before the first frame. */
export interface AnimationShape {
  readonly width: number;
  readonly height: number;
  /** Number of frames. */
  readonly count: number;
  readonly fps: number;
  /** How often the frames are shown; 0: for ever. */
  readonly loop: number;
  /** Whether pixels may be transparent. */
  readonly transparent: boolean;
}

/** Bytes of a file: at its end, or at a position that was written before. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly position?: number;
}

/** Makes the parts of a file. */
export interface FrameEncoder {
  start(): Part[];
  /** @param pixels RGBA, which must not change afterwards */
  frame(pixels: Uint8Array): Promise<Part[]>;
  end(): Part[];
}
