/** The approximate luminance of a color (0xrrggbb), 0 … 1. */
export const luminance = (color: number): number =>
  [color >> 16, (color >> 8) & 255, color & 255].reduce(
    (sum, c, i) => sum + (c / 255) ** 2.2 * [0.2126, 0.7152, 0.0722][i],
    0
  );
