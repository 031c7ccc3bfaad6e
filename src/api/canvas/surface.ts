// What a canvas context asks of the canvas that it belongs to. Pages, their workers and Node have one each
// (src/page/canvas.ts, src/node/canvas.ts).

/** A canvas, as its context sees it. */
export interface Surface {
  /** What `context.canvas` gives. */
  readonly canvas: object;
  /** As the program has set them, in pixels. */
  readonly width: number;
  readonly height: number;
  /** A side was set, which has cleared the canvas: what it showed may stay until the frame that begins is shown. */
  cleared(): void;
  /** A texture was given out. `ended` is to be called when the frame that it is for has ended. */
  frameBegan(ended: () => void): void;
  /**
   * Shows what the frame has drawn, from now on; null: nothing. Called in queue order, when it is drawn. The picture is
   * the surface's, which releases it.
   */
  show(picture: Picture | null): void;
}

/** What a frame has drawn. Its memory stays until it is released. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly colorSpace: PredefinedColorSpace;
  /** Every alpha is 255. */
  readonly opaque: boolean;
  /** Writes rgba8 with alpha not multiplied in, row by row, as it is when the queue comes here. */
  read(target: Uint8ClampedArray): void;
  release(): void;
}
