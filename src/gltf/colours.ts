// Colours as text: hexadecimal digits, or the basic colour names of CSS.
import { closestWord } from '../base/closest-word';

/** CSS Color 4 §6.1: the first sixteen, and a few greys of its longer list. Red, green and blue as 0xrrggbb. */
const COLOUR_NAMES: Readonly<Record<string, number>> = {
  black: 0x000000,
  silver: 0xc0c0c0,
  gray: 0x808080,
  grey: 0x808080,
  white: 0xffffff,
  maroon: 0x800000,
  red: 0xff0000,
  purple: 0x800080,
  fuchsia: 0xff00ff,
  green: 0x008000,
  lime: 0x00ff00,
  olive: 0x808000,
  yellow: 0xffff00,
  navy: 0x000080,
  blue: 0x0000ff,
  teal: 0x008080,
  aqua: 0x00ffff,
  orange: 0xffa500,
  lightgray: 0xd3d3d3,
  lightgrey: 0xd3d3d3,
  darkgray: 0xa9a9a9,
  darkgrey: 0xa9a9a9,
  dimgray: 0x696969,
  dimgrey: 0x696969,
  whitesmoke: 0xf5f5f5,
  gainsboro: 0xdcdcdc,
};

/** sRGB colour and alpha, 0 to 255 each. */
export type Colour = [r: number, g: number, b: number, a: number];

/** Parses #rgb, #rrggbb, #rrggbbaa, a CSS colour name, or `transparent`. Returns undefined for anything else. */
export function parseColour(text: string): Colour | undefined {
  const name = text.toLowerCase();
  if (name === 'transparent') return [0, 0, 0, 0];
  if (Object.hasOwn(COLOUR_NAMES, name)) {
    const rgb = COLOUR_NAMES[name];
    return [rgb >> 16, (rgb >> 8) & 255, rgb & 255, 255];
  }
  const digits = /^#?([0-9a-f]{3,8})$/.exec(name)?.[1] ?? '';
  const full = digits.length <= 4 ? [...digits].map((d) => d + d).join('') : digits;
  if (full.length !== 6 && full.length !== 8) return undefined;
  const byte = (at: number): number => parseInt(full.slice(at, at + 2), 16);
  return [byte(0), byte(2), byte(4), full.length === 8 ? byte(6) : 255];
}

/** The name that was probably meant, if any. */
export const closestColour = (text: string): string | undefined =>
  closestWord(text.toLowerCase(), [...Object.keys(COLOUR_NAMES), 'transparent']);
