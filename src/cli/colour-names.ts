// The basic colour names of CSS (CSS Color 4 §6.1: the first sixteen, and a few greys of its longer list).

/** Red, green and blue as 0xrrggbb. */
export const COLOUR_NAMES: Readonly<Record<string, number>> = {
  black: 0x000000, silver: 0xc0c0c0, gray: 0x808080, grey: 0x808080, white: 0xffffff, maroon: 0x800000, red: 0xff0000,
  purple: 0x800080, fuchsia: 0xff00ff, green: 0x008000, lime: 0x00ff00, olive: 0x808000, yellow: 0xffff00,
  navy: 0x000080, blue: 0x0000ff, teal: 0x008080, aqua: 0x00ffff, orange: 0xffa500, lightgray: 0xd3d3d3,
  lightgrey: 0xd3d3d3, darkgray: 0xa9a9a9, darkgrey: 0xa9a9a9, dimgray: 0x696969, dimgrey: 0x696969,
  whitesmoke: 0xf5f5f5, gainsboro: 0xdcdcdc,
};
