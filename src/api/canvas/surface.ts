// The interface between a canvas context and its canvas. Pages with their workers, and Node, implement it
// (src/page/canvas.ts, src/node/canvas.ts).

/** A canvas, as its context sees it. */
export interface Surface {
  /** The value of `context.canvas`. */
  readonly canvas: object;
  /** Size in pixels, as the application has set it. */
  readonly width: number;
  readonly height: number;
  /** The width or height was set, which clears the canvas. The old picture may stay until the next frame is shown. */
  cleared(): void;
  /** The application got a texture. The surface must call `ended` when the texture's frame has ended. */
  frameBegan(ended: () => void): void;
  /**
   * Shows a finished frame from now on; null shows nothing. Called in queue order, after the frame's work. The surface
   * owns the picture and releases it.
   */
  show(picture: Picture | null): void;
}

/** The result of a frame. Its memory stays allocated until it is released. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly colorSpace: PredefinedColorSpace;
  /** Whether every alpha value is 255. */
  readonly opaque: boolean;
  /**
   * Writes the picture as rgba8 with straight (not premultiplied) alpha, row by row. The texels are those at the time
   * of the call.
   */
  read(target: Uint8ClampedArray): void;
  release(): void;
}
